/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * plockstat(1): who waits for the locks of a process, and who holds them. The command line becomes a D
 * program on the plockstat provider; its aggregations become tables.
 */
#include "arguments.h"
#include "base.h"
#include "command.h"
#include "locks.h"

#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* What the command line asks for. */
struct args {
	bool contention, holds;		/* -C, -H; -A is both */
	bool print;			/* -V */
	long rows;			/* -n; 0 all */
	long depth;			/* -s; 0: tables without stacks */
	long seconds;			/* -e; 0: until the process ends */
	bool time;			/* -t */
	const char *pid;		/* -p */
	char found[16];			/* the pid of --name, as text */
};

/* The number of an event is its place in this list, from 1. Titles are historic. */
static const struct event {
	const char *title;
	bool hold;
	const char *program;		/* %s: what is counted, with the time in this->ns */
} events[] = {
	{ "Mutex block", false,
	    "plockstat$target:::mutex-block { self->mutex[arg0] = timestamp; }\n"
	    "plockstat$target:::mutex-blocked /self->mutex[arg0] && arg1/\n"
	    "{ this->ns = timestamp - self->mutex[arg0]; %s }\n"
	    "plockstat$target:::mutex-blocked { self->mutex[arg0] = 0; }\n" },
	{ "R/W reader block", false,
	    "plockstat$target:::rw-block /arg1 == 0/ { self->reader[arg0] = timestamp; }\n"
	    "plockstat$target:::rw-blocked /self->reader[arg0] && arg1 == 0 && arg2/\n"
	    "{ this->ns = timestamp - self->reader[arg0]; %s }\n"
	    "plockstat$target:::rw-blocked /arg1 == 0/ { self->reader[arg0] = 0; }\n" },
	{ "R/W writer block", false,
	    "plockstat$target:::rw-block /arg1 == 1/ { self->writer[arg0] = timestamp; }\n"
	    "plockstat$target:::rw-blocked /self->writer[arg0] && arg1 == 1 && arg2/\n"
	    "{ this->ns = timestamp - self->writer[arg0]; %s }\n"
	    "plockstat$target:::rw-blocked /arg1 == 1/ { self->writer[arg0] = 0; }\n" },
	/* Another thread may give a mutex back: when it was taken is known by the mutex alone. */
	{ "Mutex hold", true,
	    "plockstat$target:::mutex-acquire /arg1 == 0/ { held[arg0] = timestamp; }\n"
	    "plockstat$target:::mutex-release /held[arg0] && arg1 == 0/\n"
	    "{ this->ns = timestamp - held[arg0]; held[arg0] = 0; %s }\n" },
	{ "R/W reader hold", true,
	    "plockstat$target:::rw-acquire /arg1 == 0/ { self->reading[arg0] = timestamp; }\n"
	    "plockstat$target:::rw-release /self->reading[arg0] && arg1 == 0/\n"
	    "{ this->ns = timestamp - self->reading[arg0]; self->reading[arg0] = 0; %s }\n" },
	{ "R/W writer hold", true,
	    "plockstat$target:::rw-acquire /arg1 == 1/ { self->writing[arg0] = timestamp; }\n"
	    "plockstat$target:::rw-release /self->writing[arg0] && arg1 == 1/\n"
	    "{ this->ns = timestamp - self->writing[arg0]; self->writing[arg0] = 0; %s }\n" },
};
#define NEVENTS COUNT(events)

static int help(void)
{
	fputs("usage: plockstat [options] command [arg...]\n"
	    "       plockstat [options] -p PID | --name NAME\n"
	    "plockstat - show who waits for the locks of a process, and who holds them\n"
	    "\n"
	    "  -p, --pid PID        this process, until it ends\n"
	    "      --name NAME      the only process of this name\n"
	    "      --container NAME only if it is in this container\n"
	    "  -C                   watch contention (the default)\n"
	    "  -H                   watch hold times\n"
	    "  -A                   watch both\n"
	    "  -e SECONDS           end after this time\n"
	    "  -n COUNT             rows of each table\n"
	    "  -s DEPTH             stacks of so many frames, and histograms of times\n"
	    "  -t, --time           begin with the time of day\n"
	    "  -v                   report when tracing begins and the process ends\n"
	    "  -x OPT[=VAL]         set an option of dtrace (dtrace -x help lists them)\n"
	    "  -V                   print the D program\n"
	    "  -h, --help           print this and exit\n"
	    "\n"
	    "example:\n"
	    "  plockstat -A -e 10 -p 1234\n"
	    "      ten seconds of process 1234, waits and holds\n", stdout);
	return -1;
}

static int usage(void)
{
	return arguments_usage("plockstat", "[options] command [arg...] | -p PID");
}

/* ---- the program ---- */

#define CALLER_DEPTH 8			/* frames among which the caller is looked for */

/* What happens at an event: the lock is arg0, the time this->ns. */
static void put_counting(const struct args *w, size_t event, char *out, size_t size)
{
	long depth = w->depth > 0 ? w->depth : CALLER_DEPTH;
	int len = snprintf(out, size, "@count[%zuULL, arg0, ustack(%ld)] = count(); "
	    "@time[%zuULL, arg0, ustack(%ld)] = sum(this->ns);", event, depth, event, depth);

	if (w->depth > 0)
		snprintf(out + len, size - (size_t)len,
		    " @hist[%zuULL, arg0, ustack(%ld)] = quantize(this->ns);",
		    event, depth);
}

/* The clauses of all events that are wanted; the caller frees the text. NULL: out of memory. */
static char *program_text(const struct args *w)
{
	char *text = NULL, counting[512];
	size_t len;
	FILE *f = open_memstream(&text, &len);

	if (f == NULL)
		return NULL;
	for (size_t i = 0; i < NEVENTS; i++) {
		if (events[i].hold ? !w->holds : !w->contention)
			continue;
		put_counting(w, i + 1, counting, sizeof(counting));
		fprintf(f, events[i].program, counting);
	}
	if (w->seconds > 0)
		fprintf(f, "tick-%lds { exit(0); }\n", w->seconds);
	return fclose(f) == 0 ? text : NULL;
}

/* ---- the report ---- */

/* Functions of the C and C++ libraries take locks for others: none of them is a caller. */
static bool is_lock_function(const char *name)
{
	static const char *const files[] = { "libc.so", "libpthread", "libc-" };
	static const char *const functions[] = { "`pthread_mutex_", "`pthread_rwlock_", "`__gthread_mutex_",
	    "`std::mutex::", "`std::recursive_mutex::", "`std::shared_mutex::", "`std::lock_guard<",
	    "`std::unique_lock<", "`std::shared_lock<", "`std::scoped_lock<", "`std::__mutex_base::",
	    "`std::__shared_mutex_pthread::" };

	for (size_t i = 0; i < COUNT(files); i++)
		if (strncmp(name, files[i], strlen(files[i])) == 0)
			return true;
	for (size_t i = 0; i < COUNT(functions); i++)
		if (strstr(name, functions[i]) != NULL)
			return true;
	return false;
}

/* Nothing happened: that is said, and of what, on stderr. */
static void put_nothing(struct run *r, const struct args *w)
{
	fprintf(stderr, "plockstat: no events in %.3f seconds of pid %d; watched:",
	    (double)(r->ended - r->began) / 1e9, (int)dtrace_proc_getpid(r->dtp, r->proc));
	for (size_t i = 0, n = 0; i < NEVENTS; i++)
		if (events[i].hold ? w->holds : w->contention)
			fprintf(stderr, "%s %s", n++ > 0 ? "," : "", events[i].title);
	fputs(w->holds ? "\n" : " (-H watches holds)\n", stderr);
}

static void put_rule(void)
{
	for (int i = 0; i < 79; i++)
		putchar('-');
	putchar('\n');
}

static void put_header(void)
{
	printf("%5s %8s %-28s %s\n", "Count", "nsec", "Lock", "Caller");
}

/* With -s each row has a header, its distribution and its stack. */
static void put_row(const struct run *r, const struct args *w, const struct lockrow *row)
{
	if (w->depth > 0) {
		put_rule();
		put_header();
	}
	printf("%5" PRIu64 " %8" PRIu64 " %-28s %s\n", row->count, row->count > 0 ?
	    row->time / row->count : 0,
	    row->lock_name, row->caller);
	if (w->depth > 0) {
		printf("\n%10s ---- Time Distribution --- %5s %s\n", "nsec", "count", "Stack");
		locks_distribution(stdout, r, row, 24, (size_t)w->depth);
		putchar('\n');
	}
}

/* The table of one event; none if nothing was counted. */
static void put_event(const struct run *r, const struct args *w, const struct lockrows *rows, uint32_t event)
{
	long n = 0;

	for (size_t i = 0; i < rows->n; i++) {
		if (rows->v[i].event != event || (w->rows > 0 && n >= w->rows))
			continue;
		if (n++ == 0) {
			printf("\n%s\n\n", events[event - 1].title);
			if (w->depth == 0) {
				put_header();
				put_rule();
			}
		}
		put_row(r, w, &rows->v[i]);
	}
}

/* Without -s, rows with the same names are one; with it, each stack stays a row. */
static int report_tables(struct run *r, const struct args *w)
{
	struct lockrows rows;

	if (locks_collect(r, is_lock_function, &rows) != 0)
		return 1;
	if (w->depth == 0 && !locks_merge(&rows, true, true)) {
		fprintf(stderr, "plockstat: out of memory\n");
		locks_free(&rows);
		return 1;
	}
	if (w->time)
		arguments_put_time(stdout);
	if (rows.n == 0)
		put_nothing(r, w);
	locks_sort(&rows, true);
	for (uint32_t i = 1; i <= NEVENTS; i++)
		put_event(r, w, &rows, i);
	locks_free(&rows);
	return 0;
}

/* ---- the command line ---- */

static int take_pid(struct args *w)
{
	long pid;

	w->pid = optarg;
	if (arguments_number(optarg, 1, INT_MAX, &pid))
		return 0;
	fprintf(stderr, "plockstat: -p %s is no number of a process; see plockstat --help\n", optarg);
	return 2;
}

static int take_name(struct args *w)
{
	pid_t pid = 0;
	int status = arguments_process("plockstat", optarg, &pid);

	snprintf(w->found, sizeof(w->found), "%d", (int)pid);
	w->pid = w->found;
	return status;
}

/* 0, -1 after the help, or 2 after a message. */
static int take_option(struct run *r, struct args *w, int letter, char *const *argv)
{
	switch (letter) {
	case 'h': case ARG_HELP: return help();
	case 'A': w->contention = w->holds = true; return 0;
	case 'C': w->contention = true; return 0;
	case 'H': w->holds = true; return 0;
	case 'V': w->print = true; return 0;
	case 'v': r->verbose = true; return 0;
	case 'e': return run_number(r, letter, optarg, 1, &w->seconds) ? 0 : 2;
	case 'n': return run_number(r, letter, optarg, 1, &w->rows) ? 0 : 2;
	case 's': return run_number(r, letter, optarg, 1, &w->depth) ? 0 : 2;
	case 't': case ARG_TIME: w->time = true; return 0;
	case 'p': case ARG_PID: return take_pid(w);
	case ARG_NAME: return take_name(w);
	case ARG_CONTAINER: return run_option(r, "container", optarg) != 0 ? 2 : 0;
	case 'x': return run_option_text(r, optarg) != 0 ? 2 : 0;
	default: return arguments_refuse("plockstat", letter, argv);
	}
}

/* A process comes first, because the program names $target. */
static int trace_and_report(struct run *r, const struct args *w, char **command)
{
	char *text;
	int status = w->pid != NULL ? run_grab(r, w->pid) : run_create(r, command);

	if (status != 0)
		return status;
	text = program_text(w);
	if (text == NULL) {
		fprintf(stderr, "plockstat: out of memory\n");
		return 1;
	}
	if (w->print)
		fprintf(stderr, "vvvv D program vvvv\n%s^^^^ D program ^^^^\n", text);
	status = run_program(r, text);
	if (status == 0)
		status = report_tables(r, w);
	free(text);
	return status;
}

/* Names of C++ are shown as they are written, unless -x says otherwise. */
int plockstat_command(int argc, char **argv)
{
	struct args w = { 0 };
	struct run r = { 0 };
	int letter, status;

	if (argc < 2)
		return usage();
	if (strcmp(argv[1], "-h") == 0 || strcmp(argv[1], "--help") == 0)
		return help(), 0;		/* also for those who may not trace */
	status = run_open(&r, "plockstat");
	if (status == 0)
		status = run_option(&r, "demangle", NULL);
	opterr = 0;
	while (status == 0 && (letter = getopt_long(argc, argv, "+:ACHVve:hn:p:s:tx:", arguments_common,
	    NULL)) != -1)
		status = take_option(&r, &w, letter, argv);
	if (status == 0 && (w.pid != NULL) == (optind < argc))
		status = usage();
	w.contention |= !w.holds;
	if (status == 0)
		status = trace_and_report(&r, &w, argv + optind);
	return run_close(&r, status < 0 ? 0 : status);
}
