/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * See cgroup.h. The number of a group's directory is what the kernel calls its id; the root of all has 1, so
 * a mount that begins further down, as containers see it, is recognised: levels in it would be wrong.
 */
#include "process/cgroup.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

enum { DEPTH_MAX = 64, DIRS_MAX = 65536 };

struct dt_cgroups { char *path; bool alone; int watch; };

static bool is_version2(const char *path)
{
	struct statfs fs;

	return statfs(path, &fs) == 0 && (unsigned long)fs.f_type == CGROUP2_SUPER_MAGIC;
}

int dt_cgroups_open(const char *root, struct dt_cgroups **out)
{
	static const char *const places[] = { "/sys/fs/cgroup", "/sys/fs/cgroup/unified" };
	struct dt_cgroups *c;
	char path[PATH_MAX];
	struct stat st;
	int i = 0;

	do
		snprintf(path, sizeof(path), "%s%s", root, places[i]);
	while (!is_version2(path) && ++i < 2);
	if (i == 2 || stat(path, &st) != 0)
		return -ENOENT;
	if (st.st_ino != 1)
		return -EXDEV;
	c = calloc(1, sizeof(*c));
	if (c == NULL || (c->path = strdup(path)) == NULL) {
		free(c);
		return -ENOMEM;
	}
	c->alone = i == 0;
	c->watch = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
	*out = c;
	return 0;
}

void dt_cgroups_close(struct dt_cgroups *c)
{
	if (c == NULL)
		return;
	if (c->watch >= 0)
		close(c->watch);
	free(c->path);
	free(c);
}

const char *dt_cgroups_path(const struct dt_cgroups *c) { return c->path; }
bool dt_cgroups_alone(const struct dt_cgroups *c) { return c->alone; }
int dt_cgroups_fd(const struct dt_cgroups *c) { return c->watch; }

/* What changed is found by another walk; a full queue says so too. */
bool dt_cgroups_changed(struct dt_cgroups *c)
{
	char events[4096];
	bool any = false;

	while (c->watch >= 0 && read(c->watch, events, sizeof(events)) > 0)
		any = true;
	return any;
}

struct walk { struct dt_cgroups *c; char path[PATH_MAX]; uint32_t depth, n; dt_cgroups_f *f; void *ctx; };

static void walk_dir(struct walk *, DIR *, size_t len);

/* The path grows by the name; what does not fit, or is gone, is left out. */
static void walk_entry(struct walk *w, DIR *d, size_t len, const char *name)
{
	size_t root = strlen(w->c->path), more = len + 1 + strlen(name);
	struct dt_cgroup_dir dir = { w->path + root, w->path + len + 1, 0, w->depth };
	struct stat st;
	DIR *below;
	int fd;

	if (more >= sizeof(w->path) || w->n++ > DIRS_MAX ||
	    fstatat(dirfd(d), name, &st, AT_SYMLINK_NOFOLLOW) != 0)
		return;
	w->path[len] = '/';
	strcpy(w->path + len + 1, name);
	dir.id = st.st_ino;
	if (w->f(w->ctx, &dir) && w->depth < DEPTH_MAX &&
	    (fd = openat(dirfd(d), name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)) >= 0) {
		if ((below = fdopendir(fd)) != NULL)
			walk_dir(w, below, more);
		else
			close(fd);
	}
	w->path[len] = '\0';
}

/* Watched before it is read: what is made in between is seen by one of the two. */
static void walk_dir(struct walk *w, DIR *d, size_t len)
{
	struct dirent *e;

	if (w->c->watch >= 0)
		(void)inotify_add_watch(w->c->watch, w->path,
		    IN_CREATE | IN_DELETE | IN_MOVED_TO | IN_ONLYDIR);
	w->depth++;
	while ((e = readdir(d)) != NULL)
		if (e->d_type == DT_DIR && strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0)
			walk_entry(w, d, len, e->d_name);
	w->depth--;
	closedir(d);
}

void dt_cgroups_walk(struct dt_cgroups *c, dt_cgroups_f *f, void *ctx)
{
	struct walk w = { .c = c, .f = f, .ctx = ctx };
	DIR *d = opendir(c->path);

	snprintf(w.path, sizeof(w.path), "%s", c->path);
	if (d != NULL)
		walk_dir(&w, d, strlen(w.path));
}
