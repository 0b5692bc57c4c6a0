/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where a trace goes. Firings, errors, drops and aggregations come in, in the order in which they are to be
 * shown; each format makes of them what its readers expect. The trace knows no format, and a format knows
 * nothing of handles: it is one file here and one row in formats.def (doc/HOWTO-ADD.md, "an output format").
 */
#ifndef DT_SINK_SINK_H
#define DT_SINK_SINK_H

#include "dtrace.h"
#include "output/statement.h"

/* The numbers of -x oformat. */
enum {
#define X(name, word, type, argument) DT_OFORMAT_##name,
#include "sink/formats.def"
#undef X
	DT_NOFORMATS
};

/* ---- what a sink is called with ---- */

struct dt_sink_clause {			/* a clause and the probes it is enabled on */
	uint32_t program;		/* from 0 */
	const struct dt_ecb *ecb;
	const char *description;
	uint32_t line, epid;		/* line 0: not known; the epid is that of the first probe */
	const uint32_t *probes;
	uint32_t nprobes;
};

struct dt_sink_start {
	int pid;			/* of the process that traces */
	const char *host;		/* name of the machine that was traced */
	uint64_t time, wall;		/* both clocks at the start: monotonic, and since 1970, in ns */
	uint32_t nprograms;
	const char *const *sources;	/* of programs, as text; NULL: not known */
	const struct dt_prog *const *programs;	/* they live as long as the trace */
	const struct dt_sink_clause *clauses;	/* in the order of their programs */
	size_t nclauses;
};

struct dt_sink_event {			/* one firing of one clause */
	dtrace_probedata_t *data;
	const struct dt_ecb *ecb;
	bool flow;			/* -F: data says where in the flow of calls it stands */
	/* one for each action; dt_statement_next() cuts them into statements */
	const struct dt_rec *recs;
	size_t n;
	/* What the caller of dtrace_work() knows a record as, and where the firing's data begin for it. */
	const dtrace_recdesc_t *(*desc)(const struct dt_sink_event *, const struct dt_rec *);
	char *base;
};

struct dt_sink_aggs {			/* aggregations that are shown together, joined by key */
	const int64_t *ids;
	uint32_t nids;
	struct dt_aggrow *rows;
	size_t n;
};

/* ---- a sink ---- */

struct dt_sink;

/*
 * Any function may be NULL: it is not called then. Those that return an int return 0, or an EDT_ or errno
 * number that ends the trace. What a call is given lives until it returns, ECBs as long as the trace.
 */
struct dt_sink_type {
	int oformat;			/* DTRACE_OFORMAT_*: what the caller should add to what is written */
	size_t size;			/* of what begins with struct dt_sink */
	int (*open)(struct dt_sink *);
	void (*close)(struct dt_sink *);
	/*
	 * For floods of firings that other threads format (sink/batch.h). clone: this sink is a copy that
	 * writes elsewhere; it gets buffers of its own, and `close` is called for it. False: out of memory.
	 * NULL: the format has none, and gets all firings in order. clonable: whether a copy would
	 * write what this sink would now; NULL: always.
	 */
	bool (*clone)(struct dt_sink *);
	bool (*clonable)(const struct dt_sink *);
	void (*start)(struct dt_sink *, const struct dt_sink_start *);	/* before all others */
	/* a clause was enabled on more probes (those given) while it runs */
	void (*enabled)(struct dt_sink *, const struct dt_sink_clause *);
	int (*event)(struct dt_sink *, const struct dt_sink_event *);
	void (*fault)(struct dt_sink *, const dtrace_errdata_t *, bool has_addr);
	/* kind: as in DTRACEDROP_… */
	void (*drop)(struct dt_sink *, const dtrace_dropdata_t *, const char *kind);
	/*
	 * Aggregations as they are whenever they were taken over from the kernel (aggrate), one after the
	 * other: no program asked to show them.
	 */
	void (*snapshot)(struct dt_sink *, const struct dt_sink_aggs *);
	/* elements that a printa() in hand asked for */
	void (*shown)(struct dt_sink *, const struct dt_sink_aggs *);
	/* an address was looked up; "": it has no name */
	void (*symbol)(struct dt_sink *, enum dt_symkind, uint32_t pid, uint64_t addr, const char *name);
	/* text that was shown, the caller's included (dtrace_record_file()) */
	void (*text)(struct dt_sink *, const void *, size_t n);
	int (*aggregation)(struct dt_sink *, const struct dt_sink_aggs *);	/* outside of any firing */
	/* firings of an earlier time will not be given any more */
	void (*passed)(struct dt_sink *, uint64_t time);
	/* what was given so far should reach readers now */
	void (*flush)(struct dt_sink *);
	void (*end)(struct dt_sink *, int status, bool exited);	/* after all others; exited: by exit() */
	/* the state as it is now, for formats that show one; how much was left out since the last time */
	uint64_t (*document)(struct dt_sink *, struct dt_out *);
};

/* Text on its way to the caller: what has been put into `out` since the piece before. */
struct dt_sink_piece {
	const dtrace_probedata_t *data;	/* the firing it is of; NULL none */
	const dtrace_recdesc_t *rec;	/* the record; NULL: not of one */
	const struct dt_aggrow *row;	/* the element of an aggregation; NULL none */
	uint32_t at;			/* its value or key, by flags */
	uint32_t flags;			/* DTRACE_BUFDATA_* */
};

/* The caller of dtrace_work(), for the sink that asks it about each record. */
struct dt_sink_caller {
	dtrace_consume_rec_f *rec;	/* NULL: it wants none of them printed */
	void *arg;
	bool all;			/* it wants all of them printed, and is not asked */
	/* wants text in pieces, and empties `out`; NULL: `out` goes to a file */
	int (*take)(void *hdl, const struct dt_sink_piece *);
	void *hdl;
};

/* What a sink has of its trace. */
struct dt_sink_env {
	struct dt_arena *arena;		/* lives as long as the sink */
	struct dt_out *out;		/* where it writes; flushed by the trace */
	struct dt_statements *statements;	/* formats, rows of printa(), and what statements do */
	const char *(*aggname)(void *ctx, int64_t id);	/* NULL: no such aggregation */
	/* where the program says what the key is */
	struct dt_loc (*aggkey)(void *ctx, int64_t id, uint32_t k);
	uint64_t (*now)(void *ctx);	/* as times of firings count */
	void (*note)(void *ctx, const char *);	/* a message for the user, beside what is written */
	void *ctx;
	const struct dt_sink_caller *caller;
	const char *argument;		/* after the word of the format; NULL none */
	const char *program;		/* of documents (sink/documents.h): part of their names; or NULL */
	const char *host;		/* in them; "": its own name */
	int record_fd;			/* record without an argument: where to (dtrace_record_fd()) */
	char **memory;			/* record: it goes there instead, with its length; or NULL */
	size_t *nmemory;
	uint64_t record_limit;		/* firings a second that it writes; 0: all */
	char *why;			/* where open() says why it refuses: DT_SINK_WHY bytes */
	bool started, ended;
};

enum { DT_SINK_WHY = 512 };

struct dt_sink {
	const struct dt_sink_type *type;
	struct dt_sink_env env;
	DT_VEC(int64_t) left;		/* aggregations whose omission was reported (sink/messages.h) */
};

/*
 * By number; `env` is copied, what it points to stays the caller's. NULL: out of memory, or env->why says
 * more.
 */
struct dt_sink *dt_sink_open(unsigned format, const struct dt_sink_env *);
/* The same by type, for one that is no format. */
struct dt_sink *dt_sink_make(const struct dt_sink_type *, const struct dt_sink_env *);
void dt_sink_close(struct dt_sink *);
/* A copy for firings alone, with another place to write to; NULL: out of memory, or not now. */
struct dt_sink *dt_sink_clone(const struct dt_sink *, struct dt_out *, struct dt_statements *);
bool dt_sink_clonable(const struct dt_sink *);
int dt_sink_oformat(unsigned format);
/* What stands after its word: "=FILE" must, "[=FILE]" may; NULL: nothing may. */
const char *dt_sink_argument(unsigned format);

#define X(name, word, type, argument) extern const struct dt_sink_type type;
#include "sink/formats.def"
#undef X

#endif
