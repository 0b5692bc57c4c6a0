/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tables of descriptors (files.h). Threads share one; a fork copies it. A name that is not known is looked
 * for in /proc, once: descriptors also come by messages, and by calls that no record was made of.
 */
#include "files.h"

#include "decode.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MAX_FDS 65536			/* those above have no names */
#define MAX_BYTES (64u << 20)		/* bytes for the tables and names of all processes */

struct file {
	char *name;			/* NULL: not known; "": closed, or nothing is known of it in /proc */
	uint64_t since;			/* when the call that gave it returned */
};

struct files {
	unsigned users;
	pid_t pid;
	char *cwd;
	struct file *v;
	size_t n;
	struct files_memory *memory;
};

/* False: the limit is reached, which is reported once; descriptors have no names then. */
static bool take(struct files *f, size_t bytes)
{
	if (f->memory->used + bytes <= MAX_BYTES) {
		f->memory->used += bytes;
		return true;
	}
	if (!f->memory->full)
		fprintf(stderr, "dtruss: names of descriptors take more than %u MB: others will have none "
		    "(-Y shows numbers only)\n", MAX_BYTES >> 20);
	f->memory->full = true;
	return false;
}

static void forget(struct files *f, struct file *at)
{
	if (at->name != NULL)
		f->memory->used -= strlen(at->name) + 1;
	free(at->name);
	at->name = NULL;
}

/* The name is malloc()ed, and freed if the limit is reached; NULL: the descriptor has no name. */
static void remember(struct files *f, struct file *at, char *name)
{
	forget(f, at);
	if (name != NULL && take(f, strlen(name) + 1))
		at->name = name;
	else
		free(name);
}

static char *read_link(pid_t pid, const char *what)
{
	char path[64], target[4096];
	ssize_t n;

	snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, what);
	n = readlink(path, target, sizeof(target) - 1);
	return n < 0 ? NULL : strndup(target, (size_t)n);
}

static struct file *file_at(struct files *f, int fd)
{
	size_t n = f->n == 0 ? 16 : f->n;
	struct file *v;

	if (fd < 0 || fd >= MAX_FDS)
		return NULL;
	if ((size_t)fd < f->n)
		return &f->v[fd];
	while (n <= (size_t)fd)
		n *= 2;
	if (!take(f, (n - f->n) * sizeof(*v)))
		return NULL;
	v = realloc(f->v, n * sizeof(*v));
	if (v == NULL) {
		f->memory->used -= (n - f->n) * sizeof(*v);
		return NULL;
	}
	memset(v + f->n, 0, (n - f->n) * sizeof(*v));
	f->v = v;
	f->n = n;
	return &v[fd];
}

static void set_name(struct files *f, int fd, const char *name, uint64_t since)
{
	struct file *at = file_at(f, fd);

	if (at == NULL)
		return;
	remember(f, at, strdup(name));
	at->since = since;
}

static void look_up(struct files *f, int fd, struct file *at)
{
	char what[32], *name;

	if (f->memory->used > MAX_BYTES - PATH_MAX)	/* the name might not fit */
		return;
	snprintf(what, sizeof(what), "fd/%d", fd);
	name = read_link(f->pid, what);
	remember(f, at, name != NULL ? name : strdup(""));
}

/* All of them are asked for now: the process may have ended when they are used. */
struct files *files_of(pid_t pid, struct files_memory *memory)
{
	struct files *f = calloc(1, sizeof(*f));
	char path[64];
	DIR *dir;
	struct dirent *e;

	if (f == NULL)
		return NULL;
	f->users = 1;
	f->pid = pid;
	f->memory = memory;
	f->cwd = read_link(pid, "cwd");
	snprintf(path, sizeof(path), "/proc/%d/fd", (int)pid);
	dir = opendir(path);
	while (dir != NULL && (e = readdir(dir)) != NULL) {
		int fd = (int)strtol(e->d_name, NULL, 10);
		struct file *at = e->d_name[0] != '.' ? file_at(f, fd) : NULL;

		if (at != NULL)
			look_up(f, fd, at);
	}
	if (dir != NULL)
		closedir(dir);
	return f;
}

struct files *files_copy(struct files *from, pid_t pid)
{
	struct files *f = from != NULL ? calloc(1, sizeof(*f)) : NULL;

	if (f == NULL)
		return NULL;
	f->users = 1;
	f->pid = pid;
	f->memory = from->memory;
	f->cwd = from->cwd != NULL ? strdup(from->cwd) : NULL;
	for (size_t i = 0; i < from->n; i++)
		if (from->v[i].name != NULL)
			set_name(f, (int)i, from->v[i].name, from->v[i].since);
	return f;
}

struct files *files_share(struct files *f)
{
	if (f != NULL)
		f->users++;
	return f;
}

void files_release(struct files *f)
{
	if (f == NULL || --f->users > 0)
		return;
	for (size_t i = 0; i < f->n; i++)
		forget(f, &f->v[i]);
	f->memory->used -= f->n * sizeof(*f->v);
	free(f->v);
	free(f->cwd);
	free(f);
}

const char *files_known(struct files *f, int fd)
{
	const char *name = f != NULL && fd >= 0 && (size_t)fd < f->n ? f->v[fd].name : NULL;

	return name != NULL && name[0] != '\0' ? name : NULL;
}

const char *files_name(struct files *f, int fd)
{
	struct file *at = f != NULL ? file_at(f, fd) : NULL;

	if (at != NULL && at->name == NULL)
		look_up(f, fd, at);
	return files_known(f, fd);
}

const char *files_cwd(struct files *f) { return f->cwd; }

/* ---- what calls change ---- */

static const char *recorded_string(const struct call *c)
{
	size_t size = 0;
	const char *s = call_bytes(c, CALL_RET, 0, &size);

	return s != NULL && strnlen(s, size) < size ? s : NULL;
}

/* NULL: the kernel was not asked, and /proc will be. */
static void set_or_forget(struct files *f, const struct call *c, const char *format, const char *name)
{
	char text[4200];
	struct file *at = file_at(f, (int)c->ret);

	if (name != NULL) {
		snprintf(text, sizeof(text), format, name);
		set_name(f, (int)c->ret, text, c->end);
	} else if (at != NULL) {
		forget(f, at);
	}
}

static void set_inode(struct files *f, int fd, const char *what, int64_t ino, uint64_t since)
{
	char text[64];

	snprintf(text, sizeof(text), "%s:[%lld]", what, (long long)ino);
	set_name(f, fd, text, since);
}

static void after_open(struct files *f, const struct call *c)
{
	set_or_forget(f, c, "%s", recorded_string(c));
}

static void after_anon(struct files *f, const struct call *c)
{
	set_or_forget(f, c, "anon_inode:%s", recorded_string(c));
}

static void after_memfd(struct files *f, const struct call *c)
{
	set_or_forget(f, c, "/%s (deleted)", recorded_string(c));
}

static void after_sock(struct files *f, const struct call *c)
{
	set_inode(f, (int)c->ret, "socket", call_number(c, CALL_RET, 0), c->end);
}

static void after_dup(struct files *f, const struct call *c)
{
	const char *name = files_name(f, (int)c->a[0]);
	char *copy = name != NULL ? strdup(name) : NULL;

	set_or_forget(f, c, "%s", copy);
	free(copy);
}

static void after_fcntl(struct files *f, const struct call *c)
{
	if ((int)c->a[1] == F_DUPFD || (int)c->a[1] == F_DUPFD_CLOEXEC)
		after_dup(f, c);
}

static void after_cwd(struct files *f, const struct call *c)
{
	const char *cwd = recorded_string(c);

	free(f->cwd);
	f->cwd = cwd != NULL ? strdup(cwd) : NULL;
}

static void after_pair(struct files *f, const struct call *c)
{
	unsigned arg = c->row->nargs == 4 ? 3 : 0;	/* socketpair() has them last */
	size_t size = 0;
	const void *p = call_bytes(c, arg, 0, &size);
	int fd[2];

	if (p == NULL || size < sizeof(fd))
		return;
	memcpy(fd, p, sizeof(fd));
	for (unsigned i = 0; i < 2; i++)
		set_inode(f, fd[i], arg == 3 ? "socket" : "pipe", call_number(c, arg, 1 + i), c->end);
}

/* Another thread may have been given the same number before this record was made. */
static void close_one(struct files *f, int fd, const struct call *c)
{
	if (fd >= 0 && (size_t)fd < f->n && f->v[fd].since <= c->begin)
		set_name(f, fd, "", c->begin);
}

static void after_close(struct files *f, const struct call *c) { close_one(f, (int)c->a[0], c); }

static void after_close_range(struct files *f, const struct call *c)
{
	for (uint64_t fd = c->a[0]; (c->a[2] & 4) == 0 && fd <= c->a[1] && fd < f->n; fd++)
		close_one(f, (int)fd, c);
}

/* Words of the bits of descriptors that are open in the new program. */
static void after_exec(struct files *f, const struct call *c)
{
	for (unsigned w = 0; w < 4 && c->data != NULL; w++) {
		uint64_t bits = (uint64_t)call_number(c, CALL_RET, w);

		for (unsigned i = 0; i < 64 && w * 64 + i < f->n; i++)
			if (!(bits >> i & 1))
				set_name(f, (int)(w * 64 + i), "", c->begin);
	}
}

static const struct {
	char name[12];			/* of the kind of the result, or of the call */
	void (*after)(struct files *, const struct call *);
} changes[] = {
	{ "=open", after_open }, { "=sock", after_sock }, { "=anon", after_anon }, { "=memfd", after_memfd },
	{ "=dup", after_dup }, { "=fcntl", after_fcntl }, { "=cwd", after_cwd }, { "pipe", after_pair },
	{ "pipe2", after_pair }, { "socketpair", after_pair }, { "close", after_close },
	{ "=exec", after_exec },
	{ "close_range", after_close_range },
};

void files_after(struct files *f, const struct call *c)
{
	const char *name = c->row->ret != NULL ? c->row->ret->name : c->row->name;

	if (f == NULL || !(c->row->classes & CLASS_TRACK) || call_failed(c) || c->blind)
		return;
	for (size_t i = 0; i < COUNT(changes); i++)
		if (strcmp(changes[i].name, name) == 0)
			changes[i].after(f, c);
}
