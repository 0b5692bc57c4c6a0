/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A file comes in; the words that the dynamic linker fills in for it go out (the relocations of its tables of
 * addresses). The sections may come from others (reader.h): each index and each name is checked against its
 * table. Compressed relocations (.relr.dyn) are left out: their words have the address in the file itself.
 */
#include "file/elf.h"

#include <string.h>

struct symbols {
	const Elf64_Sym *sym;
	size_t nsym;
	const char *str;
	size_t nstr;
};

static void read_symbols(struct dt_elf *elf, struct symbols *s)
{
	const void *data;
	size_t len;
	uint64_t addr;

	if (dt_elf_section(elf, ".dynsym", &data, &len, &addr) == 0 && data != NULL &&
	    ((uintptr_t)data & 7) == 0) {
		s->sym = data;
		s->nsym = len / sizeof(Elf64_Sym);
	}
	if (dt_elf_section(elf, ".dynstr", &data, &len, &addr) == 0 && data != NULL) {
		s->str = data;
		s->nstr = len;
	}
}

/* NULL: none, or it does not end inside of the table. */
static const char *name_of(const struct symbols *s, uint64_t index)
{
	uint64_t at;

	if (index == 0 || index >= s->nsym || (at = s->sym[index].st_name) >= s->nstr ||
	    memchr(s->str + at, 0, s->nstr - at) == NULL)
		return NULL;
	return s->str + at;
}

static bool each_in(struct dt_elf *elf, const struct symbols *s, const char *section, dt_elf_slot_f *f,
    void *ctx)
{
	const void *data;
	size_t len;
	uint64_t addr;

	if (dt_elf_section(elf, section, &data, &len, &addr) != 0 || data == NULL)
		return true;
	for (size_t i = 0; i + sizeof(Elf64_Rela) <= len; i += sizeof(Elf64_Rela)) {
		struct dt_elf_slot slot;
		Elf64_Rela r;

		memcpy(&r, (const char *)data + i, sizeof(r));
		slot = (struct dt_elf_slot){ .vaddr = r.r_offset, .addend = (uint64_t)r.r_addend,
			.type = (uint32_t)ELF64_R_TYPE(r.r_info), .name = name_of(s, ELF64_R_SYM(r.r_info)) };
		if (!f(ctx, &slot))
			return false;
	}
	return true;
}

void dt_elf_each_slot(struct dt_elf *e, dt_elf_slot_f *f, void *ctx)
{
	struct symbols s = { 0 };

	if (!dt_elf_is_64(e))
		return;
	read_symbols(e, &s);
	if (each_in(e, &s, ".rela.plt", f, ctx))
		(void)each_in(e, &s, ".rela.dyn", f, ctx);
}
