/* SPDX-License-Identifier: BSD-2-Clause */
/* Bytes in as an ELF file: it is refused, or every question about it is answered within its own bounds. */
#include "file/elf.h"
#include "file/lines.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int on_function(void *ctx, const struct dt_elf_function *f)
{
	char clear[256];

	if (f->name[0] == '\0' || f->size > UINT64_MAX - f->vaddr)
		abort();
	(void)dt_elf_demangle(f->name, clear, sizeof(clear));
	return ++*(unsigned *)ctx > 10000;
}

/* Its DWARF: what is made of it is accepted, and every address gives frames that end. */
static void ask_lines(struct dt_elf *e)
{
	const struct dt_lines *lines;
	struct dt_line l;
	int err = dt_elf_lines(e, 1 << 20, &lines);

	if (err == -EBADMSG)
		abort();
	for (uint32_t i = 0; err == 0 && i < lines->head.nspans; i++)
		for (unsigned k = 0; dt_lines_at(lines, lines->span[i].at, k, &l); k++)
			if (k > lines->head.ncalls || (l.function != NULL && l.function[0] == '\0'))
				abort();
}

static void ask(struct dt_elf *e)
{
	static const char *const names[] = { ".text", ".note.stapsdt", ".gnu_debuglink", ".symtab", "" };
	const struct dt_elf_function *f;
	const void *data;
	unsigned n = 0;
	uint64_t at;
	size_t len;

	(void)dt_elf_each_function(e, on_function, &n);
	for (uint64_t a = 0; a < 1 << 16; a += 0x41)
		if ((f = dt_elf_function_at(e, a)) != NULL && (f->alias || a - f->vaddr >= f->size))
			abort();
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (dt_elf_section(e, names[i], &data, &len, &at) == 0 && data != NULL && len > 0 &&
		    ((const char *)data)[len] != '\0')
			abort();
	if (dt_elf_offset_to_vaddr(e, 0x10, &at) && dt_elf_vaddr_to_offset(e, at, &at) &&
	    dt_elf_type(e) == 0xffff)
		len = at;
	(void)dt_elf_buildid(e, &len);
	ask_lines(e);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct dt_elf *e;
	uint8_t *copy = malloc(len + 1);

	if (copy == NULL)
		return 0;
	if (len > 0)
		memcpy(copy, data, len);
	if (dt_elf_memory(copy, len, &e) == 0) {
		dt_elf_debug_root(e, "/nonexistent");
		ask(e);
		dt_elf_close(e);
	}
	return 0;
}
