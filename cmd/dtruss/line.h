/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Lines as strace(1) writes them. One may be begun and not ended, while its thread waits inside a call; a
 * line of another thread then ends it with "<unfinished ...>", and it goes on as "<... read resumed>".
 */
#ifndef DT_CMD_DTRUSS_LINE_H
#define DT_CMD_DTRUSS_LINE_H

#include "decode.h"
#include "truss_program.h"

struct lines {
	const struct args *args;
	FILE *out;
	struct text text;		/* of the line in hand, from its beginning */
	size_t written;			/* how much of it is out already */
	pid_t open;			/* the thread whose line is not ended; 0: none */
	size_t threads;			/* how many there are */
	int64_t wall;			/* what makes a timestamp the time of day */
	uint64_t last;			/* time of the line before, for -r */
};

void lines_init(struct lines *, const struct args *, FILE *out);
/* The line of another thread is ended, and one of this thread begins. */
void line_begin(struct lines *, pid_t tid, uint64_t time);
void line_end(struct lines *);
/* What there is is written, and the line stays open. */
void line_pause(struct lines *, pid_t tid);

/* "name(" and arguments from `from` on, as far as they are known; returns the first that is not. */
unsigned line_args(struct lines *, const struct call *, unsigned from);
/* ")    = 3</etc/passwd> <0.000012>" */
void line_result(struct lines *, const struct call *, bool unknown);

#endif
