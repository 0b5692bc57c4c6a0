/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Libraries that a process has not loaded yet. A probe is at a place in a file, so it can be set before
 * the process maps the file. The library is searched by path, or by name in the directories of
 * LD_LIBRARY_PATH and of what is loaded already, as the process sees them.
 */
#include "provider/objects.h"
#include "base/count.h"

#include "base/file.h"
#include "symbol/maps.h"
#include "provider/provider.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

enum { ENVIRON_MAX = 64 << 20 };

struct looking {
	struct dt_probes *p;
	struct dt_process *proc;
	const char *name;
	struct dt_mapping *m;
};

/* Looks for the file as the process sees it, and adds it to what the process has loaded. */
static bool opens(struct looking *l, const char *dir, size_t len, const char *suffix)
{
	struct dt_loaded in = { .obj = NULL };
	char path[sizeof(l->m->path) + 64];
	struct stat st;
	int n = snprintf(l->m->path, sizeof(l->m->path), "%.*s/%s%s", (int)len, dir, l->name, suffix);

	if ((len > 0 && dir[0] != '/') || n < 0 || n >= (int)sizeof(l->m->path))
		return false;
	snprintf(path, sizeof(path), "/proc/%u/root%s", l->proc->pid, l->m->path);
	if (stat(path, &st) != 0 || !S_ISREG(st.st_mode))
		return false;
	l->m->inode = st.st_ino;
	l->m->major = major(st.st_dev);
	l->m->minor = minor(st.st_dev);
	in.obj = dt_object_of(l->p, l->proc->pid, l->m);
	if (in.obj == NULL)
		return false;
	dt_vec_push(l->p->arena, &l->proc->list, in);
	return true;
}

/* "libfoo" also means libfoo.so. */
static bool in_directory(struct looking *l, const char *dir, size_t len)
{
	return opens(l, dir, len, "") || (strchr(l->name, '.') == NULL && opens(l, dir, len, ".so"));
}

/* Relative and empty entries would mean the working directory of the process: they are passed over. */
static bool in_list(struct looking *l, const char *dirs)
{
	while (*dirs != '\0') {
		size_t len = strcspn(dirs, ":");

		if (len > 0 && in_directory(l, dirs, len))
			return true;
		dirs += len + (dirs[len] == ':');
	}
	return false;
}

/* The environment as it was at exec: what the process changed since is its own secret. */
static bool in_environment(struct looking *l)
{
	static const char name[] = "LD_LIBRARY_PATH=";
	char path[64], *text;
	size_t len;
	bool found = false;

	snprintf(path, sizeof(path), "/proc/%u/environ", l->proc->pid);
	if (dt_file_read(path, ENVIRON_MAX, &text, &len) != 0)
		return false;
	for (const char *at = text; !found && at < text + len; at += strlen(at) + 1)
		if (strncmp(at, name, sizeof(name) - 1) == 0)
			found = in_list(l, at + sizeof(name) - 1);
	free(text);
	return found;
}

/* The list grows when a file is found, so its length is taken first. */
static bool beside_loaded(struct looking *l)
{
	for (size_t i = 0, n = l->proc->list.n; i < n; i++) {
		const char *path = l->proc->list.v[i].obj->path, *slash = strrchr(path, '/');

		if (slash != NULL && in_directory(l, path, (size_t)(slash - path)))
			return true;
	}
	return false;
}

/* The program itself and patterns are never loaded later. True: proc->list has one more. */
bool dt_process_later(struct dt_probes *p, struct dt_process *proc, const char *name)
{
	struct looking l = { p, proc, name, NULL };
	const char *slash = strrchr(name, '/');

	if (!dt_part_literal(name) || (slash != NULL && name[0] != '/') || name[0] == '.' ||
	    strcmp(name, "a.out") == 0)
		return false;
	l.m = DT_NEW(p->arena, struct dt_mapping);
	if (slash != NULL) {
		l.name = slash + 1;
		return opens(&l, name, (size_t)(slash - name), "");
	}
	return in_environment(&l) || beside_loaded(&l);
}

/* ---- files that need not be running ---- */

struct files { struct dt_probes *p; const char *name; void (*f)(void *ctx, struct dt_object *); void *ctx; };

/* Opened once and checked there: the file cannot be exchanged between check and use. */
static void offer_file(const struct files *fs, const char *dir, size_t len)
{
	struct dt_object *o = NULL;
	char path[4096];
	int fd = -1,
	    n = snprintf(path, sizeof(path), "%.*s%s%s", (int)len, dir, len > 0 ? "/" : "", fs->name);

	if (n > 0 && n < (int)sizeof(path))
		fd = dt_elf_open_regular(path, true);
	if (fd < 0)
		return;
	o = dt_object_opened(fs->p, fd);
	close(fd);
	if (o == NULL)
		return;
	if (fs->name[0] != '/' && strcmp(fs->name, o->name) != 0)
		o->link = fs->name;
	fs->f(fs->ctx, o);
}

/* Libraries are where the known ones are. */
void dt_objects_named(struct dt_probes *p, const char *name, void (*f)(void *ctx, struct dt_object *),
    void *ctx)
{
	static const char *const programs[] = { "/usr/bin", "/usr/sbin", "/usr/local/bin", "/usr/local/sbin",
		"/bin", "/sbin" };
	struct files fs = { p, name, f, ctx };
	struct dt_object *known = p->objects;

	if (!dt_part_literal(name) || name[0] == '.' || (strchr(name, '/') != NULL && name[0] != '/'))
		return;
	if (name[0] == '/') {
		offer_file(&fs, "", 0);
		return;
	}
	for (size_t i = 0; i < DT_COUNT(programs); i++)
		offer_file(&fs, programs[i], strlen(programs[i]));
	for (; known != NULL; known = known->next) {
		const char *slash = strrchr(known->path, '/');

		if (slash != NULL && known->path[0] == '/')
			offer_file(&fs, known->path, (size_t)(slash - known->path));
	}
}
