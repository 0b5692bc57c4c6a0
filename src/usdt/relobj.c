/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The bytes of an object file come in, its symbols and sections go out. Every offset is checked against
 * the file before it is used.
 */
#include "usdt/relobj.h"

#include <elf.h>
#include <errno.h>

static int bad(char *msg, size_t len, const char *why)
{
	snprintf(msg, len, "%s", why);
	return -EINVAL;
}

/* A section that does not lie in the file is empty here, so that no caller checks offsets again. */
static Elf64_Shdr section_at(const struct dt_relobj *o, uint32_t i)
{
	Elf64_Shdr s = { 0 };

	if (i < o->nsecs)
		memcpy(&s, o->data + o->shoff + (uint64_t)i * sizeof(s), sizeof(s));
	if (s.sh_type == SHT_NOBITS || s.sh_offset > o->len || s.sh_size > o->len - s.sh_offset)
		s.sh_size = 0;
	return s;
}

/* A file with many sections has their number in the first section, whose header must be there for that. */
static int read_header(struct dt_relobj *o, const Elf64_Ehdr *h, char *msg, size_t msglen)
{
	Elf64_Shdr first;

	if (h->e_type != ET_REL)
		return bad(msg, msglen, "not an object file to be linked: give -G the .o files");
	o->machine = h->e_machine;
	o->shoff = h->e_shoff;
	if (h->e_shoff == 0)
		return 0;
	if (h->e_shentsize != sizeof(first) || h->e_shoff > o->len || o->len - h->e_shoff < sizeof(first))
		return bad(msg, msglen, "the table of sections lies outside the file");
	o->nsecs = 1;
	memcpy(&first, o->data + o->shoff, sizeof(first));
	o->nsecs = h->e_shnum != 0     ? h->e_shnum :
	    first.sh_size < UINT32_MAX ? (uint32_t)first.sh_size :
					 UINT32_MAX;
	o->names = h->e_shstrndx == SHN_XINDEX ? first.sh_link : h->e_shstrndx;
	if (o->nsecs > (o->len - o->shoff) / sizeof(first))
		return bad(msg, msglen, "the table of sections lies outside the file");
	return 0;
}

/* 1: bitcode of clang, in which nothing can be seen. The bytes stay the caller's. */
int dt_relobj_open(struct dt_relobj *o, const void *data, size_t len, char *msg, size_t msglen)
{
	Elf64_Ehdr h;

	*o = (struct dt_relobj){ .data = data, .len = len };
	if (len >= 4 && (memcmp(data, "BC\xc0\xde", 4) == 0 || memcmp(data, "\xde\xc0\x17\x0b", 4) == 0))
		return 1;
	if (len < EI_NIDENT || memcmp(data, ELFMAG, SELFMAG) != 0)
		return bad(msg, msglen, "not an ELF file");
	if (o->data[EI_CLASS] != ELFCLASS64 || o->data[EI_DATA] != ELFDATA2LSB)
		return bad(msg, msglen,
		    "not a 64-bit little endian object: -G links objects for x86-64 and aarch64");
	if (len < sizeof(h))
		return bad(msg, msglen, "the file is cut short");
	memcpy(&h, data, sizeof(h));
	return read_header(o, &h, msg, msglen);
}

/* The strings of a section, or NULL if they do not end: such names cannot be read safely. */
static const char *strings_at(const struct dt_relobj *o, uint32_t i, uint64_t *len)
{
	Elf64_Shdr s = section_at(o, i);
	const char *strings;

	*len = s.sh_size;
	if (s.sh_size == 0)		/* the offset of an empty one is not checked */
		return NULL;
	strings = (const char *)o->data + s.sh_offset;
	return strings[s.sh_size - 1] == '\0' ? strings : NULL;
}

static int walk_symbols(const struct dt_relobj *o, const Elf64_Shdr *symtab, const char *object,
    dt_relobj_symbol_f *f, void *ctx)
{
	uint64_t n = symtab->sh_size / sizeof(Elf64_Sym), len;
	const char *strings = strings_at(o, symtab->sh_link, &len);
	int rv = 0;

	for (uint64_t i = 1; strings != NULL && i < n && rv == 0; i++) {
		Elf64_Sym s;

		memcpy(&s, o->data + symtab->sh_offset + i * sizeof(s), sizeof(s));
		if (s.st_name < len)
			rv = f(ctx, object, strings + s.st_name, s.st_shndx == SHN_UNDEF);
	}
	return rv;
}

/* Ends with the first value of f that is not 0, and returns it. */
int dt_relobj_symbols(const struct dt_relobj *o, const char *object, dt_relobj_symbol_f *f, void *ctx)
{
	int rv = 0;

	for (uint32_t i = 1; i < o->nsecs && rv == 0; i++) {
		Elf64_Shdr s = section_at(o, i);

		if (s.sh_type == SHT_SYMTAB)
			rv = walk_symbols(o, &s, object, f, ctx);
	}
	return rv;
}

void dt_relobj_sections(const struct dt_relobj *o, dt_relobj_section_f *f, void *ctx)
{
	uint64_t len;
	const char *names = strings_at(o, o->names, &len);

	for (uint32_t i = 1; names != NULL && i < o->nsecs; i++) {
		Elf64_Shdr s = section_at(o, i);

		if (s.sh_size > 0 && s.sh_name < len)
			f(ctx, names + s.sh_name, o->data + s.sh_offset, s.sh_size);
	}
}
