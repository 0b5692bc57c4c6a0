/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The table of probes and the matching of descriptions. Providers are asked in the order of their
 * table, and only those that can have what is wanted. The number of a probe never changes: listed probes
 * are numbered from 1 in the order of the table, in every run alike; the number of any other probe comes from
 * its name.
 */
#include "provider/probe.h"
#include "base/clean.h"
#include "base/glob.h"
#include "base/hash.h"
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

/* ---- numbers ---- */

/*
 * Numbers of probes that are not listed. A number is a hash of the name, so that -i finds in another run
 * what -l showed; two names with the same hash get neighbouring numbers. Seven digits keep the column of
 * numbers narrow.
 */
#define FIRST_NAMED 1000000u
#define NNAMED 9000000u

static size_t slot_of(const struct dt_probes *p, uint32_t id)
{
	size_t i = id * 2654435761u & (p->nslots - 1);

	while (p->slots[i] != NULL && p->slots[i]->id != id)
		i = (i + 1) & (p->nslots - 1);
	return i;
}

/* At most half of the slots are used. */
static void grow_slots(struct dt_probes *p)
{
	struct dt_probe **old = p->slots;
	size_t n = p->nslots;

	p->slots = DT_NEWN(p->arena, struct dt_probe *, n > 0 ? 2 * n : 64);
	p->nslots = n > 0 ? 2 * n : 64;
	for (size_t i = 0; i < n; i++)
		if (old[i] != NULL)
			p->slots[slot_of(p, old[i]->id)] = old[i];
}

/* Above half of NNAMED probes, which takes every instruction of a large program, numbers go on upwards. */
static void number_by_name(struct dt_probes *p, struct dt_probe *probe, const char *key)
{
	uint32_t from = dt_hash_text(DT_HASH_START, key) % NNAMED, i = 0;

	if (2 * (p->named.n + 1) > p->nslots)
		grow_slots(p);
	do
		probe->id = FIRST_NAMED +
		    (p->named.n < NNAMED / 2 ? (from + i++) % NNAMED : NNAMED + (uint32_t)p->named.n);
	while (p->slots[slot_of(p, probe->id)] != NULL);
	dt_vec_push(p->arena, &p->named, probe);
	p->slots[slot_of(p, probe->id)] = probe;
}

const struct dt_probe *dt_probes_by_id(const struct dt_probes *p, uint32_t id)
{
	if (id > 0 && id <= p->listed.n)
		return p->listed.v[id - 1];
	return id >= FIRST_NAMED && p->nslots > 0 ? p->slots[slot_of(p, id)] : NULL;
}

static void number_probe(struct dt_probes *p, struct dt_probe *probe, const char *key)
{
	if (!p->making_list || p->listed.n + 1 >= FIRST_NAMED) {
		number_by_name(p, probe, key);
		return;
	}
	dt_vec_push(p->arena, &p->listed, probe);
	probe->id = (uint32_t)p->listed.n;
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
	number_probe(p, probe, key);
	dt_vec_push(p->arena, &p->list, probe);
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
	int err;

	if (row->provide == NULL || dt_map_get(&p->provided, row->name) != NULL)
		return 0;
	dt_map_put(&p->provided, row->name, (void *)(uintptr_t)row);
	p->making_list = true;
	err = row->provide(p, row, NULL, &why);
	p->making_list = false;
	return err;
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
 * A process may have changed since it was last examined, and a pattern may mean more than what was
 * created before.
 */
static int ask_always(struct dt_probes *p, const struct dt_probedesc *d, const char **why)
{
	int err = 0;

	for (const struct dt_provider_row *row = dt_providers; row->name != NULL && err == 0; row++) {
		if (row->wants != NULL && row->wants(p, d))
			err = row->provide(p, row, d, why);
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
	for (const struct dt_provider_row *row = dt_providers; row->name != NULL && err == 0; row++)
		if (row->look != NULL)
			err = row->provide(p, row, &all, &why);
	p->listing = before;
	return err;
}

/* Fills the table until it has the number. */
static int make_number(struct dt_probes *p, uint32_t id)
{
	int err = 0;

	for (const struct dt_provider_row *row = dt_providers;
	     row->name != NULL && err == 0 && id < FIRST_NAMED && dt_probes_by_id(p, id) == NULL; row++)
		err = make_listed(p, row);
	for (int listing = 1; listing >= 0 && err == 0 && id >= FIRST_NAMED; listing--)
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
	if (err == 0 && why != NULL && id >= FIRST_NAMED)
		*why = "no running process has a static probe of this number, and probes of pid, profile "
		       "and the like have one only while they are enabled: write the name instead";
	return err;
}

int dt_probes_match(struct dt_probes *p, const struct dt_probedesc *desc, dt_probe_f *f, void *ctx,
    const char **why)
{
	struct dt_probedesc d = *desc;
	const char *reason = NULL;
	size_t listed, named;
	int n;

	p->tag = D_PDESC_ZERO;
	p->making_list = false;		/* lack of memory may have ended a provider early */
	if (why != NULL)
		*why = NULL;
	if (d.id != 0)
		return match_id(p, d.id, f, ctx, why);
	if (strcmp(d.mod, "kernel") == 0)
		d.mod = "vmlinux";
	n = make_for(p, &d);
	if (n < 0)
		return n;
	listed = p->listed.n;
	named = p->named.n;
	n = ask_always(p, &d, &reason);
	if (n < 0)
		return n;
	n = match_from(p, 0, 0, &d, f, ctx);
	if (n != 0)
		return n;
	/* that no process has a provider c* does not mean that cpc cannot create what is named */
	n = reason == NULL || !dt_part_literal(d.prov) ? make_wanted(p, &d, &reason) : 0;
	if (n < 0)
		return n;
	n = match_from(p, listed, named, &d, f, ctx);
	if (n == 0 && why != NULL)
		*why = reason;
	return n;
}

int dt_probes_there(struct dt_probes *p, uint32_t from, const struct dt_probedesc *d, dt_probe_f *f,
    void *ctx)
{
	return match_from(p, from != 0 ? p->listed.n : 0, from, d, f, ctx);
}
