/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Undoing what was done to a process: first the bytes, at the first stop; then the mappings, once no thread
 * is inside of them. A thread is inside when its program counter or its stack pointer is, or when an address
 * inside lies on its stack, as the frame of a signal handler that has interrupted a trampoline has it. A
 * stale word there only delays: what stays mapped does no harm.
 */
#include "inject/inject_impl.h"
#include "base/clock.h"
#include "symbol/maps.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { STACK_LOOK = 256 << 10, PIECE = 4096 };

/* ---- what lies at the sites now ---- */

struct look { const struct dt_inject_undo *undo; uint8_t *same; };

static bool is_same(const struct dt_inject_file *f, const struct dt_mapping *m)
{
	return m->inode == f->inode && m->major == f->major && m->minor == f->minor &&
	    m->start <= f->start && m->end >= f->end && m->offset + (f->start - m->start) == f->offset;
}

static bool mark_same(void *ctx, const struct dt_mapping *m)
{
	struct look *l = ctx;

	for (uint32_t i = 0; i < l->undo->nfiles; i++)
		if (is_same(&l->undo->file[i], m))
			l->same[i] = 1;
	return true;
}

struct covering { uint64_t addr; struct dt_inject_file *file; bool found; };

static bool covers(void *ctx, const struct dt_mapping *m)
{
	struct covering *c = ctx;

	if (c->addr < m->start || c->addr >= m->end)
		return true;
	*c->file = (struct dt_inject_file){ .start = m->start, .end = m->end, .offset = m->offset,
		.inode = m->inode, .major = m->major, .minor = m->minor };
	c->found = true;
	return false;
}

int dt_inject_file_at(struct dt_inject *in, uint64_t addr, struct dt_inject_file *file)
{
	struct covering c = { .addr = addr, .file = file };
	int n = dt_maps_each((uint32_t)in->pid, covers, &c);

	return n < 0 ? n : c.found ? 0 : -ENOENT;
}

static bool file_is_there(const struct look *l, const struct dt_inject_site *s)
{
	for (uint32_t i = 0; i < l->undo->nfiles; i++)
		if (l->same[i] && s->addr >= l->undo->file[i].start &&
		    s->addr + s->len <= l->undo->file[i].end)
			return true;	/* of another entry another file may have been there before */
	return l->undo->nfiles == 0;
}

/* The jump is still there: not unmapped, not written over by another tool. */
static bool has_jump(struct dt_inject *in, const struct dt_inject_site *s)
{
	uint8_t now[sizeof(s->jump)];

	return s->len <= sizeof(now) && dt_inject_read(in, s->addr, now, s->len) == 0 &&
	    memcmp(now, s->jump, s->len) == 0;
}

static int restore_sites(struct dt_inject *in, const struct dt_inject_undo *u, uint32_t *n)
{
	struct dt_inject_write *w = calloc(u->nsites + 1, sizeof(*w));
	struct look l = { u, calloc(u->nfiles + 1, 1) };
	int err = w == NULL || l.same == NULL ? -ENOMEM : 0;

	*n = 0;
	if (err == 0 && dt_maps_each((uint32_t)in->pid, mark_same, &l) < 0)
		err = -ESRCH;
	for (uint32_t i = 0; i < u->nsites && err == 0; i++) {
		const struct dt_inject_site *s = &u->site[i];

		if (file_is_there(&l, s) && has_jump(in, s))
			w[(*n)++] = (struct dt_inject_write){ s->addr, s->original, s->len };
	}
	if (err == 0 && *n > 0)
		err = dt_inject_write_many(in, w, *n);
	free(w);
	free(l.same);
	return err;
}

/* ---- is a thread inside? ---- */

struct inside { struct dt_inject *in; const struct dt_inject_undo *undo; bool found; };

static bool in_ranges(const struct dt_inject_undo *u, uint64_t addr, bool code)
{
	for (uint32_t i = 0; i < u->nranges; i++)
		if ((u->range[i].code || !code) && addr - u->range[i].addr < u->range[i].len)
			return true;
	return false;
}

static bool on_stack(struct inside *s, uint64_t sp)
{
	uint64_t word[PIECE / 8], at = sp & ~7ull, end = at + STACK_LOOK;

	while (at < end) {
		uint64_t n = PIECE - at % PIECE;

		if (dt_inject_read(s->in, at, word, n) != 0)
			return false;
		for (uint64_t i = 0; i < n / 8; i++)
			if (in_ranges(s->undo, word[i], true))
				return true;
		at += n;
	}
	return false;
}

static bool look_at(void *ctx, uint32_t tid, struct dt_inject_regs *r)
{
	struct inside *s = ctx;

	(void)tid;
	if (!s->found)
		s->found = in_ranges(s->undo, r->pc, false) || in_ranges(s->undo, r->sp, false) ||
		    on_stack(s, r->sp);
	return false;
}

/* 0: all are unmapped; 1: a thread is inside; -errno. */
static int unmap_all(struct dt_inject *in, const struct dt_inject_undo *u)
{
	struct inside s = { in, u, false };
	int err = dt_inject_threads(in, look_at, &s);

	if (err != 0 || s.found)
		return err != 0 ? err : 1;
	for (uint32_t i = 0; i < u->nranges && err == 0; i++)
		err = dt_inject_unmap(in, u->range[i].addr, u->range[i].len);
	dt_inject_drop_stub(in);
	return err;
}

static void disable(struct dt_inject *in, uint64_t process)
{
	uint64_t at = process + offsetof(struct dt_agent_process, enabled);
	uint32_t off = 0;

	if (process != 0)
		(void)dt_inject_write(in, at, &off, sizeof(off));
}

/*
 * Tries again to unmap; each round waits twice as long, as a thread that sleeps in a signal handler should
 * not be stopped all the time.
 */
static int unmap_later(struct dt_inject *in, const struct dt_inject_undo *u, char *msg, size_t len)
{
	uint64_t deadline = dt_clock_ns() + DT_INJECT_LIMIT_NS;
	struct timespec wait = { 0, 500000 };
	int err = 1;

	while (err == 1 && dt_clock_ns() < deadline + (in->crowded ? DT_INJECT_PATIENCE_NS : 0)) {
		nanosleep(&wait, NULL);
		wait.tv_nsec = wait.tv_nsec < 250000000 ? wait.tv_nsec * 2 : wait.tv_nsec;
		err = dt_inject_stop(in, msg, len);
		if (err == 0)
			err = unmap_all(in, u);
		dt_inject_resume(in);
	}
	return err;
}

int dt_inject_restore(struct dt_inject *in, const struct dt_inject_undo *u, uint32_t *n, char *msg,
    size_t len)
{
	uint32_t count = 0;
	int err = dt_inject_stop(in, msg, len);

	if (n != NULL)
		*n = 0;
	if (err != 0)
		return err;
	disable(in, u->process);
	err = restore_sites(in, u, &count);
	if (n != NULL)
		*n = count;
	if (err != 0)
		dt_inject_refused(in, "restoring its code", err, msg, len);
	if (err == 0 && u->nranges > 0)
		err = unmap_all(in, u);
	dt_inject_resume(in);
	return err == 1 ? unmap_later(in, u, msg, len) : err;
}
