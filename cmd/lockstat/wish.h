/* SPDX-License-Identifier: BSD-2-Clause */
/* What the command line of lockstat asks for. */
#ifndef DT_CMD_LOCKSTAT_WISH_H
#define DT_CMD_LOCKSTAT_WISH_H

#include "events.h"
#include "locks.h"

#define WISH_EVENTS 32
#define WISH_PLACES 16

enum lock_detail { DETAIL_BASIC, DETAIL_TIMES, DETAIL_HISTOGRAM, DETAIL_STACKS };

struct lock_place {			/* of -l and -f: addresses from..to-1 */
	uint64_t from, to;
};

struct lock_wish {
	const struct lock_event *events[WISH_EVENTS];
	bool by_number[WISH_EVENTS];	/* -e names it, so a reason is given if it is not there */
	int nevents;
	enum lock_detail detail;	/* -b, -t, -h, -s */
	long depth;			/* -s */
	long rate;			/* -i */
	long records;			/* -n; 0: as aggsize says */
	long duration;			/* -d: at least so many ns */
	long most;			/* -D: rows of each event; 0 all */
	struct lock_place locks[WISH_PLACES], callers[WISH_PLACES];
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

int wish_help(void);	/* prints the help; 0 */
/*
 * 0, -1 after the help, or the status to exit with after a message. The handle of the run resolves names of
 * -l and -f.
 */
int wish_parse(struct lock_wish *, struct run *, int argc, char **argv);
/* The D program; the caller frees it. NULL: out of memory. */
char *wish_program(const struct lock_wish *);
/* Nothing happened: that is said, and what was watched. */
void wish_put_nothing(const struct lock_wish *, const struct run *);
/* Rows as the wish wants them, on standard output. */
int wish_report(const struct lock_wish *, struct run *);

#endif
