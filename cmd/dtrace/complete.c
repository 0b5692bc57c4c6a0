/* SPDX-License-Identifier: BSD-2-Clause */
/* See complete.h. */
#include "complete.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/*
 * What the last part can become. Neighbours are mostly equal: they are kept once, the rest is sorted out
 * later.
 */
struct ways { int part; char **text; size_t n, room; };

static const char *part_of(const dtrace_probedesc_t *d, int part)
{
	switch (part) {
	case 0: return d->dtpd_provider;
	case 1: return d->dtpd_mod;
	case 2: return d->dtpd_func;
	default: return d->dtpd_name;
	}
}

static int take_probe(dtrace_hdl_t *dtp, const dtrace_probedesc_t *d, void *arg)
{
	const char *text = part_of(d, ((struct ways *)arg)->part);
	struct ways *w = arg;

	(void)dtp;
	if (w->n > 0 && strcmp(w->text[w->n - 1], text) == 0)
		return 0;
	if (w->n == w->room) {
		char **more = realloc(w->text, (w->room = 2 * w->room + 64) * sizeof(*more));

		if (more == NULL)
			return 1;
		w->text = more;
	}
	if ((w->text[w->n] = strdup(text)) == NULL)
		return 1;
	w->n++;
	return 0;
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Those that fit are written with what stands before them. */
static void put_ways(struct ways *w, const char *before, int len, const char *after, FILE *out)
{
	if (w->n > 1)
		qsort(w->text, w->n, sizeof(*w->text), by_text);
	for (size_t i = 0; i < w->n; i++)
		if (i == 0 || strcmp(w->text[i], w->text[i - 1]) != 0)
			fprintf(out, "%.*s%s%s\n", len, before, w->text[i], after);
	for (size_t i = 0; i < w->n; i++)
		free(w->text[i]);
	free(w->text);
}

/*
 * Matches what is there, and anything behind it; *part is the last part that is there. False: there are
 * more than four.
 */
static bool describe(const char *text, dtrace_probedesc_t *d, int *part)
{
	char *const parts[] = { d->dtpd_provider, d->dtpd_mod, d->dtpd_func, d->dtpd_name };
	static const size_t sizes[] = { sizeof(d->dtpd_provider), sizeof(d->dtpd_mod), sizeof(d->dtpd_func),
		sizeof(d->dtpd_name) };

	*d = (dtrace_probedesc_t){ 0 };
	for (*part = 0; *part < 4; ++*part) {
		size_t len = strcspn(text, ":");
		bool last = text[len] == '\0';

		if (snprintf(parts[*part], sizes[*part], "%.*s%s", (int)len, text, last ? "*" : "") >=
		    (int)sizes[*part])
			return false;
		if (last)
			return true;
		text += len + 1;
	}
	return false;
}

/* A description without a colon may also be one of the names that are used alone: BEGIN, END. */
static int put_all(dtrace_hdl_t *dtp, const char *description, FILE *out)
{
	const char *colon = strrchr(description, ':');
	int len = colon != NULL ? (int)(colon + 1 - description) : 0;
	struct ways names = { .part = 3 }, ways = { 0 };
	dtrace_probedesc_t d, alone = { .dtpd_provider = "dtrace" };

	if (!describe(description, &d, &ways.part))
		return 1;
	(void)dtrace_probe_iter(dtp, &d, take_probe, &ways);
	put_ways(&ways, description, len, ways.part < 3 ? ":" : "", out);
	if (len == 0) {
		snprintf(alone.dtpd_name, sizeof(alone.dtpd_name), "%s", d.dtpd_provider);
		(void)dtrace_probe_iter(dtp, &alone, take_probe, &names);
		put_ways(&names, "", 0, "", out);
	}
	return 0;
}

/* Whoever may not trace gets no probes; the shell shows no message. */
int complete(const char *description, FILE *out)
{
	int err, status;
	dtrace_hdl_t *dtp = dtrace_open(DTRACE_VERSION, 0, &err);

	if (dtp == NULL) {
		fprintf(stderr, "dtrace: failed to initialize dtrace: %s\n", dtrace_errmsg(NULL, err));
		return 1;
	}
	status = put_all(dtp, description, out);
	dtrace_close(dtp);
	return status;
}
