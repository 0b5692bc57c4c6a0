/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Source lines and inlined calls of a file's code, from its DWARF: made in the worker (dwarf_lines.c),
 * checked and searched in the tracer (lines.c).
 */
#ifndef DT_FILE_LINES_H
#define DT_FILE_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A digest: the head, then arrays of these in this order, then texts, the first of which is "". */
struct dt_lines_head { uint32_t nrows, nspans, ncalls, zero; };
struct dt_line_row { uint64_t at; uint32_t file, line; };	/* from there on; line 0: not known */
struct dt_line_span { uint64_t at; uint32_t call, zero; };	/* from there on; 0: nothing is inlined */
/* A call that was inlined, numbered from 1: the one around it, or 0; the function called; where it stands. */
struct dt_line_call { uint32_t parent, name, file, line; };

struct dt_lines {
	void *bytes;			/* malloc'ed: all that follows points into them */
	size_t len;
	struct dt_lines_head head;
	const struct dt_line_row *row;
	const struct dt_line_span *span;
	const struct dt_line_call *call;
	const char *text;
};

struct dt_digest;
struct dt_elf;
/* `most`: bytes of the answer. 0; -ENOENT: there are no such data; -EFBIG, -ENOMEM, or why not. */
int dt_lines_make(struct dt_digest *, struct dt_elf *, uint64_t most);
/* The bytes are taken over if it is 0; else -EBADMSG. */
int dt_lines_check(void *bytes, size_t len, struct dt_lines *);

struct dt_line { const char *function, *file; uint32_t line; };	/* file NULL: not known */
/*
 * The i-th frame of the code at an address, innermost first. The last one is that of the function itself,
 * whose name the symbols have: its `function` is NULL. False: there are no more.
 */
bool dt_lines_at(const struct dt_lines *, uint64_t vaddr, unsigned i, struct dt_line *);

#endif
