/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * dtruss(1): the system calls of processes, as strace(1) shows them, without stopping them. The command line
 * becomes a D program (truss_program.c), whose records become lines (truss_trace.c) or whose aggregations a
 * table.
 */
#include "command.h"
#include "truss_trace.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

static int help(void)
{
	fputs("usage: dtruss [options] command [arg...]\n"
	    "       dtruss [options] -p PID | -n NAME\n"
	    "dtruss - show the system calls of processes, without stopping them\n"
	    "\n"
	    "  -p, --pid PID        this process, until it ends\n"
	    "  -n, --name NAME      all processes of this name, until Ctrl-C\n"
	    "  -C, --container NAME only processes of this container\n"
	    "  -f                   descendants and other threads, too\n"
	    "  -e [trace=]CALLS     only these: names, patterns, file, network, ...; !CALLS: all others\n"
	    "  -c                   count calls, errors and time in place of lines\n"
	    "  -t, --time           the time of day; -tt with microseconds, -ttt as seconds since 1970\n"
	    "  -d                   the time since the line before, as -r\n"
	    "  -r                   the time since the line before\n"
	    "  -T                   how long each call took\n"
	    "  -k                   the stack of the process after each call\n"
	    "  -s SIZE              how much of a string is shown; 32\n"
	    "  -y                   descriptors with the names of their files (the default for root)\n"
	    "  -Y                   descriptors as numbers\n"
	    "  -q                   neither signals nor ends of processes\n"
	    "  -a COLUMN            where results begin; 40\n"
	    "  -o FILE              write to FILE\n"
	    "  -x OPT[=VAL]         set an option of dtrace (dtrace -x help lists them)\n"
	    "  -V                   print the D program\n"
	    "  -h, --help           print this and exit\n"
	    "\n"
	    "example:\n"
	    "  dtruss -f -e file -o log make\n"
	    "      the files that make and its descendants name, into a file\n", stdout);
	return -1;
}

static int usage(void)
{
	return arguments_usage("dtruss", "[options] command [arg...] | -p PID | -n NAME");
}

/* "trace=…" and a bare list are the same; other expressions of strace change what is not shown here. */
static int take_expression(struct args *args, const char *text)
{
	const char *equals = strchr(text, '=');

	if (strncmp(text, "trace=", 6) == 0 || strncmp(text, "t=", 2) == 0) {
		args->trace = equals + 1;
	} else if (strcmp(text, "signal=none") == 0) {
		args->quiet = true;
	} else if (equals == NULL) {
		args->trace = text;
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

static int take_pid(struct args *args)
{
	long pid;

	args->pid = optarg;
	if (arguments_number(optarg, 1, INT_MAX, &pid))
		return 0;
	fprintf(stderr, "dtruss: -p %s is no number of a process; see dtruss --help\n", optarg);
	return 2;
}

static int take_container(struct run *r, struct args *args)
{
	args->container = optarg;
	return run_option(r, "container", optarg) != 0 ? 2 : 0;
}

/* 0, -1 after the help, or 2 after a message. */
static int take_option(struct run *r, struct args *args, int letter, char *const *argv)
{
	switch (letter) {
	case 'h': case ARG_HELP: return help();
	case 'n': case ARG_NAME: args->name = optarg; return 0;
	case 'C': case ARG_CONTAINER: return take_container(r, args);
	case 'a': return take_number(r, letter, 0, &args->column);
	case 'c': args->summary = true; return 0;
	case 'd': args->relative = true; return 0;
	case 'e': return take_expression(args, optarg);
	case 'f': args->follow = true; return 0;
	case 'k': args->stacks = true; return 0;
	case 'o': args->output = optarg; return 0;
	case 'p': case ARG_PID: return take_pid(args);
	case 'q': args->quiet = true; return 0;
	case 'r': args->relative = true; return 0;
	case 's': return take_number(r, letter, 0, &args->limit);
	case 't': case ARG_TIME: args->stamps++; return 0;
	case 'T': args->durations = true; return 0;
	case 'V': args->print = true; return 0;
	case 'x': return run_option_text(r, optarg) != 0 ? 2 : 0;
	case 'y': args->names = args->names_asked = true; return 0;
	case 'Y': args->names = false; return 0;
	default: return arguments_refuse("dtruss", letter, argv);
	}
}

/* Options that the program needs; -x is applied later and overrides them. */
static int set_options(struct run *r)
{
	return run_option(r, "evaltime", "exec") || run_option(r, "rawsyscall", NULL) ||
	    run_option(r, "target", "only") || run_option(r, "scratchsize", "64k");
}

/* Strings are as long as -s asks for. */
static int set_arguments(struct run *r, const struct args *args)
{
	dtrace_optval_t size = 0;
	char text[32];

	snprintf(text, sizeof(text), "%ld", args->limit + 1);
	if (args->all && run_option(r, "target", "all") != 0)
		return 1;
	if (args->follow && run_option(r, "follow", NULL) != 0)
		return 1;
	return dtrace_getopt(r->dtp, "strsize", &size) == 0 && size <= args->limit &&
	    run_option(r, "strsize", text);
}

static int run_text(struct run *r, const struct args *args, char *text)
{
	int status;

	if (text == NULL) {
		fprintf(stderr, "dtruss: out of memory\n");
		return 1;
	}
	if (args->print)
		fprintf(stderr, "vvvv D program vvvv\n%s^^^^ D program ^^^^\n", text);
	status = run_program(r, text);
	free(text);
	return status;
}

static int count_calls(struct run *r, const struct args *args, struct calls *c, FILE *out)
{
	const struct row *exec = calls_find(c, "execve");
	bool command = args->pid == NULL && !args->all && exec != NULL && exec->wanted;
	int status = run_text(r, args, program_summary(args, c));

	return status != 0 ? status : summary_print(r, out, command);
}

static int show_calls(struct run *r, const struct args *args, struct calls *c, FILE *out, char **command)
{
	struct trace *t = trace_new(args, c, r, out);
	pid_t pid = r->proc != NULL ? dtrace_proc_getpid(r->dtp, r->proc) : 0;
	int status;

	if (t == NULL) {
		fprintf(stderr, "dtruss: out of memory\n");
		return 1;
	}
	r->firing = trace_firing;
	r->round = trace_round;
	r->arg = t;
	if (pid != 0)
		trace_first(t, pid);
	if (args->pid == NULL && !args->all)
		trace_command(t, pid, command);
	r->begun = trace_begun;
	status = run_text(r, args, program_text(args, c, r->dtp));
	if (status == 0 && r->gone)
		trace_ended(t, r->status);
	trace_free(t);
	return status;
}

/* The status is the command's, as if it had been run alone. */
static int command_status(const struct run *r)
{
	return WIFSIGNALED(r->status) ? 128 + WTERMSIG(r->status) : WEXITSTATUS(r->status);
}

/* The end of a signal handler cannot be seen from inside: it is left out unless it was asked for by name. */
static void leave_sigreturn(const struct args *args, const struct calls *c)
{
	struct row *r = args->inside && args->trace == NULL ? calls_find(c, "rt_sigreturn") : NULL;

	if (r != NULL)
		r->here = r->wanted = r->enabled = false;
}

static int trace_all(struct run *r, const struct args *args, FILE *out, char **command)
{
	struct calls c = { 0 };
	int status = args->all ? 0 : args->pid != NULL ? run_grab(r, args->pid) : run_create(r, command);

	if (status == 0)
		status = calls_load(&c, r->dtp) && (args->trace == NULL || calls_want(&c, args->trace)) ?
		    0 : 1;
	calls_enable(&c, args->names);
	leave_sigreturn(args, &c);
	r->silent = true;
	if (status == 0)
		status = args->summary ? count_calls(r, args, &c, out) :
		    show_calls(r, args, &c, out, command);
	calls_free(&c);
	return status == 0 && args->pid == NULL && !args->all ? command_status(r) : status;
}

static int open_and_trace(struct run *r, const struct args *args, char **command)
{
	FILE *out = args->output != NULL ? dtrace_outfile(args->output, 0) : stderr;
	int status;

	if (out == NULL) {
		fprintf(stderr, "dtruss: cannot write to %s: %s\n", args->output, strerror(errno));
		return 1;
	}
	setvbuf(out, NULL, _IOFBF, 1 << 18);
	status = trace_all(r, args, out, command);
	if ((args->output != NULL ? fclose(out) : fflush(out)) != 0) {
		fprintf(stderr, "dtruss: failed to write output: %s\n", strerror(errno));
		return 1;
	}
	return status;
}

/* One of a command, -p and -n; -C alone is all processes of a container. */
static int check_words(struct args *args, bool command)
{
	int ways = command + (args->pid != NULL) + (args->name != NULL);

	args->all = args->name != NULL || (ways == 0 && args->container != NULL);
	args->follow |= args->all;
	return ways == 1 || (ways == 0 && args->all) ? 0 : usage();
}

/* Without the rights to trace the kernel, calls are seen from inside the process. */
static int settle_engine(struct run *r, struct args *args)
{
	args->inside = strcmp(dtrace_engine(r->dtp), "process") == 0;
	if (args->inside && args->names_asked) {
		fprintf(stderr, "dtruss: -y: the kernel has the names of files, and there are no rights to "
		    "trace it: leave out -y, or run dtruss as root\n");
		return 2;
	}
	args->names &= !args->inside;
	return 0;
}

int dtruss_command(int argc, char **argv)
{
	struct args args = { .limit = 32, .column = 40, .names = true };
	struct run r = { 0 };
	int letter, status;

	if (argc < 2)
		return usage();
	if (strcmp(argv[1], "-h") == 0 || strcmp(argv[1], "--help") == 0)
		return help(), 0;		/* also for those who may not trace */
	status = run_open(&r, "dtruss");
	if (status == 0)
		status = set_options(&r);
	opterr = 0;
	while (status == 0 && (letter = getopt_long(argc, argv, "+:a:cC:de:fhkn:o:p:qrs:tTVx:yY",
	    arguments_common, NULL)) != -1)
		status = take_option(&r, &args, letter, argv);
	if (status == 0)
		status = check_words(&args, optind < argc);
	if (status == 0)
		status = set_arguments(&r, &args);
	if (status == 0)
		status = settle_engine(&r, &args);
	if (status == 0)
		status = open_and_trace(&r, &args, argv + optind);
	return run_close(&r, status < 0 ? 0 : status);
}
