/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Room for rows. Files come and go, and any user can map any number of files with rows: what no living
 * process has in its list is given back when there is no room left, or when there are very many files. Its
 * place rests for a while, since a program may still be reading it. Files that are not root's or ours have
 * half of the room together, so that they cannot push the others out.
 */
#include "unwind/unwind_impl.h"
#include "base/clock.h"

#include <stdlib.h>

#define SWEEP_NS 1000000000u		/* between two sweeps */

/* ---- chunks ---- */

bool dt_unwind_reach(struct dt_unwind *u, enum dt_unwind_table table, uint64_t end)
{
	static const uint8_t bits[] = { DT_UNWIND_WORD_BITS, DT_UNWIND_RULE_BITS, DT_UNWIND_MAP_BITS };
	uint64_t need = (end + DT_UNWIND_CHUNK(bits[table]) - 1) >> bits[table];

	while (u->table[table].n < need) {
		uint32_t n = u->table[table].n;
		void **more = realloc(u->table[table].chunk, (n + 1u) * sizeof(*more));

		if (more == NULL)
			return false;
		u->table[table].chunk = more;
		more[n] = u->areas.chunk(u->areas.ctx, table, n);
		if (more[n] == NULL)
			return false;
		u->table[table].n++;
	}
	return true;
}

/* ---- places ---- */

/* The most words that the tables may have. A word has a number of 32 bits; UINT32_MAX means no word. */
static uint64_t most_words(const struct dt_unwind *u)
{
	return u->areas.most / 4 < UINT32_MAX ? u->areas.most / 4 : UINT32_MAX;
}

/*
 * How many words n are from there on. At the end of each chunk fewer than a block's may be left unused, and
 * these gaps can reach into further chunks.
 */
static uint64_t with_gaps(uint32_t first, uint64_t n)
{
	uint64_t ends = (DT_UNWIND_IN_CHUNK(first, DT_UNWIND_WORD_BITS) + n) >> DT_UNWIND_WORD_BITS;

	return ends != 0 ? n + (ends + ends / 128 + 1) * DT_UNWIND_BLOCK : n;
}

/* The first place that is large enough and has rested; what is left of it stays. UINT32_MAX: none */
static uint32_t take_rested(struct dt_unwind *u, uint64_t n, uint32_t *size)
{
	uint64_t now = dt_clock_ns();

	for (struct dt_unwind_place **at = &u->places; *at != NULL; at = &(*at)->next) {
		struct dt_unwind_place *p = *at;
		uint64_t need = with_gaps(p->first, n);
		uint32_t first = p->first;

		if (p->n < need || now - p->since <= DT_UNWIND_REUSE_NS)
			continue;
		*size = (uint32_t)need;
		p->first += (uint32_t)need;
		p->n -= (uint32_t)need;
		if (p->n == 0) {
			*at = p->next;
			free(p);
		}
		return first;
	}
	return UINT32_MAX;
}

/* Behind all that was ever used. */
static uint32_t take_new(struct dt_unwind *u, uint64_t n, uint32_t *size)
{
	uint64_t need = with_gaps(u->rows_end, n);
	uint32_t first = u->rows_end;

	if (need > most_words(u) - u->rows_end || !dt_unwind_reach(u, DT_UNWIND_WORDS, first + need))
		return UINT32_MAX;
	*size = (uint32_t)need;
	u->rows_end += (uint32_t)need;
	return first;
}

uint32_t dt_unwind_take_rows(struct dt_unwind *u, struct dt_unwind_file *f, uint64_t n)
{
	uint64_t most = with_gaps(0, n);
	uint32_t first = UINT32_MAX;

	f->size = most < UINT32_MAX ? (uint32_t)most : UINT32_MAX;
	if (most <= most_words(u) && !(f->foreign && u->foreign + most > most_words(u) / 2)) {
		first = take_rested(u, n, &f->size);
		if (first == UINT32_MAX)
			first = take_new(u, n, &f->size);
	}
	if (first != UINT32_MAX) {
		u->stats.words += f->size;
		u->foreign += f->foreign ? f->size : 0;
	}
	return first;
}

/* Places that are too small for one of those left out are not counted on. */
uint64_t dt_unwind_enough(const struct dt_unwind *u)
{
	uint64_t all = u->rows_end, foreign = u->foreign;

	for (int b = 0; b < DT_UNWIND_BUCKETS; b++)
		for (const struct dt_unwind_file *f = u->file[b]; f != NULL; f = f->next)
			if (f->left_out) {
				all += f->size + DT_UNWIND_BLOCK;
				foreign += f->foreign ? f->size : 0;
			}
	return 4 * (all > 2 * foreign ? all : 2 * foreign);
}

/* Places are in order, and neighbours are one, which rests anew. Without memory the place is lost. */
static void give_rows(struct dt_unwind *u, const struct dt_unwind_file *f)
{
	struct dt_unwind_place **at = &u->places, *p, *next;

	u->stats.words -= f->size;
	u->foreign -= f->foreign ? f->size : 0;
	while (*at != NULL && (*at)->first + (*at)->n < f->first)
		at = &(*at)->next;
	p = *at;
	if (p != NULL && p->first + p->n == f->first) {
		p->n += f->size;
	} else {
		p = malloc(sizeof(*p));
		if (p == NULL)
			return;
		*p = (struct dt_unwind_place){ .first = f->first, .n = f->size, .next = *at };
		*at = p;
	}
	p->since = dt_clock_ns();
	next = p->next;
	if (next != NULL && p->first + p->n == next->first) {
		p->n += next->n;
		p->next = next->next;
		free(next);
	}
}

/* ---- who has them ---- */

static int by_first(const void *a, const void *b)
{
	const struct dt_unwind_file *const *x = a, *const *y = b;

	return ((*x)->first > (*y)->first) - ((*x)->first < (*y)->first);
}

/* Marks what the lists of living processes lead to. `file` has n with rows, sorted by their place. */
static void mark(struct dt_unwind *u, struct dt_unwind_file **file, size_t n)
{
	for (int b = 0; b < DT_UNWIND_BUCKETS; b++)
		for (const struct dt_unwind_proc *p = u->proc[b]; p != NULL; p = p->next)
			for (uint32_t i = 0; i < p->n; i++) {
				const struct dt_unwind_map *m = dt_unwind_list(u, p->first + i);
				struct dt_unwind_file at = { .first = m->first }, *key = &at, **found;

				found = bsearch(&key, file, n, sizeof(*file), by_first);
				if (found != NULL)
					(*found)->used = true;
			}
}

/* All files with rows; NULL: there is no memory to sort them, and nothing can be said of their use. */
static struct dt_unwind_file **all_files(struct dt_unwind *u, size_t *n)
{
	struct dt_unwind_file **all = malloc((u->nfiles + 1) * sizeof(struct dt_unwind_file *));

	*n = 0;
	for (int b = 0; all != NULL && b < DT_UNWIND_BUCKETS; b++)
		for (struct dt_unwind_file *f = u->file[b]; f != NULL; f = f->next)
			if (f->n > 0)
				all[(*n)++] = f;
	if (*n > 0)
		qsort(all, *n, sizeof(struct dt_unwind_file *), by_first);
	return all;
}

/* Unused ones; `left_out`: those that had no room, to be read again. How many had rows. */
static size_t drop(struct dt_unwind *u, bool left_out)
{
	size_t freed = 0;

	for (int b = 0; b < DT_UNWIND_BUCKETS; b++)
		for (struct dt_unwind_file **at = &u->file[b], *f; (f = *at) != NULL; ) {
			if (left_out ? !f->left_out : f->used) {
				at = &f->next;
				continue;
			}
			*at = f->next;
			u->nfiles--;
			if (f->n > 0) {
				(void)u->areas.publish(u->areas.ctx, &f->published, NULL);
				give_rows(u, f);
				freed++;
			}
			free(f);
		}
	return freed;
}

/*
 * A file with rows is used if a list has it; one without if it was asked for since the last sweep: it is
 * known so that it is not read again. When something was given back, those that had no room have another try.
 */
void dt_unwind_sweep(struct dt_unwind *u)
{
	uint64_t now = dt_clock_ns();
	struct dt_unwind_file **all;
	size_t n, freed;

	if ((u->crowded == 0 && u->nfiles < u->sweep_at) || (u->swept != 0 && now - u->swept < SWEEP_NS))
		return;
	all = all_files(u, &n);
	if (all == NULL)
		return;
	u->swept = now;
	for (size_t i = 0; i < n; i++)
		all[i]->used = false;
	mark(u, all, n);
	free(all);
	freed = drop(u, false);
	for (int b = 0; b < DT_UNWIND_BUCKETS; b++)
		for (struct dt_unwind_file *f = u->file[b]; f != NULL; f = f->next)
			f->used = false;
	if (freed > 0 && u->crowded > 0) {
		(void)drop(u, true);
		u->again = now + DT_UNWIND_REUSE_NS + 1000000;
	} else {
		u->stats.left_out += u->crowded;
	}
	u->crowded = 0;
	u->sweep_at = 2 * u->nfiles + DT_UNWIND_FILES;
}

void dt_unwind_places_free(struct dt_unwind *u)
{
	for (struct dt_unwind_place *p = u->places, *next; p != NULL; p = next) {
		next = p->next;
		free(p);
	}
	for (int t = 0; t < DT_UNWIND_TABLES; t++)
		free(u->table[t].chunk);
}
