/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What is known of each process, and what it may cost. A process can map as much and as often as it likes,
 * so the time spent on each is bounded, that on all together too, and so is the memory: what was used least
 * goes first, and can be learned again if the process lives.
 */
#include "symbol/usym_impl.h"
#include "base/clock.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MS 1000000u

/* Of one process: half a second at once, and then a sixteenth of the time. Of all: two seconds, a quarter. */
#define BURST_NS (500ull * MS)
#define ALL_BURST_NS (2000ull * MS)
enum { SHARE = 16, ALL_SHARE = 4 };
enum { FRESH_MAX = 4096 };	/* more only if there are as many already: each is sorted in a few times */

/* ---- time ---- */

uint64_t dt_usyms_cpu_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* What remains of the debt. It shrinks by the share of the time gone by, however rarely it is asked for. */
static uint64_t spent(struct dt_upurse *p, uint64_t now, unsigned share)
{
	uint64_t forgotten = (now - p->since) / share;

	p->spent -= forgotten < p->spent ? forgotten : p->spent;
	p->since = now;
	return p->spent;
}

/*
 * A process that is traced on purpose is not held up by what others cost; its own limit holds for it too.
 */
bool dt_uview_may(struct dt_usyms *us, struct dt_uview *v)
{
	uint64_t now = dt_clock_ns();

	if (spent(&v->purse, now, SHARE) < BURST_NS &&
	    (spent(&us->purse, now, ALL_SHARE) < ALL_BURST_NS || v->followed))
		return true;
	dt_usyms_say(us, DT_UNOTE_TIME, v->pid);
	return false;
}

void dt_uview_spend(struct dt_usyms *us, struct dt_uview *v, uint64_t cpu_ns)
{
	v->purse.spent += cpu_ns;
	us->purse.spent += cpu_ns;
}

bool dt_usyms_stopped(const struct dt_usyms *us)
{
	return us->stop != NULL && us->stop(us->user_ctx);
}

/*
 * The texts have at most one %u, for the process; a notice comes once for its kind, so that an enemy cannot
 * fill a terminal.
 */
void dt_usyms_say(struct dt_usyms *us, enum dt_unote what, uint32_t pid)
{
	static const char *const text[] = {
		[DT_UNOTE_TIME] = "process %u has too many mappings, or changes them too often, "
		    "for all of them to be followed: addresses in it may have no names",
		[DT_UNOTE_MEMORY] = "names of processes need more memory than -x namesize: "
		    "those used least are forgotten",
		[DT_UNOTE_FILE] = "symbols of a file that process %u maps are too large for -x namesize: "
		    "its functions have no names",
		[DT_UNOTE_JIT] = "the perf map of process %u is too large for -x namesize: "
		    "names at its end are left out",
		[DT_UNOTE_LANG] = "stacks of process %u have more functions than are kept of a process: "
		    "later ones have no names; -x stacklang=native shows native frames alone",
		[DT_UNOTE_LINES] = "debugging data that process %u maps cannot be read, or are too large for "
		    "-x namesize: its code has no lines and no inlined frames",
		[DT_UNOTE_EVENTS] = "there is no memory for events of processes: "
		    "addresses in those that end soon may have no names",
	};
	char line[200];

	if (us->note == NULL || us->noted & 1u << what)
		return;
	us->noted |= 1u << what;
	snprintf(line, sizeof(line), text[what], pid);
	us->note(us->user_ctx, line);
}

/* ---- views ---- */

struct dt_uview *dt_uview_find(const struct dt_usyms *us, uint32_t pid)
{
	for (struct dt_uview *v = us->bucket[pid % DT_UVIEW_BUCKETS]; v != NULL; v = v->next)
		if (v->pid == pid)
			return v;
	return NULL;
}

static void take_out(struct dt_usyms *us, struct dt_uview *v)
{
	*(v->older != NULL ? &v->older->newer : &us->oldest) = v->newer;
	*(v->newer != NULL ? &v->newer->older : &us->newest) = v->older;
}

static void put_last(struct dt_usyms *us, struct dt_uview *v)
{
	v->used = ++us->files.uses;
	v->newer = NULL;
	v->older = us->newest;
	*(us->newest != NULL ? &us->newest->newer : &us->oldest) = v;
	us->newest = v;
}

void dt_uview_use(struct dt_usyms *us, struct dt_uview *v)
{
	take_out(us, v);
	put_last(us, v);
}

static void drop_fresh(struct dt_usyms *us, struct dt_uview *v)
{
	for (uint32_t i = 0; i < v->nfresh; i++)
		dt_uobject_release(&us->files, v->fresh[i].object);
	us->files.bytes -= v->capfresh * sizeof(*v->fresh);
	free(v->fresh);
	v->fresh = NULL;
	v->nfresh = v->capfresh = 0;
}

/*
 * v is invalid after this. A process that lives can be learned again; one that has ended loses its names.
 */
void dt_uview_drop(struct dt_usyms *us, struct dt_uview *v)
{
	struct dt_uview **at = &us->bucket[v->pid % DT_UVIEW_BUCKETS];

	while (*at != v)
		at = &(*at)->next;
	*at = v->next;
	take_out(us, v);
	us->nviews--;
	drop_fresh(us, v);
	for (int i = 0; i < DT_UGENERATIONS; i++)
		dt_uspace_release(&us->files, v->space[i]);
	dt_ujit_free(&us->files, &v->jit);
	us->files.bytes -= sizeof(*v);
	free(v);
}

/* A new view goes last in the list of use, so that trimming does not take at once what was just made. */
struct dt_uview *dt_uview_get(struct dt_usyms *us, uint32_t pid)
{
	struct dt_uview *v = dt_uview_find(us, pid);

	if (v != NULL)
		return v;
	v = calloc(1, sizeof(*v));
	if (v == NULL)
		return NULL;
	v->pid = pid;
	v->next = us->bucket[pid % DT_UVIEW_BUCKETS];
	us->bucket[pid % DT_UVIEW_BUCKETS] = v;
	put_last(us, v);
	us->nviews++;
	us->files.bytes += sizeof(*v);
	return v;
}

/* ---- their mappings ---- */

/* Takes over the reference to s. The oldest generation is forgotten; a view that was dead lives again. */
void dt_uview_push(struct dt_usyms *us, struct dt_uview *v, struct dt_uspace *s, uint64_t when)
{
	dt_uview_settle(us, v);
	if (v->space[0] != NULL && v->space[0]->n == 0) {	/* nothing in it to remember */
		dt_uspace_release(&us->files, v->space[0]);
	} else {
		dt_uspace_release(&us->files, v->space[DT_UGENERATIONS - 1]);
		memmove(&v->space[1], &v->space[0], (DT_UGENERATIONS - 1) * sizeof(v->space[0]));
	}
	v->space[0] = s;
	v->born = when;
	v->dead = false;
}

/*
 * Without memory for the new space what was fresh is lost, and the old one stays: it is never half of each.
 */
void dt_uview_settle(struct dt_usyms *us, struct dt_uview *v)
{
	struct dt_uspace *s;

	if (v->nfresh == 0)
		return;
	s = dt_uspace_make(&us->files, v->space[0], v->fresh, v->nfresh);
	if (s != NULL) {
		dt_uspace_release(&us->files, v->space[0]);
		v->space[0] = s;
		dt_uview_spend(us, v, s->n * DT_USORT_NS);
	}
	drop_fresh(us, v);
}

/*
 * Fresh mappings are settled when they are FRESH_MAX and as many as the space already has: laying them over
 * it then costs no more than a few times what came, however many come.
 */
void dt_uview_add(struct dt_usyms *us, struct dt_uview *v, const struct dt_umap *m)
{
	uint32_t cap = v->capfresh != 0 ? v->capfresh * 2 : 8;
	struct dt_umap *more;

	if (v->nfresh >= FRESH_MAX && (v->space[0] == NULL || v->nfresh >= v->space[0]->n))
		dt_uview_settle(us, v);
	if (v->nfresh == v->capfresh) {
		more = realloc(v->fresh, cap * sizeof(*more));
		if (more == NULL) {
			dt_uobject_release(&us->files, m->object);
			return;
		}
		us->files.bytes += (cap - v->capfresh) * sizeof(*more);
		v->fresh = more;
		v->capfresh = cap;
	}
	v->fresh[v->nfresh++] = *m;
}

/* ---- memory ---- */

/* The one that was used least of those that have ended; of those that live only if there is none soon. */
static struct dt_uview *least_used(struct dt_usyms *us)
{
	struct dt_uview *v = us->oldest;
	int steps = 1000;

	while (v != NULL && !v->dead && v->newer != NULL && --steps > 0)
		v = v->newer;
	return v != NULL && v->dead ? v : us->oldest;
}

/*
 * A quarter of the limit stays free for what is read until the next time, and for what malloc() adds. Each
 * round frees something or is the last one: a file whose names are forgotten leaves the list, and so
 * does a view.
 */
void dt_usyms_trim(struct dt_usyms *us)
{
	while (us->limit != 0 && us->files.bytes > us->limit - us->limit / 4) {
		struct dt_uview *v = least_used(us);
		struct dt_ufile *f = us->files.oldest;

		if (f == NULL && v == NULL)
			return;
		dt_usyms_say(us, DT_UNOTE_MEMORY, 0);
		if (f != NULL && (v == NULL || f->used < v->used))
			dt_ufile_forget(&us->files, f);
		else
			dt_uview_drop(us, v);
	}
}
