/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Mappings come in, in the order in which they were made; the one at an address goes out. A space never
 * changes once it is made: processes share it, and a newer one is laid over it. Its mappings are sorted and
 * do not overlap, so finding takes log n steps and laying n over m takes n + m, whatever a process maps.
 */
#include "symbol/usym_impl.h"

#include <stdlib.h>
#include <string.h>

/*
 * Sorted mappings without overlap. Objects in a pile are not counted: only a finished space holds
 * references.
 */
struct pile { struct dt_umap *v; uint32_t n; };

/*
 * Views share a space after a fork: the last one that lets go frees it, and with it the references to
 * objects.
 */
void dt_uspace_release(struct dt_ufiles *fs, struct dt_uspace *s)
{
	if (s == NULL || --s->refs > 0)
		return;
	for (uint32_t i = 0; i < s->n; i++)
		dt_uobject_release(fs, s->map[i].object);
	fs->bytes -= dt_uspace_bytes(s->n);
	free(s->map);
	free(s);
}

/* A piece of a mapping begins further into its file. */
static void add(struct pile *p, const struct dt_umap *m, uint64_t start, uint64_t end)
{
	struct dt_umap *to = &p->v[p->n];

	if (start >= end)
		return;
	*to = *m;
	to->start = start;
	to->end = end;
	to->offset = m->offset + (start - m->start);
	p->n++;
}

/* What is above hides what is below; both are sorted. There is room for every piece: see merge(). */
static void overlay(const struct pile *below, const struct pile *above, struct pile *out)
{
	uint32_t b = 0;
	uint64_t at = 0;	/* below is done with up to here */

	for (uint32_t a = 0; a <= above->n; a++) {
		uint64_t start = a < above->n ? above->v[a].start : UINT64_MAX;

		for (; b < below->n && below->v[b].start < start; b++) {
			const struct dt_umap *m = &below->v[b];
			uint64_t from = m->start > at ? m->start : at;

			add(out, m, from, m->end < start ? m->end : start);
			if (m->end > start)
				break;		/* the rest of it comes after the one above */
		}
		if (a < above->n) {
			add(out, &above->v[a], start, above->v[a].end);
			at = above->v[a].end;
		}
	}
}

/*
 * out->v is the caller's to free, also when it is empty: malloc() is never asked for nothing, so NULL means
 * no memory.
 */
static bool merge(const struct pile *below, const struct pile *above, struct pile *out)
{
	out->n = 0;	/* each above can cut one below in two */
	out->v = malloc(((size_t)below->n + 2 * (size_t)above->n + 1) * sizeof(*out->v));
	if (out->v != NULL)
		overlay(below, above, out);
	return out->v != NULL;
}

/* Those of v, each of which hides what came before it, as a sorted pile. */
static bool sort_pile(const struct dt_umap *v, uint32_t n, struct pile *out)
{
	struct pile first, second;
	bool good = false;

	if (n <= 1) {
		const struct pile none = { NULL, 0 }, one = { (struct dt_umap *)v, n };

		return merge(&none, &one, out);
	}
	if (!sort_pile(v, n / 2, &first))
		return false;
	if (sort_pile(v + n / 2, n - n / 2, &second)) {
		good = merge(&first, &second, out);
		free(second.v);
	}
	free(first.v);
	return good;
}

static bool is_sorted(const struct dt_umap *v, uint32_t n)
{
	for (uint32_t i = 1; i < n; i++)
		if (v[i].start < v[i - 1].end)
			return false;
	return true;
}

/* The lowest address of each object is that of its first mapping. */
static void take_objects(struct dt_ufiles *fs, struct dt_uspace *s)
{
	uint64_t serial = ++fs->serial;

	for (uint32_t i = 0; i < s->n; i++) {
		struct dt_uobject *o = s->map[i].object;

		if (o->seen != serial) {
			o->seen = serial;
			o->lowest = s->map[i].start;
		}
		s->map[i].base = o->lowest;
		o->refs++;
	}
	fs->bytes += dt_uspace_bytes(s->n);
}

/*
 * `under` and v stay as they are, and so do their references; the new space takes its own. If both together
 * would be too many, what is underneath goes, as the limit is for those who map without end.
 */
struct dt_uspace *dt_uspace_make(struct dt_ufiles *fs, const struct dt_uspace *under, const struct dt_umap *v,
    uint32_t n)
{
	struct pile below = { under != NULL ? under->map : NULL, under != NULL ? under->n : 0 };
	struct pile above = { (struct dt_umap *)v, n }, sorted = { 0 }, all = { 0 };
	struct dt_uspace *s = calloc(1, sizeof(*s));
	bool good = s != NULL && (is_sorted(v, n) || sort_pile(v, n, &sorted));

	if (below.n > DT_UMAPS_MAX - n)
		below.n = 0;		/* most of it has long been gone */
	good = good && merge(&below, sorted.v != NULL ? &sorted : &above, &all);
	free(sorted.v);
	if (!good) {
		free(s);
		return NULL;
	}
	s->refs = 1;
	s->n = all.n;
	s->map = realloc(all.v, ((size_t)all.n + 1) * sizeof(*all.v));
	s->map = s->map != NULL ? s->map : all.v;
	take_objects(fs, s);
	return s;
}

/* The first mapping that ends after the address: no other mapping can contain it. */
uint32_t dt_uspace_find(const struct dt_uspace *s, uint64_t addr)
{
	uint32_t lo = 0, hi = s->n;

	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (s->map[mid].end <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

const struct dt_umap *dt_uspace_at(const struct dt_uspace *s, uint64_t addr)
{
	uint32_t i = dt_uspace_find(s, addr);

	return i < s->n && s->map[i].start <= addr ? &s->map[i] : NULL;
}
