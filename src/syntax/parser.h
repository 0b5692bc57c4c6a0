/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * D text in, tree out. Knows no types and no kernel: the only questions it has to ask
 * are in struct dt_parse, answered by whoever drives the compile.
 */
#ifndef DT_SYNTAX_PARSER_H
#define DT_SYNTAX_PARSER_H

#include "syntax/ast.h"

enum dt_parse_context { DT_CTX_PROGRAM, DT_CTX_EXPR, DT_CTX_TYPE };

struct dt_parse {
	struct dt_arena *arena;
	struct dt_diag *diag;
	struct dt_source *src;		/* #line marks are added to it while parsing */
	enum dt_parse_context context;

	/* DT_PART_*: which part the last field of a description is; -1: only ids */
	int spec;
	bool pspec;			/* a word at clause level is always a probe description */
	bool bare;			/* a clause needs no body (command-line text) */
	bool empty_ok;			/* an empty program is fine */
	bool defaultargs;		/* missing $N is 0, missing $$N is "" */
	bool argref;			/* do not ask for every argument to be used */

	int argc;			/* $0 … */
	char *const *argv;
	/* argc flags, set as arguments are used; shared by the programs of one command; may be NULL */
	bool *argused;

	void *ctx;			/* for the calls below */
	/* $name: true and the value, or false when there is no such macro variable */
	bool (*macro)(void *ctx, const char *name, int64_t *value);
	/* "(name) * x": is name a type? Only asked where the text alone cannot tell. */
	bool (*is_type)(void *ctx, const char *name);
	/*
	 * #pragma D option word: applied at once, because options such as defaultargs and pspec change
	 * how the rest is read (the callee may change the flags of this struct). Fails through dt_fail().
	 */
	void (*option)(void *ctx, struct dt_parse *, struct dt_loc, const char *word);
};

/* Jumps out through diag on the first error. */
struct dt_unit *dt_parse(struct dt_parse *);

/* Splits "a:b:c:d" from the right, replaces macros; for -P/-m/-f/-n and dtrace_str2desc(). */
struct dt_pdesc *dt_parse_pdesc(struct dt_parse *, const char *text, size_t len, struct dt_loc);

/* Only the `#pragma D depends_on` lines of a library, and the names it declares at its outer level. */
struct dt_lib_scan {
	DT_VEC(const char *) libraries;		/* depends_on library NAME */
	/*
	 * types ("struct foo", "foo_t"), inlines, providers ("provider io"), translators ("translator
	 * psinfo_t")
	 */
	DT_VEC(const char *) names;
};
void dt_parse_scan(struct dt_parse *, struct dt_lib_scan *);

/* The parse tree as text, one node a line, indented (-x tree=1); appended to out. */
void dt_ast_dump(const struct dt_unit *, void (*put)(void *, const char *line), void *ctx);

#endif
