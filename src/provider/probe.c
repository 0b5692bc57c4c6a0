/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The probes of a handle: names and hooks come in from providers, probes with numbers go out. The number of a
 * probe never changes: listed probes are numbered from 1 in the order in which they are added, in every run
 * alike; the number of any other probe comes from its name. Knows no provider.
 */
#include "provider/probe.h"
#include "base/printable.h"
#include "base/hash.h"
#include "provider/objects.h"
#include "provider/provider.h"
#include "file/reader.h"

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

struct dt_probe *dt_probes_add(struct dt_probes *p, const struct dt_provider *row, const char *mod,
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
		probe->id = DT_PROBE_FIRST_NAMED +
		    (p->named.n < NNAMED / 2 ? (from + i++) % NNAMED : NNAMED + (uint32_t)p->named.n);
	while (p->slots[slot_of(p, probe->id)] != NULL);
	dt_vec_push(p->arena, &p->named, probe);
	p->slots[slot_of(p, probe->id)] = probe;
}

const struct dt_probe *dt_probes_by_id(const struct dt_probes *p, uint32_t id)
{
	if (id > 0 && id <= p->listed.n)
		return p->listed.v[id - 1];
	return id >= DT_PROBE_FIRST_NAMED && p->nslots > 0 ? p->slots[slot_of(p, id)] : NULL;
}

static void number_probe(struct dt_probes *p, struct dt_probe *probe, const char *key)
{
	if (!p->making_list || p->listed.n + 1 >= DT_PROBE_FIRST_NAMED) {
		number_by_name(p, probe, key);
		return;
	}
	dt_vec_push(p->arena, &p->listed, probe);
	probe->id = (uint32_t)p->listed.n;
}

struct dt_probe *dt_probes_add_as(struct dt_probes *p, const struct dt_provider *row, const char *prov,
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
	if (prov != row->name && dt_make_printable(key)) {	/* processes name theirs as they like */
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

void dt_probes_add_idle(struct dt_probes *p, const struct dt_provider *row, const char *prov,
    const char *mod, const char *name, const char *never)
{
	static const struct dt_hook nowhere = { .kind = DT_HOOK_RUN, .target = "never" };

	dt_probes_add_as(p, row, prov, mod, "", name, &nowhere)->never = never;
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
