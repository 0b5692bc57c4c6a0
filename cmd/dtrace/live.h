/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * --live: the aggregations on a screen of their own, drawn anew every second (-x aggrate): the largest
 * that fit, with what each grew by in a second. q ends the trace, space holds the picture, s sorts by
 * something else.
 */
#ifndef DTRACE_LIVE_H
#define DTRACE_LIVE_H

#include "screen.h"

#include <dtrace.h>

#include <stdbool.h>
#include <stdint.h>

enum live_order { LIVE_BY_VALUE, LIVE_BY_RATE, LIVE_BY_KEY, LIVE_ORDERS };

struct live_row {			/* one element */
	int64_t id;			/* of its aggregation */
	char *key;			/* all keys as one text */
	int64_t value;			/* a number, or how many a distribution has */
	double rate;			/* a second */
	bool grows;			/* count(), sum(), distributions: there is a rate */
	char *shape;			/* of a distribution; NULL none */
};

struct live_rows { struct live_row *row; size_t n, room; bool failed; };

struct live {
	dtrace_hdl_t *dtp;
	struct screen screen;
	bool color, utf8;
	enum live_order order;
	bool paused, quit;
	uint64_t began, drawn, taken, every;	/* ns; drawn and taken 0: not yet */
	struct live_rows rows;		/* as they were drawn last */
	struct { int64_t id; char name[64]; } *agg;	/* in the order of the program */
	size_t naggs;
};

/* False, after a sentence. */
bool live_begin(struct live *, dtrace_hdl_t *);
void live_end(struct live *);
/* Waits until the library has work, a key was pressed, or the picture is due. */
void live_wait(struct live *);
/* Draws if it is time to. 0, or -1 with the library's error set. */
int live_draw(struct live *);

/* live_rows.c: all elements as they are now; the rates against those before; their order. */
int live_take(struct live *, struct live_rows *);
void live_free(struct live_rows *);
void live_rate(struct live_rows *now, struct live_rows *before, double seconds);
void live_sort(struct live_rows *, enum live_order);

#endif
