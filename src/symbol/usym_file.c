/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Finds the file behind a mapping that the kernel reports: by the mapping's own link in /proc (which also
 * leads to deleted files), through the root of the process, or by its path here. The last two can lead to
 * another file, so the result must have the build id, or the device and inode, that the kernel reported.
 * What was read of a file serves for all mappings of it: of the same device, inode, size and time of its
 * last change, or of the same build id, size and time if both belong to root.
 */
#include "symbol/usym_impl.h"
#include "base/clock.h"
#include "file/reader.h"
#include "base/hash.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/file.h"

enum { HELD_MAX = 256, MAPS_MAX = 16 << 20 };

/* ---- which file it is ---- */

bool dt_ufile_stat(int fd, const char *path, struct statx *st)
{
	/* what the kernel knows: a server that does not answer is not asked */
	return statx(fd, path, AT_EMPTY_PATH | AT_STATX_DONT_SYNC, STATX_BASIC_STATS, st) == 0;
}

static dev_t device(const struct statx *st)
{
	return makedev(st->stx_dev_major, st->stx_dev_minor);
}

static struct dt_ufile **inode_bucket(struct dt_ufiles *fs, dev_t dev, ino_t ino)
{
	return &fs->by_inode[((uint64_t)ino ^ (uint64_t)dev * 31u) % DT_UOBJECT_BUCKETS];
}

/*
 * By its first 8 bytes only, as the kernel may have cut the id or padded it. Files that are trusted are in
 * this table, and no others.
 */
static struct dt_ufile **id_bucket(struct dt_ufiles *fs, const uint8_t *id, size_t n)
{
	return &fs->by_id[dt_hash_bytes(DT_HASH_START, id, n < 8 ? n : 8) % DT_UOBJECT_BUCKETS];
}

/* Size and time are compared too: an inode is used again, and a file may be written anew in place. */
static struct dt_ufile *known_inode(struct dt_ufiles *fs, const struct statx *st)
{
	struct dt_ufile *f = *inode_bucket(fs, device(st), st->stx_ino);

	while (f != NULL && (f->dev != device(st) || f->ino != st->stx_ino || f->size != st->stx_size ||
	    f->mtime.tv_sec != st->stx_mtime.tv_sec || f->mtime.tv_nsec != st->stx_mtime.tv_nsec))
		f = f->next;
	return f;
}

/*
 * Anyone can make a file with the build id, the size and the headers of another one, but only root can make
 * one that belongs to root: such files are shared by what they say of themselves (images of containers).
 */
static bool is_trusted(const struct statx *st)
{
	return st->stx_uid == 0 && (st->stx_mode & (S_IWGRP | S_IWOTH)) == 0;
}

static bool same_time(const struct timespec *a, const struct timespec *b)
{
	return a->tv_sec == b->tv_sec && a->tv_nsec == b->tv_nsec;
}

/*
 * One of that build id, of any size and time if `is` is NULL, as of a file that cannot be opened any more. A
 * build id does not cover the symbols.
 */
static struct dt_ufile *known_id(struct dt_ufiles *fs, const uint8_t *id, size_t n, const struct dt_ufile *is)
{
	struct dt_ufile *f = n >= 8 ? *id_bucket(fs, id, n) : NULL;

	while (f != NULL && (memcmp(f->id, id, n < f->idlen ? n : f->idlen) != 0 ||
	    (is != NULL && (f->idlen != n || f->size != is->size || !same_time(&f->mtime, &is->mtime)))))
		f = f->next_id;
	return f;
}

/* Has it the build id, or the device and inode, that the kernel reported? */
static bool is_wanted(const struct dt_uwant *w, const struct dt_ufile *f, bool sure)
{
	bool same = f->ino == w->inode && f->dev == makedev(w->major, w->minor);

	if (w->idlen == 0)
		return sure || same;
	if (w->inode != 0 && !same)
		return false;
	/* the kernel pads a shorter id with zeros and cuts a longer one */
	return f->idlen > 0 && memcmp(f->id, w->id, f->idlen < w->idlen ? f->idlen : w->idlen) == 0;
}

/* ---- files ---- */

/* Its names now, those of data too, so that it need not stay open */
static void let_go(struct dt_ufiles *fs, struct dt_ufile *f)
{
	const struct dt_lines *lines;

	if (!f->held)
		return;
	if (dt_ufile_elf(fs, f) != NULL) {
		(void)dt_elf_data_at(f->elf, 0);
		if (fs->lines > 0)
			(void)dt_elf_lines(f->elf, fs->lines, &lines);
	}
	dt_elf_drop_fd(f->elf);
	f->held = false;
	fs->held--;
	fs->away -= f->away;
}

/* For a file that is in no table, or was taken out of them; its descriptor and memory are counted back. */
static void close_file(struct dt_ufiles *fs, struct dt_ufile *f)
{
	fs->held -= f->held;
	fs->away -= f->held && f->away;
	dt_ufile_forget(fs, f);
	fs->bytes -= sizeof(*f) + f->bytes;
	dt_elf_close(f->elf);
	free(f);
}

/* What is not on the file system of "/" could be unmounted, if it were not held open. */
static bool is_away(struct dt_ufiles *fs, dev_t dev)
{
	struct statx st;

	if (fs->rootdev == 0 && dt_ufile_stat(AT_FDCWD, "/", &st))
		fs->rootdev = device(&st);
	return dev != fs->rootdev;
}

/*
 * More than HELD_MAX are not kept open: such a file is read at once and closed, as descriptors run out
 * before memory does.
 */
static void enter(struct dt_ufiles *fs, struct dt_ufile *f)
{
	struct dt_ufile **at = inode_bucket(fs, f->dev, f->ino);

	f->next = *at;
	*at = f;
	if (f->trusted) {
		at = id_bucket(fs, f->id, f->idlen);
		f->next_id = *at;
		*at = f;
	}
	f->held = true;
	f->away = is_away(fs, f->dev);
	fs->nfiles++;
	fs->held++;
	fs->away += f->away;
	if (fs->held > HELD_MAX)
		let_go(fs, f);
}

void dt_ufiles_let_go(struct dt_ufiles *fs, uint64_t pass)
{
	for (uint32_t b = 0; b < DT_UOBJECT_BUCKETS && fs->away > 0; b++)
		for (struct dt_ufile *f = fs->by_inode[b]; f != NULL; f = f->next)
			if (f->held && f->away && f->seen != pass)
				let_go(fs, f);
}

/* The vdso is not counted and stays. A file goes with the last object that has it. */
void dt_ufile_release(struct dt_ufiles *fs, struct dt_ufile *f)
{
	struct dt_ufile **at;

	if (f == NULL || f == fs->vdso || --f->refs > 0)
		return;
	for (at = inode_bucket(fs, f->dev, f->ino); *at != f; )
		at = &(*at)->next;
	*at = f->next;
	if (f->trusted) {
		for (at = id_bucket(fs, f->id, f->idlen); *at != f; )
			at = &(*at)->next_id;
		*at = f->next_id;
	}
	close_file(fs, f);
}

/* Takes over the ELF file. */
static struct dt_ufile *new_file(struct dt_ufiles *fs, struct dt_elf *elf, const struct statx *st)
{
	struct dt_ufile *f = calloc(1, sizeof(*f));
	size_t idlen = 0;
	const uint8_t *id = dt_elf_buildid(elf, &idlen);

	if (f == NULL) {
		dt_elf_close(elf);
		return NULL;
	}
	*f = (struct dt_ufile){ .elf = elf,
		.number = ++fs->serial,
		.dev = device(st),
		.ino = st->stx_ino,
		.size = st->stx_size,
		.mtime = { st->stx_mtime.tv_sec, st->stx_mtime.tv_nsec } };
	if (id != NULL && idlen <= sizeof(f->id)) {
		memcpy(f->id, id, idlen);
		f->idlen = idlen;
	}
	f->trusted = f->idlen >= 8 && is_trusted(st);
	f->bytes = dt_elf_bytes(elf);
	fs->bytes += sizeof(*f) + f->bytes;
	return f;
}

/*
 * Takes over a file that is not known by its inode; it may be another copy of one that is known. It must be
 * the one that was wanted, before it may stand for another that is alike.
 */
static struct dt_ufile *take_file(struct dt_ufiles *fs, struct dt_elf *elf, const struct dt_uwant *w,
    const struct statx *st, bool sure)
{
	struct dt_ufile *f = new_file(fs, elf, st), *same;

	if (f == NULL)
		return NULL;
	same = f->trusted ? known_id(fs, f->id, f->idlen, f) : NULL;
	if (!is_wanted(w, f, sure)) {
		close_file(fs, f);
		return NULL;
	}
	if (same != NULL)
		close_file(fs, f);
	else
		enter(fs, f);
	return same != NULL ? same : f;
}

/* *lost: it is there, but those who read it cannot; another way leads to the same file. */
static struct dt_ufile *try_path(struct dt_ufiles *fs, const char *path, const struct dt_uwant *w, bool sure,
    bool *lost)
{
	struct dt_elf *elf;
	struct dt_ufile *f;
	struct statx st;
	dev_t dev = makedev(w->major, w->minor);
	int err = *lost ? -EIO : dt_elf_find(fs->reader, path, w->path, dev, &elf, &st);

	*lost |= err == -ETIME || err == -ETIMEDOUT || err == -EPIPE || err == -EINTR;
	if (err != 0)
		return NULL;
	f = known_inode(fs, &st);
	if (f == NULL)
		return take_file(fs, elf, w, &st, sure);
	dt_elf_close(elf);
	return is_wanted(w, f, sure) ? f : NULL;
}

void dt_ufile_way(const struct dt_uwant *w, int way, char path[DT_UPATH_MAX])
{
	if (way == 0)
		snprintf(path, DT_UPATH_MAX, "/proc/%u/map_files/%llx-%llx", w->pid,
		    (unsigned long long)w->start, (unsigned long long)w->end);
	else if (way == 1)
		snprintf(path, DT_UPATH_MAX, "/proc/%u/root%s", w->pid, w->path);
	else
		snprintf(path, DT_UPATH_MAX, "%s", w->path);
}

/*
 * Of the three ways only the first is sure to lead to what is mapped; the others are believed when build id
 * or inode agree. At the end a known file of the same build id serves, if there is one.
 */
struct dt_ufile *dt_ufile_find(struct dt_ufiles *fs, const struct dt_uwant *w)
{
	bool gone = w->idlen > 0 && w->inode == 0;	/* the process: it leads nowhere, or to others */
	uint64_t began = dt_clock_ns();
	char path[DT_UPATH_MAX];
	struct dt_ufile *f = NULL;
	bool lost = false;
	struct statx st;

	if (fs->reader == NULL)
		return NULL;
	fs->nopened++;
	for (int way = gone ? 2 : 0; way < 3 && f == NULL; way++) {
		dt_ufile_way(w, way, path);
		if (way == 0 && dt_ufile_stat(AT_FDCWD, path, &st) && (f = known_inode(fs, &st)) != NULL &&
		    is_wanted(w, f, true))
			break;		/* it need not be read again */
		f = try_path(fs, path, w, way == 0, &lost);
	}
	if (f == NULL && w->idlen > 0)
		f = known_id(fs, w->id, w->idlen, NULL);
	if (f != NULL)
		f->refs++;
	fs->spent += dt_clock_ns() - began;	/* whether we work or wait for those who read */
	return f;
}

/* ---- the vdso ---- */

/* The kernel gives every process of our kind the same vdso: ours is read. */
static void read_vdso(struct dt_ufiles *fs)
{
	uint64_t at = getauxval(AT_SYSINFO_EHDR);
	struct dt_mapping m;
	const char *p;
	char *text;
	size_t len;

	fs->vdso_tried = true;
	if (at == 0 || dt_file_read("/proc/self/maps", MAPS_MAX, &text, &len) != 0)
		return;
	p = text;
	while (dt_maps_next(&p, &m))
		if (m.start == at && strcmp(m.path, "[vdso]") == 0) {
			struct dt_ufile *f = calloc(1, sizeof(*f));
			void *copy = malloc(m.end - m.start);

			if (f != NULL && copy != NULL) {
				memcpy(copy, (const void *)(uintptr_t)at, m.end - m.start);
				f->maplen = m.end - m.start;
				f->number = ++fs->serial;
				if (dt_elf_memory(copy, m.end - m.start, &f->elf) != 0)
					f->elf = NULL;
				fs->vdso = f;
			} else {
				free(f);
				free(copy);
			}
			break;
		}
	free(text);
}

struct dt_ufile *dt_ufile_vdso(struct dt_ufiles *fs)
{
	if (!fs->vdso_tried)
		read_vdso(fs);
	return fs->vdso;
}

void dt_ufiles_free(struct dt_ufiles *fs)
{
	if (fs->vdso != NULL)
		dt_elf_close(fs->vdso->elf);
	free(fs->vdso);
	dt_reader_free(fs->reader);
}
