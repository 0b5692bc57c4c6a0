/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Programs that the agent runs all the time: the D files of a folder, each in a worker of its own
 * (always_worker.c) within a budget. Files that are added, changed and removed are followed. What the workers
 * count becomes one document for Prometheus and requests for an OTLP collector. None of it needs a bus.
 *
 *	always.c		the folder, and which program runs
 *	always_program.c	one program: its process, what comes from it, its budget
 *	always_metrics.c	the document
 */
#ifndef DT_CMD_FLEET_ALWAYS_H
#define DT_CMD_FLEET_ALWAYS_H

#include "agent.h"
#include "history.h"

#include <sys/stat.h>
#include <time.h>

struct post;

/* Where what programs make goes besides metrics; NULL: nowhere. */
struct outlets { struct post *post; struct history *history; };

/* ---- from a worker: a head, then len bytes ---- */

enum { FRAME_COUNTS = 16 };		/* other kinds are DTRACE_DOCUMENT_* */
struct frame_past { uint64_t from, to; };	/* before a recording: wall times */
struct frame { uint32_t kind, len; };
struct frame_counts {			/* since the worker began */
	uint64_t records, drops, errors, spans_left;
	double probes;			/* share of a CPU in probes; -1: not known */
};

/* ---- a program ---- */

enum program_state { PROGRAM_WAITS, PROGRAM_RUNS, PROGRAM_BROKEN, PROGRAM_STOPPED, PROGRAM_ENDED };
enum budget { OVER_MEMORY, OVER_CPU, OVER_RATE, OVER_SAMPLES, NBUDGETS };
extern const char *const budget_names[NBUDGETS];

struct program {
	char name[65], path[512];
	struct stat file;		/* what was started, or refused */
	enum program_state state;
	bool seen;			/* in the scan in hand */
	bool changed, removed;		/* the worker is asked to end because of it */
	bool over;			/* because of its budget */
	pid_t pid;			/* 0: none */
	int said, stream;		/* descriptors; -1: no more */
	char *text;			/* what the worker says */
	size_t ntext;
	char *pending;			/* of the stream: no whole frame yet */
	size_t npending;
	char *document;			/* for Prometheus, as of the last frame; NULL none */
	size_t ndocument;
	struct history_run past;
	struct frame_counts last, before;	/* of this worker; sum of those before it */
	uint64_t begun, next, killed;	/* times: of the worker; the next try; when it was asked to end */
	unsigned tries;			/* in a row that ended early */
	uint64_t restarts, stops[NBUDGETS];
	/* measured each second */
	uint64_t measured, cpu_ticks, records;
	uint64_t ticks_before;		/* of workers before this one */
	double cpu;			/* share of a CPU, probes included */
	long memory;			/* bytes */
	int over_for[NBUDGETS];		/* seconds in a row */
};

void program_start(struct program *, const struct settings *);
void program_end(struct program *);	/* asks the worker to end */
/* Reads what has come, measures, and notices the end. */
void program_work(struct program *, const struct settings *, const struct outlets *);
void program_free(struct program *);
void program_log(const struct program *, const char *what, const char *more);

/* ---- all of them ---- */

struct always {
	const struct settings *settings;
	struct program **program;
	int n, cap;
	uint64_t scanned, written;
	bool refused_folder;
	dtrace_server_t *server;
	struct outlets outlets;
};

enum { ALWAYS_MAX = 64 };

/* -1 after a message. Before any thread is made; always_threads() after. */
int always_open(struct always *, const struct settings *);
int always_threads(struct always *, struct bus *);
int always_fds(const struct always *, struct pollfd *);	/* at most 2 * ALWAYS_MAX; how many */
void always_work(struct agent *, struct always *);
void always_end(struct agent *, struct always *);

/* The text that Prometheus gets; the caller frees it. NULL: out of memory. */
char *always_document(const struct agent *, const struct always *, size_t *len);

/* The worker's side: dtrace_documents() takes the place of the recording. */
struct always_worker;
/* NULL: the error of the handle says why */
struct always_worker *always_worker_open(dtrace_hdl_t *, const struct message *);
int always_worker_begin(struct always_worker *);
int always_worker_live(struct always_worker *);	/* after the probes are enabled */
int always_worker_report(struct always_worker *, bool last);	/* as often as it likes; -1: nobody reads */
void always_worker_record(struct always_worker *);

#endif
