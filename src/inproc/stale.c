/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Libraries that a process has unloaded: what is noted of them is forgotten, as another file may be mapped
 * where they were, or the same file again with its bytes as they are on disk. Their islands are free for
 * other files: no thread is in one, since it would return into memory that is not there.
 */
#include "inproc/finding.h"

#include <string.h>
#include <sys/sysmacros.h>

static bool is_mapped(const struct inproc_maps *maps, const struct dt_inject_file *f)
{
	for (uint32_t i = 0; i < maps->n; i++) {
		const struct inproc_mapped *m = &maps->v[i];

		if (m->inode == f->inode && m->dev == makedev(f->major, f->minor) && m->start <= f->start &&
		    m->end >= f->end && m->offset + (f->start - m->start) == f->offset)
			return true;
	}
	return false;
}

static bool is_in(const struct dt_inject_file *f, uint64_t addr)
{
	return addr - f->start < f->end - f->start;
}

/* The same file may have been unloaded and loaded again: then its first place has no jump any more. */
static bool has_jumps(struct inproc_target *t, const struct dt_inject_file *f)
{
	uint8_t now[sizeof(t->site->jump)];

	for (uint32_t i = 0; i < t->nsites; i++) {
		const struct dt_inject_site *s = &t->site[i];

		if (is_in(f, s->addr))
			return dt_inject_read(t->inject, s->addr, now, s->len) == 0 &&
			    memcmp(now, s->jump, s->len) == 0;
	}
	return true;
}

static bool in_files(const struct inproc_target *t, uint64_t addr)
{
	for (uint32_t i = 0; i < t->nfiles; i++)
		if (is_in(&t->file[i], addr))
			return true;
	return false;
}

static void forget_known(struct inproc_target *t, const struct dt_inject_file *gone)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < t->nknown; i++)
		if (!is_in(gone, t->known[i].start))
			t->known[n++] = t->known[i];
	t->nknown = n;
	n = 0;
	for (uint32_t i = 0; i < t->nscanned; i++)
		if (!is_in(gone, t->scanned[i].start))
			t->scanned[n++] = t->scanned[i];
	t->nscanned = n;
	for (uint32_t i = 0; i < t->nislands; i++)
		t->island[i].free |= is_in(gone, t->island[i].low);
	n = 0;
	for (uint32_t i = 0; i < t->nsems; i++)		/* a new mapping of the file has its own values */
		if (t->sem[i].in.inode != gone->inode || t->sem[i].in.major != gone->major ||
		    t->sem[i].in.minor != gone->minor)
			t->sem[n++] = t->sem[i];
	t->nsems = n;
}

/* Code without places of ours that was scanned, and is not there any more. */
static void forget_scanned(struct inproc_target *t, const struct inproc_maps *maps)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < t->nscanned; i++) {
		bool there = false;

		for (uint32_t k = 0; k < maps->n && !there; k++)
			there = maps->v[k].start == t->scanned[i].start &&
			    maps->v[k].inode == t->scanned[i].inode;
		if (there)
			t->scanned[n++] = t->scanned[i];
	}
	t->nscanned = n;
}

void dt_inproc_drop_stale(struct inproc_target *t, const struct inproc_maps *maps)
{
	uint32_t files = 0, sites = 0, before = t->nfiles;

	for (uint32_t i = 0; i < t->nfiles; i++) {
		struct dt_inject_file f = t->file[i];

		if (is_mapped(maps, &f) && has_jumps(t, &f))
			t->file[files++] = f;
		else
			forget_known(t, &f);
	}
	t->nfiles = files;
	forget_scanned(t, maps);
	if (files == before)
		return;
	for (uint32_t i = 0; i < t->nsites; i++)
		if (in_files(t, t->site[i].addr))
			t->site[sites++] = t->site[i];
	t->nsites = sites;
}
