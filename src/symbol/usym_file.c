/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Finds the file behind a mapping that the kernel reports: by the mapping's own link in /proc (which
 * also leads to deleted files), through the root of the process, or by its path here. The last two can
 * lead to another file, so the result must have the build id, or the device and inode, that the kernel
 * reported.
 */
#include "symbol/usym_impl.h"
#include "base/hash.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/file.h"

enum { HELD_MAX = 256, OBJECTS_MAX = 1 << 17, MAPS_MAX = 16 << 20 };

/* ---- finding it ---- */

static bool same_inode(const struct dt_uwant *w, const struct stat *st)
{
	return st->st_ino == w->inode && st->st_dev == makedev(w->major, w->minor);
}

/* Opens the path; *st describes what it leads to. */
static struct dt_elf *try_path(const char *open_as, const char *path, struct stat *st)
{
	struct dt_elf *elf = NULL;
	int fd = dt_elf_open_regular(open_as, true);

	if (fd < 0)
		return NULL;
	if (fstat(fd, st) != 0) {
		close(fd);
		return NULL;
	}
	return dt_elf_open(fd, path, &elf) == 0 ? elf : NULL;
}

static bool is_wanted(const struct dt_uwant *w, struct dt_elf *elf, const struct stat *st, bool sure)
{
	const uint8_t *id;
	size_t n;

	if (w->idlen == 0)
		return sure || same_inode(w, st);
	id = dt_elf_buildid(elf, &n);
	/* the kernel pads a shorter id with zeros and cuts a longer one */
	if (id == NULL || memcmp(id, w->id, n < w->idlen ? n : w->idlen) != 0)
		return false;
	return true;
}

static struct dt_elf *find_elf(const struct dt_uwant *w, struct stat *st)
{
	char path[PATH_MAX + 64];

	for (int way = 0; way < 3; way++) {
		struct dt_elf *elf;

		if (way == 0)
			snprintf(path, sizeof(path), "/proc/%u/map_files/%llx-%llx", w->pid,
			    (unsigned long long)w->start, (unsigned long long)w->end);
		else if (way == 1)
			snprintf(path, sizeof(path), "/proc/%u/root%s", w->pid, w->path);
		else
			snprintf(path, sizeof(path), "%s", w->path);
		elf = try_path(path, w->path, st);
		if (elf != NULL && is_wanted(w, elf, st, way == 0))
			return elf;
		dt_elf_close(elf);
	}
	return NULL;
}

/* ---- files ---- */

static struct dt_ufile *known_file(const struct dt_ufiles *fs, const struct stat *st, const uint8_t *id,
    size_t idlen)
{
	for (struct dt_ufile *f = fs->list; f != NULL; f = f->next)
		if (id != NULL ? f->idlen == idlen && memcmp(f->id, id, idlen) == 0 :
		    f->idlen == 0 && f->dev == st->st_dev && f->ino == st->st_ino)
			return f;
	return NULL;
}

/* Takes over the ELF file: it becomes a file, or is closed if the same one exists. */
static struct dt_ufile *file_of(struct dt_ufiles *fs, struct dt_elf *elf, const struct stat *st)
{
	size_t idlen = 0;
	const uint8_t *id = dt_elf_buildid(elf, &idlen);
	struct dt_ufile *f = known_file(fs, st, id, id != NULL ? idlen : 0);

	if (f != NULL || (f = calloc(1, sizeof(*f))) == NULL) {
		dt_elf_close(elf);
		return f;
	}
	*f = (struct dt_ufile){ .elf = elf, .dev = st->st_dev, .ino = st->st_ino, .next = fs->list };
	if (id != NULL && idlen <= sizeof(f->id)) {
		memcpy(f->id, id, idlen);
		f->idlen = idlen;
	}
	fs->list = f;
	fs->nfiles++;
	if (++fs->held > HELD_MAX) {	/* its functions now, so that it need not stay open */
		(void)dt_elf_load(elf);
		dt_elf_drop_fd(elf);
		fs->held--;
	}
	return f;
}

struct dt_elf *dt_ufile_elf(struct dt_ufiles *fs, struct dt_ufile *f)
{
	(void)fs;
	return f != NULL && f->elf != NULL && dt_elf_load(f->elf) == 0 ? f->elf : NULL;
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

/* ---- objects ---- */

static uint32_t hash_want(const struct dt_uwant *w)
{
	uint32_t h = dt_hash_text(DT_HASH_START ^ (uint32_t)w->inode, w->path);

	return dt_hash_bytes(h, w->id, w->idlen) % DT_UOBJECT_BUCKETS;
}

static bool is_object(const struct dt_uobject *o, const struct dt_uwant *w)
{
	return o->inode == w->inode && o->major == w->major && o->minor == w->minor && o->idlen == w->idlen &&
	    (w->idlen == 0 || memcmp(o->id, w->id, w->idlen) == 0) && strcmp(o->path, w->path) == 0;
}

/* "[anon:name]", "//anon", "" and the like are memory. "[vdso]" is neither memory nor a file. */
static bool is_memory(const char *path)
{
	return path[0] == '\0' || strncmp(path, "[anon", 5) == 0 || strcmp(path, "//anon") == 0 ||
	    strncmp(path, "/anon_hugepage", 14) == 0 || strncmp(path, "/memfd:", 7) == 0 ||
	    strncmp(path, "/dev/zero", 9) == 0 || strncmp(path, "/SYSV", 5) == 0;
}

static void fill_object(struct dt_ufiles *fs, struct dt_uobject *o, const struct dt_uwant *w)
{
	struct stat st;
	struct dt_elf *elf;

	o->anon = is_memory(w->path);
	if (strcmp(w->path, "[vdso]") == 0) {
		if (!fs->vdso_tried)
			read_vdso(fs);
		o->file = fs->vdso;
	} else if (!o->anon && w->path[0] == '/') {
		fs->nopened++;
		elf = find_elf(w, &st);
		if (elf != NULL)
			o->file = file_of(fs, elf, &st);
	}
}

struct dt_uobject *dt_uobject_get(struct dt_ufiles *fs, const struct dt_uwant *w)
{
	uint32_t b = hash_want(w);
	struct dt_uobject *o;

	for (o = fs->bucket[b]; o != NULL; o = o->next)
		if (is_object(o, w))
			break;
	if (o == NULL) {
		const char *slash;

		if (fs->nobjects >= OBJECTS_MAX || (o = calloc(1, sizeof(*o))) == NULL)
			return NULL;
		*o = (struct dt_uobject){ .path = strdup(w->path),
			.major = w->major,
			.minor = w->minor,
			.inode = w->inode,
			.idlen = w->idlen <= sizeof(o->id) ? w->idlen : 0,
			.next = fs->bucket[b] };
		if (o->path == NULL) {
			free(o);
			return NULL;
		}
		memcpy(o->id, w->id != NULL ? w->id : o->id, o->idlen);
		slash = strrchr(o->path, '/');
		o->base = slash != NULL && slash[1] != '\0' ? slash + 1 : o->path;
		fs->bucket[b] = o;
		fs->nobjects++;
		fill_object(fs, o, w);
	}
	return o;
}

static void free_file(struct dt_ufile *f)
{
	if (f != NULL)
		dt_elf_close(f->elf);
	free(f);
}

void dt_ufiles_free(struct dt_ufiles *fs)
{
	for (uint32_t b = 0; b < DT_UOBJECT_BUCKETS; b++)
		for (struct dt_uobject *o = fs->bucket[b], *next; o != NULL; o = next) {
			next = o->next;
			free(o->path);
			free(o);
		}
	for (struct dt_ufile *f = fs->list, *next; f != NULL; f = next) {
		next = f->next;
		free_file(f);
	}
	free_file(fs->vdso);
}
