/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A D text as an editor sees it: places in lines and columns, and its words, also while it is not a program
 * yet. What is right is for the compiler to say.
 */
#ifndef DT_CMD_WEB_LSP_TEXT_H
#define DT_CMD_WEB_LSP_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Columns are counted in bytes, or in the halves of UTF-16 that editors count by if they do not say. */
struct lsp_text { const char *p; size_t len; bool bytes; };

/* Behind the end of a line is its end. */
size_t lsp_offset(const struct lsp_text *, unsigned long line, unsigned long column);
void lsp_put_range(FILE *, const struct lsp_text *, size_t from, size_t to);	/* {"start":…,"end":…} */

enum lsp_kind { LSP_WORD, LSP_NUMBER, LSP_STRING, LSP_COMMENT, LSP_LINE, LSP_OTHER };	/* LSP_LINE: # … */
struct lsp_token { enum lsp_kind kind; size_t at, len; };

/*
 * The next one from *pos on, which becomes its end. An @ or $ belongs to the name after it. False: the end.
 */
bool lsp_next(const struct lsp_text *, size_t *pos, struct lsp_token *);
bool lsp_is(const struct lsp_text *, const struct lsp_token *, const char *word);

/* The name that is at or ends at that place. False: there is none. */
bool lsp_name_at(const struct lsp_text *, size_t at, struct lsp_token *);
/*
 * The description of probes at that place, outside of any clause's body and predicate: [*from, *to), no
 * space in it. False: there is none.
 */
bool lsp_probe_at(const struct lsp_text *, size_t at, size_t *from, size_t *to);

/* What a text declares, or a variable's first use. */
struct lsp_declared {
	size_t at, len;			/* the name */
	size_t from, to;		/* all of it */
	const char *what;		/* "inline", "struct", "clause", "member" ... */
};
typedef bool lsp_declared_f(void *ctx, const struct lsp_declared *);	/* false ends the walk */
/* Calls f with all that stands outside of clauses, and with the clauses themselves. */
void lsp_declarations(const struct lsp_text *, lsp_declared_f *, void *ctx);
/* Calls f with each variable and aggregation when it is seen first: self->, this-> and @ are part of it. */
void lsp_variables(const struct lsp_text *, lsp_declared_f *, void *ctx);

#endif
