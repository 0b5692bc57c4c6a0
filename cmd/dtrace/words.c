/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * --list and -x help: the rows of a list (dtrace_word_iter()) sorted by name, in columns. What Linux does
 * not have comes last. Columns are separated by two blanks or more.
 */
#include "words.h"

#include <ctype.h>
#include <fnmatch.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS_MAX = 1024, FORM_MAX = 46 };

struct row { char *name, *form, *deflt, *scope, *doc; int here; };

struct table {
	struct row row[ROWS_MAX];
	size_t n;
	int width;			/* of the first column */
	bool options, full;
	char *const *patterns;
	int npatterns;
};

static bool wanted(const struct table *t, const char *name)
{
	bool yes = t->npatterns == 0;

	for (int i = 0; i < t->npatterns && !yes; i++)
		yes = fnmatch(t->patterns[i], name, 0) == 0;
	return yes;
}

/* One sentence or more; after it what limits it: a range, or the flag that it needs. */
static char *doc_of(const dtrace_word_t *word, bool options)
{
	const char *doc = word->dtw_doc, *range = options ? word->dtw_range : "";
	const char *flag = options ? "" : word->dtw_scope;
	size_t len = strlen(doc);
	char *text;

	if (asprintf(&text, "%s%s%s%s%s%s%s", doc, *range ? " (" : "", range, *range ? ")" : "",
	    len > 0 && doc[len - 1] == '.' ? "" : ".", *flag ? " Needs " : "", flag) < 0)
		return NULL;
	*text = (char)toupper((unsigned char)*text);
	return text;
}

/* The texts are the library's only for as long as this runs. */
static int take_row(dtrace_hdl_t *dtp, const dtrace_word_t *word, void *arg)
{
	struct table *t = arg;
	int len = (int)strlen(word->dtw_form);

	(void)dtp;
	if (!wanted(t, word->dtw_name))
		return 0;
	if (t->n == ROWS_MAX) {
		t->full = true;
		return 1;
	}
	t->row[t->n++] = (struct row){ strdup(word->dtw_name), strdup(word->dtw_form),
		strdup(word->dtw_default), strdup(word->dtw_scope), doc_of(word, t->options),
		word->dtw_here };
	if (len > t->width && len <= FORM_MAX)
		t->width = len;
	return 0;
}

static int by_name(const void *a, const void *b)
{
	const struct row *x = a, *y = b;

	return x->here != y->here ? y->here - x->here : strcmp(x->name, y->name);
}

/* A form that is wider than the column stands on a line of its own. */
static void put_row(FILE *out, const struct table *t, const struct row *r)
{
	bool wide = (int)strlen(r->form) > t->width;

	if (wide)
		fprintf(out, "%s\n", r->form);
	fprintf(out, "%-*s  ", t->width, wide ? "" : r->form);
	if (t->options)
		fprintf(out, "%-8s  %-8s  ", *r->deflt ? r->deflt : "-", r->scope);
	fprintf(out, "%s%s\n", r->here || t->options ? "" : "Not on Linux: ", r->doc);
}

static int put_table(FILE *out, struct table *t)
{
	bool whole = !t->full;

	for (const struct row *r = t->row; r < t->row + t->n; r++)
		whole = whole && r->name && r->form && r->deflt && r->scope && r->doc;
	if (!whole) {
		fprintf(stderr, "dtrace: out of memory\n");
		return 1;
	}
	qsort(t->row, t->n, sizeof(t->row[0]), by_name);
	if (t->options)
		fprintf(out, "%-*s  %-8s  %-8s  %s\n", t->width, "OPTION", "DEFAULT", "SET", "WHAT IT IS");
	for (size_t i = 0; i < t->n; i++)
		put_row(out, t, &t->row[i]);
	return 0;
}

static void free_table(struct table *t)
{
	for (size_t i = 0; i < t->n; i++) {
		free(t->row[i].name);
		free(t->row[i].form);
		free(t->row[i].deflt);
		free(t->row[i].scope);
		free(t->row[i].doc);
	}
	free(t);
}

/* The status of a list that the library has gone through. */
static int show(FILE *out, struct table *t, const char *list)
{
	if (t->n == 0) {
		fprintf(stderr, "dtrace: none of the %s is called %s\n", list, t->patterns[0]);
		return 1;
	}
	return put_table(out, t);
}

int words(FILE *out, const char *list, char *const *patterns, int npatterns)
{
	struct table *t = calloc(1, sizeof(*t));
	int err = EDT_NOMEM, status = 2;
	dtrace_hdl_t *dtp = t ? dtrace_open(DTRACE_VERSION, DTRACE_O_NODEV, &err) : NULL;

	if (!dtp) {
		fprintf(stderr, "dtrace: failed to initialize dtrace: %s\n", dtrace_errmsg(NULL, err));
		free(t);
		return 1;
	}
	t->options = strcmp(list, "options") == 0;
	t->patterns = patterns;
	t->npatterns = npatterns;
	if (dtrace_word_iter(dtp, list, take_row, t) < 0)
		fprintf(stderr, "dtrace: %s\n", dtrace_errmsg(dtp, dtrace_errno(dtp)));
	else
		status = show(out, t, list);
	free_table(t);
	dtrace_close(dtp);
	return status;
}
