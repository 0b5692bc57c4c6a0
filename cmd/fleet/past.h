/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The history of programs that run always, as a reader gets it: messages of the bus, whose numbers say
 * whether all have come, become recordings, and those one recording (dtrace_merge_past()). What came is
 * untrusted.
 */
#ifndef DT_CMD_FLEET_PAST_H
#define DT_CMD_FLEET_PAST_H

#include "asker.h"

enum { PAST_PARTS = 64 };		/* of a recording */

struct past_host {
	char name[NAME_LENGTH], token[NAME_LENGTH];
	char run[NAME_LENGTH];		/* of the worker */
	uint64_t number;		/* of its last message */
	uint64_t from, to, last;	/* what is shown: from, to; end of its last recording, shown or not */
	uint64_t every, lost, doubled, pieces, wrong;
	char *bytes;			/* of a recording whose parts have not all come */
	size_t len;
	uint64_t part;			/* the next one */
	bool shown, other, clock;	/* a recording of it was used; what was said of it */
};

struct past {
	struct asker *a;
	uint64_t since, until, latest;	/* ns since 1970; the latest end of a recording */
	char text[32], of[NAME_LENGTH];	/* of the program that is shown, and of which host first */
	int order;			/* the source that holds the order */
	bool incomplete, broken;
	struct past_host *host;
	int nhosts, cap;
};

void past_open(struct past *, struct asker *);	/* a->merge is there */
/* `stored`: when the bus has stored it. */
void past_message(struct past *, const struct bus_message *, uint64_t stored);
int past_report(struct past *);		/* the status */
void past_close(struct past *);

/* A moment before or after `now` (ns since 1970) as people write it: moment.c. False: it is none. */
bool moment_read(const char *text, uint64_t now, uint64_t *moment);
const char *moment_text(uint64_t moment, char text[32]);

#endif
