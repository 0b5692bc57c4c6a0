/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Compile errors as data. The compiler stops at its first error, as DTrace always has: dt_fail() stores
 * the message and jumps to the entry of the compile. All memory is in one arena, so nothing else needs
 * to be undone. Nothing below cmd/ prints.
 */
#ifndef DT_BASE_DIAG_H
#define DT_BASE_DIAG_H

#include "base/source.h"

enum dt_tag {
#define X(tag, text) tag,
#include "base/tags.def"
#undef X
	DT_NTAGS
};

const char *dt_tag_name(enum dt_tag);	/* "D_SYNTAX" */

struct dt_diag {
	struct dt_arena *arena;
	jmp_buf env;		/* set by the function that starts a compile */
	/* errors go there instead during an attempt that may fail; lack of memory never does */
	jmp_buf *attempt;
	enum dt_tag tag;
	struct dt_loc loc;
	const char *msg;	/* NULL: no error, or out of memory */
	const char *hint;	/* "did you mean `execname'?" or NULL */
	bool in_predicate;	/* for the prefix of command-line text */
};

/* Stores the error and jumps to d->env. */
_Noreturn void dt_fail(struct dt_diag *, enum dt_tag, struct dt_loc, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));
/* The same with a hint, which comes first so that the format can have arguments; hint may be NULL. */
_Noreturn void dt_fail_hint(struct dt_diag *, enum dt_tag, struct dt_loc, const char *hint,
    const char *fmt, ...) __attribute__((format(printf, 5, 6)));

/* Passes the stored error on to the next handler. */
_Noreturn void dt_fail_again(struct dt_diag *);

/* "[D_TAG] line 3: message" (the tag only with errtags): the historic first line, without newline. */
char *dt_diag_line(const struct dt_diag *, struct dt_arena *, bool errtags);
/*
 * The source line with a caret and the hint; each line is indented and ends in newline. "" without a
 * place.
 */
char *dt_diag_excerpt(const struct dt_diag *, struct dt_arena *);

/*
 * Finds the name nearest to the wanted one by edit distance: dt_near_init(), offer candidates, read
 * `best`, which is NULL if none is near. Candidates are not copied.
 */
struct dt_near {
	const char *want;
	const char *best;
	unsigned distance;
};
void dt_near_init(struct dt_near *, const char *want);
void dt_near_offer(struct dt_near *, const char *candidate);

#endif
