/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Writing into a process: islands with trampolines, the semaphores of static probes, and last the jumps,
 * while it stands still; and what is to be undone.
 */
#include "inproc/target.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int more_sites(struct inproc_target *t, const struct inproc_places *places)
{
	struct dt_inject_site *sites = realloc(t->site, (t->nsites + places->n + 1) * sizeof(*sites));
	struct dt_inject_file *files;

	if (sites == NULL)
		return -ENOMEM;
	t->site = sites;
	files = realloc(t->file, (t->nfiles + places->nfiles + 1) * sizeof(*files));
	if (files == NULL)
		return -ENOMEM;
	t->file = files;
	return 0;
}

/* Semaphores of static probes: a word that the program tests, one more while its probe is traced. */
static int add_semaphore(struct inproc_target *t, uint64_t addr)
{
	struct inproc_sem *more;
	uint16_t n = 0;
	int err;

	for (uint32_t i = 0; i < t->nsems; i++)
		if (t->sem[i].addr == addr)
			return 0;
	more = realloc(t->sem, (t->nsems + 1) * sizeof(*more));
	if (more == NULL)
		return -ENOMEM;
	t->sem = more;
	t->sem[t->nsems].addr = addr;
	err = dt_inject_file_at(t->inject, addr, &t->sem[t->nsems].in);
	if (err == 0)
		err = dt_inject_read(t->inject, addr, &n, sizeof(n));
	n++;
	if (err == 0)
		err = dt_inject_write(t->inject, addr, &n, sizeof(n));
	t->nsems += err == 0;
	return err;
}

/* Another file may be there by now. */
static bool still_there(struct inproc_target *t, const struct inproc_sem *s)
{
	struct dt_inject_file now;

	return dt_inject_file_at(t->inject, s->addr, &now) == 0 && now.inode == s->in.inode &&
	    now.major == s->in.major && now.minor == s->in.minor &&
	    now.start - now.offset == s->in.start - s->in.offset;
}

void dt_inproc_drop_semaphores(struct inproc_target *t)
{
	uint16_t n;

	for (uint32_t i = 0; i < t->nsems; i++)
		if (still_there(t, &t->sem[i]) &&
		    dt_inject_read(t->inject, t->sem[i].addr, &n, sizeof(n)) == 0 && n > 0) {
			n--;
			(void)dt_inject_write(t->inject, t->sem[i].addr, &n, sizeof(n));
		}
	t->nsems = 0;
}

/* A thread that stands inside the bytes that change goes on at the same instruction in the trampoline. */
static bool move_thread(void *ctx, uint32_t tid, struct dt_inject_regs *r)
{
	const struct inproc_places *places = ctx;
	const struct inproc_place *at = dt_inproc_place_around(places, r->pc);

	(void)tid;
	if (at == NULL)
		return false;
	for (uint32_t i = 0; i < at->patch.npcs; i++)
		if (at->patch.pcs[i].from != 0 &&
		    at->pc - at->patch.before + at->patch.pcs[i].from == r->pc) {
			r->pc = at->tramp + at->patch.pcs[i].to;
			return true;
		}
	return false;
}

/* Islands that are not written yet; nothing runs there before the places are. */
static int write_islands(struct inproc_target *t, struct inproc_places *places)
{
	int err = 0;

	for (uint32_t i = 0; i < places->nfiles && err == 0; i++) {
		struct inproc_file *f = &places->file[i];

		if (f->island == 0 || f->nplaces == 0 || f->written)
			continue;
		err = dt_inject_write(t->inject, f->island, f->bytes, f->island_len);
		f->written = err == 0;
	}
	return err;
}

/* Islands that cannot be written now are written when the process stands still. */
int dt_inproc_prepare_places(
    struct inproc *p, struct inproc_target *t, struct inproc_places *places, char *msg, size_t len)
{
	struct dt_inject_undo undo;
	int err = more_sites(t, places);

	places->write = calloc(places->n + 1u, sizeof(*places->write));
	err = places->write == NULL ? -ENOMEM : err;
	if (err == 0)
		(void)write_islands(t, places);
	for (uint32_t i = 0; i < places->nfiles && err == 0; i++)
		if (places->file[i].island != 0 && places->file[i].nplaces != 0 &&
		    dt_inject_file_at(t->inject, places->file[i].low, &t->file[t->nfiles]) == 0)
			t->nfiles++;
	for (uint32_t i = 0; i < places->n && err == 0; i++) {
		const struct inproc_place *at = &places->v[i];
		struct dt_inject_site *s = &t->site[t->nsites];

		if (at->why != NULL || at->shared)
			continue;
		*s = (struct dt_inject_site){ .addr = at->pc - at->patch.before, .len = at->patch.len };
		memcpy(s->original, at->patch.original, sizeof(s->original));
		memcpy(s->jump, at->patch.bytes, sizeof(s->jump));
		places->write[places->nwrites++] =
		    (struct dt_inject_write){ s->addr, at->patch.bytes, s->len };
		t->nsites++;
	}
	undo = dt_inproc_undo(t);
	if (err == 0)
		err = dt_guardian_add(p->guardian, t->pid, &undo);
	return err != 0 ? dt_inproc_fail(msg, len, err, "cannot prepare process %u", t->pid) : 0;
}

/* Everything is known to the guardian before the first byte changes. */
int dt_inproc_write_places(
    struct inproc *p, struct inproc_target *t, struct inproc_places *places, char *msg, size_t len)
{
	int err = write_islands(t, places);

	(void)p;
	for (uint32_t i = 0; i < places->n && err == 0; i++)
		if (places->v[i].why == NULL && places->v[i].sem != 0)
			err = add_semaphore(t, places->v[i].sem);
	if (err == 0)
		err = dt_inject_threads(t->inject, move_thread, (void *)places);
	if (err == 0 && places->nwrites > 0)
		err = dt_inject_write_many(t->inject, places->write, places->nwrites);
	return err != 0 ? dt_inproc_fail(msg, len, err, "cannot change the code of process %u", t->pid) : 0;
}

struct dt_inject_undo dt_inproc_undo(const struct inproc_target *t)
{
	return (struct dt_inject_undo){
	    t->site, t->file, t->range, t->nsites, t->nfiles, t->nranges, t->process};
}
