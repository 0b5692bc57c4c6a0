/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Mappings of processes come in, from /proc and from the kernel as they change. A process has a view: what
 * it maps now, and what it mapped before its last exec (the newest is searched first; with address space
 * randomisation they hardly overlap). A forked process shares its parent's mappings until one of them
 * changes. Events may come late, or not at all when a ring was full: a view is then wrong until /proc is
 * asked for it (usym_place.c). Views are dropped by dt_usyms_trim() alone, at the end of dt_usyms_poll():
 * between two polls a pointer to a view stays valid, while its spaces change whenever something is settled.
 */
#include "symbol/usym_impl.h"
#include "file/reader.h"
#include "base/clock.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>

#define ALL_TIMEOUT_NS 500000000u	/* for all processes at the start */
#define ONE_TIMEOUT_NS 300000000u	/* of CPU time, for one of them */
#define LOOK_NS 1000000000u	/* between two looks at who maps what */
#define HURRY_TIMEOUT_NS 100000000u	/* for perf maps of others, after an interrupt */
#define CATCH_UP_NS 50000000u	/* between two looks at processes that are behind */
#define DEFERRED_TIMEOUT_NS 5000000u	/* and for those that there was no time for at the start */
#define EVENT_NS 5000u		/* what a mapping costs that is reported, as a rule */

static void notify_listener(struct dt_usyms *us, uint32_t pid, bool ended)
{
	if (us->listener != NULL)
		us->listener(us->listener_ctx, pid, ended);
}

/*
 * Records a code mapping; memory without a file may come from a run-time compiler. dt_uview_add() takes
 * over the reference to the object. Without memory the mapping is lost, and its addresses have no names.
 */
static void take_mapping(struct dt_usyms *us, struct dt_uview *v, const struct dt_uwant *w, uint64_t offset)
{
	struct dt_umap map = { w->start, w->end, offset, dt_uobject_get(&us->files, w), 0 };

	if (map.object == NULL)
		return;
	if (map.object->anon)
		dt_ujit_learn(&us->files, &v->jit, v->pid);
	dt_uview_add(us, v, &map);
}

/* ---- from /proc ---- */

/* One look at /proc. until: CPU time at which it ends, as a process can have mappings without end. */
struct reading { struct dt_usyms *us; struct dt_uview *v; uint64_t until; unsigned n; };

/*
 * The clock and the user are asked every 256 lines. False ends the reading, and `behind` says that there
 * was more.
 */
static bool take_line(void *ctx, const struct dt_mapping *m)
{
	struct reading *r = ctx;
	struct dt_uwant w = { r->v->pid, m->start, m->end, m->major, m->minor, m->inode, NULL, 0, m->path };

	if (m->exec)
		take_mapping(r->us, r->v, &w, m->offset);
	r->v->behind = ++r->n % 256 == 0 && (dt_usyms_stopped(r->us) || dt_usyms_cpu_ns() > r->until);
	return !r->v->behind;
}

/*
 * What is read is laid over what was thought to be mapped: mappings that are gone may still occur in
 * records. A zombie has no mappings.
 */
static bool snapshot(struct dt_usyms *us, struct dt_uview *v)
{
	uint64_t began = dt_usyms_cpu_ns();
	struct reading r = { us, v, began + ONE_TIMEOUT_NS, 0 };
	bool any;

	v->asked = dt_clock_ns();
	v->behind = false;
	any = dt_maps_each(v->pid, take_line, &r) > 0;
	v->cost = dt_usyms_cpu_ns() - began;
	dt_uview_spend(us, v, v->cost);
	us->lagging |= v->behind;
	if (v->behind && !dt_usyms_stopped(us))
		dt_usyms_say(us, DT_UNOTE_TIME, v->pid);
	if (any)
		notify_listener(us, v->pid, false);
	return any;
}

/*
 * A process that was not known and has no mappings has ended, or is the kernel's: the view stays, marked
 * dead, so that it is not asked for again with each address.
 */
void dt_usyms_learn(struct dt_usyms *us, uint32_t pid)
{
	struct dt_uview *v = pid != 0 ? dt_uview_find(us, pid) : NULL;
	bool fresh = v == NULL;

	if (pid == 0 || (fresh && (v = dt_uview_get(us, pid)) == NULL))
		return;
	if (!snapshot(us, v) && fresh)
		v->dead = true;
}

void dt_usyms_follow(struct dt_usyms *us, uint32_t pid)
{
	struct dt_uview *v;

	dt_usyms_learn(us, pid);
	v = dt_uview_find(us, pid);
	if (v == NULL)
		return;
	v->followed = true;
	dt_ujit_learn(&us->files, &v->jit, pid);
}

/*
 * Processes from us->unlearned on, for so long: /proc lists them in the order of their numbers. Those that
 * events have reported since then are known.
 */
static void learn_some(struct dt_usyms *us, uint64_t ns)
{
	uint64_t until = dt_clock_ns() + ns;
	uint32_t from = us->unlearned;
	DIR *d = opendir("/proc");

	us->unlearned = 0;
	for (struct dirent *e; d != NULL && us->unlearned == 0 && (e = readdir(d)) != NULL &&
	    !dt_usyms_stopped(us); ) {
		char *end;
		unsigned long pid = strtoul(e->d_name, &end, 10);

		if (end == e->d_name || *end != '\0' || pid < from || pid > UINT32_MAX)
			continue;
		if (dt_clock_ns() >= until)
			us->unlearned = (uint32_t)pid;
		else if (from <= 1 || dt_uview_find(us, (uint32_t)pid) == NULL)
			dt_usyms_learn(us, (uint32_t)pid);
	}
	if (d != NULL)
		closedir(d);
}

void dt_usyms_learn_all(struct dt_usyms *us)
{
	us->unlearned = 1;
	learn_some(us, ALL_TIMEOUT_NS);
	us->lagging |= us->unlearned != 0;
}

/* Learning moves no view in the list. What a process may cost holds here too. */
void dt_usyms_catch_up(struct dt_usyms *us)
{
	uint64_t now = us->lagging ? dt_clock_ns() : 0;

	if (!us->lagging || now - us->caught_up < CATCH_UP_NS)
		return;
	us->caught_up = now;
	if (us->unlearned != 0)
		learn_some(us, DEFERRED_TIMEOUT_NS);
	us->lagging = us->unlearned != 0;
	for (struct dt_uview *v = us->oldest; v != NULL; v = v->newer)
		if (v->behind && !v->dead) {
			if (dt_usyms_may_ask(us, v->pid))
				dt_usyms_learn(us, v->pid);
			us->lagging |= v->behind;
		}
}

/* ---- from the kernel ---- */

/* With `few` no process is entered: what is of interest was entered by following, learning or forking. */
static struct dt_uview *view_for(struct dt_usyms *us, uint32_t pid)
{
	return us->few ? dt_uview_find(us, pid) : dt_uview_get(us, pid);
}

/* A process that has used up its time is only noted as behind; the event costs nothing more. */
static void on_map(struct dt_usyms *us, const struct dt_watch_event *e)
{
	struct dt_uview *v = view_for(us, e->pid);
	struct dt_uwant w = { e->pid, e->start, e->start + e->len, e->major, e->minor, e->inode, e->id,
		e->idlen, e->path };
	uint64_t before = us->files.spent;

	if (v == NULL)
		return;
	if (!dt_uview_may(us, v)) {
		v->behind = us->lagging = true;
		return;
	}
	take_mapping(us, v, &w, e->offset);
	dt_uview_spend(us, v, EVENT_NS + us->files.spent - before);
	notify_listener(us, e->pid, false);
}

/*
 * The child shares the parent's newest space; what was fresh must be settled first, or the child would miss
 * it. A view of a process of the same number that has ended is used again, without its debts and its perf
 * map.
 */
static void on_fork(struct dt_usyms *us, const struct dt_watch_event *e)
{
	struct dt_uview *parent, *child = dt_uview_find(us, e->pid);

	if (child != NULL && !child->dead && child->born > e->time)
		return;		/* a late event: the process has gone on since */
	parent = dt_uview_find(us, e->ppid);
	if (parent == NULL && us->few)
		return;
	if (parent == NULL) {
		dt_usyms_learn(us, e->ppid);
		parent = dt_uview_find(us, e->ppid);
	}
	child = dt_uview_get(us, e->pid);
	if (child == NULL || parent == NULL)
		return;
	dt_uview_settle(us, parent);
	dt_ujit_free(&us->files, &child->jit);	/* of an earlier process of that number */
	if (child->dead)
		child->purse = (struct dt_upurse){ 0 };
	if (parent->space[0] == NULL)
		return;
	parent->space[0]->refs++;
	dt_uview_push(us, child, parent->space[0], e->time);
	child->followed = parent->followed;
	child->behind = parent->behind;
	notify_listener(us, e->pid, false);
}

/*
 * An empty space is put in front: the old mappings are still found for records from before, while new ones
 * go into the empty one.
 */
static void on_exec(struct dt_usyms *us, const struct dt_watch_event *e)
{
	struct dt_uview *v = view_for(us, e->pid);
	struct dt_uspace *s = v != NULL ? dt_uspace_make(&us->files, NULL, NULL, 0) : NULL;

	if (s == NULL)
		return;
	dt_uview_push(us, v, s, e->time);
	v->behind = false;
	notify_listener(us, e->pid, false);
}

/* Its perf map is read a last time: its root must not stay open, nor its file system in use. */
static void on_end(struct dt_usyms *us, uint32_t pid)
{
	struct dt_uview *v = dt_uview_find(us, pid);

	us->ended = true;
	if (v != NULL) {
		v->dead = true;
		if (v->jit.slot != 0)
			dt_usyms_jit(us, v, true);
		dt_ujit_close(&us->files, &v->jit);
	}
	notify_listener(us, pid, true);
}

static void on_event(void *ctx, const struct dt_watch_event *e)
{
	struct dt_usyms *us = ctx;

	switch (e->kind) {
	case DT_WATCH_MAP: on_map(us, e); break;
	case DT_WATCH_FORK: on_fork(us, e); break;
	case DT_WATCH_EXEC: on_exec(us, e); break;
	case DT_WATCH_EXIT: on_end(us, e->pid); break;
	case DT_WATCH_LOST:		/* /proc is asked for unknown addresses */
		us->lost++;
		if (e->memory)
			dt_usyms_say(us, DT_UNOTE_EVENTS, 0);
		break;
	}
}

/* ---- all of it ---- */

struct dt_usyms *dt_usyms_new(void)
{
	struct dt_usyms *us = calloc(1, sizeof(*us));

	if (us != NULL && (us->langs = dt_langs_new()) == NULL) {
		free(us);
		return NULL;
	}
	if (us != NULL)
		us->files.reader = dt_reader_new();
	return us;
}

struct dt_langs *dt_usyms_langs(struct dt_usyms *us) { return us->langs; }

void dt_usyms_native(struct dt_usyms *us, bool native) { us->native = native; }

void dt_usyms_limit(struct dt_usyms *us, uint64_t bytes)
{
	us->limit = bytes;
}

void dt_usyms_heed(struct dt_usyms *us, dt_usyms_stop_f *stop, dt_usyms_note_f *note, void *ctx)
{
	us->stop = stop;
	us->note = note;
	us->user_ctx = ctx;
	dt_reader_set_callbacks(us->files.reader, stop, note, ctx);
}

void dt_usyms_hurry(struct dt_usyms *us)
{
	if (us == NULL || us->hurry != 0)
		return;
	us->hurry = dt_clock_ns() + HURRY_TIMEOUT_NS;
	dt_reader_hurry(us->files.reader);
}

/*
 * Views go first, as they hold objects, which hold files; the reader goes last (dt_ufiles_free()), as files
 * ask it.
 */
void dt_usyms_free(struct dt_usyms *us)
{
	if (us == NULL)
		return;
	dt_watch_close(us->watch);
	dt_langs_free(us->langs);
	while (us->oldest != NULL)
		dt_uview_drop(us, us->oldest);
	dt_ufiles_free(&us->files);
	free(us);
}

int dt_usyms_watch(struct dt_usyms *us, bool few)
{
	us->few = few;
	return us->watch != NULL ? 0 : dt_watch_open(&us->watch);
}

/* A file that only ended processes had mapped must not keep its file system in use. */
static void look_at_ended(struct dt_usyms *us)
{
	uint64_t pass, now = dt_clock_ns();

	if (!us->ended || us->files.away == 0 || now - us->looked < LOOK_NS)
		return;
	us->looked = now;
	us->ended = false;
	pass = ++us->files.serial;
	for (struct dt_uview *v = us->oldest; v != NULL; v = v->newer) {
		const struct dt_uspace *s = !v->dead ? v->space[0] : NULL;

		for (uint32_t i = 0; s != NULL && i < s->n; i++)
			if (s->map[i].object->file != NULL)
				s->map[i].object->file->seen = pass;
		for (uint32_t i = 0; !v->dead && i < v->nfresh; i++)
			if (v->fresh[i].object->file != NULL)
				v->fresh[i].object->file->seen = pass;
	}
	dt_ufiles_let_go(&us->files, pass);
}

void dt_usyms_poll(struct dt_usyms *us)
{
	if (us->watch != NULL)
		(void)dt_watch_read(us->watch, on_event, us);
	look_at_ended(us);
	dt_usyms_trim(us);
}

/* ---- who else wants to know ---- */

void dt_usyms_listen(struct dt_usyms *us, dt_usyms_event_f *f, void *ctx)
{
	us->listener = f;
	us->listener_ctx = ctx;
}

void dt_usyms_each_process(struct dt_usyms *us, dt_usyms_event_f *f, void *ctx)
{
	for (const struct dt_uview *v = us->oldest; v != NULL; v = v->newer)
		if (!v->dead)
			f(ctx, v->pid, false);
}

/* f must not poll: the space that is walked belongs to the view. */
int dt_usyms_each_mapping(struct dt_usyms *us, uint32_t pid, dt_usyms_mapping_f *f, void *ctx)
{
	struct dt_uview *v = dt_uview_find(us, pid);
	const struct dt_uspace *s;
	int err = 0;

	if (v == NULL || v->dead)
		return -ESRCH;
	dt_uview_settle(us, v);
	s = v->space[0];
	for (uint32_t i = 0; s != NULL && i < s->n && err == 0; i++) {
		const struct dt_umap *m = &s->map[i];
		struct dt_ufile *file = dt_umap_file(us, m);
		struct dt_umapping u = { m->start, m->end, m->offset, file != NULL ? file->number : 0,
			file != NULL ? file->elf : NULL, file != NULL && file == us->files.vdso,
			file != NULL ? file->dev : 0, file != NULL ? file->ino : 0, m->object->base };

		err = f(ctx, &u);
	}
	dt_uview_spend(us, v, (s != NULL ? s->n : 0) * DT_ULOOK_NS);
	return s != NULL ? err : -ESRCH;
}

struct dt_usyms_stats dt_usyms_stats(const struct dt_usyms *us)
{
	return (struct dt_usyms_stats){ us->files.nfiles, us->files.nopened, us->nviews, us->files.bytes,
		us->lost };
}
