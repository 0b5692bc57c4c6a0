/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Bytes in as what a hostile program holds for its static probes: notes of both word sizes with their
 * operands, providers as DOF, an object for -G. Strings that come out must end; operands must be within
 * their limits.
 */
#include "dif/dof_provider.h"
#include "usdt/sdtnote.h"
#include "usdt/relobj.h"

#include <elf.h>
#include <stdlib.h>

static void look_at_args(const char *text, uint16_t machine)
{
	struct dt_sdt_arg a[DT_SDT_MAXARGS];
	int n = dt_sdt_args_parse(text, machine, a);

	if (n > DT_SDT_MAXARGS)
		abort();
	for (int i = 0; i < n; i++) {
		if (a[i].reg > 31 || a[i].index > 31 || a[i].scale > 4 || a[i].size > 8)
			abort();
		if (a[i].sym != NULL && memchr(a[i].sym, '\0', a[i].symlen) != NULL)
			abort();
		if (a[i].kind == DT_SDT_REG && dt_sdt_reg_offset(machine, a[i].reg) < 0)
			abort();
	}
}

static int look_at_note(void *ctx, const struct dt_sdt_note *n)
{
	(void)ctx;
	if (strlen(n->provider) == 0 || strlen(n->name) == 0)
		abort();
	look_at_args(n->args, EM_X86_64);
	look_at_args(n->args, EM_AARCH64);
	return 0;
}

static void look_at_providers(const void *data, size_t len)
{
	struct dt_arena *arena = dt_arena_new();
	struct dt_dofprov *p;
	uint32_t n;

	if (arena == NULL)
		return;
	dt_dofprov_read(arena, data, len, &p, &n);
	for (uint32_t i = 0; i < n; i++)
		for (uint32_t k = 0; k < p[i].nprobes; k++)
			for (uint32_t m = 0; m < p[i].probes[k].nout; m++)
				if (strlen(p[i].probes[k].in[p[i].probes[k].map[m]]) > len)
					abort();
	dt_arena_free(arena);
}

static int look_at_symbol(void *ctx, const char *symbol, bool undefined)
{
	(void)undefined;
	return strlen(symbol) > *(size_t *)ctx;
}

static int look_at_section(void *ctx, struct dt_elf *e, const char *name, uint32_t index)
{
	const void *bytes;
	size_t len;

	if (strlen(name) > *(size_t *)ctx)
		abort();
	if (dt_elf_section_at(e, index, &bytes, &len) == 0) {
		if (len > *(size_t *)ctx)
			abort();
		dt_sdt_notes_unlinked(bytes, len, look_at_note, NULL);
		dt_elf_forget(e, bytes);
	}
	return 0;
}

static void look_at_object(const uint8_t *data, size_t len)
{
	char msg[100];
	void *copy = malloc(len + 1);
	struct dt_elf *elf;

	if (copy == NULL)
		return;
	memcpy(copy, data, len);
	if (dt_relobj_open(&elf, copy, len, msg, sizeof(msg)) == 0) {
		if (dt_elf_each_symbol(elf, look_at_symbol, &len) > 0)
			abort();
		(void)dt_elf_each_section(elf, look_at_section, &len);
		dt_elf_close(elf);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	char *text = strndup((const char *)data, len);

	dt_sdt_notes(data, len, true, 0x1000, look_at_note, NULL);
	dt_sdt_notes(data, len, false, 0, look_at_note, NULL);
	if (text != NULL) {
		look_at_args(text, EM_X86_64);
		look_at_args(text, EM_AARCH64);
		free(text);
	}
	look_at_providers(data, len);
	look_at_object(data, len);
	return 0;
}
