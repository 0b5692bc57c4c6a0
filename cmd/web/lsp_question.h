/* SPDX-License-Identifier: BSD-2-Clause */
/* A question of an editor, while a worker answers it (lsp_answers.c, lsp_offers.c). */
#ifndef DT_CMD_WEB_LSP_QUESTION_H
#define DT_CMD_WEB_LSP_QUESTION_H

#include "lsp_text.h"
#include "web_args.h"

#include <dtrace.h>

struct question {
	const struct args *w;
	dtrace_hdl_t *dtp;		/* NULL: there is none */
	const char *uri;		/* of the text */
	struct lsp_text text;
	size_t at;			/* the place that is asked about */
	size_t from, to;		/* what stands there */
	unsigned n;			/* written so far */
	const char *list;		/* of words, while it is walked */
	char *name;			/* that is looked for */
	bool member;			/* it is one of a struct */
	bool found;
};

/* The name at the place becomes what the question is about. */
bool lsp_find_word(struct question *);

/* A walk over declarations that ends with the one whose name is looked for. */
struct lsp_search { struct question *q; const struct lsp_text *of; struct lsp_declared found; };
bool lsp_is_wanted(void *search, const struct lsp_declared *);

/* The parts of a description of probes, the last one as its beginning if more may follow (open). */
bool lsp_pattern(const char *text, size_t len, dtrace_hdl_t *, bool open, dtrace_probedesc_t *);

int lsp_complete(struct question *);
int lsp_hover(struct question *);

#endif
