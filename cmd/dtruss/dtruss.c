/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * dtruss(1): the system calls of processes, as strace(1) shows them, without stopping them. The command line
 * becomes a D program (program.c), whose records become lines (trace.c) or whose aggregations a table.
 */
#include "command.h"
#include "trace.h"

#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

static int usage(FILE *f)
{
	fprintf(f, "Usage:\n"
	    "\tdtruss [-cdfkqrtTVyY] [-a column] [-e [trace=]calls] [-o file] [-s size]\n"
	    "\t    [-x opt[=val]] command [arg...]\n"
	    "\tdtruss [-cdfkqrtTVyY] [-a column] [-e [trace=]calls] [-o file] [-s size]\n"
	    "\t    [-x opt[=val]] -p pid\n");
	return 2;
}

/* "trace=…" and a bare list are the same; other expressions of strace change what is not shown here. */
static int take_expression(struct wish *w, const char *text)
{
	const char *equals = strchr(text, '=');

	if (strncmp(text, "trace=", 6) == 0 || strncmp(text, "t=", 2) == 0) {
		w->trace = equals + 1;
	} else if (strcmp(text, "signal=none") == 0) {
		w->quiet = true;
	} else if (equals == NULL) {
		w->trace = text;
	} else {
		fprintf(stderr, "dtruss: -e %s: only trace=… and signal=none are known\n", text);
		return 2;
	}
	return 0;
}

static int take_number(const struct run *r, int letter, long least, long *out)
{
	return run_number(r, letter, optarg, least, out) ? 0 : 2;
}

/* 0, or 2 after a message. */
static int take_option(struct run *r, struct wish *w, int letter)
{
	switch (letter) {
	case 'a': return take_number(r, letter, 0, &w->column);
	case 'c': w->summary = true; return 0;
	case 'd': w->relative = true; return 0;
	case 'e': return take_expression(w, optarg);
	case 'f': w->follow = true; return 0;
	case 'k': w->stacks = true; return 0;
	case 'o': w->output = optarg; return 0;
	case 'p': w->pid = optarg; return 0;
	case 'q': w->quiet = true; return 0;
	case 'r': w->relative = true; return 0;
	case 's': return take_number(r, letter, 0, &w->limit);
	case 't': w->stamps++; return 0;
	case 'T': w->durations = true; return 0;
	case 'V': w->print = true; return 0;
	case 'x': return run_option_text(r, optarg) != 0 ? 2 : 0;
	case 'y': w->names = true; return 0;
	case 'Y': w->names = false; return 0;
	default: return usage(stderr);
	}
}

/* Options that the program needs; what -x says comes behind, and holds. */
static int set_options(struct run *r)
{
	return run_option(r, "evaltime", "exec") || run_option(r, "rawsyscall", NULL) ||
	    run_option(r, "target", "only") || run_option(r, "scratchsize", "64k");
}

/* Strings are as long as -s asks for. */
static int set_wishes(struct run *r, const struct wish *w)
{
	dtrace_optval_t size = 0;
	char text[32];

	snprintf(text, sizeof(text), "%ld", w->limit + 1);
	return (w->follow && run_option(r, "follow", NULL)) || (dtrace_getopt(r->dtp, "strsize", &size) == 0
	    &&
	    size <= w->limit && run_option(r, "strsize", text));
}

static int run_text(struct run *r, const struct wish *w, char *text)
{
	int status;

	if (text == NULL) {
		fprintf(stderr, "dtruss: out of memory\n");
		return 1;
	}
	if (w->print)
		fprintf(stderr, "vvvv D program vvvv\n%s^^^^ D program ^^^^\n", text);
	status = run_program(r, text);
	free(text);
	return status;
}

static int count_calls(struct run *r, const struct wish *w, struct calls *c, FILE *out)
{
	int status = run_text(r, w, program_summary(w, c));

	return status != 0 ? status : summary_print(r, out, w->pid == NULL);
}

static int show_calls(struct run *r, const struct wish *w, struct calls *c, FILE *out, char **command)
{
	struct trace *t = trace_new(w, c, r, out);
	pid_t pid = dtrace_proc_getpid(r->dtp, r->proc);
	int status;

	if (t == NULL) {
		fprintf(stderr, "dtruss: out of memory\n");
		return 1;
	}
	r->firing = trace_firing;
	r->round = trace_round;
	r->arg = t;
	trace_first(t, pid);
	if (w->pid == NULL)
		trace_command(t, pid, command);
	status = run_text(r, w, program_text(w, c, r->dtp));
	trace_free(t);
	return status;
}

/* The status is the command's, as if it had been run alone. */
static int command_status(const struct run *r)
{
	return WIFSIGNALED(r->status) ? 128 + WTERMSIG(r->status) : WEXITSTATUS(r->status);
}

static int trace_all(struct run *r, const struct wish *w, FILE *out, char **command)
{
	struct calls c = { 0 };
	int status = w->pid != NULL ? run_grab(r, w->pid) : run_create(r, command);

	if (status == 0)
		status = calls_load(&c, r->dtp) && (w->trace == NULL || calls_want(&c, w->trace)) ? 0 : 1;
	calls_enable(&c, w->names);
	r->silent = true;
	if (status == 0)
		status = w->summary ? count_calls(r, w, &c, out) : show_calls(r, w, &c, out, command);
	calls_free(&c);
	return status == 0 && w->pid == NULL ? command_status(r) : status;
}

static int open_and_trace(struct run *r, const struct wish *w, char **command)
{
	FILE *out = w->output != NULL ? dtrace_outfile(w->output, 0) : stderr;
	int status;

	if (out == NULL) {
		fprintf(stderr, "dtruss: cannot write to %s: %s\n", w->output, strerror(errno));
		return 1;
	}
	setvbuf(out, NULL, _IOFBF, 1 << 18);
	status = trace_all(r, w, out, command);
	if ((w->output != NULL ? fclose(out) : fflush(out)) != 0) {
		fprintf(stderr, "dtruss: failed to write output: %s\n", strerror(errno));
		return 1;
	}
	return status;
}

int dtruss_command(int argc, char **argv)
{
	struct wish w = { .limit = 32, .column = 40, .names = true };
	struct run r;
	int letter, status;

	if (argc < 2)
		return usage(stderr);
	status = run_open(&r, "dtruss");
	if (status == 0)
		status = set_options(&r);
	while (status == 0 && (letter = getopt(argc, argv, "+a:cde:fko:p:qrs:tTVx:yY")) != -1)
		status = take_option(&r, &w, letter);
	if (status == 0 && (w.pid != NULL) == (optind < argc))
		status = usage(stderr);
	if (status == 0)
		status = set_wishes(&r, &w);
	if (status == 0)
		status = open_and_trace(&r, &w, argv + optind);
	return run_close(&r, status);
}
