/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Segments and sections of a file that we read, in the order of the file: an object file given to us, or the
 * kernel's own description of its memory. The tables are inside the file (elf.c); of what their entries say,
 * names are checked here, and bytes when they are read.
 */
#include "file/elf_impl.h"

#include <errno.h>
#include <string.h>

int dt_elf_each_segment(const struct dt_elf *e, dt_elf_segment_f *f, void *ctx)
{
	int rv = 0;

	for (uint32_t i = 0; i < e->nph && rv == 0; i++) {
		const Elf64_Phdr *p = &e->ph[i];
		struct dt_elf_segment s = { p->p_vaddr, p->p_paddr, p->p_memsz, p->p_type == PT_LOAD };

		rv = f(ctx, &s);
	}
	return rv;
}

/* A name ends inside the table of names, or at its end, where dt_elf_read() has put a NUL. */
int dt_elf_each_section(struct dt_elf *e, dt_elf_section_f *f, void *ctx)
{
	int rv = 0;

	for (uint32_t i = 1; i < e->nsh && e->shnames != NULL && rv == 0; i++)
		if (e->sh[i].sh_name < e->shnames_len && e->shnames[e->sh[i].sh_name] != '\0')
			rv = f(ctx, e, e->shnames + e->sh[i].sh_name, i);
	return rv;
}

int dt_elf_section_at(struct dt_elf *e, uint32_t index, const void **data, size_t *len)
{
	return index < e->nsh ? dt_elf_section_data(e, &e->sh[index], data, len) : -ENOENT;
}

bool dt_elf_sections_lost(const struct dt_elf *e)
{
	return e->eh.e_shoff != 0 && e->nsh == 0;
}
