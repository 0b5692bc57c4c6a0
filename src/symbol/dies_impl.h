/* SPDX-License-Identifier: BSD-2-Clause */
/* Private to the worker: libdw, and the files whose debugging data it has open. */
#ifndef DT_SYMBOL_DIES_IMPL_H
#define DT_SYMBOL_DIES_IMPL_H

#include "base/map.h"
#include "symbol/digest.h"

#include <elfutils/libdw.h>
#include <setjmp.h>
#include <sys/stat.h>

enum { DT_DW_FILES = 4 };		/* open at a time */

struct dt_dw_calls {			/* of libdw */
	Dwarf *(*begin)(int, Dwarf_Cmd);
	int (*end)(Dwarf *);
	Elf *(*getelf)(Dwarf *);
	int (*cntl)(Elf *, Elf_Cmd);
	int (*nextcu)(Dwarf *, Dwarf_Off, Dwarf_Off *, size_t *, Dwarf_Off *, uint8_t *, uint8_t *);
	Dwarf_Die *(*offdie)(Dwarf *, Dwarf_Off, Dwarf_Die *);
	Dwarf_Die *(*offdie_types)(Dwarf *, Dwarf_Off, Dwarf_Die *);
	Dwarf_Off (*dieoffset)(Dwarf_Die *);
	ptrdiff_t (*getfuncs)(Dwarf_Die *, int (*)(Dwarf_Die *, void *), void *, ptrdiff_t);
	Dwarf_Die *(*addrdie)(Dwarf *, Dwarf_Addr, Dwarf_Die *);
	int (*entrypc)(Dwarf_Die *, Dwarf_Addr *);
	const char *(*diename)(Dwarf_Die *);
	int (*tag)(Dwarf_Die *);
	int (*child)(Dwarf_Die *, Dwarf_Die *);
	int (*siblingof)(Dwarf_Die *, Dwarf_Die *);
	Dwarf_Attribute *(*attr)(Dwarf_Die *, unsigned, Dwarf_Attribute *);
	Dwarf_Die *(*formref)(Dwarf_Attribute *, Dwarf_Die *);
	int (*formudata)(Dwarf_Attribute *, Dwarf_Word *);
	int (*formsdata)(Dwarf_Attribute *, Dwarf_Sword *);
	int (*formblock)(Dwarf_Attribute *, Dwarf_Block *);
	int (*bytesize)(Dwarf_Die *);
	int (*get_units)(Dwarf *, Dwarf_CU *, Dwarf_CU **, Dwarf_Half *, uint8_t *, Dwarf_Die *, Dwarf_Die *);
	int (*cu_info)(Dwarf_CU *, Dwarf_Half *, uint8_t *, Dwarf_Die *, Dwarf_Die *, uint64_t *, Dwarf_Off *,
	    uint8_t *, uint8_t *);
	Dwarf *(*cu_getdwarf)(Dwarf_CU *);
	void (*setalt)(Dwarf *, Dwarf *);
};

struct dt_dw_file {
	dev_t dev;			/* of the file whose data they are; 0 with ino 0: a free place */
	ino_t ino;
	off_t size;
	struct timespec changed;
	uint64_t asked;			/* when it was last asked about: a number that grows */
	Dwarf *dw, *alt;		/* alt: what it shares with others; NULL: none */
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
	void *lib;
	struct dt_dw_calls c;
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
