/* SPDX-License-Identifier: BSD-2-Clause */
/* See complete.h. */
#include "complete.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The completions of the last part: mostly sorted by the library, and often equal to their neighbour. */
struct ways { int part; struct way { char *text, *note; } *list; size_t n, room; };

/*
 * The only characters that a completion may have: no shell gives them a meaning within a word. At the
 * beginning of one, - would make an option of it, and ~ someone's home directory.
 */
static bool is_plain(const char *name)
{
	static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.:+@~,-";

	return name[strspn(name, plain)] == '\0' && name[0] != '-' && name[0] != '~';
}

/* A note is shown beside its completion, on a terminal. */
static void make_plain(char *note)
{
	for (; *note != '\0'; note++)
		if (!is_plain((const char[]){ *note, '\0' }) && *note != '/' && *note != '-')
			*note = '?';
}

/* False: out of memory. A name that is not plain is left out; this is the only place that adds any. */
static bool add_way(struct ways *w, const char *text, const char *note)
{
	struct way *new;

	if (!is_plain(text) || (w->n > 0 && strcmp(w->list[w->n - 1].text, text) == 0))
		return true;
	if (w->n == w->room) {
		struct way *more = realloc(w->list, (w->room = 2 * w->room + 64) * sizeof(*more));

		if (more == NULL)
			return false;
		w->list = more;
	}
	new = &w->list[w->n];
	*new = (struct way){ strdup(text), note != NULL ? strdup(note) : NULL };
	if (new->text == NULL || (note != NULL && new->note == NULL)) {
		free(new->text);
		free(new->note);
		return false;
	}
	if (note != NULL)
		make_plain(new->note);
	w->n++;
	return true;
}

static const char *part_of(const dtrace_probedesc_t *d, int part)
{
	switch (part) {
	case 0: return d->dtpd_provider;
	case 1: return d->dtpd_mod;
	case 2: return d->dtpd_func;
	default: return d->dtpd_name;
	}
}

static int take_probe(dtrace_hdl_t *dtp, const dtrace_probedesc_t *d, void *arg)
{
	struct ways *w = arg;

	(void)dtp;
	return add_way(w, part_of(d, w->part), NULL) ? 0 : 1;
}

static int by_text(const void *a, const void *b)
{
	return strcmp(((const struct way *)a)->text, ((const struct way *)b)->text);
}

/* Writes them with the text of the user that stands before them. */
static void put_ways(struct ways *w, const char *before, int len, const char *after, FILE *out)
{
	if (w->n > 1)
		qsort(w->list, w->n, sizeof(*w->list), by_text);
	for (size_t i = 0; i < w->n; i++) {
		const char *note = w->list[i].note;

		if (i == 0 || strcmp(w->list[i].text, w->list[i - 1].text) != 0)
			fprintf(out, "%.*s%s%s%s%s\n", len, before, w->list[i].text, after,
			    note != NULL ? "\t" : "", note != NULL ? note : "");
	}
	for (size_t i = 0; i < w->n; i++) {
		free(w->list[i].text);
		free(w->list[i].note);
	}
	free(w->list);
}

/*
 * Matches what is there, and anything after it; *part is the last part that is there. False: there are
 * more than four.
 */
static bool describe(const char *text, dtrace_probedesc_t *d, int *part)
{
	char *const parts[] = { d->dtpd_provider, d->dtpd_mod, d->dtpd_func, d->dtpd_name };
	static const size_t sizes[] = { sizeof(d->dtpd_provider), sizeof(d->dtpd_mod), sizeof(d->dtpd_func),
		sizeof(d->dtpd_name) };

	*d = (dtrace_probedesc_t){ 0 };
	for (*part = 0; *part < 4; ++*part) {
		size_t len = strcspn(text, ":");
		bool last = text[len] == '\0';

		if (snprintf(parts[*part], sizes[*part], "%.*s%s", (int)len, text, last ? "*" : "") >=
		    (int)sizes[*part])
			return false;
		if (last)
			return true;
		text += len + 1;
	}
	return false;
}

/* A description without a colon may also be one of the names that are used alone: BEGIN, END. */
static int put_all(dtrace_hdl_t *dtp, const char *description, FILE *out)
{
	const char *colon = strrchr(description, ':');
	int len = colon != NULL ? (int)(colon + 1 - description) : 0;
	struct ways names = { .part = 3 }, ways = { 0 };
	dtrace_probedesc_t d, alone = { .dtpd_provider = "dtrace" };

	if (!describe(description, &d, &ways.part))
		return 1;
	(void)dtrace_probe_iter(dtp, &d, take_probe, &ways);
	put_ways(&ways, description, len, ways.part < 3 ? ":" : "", out);
	if (len == 0) {
		snprintf(alone.dtpd_name, sizeof(alone.dtpd_name), "%s", d.dtpd_provider);
		(void)dtrace_probe_iter(dtp, &alone, take_probe, &names);
		put_ways(&names, "", 0, "", out);
	}
	return 0;
}

/* Whoever may not trace gets no probes; the shell shows no message. */
static int complete_probe(const char *description, FILE *out)
{
	int err, status;
	dtrace_hdl_t *dtp = dtrace_open(DTRACE_VERSION, 0, &err);

	if (dtp == NULL) {
		fprintf(stderr, "dtrace: failed to initialize dtrace: %s\n", dtrace_errmsg(NULL, err));
		return 1;
	}
	status = put_all(dtp, description, out);
	dtrace_close(dtp);
	return status;
}

static bool begins(const char *name, const char *text)
{
	return strncmp(name, text, strlen(text)) == 0;
}

/* The name of a process, all of it: a newline may be part of it. The last one is the kernel's. */
static bool read_name(const char *pid, char *name, size_t size)
{
	char path[64];
	FILE *f;
	size_t len;

	snprintf(path, sizeof(path), "/proc/%.20s/comm", pid);
	if ((f = fopen(path, "re")) == NULL)
		return false;
	len = fread(name, 1, size - 1, f);
	fclose(f);
	if (len > 0 && name[len - 1] == '\n')
		len--;
	name[len] = '\0';
	return len > 0;
}

/* -p completes the number and notes the name; -W completes the name. This process is not offered. */
static void add_processes(struct ways *w, bool by_pid, const char *text)
{
	DIR *dir = opendir("/proc");
	struct dirent *e;
	char name[64];
	bool fits = true;

	while (dir != NULL && fits && (e = readdir(dir)) != NULL) {
		if (e->d_name[0] < '1' || e->d_name[0] > '9' || atol(e->d_name) == (long)getpid() ||
		    !read_name(e->d_name, name, sizeof(name)))
			continue;
		if (begins(by_pid ? e->d_name : name, text))
			fits = add_way(w, by_pid ? e->d_name : name, by_pid ? name : NULL);
	}
	if (dir != NULL)
		closedir(dir);
}

/* The commands of one directory of $PATH. */
static void add_commands(struct ways *w, const char *path, const char *text)
{
	DIR *dir = opendir(path);
	struct dirent *e;
	struct stat st;
	bool fits = true;

	while (dir != NULL && fits && (e = readdir(dir)) != NULL)
		if (begins(e->d_name, text) && fstatat(dirfd(dir), e->d_name, &st, 0) == 0 &&
		    S_ISREG(st.st_mode) && faccessat(dirfd(dir), e->d_name, X_OK, AT_EACCESS) == 0)
			fits = add_way(w, e->d_name, NULL);
	if (dir != NULL)
		closedir(dir);
}

static void add_all_commands(struct ways *w, const char *text)
{
	const char *path = getenv("PATH");
	char *copy = path != NULL ? strdup(path) : NULL, *rest = copy, *folder;

	while ((folder = strsep(&rest, ":")) != NULL)
		if (*folder == '/')
			add_commands(w, folder, text);
	free(copy);
}

int complete(const char *what, const char *text, FILE *out)
{
	struct ways w = { 0 };

	if (what[0] != '-')
		return complete_probe(what, out);
	if (strcmp(what, "-c") == 0)
		add_all_commands(&w, text);
	else if (strcmp(what, "-p") == 0 || strcmp(what, "-W") == 0)
		add_processes(&w, what[1] == 'p', text);
	else
		return 1;
	put_ways(&w, "", 0, "", out);
	return 0;
}
