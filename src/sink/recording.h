/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The file of -O record=FILE: what record.c writes and play.c reads. It begins with DT_RECORDING; blocks
 * follow, each a letter, the number of its bytes (32 bits) and these. Numbers are little-endian; a text is
 * its length (32 bits) and its bytes. Words that programs recorded are as the machine had them.
 *
 *	P  a program as DOF; they are numbered from 0
 *	L  number of a program, then a text for each action of each clause: what the program calls it
 *	S  pid, time, how many programs, how many clauses; each clause: program, clause in it, line, epid,
 *	   description, how many probes, their ids
 *	N  a probe: id, provider, module, function, name
 *	Y  an address: kind, pid, address, its name ("": it has none)
 *	G  an aggregation: id, name, function, parameters, how many keys, what the program calls them
 *	R  elements that a printa() of the next E shows: time, how many ids, ids, how many elements; each: how
 *	   many keys, values; for each id normal, how many words, words
 *	A  the same, shown outside of firings
 *	V  the same, as a snapshot found them; histograms alone
 *	E  a firing: program, clause, epid, probe, CPU, time, flow, kind of flow, indent, prefix, how many
 *	   records; each: length, bytes
 *	F  an error: epid, probe, CPU, action, offset, fault, address, whether it has one, message
 *	D  a drop: CPU, kind, number, total, tag, message
 *	T  text as it was shown
 *	X  the end: status, whether by exit()
 */
#ifndef DT_SINK_RECORDING_H
#define DT_SINK_RECORDING_H

#include "sink/sink.h"

#define DT_RECORDING "dtrace recording 1\n"
#define DT_RECORDING_MAX ((size_t)4 << 30)	/* bytes of a file that is played */

/* ---- playing (play.c) ---- */

struct dt_play {
	const uint8_t *bytes;		/* of the file: anybody's */
	size_t len;
	unsigned format;		/* of formats.def; text gives what was shown */
	const char *argument;		/* behind its word; NULL none */
	struct dt_out *out;		/* whose options have the symbolizer of dt_play_run() meanwhile */
	struct dt_print_opts *opts;	/* of `out` */
	void *ctx;			/* of the calls below; any of them may be NULL */
	const struct dt_type *(*type)(void *ctx, const char *name);
	void (*note)(void *ctx, const char *text);
	int (*fault)(void *ctx, const dtrace_errdata_t *);
	int (*drop)(void *ctx, const dtrace_dropdata_t *);
	bool terminal;			/* `out` goes to one */
	int status;			/* of exit(), out */
};

/* 0; or -1, and `why` (DT_SINK_WHY bytes) says what is wrong with the file or with the format. */
int dt_play_run(struct dt_play *, char *why);

#endif
