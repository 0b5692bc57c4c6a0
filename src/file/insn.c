/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds instruction boundaries in the machine code of a file; the machine of the file decodes it. */
#include "file/insn.h"
#include "file/elf.h"
#include "machine/machine.h"

#include <errno.h>

enum { FUNCTION_MAX = 4 << 20 };

static int walk(const struct dt_machine *m, const void *code, uint64_t size, uint64_t vaddr, dt_insn_f *f,
    void *ctx)
{
	return m != NULL && m->walk != NULL ? m->walk(code, size, vaddr, f, ctx) : -EOPNOTSUPP;
}

int dt_insn_walk_bytes(uint16_t machine, const void *code, uint64_t size, uint64_t vaddr, dt_insn_f *f,
    void *ctx)
{
	return walk(dt_machine_elf(machine), code, size, vaddr, f, ctx);
}

int dt_insn_walk(struct dt_elf *e, uint64_t offset, uint64_t size, dt_insn_f *f, void *ctx)
{
	const struct dt_machine *m = dt_machine_elf(dt_elf_machine(e));
	const void *code;
	uint64_t vaddr;
	int err;

	if (m == NULL || m->walk == NULL)
		return -EOPNOTSUPP;
	if (size > FUNCTION_MAX || offset > INT64_MAX - size)
		return -EFBIG;
	err = dt_elf_code(e, offset, size, &code);
	if (!dt_elf_offset_to_vaddr(e, offset, &vaddr))
		vaddr = 0;
	return err != 0 ? err : walk(m, code, size, vaddr, f, ctx);
}
