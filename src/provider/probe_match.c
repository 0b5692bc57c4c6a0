/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Finds the probes of a description. Providers are asked in the order of their table, and only those that
 * can have what is wanted; then all probes are compared with the description.
 */
#include "provider/probe.h"
#include "base/count.h"
#include "base/glob.h"
#include "provider/derived.h"
#include "provider/objects.h"
#include "provider/provider.h"

/* ---- asking providers ---- */

static int make_listed(struct dt_probes *p, const struct dt_provider *row)
{
	const char *why;
	int err;

	if (dt_map_get(&p->provided, row->name) != NULL)
		return 0;
	dt_map_put(&p->provided, row->name, (void *)(uintptr_t)row);
	p->making_list = true;
	err = row->provide(p, row, NULL, &why);
	p->making_list = false;
	return err;
}

static bool row_may_match(const struct dt_provider *row, const struct dt_probedesc *d)
{
	/* a row that wants to be asked each time lists nothing */
	if (row->wants != NULL || (d->prov[0] != '\0' && !dt_glob_match(d->prov, row->name)))
		return false;
	return row->may_match == NULL || row->may_match(row, d);
}

/* The last row that can have a probe of the description decides how far the table is filled. */
static int make_for(struct dt_probes *p, const struct dt_probedesc *d)
{
	const struct dt_provider *const *last = NULL, *const *at;
	int err = 0;

	for (at = dt_providers; *at != NULL; at++)
		if (row_may_match(*at, d))
			last = at;
	for (at = dt_providers; last != NULL && at <= last && err == 0; at++)
		err = make_listed(p, *at);
	return err;
}

/* Nothing matched: creates the probe on demand, or finds the reason. */
static int make_wanted(struct dt_probes *p, const struct dt_probedesc *d, const char **why)
{
	const struct dt_provider *row = dt_part_literal(d->prov) ? dt_provider_find(d->prov) : NULL;
	int err = 0;

	if (row != NULL || dt_part_literal(d->prov))
		return row != NULL ? row->provide(p, row, d, why) : 0;
	for (const struct dt_provider *const *at = dt_providers; (row = *at) != NULL && err == 0; at++)
		if (row_may_match(row, d))
			err = row->provide(p, row, d, why);
	return err;
}

/*
 * A process may have changed since it was last examined, and a pattern may mean more than what was
 * created before.
 */
static int ask_always(struct dt_probes *p, const struct dt_probedesc *d, const char **why)
{
	int err = 0;

	for (const struct dt_provider *const *at = dt_providers, *row; (row = *at) != NULL && err == 0; at++)
		if (row->wants != NULL && row->wants(p, d))
			err = row->provide(p, row, d, why);
	return err;
}

/* ---- matching ---- */

struct pattern {			/* one part of a description */
	const char *text;
	enum { ANY, LITERAL, GLOB } kind;
};

static struct pattern pattern_of(const char *part)
{
	struct pattern p = { part, GLOB };

	if (part[0] == '\0' || strcmp(part, "*") == 0)
		p.kind = ANY;
	else if (dt_part_literal(part))
		p.kind = LITERAL;
	return p;
}

static bool part_matches(const struct pattern *p, const char *text)
{
	if (p->kind == ANY)
		return true;
	return p->kind == LITERAL ? strcmp(p->text, text) == 0 : dt_glob_match(p->text, text);
}

static bool func_matches(const struct pattern *p, const struct dt_probe *probe)
{
	return part_matches(p, probe->func) || (probe->alt != NULL && part_matches(p, probe->alt));
}

/* Modules of processes have several names, which their provider has compared. */
static bool mod_matches(const struct pattern *p, const struct dt_probe *probe)
{
	return part_matches(p, probe->mod) ||
	    (probe->loaded != NULL && dt_loaded_named(probe->loaded, p->text));
}

/*
 * If a static probe exists both for all processes and for a single one, a pattern means the first, a
 * listing the second.
 */
static bool prov_matches(const struct dt_probes *p, const struct pattern *prov, const struct dt_probe *probe)
{
	if (!part_matches(prov, probe->prov))
		return false;
	if (p->listing)
		return !probe->every;
	return probe->base == NULL || !part_matches(prov, probe->base);
}

/* A description whose parts have been looked at once. */
struct matching {
	struct dt_probes *p;
	struct pattern prov, mod, func, name;
	dt_probe_f *f;
	void *ctx;
	int n;				/* how many have matched */
};

/* Returns a negative errno when f ends the walk. */
static int match_probe(struct matching *m, const struct dt_probe *probe)
{
	int err;

	if (!part_matches(&m->name, probe->name) || !func_matches(&m->func, probe) ||
	    !prov_matches(m->p, &m->prov, probe) || !mod_matches(&m->mod, probe))
		return 0;
	m->n++;
	err = m->f(m->ctx, probe);
	return err < 0 ? err : -err;
}

/*
 * Listed probes by number from `listed` on, then the others from `named` on. f may create more, which the
 * walk meets too.
 */
static int match_from(struct dt_probes *p, size_t listed, size_t named, const struct dt_probedesc *d,
    dt_probe_f *f, void *ctx)
{
	struct matching m = { p, pattern_of(d->prov), pattern_of(d->mod), pattern_of(d->func),
		pattern_of(d->name), f, ctx, 0 };
	int err = 0;

	for (; listed < p->listed.n && err == 0; listed++)
		err = match_probe(&m, p->listed.v[listed]);
	for (; named < p->named.n && err == 0; named++)
		err = match_probe(&m, p->named.v[named]);
	return err != 0 ? err : m.n;
}

/* Creates the static probes of all processes: each in its process, as a listing shows them, or shared. */
static int make_static(struct dt_probes *p, bool listing)
{
	static const struct dt_probedesc all = { "", "", "", "", 0 };
	const char *why = NULL;
	bool before = p->listing;
	int err = 0;

	p->listing = listing;
	for (const struct dt_provider *const *at = dt_providers, *row; (row = *at) != NULL && err == 0; at++)
		if (row->look != NULL)
			err = row->provide(p, row, &all, &why);
	p->listing = before;
	return err;
}

/* Fills the table until it has the number. */
static int make_number(struct dt_probes *p, uint32_t id)
{
	int err = 0;

	for (const struct dt_provider *const *at = dt_providers, *row; (row = *at) != NULL && err == 0; at++)
		if (id < DT_PROBE_FIRST_NAMED && dt_probes_by_id(p, id) == NULL)
			err = make_listed(p, row);
	for (int listing = 1; listing >= 0 && err == 0 && id >= DT_PROBE_FIRST_NAMED; listing--)
		if (dt_probes_by_id(p, id) == NULL)
			err = make_static(p, listing);
	return err;
}

static int match_id(struct dt_probes *p, uint32_t id, dt_probe_f *f, void *ctx, const char **why)
{
	int err = make_number(p, id);
	const struct dt_probe *probe = dt_probes_by_id(p, id);

	if (err == 0 && probe != NULL) {
		err = f(ctx, probe);
		return err == 0 ? 1 : err < 0 ? err : -err;
	}
	if (err == 0 && why != NULL && id >= DT_PROBE_FIRST_NAMED)
		*why = "no running process has a static probe of this number, and probes of pid, profile "
		       "and the like have one only while they are enabled: write the name instead";
	return err;
}

/* One description, after its providers have made what it may name. */
static int match_named(struct dt_probes *p, const struct dt_probedesc *d, dt_probe_f *f, void *ctx,
    const char **reason)
{
	size_t listed, named;
	int n = make_for(p, d);

	if (n < 0)
		return n;
	listed = p->listed.n;
	named = p->named.n;
	n = ask_always(p, d, reason);
	if (n < 0)
		return n;
	n = match_from(p, 0, 0, d, f, ctx);
	if (n != 0)
		return n;
	/* that no process has a provider c* does not mean that cpc cannot create what is named */
	n = *reason == NULL || !dt_part_literal(d->prov) ? make_wanted(p, d, reason) : 0;
	return n < 0 ? n : match_from(p, listed, named, d, f, ctx);
}

/* -x replay: the events of the file in place of the kernel's and of processes. */
static int match_replayed(struct dt_probes *p, const struct dt_probedesc *d, dt_probe_f *f, void *ctx,
    const char **reason)
{
	static const struct dt_provider *const rows[] = { &dt_provider_dtrace, &dt_provider_profile,
		&dt_provider_replay };
	int err = 0, n;

	for (size_t i = 0; i < DT_COUNT(rows) && err == 0; i++)
		err = make_listed(p, rows[i]);
	n = err == 0 ? match_from(p, 0, 0, d, f, ctx) : err;
	if (n != 0)
		return n;
	/* tick-7ms and the like are made when they are named */
	if (d->prov[0] == '\0' || strcmp(d->prov, "profile") == 0 || strcmp(d->prov, "tick") == 0)
		err = dt_provider_profile.provide(p, &dt_provider_profile, d, reason);
	n = err == 0 ? match_from(p, 0, 0, d, f, ctx) : err;
	if (n == 0)
		(void)dt_provider_replay.provide(p, &dt_provider_replay, d, reason);
	return n;
}

int dt_probes_match(struct dt_probes *p, const struct dt_probedesc *desc, dt_probe_f *f, void *ctx,
    const char **why)
{
	struct dt_probedesc d = *desc, now;
	const char *reason = NULL, *unused = NULL;
	int n;

	p->tag = D_PDESC_ZERO;
	p->making_list = false;		/* lack of memory may have ended a provider early */
	p->by_history = false;
	if (why != NULL)
		*why = NULL;
	if (d.id != 0)
		return match_id(p, d.id, f, ctx, why);
	if (strcmp(d.mod, "kernel") == 0)
		d.mod = "vmlinux";
	d.prov = dt_history_provider(d.prov);
	if (p->events != NULL) {
		n = match_replayed(p, &d, f, ctx, &reason);
		if (n == 0 && why != NULL)
			*why = reason;
		return n;
	}
	n = match_named(p, &d, f, ctx, &reason);
	if (n == 0 && dt_history_now(&d, &now)) {
		n = match_named(p, &now, f, ctx, &unused);
		p->by_history = n > 0;
	}
	if (n == 0 && why != NULL)
		*why = reason;
	return n;
}

int dt_probes_there(struct dt_probes *p, uint32_t from, const struct dt_probedesc *d, dt_probe_f *f,
    void *ctx)
{
	return match_from(p, from != 0 ? p->listed.n : 0, from, d, f, ctx);
}

const char *dt_probes_left_out(struct dt_probes *p, const struct dt_probedesc *want)
{
	const struct dt_provider *row = dt_part_literal(want->prov) ? dt_provider_find(want->prov) : NULL;

	if (row == NULL || row->derived == NULL || dt_part_literal(want->name) || dt_part_literal(want->mod))
		return NULL;
	return dt_derived_left_out(p, row, want);
}
