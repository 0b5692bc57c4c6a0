/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * dtrace-fleet, which dtrace --hosts starts: it finds the hosts, asks them to run the programs, and writes
 * one recording to standard output (or lines of a list), made of theirs by dtrace_merge_…(). Standard error
 * says of how many hosts it is, and what is not in it.
 */
#ifndef DT_CMD_FLEET_ASKER_H
#define DT_CMD_FLEET_ASKER_H

#include "bus.h"

#include <dtrace.h>

enum { HOSTS_MAX = 1024, PATTERNS_MAX = 64, WORDS_MAX = 256 };

enum host_state {
	HOST_FOUND,			/* its clock is measured */
	HOST_ASKED,
	HOST_LIVE,
	HOST_ENDED,			/* all of its stream is here */
	HOST_REFUSED, HOST_FAILED,	/* it never ran, or ended by itself */
	HOST_LOST,			/* it does not answer any more */
};

struct host {
	char name[NAME_LENGTH], token[NAME_LENGTH], instance[NAME_LENGTH];
	enum host_state state;
	int source;			/* of the merge; -1: none */
	uint64_t want;			/* the number that comes next */
	uint64_t doubled, again, restarts;
	uint64_t heard, asked,
	    behind; /* times: last word, last request to send again, since when something is missing */
	int64_t offset;			/* its clock less ours */
	uint64_t delay;			/* of the best exchange; 0: none yet */
	int pings;
	char *why;			/* what there is to say of it */
	char *list;			/* bytes of a list */
	size_t nlist;
};

struct asker {
	struct settings settings;
	const char *pattern[PATTERNS_MAX];
	int npatterns;
	bool found[PATTERNS_MAX];	/* a host has matched */
	bool verbose, lists;
	const char *option[WORDS_MAX], *program[WORDS_MAX], *operand[WORDS_MAX];
	int noptions, nprograms, noperands;
	struct bus *bus;
	dtrace_hdl_t *dtp;
	dtrace_merge_t *merge;
	struct out_message request, out;
	char run[NAME_LENGTH];
	struct host host[HOSTS_MAX];
	int nhosts;
	uint64_t began;
	bool stopping, broken;		/* broken: the programs cannot be merged */
};

/* asker_args.c: the words that dtrace(1) gives us; makes the request. 0, or a status after a message */
int asker_args(struct asker *, int argc, char **argv);
bool asker_wants(struct asker *, const char *name, const struct message *here);

/* asker_hosts.c: what hosts say */
void host_message(struct asker *, const struct bus_message *);
void host_ask(struct asker *, struct host *);	/* begins the run there */
void host_ping(struct asker *, struct host *, bool again);
void host_command(struct asker *, struct host *, const char *kind);
void host_leave(struct asker *, struct host *, enum host_state, const char *why);

/* asker_report.c */
int asker_report(struct asker *);	/* the status: 0, 1, or 3 if something is missing */
void asker_list(struct asker *);
__attribute__((format(printf, 2, 3))) void asker_say(const struct host *, const char *fmt, ...);

#endif
