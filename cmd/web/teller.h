/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a worker tells the server: a line for each message, JSON behind one letter. `D` is what later lines
 * refer to (names, keys, the beginning) and is kept as long as the trace; `S` is a moment, and the oldest
 * ones are forgotten. doc/WEB.md has the messages.
 */
#ifndef DT_CMD_WEB_TELLER_H
#define DT_CMD_WEB_TELLER_H

#include "keys.h"

#include <dtrace.h>
#include <stdio.h>

#define MOST_AGGS 64			/* aggregations that are shown */
#define MOST_KEYS 100000		/* keys of one aggregation that are shown */
#define MOST_NAMES 1000000

struct shown {				/* an aggregation */
	dtrace_aggvarid_t id;
	struct keys keys;
	uint64_t more;			/* elements beyond MOST_KEYS, in this walk */
	char *text;			/* what this walk tells of it */
	size_t len;
	FILE *body;
};

struct teller {
	dtrace_hdl_t *dtp;
	FILE *out;
	uint64_t began;			/* ns, monotonic */
	uint32_t round;			/* walks so far */
	struct shown agg[MOST_AGGS];
	int naggs;
	uint64_t more_aggs;
	struct keys names;
	bool broken;			/* out of memory, or nobody listens */
};

/* Milliseconds since the beginning. */
double teller_ms(const struct teller *, uint64_t ns);
/* A value as JSON; stacks and addresses are numbers of names, which are told before. */
void teller_value(struct teller *, FILE *, const dtrace_val_t *);
/* All names that a value needs are told: call it before the line that holds the value is begun. */
void teller_names(struct teller *, const dtrace_val_t *);
/* What has changed in all aggregations since the last time. */
void teller_snap(struct teller *);
void teller_free(struct teller *);

#endif
