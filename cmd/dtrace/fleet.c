/* SPDX-License-Identifier: BSD-2-Clause */
/* See fleet.h. */
#include "fleet.h"

#include "beside.h"
#include "signals.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- what goes with it ---- */

static int refuse(const char *what, const char *why)
{
	fprintf(stderr, "dtrace: %s does not go with --hosts: %s\n", what, why);
	return 2;
}

/* Formats of what is shown at regular intervals: the hosts send snapshots then, which are merged. */
static bool needs_intervals(const char *format)
{
	return format != NULL && (strncmp(format, "openmetrics=", 12) == 0 || strcmp(format, "heatmap") == 0);
}

static int check_setting(const struct setting *s)
{
	char flag[3] = { '-', s->flag, '\0' };

	if (strcmp(s->name, "destructive") == 0)
		return refuse("-w", "agents never run destructive actions");
	if (strchr("aCDHILSUXdG", s->flag) != NULL)
		return refuse(flag, "hosts compile the program themselves, with their own files");
	return 0;
}

static int check(const struct args *a)
{
	if (a->mode != MODE_TRACE && a->mode != MODE_LIST)
		return refuse("this option", "with it go -n and its like, -s, and -l");
	if (a->ntargets > 0)
		return refuse("-c, -p or -W", "processes of which host? Write their names in a predicate");
	if (a->live || a->replays || a->compile_only || a->buffered)
		return refuse("--live, --replay, -e or -B", "they are of one machine");
	if (a->nprograms == 0) {
		fprintf(stderr, "dtrace: no probes specified (a program is given with -n or -s)\n");
		return 1;
	}
	for (int i = 0; i < a->nsettings; i++)
		if (check_setting(&a->settings[i]) != 0)
			return 2;
	return 0;
}

/* ---- its command line ---- */

struct words { char **v; int n; bool failed; };

static void add(struct words *w, const char *flag, const char *a, const char *sep, const char *b)
{
	char *text = NULL;

	w->v[w->n++] = strdup(flag);
	if (a != NULL && asprintf(&text, "%s%s%s", a, sep, b) < 0)
		text = NULL;
	w->failed |= w->v[w->n - 1] == NULL || (a != NULL && text == NULL);
	if (a != NULL)
		w->v[w->n++] = text;
}

static void free_words(struct words *w)
{
	for (int i = 0; w->v != NULL && i < w->n; i++)
		free(w->v[i]);
	free(w->v);
}

/* A format is ours to make, and what -l and -Z permit is asked for by -l there. */
static bool is_for_hosts(const struct args *a, const struct setting *s)
{
	return strcmp(s->name, "oformat") != 0 && !(a->mode == MODE_LIST && strcmp(s->name, "zdefs") == 0);
}

static void put_interval(struct words *w, const struct args *a)
{
	bool wants = false, given = false;

	for (int i = 0; i < a->nsettings; i++) {
		wants |= strcmp(a->settings[i].name, "oformat") == 0 && needs_intervals(a->settings[i].value);
		given |= strcmp(a->settings[i].name, "aggrate") == 0;
	}
	if (wants)
		add(w, "--snapshots", NULL, "", "");
	if (wants && !given)
		add(w, "--option", "aggrate", "=", "1s");
}

static void put_programs(struct words *w, const struct args *a)
{
	char type[16];

	for (int i = 0; i < a->nprograms; i++) {
		const struct program *p = &a->programs[i];

		snprintf(type, sizeof(type), "%d", (int)p->spec);
		add(w, "--program", p->file ? "file" : type, " ", p->text);
	}
	for (int i = 1; i < a->noperands; i++)
		add(w, "--operand", a->operands[i], "", "");
}

static bool make_words(struct words *w, const struct args *a)
{
	w->v = calloc((size_t)(a->nsettings + a->nprograms + a->noperands) * 2 + 16, sizeof(*w->v));
	if (w->v == NULL)
		return false;
	add(w, "dtrace-fleet", NULL, "", "");
	add(w, "--hosts", a->hosts, "", "");
	if (a->bus != NULL)
		add(w, "--bus", a->bus, "", "");
	if (a->bus_config != NULL)
		add(w, "--bus-config", a->bus_config, "", "");
	if (a->verbose)
		add(w, "--verbose", NULL, "", "");
	if (a->mode == MODE_LIST)
		add(w, "--list", NULL, "", "");
	for (int i = 0; i < a->nsettings; i++)
		if (is_for_hosts(a, &a->settings[i]))
			add(w, "--option", a->settings[i].name, a->settings[i].value != NULL ? "=" : "",
			    a->settings[i].value != NULL ? a->settings[i].value : "");
	put_interval(w, a);
	put_programs(w, a);
	return !w->failed;
}

/* ---- the process ---- */

static int execute(char **argv)
{
	if (beside_exec("dtrace-fleet", argv) > 0)
		return 1;
	fputs(
	    "dtrace: --hosts is the command dtrace-fleet, which is not here: make builds it where libnats is "
	    "(apt-get install libnats-dev), and a static build lacks it\n",
	    stderr);
	return 1;
}

static int start(struct fleet *f, char **argv)
{
	int fd[2];
	pid_t parent = getpid();

	if (pipe2(fd, O_CLOEXEC) != 0 || (f->pid = fork()) < 0) {
		fprintf(stderr, "dtrace: --hosts: %s\n", strerror(errno));
		return 1;
	}
	if (f->pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGTERM);
		if (getppid() != parent || dup2(fd[1], STDOUT_FILENO) < 0)
			_exit(1);
		_exit(execute(argv));
	}
	close(fd[1]);
	if (dup2(fd[0], STDIN_FILENO) < 0)
		return 1;
	close(fd[0]);
	return 0;
}

static int wait_for(struct fleet *f)
{
	int status = 0;

	while (waitpid(f->pid, &status, 0) < 0 && errno == EINTR)
		;
	signals_pass_to(0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

int fleet_begin(struct fleet *f, const struct args *a)
{
	struct pollfd fd = { .fd = STDIN_FILENO, .events = POLLIN };
	struct words w = { 0 };
	int status = check(a);

	f->pid = 0;
	if (status == 0 && !make_words(&w, a)) {
		fprintf(stderr, "dtrace: out of memory\n");
		status = 1;
	}
	if (status == 0)
		status = a->mode == MODE_LIST ? execute(w.v) : start(f, w.v);
	free_words(&w);
	if (status != 0 || f->pid == 0)
		return status;
	signals_catch();
	signals_begun();
	signals_pass_to(f->pid);
	while (poll(&fd, 1, -1) < 0 && errno == EINTR)
		;
	if ((fd.revents & POLLIN) != 0)
		return 0;
	status = wait_for(f);			/* it has said why it wrote nothing */
	return status != 0 ? status : 1;
}

int fleet_end(struct fleet *f, int status)
{
	int theirs = wait_for(f);

	return theirs != 0 ? theirs : status;
}
