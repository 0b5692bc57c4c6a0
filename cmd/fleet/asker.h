/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * dtrace-fleet, which dtrace --hosts starts: it finds the hosts, asks them to run the programs, and writes
 * one recording to standard output (or lines of a list), made of theirs by dtrace_merge_…(). Standard error
 * says of how many hosts it is, and what is not in it. A relay is asked as a host is: its recording is that
 * of several, and beside it comes a log of them.
 */
#ifndef DT_CMD_FLEET_ASKER_H
#define DT_CMD_FLEET_ASKER_H

#include "bus.h"

#include <dtrace.h>

enum { HOSTS_MAX = 16 << 10, PATTERNS_MAX = 64, WORDS_MAX = 256 };

enum host_state {
	HOST_FOUND,			/* its clock is measured */
	HOST_ASKED,
	HOST_LIVE,
	HOST_ENDED,			/* all of its stream is here */
	HOST_REFUSED, HOST_FAILED,	/* it never ran, or ended by itself */
	HOST_LOST,			/* it does not answer any more */
	HOST_ELSEWHERE,			/* it takes part by another way, and counts there */
};

struct host {
	char name[NAME_LENGTH], token[NAME_LENGTH], instance[NAME_LENGTH];
	enum host_state state;
	int source;			/* of the merge; -1: none */
	bool relay;			/* it is no host */
	struct host *via;		/* the relay that asks it; NULL: we do */
	size_t log;			/* bytes of a relay's log that we have */
	unsigned through;		/* hosts that a relay has named */
	enum host_state told;		/* relays: what we have said of it above */
	uint64_t told_restarts;
	uint64_t want;			/* the number that comes next */
	uint64_t doubled, again, restarts;
	uint64_t heard, asked,
	    behind; /* times: last word, last request to send again, since when something is missing */
	int64_t offset;			/* its clock less ours */
	uint64_t delay;			/* of the best exchange; 0: none yet */
	int pings;
	char *why;			/* what there is to say of it */
	bool own;			/* its recording goes to the page (page.h) */
	const char *page_state;		/* what the page has of it: the state, when, the line as a hash */
	uint64_t page_when, page_line;
	char *list;			/* bytes of a list */
	size_t nlist;
};

struct asker {
	struct settings settings;
	const char *pattern[PATTERNS_MAX];
	int npatterns;
	bool found[PATTERNS_MAX];	/* a host has matched */
	const char *group;		/* we are a relay, for the hosts of it; NULL: we are not */
	const char *root;		/* the run of the one who asked first */
	char user[NAME_LENGTH];		/* for whom we ask */
	int out_fd;			/* where the recording goes */
	bool told_found[PATTERNS_MAX];
	bool page;			/* the live page shows it (page.h) */
	bool page_missing[PATTERNS_MAX];
	uint64_t late, rounds;		/* of relays: as dtrace_merge_counts() */
	unsigned nrelays, turned_away;	/* turned_away: hosts that there was no room for */
	bool cut;			/* a relay has not named all of its hosts */
	bool verbose, lists;
	bool snapshots;			/* regular ones are wanted, by the option aggrate */
	const char *option[WORDS_MAX], *program[WORDS_MAX], *operand[WORDS_MAX];
	int noptions, nprograms, noperands;
	struct bus *bus;
	dtrace_hdl_t *dtp;
	dtrace_merge_t *merge;
	struct out_message request, out;
	char run[NAME_LENGTH];
	struct host host[HOSTS_MAX];
	uint16_t index[2 * HOSTS_MAX];	/* by token: a host's number + 1 */
	int nhosts;
	uint64_t began;
	bool stopping, broken;		/* broken: the programs cannot be merged */
};

/* asker_args.c: the words that dtrace(1) gives us; makes the request. 0, or a status after a message */
int asker_args(struct asker *, int argc, char **argv);
bool asker_pattern_good(const char *);
void asker_make_run(char run[NAME_LENGTH]);	/* a new id */
bool asker_wants(struct asker *, const char *name, const struct message *here);

/* asker_hosts.c: what hosts say */
void host_message(struct asker *, const struct bus_message *);
void host_ask(struct asker *, struct host *);	/* begins the run there */
void host_ping(struct asker *, struct host *, bool again);
void host_command(struct asker *, struct host *, const char *kind);
struct host *host_find(struct asker *, const char *token);
struct host *host_add(struct asker *, const char *token, const char *name);	/* NULL: no room */
void host_leave(struct asker *, struct host *, enum host_state, const char *why);

bool host_under_way(const struct host *);

int asker_run(struct asker *);	/* asker.c: all of it; the status. It frees the asker */

/* asker_report.c */
int asker_report(struct asker *);	/* the status: 0, 1, or 3 if something is missing */
void asker_list(struct asker *);
__attribute__((format(printf, 2, 3))) void asker_say(const struct host *, const char *fmt, ...);

#endif
