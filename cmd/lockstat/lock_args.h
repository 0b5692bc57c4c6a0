/* SPDX-License-Identifier: BSD-2-Clause */
/* What the command line of lockstat asks for. */
#ifndef DT_CMD_LOCKSTAT_LOCK_ARGS_H
#define DT_CMD_LOCKSTAT_LOCK_ARGS_H

#include "lock_events.h"
#include "locks.h"

#define EVENTS_MAX 32
#define PLACES_MAX 16

enum lock_detail { DETAIL_BASIC, DETAIL_TIMES, DETAIL_HISTOGRAM, DETAIL_STACKS };

struct lock_place {			/* of -l and -f: addresses from..to-1 */
	uint64_t from, to;
};

struct lock_args {
	const struct lock_event *events[EVENTS_MAX];
	bool by_number[EVENTS_MAX];	/* -e names it, so a reason is given if it is not there */
	int nevents;
	enum lock_detail detail;	/* -b, -t, -h, -s */
	long depth;			/* -s */
	long rate;			/* -i */
	long records;			/* -n; 0: as aggsize says */
	long duration;			/* -d: at least so many ns */
	long most;			/* -D: rows of each event; 0 all */
	struct lock_place locks[PLACES_MAX], callers[PLACES_MAX];
	int nlocks, ncallers;
	bool trace;			/* -T */
	bool arrays;			/* -c: elements of an array are one lock */
	bool functions;			/* -k: places in a function are one caller */
	bool total;			/* -g: an event counts for each function of its stack */
	bool any_caller, any_lock;	/* -w, -W */
	bool rates;			/* -R */
	bool parsable;			/* -p */
	bool product;			/* -P */
	bool print;			/* -V */
	bool time;			/* --time */
	long pid;			/* --pid; 0: all */
	const char *name;		/* --name */
	uint64_t printed;		/* -T: events */
	const char *output;		/* -o */
	char **command;
};

int lock_args_help(void);	/* prints the help; 0 */
/*
 * 0, -1 after the help, or the status to exit with after a message. The handle of the run resolves names of
 * -l and -f.
 */
int lock_args_parse(struct lock_args *, struct run *, int argc, char **argv);
/* The D program; the caller frees it. NULL: out of memory. */
char *lock_args_program(const struct lock_args *);
/* Nothing happened: that is said, and what was watched. */
void lock_args_put_nothing(const struct lock_args *, const struct run *);
/* Rows as the arguments ask for, on standard output. */
int lock_args_report(const struct lock_args *, struct run *);

#endif
