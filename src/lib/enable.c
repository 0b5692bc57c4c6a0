/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Programs meet probes: matching, listing, and the list of what dtrace_go() is to bring to life. It also owns
 * the life of struct dt_trace: a handle has one from dtrace_open() to dtrace_close(), and dtrace_go() fills
 * it.
 */
#include "lib/entry.h"
#include "lib/trace.h"

#include "provider/provider.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

void dt_trace_new(struct dtrace_hdl *h)
{
	struct dt_trace *t = DT_NEW(h->arena, struct dt_trace);

	t->arena = dt_arena_under(h->arena);
	dt_probes_init(&t->probes, t->arena, h->types);
	t->begin = t->end = UINT32_MAX;
	h->trace = t;
}

/*
 * The order is fixed: whatever reads a session goes before the session, the session before its image. After
 * this the trace is as before dtrace_go(), apart from its arena.
 */
void dt_trace_clear(struct dt_trace *t)
{
	dt_later_end(t);
	dt_consumer_free(t->consumer);
	dt_trace_containers_end(t);
	dt_session_close(t->session);
	dt_image_free(t->image);
	for (size_t i = 0; i < t->grafts.n; i++)
		dt_image_free(t->grafts.v[i]);
	dt_sink_close(t->sink);
	if (t->ctlfd > 0) {
		close(t->ctlfd);
		close(t->timerfd);
	}
	dt_flows_free(&t->flows);
	dt_out_free(&t->out);
	free(t->edescs);
	t->edescs = NULL;
	t->nedescs = 0;
	t->sink = NULL;
	t->consumer = NULL;
	t->session = NULL;
	t->image = NULL;
	t->grafts.n = 0;
	t->begin = t->end = UINT32_MAX;
	t->state = DT_TRACE_IDLE;
}

/* Frees everything; the struct itself is in the handle's arena. */
void dt_trace_free(struct dt_trace *t)
{
	if (t == NULL)
		return;
	dt_trace_clear(t);
	if (t->original > 0)
		close(t->original);
	dt_arena_free(t->textarena);
	dt_probes_fini(&t->probes);
	dt_arena_free(t->arena);
}

/* ---- enabling ---- */

struct enabling { struct dt_trace *t; const struct dt_ecb *ecb; const struct dt_prog *prog; };

/* Enablings are numbered in the order of the programs: the epid is the place in the list, from 1. */
static int enable_one(void *ctx, const struct dt_probe *p)
{
	struct enabling *e = ctx;
	struct dt_enabled en = { p, e->ecb, e->prog, (uint32_t)e->t->enabled.n + 1, NULL };

	dt_vec_push(e->t->arena, &e->t->enabled, en);
	return 0;
}

/* The description as the user wrote it, for messages. */
static const char *description_text(const struct dt_probedesc *d, char *buf, size_t len)
{
	if (d->id != 0)
		snprintf(buf, len, "%u", d->id);
	else
		snprintf(buf, len, "%s:%s:%s:%s", d->prov, d->mod, d->func, d->name);
	return buf;
}

/* A clause that matches nothing is an error, with the provider's reason and the nearest name. */
static int no_match(struct dtrace_hdl *h, const struct dt_probedesc *d, const char *why)
{
	char text[1024];

	why = dt_trace_reason(h, d, why);
	description_text(d, text, sizeof(text));
	return dt_handle_errorf(h, EDT_NOPROBE, "probe description %s does not match any probes%s%s", text,
	    why != NULL ? ": " : "", why != NULL ? why : "");
}

/* Collects the lines that the command tells once tracing has begun; each is told once. */
void dt_trace_note(struct dt_trace *t, const char *text)
{
	if (t->notice == NULL)
		t->notice = text;
	else if (strstr(t->notice, text) == NULL)
		t->notice = dt_arena_printf(t->arena, "%s\ndtrace: %s", t->notice, text);
}

/*
 * A description that names many probes may leave out some that cannot be traced: that is told, not an error.
 */
static void note_left_out(struct dt_trace *t, const struct dt_probedesc *d)
{
	const char *text = d->id == 0 ? dt_probes_left_out(&t->probes, d) : NULL;

	if (text != NULL)
		dt_trace_note(t, text);
}

/* Says what an empty name means where it means two things. */
static void note_nameless(struct dt_trace *t, const struct dt_probedesc *d)
{
	if (d->id != 0 || d->name[0] != '\0')
		return;
	for (const struct dt_provider_row *row = dt_providers; row->name != NULL; row++)
		if (row->nameless[0] != NULL && row->wants(&t->probes, d))
			dt_trace_note(t, dt_arena_printf(t->arena, "%s:%s:%s: means %s", d->prov, d->mod,
			    d->func, row->nameless[dt_part_literal(d->func)]));
}

/* Enables each clause on all probes it matches. Stops at the first error; the caller takes the rest back. */
static int enable_clauses(dtrace_hdl_t *h, dtrace_prog_t *p, unsigned *matches)
{
	bool zdefs = dt_options_on(&h->options, DT_OPT_zdefs) || (p->cflags & DTRACE_C_ZDEFS);
	struct dt_trace *t = h->trace;

	for (uint32_t i = 0; i < p->prog->necbs; i++) {
		struct enabling e = { t, &p->prog->ecbs[i], p->prog };
		const char *why = NULL;
		int n = dt_trace_match(h, &e.ecb->probe, enable_one, &e, &why);

		if (n < 0)
			return dt_handle_error(h, -n);
		if (n == 0 && !zdefs)
			return no_match(h, &e.ecb->probe, why);
		if (n > 0) {
			note_left_out(t, &e.ecb->probe);
			note_nameless(t, &e.ecb->probe);
		}
		*matches += (unsigned)n;
		dt_later_retain(t, e.ecb, p->prog, zdefs);
	}
	dt_vec_push(t->arena, &t->progs, p->prog);
	return 0;
}

static int try_enable(dtrace_hdl_t *h, dtrace_prog_t *p, unsigned *matches)
{
	DT_PUBLIC(h, -1, enable_clauses(h, p, matches));
}

/* All clauses or none: what was enabled before the one that fails is taken back. */
int dtrace_program_exec(dtrace_hdl_t *h, dtrace_prog_t *p, dtrace_proginfo_t *info)
{
	size_t enabled, retained;
	const char *notice;
	unsigned matches = 0;

	if (p == NULL)
		return dt_handle_error(h, EINVAL);
	if (h->trace->state != DT_TRACE_IDLE)
		return dt_handle_error(h, EDT_ACTIVE);
	enabled = h->trace->enabled.n;
	retained = h->trace->retained.n;
	notice = h->trace->notice;
	if (try_enable(h, p, &matches) != 0) {
		h->trace->enabled.n = enabled;
		h->trace->retained.n = retained;
		h->trace->notice = notice;
		return -1;
	}
	if (info != NULL) {
		dtrace_program_info(h, p, info);
		info->dpi_matches = matches;
	}
	return 0;
}

/* ---- listing ---- */

struct iteration { dtrace_hdl_t *h; dtrace_probe_f *f; void *arg; int rv; };

/* Callers of dtrace_probe_iter() may stop by returning something else than 0, which the iteration returns. */
static int visit_probe(void *ctx, const struct dt_probe *p)
{
	struct iteration *it = ctx;
	dtrace_probedesc_t d;

	dt_handle_desc(&d, p->id, p->prov, p->mod, p->func, p->name);
	it->rv = it->f(it->h, &d, it->arg);
	return it->rv != 0 ? -ECANCELED : 0;
}

/*
 * dtrace_probe_iter() behind its door. `listing` tells providers that probes are shown one by one, not
 * enabled.
 */
static int iterate_probes(dtrace_hdl_t *h, const dtrace_probedesc_t *pat, dtrace_probe_f *f, void *arg)
{
	struct dt_probedesc all = { "", "", "", "", 0 };
	struct iteration it = { h, f, arg, 0 };
	const char *why = NULL;
	int n;

	if (pat != NULL)
		all = (struct dt_probedesc){ pat->dtpd_provider, pat->dtpd_mod, pat->dtpd_func,
		    pat->dtpd_name, pat->dtpd_id };
	h->trace->probes.listing = true;
	n = dt_trace_match(h, &all, visit_probe, &it, &why);
	h->trace->probes.listing = false;
	if (it.rv != 0)
		return it.rv;
	if (n < 0)
		return dt_handle_error(h, -n);
	if (n == 0 && why != NULL)
		return dt_handle_errorf(h, EDT_NOPROBE, "No probe matches description: %s", why);
	return n == 0 ? dt_handle_error(h, EDT_NOPROBE) : 0;
}

int dtrace_probe_iter(dtrace_hdl_t *h, const dtrace_probedesc_t *pat, dtrace_probe_f *f, void *arg)
{
	DT_PUBLIC(h, -1, iterate_probes(h, pat, f, arg));
}

/* Ids are those given out so far: listing or enabling a probe gives it one. */
int dtrace_id2desc(dtrace_hdl_t *h, dtrace_id_t id, dtrace_probedesc_t *d)
{
	const struct dt_probe *p = dt_probes_by_id(&h->trace->probes, id);

	if (d == NULL)
		return dt_handle_error(h, EINVAL);
	if (p == NULL)
		return dt_handle_error(h, EDT_BADID);
	dt_handle_desc(d, p->id, p->prov, p->mod, p->func, p->name);
	return 0;
}
