/* SPDX-License-Identifier: BSD-2-Clause */
/* -x walltime with -q: a stream that begins each line with a text, the time of day of what is printed. */
#ifndef DTRACE_STAMP_H
#define DTRACE_STAMP_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct stamp {
	FILE *out;		/* where lines go; NULL: there is no such stream */
	bool inside;		/* a line has begun */
	bool kept;		/* what is written is not flushed yet: more will follow */
	char text[32];		/* before the lines that begin now */
};

/* The stream before `out`; its lines begin with stamp->text. NULL: out of memory. */
FILE *stamp_open(struct stamp *, FILE *out);
/* What was written to the stream belongs to the text before; from here on it is another one. */
void stamp_next(struct stamp *, FILE *stream, const char *text);

#endif
