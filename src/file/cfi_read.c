/* SPDX-License-Identifier: BSD-2-Clause */
/* The rows of a file: of its .eh_frame, or of its .debug_frame; read here, or by others. */
#include "file/elf_impl.h"
#include "file/cfi.h"
#include "machine/machine.h"

#include <stdlib.h>
#include <string.h>

/*
 * Adds a rule for the code by which a signal handler returns, if it has no frame data: the saved
 * registers are at the stack pointer. It is found by its instructions. A row also begins one
 * instruction before it, since return addresses are looked up one byte before themselves.
 */
static void add_sigreturn(struct dt_cfi *c, struct dt_elf *elf)
{
	const struct dt_machine *m = dt_machine_here();
	const struct dt_unwind_rule rule = { .cfa = DT_CFA_AT_SP,
		.cfa_off = m->sigreturn.sp,
		.ra = DT_REG_SP,
		.ra_off = m->sigreturn.pc,
		.fp = DT_REG_SP,
		.fp_off = m->sigreturn.fp,
		.signal = 1 };
	size_t size = m->sigreturn.n * sizeof(m->sigreturn.code[0]), len;
	const void *text;
	uint64_t addr;

	if (size == 0 || dt_elf_section(elf, ".text", &text, &len, &addr) != 0 || text == NULL)
		return;
	for (size_t at = 4; at + size <= len; at += 4)
		if (memcmp((const char *)text + at, m->sigreturn.code, size) == 0) {
			if (dt_cfi_begin(c, addr + at - 4) != 0)
				return;
			(void)dt_cfi_add(c, addr + at - 4, &rule);
			dt_cfi_end(c, addr + at + size);
		}
}

/* Go has no .eh_frame but this section, which is not loaded with the program. */
static void read_debug_frame(struct dt_cfi *c, struct dt_elf *elf)
{
	const void *data;
	void *unpacked;
	uint64_t addr;
	size_t len;

	if (dt_elf_section(elf, ".debug_frame", &data, &len, &addr) == 0 && data != NULL) {
		(void)dt_cfi_read_debug(c, dt_machine_here()->elf, data, len);
		dt_elf_forget(elf, data);
	} else if (dt_elf_unpack(elf, ".debug_frame", &unpacked, &len) == 0) {
		(void)dt_cfi_read_debug(c, dt_machine_here()->elf, unpacked, len);
		free(unpacked);
	}
}

static void read_here(struct dt_cfi *c, struct dt_elf *elf, bool vdso)
{
	const void *data;
	uint64_t addr;
	size_t len;

	if (!dt_elf_is_64(elf) || dt_elf_machine(elf) != dt_machine_here()->elf)
		return;
	if (dt_elf_section(elf, ".eh_frame", &data, &len, &addr) == 0 && data != NULL) {
		/* if memory runs out, what was read so far counts */
		(void)dt_cfi_read(c, dt_machine_here()->elf, data, len, addr);
		dt_elf_forget(elf, data);
	}
	if (c->nraw == 0)
		read_debug_frame(c, elf);
	if (vdso)
		add_sigreturn(c, elf);
	dt_cfi_finish(c);
}

int dt_elf_rows(struct dt_elf *e, bool vdso, struct dt_cfi *c)
{
	if (e->reader != NULL)
		return dt_elf_remote_rows(e, c);
	read_here(c, e, vdso);
	return 0;
}
