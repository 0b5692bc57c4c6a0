/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * From points, which are offsets in files, to places, which are instructions of a process: where its files
 * are mapped, and what a place is called.
 */
#include "inproc/finding.h"

#include "base/printable.h"
#include "file/elf.h"
#include "file/reader.h"
#include "symbol/maps.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

enum { UNIT_ALIGN = 16 };

/* ---- mappings ---- */

static bool note_mapping(void *ctx, const struct dt_mapping *m)
{
	struct inproc_maps *all = ctx;

	if (m->inode == 0)
		return true;
	if (all->n == all->cap) {
		uint32_t cap = all->cap * 2 + 64;
		struct inproc_mapped *more = realloc(all->v, cap * sizeof(*more));

		if (more == NULL) {
			all->err = -ENOMEM;
			return false;
		}
		all->v = more;
		all->cap = cap;
	}
	all->v[all->n] = (struct inproc_mapped){
	    m->start, m->end, m->offset, m->inode, makedev(m->major, m->minor), m->exec, strdup(m->path)};
	if (all->v[all->n++].path == NULL)
		all->err = -ENOMEM;
	return all->err == 0;
}

static void free_maps(struct inproc_maps *all)
{
	for (uint32_t i = 0; i < all->n; i++)
		free(all->v[i].path);
	free(all->v);
}

/*
 * File systems with subvolumes show another device in maps than stat(2) does: then the path has to be the
 * same.
 */
static bool is_file(const struct inproc_mapped *m, const struct stat *st, const char *path)
{
	return m->inode == st->st_ino && (m->dev == st->st_dev || strcmp(m->path, path) == 0);
}

static bool has_offset(const struct inproc_mapped *m, uint64_t offset)
{
	return offset >= m->offset && offset - m->offset < m->end - m->start;
}

/* ---- places ---- */

/* Providers name a file by a descriptor of ours, which is another one in the process that reads. */
static int read_symbols(struct dt_reader *r, const char *path, struct dt_elf **elf, uint64_t *inode)
{
	struct statx st = { 0 };
	int fd, err;

	if (sscanf(path, "/proc/self/fd/%d", &fd) == 1)
		err = dt_elf_find_fd(r, fd, path, elf, &st);
	else
		err = dt_elf_find(r, path, path, 0, elf, &st);
	*inode = st.stx_ino;
	return err != 0 ? err : dt_elf_load(*elf);
}

struct inproc_file *dt_inproc_file_of(struct inproc_finding *f, const char *path)
{
	struct inproc_places *out = f->out;
	struct inproc_file *more;

	for (uint32_t i = out->nfiles; i-- > 0;)
		if (strcmp(out->file[i].path, path) == 0)
			return &out->file[i];
	more = realloc(out->file, (out->nfiles + 1) * sizeof(*more));
	if (more == NULL)
		return NULL;
	out->file = more;
	out->file[out->nfiles] = (struct inproc_file){ .path = path, .low = UINT64_MAX };
	if (read_symbols(f->reader, path, &out->file[out->nfiles].elf, &out->file[out->nfiles].inode) != 0) {
		dt_elf_close(out->file[out->nfiles].elf);
		out->file[out->nfiles].elf = NULL;
	}
	return &out->file[out->nfiles++];
}

static const char *name_in(const char *path)
{
	return strrchr(path, '/') != NULL ? strrchr(path, '/') + 1 : path;
}

int dt_inproc_add_place(struct inproc_finding *f, const struct dt_point *at, const struct inproc_mapped *in,
    uint64_t sem, struct dt_agent_call call)
{
	uint64_t pc = in->start + at->offset - in->offset;
	struct inproc_places *out = f->out;
	struct inproc_file *file = dt_inproc_file_of(f, at->target);
	struct inproc_place *place;

	if (file == NULL)
		return -ENOMEM;
	if (out->n == f->cap) {
		uint32_t cap = f->cap * 2 + 64;
		struct inproc_place *more = realloc(out->v, cap * sizeof(*more));

		if (more == NULL)
			return -ENOMEM;
		out->v = more;
		f->cap = cap;
	}
	place = &out->v[out->n];
	*place = (struct inproc_place){ .pc = pc, .file = at->target, .in = (uint32_t)(file - out->file),
		.offset = at->offset, .sem = sem, .order = f->order++ };
	place->call = calloc(2, sizeof(*place->call));
	if (place->call == NULL)
		return -ENOMEM;
	out->n++;
	place->call[place->ncalls++] = call;
	snprintf(file->shown, sizeof(file->shown), "%s", name_in(in->path));
	file->text_start = in->start;
	file->text_offset = in->offset;
	file->text_end = in->end;
	file->low = pc < file->low ? pc : file->low;
	file->high = pc + 1 > file->high ? pc + 1 : file->high;
	return 0;
}

int dt_inproc_add_ask(struct inproc_finding *f, const struct dt_point *at, const struct inproc_mapped *in,
    uint32_t kind)
{
	int err = dt_inproc_add_place(f, at, in, 0, (struct dt_agent_call){ 0, 0 });
	struct inproc_place *place = err == 0 ? &f->out->v[f->out->n - 1] : NULL;

	if (place != NULL) {
		place->ncalls = 0;
		place->asks = kind;
	}
	return err;
}

bool dt_inproc_wants(const struct inproc_target *t, const struct dt_point *at)
{
	if (at->pid != 0)
		return at->pid == t->pid;
	return at->root == 0 || at->root == t->root;
}

bool dt_inproc_known(const struct inproc_target *t, const struct inproc_mapped *m)
{
	for (uint32_t i = 0; i < t->nknown; i++)
		if (t->known[i].start == m->start && t->known[i].offset == m->offset &&
		    t->known[i].inode == m->inode && t->known[i].dev == m->dev)
			return true;
	return false;
}

/* A second patch of the same bytes could not be undone in the right order. */
static bool is_patched(const struct inproc_target *t, uint64_t pc)
{
	for (uint32_t i = 0; i < t->nsites; i++)
		if (pc - t->site[i].addr < t->site[i].len)
			return true;
	return false;
}

static void leave_out_patched(struct inproc_finding *f, const struct inproc_mapped *m, uint64_t offset)
{
	char shown[160];

	snprintf(shown, sizeof(shown), "%s+0x%llx", name_in(m->path), (unsigned long long)offset);
	(void)dt_make_printable(shown);
	f->p->left_out.of++;
	dt_inproc_leave_out(f->p, shown, "another probe was put there before");
}

/* The address of a word of the file's data in the same process; 0: none. */
static uint64_t semaphore_of(const struct inproc_finding *f, const struct dt_point *at)
{
	for (uint32_t i = 0; at->ref_ctr != 0 && i < f->maps.n; i++)
		if (!f->maps.v[i].exec && is_file(&f->maps.v[i], &f->st, at->target) &&
		    has_offset(&f->maps.v[i], at->ref_ctr))
			return f->maps.v[i].start + at->ref_ctr - f->maps.v[i].offset;
	return 0;
}

static void look_at_file(struct inproc_finding *f, const struct dt_point *at)
{
	if (f->path != NULL && strcmp(f->path, at->target) == 0)
		return;
	f->path = at->target;
	f->stat_err = stat(at->target, &f->st) < 0 ? -errno : 0;
}

/* The place as people know it: the file's name and the function. */
static void show(const struct inproc_file *file, const char *name, uint64_t offset, char *buf, size_t len)
{
	const struct dt_elf_function *f = NULL;
	uint64_t vaddr;

	if (file != NULL && file->elf != NULL && dt_elf_offset_to_vaddr(file->elf, offset, &vaddr))
		f = dt_elf_function_at(file->elf, vaddr);
	if (f != NULL)
		snprintf(buf, len, "%s:%s+0x%llx", name, f->name, (unsigned long long)(vaddr - f->vaddr));
	else
		snprintf(buf, len, "%s+0x%llx", name, (unsigned long long)offset);
	(void)dt_make_printable(buf);
}

static void leave_out_point(struct inproc_finding *f, const struct dt_point *at, const char *why)
{
	const char *name = at->target;
	char shown[160];

	look_at_file(f, at);
	for (uint32_t i = 0; i < f->maps.n && f->stat_err == 0; i++)
		if (is_file(&f->maps.v[i], &f->st, at->target))
			name = name_in(f->maps.v[i].path);
	show(dt_inproc_file_of(f, at->target), name, at->offset, shown, sizeof(shown));
	f->p->left_out.of++;
	dt_inproc_leave_out(f->p, shown, why);
}

/* A file may be mapped more than once: each mapping has the place. late: only in code that is new. */
static int add_point(struct inproc_finding *f, const struct dt_point *at, uint32_t number, uint64_t program,
    bool late)
{
	int err = 0;

	look_at_file(f, at);
	for (uint32_t i = 0; i < f->maps.n && f->stat_err == 0 && err == 0; i++) {
		const struct inproc_mapped *m = &f->maps.v[i];

		if (!m->exec || !is_file(m, &f->st, at->target) || !has_offset(m, at->offset))
			continue;
		if (dt_inproc_known(f->t, m) && late)
			continue;
		if (is_patched(f->t, m->start + at->offset - m->offset))
			leave_out_patched(f, m, at->offset);
		else
			err = dt_inproc_add_place(f, at, m, semaphore_of(f, at),
			    (struct dt_agent_call){ program, number });
	}
	return err;
}

static int by_pc(const void *a, const void *b)
{
	const struct inproc_place *x = a, *y = b;

	if (x->pc == y->pc)
		return x->order < y->order ? -1 : 1;
	return x->pc < y->pc ? -1 : 1;
}

/* Places of several hooks at one instruction become one, with all programs in the order of the hooks. */
static int merge(struct inproc_places *out)
{
	uint32_t n = 0;

	if (out->n > 1)
		qsort(out->v, out->n, sizeof(*out->v), by_pc);
	for (uint32_t i = 0; i < out->n; i++) {
		struct inproc_place *last = n > 0 ? &out->v[n - 1] : NULL;
		struct dt_agent_call *more;

		if (last == NULL || last->pc != out->v[i].pc) {
			out->v[n++] = out->v[i];
			continue;
		}
		last->asks |= out->v[i].asks;
		if (out->v[i].ncalls == 0) {
			free(out->v[i].call);
			continue;
		}
		more = realloc(last->call, (last->ncalls + 2) * sizeof(*more));
		if (more == NULL)
			return -ENOMEM;
		last->call = more;
		last->call[last->ncalls++] = out->v[i].call[0];
		last->sem = last->sem != 0 ? last->sem : out->v[i].sem;
		free(out->v[i].call);
	}
	out->n = n;
	return 0;
}

/* Room in the island: a trampoline, its struct dt_agent_site and calls. */
uint64_t dt_inproc_place_room(const struct inproc *p, const struct inproc_place *at)
{
	uint64_t n = dt_patch_room(p->opts.machine) + sizeof(struct dt_agent_site) +
	    at->ncalls * sizeof(struct dt_agent_call);

	return (n + UNIT_ALIGN - 1) & ~(uint64_t)(UNIT_ALIGN - 1);
}

static int find_all(struct inproc_finding *f, uint32_t first, bool again)
{
	const struct inproc *p = f->p;
	int err = 0;

	for (uint32_t i = 0; i < inproc_newest(p)->nprogs && err == 0 && !again; i++) {
		const struct dt_attach *a = &p->attach[i];

		for (uint32_t k = 0;
		     dt_hook_in_process((enum dt_hook_kind)a->kind) && k < a->npoints && err == 0; k++) {
			if (!dt_inproc_wants(f->t, &a->points[k]))
				continue;
			if (a->kind == DT_HOOK_UPROBE) {
				uint32_t had = f->out->n;

				err = add_point(f, &a->points[k], k, dt_inproc_program(p, i), i < first);
				f->p->left_out.later += i >= first && f->out->n == had;
			} else if (i >= first) {
				leave_out_point(f, &a->points[k], "its code does not show where it returns");
			}
		}
	}
	if (err == 0 && !again)
		err = dt_inproc_find_linker(f);
	if (err == 0)
		err = dt_inproc_find_calls(f, again);
	return err != 0 ? err : merge(f->out);
}

/* All code that is mapped now: the next time, only what is new is looked at for the hooks of before. */
static int note_known(struct inproc_finding *f)
{
	f->out->known = calloc(f->maps.n + 1u, sizeof(*f->out->known));
	for (uint32_t i = 0; i < f->maps.n && f->out->known != NULL; i++) {
		const struct inproc_mapped *m = &f->maps.v[i];

		if (m->exec)
			f->out->known[f->out->nknown++] =
			    (struct inproc_known){ m->start, m->offset, m->inode, m->dev };
	}
	return f->out->known != NULL ? 0 : -ENOMEM;
}

int dt_inproc_find_places(struct inproc *p, struct inproc_target *t, uint32_t first, bool again,
    struct inproc_places *out, char *msg, size_t len)
{
	struct inproc_finding f = { .p = p, .t = t, .out = out };
	int err = dt_maps_each(t->pid, note_mapping, &f.maps);

	err = err < 0 ? err : f.maps.err;
	if (err == 0)
		dt_inproc_drop_stale(t, &f.maps);
	f.reader = err == 0 ? dt_reader_new() : NULL;
	if (err == 0)
		err = f.reader != NULL ? find_all(&f, first, again) : -ENOMEM;
	if (err == 0 && !again)
		err = note_known(&f);
	for (uint32_t i = 0; i < out->n && err == 0; i++) {
		out->file[out->v[i].in].nplaces++;
		out->file[out->v[i].in].island_len += dt_inproc_place_room(p, &out->v[i]);
	}
	free_maps(&f.maps);
	out->reader = f.reader;
	return err != 0 ? dt_inproc_fail(
			      msg, len, err, "cannot find the probes of process %u in its memory", t->pid)
			: 0;
}

/* "libc.so.6:malloc+0x10" */
void dt_inproc_show_place(const struct inproc_places *places, uint32_t i, char *buf, size_t len)
{
	const struct inproc_place *at = &places->v[i];

	show(&places->file[at->in], places->file[at->in].shown, at->offset, buf, len);
}

const struct inproc_place *dt_inproc_place_around(const struct inproc_places *places, uint64_t addr)
{
	uint32_t low = 0, high = places->n;

	while (low < high) {		/* the last place at or below it; bytes before a place are few */
		uint32_t middle = (low + high) / 2;

		if (places->v[middle].pc <= addr + sizeof(places->v[0].patch.bytes))
			low = middle + 1;
		else
			high = middle;
	}
	for (uint32_t i = low; i-- > 0 && places->v[i].pc + sizeof(places->v[0].patch.bytes) > addr;) {
		const struct inproc_place *at = &places->v[i];
		uint64_t from = at->pc - at->patch.before;

		if (at->why == NULL && !at->shared && addr >= from && addr - from < at->patch.len)
			return at;
	}
	return NULL;
}

void dt_inproc_free_places(struct inproc_places *places)
{
	for (uint32_t i = 0; i < places->n; i++)
		free(places->v[i].call);
	for (uint32_t i = 0; i < places->nfiles; i++) {
		free(places->file[i].bytes);
		free(places->file[i].targets);
		dt_inproc_close_file(&places->file[i]);
	}
	for (uint32_t i = 0; i < places->npaths; i++)
		free(places->path[i]);
	free(places->path);
	free(places->v);
	free(places->file);
	free(places->write);
	free(places->known);
	dt_reader_free(places->reader);
}
