/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Process ids and addresses come in, places go out. A process has a view: what it maps now, and what it
 * mapped before its last exec (the newest is searched first; with address space randomisation they
 * hardly overlap). A forked process shares its parent's mappings until one of them changes.
 */
#include "symbol/usym_impl.h"
#include "base/clock.h"

#include "base/file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define AGAIN_NS 50000000u	/* a process that does not know an address is not asked again before that */
#define ALL_NS 500000000u	/* for all processes at the start */

enum {
	GENERATIONS = 4,
	VIEW_BUCKETS = 4096,
	VIEWS_MAX = 1 << 16,
	MAPS_MAX = 64 << 20,
	MAPPINGS_MAX = 1 << 17
};

struct map { uint64_t start, end, offset; struct dt_uobject *object; };

struct space {
	uint32_t refs;
	uint32_t n, cap;
	struct map *map;		/* the later wins */
};

struct view {
	uint32_t pid;
	bool dead;
	struct space *space[GENERATIONS];	/* newest first */
	uint64_t asked;			/* ns, when /proc was */
	uint64_t born;			/* ns, of the newest space */
	struct dt_ujit jit;
	struct view *next;		/* of the bucket */
	struct view *older, *newer;	/* by age */
};

struct dt_usyms {
	struct dt_watch *watch;
	struct dt_ufiles files;
	struct view *bucket[VIEW_BUCKETS];
	struct view *oldest, *newest;
	uint32_t nviews;
	dt_usyms_news_f *listener;
	void *listener_ctx;
};

static void tell_listener(struct dt_usyms *us, uint32_t pid, bool ended)
{
	if (us->listener != NULL)
		us->listener(us->listener_ctx, pid, ended);
}

/* ---- spaces ---- */

static void release(struct space *s)
{
	if (s == NULL || --s->refs > 0)
		return;
	free(s->map);
	free(s);
}

static struct space *new_space(const struct space *from)
{
	struct space *s = calloc(1, sizeof(*s));

	if (s == NULL)
		return NULL;
	s->refs = 1;
	if (from != NULL && from->n > 0) {
		s->map = malloc(from->n * sizeof(*s->map));
		if (s->map == NULL) {
			free(s);
			return NULL;
		}
		memcpy(s->map, from->map, from->n * sizeof(*s->map));
		s->n = s->cap = from->n;
	}
	return s;
}

/* Removes what the new mapping covers. */
static void cover(struct space *s, uint64_t start, uint64_t end)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < s->n; i++)
		if (s->map[i].start < start || s->map[i].end > end)
			s->map[n++] = s->map[i];
	s->n = n;
}

static void put_map(struct space *s, const struct map *m)
{
	cover(s, m->start, m->end);
	if (s->n == s->cap) {
		uint32_t cap = s->cap != 0 ? s->cap * 2 : 16;
		struct map *more = cap <= MAPPINGS_MAX ? realloc(s->map, cap * sizeof(*more)) : NULL;

		if (more == NULL)
			return;
		s->map = more;
		s->cap = cap;
	}
	s->map[s->n++] = *m;
}

static const struct map *map_at(const struct space *s, uint64_t addr)
{
	for (uint32_t i = s->n; i > 0; i--)
		if (addr >= s->map[i - 1].start && addr < s->map[i - 1].end)
			return &s->map[i - 1];
	return NULL;
}

/* ---- views ---- */

static struct view *find_view(const struct dt_usyms *us, uint32_t pid)
{
	for (struct view *v = us->bucket[pid % VIEW_BUCKETS]; v != NULL; v = v->next)
		if (v->pid == pid)
			return v;
	return NULL;
}

static void free_view(struct view *v)
{
	for (int i = 0; i < GENERATIONS; i++)
		release(v->space[i]);
	dt_ujit_free(&v->jit);
	free(v);
}

static void unlink_view(struct dt_usyms *us, struct view *v)
{
	struct view **at = &us->bucket[v->pid % VIEW_BUCKETS];

	while (*at != v)
		at = &(*at)->next;
	*at = v->next;
	*(v->older != NULL ? &v->older->newer : &us->oldest) = v->newer;
	*(v->newer != NULL ? &v->newer->older : &us->newest) = v->older;
	us->nviews--;
}

/*
 * Drops the oldest view of a dead process; if all live, the oldest of those, which can be learned
 * again.
 */
static void make_room(struct dt_usyms *us)
{
	struct view *v = us->oldest;
	int steps = 1000;

	while (v != NULL && !v->dead && v->newer != NULL && --steps > 0)
		v = v->newer;
	if (v != NULL && !v->dead)
		v = us->oldest;
	if (v != NULL) {
		unlink_view(us, v);
		free_view(v);
	}
}

static struct view *view_of(struct dt_usyms *us, uint32_t pid)
{
	struct view *v = find_view(us, pid);

	if (v != NULL)
		return v;
	if (us->nviews >= VIEWS_MAX)
		make_room(us);
	v = calloc(1, sizeof(*v));
	if (v == NULL)
		return NULL;
	v->pid = pid;
	v->next = us->bucket[pid % VIEW_BUCKETS];
	us->bucket[pid % VIEW_BUCKETS] = v;
	v->older = us->newest;
	*(us->newest != NULL ? &us->newest->newer : &us->oldest) = v;
	us->newest = v;
	us->nviews++;
	return v;
}

/* Puts a new space in front; the view owns it. */
static void push_space(struct view *v, struct space *s, uint64_t when)
{
	if (v->space[0] != NULL && v->space[0]->n == 0) {	/* nothing in it to remember */
		release(v->space[0]);
	} else {
		release(v->space[GENERATIONS - 1]);
		memmove(&v->space[1], &v->space[0], (GENERATIONS - 1) * sizeof(v->space[0]));
	}
	v->space[0] = s;
	v->born = when;
	v->dead = false;
}

/* The newest space, to be changed: never shared with another process. */
static struct space *own_space(struct view *v)
{
	if (v->space[0] == NULL) {
		v->space[0] = new_space(NULL);
	} else if (v->space[0]->refs > 1) {
		struct space *s = new_space(v->space[0]);

		if (s == NULL)
			return NULL;
		release(v->space[0]);
		v->space[0] = s;
	}
	return v->space[0];
}

/* Records a code mapping; memory without a file may come from a run-time compiler. */
static void take_mapping(struct dt_usyms *us, struct view *v, struct space *s, const struct dt_uwant *w,
    uint64_t offset)
{
	struct map map = { w->start, w->end, offset, dt_uobject_get(&us->files, w) };

	if (map.object == NULL)
		return;
	if (map.object->anon)
		dt_ujit_learn(&v->jit, v->pid);
	put_map(s, &map);
}

/* ---- from /proc ---- */

/*
 * The snapshot replaces what was thought to be mapped; mappings that are gone may still occur in
 * records.
 */
static bool snapshot(struct dt_usyms *us, struct view *v)
{
	struct dt_mapping m;
	struct space *s;
	char path[40], *text;
	const char *p;
	size_t len;

	snprintf(path, sizeof(path), "/proc/%u/maps", v->pid);
	v->asked = dt_clock_ns();
	if (dt_file_read(path, MAPS_MAX, &text, &len) != 0)
		return false;
	s = len > 0 ? new_space(v->space[0]) : NULL;	/* a zombie has no mappings */
	for (p = text; s != NULL && dt_maps_next(&p, &m); ) {
		struct dt_uwant w = { v->pid, m.start, m.end, m.major, m.minor, m.inode, NULL, 0, m.path };

		if (m.exec)
			take_mapping(us, v, s, &w, m.offset);
	}
	free(text);
	if (s == NULL)
		return false;
	release(v->space[0]);
	v->space[0] = s;
	tell_listener(us, v->pid, false);
	return true;
}

void dt_usyms_learn(struct dt_usyms *us, uint32_t pid)
{
	struct view *v = pid != 0 ? find_view(us, pid) : NULL;
	bool fresh = v == NULL;

	if (pid == 0 || (fresh && (v = view_of(us, pid)) == NULL))
		return;
	if (!snapshot(us, v) && fresh)
		v->dead = true;
}

void dt_usyms_follow(struct dt_usyms *us, uint32_t pid)
{
	struct view *v;

	dt_usyms_learn(us, pid);
	v = find_view(us, pid);
	if (v != NULL)
		dt_ujit_learn(&v->jit, pid);
}

void dt_usyms_learn_all(struct dt_usyms *us)
{
	uint64_t until = dt_clock_ns() + ALL_NS;
	DIR *d = opendir("/proc");

	for (struct dirent *e; d != NULL && (e = readdir(d)) != NULL && dt_clock_ns() < until; ) {
		char *end;
		unsigned long pid = strtoul(e->d_name, &end, 10);

		if (end != e->d_name && *end == '\0' && pid <= UINT32_MAX)
			dt_usyms_learn(us, (uint32_t)pid);
	}
	if (d != NULL)
		closedir(d);
}

/* ---- from the kernel ---- */

static void on_map(struct dt_usyms *us, const struct dt_watch_event *e)
{
	struct view *v = view_of(us, e->pid);
	struct space *s = v != NULL ? own_space(v) : NULL;
	struct dt_uwant w = { e->pid, e->start, e->start + e->len, e->major, e->minor, e->inode, e->id,
		e->idlen, e->path };

	if (s == NULL)
		return;
	take_mapping(us, v, s, &w, e->offset);
	tell_listener(us, e->pid, false);
}

static void on_fork(struct dt_usyms *us, const struct dt_watch_event *e)
{
	struct view *parent, *child = find_view(us, e->pid);

	if (child != NULL && !child->dead && child->born > e->time)
		return;		/* told late: it has gone on since */
	parent = find_view(us, e->ppid);
	if (parent == NULL) {
		dt_usyms_learn(us, e->ppid);
		parent = find_view(us, e->ppid);
	}
	child = view_of(us, e->pid);	/* may push another view out: the parent is looked for again */
	parent = find_view(us, e->ppid);
	if (child == NULL || parent == NULL || parent->space[0] == NULL)
		return;
	parent->space[0]->refs++;
	dt_ujit_free(&child->jit);	/* of an earlier process of that number */
	push_space(child, parent->space[0], e->time);
	tell_listener(us, e->pid, false);
}

static void on_exec(struct dt_usyms *us, const struct dt_watch_event *e)
{
	struct view *v = view_of(us, e->pid);
	struct space *s = v != NULL ? new_space(NULL) : NULL;

	if (s != NULL)
		push_space(v, s, e->time);
	tell_listener(us, e->pid, false);
}

static void on_news(void *ctx, const struct dt_watch_event *e)
{
	struct dt_usyms *us = ctx;
	struct view *v;

	switch (e->kind) {
	case DT_WATCH_MAP: on_map(us, e); break;
	case DT_WATCH_FORK: on_fork(us, e); break;
	case DT_WATCH_EXEC: on_exec(us, e); break;
	case DT_WATCH_EXIT:
		v = find_view(us, e->pid);
		if (v != NULL)
			v->dead = true;
		tell_listener(us, e->pid, true);
		break;
	case DT_WATCH_LOST: break;	/* /proc is asked for addresses nobody knows */
	}
}

struct dt_usyms *dt_usyms_new(void)
{
	return calloc(1, sizeof(struct dt_usyms));
}

void dt_usyms_free(struct dt_usyms *us)
{
	if (us == NULL)
		return;
	dt_watch_close(us->watch);
	for (struct view *v = us->oldest, *next; v != NULL; v = next) {
		next = v->newer;
		free_view(v);
	}
	dt_ufiles_free(&us->files);
	free(us);
}

int dt_usyms_watch(struct dt_usyms *us)
{
	return us->watch != NULL ? 0 : dt_watch_open(&us->watch);
}

void dt_usyms_poll(struct dt_usyms *us)
{
	if (us->watch != NULL)
		(void)dt_watch_read(us->watch, on_news, us);
}

/* ---- looking up ---- */

static const struct map *find_map(const struct view *v, uint64_t addr, const struct space **in)
{
	for (int i = 0; i < GENERATIONS; i++) {
		const struct map *m = v->space[i] != NULL ? map_at(v->space[i], addr) : NULL;

		if (m != NULL) {
			*in = v->space[i];
			return m;
		}
	}
	return NULL;
}

static uint64_t object_start(const struct space *s, const struct dt_uobject *o)
{
	uint64_t start = UINT64_MAX;

	for (uint32_t i = 0; i < s->n; i++)
		if (s->map[i].object == o && s->map[i].start < start)
			start = s->map[i].start;
	return start;
}

/* The vdso of a program with another word size. */
static bool other_vdso(const struct dt_usyms *us, const struct map *m)
{
	const struct dt_ufile *vdso = us->files.vdso;

	return vdso != NULL && m->object->file == vdso && vdso->maplen != m->end - m->start;
}

static void place_in_file(struct dt_usyms *us, const struct map *m, uint64_t addr, struct dt_uplace *p)
{
	const struct dt_elf_function *f;
	uint64_t vaddr;

	if (other_vdso(us, m))
		return;
	p->elf = dt_ufile_elf(&us->files, m->object->file);
	if (p->elf == NULL || !dt_elf_offset_to_vaddr(p->elf, p->offset, &vaddr))
		return;
	f = dt_elf_function_at(p->elf, vaddr);
	if (f == NULL)
		f = dt_elf_data_at(p->elf, vaddr);	/* constants may lie among code */
	if (f != NULL) {
		p->function = f->name;
		p->function_start = addr - (vaddr - f->vaddr);
	}
}

static void place_in_memory(struct view *v, uint64_t addr, struct dt_uplace *p)
{
	const struct dt_jit_function *f = dt_ujit_at(&v->jit, addr);

	if (f == NULL)
		return;
	p->object = v->jit.name;
	p->function = f->name;
	p->function_start = f->start;
}

/* Only code mappings are kept: the distance of a file's data from its code is that in the file. */
static bool data_of(const struct space *s, const struct map *m, uint64_t addr, struct dt_uplace *p)
{
	struct dt_elf *elf = m->object->file != NULL ? m->object->file->elf : NULL;
	const struct dt_elf_function *f;
	uint64_t vaddr;

	if (elf == NULL || !dt_elf_code_vaddr(elf, m->offset, m->end - m->start, &vaddr))
		return false;
	vaddr += addr - m->start;
	if (!dt_elf_has_memory(elf, vaddr))
		return false;
	*p = (struct dt_uplace){ .object = m->object->base,
		.path = m->object->path,
		.elf = elf,
		.object_start = object_start(s, m->object) };
	dt_elf_vaddr_to_offset(elf, vaddr, &p->offset);
	f = dt_elf_data_at(elf, vaddr);
	if (f != NULL) {
		p->function = f->name;
		p->function_start = addr - (vaddr - f->vaddr);
	}
	return true;
}

static bool place_in_data(const struct view *v, uint64_t addr, struct dt_uplace *p)
{
	for (int i = 0; i < GENERATIONS; i++)
		for (uint32_t k = v->space[i] != NULL ? v->space[i]->n : 0; k > 0; k--)
			if (data_of(v->space[i], &v->space[i]->map[k - 1], addr, p))
				return true;
	return false;
}

bool dt_usyms_lookup(struct dt_usyms *us, uint32_t pid, uint64_t addr, struct dt_uplace *p)
{
	const struct space *s = NULL;
	const struct map *m;
	struct view *v;

	dt_usyms_poll(us);
	v = find_view(us, pid);
	m = v != NULL ? find_map(v, addr, &s) : NULL;
	if (m == NULL && v != NULL && place_in_data(v, addr, p))
		return true;
	if (m == NULL &&
	    (v == NULL || ((!v->dead || us->watch == NULL) && dt_clock_ns() - v->asked > AGAIN_NS))) {
		dt_usyms_learn(us, pid);
		v = find_view(us, pid);
		m = v != NULL ? find_map(v, addr, &s) : NULL;
		if (m == NULL && v != NULL && place_in_data(v, addr, p))
			return true;
	}
	if (m == NULL)
		return false;
	*p = (struct dt_uplace){ .object = m->object->base,
		.path = m->object->path,
		.offset = addr - m->start + m->offset,
		.object_start = object_start(s, m->object) };
	if (m->object->file != NULL)
		place_in_file(us, m, addr, p);
	else
		place_in_memory(v, addr, p);
	return p->function != NULL || !m->object->anon;	/* nameless memory is no object */
}

int dt_usyms_each_object(struct dt_usyms *us, uint32_t pid, dt_usyms_object_f *f, void *ctx)
{
	struct view *v;
	const struct space *s;
	int err = 0;

	dt_usyms_poll(us);
	dt_usyms_learn(us, pid);
	v = find_view(us, pid);
	s = v != NULL ? v->space[0] : NULL;
	if (s == NULL)
		return -ESRCH;
	for (uint32_t i = 0; i < s->n && err == 0; i++) {
		const struct map *m = &s->map[i];
		struct dt_elf *elf = dt_ufile_elf(&us->files, m->object->file);
		bool seen = false;

		for (uint32_t k = 0; k < i && !seen; k++)
			seen = s->map[k].object == m->object;
		if (elf != NULL && !seen)
			err = f(ctx, m->object->path, elf, m->start, m->offset);
	}
	return err;
}

/* ---- who else wants to know ---- */

void dt_usyms_listen(struct dt_usyms *us, dt_usyms_news_f *f, void *ctx)
{
	us->listener = f;
	us->listener_ctx = ctx;
}

void dt_usyms_each_process(struct dt_usyms *us, dt_usyms_news_f *f, void *ctx)
{
	for (const struct view *v = us->oldest; v != NULL; v = v->newer)
		if (!v->dead)
			f(ctx, v->pid, false);
}

int dt_usyms_each_mapping(struct dt_usyms *us, uint32_t pid, dt_usyms_mapping_f *f, void *ctx)
{
	const struct view *v = find_view(us, pid);
	const struct space *s = v != NULL && !v->dead ? v->space[0] : NULL;
	int err = s != NULL ? 0 : -ESRCH;

	for (uint32_t i = 0; s != NULL && i < s->n && err == 0; i++) {
		const struct map *m = &s->map[i];
		struct dt_ufile *file = other_vdso(us, m) ? NULL : m->object->file;
		struct dt_umapping u = { m->start, m->end, m->offset, file, file != NULL ? file->elf : NULL,
			file != NULL && file == us->files.vdso, file != NULL ? file->dev : 0,
			file != NULL ? file->ino : 0 };

		err = f(ctx, &u);
	}
	return err;
}

struct dt_usyms_stats dt_usyms_stats(const struct dt_usyms *us)
{
	return (struct dt_usyms_stats){ us->files.nfiles, us->files.nopened, us->nviews };
}
