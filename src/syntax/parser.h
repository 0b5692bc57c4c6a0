/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * D text comes in, a tree goes out. The parser knows no types and no kernel. It asks its few questions
 * through struct dt_parse, and the driver of the compile answers them.
 */
#ifndef DT_SYNTAX_PARSER_H
#define DT_SYNTAX_PARSER_H

#include "syntax/ast.h"

enum dt_parse_context { DT_CTX_PROGRAM, DT_CTX_EXPR, DT_CTX_TYPE };

struct dt_parse {
	struct dt_arena *arena;
	struct dt_diag *diag;
	struct dt_source *src;		/* parsing adds #line marks to it */
	enum dt_parse_context context;

	/* DT_PART_*: what the last field of a description is; -1: only ids are allowed */
	int spec;
	bool pspec;			/* a word at clause level is always a probe description */
	bool bare;			/* a clause needs no body (command-line text) */
	bool empty_ok;			/* an empty program is fine */
	bool defaultargs;		/* a missing $N is 0, a missing $$N is "" */
	bool argref;			/* arguments may stay unused */

	/* a description was refused: the EDT_* code, or the errno, that dtrace_str2desc() has for it */
	int refused;

	int argc;			/* $0 … */
	char *const *argv;
	/*
	 * argc flags, set when an argument is used; shared by the programs of one command; may be NULL
	 */
	bool *argused;

	void *ctx;			/* for the calls below */
	/* $name: returns true and the value, or false if there is no such macro variable */
	bool (*macro)(void *ctx, const char *name, int64_t *value);
	/* "(name) * x": is the name a type? Called only where the text alone cannot tell. */
	bool (*is_type)(void *ctx, const char *name);
	/*
	 * #pragma D option word: applied at once, because options such as defaultargs and pspec change
	 * how the rest is read (the callee may change the flags of this struct). Fails through
	 * dt_fail().
	 */
	void (*option)(void *ctx, struct dt_parse *, struct dt_loc, const char *word);
	/* The words of any other #pragma D as soon as they are read; fails if they are wrong. May be NULL */
	void (*pragma)(struct dt_diag *, const struct dt_word *words);
};

/* Leaves through dt_fail() at the first error. */
struct dt_unit *dt_parse(struct dt_parse *);

/* Splits "a:b:c:d" from the right and replaces macros; for -P, -m, -f, -n and dtrace_str2desc() too. */
struct dt_pdesc *dt_parse_pdesc(struct dt_parse *, const char *text, size_t len, struct dt_loc);

/*
 * What a library needs and declares: its `#pragma D depends_on` lines and the names of its outer level.
 */
struct dt_lib_scan {
	DT_VEC(const char *) libraries;		/* depends_on library NAME */
	/*
	 * types ("struct foo", "foo_t"), inlines, providers ("provider io"), translators ("translator
	 * psinfo_t")
	 */
	DT_VEC(const char *) names;
};
void dt_parse_scan(struct dt_parse *, struct dt_lib_scan *);

/*
 * Writes the tree as text, one node a line, indented (-x tree=1); `put` gets each line without newline.
 */
void dt_ast_dump(const struct dt_unit *, void (*put)(void *, const char *line), void *ctx);

#endif
