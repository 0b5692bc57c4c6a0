/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The table of probes and the matching of descriptions. Providers are asked in the order of their
 * table, and only those that can have what is wanted. The number of a probe is its place in the list
 * and never changes.
 */
#include "provider/probe.h"
#include "base/clean.h"
#include "base/glob.h"
#include "provider/objects.h"
#include "provider/provider.h"
#include "symbol/reader.h"

#include <errno.h>

bool dt_part_literal(const char *part)
{
	return part[0] != '\0' && strpbrk(part, "*?[\\") == NULL;
}

bool dt_part_matches_empty(const char *part)
{
	return part[strspn(part, "*")] == '\0';
}

void dt_probes_init(struct dt_probes *p, struct dt_arena *arena, struct dt_types *types)
{
	*p = (struct dt_probes){ .arena = arena, .types = types };
	dt_map_init(&p->by_name, arena);
	dt_map_init(&p->provided, arena);
	dt_map_init(&p->walked, arena);
}

void dt_probes_fini(struct dt_probes *p)
{
	dt_objects_close(p->objects);
	p->objects = NULL;
	dt_reader_free(p->reader);
	p->reader = NULL;
	dt_probes_typed(p);
}

void dt_probes_typed(struct dt_probes *p)
{
	dt_reader_free(p->dwarf_reader);
	p->dwarf_reader = NULL;
}

struct dt_probe *dt_probes_add(struct dt_probes *p, const struct dt_provider_row *row, const char *mod,
    const char *func, const char *name, const struct dt_hook *hook)
{
	return dt_probes_add_as(p, row, row->name, mod, func, name, hook);
}

/*
 * Consecutive probes mostly share their module, and entry and return share the function: texts are
 * copied once.
 */
static const char *copied(struct dt_probes *p, const char *text, size_t len)
{
	const struct dt_probe *last = p->list.n > 0 ? p->list.v[p->list.n - 1] : NULL;

	if (last != NULL && strcmp(last->mod, text) == 0)
		return last->mod;
	if (last != NULL && strcmp(last->func, text) == 0)
		return last->func;
	return dt_arena_strndup(p->arena, text, len);
}

struct dt_probe *dt_probes_add_as(struct dt_probes *p, const struct dt_provider_row *row, const char *prov,
    const char *mod, const char *func, const char *name, const struct dt_hook *hook)
{
	size_t lp = strlen(prov), lm = strlen(mod), lf = strlen(func), ln = strlen(name);
	char *key = dt_arena_alloc(p->arena, lp + lm + lf + ln + 4);
	struct dt_probe *probe;

	memcpy(key, prov, lp);
	key[lp] = ':';
	memcpy(key + lp + 1, mod, lm);
	key[lp + lm + 1] = ':';
	memcpy(key + lp + lm + 2, func, lf);
	key[lp + lm + lf + 2] = ':';
	memcpy(key + lp + lm + lf + 3, name, ln + 1);
	if (prov != row->name && dt_clean(key)) {	/* processes name theirs as they like */
		key[lp] = key[lp + lm + 1] = key[lp + lm + lf + 2] = '\0';
		return dt_probes_add_as(p, row, key, key + lp + 1, key + lp + lm + 2, key + lp + lm + lf + 3,
		    hook);
	}
	probe = dt_map_get(&p->by_name, key);
	if (probe != NULL)
		return probe;
	probe = DT_NEW(p->arena, struct dt_probe);
	probe->prov = prov == row->name ? prov : dt_arena_strndup(p->arena, prov, lp);
	probe->mod = copied(p, mod, lm);
	probe->func = copied(p, func, lf);
	probe->name = key + lp + lm + lf + 3;	/* ends with the key */
	probe->row = row;
	probe->hook = *hook;
	dt_vec_push(p->arena, &p->list, probe);
	probe->id = (uint32_t)p->list.n;
	dt_map_put(&p->by_name, key, probe);
	return probe;
}

static bool same_place(const struct dt_hook *a, const struct dt_hook *b)
{
	return a->kind == b->kind && a->offset == b->offset && a->pid == b->pid &&
	    strcmp(a->target, b->target) == 0;
}

void dt_probe_also(struct dt_probes *p, struct dt_probe *probe, const struct dt_hook *hook)
{
	struct dt_hook *last = &probe->hook, *copy;

	for (; !same_place(last, hook); last = (struct dt_hook *)(uintptr_t)last->next) {
		if (last->next != NULL)
			continue;
		copy = DT_NEW(p->arena, struct dt_hook);
		*copy = *hook;
		last->next = copy;
	}
}

uint32_t dt_hook_nargs(struct dt_types *types, const struct dt_hook *hook)
{
	struct dt_arena *arena;
	struct dt_probe_sig *sig;
	uint32_t n = 12;

	if (hook->kind != DT_HOOK_RAWTP || types == NULL ||
	    (arena = dt_arena_under(dt_types_arena(types))) == NULL)
		return n;
	sig = dt_tracepoint_signature(arena, types,
	    &(struct dt_probedesc){ "rawtp", "", "", hook->target, 0 });
	if (sig != NULL && sig->nin < n)
		n = sig->nin;
	dt_arena_free(arena);
	return n;
}

/* ---- asking providers ---- */

static int make_listed(struct dt_probes *p, const struct dt_provider_row *row)
{
	const char *why;

	if (row->provide == NULL || dt_map_get(&p->provided, row->name) != NULL)
		return 0;
	dt_map_put(&p->provided, row->name, (void *)(uintptr_t)row);
	return row->provide(p, row, NULL, &why);
}

static bool row_may_match(const struct dt_provider_row *row, const struct dt_probedesc *d)
{
	/* a row that wants to be asked each time lists nothing */
	if (row->provide == NULL || row->wants != NULL ||
	    (d->prov[0] != '\0' && !dt_glob_match(d->prov, row->name)))
		return false;
	return row->may_match == NULL || row->may_match(row, d);
}

/* The last row that can have a probe of the description decides how far the table is filled. */
static int make_for(struct dt_probes *p, const struct dt_probedesc *d)
{
	const struct dt_provider_row *last = NULL;
	int err = 0;

	for (const struct dt_provider_row *row = dt_providers; row->name != NULL; row++) {
		if (row_may_match(row, d))
			last = row;
	}
	for (const struct dt_provider_row *row = dt_providers; last != NULL && row <= last && err == 0; row++)
		err = make_listed(p, row);
	return err;
}

/* Nothing matched: creates the probe on demand, or finds the reason. */
static int make_wanted(struct dt_probes *p, const struct dt_probedesc *d, const char **why)
{
	const struct dt_provider_row *row = dt_part_literal(d->prov) ? dt_provider_find(d->prov) : NULL;
	int err = 0;

	if (row != NULL && row->provide == NULL)
		*why = dt_arena_printf(p->arena, "provider %s comes with a later release", row->name);
	else if (row != NULL)
		return row->provide(p, row, d, why);
	else if (!dt_part_literal(d->prov))
		for (row = dt_providers; row->name != NULL && err == 0; row++)
			if (row_may_match(row, d))
				err = row->provide(p, row, d, why);
	return err;
}

/*
 * Probes of processes get numbers behind all that can be listed, as far as those are wanted: no one
 * else gets BEGIN's number.
 */
static int make_before(struct dt_probes *p)
{
	int err = make_listed(p, &dt_providers[0]);

	for (const struct dt_provider_row *row = dt_providers; p->listing && row->name != NULL && err == 0;
	     row++)
		err = make_listed(p, row);
	return err;
}

/*
 * A process may have changed since it was last examined, and a pattern may mean more than what was
 * created before.
 */
static int ask_always(struct dt_probes *p, const struct dt_probedesc *d, const char **why)
{
	int err = 0;

	for (const struct dt_provider_row *row = dt_providers; row->name != NULL && err == 0; row++) {
		size_t before;

		if (row->wants == NULL || !row->wants(p, d) || (err = make_before(p)) != 0)
			continue;
		before = p->list.n;
		err = row->provide(p, row, d, why);
		for (size_t i = before; i < p->list.n; i++)
			p->list.v[i]->on_demand = true;
	}
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

static int match_from(struct dt_probes *p, uint32_t from, const struct dt_probedesc *d, dt_probe_f *f,
    void *ctx)
{
	struct pattern prov = pattern_of(d->prov), mod = pattern_of(d->mod), func = pattern_of(d->func),
		       name = pattern_of(d->name);
	int n = 0;

	for (uint32_t i = from; i < p->list.n; i++) {
		const struct dt_probe *probe = p->list.v[i];
		int err;

		if (!part_matches(&name, probe->name) || !func_matches(&func, probe) ||
		    !prov_matches(p, &prov, probe) || !mod_matches(&mod, probe))
			continue;
		n++;
		err = f(ctx, probe);
		if (err != 0)
			return err < 0 ? err : -err;
	}
	return n;
}

/*
 * By number, as in a listing: probes created on demand in this run are not counted and cannot be meant.
 */
static int match_id(struct dt_probes *p, uint32_t id, dt_probe_f *f, void *ctx)
{
	const struct dt_provider_row *row = dt_providers;
	uint32_t listed = 0;
	int err = 0;

	for (size_t i = 0; err == 0; i++) {
		while (i >= p->list.n && row->name != NULL && err == 0)
			err = make_listed(p, row++);
		if (err != 0 || i >= p->list.n)
			break;
		if (p->list.v[i]->on_demand || ++listed != id)
			continue;
		err = f(ctx, p->list.v[i]);
		return err == 0 ? 1 : err < 0 ? err : -err;
	}
	return err;
}

int dt_probes_match(struct dt_probes *p, const struct dt_probedesc *desc, dt_probe_f *f, void *ctx,
    const char **why)
{
	struct dt_probedesc d = *desc;
	const char *reason = NULL;
	uint32_t before;
	int n;

	p->tag = D_PDESC_ZERO;
	if (why != NULL)
		*why = NULL;
	if (d.id != 0)
		return match_id(p, d.id, f, ctx);
	if (strcmp(d.mod, "kernel") == 0)
		d.mod = "vmlinux";
	n = make_for(p, &d);
	if (n < 0)
		return n;
	before = (uint32_t)p->list.n;
	n = ask_always(p, &d, &reason);
	if (n < 0)
		return n;
	n = match_from(p, 0, &d, f, ctx);
	if (n != 0)
		return n;
	n = reason == NULL ? make_wanted(p, &d, &reason) : 0;
	if (n < 0)
		return n;
	for (size_t i = before; i < p->list.n; i++)
		p->list.v[i]->on_demand = true;
	n = match_from(p, before, &d, f, ctx);
	if (n == 0 && why != NULL)
		*why = reason;
	return n;
}

int dt_probes_there(struct dt_probes *p, uint32_t from, const struct dt_probedesc *d, dt_probe_f *f,
    void *ctx)
{
	return match_from(p, from, d, f, ctx);
}
