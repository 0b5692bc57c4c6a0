/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * See container.h. Where runtimes keep names, below `root`:
 *   /var/log/containers/POD_NAMESPACE_CONTAINER-ID.log	links that the kubelet makes, for every runtime
 *   /var/lib/docker/containers/ID/config.v2.json	/Name
 *   /var/lib/containers/storage/overlay-containers/	podman, CRI-O: containers.json, and
 *							volatile-containers.json, /N/id, /N/names/0
 *   /run/containerd/io.containerd.runtime.v2.task/NS/ID/	config.json: annotations of nerdctl
 * The first that knows an id names it. All are read again when one of these files or folders has changed, or
 * while a container has no name yet: its files may be written after its folder.
 */
#include "process/container.h"

#include "base/printable.h"
#include "base/file.h"
#include "base/hash.h"
#include "wire/json_walk.h"
#include "runtime/rt_container.h"

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { CONFIG_MAX = 4 << 20, LIST_MAX = 64 << 20, CONTAINERS_MAX = 16384 };

struct dt_containers {
	char *root;
	struct dt_container *v;
	uint32_t n, cap;
	uint32_t stamp;			/* of the files and folders */
	bool read, unnamed;		/* it was at least once; a container had no name yet */
};

static const char *const places[] = { "/var/log/containers", "/var/lib/docker/containers",
	"/var/lib/containers/storage/overlay-containers/containers.json",
	"/var/lib/containers/storage/overlay-containers/volatile-containers.json",
	"/run/containerd/io.containerd.runtime.v2.task" };
enum { KUBELET, DOCKER, STORAGE, VOLATILE, CONTAINERD, PLACES };

struct dt_containers *dt_containers_new(const char *root)
{
	struct dt_containers *c = calloc(1, sizeof(*c));

	if (c != NULL && (c->root = strdup(root)) == NULL) {
		free(c);
		return NULL;
	}
	return c;
}

void dt_containers_free(struct dt_containers *c)
{
	if (c == NULL)
		return;
	free(c->v);
	free(c->root);
	free(c);
}

const struct dt_container *dt_containers_list(const struct dt_containers *c, uint32_t *n)
{
	*n = c->n;
	return c->v;
}

static bool id_is_good(const char *id)
{
	return strlen(id) == DT_CONTAINER_ID && is_id((const u8 *)id, 0, DT_CONTAINER_ID);
}

static bool is_known(const struct dt_containers *c, const char *id)
{
	for (uint32_t i = 0; i < c->n; i++)
		if (strcmp(c->v[i].id, id) == 0)
			return true;
	return false;
}

static void add(struct dt_containers *c, const char *id, const char *name)
{
	if (!id_is_good(id) || name[0] == '\0' || is_known(c, id) || c->n == CONTAINERS_MAX)
		return;
	if (c->n == c->cap) {
		uint32_t cap = 2 * c->cap + 32;
		struct dt_container *more = realloc(c->v, cap * sizeof(*more));

		if (more == NULL)
			return;
		c->v = more;
		c->cap = cap;
	}
	snprintf(c->v[c->n].id, sizeof(c->v->id), "%s", id);
	snprintf(c->v[c->n].name, sizeof(c->v->name), "%s", name);
	dt_make_printable(c->v[c->n++].name);
}

/* ---- folders ---- */

typedef void entry_f(struct dt_containers *, const char *folder, const char *name);

static void each_entry(struct dt_containers *c, const char *folder, entry_f *f)
{
	DIR *d = opendir(folder);
	struct dirent *e;

	for (uint32_t i = 0; d != NULL && i < CONTAINERS_MAX && (e = readdir(d)) != NULL; i++)
		if (e->d_name[0] != '.')
			f(c, folder, e->d_name);
	if (d != NULL)
		closedir(d);
}

/* POD_NAMESPACE_CONTAINER-ID.log: no part has a _ in it */
static void kubelet_entry(struct dt_containers *c, const char *folder, const char *entry)
{
	char pod[256], space[256], container[256], id[DT_CONTAINER_ID + 1], name[DT_CONTAINER_TEXT];
	size_t n = strlen(entry);
	int used = 0;

	(void)folder;
	if (n < DT_CONTAINER_ID + 5 || n > 255 || strcmp(entry + n - 4, ".log") != 0)
		return;
	snprintf(id, sizeof(id), "%s", entry + n - 4 - DT_CONTAINER_ID);
	if (sscanf(entry, "%255[^_]_%255[^_]_%n", pod, space, &used) != 2 || used == 0 ||
	    (size_t)used + DT_CONTAINER_ID + 5 >= n)
		return;
	snprintf(container, sizeof(container), "%.*s", (int)(n - 5 - DT_CONTAINER_ID - (size_t)used),
	    entry + used);
	if (snprintf(name, sizeof(name), "%s/%s/%s", space, pod, container) > 0)
		add(c, id, name);
}

/* What is looked for in the JSON of one container. */
struct one { char name[DT_CONTAINER_TEXT]; };

static void keep(char *to, const char *value)
{
	snprintf(to, DT_CONTAINER_TEXT, "%s", value);
}

/* Docker's names begin with a slash. */
static bool docker_value(void *ctx, const char *where, const char *value)
{
	struct one *o = ctx;

	if (strcmp(where, "/Name") == 0)
		keep(o->name, value + (value[0] == '/'));
	return o->name[0] == '\0';
}

static bool nerdctl_value(void *ctx, const char *where, const char *value)
{
	struct one *o = ctx;

	if (strcmp(where, "/annotations/nerdctl/name") == 0)
		keep(o->name, value);
	return o->name[0] == '\0';
}

/* A container without a name in its file is named by the next reader, or later. */
static void name_by_file(struct dt_containers *c, const char *folder, const char *id, const char *file,
    dt_jsonwalk_f *f)
{
	char path[PATH_MAX], *text;
	struct one o = { "" };
	size_t len;

	if (!id_is_good(id) || is_known(c, id))
		return;
	snprintf(path, sizeof(path), "%s/%s/%s", folder, id, file);
	if (dt_file_read_regular(path, CONFIG_MAX, &text, &len) == 0) {
		(void)dt_jsonwalk(text, len, f, &o);
		free(text);
	}
	c->unnamed |= o.name[0] == '\0';
	add(c, id, o.name);
}

static void docker_entry(struct dt_containers *c, const char *folder, const char *entry)
{
	name_by_file(c, folder, entry, "config.v2.json", docker_value);
}

static void task_entry(struct dt_containers *c, const char *folder, const char *entry)
{
	bool was = c->unnamed;

	name_by_file(c, folder, entry, "config.json", nerdctl_value);
	c->unnamed = was;		/* most have none there */
}

static void namespace_entry(struct dt_containers *c, const char *folder, const char *entry)
{
	char path[PATH_MAX];

	if (snprintf(path, sizeof(path), "%s/%s", folder, entry) < (int)sizeof(path))
		each_entry(c, path, task_entry);
}

/* ---- podman and CRI-O: one list ---- */

struct listed { struct dt_containers *c; char id[65], name[DT_CONTAINER_TEXT]; unsigned long at; };

static void end_listed(struct listed *l)
{
	add(l->c, l->id, l->name);
	l->id[0] = l->name[0] = '\0';
}

/* Elements come one after the other, their members in any order. */
static bool listed_value(void *ctx, const char *where, const char *value)
{
	struct listed *l = ctx;
	unsigned long at;
	char what[16];

	if (sscanf(where, "/%lu/%15s", &at, what) != 2)
		return true;
	if (at != l->at)
		end_listed(l);
	l->at = at;
	if (strcmp(what, "id") == 0)
		snprintf(l->id, sizeof(l->id), "%s", value);
	else if (strcmp(what, "names/0") == 0)
		keep(l->name, value);
	return true;
}

static void read_list(struct dt_containers *c, const char *path)
{
	struct listed l = { .c = c };
	char *text;
	size_t len;

	if (dt_file_read_regular(path, LIST_MAX, &text, &len) != 0)
		return;
	(void)dt_jsonwalk(text, len, listed_value, &l);
	end_listed(&l);
	free(text);
}

/* ---- all of them ---- */

static uint32_t stamp_of(const struct dt_containers *c)
{
	uint32_t hash = DT_HASH_START;

	for (int i = 0; i < PLACES; i++) {
		char path[PATH_MAX];
		struct stat st = { .st_ino = 0 };

		snprintf(path, sizeof(path), "%s%s", c->root, places[i]);
		if (stat(path, &st) == 0) {
			hash = dt_hash_bytes(hash, &st.st_ino, sizeof(st.st_ino));
			hash = dt_hash_bytes(hash, &st.st_mtim, sizeof(st.st_mtim));
		}
		hash = dt_hash_bytes(hash, &i, sizeof(i));
	}
	return hash;
}

bool dt_containers_read(struct dt_containers *c)
{
	uint32_t stamp = stamp_of(c);
	char path[PLACES][PATH_MAX];

	if (c->read && stamp == c->stamp && !c->unnamed)
		return false;
	for (int i = 0; i < PLACES; i++)
		snprintf(path[i], PATH_MAX, "%s%s", c->root, places[i]);
	c->n = 0;
	c->stamp = stamp;
	c->unnamed = false;
	c->read = true;
	each_entry(c, path[KUBELET], kubelet_entry);
	each_entry(c, path[DOCKER], docker_entry);
	read_list(c, path[STORAGE]);
	read_list(c, path[VOLATILE]);
	each_entry(c, path[CONTAINERD], namespace_entry);
	return true;
}

/* ---- which one is meant ---- */

bool dt_container_is(const struct dt_container *c, const char *text)
{
	const char *pod = strchr(c->name, '/'), *own = pod != NULL ? strchr(pod + 1, '/') : NULL;
	size_t n = strlen(text);

	if (strcmp(c->name, text) == 0 || (n >= 6 && strncmp(c->id, text, n) == 0))
		return true;
	if (own == NULL)
		return false;
	return strcmp(own + 1, text) == 0 || strcmp(pod + 1, text) == 0 ||
	    (n == (size_t)(own - pod) - 1 && strncmp(pod + 1, text, n) == 0);
}

bool dt_container_of(const char *directory, char *text, bool *id)
{
	u8 name[264] = { 0 };
	u64 from = 0, is = 0, n = strlen(directory);

	if (n > 255)
		return false;
	memcpy(name, directory, n);
	n = container_in(name, n, 256, &from, &is);
	*id = is != 0;
	if (n == 0 || n >= DT_CONTAINER_TEXT)
		return false;
	memcpy(text, name + from, n);
	text[n] = '\0';
	dt_make_printable(text);
	return true;
}
