/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A mapping as the kernel describes it comes in, the object behind it goes out: a file under one name, or
 * memory. An object lives as long as a space has it, and a file as long as an object has it.
 */
#include "symbol/usym_impl.h"
#include "base/clock.h"
#include "base/printable.h"
#include "base/hash.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

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

/* Made by memfd_create(): memory that code is generated into, or a file such as libdtrace-usdt writes. */
static bool is_memory_file(const char *path)
{
	return strncmp(path, "/memfd:", 7) == 0;
}

/* "[anon:name]", "//anon", "" and the like are memory. "[vdso]" is neither memory nor a file. */
static bool is_memory(const char *path)
{
	return path[0] == '\0' || strncmp(path, "[anon", 5) == 0 || strcmp(path, "//anon") == 0 ||
	    strncmp(path, "/anon_hugepage", 14) == 0 || is_memory_file(path) ||
	    strncmp(path, "/dev/zero", 9) == 0 || strncmp(path, "/SYSV", 5) == 0;
}

static size_t bytes_of(const struct dt_uobject *o)
{
	return sizeof(*o) + strlen(o->path) + strlen(o->base) + 2;
}

static struct dt_uobject **bucket_of(struct dt_ufiles *fs, const struct dt_uobject *o)
{
	struct dt_uwant w = { .inode = o->inode, .id = o->id, .idlen = o->idlen, .path = o->path };

	return &fs->bucket[hash_want(&w)];
}

static void free_object(struct dt_uobject *o)
{
	free(o->base);
	free(o->path);
	free(o);
}

static struct dt_uobject *make_object(const struct dt_uwant *w)
{
	const char *slash = strrchr(w->path, is_memory_file(w->path) ? ':' : '/');
	struct dt_uobject *o = calloc(1, sizeof(*o));

	if (o == NULL)
		return NULL;
	*o = (struct dt_uobject){ .path = strdup(w->path),
		.base = strdup(slash != NULL && slash[1] != '\0' ? slash + 1 : w->path),
		.major = w->major,
		.minor = w->minor,
		.inode = w->inode,
		.idlen = w->idlen <= sizeof(o->id) ? w->idlen : 0,
		.anon = is_memory(w->path) };
	if (o->path == NULL || o->base == NULL) {
		free_object(o);
		return NULL;
	}
	memcpy(o->id, w->id != NULL ? w->id : o->id, o->idlen);
	dt_make_printable(o->base);
	return o;
}

static struct dt_uobject *new_object(struct dt_ufiles *fs, const struct dt_uwant *w)
{
	struct dt_uobject *o = make_object(w), **at;

	if (o == NULL)
		return NULL;
	if (strcmp(w->path, "[vdso]") == 0)
		o->file = dt_ufile_vdso(fs);
	else if ((!o->anon && w->path[0] == '/') || is_memory_file(w->path))
		o->file = dt_ufile_find(fs, w);
	o->anon &= o->file == NULL;
	if (o->idlen > 0 && o->file != NULL && o->file->trusted) {
		o->major = o->minor = 0;
		o->inode = 0;
	}
	at = bucket_of(fs, o);
	o->next = *at;
	*at = o;
	fs->bytes += bytes_of(o);
	return o;
}

/* ---- which file it is ---- */

static bool at_start(void *ctx, const struct dt_mapping *m)
{
	struct dt_uwant *w = ctx;

	if (m->start <= w->start && m->end > w->start && strcmp(m->path, w->path) == 0) {
		w->end = m->end;
		w->major = m->major;
		w->minor = m->minor;
		w->inode = m->inode;
	}
	return m->end <= w->start;
}

/*
 * With a build id the kernel does not tell which file it is, and anyone can make another one of that id,
 * and show it under that path in a mount namespace of his own. As long as the process lives, the
 * mapping's own link tells, or its line in maps if the end of it was cut off since, as linkers do. The
 * path is not walked here: it may lead to a server that does not answer.
 */
static void identify(struct dt_uwant *w)
{
	char path[DT_UPATH_MAX];
	struct statx st;

	dt_ufile_way(w, 0, path);
	if (dt_ufile_stat(AT_FDCWD, path, &st)) {
		w->major = st.stx_dev_major;
		w->minor = st.stx_dev_minor;
		w->inode = st.stx_ino;
	} else {
		(void)dt_maps_each(w->pid, at_start, w);
	}
}

/* ---- finding it ---- */

static struct dt_uobject *known_object(struct dt_ufiles *fs, const struct dt_uwant *w)
{
	struct dt_uobject *o = fs->bucket[hash_want(w)];

	while (o != NULL && !is_object(o, w))
		o = o->next;
	return o;
}

/*
 * A file that only root can have made stands for all of its build id and path; any other one only
 * for itself.
 */
static struct dt_uobject *object_by_id(struct dt_ufiles *fs, struct dt_uwant *w)
{
	uint64_t began = dt_clock_ns();
	struct dt_uobject *o = known_object(fs, w);

	if (o != NULL && o->file != NULL && o->file->trusted)
		return o;
	identify(w);
	fs->spent += dt_clock_ns() - began;
	o = known_object(fs, w);
	return o != NULL ? o : new_object(fs, w);
}

struct dt_uobject *dt_uobject_get(struct dt_ufiles *fs, const struct dt_uwant *from)
{
	struct dt_uwant w = *from;
	struct dt_uobject *o;

	if (w.idlen > 0 && w.path[0] == '/')
		o = object_by_id(fs, &w);
	else if ((o = known_object(fs, &w)) == NULL)
		o = new_object(fs, &w);
	if (o != NULL)
		o->refs++;
	return o;
}

void dt_uobject_release(struct dt_ufiles *fs, struct dt_uobject *o)
{
	struct dt_uobject **at;

	if (--o->refs > 0)
		return;
	for (at = bucket_of(fs, o); *at != o; )
		at = &(*at)->next;
	*at = o->next;
	fs->bytes -= bytes_of(o);
	dt_ufile_release(fs, o->file);
	free_object(o);
}
