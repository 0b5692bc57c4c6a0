/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the command adds to what the library writes: columns and blank lines on standard output, errors and
 * drops on standard error. There is one kind of it for text, and one for each kind of format that leaves less
 * to add.
 */
#ifndef DTRACE_SHOW_H
#define DTRACE_SHOW_H

#include "faults.h"
#include "stamp.h"

#include <dtrace.h>

#include <stdbool.h>

struct show_columns {			/* what stands before the records of a probe that fired on a CPU */
	dtrace_id_t id;			/* 0: nothing is kept here */
	processorid_t cpu;
	int len;
	char text[DTRACE_FUNCNAMELEN + DTRACE_NAMELEN + 40];
};

struct show_clock {			/* -x walltime: timestamps as the time of day */
	int64_t offset;			/* from timestamps to the time since 1970, ns */
	uint64_t looked;		/* the timestamp when it was last looked at */
	int64_t second;			/* that `text` is of */
	char text[16];
};

enum { SHOW_KEPT = 16, SHOW_BUFFER = 256 << 10 };	/* of the file, see trace_loop.c */

struct show {
	dtrace_hdl_t *dtp;
	FILE *out;
	/* -B: the library gets no file; its text comes to a handler, which writes each piece on a line */
	bool buffered;
	const struct show_kind *kind;
	bool time_column;		/* -t */
	bool walltime;			/* -x walltime */
	struct show_clock clock;
	struct stamp stamp;		/* -q -x walltime: `out` is its stream, if stamp.out is set */
	bool color;			/* of the header */
	int names;			/* columns of FUNCTION:NAME */
	bool quiet, flowindent, header;
	bool lines;			/* firings have text of ours around them */
	int why;			/* errno of the first write of ours that failed */
	struct faults faults;
	/* of the last probes and CPUs, as floods of records are mostly of a few */
	struct show_columns kept[SHOW_KEPT];
};

struct show_kind {
	dtrace_consume_probe_f *probe;
	dtrace_consume_rec_f *record;
	dtrace_handle_err_f *error;
	dtrace_handle_drop_f *drop;
	void (*blank)(struct show *);	/* an empty line between parts of the output */
	bool silent;			/* no progress is shown */
};

bool show_option_on(dtrace_hdl_t *, const char *name);
/* Chooses the kind and reads the options that steer it; again after each change of an option. */
void show_options(struct show *);
/*
 * Before the first firing: on a terminal the column of names is as wide as the longest name of what was
 * enabled; of floods of probes (n), and where scripts read it, it has its historic width.
 */
void show_measure(struct show *, dtrace_prog_t *const *programs, int nprograms, unsigned n);
FILE *show_file(const struct show *);	/* for the library */
int show_handlers(struct show *);	/* before dtrace_go(); 0 or -1 */

#endif
