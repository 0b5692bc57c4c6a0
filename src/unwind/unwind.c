/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Processes come in; lists of mappings, and the rows of the files they map (unwind_file.c), go out. A
 * changed list is written to a new place and then published, so a program sees either the old list or the
 * new one. The old place is reused only when no program can still be reading it. All memory here is the
 * tracer's; areas are shared with programs in the kernel, which take a list's place and length together
 * from one published value and never look at a list that was not published.
 */
#include "unwind/unwind_impl.h"
#include "base/clock.h"

#include "file/reader.h"
#include "symbol/usym_impl.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define ROWS_TIMEOUT_NS 100000000u	/* for rows that are read together with heads of files */

/* ---- room for lists ---- */

/*
 * Blocks have a power of two of elements, 8 at least: a list that grows by a mapping or two mostly stays in
 * its class, and a freed block serves any list of it.
 */
static unsigned class_of(uint32_t n)
{
	unsigned c = 3;

	while (1u << c < n)
		c++;
	return c;
}

static void free_block(struct dt_unwind *u, unsigned class, uint32_t first, uint64_t since)
{
	struct dt_unwind_room *b = malloc(sizeof(*b));

	if (b == NULL)
		return;			/* it is lost */
	*b = (struct dt_unwind_room){ .first = first, .since = since };
	*(u->free_end[class] != NULL ? &u->free_end[class]->next : &u->free[class]) = b;
	u->free_end[class] = b;
}

/*
 * Behind all blocks, at a multiple of its size, so that it is in one chunk. What is skipped before it becomes
 * blocks of their own, which begin at multiples of their sizes as well.
 */
static uint32_t new_block(struct dt_unwind *u, unsigned class)
{
	uint32_t size = 1u << class, at = (u->maps_used + size - 1) & ~(size - 1);

	if (at < u->maps_used || at > UINT32_MAX - size || !dt_unwind_reach(u, DT_UNWIND_LISTS, at + size))
		return UINT32_MAX;
	while (u->maps_used < at) {
		unsigned c = (unsigned)__builtin_ctz(u->maps_used);

		free_block(u, c, u->maps_used, 0);
		u->maps_used += 1u << c;
	}
	u->maps_used += size;
	return at;
}

/*
 * The first element of a free block, or UINT32_MAX. The oldest free block is looked at alone: if that one
 * is too young, all are.
 */
static uint32_t take_block(struct dt_unwind *u, unsigned class)
{
	struct dt_unwind_room **at = &u->free[class], *b = *at;
	uint32_t first;

	if (b != NULL && dt_clock_ns() - b->since > DT_UNWIND_REUSE_NS) {
		first = b->first;
		*at = b->next;
		if (*at == NULL)
			u->free_end[class] = NULL;
		free(b);
		return first;
	}
	return new_block(u, class);
}

uint32_t dt_unwind_take(struct dt_unwind *u, unsigned class) { return take_block(u, class); }

void dt_unwind_give(struct dt_unwind *u, unsigned class, uint32_t first)
{
	free_block(u, class, first, dt_clock_ns());
}

/* It goes to the end of its class, where the youngest are. The process has no list any more. */
static void give_block(struct dt_unwind *u, struct dt_unwind_proc *p)
{
	if (p->n == 0)
		return;
	free_block(u, p->class, p->first, dt_clock_ns());
	u->stats.mappings -= p->n;
	u->stats.processes--;
	p->n = 0;
}

/* ---- processes ---- */

static int publish(struct dt_unwind *u, uint32_t pid, const struct dt_unwind_value *v)
{
	struct dt_unwind_key key = { .id = pid, .dev = DT_UNWIND_PID };

	return u->areas.publish(u->areas.ctx, &key, v);
}

static struct dt_unwind_proc **proc_at(struct dt_unwind *u, uint32_t pid)
{
	struct dt_unwind_proc **at = &u->proc[pid % DT_UNWIND_BUCKETS];

	while (*at != NULL && (*at)->pid != pid)
		at = &(*at)->next;
	return at;
}

/*
 * A process that is still queued must not be freed: the queue points to it. Otherwise p is invalid when
 * this returns.
 */
static void gone(struct dt_unwind *u, uint32_t pid)
{
	struct dt_unwind_proc **at = proc_at(u, pid), *p = *at;

	if (p == NULL)
		return;
	if (p->n > 0)
		(void)publish(u, pid, NULL);
	give_block(u, p);
	dt_unwind_runtimes_free(u, p);
	if (p->queued)
		return;			/* it goes when its turn comes */
	*at = p->next;
	free(p);
}

void dt_unwind_want(struct dt_unwind *u, uint32_t pid)
{
	struct dt_unwind_proc **at = proc_at(u, pid), *p = *at;

	if (p == NULL && (p = *at = calloc(1, sizeof(*p))) != NULL)
		p->pid = pid;
	if (p == NULL || p->queued)
		return;
	p->queued = true;
	p->after = NULL;
	*(u->last != NULL ? &u->last->after : &u->queue) = p;
	u->last = p;
}

static void on_event(void *ctx, uint32_t pid, bool ended)
{
	if (ended)
		gone(ctx, pid);
	else
		dt_unwind_want(ctx, pid);
}

/* ---- lists ---- */

enum { RECORDS = DT_UNWIND_LANGS * DT_UNWIND_LANG_MAPS, MAPS_MAX = DT_UNWIND_MAPS - RECORDS };

struct list { struct dt_unwind *u; struct dt_unwind_proc *p; uint32_t n; struct dt_unwind_map *map; };

/* bias takes an address of the process to one in the rows, which count from the file's first row. */
static int take_mapping(void *ctx, const struct dt_umapping *m)
{
	struct list *l = ctx;
	const struct dt_unwind_file *f;
	uint64_t vaddr;

	if (m->elf == NULL || l->n >= MAPS_MAX)
		return l->n >= MAPS_MAX;
	f = dt_unwind_file(l->u, m, l->p->pid);
	if (f == NULL || f->n == 0 || !dt_elf_code_vaddr(m->elf, m->offset, m->end - m->start, &vaddr))
		return 0;
	if (f->lang != NULL && dt_elf_begins_code(m->elf, m->offset))
		dt_unwind_runtime_seen(l->u, l->p, f, m->start - vaddr);
	l->map[l->n] = (struct dt_unwind_map){ .start = m->start,
		.end = m->end,
		.bias = m->start - (vaddr - f->base),
		.first = f->first,
		.n = f->n };
	l->n++;
	return 0;
}

/*
 * The new list is complete before it is published; the old place is given back after that, and rests for
 * DT_UNWIND_REUSE_NS. If it cannot be published, programs go on with the old one, which stays the process's.
 */
static void write_list(struct dt_unwind *u, struct dt_unwind_proc *p, const struct dt_unwind_map *m,
    uint32_t n, uint32_t nlangs)
{
	unsigned class = class_of(n);
	uint32_t first = take_block(u, class);
	struct dt_unwind_value list = { .first = first,
		.n = (n - nlangs * DT_UNWIND_LANG_MAPS) | nlangs << DT_UNWIND_LANGS_SHIFT };
	struct dt_unwind_proc old = *p, fresh = { .first = first, .n = n, .class = (uint8_t)class };

	if (first == UINT32_MAX) {
		u->stats.left_out++;
		return;
	}
	memcpy(dt_unwind_list(u, first), m, n * sizeof(*m));
	u->stats.mappings += n;
	u->stats.processes++;
	if (publish(u, p->pid, &list) != 0) {
		u->crowded++;		/* keys of files are in the same map */
		give_block(u, &fresh);
		return;
	}
	p->first = first;
	p->n = n;
	p->class = (uint8_t)class;
	give_block(u, &old);
}

static void make_list(struct dt_unwind *u, struct dt_unwind_proc *p)
{
	struct dt_unwind_lang record[DT_UNWIND_LANGS];
	struct list l = { .u = u, .p = p, .map = u->scratch + RECORDS };
	int err = dt_usyms_each_mapping(u->usyms, p->pid, take_mapping, &l);
	uint32_t nlangs = 0;

	if (err >= 0 && l.n > 0)
		nlangs = dt_unwind_runtimes(u, p, record);
	l.n = dt_unwind_add_code(p, l.map, l.n, MAPS_MAX);
	l.map -= nlangs * DT_UNWIND_LANG_MAPS;
	memcpy(l.map, record, nlangs * sizeof(*record));
	if (err < 0 || l.n == 0)
		gone(u, p->pid);
	else if ((l.n += nlangs * DT_UNWIND_LANG_MAPS) != p->n ||
	    memcmp(dt_unwind_list(u, p->first), l.map, l.n * sizeof(*l.map)) != 0)
		write_list(u, p, l.map, l.n, nlangs);
}

static void want_living(void *ctx, uint32_t pid, bool ended)
{
	if (!ended)
		dt_unwind_want(ctx, pid);
}

/* Whoever is queued is unlinked before its list is made, as making it may free it, or queue it again. */
bool dt_unwind_work(struct dt_unwind *u, uint64_t ns)
{
	uint64_t now = dt_clock_ns(), until = ns != UINT64_MAX ? now + ns : UINT64_MAX;

	u->hurry = ns != UINT64_MAX;
	dt_usyms_catch_up(u->usyms);
	dt_unwind_slow_poll(u, false);
	dt_unwind_runtimes_poll(u);
	if (u->again != 0 && now >= u->again) {
		u->again = 0;
		dt_usyms_each_process(u->usyms, want_living, u);
	}
	while (u->queue != NULL) {
		struct dt_unwind_proc *p = u->queue;

		u->queue = p->after;
		if (u->queue == NULL)
			u->last = NULL;
		p->queued = false;
		make_list(u, p);
		if (u->queue != NULL && (dt_clock_ns() >= until || dt_usyms_stopped(u->usyms)))
			return false;
	}
	dt_unwind_slow_poll(u, true);
	dt_unwind_sweep(u);
	return true;
}

/* ---- all of it ---- */

struct dt_unwind *dt_unwind_new(const struct dt_unwind_areas *areas, struct dt_usyms *usyms)
{
	struct dt_unwind *u = calloc(1, sizeof(*u));

	if (u == NULL || (u->scratch = calloc(DT_UNWIND_MAPS, sizeof(*u->scratch))) == NULL) {
		free(u);
		return NULL;
	}
	u->areas = *areas;
	u->areas.langs = areas->langs && !usyms->native;
	u->usyms = usyms;
	u->stats.rules = 1;		/* number 0: none, which is all zeros */
	u->sweep_at = DT_UNWIND_FILES;
	dt_usyms_listen(usyms, on_event, u);
	dt_reader_rows(usyms->files.reader, ROWS_TIMEOUT_NS);
	return u;
}

void dt_unwind_free(struct dt_unwind *u)
{
	if (u == NULL)
		return;
	dt_usyms_listen(u->usyms, NULL, NULL);
	dt_unwind_slow_free(u);
	for (int i = 0; i < DT_UNWIND_BUCKETS; i++)
		for (struct dt_unwind_proc *p = u->proc[i], *next; p != NULL; p = next) {
			next = p->next;
			dt_unwind_runtimes_free(u, p);
			free(p);
		}
	for (int i = 0; i < DT_UNWIND_CLASSES; i++)
		for (struct dt_unwind_room *b = u->free[i], *next; b != NULL; b = next) {
			next = b->next;
			free(b);
		}
	dt_unwind_files_free(u);
	free(u->scratch);
	free(u);
}

struct dt_unwind_stats dt_unwind_stats(const struct dt_unwind *u)
{
	return u->stats;
}
