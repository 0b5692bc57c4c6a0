/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The files that a process maps as code, from its maps. Each is opened through /proc/PID/map_files,
 * which leads to the mapped file itself, even if it was deleted or is in a container; only if that is
 * not allowed, by its path in the root of the process.
 */
#include "provider/objects.h"
#include "base/printable.h"

#include "base/file.h"
#include "base/glob.h"
#include "symbol/maps.h"
#include "file/reader.h"
#include "process/proc.h"
#include "provider/dwarf.h"
#include "provider/provider.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

enum { MAPS_MAX = 64 << 20 };

/* A file in memory is called by the name that the process gave it, as descriptions cannot contain a colon. */
static const char *base_name(const char *path)
{
	static const char memory[] = "/memfd:";
	const char *slash = strrchr(path, '/');

	if (slash == path && strncmp(path, memory, sizeof(memory) - 1) == 0)
		return path + sizeof(memory) - 1;
	return slash != NULL ? slash + 1 : path;
}

static struct dt_object *known_object(struct dt_probes *p, uint64_t inode, uint32_t maj, uint32_t min)
{
	struct dt_object *o = p->objects;

	while (o != NULL && (o->inode != inode || o->major != maj || o->minor != min))
		o = o->next;
	return o;
}

/* NULL: there is no memory for one. */
static struct dt_reader *reader_of(struct dt_probes *p)
{
	if (p->reader == NULL)
		p->reader = dt_reader_new();
	return p->reader;
}

/* Also if it cannot be opened, so that this is tried once. */
static struct dt_object *new_object(struct dt_probes *p, const struct dt_object *is)
{
	struct dt_object *o = DT_NEW(p->arena, struct dt_object);

	*o = *is;
	o->next = p->objects;
	p->objects = o;
	o->path = dt_arena_strdup(p->arena, is->path);
	o->name = base_name(o->path);
	if (!dt_is_printable(o->name)) {
		char *clean = dt_arena_strdup(p->arena, o->name);

		dt_make_printable(clean);
		o->name = clean;
	}
	return o;
}

static struct dt_object *with_file(struct dt_probes *p, struct dt_object *o, struct dt_elf *elf,
    const struct statx *st)
{
	o->elf = elf;
	o->dev = makedev(st->stx_dev_major, st->stx_dev_minor);
	o->ino = st->stx_ino;
	o->target = dt_arena_printf(p->arena, "/proc/self/fd/%d", dt_elf_fd(elf));
	return o;
}

static int find_mapped(struct dt_probes *p, uint32_t pid, const struct dt_mapping *m, struct dt_elf **elf,
    struct statx *st)
{
	dev_t dev = makedev(m->major, m->minor);
	char path[4200];
	int err;

	snprintf(path, sizeof(path), "/proc/%u/map_files/%llx-%llx", pid, (unsigned long long)m->start,
	    (unsigned long long)m->end);
	err = dt_elf_find(reader_of(p), path, m->path, dev, elf, st);
	if ((err != -EPERM && err != -EACCES && err != -ENOENT) || m->deleted)
		return err;
	snprintf(path, sizeof(path), "/proc/%u/root%s", pid, m->path);
	err = dt_elf_find(reader_of(p), path, m->path, dev, elf, st);
	if (err == 0 && st->stx_ino != m->inode) {
		dt_elf_close(*elf);
		err = -ENOENT;
	}
	return err;
}

struct dt_object *dt_object_of(struct dt_probes *p, uint32_t pid, const struct dt_mapping *m)
{
	struct dt_object *o = known_object(p, m->inode, m->major, m->minor);
	struct dt_object is = { .path = m->path, .major = m->major, .minor = m->minor, .inode = m->inode };
	struct dt_elf *elf;
	struct statx st;

	if (o != NULL)
		return o->elf != NULL ? o : NULL;
	o = new_object(p, &is);
	return find_mapped(p, pid, m, &elf, &st) == 0 ? with_file(p, o, elf, &st) : NULL;
}

struct dt_object *dt_object_opened(struct dt_probes *p, int fd)
{
	char link[64], path[4096];
	struct dt_object *o, is = { .path = path };
	struct dt_elf *elf;
	struct statx st;
	ssize_t len;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	len = readlink(link, path, sizeof(path) - 1);
	if (len < 0 || statx(fd, "", AT_EMPTY_PATH, STATX_BASIC_STATS, &st) != 0 || !S_ISREG(st.stx_mode))
		return NULL;
	path[len] = '\0';
	is.inode = st.stx_ino;
	is.major = st.stx_dev_major;
	is.minor = st.stx_dev_minor;
	o = known_object(p, is.inode, is.major, is.minor);
	if (o != NULL)
		return o->elf != NULL ? o : NULL;
	o = new_object(p, &is);
	return dt_elf_find_fd(reader_of(p), fd, path, &elf, &st) == 0 ? with_file(p, o, elf, &st) : NULL;
}

static void add_loaded(struct dt_probes *p, struct dt_process *proc, const struct dt_mapping *m,
    const struct statx *exe)
{
	struct dt_object *o = dt_object_of(p, proc->pid, m);
	struct dt_loaded l = { .obj = o };
	uint64_t vaddr;

	if (o == NULL || !dt_elf_offset_to_vaddr(o->elf, m->offset, &vaddr))
		return;
	l.bias = m->start - vaddr;
	l.main = exe->stx_ino != 0 && o->ino == exe->stx_ino &&
	    o->dev == makedev(exe->stx_dev_major, exe->stx_dev_minor);
	l.called = l.main ? proc->comm : NULL;
	for (size_t i = 0; i < proc->list.n; i++)
		if (proc->list.v[i].obj == o)
			return;
	dt_vec_push(p->arena, &proc->list, l);
}

/* A program started through a link goes by the name of the link. */
static void read_comm(struct dt_probes *p, struct dt_process *proc)
{
	char path[64], *text;
	size_t len;

	snprintf(path, sizeof(path), "/proc/%u/comm", proc->pid);
	if (dt_file_read(path, 64, &text, &len) != 0)
		return;
	proc->comm = dt_arena_strndup(p->arena, text, strcspn(text, "\n"));
	free(text);
}

struct dt_process *dt_process_look(struct dt_probes *p, uint32_t pid, const char **why)
{
	struct dt_process *proc;
	struct dt_mapping m;
	struct statx exe = { 0 };
	char path[64], *text;
	const char *at;
	size_t len;

	if (pid == 0) {
		*why = "there is no process 0; $target is the one of -p or -c";
		return NULL;
	}
	snprintf(path, sizeof(path), "/proc/%u/exe", pid);
	/* what the kernel knows: a server that does not answer is not asked */
	if (statx(AT_FDCWD, path, AT_STATX_DONT_SYNC, STATX_BASIC_STATS, &exe) != 0) {
		*why = dt_arena_printf(p->arena,
		    errno == ENOENT ? "there is no process %u that runs a program" :
				      "process %u cannot be looked at: run dtrace as root",
		    pid);
		return NULL;
	}
	snprintf(path, sizeof(path), "/proc/%u/maps", pid);
	if (dt_file_read(path, MAPS_MAX, &text, &len) != 0) {
		*why = dt_arena_printf(p->arena, "the mappings of process %u cannot be read", pid);
		return NULL;
	}
	proc = DT_NEW(p->arena, struct dt_process);
	proc->pid = pid;
	read_comm(p, proc);
	for (at = text; dt_maps_next(&at, &m);)
		if (m.exec && m.inode != 0 && m.path[0] == '/')
			add_loaded(p, proc, &m, &exe);
	free(text);
	if (proc->list.n == 0)
		*why = dt_arena_printf(p->arena, "process %u has mapped no program that can be read%s%s", pid,
		    dt_reader_why(p->reader) != NULL ? ": " : "",
		    dt_reader_why(p->reader) != NULL ? dt_reader_why(p->reader) : "");
	return proc->list.n != 0 ? proc : NULL;
}

void dt_each_process(void (*f)(void *ctx, uint32_t pid), void *ctx)
{
	DIR *dir = opendir("/proc");
	struct dirent *e;

	while (dir != NULL && (e = readdir(dir)) != NULL)
		if (isdigit((unsigned char)e->d_name[0]))
			f(ctx, (uint32_t)strtoul(e->d_name, NULL, 10));
	if (dir != NULL)
		closedir(dir);
}

const char *dt_process_when(struct dt_probes *p, uint32_t pid)
{
	return p->follow ? NULL : dt_arena_printf(p->arena, "pid == %u", pid);	/* follow: hook.root */
}

/* "libc" and "libc.so" mean libc.so.6, by its name up to a dot, and so does "libc.so.7". */
static bool same_stem(const char *name, const char *part)
{
	size_t len = strlen(part), stem = strcspn(part, ".");

	if (strncmp(name, part, len) == 0 && name[len] == '.')
		return true;
	return stem > 0 && strncmp(part + stem, ".so.", 4) == 0 && strncmp(name, part, stem + 4) == 0;
}

/* A path may be that of a link. */
static bool same_file(const struct dt_object *o, const char *path)
{
	struct stat named;

	return path[0] == '/' && stat(path, &named) == 0 && named.st_ino == o->ino && named.st_dev == o->dev;
}

bool dt_loaded_named(const struct dt_loaded *l, const char *part)
{
	const char *tick = strchr(part, '`');

	/* a separate list of libraries: its number is not known here */
	if (tick != NULL && strncmp(part, "LM", 2) == 0)
		part = tick + 1;
	if (part[0] == '\0')
		return true;
	if (!dt_part_literal(part))
		return dt_glob_match(part, l->obj->name) || (l->main && dt_glob_match(part, "a.out"));
	if ((l->main && l->called != NULL && strcmp(part, l->called) == 0) ||
	    (l->obj->link != NULL && strcmp(part, l->obj->link) == 0))
		return true;
	return strcmp(part, l->obj->name) == 0 || strcmp(part, l->obj->path) == 0 ||
	    same_stem(l->obj->name, part) || (l->main && strcmp(part, "a.out") == 0) ||
	    same_file(l->obj, part);
}

void dt_objects_close(struct dt_object *list)
{
	for (; list != NULL; list = list->next) {
		dt_dwarf_close(list->dwarf);
		dt_elf_close(list->elf);
	}
}
