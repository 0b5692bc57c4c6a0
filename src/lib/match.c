/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A description in, the probes it matches out; where it matches none, a sentence that says why, and what may
 * have been meant. The compiler asks here for each clause, and so does enabling.
 */
#include "base/count.h"
#include "lib/trace.h"

#include "lib/errors.h"
#include "provider/provider.h"

#include <errno.h>

/* Options that change what providers offer are handed over with each question. */
int dt_trace_match(struct dtrace_hdl *h, const struct dt_probedesc *d, dt_probe_f *f, void *ctx,
    const char **why)
{
	struct dt_trace *t = h->trace;

	t->probes.follow = dt_options_on(&h->options, DT_OPT_follow);
	t->probes.uretprobe = dt_options_on(&h->options, DT_OPT_uretprobe);
	return dt_probes_match(&t->probes, d, f, ctx, why);
}

/* ---- what may have been meant ---- */

/*
 * Kinds of probes as bpftrace calls them: its users write them where the provider, module or function stands.
 */
static const char *other_kind(const struct dt_probedesc *d)
{
	static const struct { const char *theirs, *why; } rows[] = {
		{ "tracepoint", "tracepoints are sdt:GROUP::NAME, and system calls syscall::NAME:entry" },
		{ "kprobe", "functions of the kernel are fbt::FUNCTION:entry" },
		{ "kretprobe", "functions of the kernel are fbt::FUNCTION:return" },
		{ "uprobe", "functions of a process are pid$target:MODULE:FUNCTION:entry" },
		{ "uretprobe", "functions of a process are pid$target:MODULE:FUNCTION:return" },
		{ "usdt", "static probes of a process are PROVIDER$target:MODULE::NAME" },
		{ "interval", "what fires at intervals is tick-1s, tick-100ms" },
		{ "rawtracepoint", "raw tracepoints are rawtp:::NAME" },
		{ "software", "events that are counted are cpc:::" },
		{ "hardware", "events that are counted are cpc:::" },
	};

	for (size_t i = 0; i < DT_COUNT(rows); i++)
		if (strcmp(d->prov, rows[i].theirs) == 0 || strcmp(d->mod, rows[i].theirs) == 0 ||
		    strcmp(d->func, rows[i].theirs) == 0)
			return rows[i].why;
	return NULL;
}

/* profile:hz:99 of bpftrace is profile-99 here, interval:ms:10 is tick-10ms. */
static const char *interval_of(struct dtrace_hdl *h, const struct dt_probedesc *d)
{
	static const char *const units[] = { "hz", "s", "ms", "us" };
	const char *kind = d->mod[0] != '\0' ? d->mod : d->prov;

	if (strcmp(kind, "profile") != 0 && strcmp(kind, "interval") != 0)
		return NULL;
	for (size_t i = 0; i < DT_COUNT(units); i++)
		if (strcmp(d->func, units[i]) == 0)
			return dt_arena_printf(h->trace->arena, "did you mean %s-%s%s?",
			    kind[0] == 'p' ? "profile" : "tick", d->name, units[i]);
	return NULL;
}

/* One match is enough. */
static int stop_at_first(void *ctx, const struct dt_probe *p)
{
	(void)ctx, (void)p;
	return -ECANCELED;
}

static bool any_match(struct dtrace_hdl *h, const struct dt_probedesc *d)
{
	return dt_trace_match(h, d, stop_at_first, NULL, NULL) == -ECANCELED;
}

/*
 * syscall:openat:entry lacks a colon. Parts are counted from the right, so the provider landed in a later
 * part. Returns the description with the colon, if it matches something.
 */
static const char *with_missing_colon(struct dtrace_hdl *h, const struct dt_probedesc *d)
{
	struct dt_probedesc with = *d;

	if (d->prov[0] != '\0')
		return NULL;
	if (d->mod[0] != '\0' && dt_provider_find(d->mod) != NULL) {
		with.prov = d->mod;
		with.mod = "";
	} else if (d->func[0] != '\0' && d->mod[0] == '\0' && dt_provider_find(d->func) != NULL) {
		with.prov = d->func;
		with.func = "";
	} else {
		return NULL;
	}
	if (!any_match(h, &with))
		return NULL;
	return dt_arena_printf(h->trace->arena, "%s:%s:%s:%s", with.prov, with.mod, with.func, with.name);
}

/* Empty parts at the front need not be written. */
static const char *without_colons(const char *text)
{
	return text + strspn(text, ":");
}

struct offering { struct dt_near near; bool func; };

static int offer_name(void *ctx, const struct dt_probe *p)
{
	struct offering *o = ctx;

	dt_near_offer(&o->near, o->func ? p->func : p->name);
	return 0;
}

/* The one part that is misspelt: with all the others, some probe has to match. */
static const char *nearest_name(struct dtrace_hdl *h, const struct dt_probedesc *d, bool func)
{
	const char *part = func ? d->func : d->name;
	struct dt_probedesc without = *d;
	struct offering o = { .func = func };

	if (!dt_part_literal(part))
		return NULL;
	if (func)
		without.func = "";
	else
		without.name = "";
	dt_near_init(&o.near, part);
	dt_trace_match(h, &without, offer_name, &o, NULL);
	if (o.near.best == NULL)
		return NULL;
	return dt_arena_printf(h->trace->arena, "%s:%s:%s:%s", d->prov, d->mod, func ? o.near.best : d->func,
	    func ? d->name : o.near.best);
}

/*
 * What may have been meant, or NULL. Providers that are asked each time suggest names themselves, and a
 * provider that does not exist has none.
 */
static const char *what_was_meant(struct dtrace_hdl *h, const struct dt_probedesc *d)
{
	const struct dt_provider_row *row = d->prov[0] != '\0' ? dt_provider_find(d->prov) : NULL;
	const char *text = with_missing_colon(h, d);

	if (text != NULL || (row != NULL && row->wants != NULL))
		return text;
	if (row == NULL && !(d->prov[0] == '\0' && d->mod[0] == '\0' && d->func[0] == '\0'))
		return NULL;
	text = nearest_name(h, d, false);
	return text != NULL || d->func[0] == '\0' ? text : nearest_name(h, d, true);
}

/* The best sentence there is: another tracer's word, the provider's reason, what may have been meant. */
const char *dt_trace_reason(struct dtrace_hdl *h, const struct dt_probedesc *d, const char *why)
{
	const char *other = d->id == 0 ? interval_of(h, d) : NULL, *text;

	if (other == NULL && d->id == 0)
		other = other_kind(d);
	if (other != NULL)
		return other;
	if (d->id != 0 || (why != NULL && strstr(why, "did you mean") != NULL))
		return why;
	text = what_was_meant(h, d);
	if (text == NULL)
		return why;
	return dt_arena_printf(h->trace->arena, "%s%sdid you mean %s?", why != NULL ? why : "",
	    why != NULL ? "; " : "",
	    without_colons(text));
}

/* ---- for the compiler ---- */

struct telling { dt_pdesc_f *f; void *ctx; };

static int tell_compiler(void *ctx, const struct dt_probe *p)
{
	struct telling *t = ctx;
	struct dt_pdesc d = { .prov = p->prov, .mod = p->mod, .func = p->func, .name = p->name };

	return t->f != NULL && t->f(t->ctx, &d) ? 0 : -ECANCELED;
}

/*
 * The compiler asks whether a description matches, and sees each probe until it has seen enough (f returns
 * false).
 */
bool dt_trace_described(void *hdl, const struct dt_pdesc *p, dt_pdesc_f *f, void *ctx, const char **why,
    enum dt_tag *tag)
{
	struct dtrace_hdl *h = hdl;
	struct dt_probedesc d = { p->prov, p->mod, p->func, p->name, p->id };
	struct telling t = { f, ctx };
	const char *reason = NULL;
	int n = dt_trace_match(h, &d, tell_compiler, &t, &reason);

	if (n > 0 || n == -ECANCELED)
		return true;
	if (tag != NULL)
		*tag = h->trace != NULL ? h->trace->probes.tag : D_PDESC_ZERO;
	if (why != NULL)
		*why = n < 0 ? dt_error_text(-n) : dt_trace_reason(h, &d, reason);
	return false;
}
