/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Program text and places in it. A location is a source, an offset and a length; line and column are
 * computed only for printing. `#line` directives are marks on the source that change what is printed,
 * and nothing else.
 */
#ifndef DT_BASE_SOURCE_H
#define DT_BASE_SOURCE_H

#include "base/arena.h"

#include <stdbool.h>
#include <stdint.h>

enum dt_source_kind {
	DT_SRC_FILE,		/* -s: messages say "line N: " */
	DT_SRC_STRING,		/* -n and friends: "in action list: ", "in predicate: " */
	DT_SRC_LIBRARY,		/* "\"file\", line N: " */
	DT_SRC_BUILTIN,		/* prototypes of our own tables */
};

struct dt_line_mark {		/* from `offset` on, the line is `line` of `file` (NULL: unchanged) */
	uint32_t offset;
	uint32_t line;
	const char *file;
	uint32_t depth;		/* of #include: 0 in the file itself */
};

/* flags 1 and 2 of the preprocessor */
enum dt_line_flag { DT_LINE_PLAIN, DT_LINE_ENTER, DT_LINE_LEAVE };

struct dt_source {
	const char *name;	/* file name, or "-n" and the like for messages */
	enum dt_source_kind kind;
	const char *text;	/* NUL-terminated; may contain NULs */
	uint32_t len;
	struct dt_arena *arena;
	DT_VEC(struct dt_line_mark) marks;
};

struct dt_loc {
	const struct dt_source *src;	/* NULL: no place known */
	uint32_t off;
	uint32_t len;
};

struct dt_place {		/* a location as people read it */
	const char *file;	/* by `#line`, or the source's name */
	bool marked;		/* file comes from a #line mark and differs from the source's name */
	uint32_t line, col;	/* from 1 */
	const char *text;	/* the line's text, not terminated */
	uint32_t textlen;
};

#define DT_SOURCE_MAX (8u << 20)	/* bytes; a longer script is refused with a message */

struct dt_source *dt_source_new(struct dt_arena *, enum dt_source_kind, const char *name,
    const char *text, size_t len);	/* copies text; the caller checks DT_SOURCE_MAX */
void dt_source_mark(struct dt_source *, uint32_t offset, uint32_t line, const char *file, enum dt_line_flag);
struct dt_place dt_loc_place(struct dt_loc);
bool dt_loc_included(struct dt_loc);	/* in text that an #include brought */
/* From the start of one location to the end of the other */
struct dt_loc dt_loc_span(struct dt_loc from, struct dt_loc to);

#endif
