/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A mapping as the kernel describes it comes in, the object behind it goes out: a file under one name, or
 * memory. An object lives as long as a space has it, and a file as long as an object has it.
 */
#include "symbol/usym_impl.h"
#include "base/clean.h"
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

/* "[anon:name]", "//anon", "" and the like are memory. "[vdso]" is neither memory nor a file. */
static bool is_memory(const char *path)
{
	return path[0] == '\0' || strncmp(path, "[anon", 5) == 0 || strcmp(path, "//anon") == 0 ||
	    strncmp(path, "/anon_hugepage", 14) == 0 || strncmp(path, "/memfd:", 7) == 0 ||
	    strncmp(path, "/dev/zero", 9) == 0 || strncmp(path, "/SYSV", 5) == 0;
}

static size_t bytes_of(const struct dt_uobject *o)
{
	return sizeof(*o) + strlen(o->path) + strlen(o->base) + 2;
}

static void free_object(struct dt_uobject *o)
{
	free(o->base);
	free(o->path);
	free(o);
}

static struct dt_uobject *make_object(const struct dt_uwant *w)
{
	const char *slash = strrchr(w->path, '/');
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
	dt_clean(o->base);
	return o;
}

static struct dt_uobject *new_object(struct dt_ufiles *fs, const struct dt_uwant *w, uint32_t bucket)
{
	struct dt_uobject *o = make_object(w);

	if (o == NULL)
		return NULL;
	o->next = fs->bucket[bucket];
	fs->bucket[bucket] = o;
	fs->bytes += bytes_of(o);
	if (strcmp(w->path, "[vdso]") == 0)
		o->file = dt_ufile_vdso(fs);
	else if (!o->anon && w->path[0] == '/')
		o->file = dt_ufile_find(fs, w);
	return o;
}

/*
 * With a build id the kernel does not tell which file it is, and anyone can make another one of that id,
 * and show it under that path: the mapping's own link tells, as long as the process lives.
 */
static struct dt_uwant identify(const struct dt_uwant *from)
{
	struct dt_uwant w = *from;
	struct statx st;
	char path[80];

	if (w.idlen == 0 || w.path[0] != '/')
		return w;
	dt_ufile_link(&w, path, sizeof(path));
	if (dt_ufile_stat(AT_FDCWD, path, &st)) {
		w.major = st.stx_dev_major;
		w.minor = st.stx_dev_minor;
		w.inode = st.stx_ino;
	}
	return w;
}

struct dt_uobject *dt_uobject_get(struct dt_ufiles *fs, const struct dt_uwant *from)
{
	struct dt_uwant w = identify(from);
	uint32_t b = hash_want(&w);
	struct dt_uobject *o;

	for (o = fs->bucket[b]; o != NULL; o = o->next)
		if (is_object(o, &w))
			break;
	if (o == NULL)
		o = new_object(fs, &w, b);
	if (o != NULL)
		o->refs++;
	return o;
}

void dt_uobject_release(struct dt_ufiles *fs, struct dt_uobject *o)
{
	struct dt_uobject **at;
	struct dt_uwant w;

	if (--o->refs > 0)
		return;
	w = (struct dt_uwant){ .inode = o->inode, .id = o->id, .idlen = o->idlen, .path = o->path };
	for (at = &fs->bucket[hash_want(&w)]; *at != o; )
		at = &(*at)->next;
	*at = o->next;
	fs->bytes -= bytes_of(o);
	dt_ufile_release(fs, o->file);
	free_object(o);
}
