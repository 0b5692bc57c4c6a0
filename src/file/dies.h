/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Entries of debugging data (DIEs) as flat records. The worker reads the data with libdw and answers; the
 * tracer checks the answer and makes types of it. An answer begins with what was asked for and brings along
 * what that leads to, breadth first, as far as there is room; the rest is asked for by its id.
 * What tags and encodings are called comes from <dwarf.h>, which no other folder includes.
 */
#ifndef DT_FILE_DIES_H
#define DT_FILE_DIES_H

#include <dwarf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum dt_dies_ask {
	DT_DIES_OPEN,			/* are there data, and what file do they share with others? */
	DT_DIES_FUNCTION,		/* the one whose entry is at the address `at` */
	DT_DIES_NAMED,			/* the type `name` outside of functions and namespaces */
	DT_DIES_ENTRY,			/* the one with the id `at` */
};

enum {
	DT_DIES_MAX = 4 << 20,		/* bytes of an answer */
	DT_DIES_CHILDREN = 4096,	/* members or enumerators of one type */
	DT_DIES_PARAMS = 24,
	DT_DIES_SHARED = 2,		/* places where the file may be that data are shared through */
};

#define DT_DIE_LOST UINT64_MAX		/* a type that the data do not lead to */

struct dt_die {
	uint64_t id;			/* where it is in the data; of children 0 */
	uint64_t type;			/* the id of its type; 0: it has none, which is void */
	/* bytes of a type; elements of an array; the bit where a member begins; what an enumerator is */
	uint64_t value;
	uint32_t name;			/* where in the texts; 0: none */
	uint32_t first, n;		/* children: records after the entries */
	uint16_t tag;			/* DW_TAG_… */
	uint8_t detail;			/* bits of a bit-field; the encoding of a base type */
	uint8_t zero;
};

/*
 * The records follow, entries first and their children after them; then the texts, of which the first is "".
 */
struct dt_dies_head {
	uint32_t n, nentries;		/* records; entries among them: the first is what was asked for */
	uint32_t cut;			/* 1: there is more than was searched */
	uint32_t near;			/* a text: the name most like the one that is missing */
	/* the file that data are shared through: a text, and its build id */
	uint32_t link;
	uint32_t used;			/* which of the descriptors has the data: 0 is the file itself */
	uint8_t id[64];
	uint32_t idlen, zero;
};

struct dt_dies {
	struct dt_dies_head head;
	const struct dt_die *die;
	const char *text;
	size_t len;			/* of the whole answer */
};

/* Looks through an answer, which stays the caller's, aligned as by malloc(3). 0, -EBADMSG. */
int dt_dies_check(const void *bytes, size_t len, struct dt_dies *);

/*
 * Asks, with a reader of dt_reader_types(). The file's own data are preferred to those of a debug file. 0:
 * *bytes are malloc'ed, checked, and what `out` points into. -ENOENT: there are none, or no such entry;
 * -ELIBACC: there is no libdw; -EILSEQ: it cannot use the data; or why not, as of dt_reader_ask().
 */
struct dt_elf;
struct dt_reader;
struct dt_dies_question {
	enum dt_dies_ask ask;
	uint64_t at;
	char letter;			/* of DT_DIES_NAMED: s, u, e, or t for all that have no keyword */
	const char *name;
	const struct dt_dies_head *shared;	/* from the answer to DT_DIES_OPEN; NULL: it is this one */
	const char *link;			/* … and its text */
};
int dt_dies_ask(struct dt_elf *, struct dt_reader *, const struct dt_dies_question *, void **bytes,
    struct dt_dies *out);

#endif
