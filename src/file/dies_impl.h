/* SPDX-License-Identifier: BSD-2-Clause */
/* Private to the worker: libdw, and the files whose debugging data it has open. */
#ifndef DT_FILE_DIES_IMPL_H
#define DT_FILE_DIES_IMPL_H

#include "base/map.h"
#include "file/digest.h"
#include "file/elf_impl.h"

#include <elfutils/libdw.h>
#include <setjmp.h>
#include <sys/stat.h>

enum { DT_DW_FILES = 4 };		/* open at a time */

/* The functions of libdw that are used: a field of struct dt_dw_calls, and the function. */
#define DT_DW_CALLS(X) \
	X(begin, dwarf_begin) X(end, dwarf_end) X(getelf, dwarf_getelf) X(cntl, elf_cntl) \
	X(nextcu, dwarf_nextcu) X(offdie, dwarf_offdie) X(offdie_types, dwarf_offdie_types) \
	X(dieoffset, dwarf_dieoffset) X(getfuncs, dwarf_getfuncs) X(addrdie, dwarf_addrdie) \
	X(entrypc, dwarf_entrypc) X(diename, dwarf_diename) X(tag, dwarf_tag) X(child, dwarf_child) \
	X(siblingof, dwarf_siblingof) X(attr, dwarf_attr_integrate) X(formref, dwarf_formref_die) \
	X(formudata, dwarf_formudata) X(formsdata, dwarf_formsdata) X(bytesize, dwarf_bytesize) \
	X(get_units, dwarf_get_units) X(cu_info, dwarf_cu_info) X(cu_getdwarf, dwarf_cu_getdwarf) \
	X(setalt, dwarf_setalt) X(formblock, dwarf_formblock) \
	X(version, elf_version) X(memory, elf_memory) X(begin_elf, dwarf_begin_elf) X(elf_end, elf_end)

struct dt_dw_calls {
#define DT_DW_CALL(field, name) __typeof__(name) *field;
	DT_DW_CALLS(DT_DW_CALL)
#undef DT_DW_CALL
};

/* What data are read from if libdw cannot unpack them itself; elf NULL: the file. */
struct dt_dw_image { void *bytes; Elf *elf; };

struct dt_dw_file {
	dev_t dev;			/* of the file whose data they are; 0 with ino 0: a free place */
	ino_t ino;
	off_t size;
	struct timespec changed;
	uint64_t asked;			/* when it was last asked about: a number that grows */
	Dwarf *dw, *alt;		/* alt: what it shares with others; NULL: none */
	struct dt_dw_image image, altimage;
	uint32_t used;			/* as in struct dt_dies_head */
	char *link;			/* NULL: it shares nothing */
	uint8_t id[64];			/* … the build id of what it shares */
	uint32_t idlen;
	/* names of types read so far: reading goes on if one is not among them */
	struct dt_arena *arena;
	struct dt_map names;		/* "s`tag", "t`name" */
	Dwarf *reading;			/* dw, then alt; NULL: both are read */
	Dwarf_CU *unit;			/* read last, NULL: none */
	uint32_t nmet;
};

struct dt_dw {
	struct dt_dw_calls c;
	dt_unzstd_f *zstd;		/* NULL: libzstd is not installed */
	struct dt_dw_file file[DT_DW_FILES];
	uint64_t asked;
};

/* dies_open.c. NULL: libdw is not installed. */
struct dt_dw *dt_dw_load(void);
/*
 * Takes over the descriptors: the file, debug files that may be its own, and what their data may be shared
 * through. 0; -ENOENT: there are no data; -EILSEQ: libdw cannot use them; -ENOMEM.
 */
int dt_dw_open(struct dt_dw *, const struct dt_digest_want *, const int *fds, int nfds, struct dt_dw_file **);
void dt_dw_close(struct dt_dw *, struct dt_dw_file *);

/*
 * dies_unpack.c: a file in memory, to be freed, that has what libdw reads of this one, unpacked. NULL: there
 * is no need, or no memory.
 */
void *dt_dw_unpacked(struct dt_elf *, dt_unzstd_f *, size_t *len);

/* dies_find.c: what is asked for; false: there is none. */
bool dt_dw_function(struct dt_dw *, struct dt_dw_file *, uint64_t vaddr, Dwarf_Die *);
bool dt_dw_named(struct dt_dw *, struct dt_dw_file *, char letter, const char *name, Dwarf_Die *);
const char *dt_dw_near(struct dt_dw_file *, char letter, const char *name);	/* NULL: none is like it */
bool dt_dw_cut(const struct dt_dw_file *);

/*
 * dies_make.c: the answer to DT_DIGEST_DIES. Takes over the descriptors; dw may be NULL: -ELIBACC. Otherwise
 * as dt_digest_make().
 */
int dt_dies_make(struct dt_dw *dw, struct dt_digest *, const struct dt_digest_want *, const int *fds,
    int nfds);

#endif
