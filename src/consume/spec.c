/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Speculations as the reader sees them: a number is reused, and each use is a generation (record/record.h).
 * Records and ends arrive from several CPUs in almost any order. The records of a generation whose end
 * is not known yet wait. An end is remembered for some time, so a late record shares the fate of the
 * others.
 */
#include "consume/state.h"

#include "record/record.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define REMEMBERED 1024		/* generations of a number whose end is known, a power of two */
#define WORDS (REMEMBERED / 64)

/*
 * Records lie one after another, each with its length before it and rounded to eight bytes: specsize counts a
 * record with its header, and what we keep beside that is these eight bytes and the rest of a piece.
 */
#define PIECE_LEAST 4096
#define PIECE_MOST (256u << 10)
struct piece { struct piece *next; size_t used, size; uint8_t data[]; };
/* A generation that has not ended, and its records in the order of arrival. */
struct use { struct use *next; uint64_t generation; struct piece *first, *last; };

struct dt_spec {
	struct use *uses;
	/* the newest generation whose end is known; 0: none, they begin with 1 */
	uint64_t newest;
	uint64_t ended[WORDS], committed[WORDS];	/* a bit each */
};

enum end { OPEN, COMMITTED, DISCARDED, FORGOTTEN };

static uint64_t generation_of(uint64_t word) { return word / DT_SPEC_NEXT + 1; }

/* Bits are by generation modulo REMEMBERED: setting one overwrites that of a generation long forgotten. */
static bool get_bit(const uint64_t *bits, uint64_t g) { return bits[g % REMEMBERED / 64] >> (g % 64) & 1; }

static void set_bit(uint64_t *bits, uint64_t g, bool to)
{
	uint64_t *word = &bits[g % REMEMBERED / 64];

	*word = (*word & ~(1ull << (g % 64))) | (uint64_t)to << (g % 64);
}

/*
 * What is known of a generation. Numbers above the newest end are open; those far below it are
 * forgotten.
 */
static enum end end_of(const struct dt_spec *s, uint64_t g)
{
	if (g > s->newest)
		return OPEN;
	if (s->newest - g >= REMEMBERED)
		return FORGOTTEN;
	return !get_bit(s->ended, g) ? OPEN : get_bit(s->committed, g) ? COMMITTED : DISCARDED;
}

/* Generations between the newest and this one have not ended: their bits are cleared on the way. */
static void note_end(struct dt_spec *s, uint64_t g, bool commit)
{
	if (g > s->newest && g - s->newest >= REMEMBERED) {
		memset(s->ended, 0, sizeof(s->ended));
		s->newest = g;
	}
	while (s->newest < g)
		set_bit(s->ended, ++s->newest, false);
	set_bit(s->ended, g, true);
	set_bit(s->committed, g, commit);
}

/* The state of a number, made at its first use. Numbers are small: nspec bounds them in the kernel. */
static struct dt_spec *spec_of(struct dt_specs *all, uint32_t id)
{
	if (id > all->n) {
		struct dt_spec *more = realloc(all->spec, id * sizeof(*more));

		if (more == NULL)
			return NULL;
		memset(more + all->n, 0, (id - all->n) * sizeof(*more));
		all->spec = more;
		all->n = id;
	}
	return &all->spec[id - 1];
}

static void free_use(struct use *u)
{
	while (u->first != NULL) {
		struct piece *next = u->first->next;

		free(u->first);
		u->first = next;
	}
	free(u);
}

/* Seldom more than one generation of a number waits, so a list will do. */
static struct use *use_of(struct dt_spec *s, uint64_t g)
{
	struct use *u = s->uses;

	while (u != NULL && u->generation != g)
		u = u->next;
	if (u != NULL || (u = calloc(1, sizeof(*u))) == NULL)
		return u;
	u->generation = g;
	u->next = s->uses;
	s->uses = u;
	return u;
}

static size_t rounded(size_t len) { return (len + 7) & ~(size_t)7; }

/* Room for that many bytes in the last piece, or in a new one, twice as large. NULL: no memory. */
static struct piece *piece_for(struct use *u, size_t need)
{
	size_t size = u->last != NULL ? 2 * u->last->size : PIECE_LEAST;
	struct piece *p;

	if (u->last != NULL && u->last->size - u->last->used >= need)
		return u->last;
	size = size < PIECE_MOST ? size : PIECE_MOST;
	size = size < need ? need : size;
	p = malloc(sizeof(*p) + size);
	if (p == NULL)
		return NULL;
	*p = (struct piece){ .size = size };
	if (u->last != NULL)
		u->last->next = p;
	else
		u->first = p;
	return u->last = p;
}

/* A record that there is no memory for is counted as lost. */
static int hold_record(struct dt_specs *all, struct dt_spec *s, uint64_t g, const void *rec, size_t len)
{
	struct use *u = use_of(s, g);
	struct piece *p = u != NULL ? piece_for(u, sizeof(len) + rounded(len)) : NULL;

	if (p == NULL) {
		all->lost++;
		return 0;
	}
	memcpy(p->data + p->used, &len, sizeof(len));
	memcpy(p->data + p->used + sizeof(len), rec, len);
	p->used += sizeof(len) + rounded(len);
	return 0;
}

static int emit_all(const struct use *u, dt_spec_f *emit, void *ctx)
{
	int err = 0;

	for (const struct piece *p = u->first; p != NULL; p = p->next) {
		for (size_t at = 0, len; at < p->used && err == 0; at += sizeof(len) + rounded(len)) {
			memcpy(&len, p->data + at, sizeof(len));
			err = emit(ctx, p->data + at + sizeof(len), len);
		}
	}
	return err;
}

/* A record whose generation is forgotten is counted as lost: showing it would be a guess. */
int dt_specs_keep(struct dt_specs *all, uint32_t id, uint64_t word, const void *rec, size_t len,
    dt_spec_f *emit, void *ctx)
{
	struct dt_spec *s = spec_of(all, id);

	if (s == NULL)
		return -ENOMEM;
	switch (end_of(s, generation_of(word))) {
	case OPEN: return hold_record(all, s, generation_of(word), rec, len);
	case COMMITTED: return emit(ctx, rec, len);
	case DISCARDED: return 0;
	default:
		all->lost++;
		return 0;
	}
}

/*
 * Tells the records of a commit in the order of arrival. The use is unlinked first, and freed whatever
 * passing them on returns.
 */
int dt_specs_end(struct dt_specs *all, uint32_t id, uint64_t word, bool commit, dt_spec_f *emit, void *ctx)
{
	struct dt_spec *s = spec_of(all, id);
	uint64_t g = generation_of(word);
	struct use **at, *u;
	int err = 0;

	if (s == NULL)
		return -ENOMEM;
	if (end_of(s, g) != OPEN)
		return 0;	/* reported twice: found in its word, then as a record */
	note_end(s, g, commit);
	for (at = &s->uses; *at != NULL && (*at)->generation != g; at = &(*at)->next)
		;
	u = *at;
	if (u == NULL)
		return 0;
	*at = u->next;
	if (commit)
		err = emit_all(u, emit, ctx);
	free_use(u);
	return err;
}

/* ---- ends that have no record ---- */

int dt_specs_room(struct dt_specs *all, uint32_t n)
{
	size_t cap = all->nnotes - all->firstnote + n;
	struct dt_spec_note *more;

	if (all->firstnote > 0)
		memmove(all->notes, all->notes + all->firstnote,
		    (all->nnotes - all->firstnote) * sizeof(*all->notes));
	all->nnotes -= all->firstnote;
	all->firstnote = 0;
	if (cap <= all->notecap)
		return 0;
	more = realloc(all->notes, 2 * cap * sizeof(*more));
	if (more == NULL)
		return -ENOMEM;
	all->notes = more;
	all->notecap = 2 * cap;
	return 0;
}

void dt_specs_note(struct dt_specs *all, uint32_t id, uint64_t word, uint64_t time)
{
	all->notes[all->nnotes++] = (struct dt_spec_note){ .time = time, .word = word, .id = id };
}

int dt_specs_before(struct dt_specs *all, uint64_t time, dt_spec_f *emit, void *ctx)
{
	int err = 0;

	while (all->firstnote < all->nnotes && all->notes[all->firstnote].time < time && err == 0) {
		struct dt_spec_note *note = &all->notes[all->firstnote++];

		err = dt_specs_end(all, note->id, note->word,
		    note->word % DT_SPEC_NEXT == DT_SPEC_COMMITTED, emit, ctx);
	}
	return err;
}

void dt_specs_free(struct dt_specs *all)
{
	free(all->notes);
	for (uint32_t i = 0; i < all->n; i++) {
		while (all->spec[i].uses != NULL) {
			struct use *next = all->spec[i].uses->next;

			free_use(all->spec[i].uses);
			all->spec[i].uses = next;
		}
	}
	free(all->spec);
}
