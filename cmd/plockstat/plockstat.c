/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * plockstat(1): who waits for the locks of a process, and who holds them. The command line becomes a D
 * program on the plockstat provider; its aggregations become tables.
 */
#include "base.h"
#include "command.h"
#include "locks.h"

#include <getopt.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* What the command line asks for. */
struct wish {
	bool contention, holds;		/* -C, -H; -A is both */
	bool print;			/* -V */
	long rows;			/* -n; 0 all */
	long depth;			/* -s; 0: tables without stacks */
	long seconds;			/* -e; 0: until the process ends */
	const char *pid;		/* -p */
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

static int usage(FILE *f)
{
	fprintf(f, "Usage:\n"
	    "\tplockstat [-vACHV] [-n count] [-s depth] [-e secs] [-x opt[=val]]\n"
	    "\t    command [arg...]\n"
	    "\tplockstat [-vACHV] [-n count] [-s depth] [-e secs] [-x opt[=val]]\n"
	    "\t    -p pid\n");
	return 2;
}

/* ---- the program ---- */

#define CALLER_DEPTH 8			/* frames among which the caller is looked for */

/* What happens at an event: the lock is arg0, the time this->ns. */
static void put_counting(const struct wish *w, size_t event, char *out, size_t size)
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
static char *program_text(const struct wish *w)
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

/* Functions of the C library take locks for others: none of them is a caller. */
static bool is_lock_function(const char *name)
{
	return strncmp(name, "libc.so", 7) == 0 || strncmp(name, "libpthread", 10) == 0 ||
	    strncmp(name, "libc-", 5) == 0 || strstr(name, "`pthread_mutex_") != NULL ||
	    strstr(name, "`pthread_rwlock_") != NULL;
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
static void put_row(const struct run *r, const struct wish *w, const struct lockrow *row)
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
static void put_event(const struct run *r, const struct wish *w, const struct lockrows *rows, uint32_t event)
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
static int report_tables(struct run *r, const struct wish *w)
{
	struct lockrows rows;

	if (locks_collect(r, is_lock_function, &rows) != 0)
		return 1;
	if (w->depth == 0 && !locks_merge(&rows, true, true)) {
		fprintf(stderr, "plockstat: out of memory\n");
		locks_free(&rows);
		return 1;
	}
	locks_sort(&rows, true);
	for (uint32_t i = 1; i <= NEVENTS; i++)
		put_event(r, w, &rows, i);
	locks_free(&rows);
	return 0;
}

/* ---- the command line ---- */

/* 0, or 2 after a message. */
static int take_option(struct run *r, struct wish *w, int letter)
{
	switch (letter) {
	case 'A': w->contention = w->holds = true; return 0;
	case 'C': w->contention = true; return 0;
	case 'H': w->holds = true; return 0;
	case 'V': w->print = true; return 0;
	case 'v': r->verbose = true; return 0;
	case 'e': return run_number(r, letter, optarg, 1, &w->seconds) ? 0 : 2;
	case 'n': return run_number(r, letter, optarg, 1, &w->rows) ? 0 : 2;
	case 's': return run_number(r, letter, optarg, 1, &w->depth) ? 0 : 2;
	case 'p': w->pid = optarg; return 0;
	case 'x': return run_option_text(r, optarg) != 0 ? 2 : 0;
	default: return usage(stderr);
	}
}

/* A process comes first, because the program names $target. */
static int trace_and_report(struct run *r, const struct wish *w, char **command)
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

int plockstat_command(int argc, char **argv)
{
	struct wish w = { 0 };
	struct run r;
	int letter, status;

	if (argc < 2)
		return usage(stderr);
	status = run_open(&r, "plockstat");
	while (status == 0 && (letter = getopt(argc, argv, "+ACHVve:n:p:s:x:")) != -1)
		status = take_option(&r, &w, letter);
	if (status == 0 && (w.pid != NULL) == (optind < argc))
		status = usage(stderr);
	w.contention |= !w.holds;
	if (status == 0)
		status = trace_and_report(&r, &w, argv + optind);
	return run_close(&r, status);
}
