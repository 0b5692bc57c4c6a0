/* SPDX-License-Identifier: BSD-2-Clause */
/* Private to src/symbol/elf*.c: an opened file. */
#ifndef DT_SYMBOL_ELF_IMPL_H
#define DT_SYMBOL_ELF_IMPL_H

#include "symbol/elf.h"

#include <elf.h>

#define DT_ELF_SECTION_MAX (512ull << 20)	/* bytes of one section that are read */
#define DT_ELF_NAME_MAX 4096u			/* longer function names are left out */

/* A piece of the file that was read */
struct dt_elf_bytes { void *data; uint64_t off, len; struct dt_elf_bytes *next; };

enum dt_elf_kind { DT_ELF_CODE, DT_ELF_DATA, DT_ELF_KINDS };

struct dt_elf_names {			/* the symbols of one kind */
	struct dt_elf_function *func;	/* sorted by vaddr, the shown name of each address first */
	size_t nfunc, capfunc;
	uint64_t *start;		/* addresses of those that are not aliases, for searching */
	uint32_t *index;
	size_t nstart;
	uint64_t longest;		/* the largest size */
	bool loaded;
	int load_err;
};

struct dt_elf {
	int fd;				/* -1: memory, or dropped */
	uint8_t *mem;			/* NULL: read from fd */
	uint64_t size;
	char *path;			/* or NULL */
	const char *debug_root;
	Elf64_Ehdr eh;			/* also for 32-bit files, widened */
	Elf64_Phdr *ph;
	Elf64_Shdr *sh;
	uint32_t nph, nsh;
	const char *shnames;
	size_t shnames_len;
	struct dt_elf_bytes *bytes;
	struct dt_elf *debug;		/* the file that the names come from, if not this one */
	struct dt_elf_names names[DT_ELF_KINDS];
};

/* A piece of the file, read once. 0; -ENOEXEC: it is not all there; -EFBIG; -ENOMEM. */
int dt_elf_read(struct dt_elf *, uint64_t off, uint64_t len, const void **data);
int dt_elf_section_data(struct dt_elf *, const Elf64_Shdr *, const void **data, size_t *len);
const Elf64_Shdr *dt_elf_section_named(const struct dt_elf *, const char *name);
const Elf64_Shdr *dt_elf_section_typed(const struct dt_elf *, uint32_t type);

/*
 * elf_debug.c: the file with the symbols that this one lacks, which the caller closes. 0; -ENOENT:
 * none.
 */
int dt_elf_find_debug(struct dt_elf *, struct dt_elf **);
int dt_elf_find_debugdata(struct dt_elf *, struct dt_elf **);

#endif
