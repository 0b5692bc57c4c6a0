/* SPDX-License-Identifier: BSD-2-Clause */
/* See always.h: the folder, looked at once a second, and the life of the programs in it. */
#include "always.h"

#include "base.h"
#include "post.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TYPE "application/openmetrics-text; version=1.0.0; charset=utf-8"

/* ---- files ---- */

/*
 * NAME.d: the name is a part of the names of metrics, where an underscore ends it, so it has letters and
 * digits alone; the agent's own metrics are called agent. NULL, or why not.
 */
static const char *bad_name(const char *file, char name[65])
{
	size_t n = strlen(file) - 2;

	if (n == 0 || n > 64)
		return "its name has to have 1 to 64 characters before .d";
	for (size_t i = 0; i < n; i++)
		if (!isalnum((unsigned char)file[i]) || (unsigned char)file[i] >= 128)
			return "its name has to be of letters and digits: it is a part of names of metrics";
	snprintf(name, 65, "%.*s", (int)n, file);
	return strcmp(name, "agent") == 0 || strcmp(name, "tracing") == 0 ?
	    "the name is that of metrics of the agent" : NULL;
}

/* Programs run with our rights: nobody else may have written them. */
static const char *bad_file(const struct stat *st)
{
	if (!S_ISREG(st->st_mode))
		return "it is no regular file";
	if (st->st_uid != 0 && st->st_uid != geteuid())
		return "it belongs to another user: chown root";
	if ((st->st_mode & (S_IWGRP | S_IWOTH)) != 0)
		return "others may write it: chmod go-w";
	if (st->st_size > MESSAGE_MAX / 2)
		return "it has more than 512 KiB";
	return NULL;
}

static bool same_file(const struct stat *a, const struct stat *b)
{
	return a->st_ino == b->st_ino && a->st_dev == b->st_dev && a->st_size == b->st_size &&
	    a->st_mode == b->st_mode && a->st_uid == b->st_uid &&
	    a->st_mtim.tv_sec == b->st_mtim.tv_sec && a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

/* ---- the folder ---- */

static struct program *program_named(struct always *w, const char *path)
{
	for (int i = 0; i < w->n; i++)
		if (strcmp(w->program[i]->path, path) == 0)
			return w->program[i];
	return NULL;
}

static struct program *add_program(struct always *w, const char *path)
{
	struct program *p;

	if (w->n == w->cap) {
		struct program **more = reallocarray(w->program, (size_t)w->cap + 16, sizeof(*more));

		if (more == NULL)
			return NULL;
		w->program = more;
		w->cap += 16;
	}
	if ((p = calloc(1, sizeof(*p))) == NULL)
		return NULL;
	snprintf(p->path, sizeof(p->path), "%s", path);
	p->said = p->stream = -1;
	w->program[w->n++] = p;
	return p;
}

/* A file is judged once, and again when it has changed; the reason is logged each time. */
static void look_at(struct always *w, const char *file)
{
	char path[512];
	struct program *p;
	struct stat st;
	const char *why;

	if ((size_t)snprintf(path, sizeof(path), "%s/%s", w->settings->always, file) >= sizeof(path) ||
	    stat(path, &st) != 0)
		return;
	if ((p = program_named(w, path)) != NULL) {
		p->seen = true;
		if (same_file(&p->file, &st))
			return;
		program_log(p, "has changed", "");
	} else if ((p = add_program(w, path)) == NULL) {
		return;
	}
	p->seen = true;
	p->file = st;
	p->tries = 0;
	p->next = 0;
	if ((why = bad_name(file, p->name)) == NULL)
		why = bad_file(&st);
	else
		snprintf(p->name, sizeof(p->name), "%.64s", file);
	if (why == NULL && w->n > ALWAYS_MAX)
		why = "there are more than 64 programs";
	p->changed = p->pid != 0;
	if (p->pid != 0)
		program_end(p);
	p->state = why == NULL ? PROGRAM_WAITS : PROGRAM_BROKEN;
	if (why != NULL)
		program_log(p, "is not run: ", why);
}

static bool is_program(const char *file)
{
	size_t n = strlen(file);

	return file[0] != '.' && n >= 2 && strcmp(file + n - 2, ".d") == 0;
}

static void scan(struct always *w)
{
	DIR *dir = opendir(w->settings->always);
	bool unread = dir == NULL && errno != ENOENT;

	if (unread && !w->refused_folder)
		fprintf(stderr, "dtraced: %s: %s\n", w->settings->always, strerror(errno));
	w->refused_folder = unread;
	if (unread)
		return;				/* not a reason to end what runs */
	for (int i = 0; i < w->n; i++)
		w->program[i]->seen = false;
	for (struct dirent *e; dir != NULL && (e = readdir(dir)) != NULL;)
		if (is_program(e->d_name))
			look_at(w, e->d_name);
	if (dir != NULL)
		closedir(dir);
	for (int i = 0; i < w->n; i++)
		if (!w->program[i]->seen && !w->program[i]->removed) {
			program_log(w->program[i], "is removed", "");
			w->program[i]->removed = true;
			program_end(w->program[i]);
		}
}

/* ---- a round ---- */

int always_fds(const struct always *w, struct pollfd *fd)
{
	int n = 0;

	for (int i = 0; i < w->n && n + 2 <= 2 * ALWAYS_MAX; i++)
		if (w->program[i]->pid != 0) {
			fd[n++] = (struct pollfd){ .fd = w->program[i]->said, .events = POLLIN };
			fd[n++] = (struct pollfd){ .fd = w->program[i]->stream, .events = POLLIN };
		}
	return n;
}

static void drop_removed(struct always *w)
{
	for (int i = w->n - 1; i >= 0; i--)
		if (w->program[i]->removed && w->program[i]->pid == 0) {
			program_free(w->program[i]);
			w->program[i] = w->program[--w->n];
		}
}

static void serve_document(struct agent *a, struct always *w)
{
	size_t len;
	char *text;

	if (w->server == NULL || (text = always_document(a, w, &len)) == NULL)
		return;
	dtrace_server_put(w->server, text, len);
	free(text);
}

void always_work(struct agent *a, struct always *w)
{
	uint64_t now = now_ns();

	if (now - w->scanned > SECOND_NS) {
		w->scanned = now;
		scan(w);
	}
	for (int i = 0; i < w->n; i++) {
		struct program *p = w->program[i];

		if (p->pid != 0)
			program_work(p, w->settings, &w->outlets);
		if (p->pid == 0 && p->state == PROGRAM_WAITS && !p->removed && now >= p->next)
			program_start(p, w->settings);
	}
	drop_removed(w);
	if (now - w->written > SECOND_NS / 2) {
		w->written = now;
		serve_document(a, w);
	}
}

/* ---- the beginning and the end ---- */

int always_open(struct always *w, const struct settings *s)
{
	char why[512] = "";

	*w = (struct always){ .settings = s };
	if (s->metrics[0] == '\0')
		return 0;
	if ((w->server = dtrace_server_open(s->metrics, TYPE, why, sizeof(why))) == NULL) {
		fprintf(stderr, "dtraced: metrics: %s\n", why);
		return -1;
	}
	fprintf(stderr, "dtraced: metrics are at http://%s/metrics\n", dtrace_server_address(w->server));
	return 0;
}

int always_threads(struct always *w, struct bus *bus)
{
	const struct settings *s = w->settings;

	const char *profiles = s->otlp_profiles != 0 ? otlp_schemas[s->otlp_profiles] : NULL;

	if (s->otlp[0] != '\0' && (w->outlets.post = post_open(s->otlp, "dtraced", profiles)) == NULL)
		return -1;
	if (s->history[0] != '\0' && (w->outlets.history = history_open(s, bus)) == NULL)
		return -1;
	return 0;
}

/* END clauses run, and what they counted is sent. */
void always_end(struct agent *a, struct always *w)
{
	uint64_t until = now_ns() + 8 * SECOND_NS;
	bool running = true;

	for (int i = 0; i < w->n; i++) {
		w->program[i]->removed = true;
		program_end(w->program[i]);
	}
	while (running && now_ns() < until) {
		struct pollfd fd[2 * ALWAYS_MAX];

		(void)poll(fd, (nfds_t)always_fds(w, fd), 100);
		running = false;
		for (int i = 0; i < w->n; i++) {
			if (w->program[i]->pid != 0)
				program_work(w->program[i], w->settings, &w->outlets);
			running |= w->program[i]->pid != 0;
		}
	}
	(void)a;
	while (w->n > 0)
		program_free(w->program[--w->n]);
	free(w->program);
	if (w->outlets.post != NULL)
		post_close(w->outlets.post, 5);
	if (w->outlets.history != NULL)
		history_close(w->outlets.history, 5);
	dtrace_server_close(w->server);
}
