/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tracing with a handle: enablings collected by dtrace_program_exec(), an engine that runs them from
 * dtrace_go() on, the consumer that dtrace_work() drives, and where text goes. This header is what the
 * files of src/trace share about a trace; each group of functions says which file has them.
 */
#ifndef DT_TRACE_TRACE_H
#define DT_TRACE_TRACE_H

#include "consume/consumer.h"
#include "engine/engine.h"
#include "handle/handle.h"
#include "output/flow.h"
#include "output/statement.h"
#include "provider/probe.h"
#include "sink/batch.h"
#include "sink/sink.h"

enum dt_trace_state { DT_TRACE_IDLE, DT_TRACE_ACTIVE, DT_TRACE_STOPPED };

struct dt_enabled {			/* one clause on one probe, in the order of enabling */
	const struct dt_probe *probe;
	const struct dt_ecb *ecb;
	const struct dt_prog *prog;
	uint32_t epid;
	const struct dt_hook *at;	/* this place alone, NULL all of the probe's */
};

/* What goes on while a statement waits: a descriptor that is urgent when readable, and how often to serve. */
struct dt_trace;
struct dt_waiting {
	int (*fd)(const struct dt_trace *);
	int (*ms)(const struct dt_trace *);
	void (*serve)(void *hdl);
};

struct dt_retained {			/* a clause whose description may get more probes while tracing */
	const struct dt_provider *row;
	const struct dt_ecb *ecb;
	const struct dt_prog *prog;
};

/* Firings that other threads format (defer.c). */
struct dt_defer {
	struct dt_batches *batches;		/* NULL: no flood has come yet */
	const struct dt_batch_clause **clauses;	/* by epid - 1; NULL: it was not looked at */
	uint32_t nclauses;
	unsigned threads, started;		/* at most; so many were */
	bool always;				/* -x formatthreads says how many */
	/* firings of this reading; the first that is deferred; the last that had to be shown in its place */
	uint64_t count, from, last;
};

/*
 * One a handle, from dtrace_open() to dtrace_close(). What lies in `arena` lives as long; the engine,
 * the consumer, the sink and `edescs` are freed by dt_trace_clear().
 */
struct dt_trace {
	struct dtrace_hdl *h;
	struct dt_arena *arena;

	/* from dtrace_program_exec() on: what is to be traced */
	DT_VEC(struct dt_enabled) enabled;
	DT_VEC(const struct dt_prog *) progs;
	DT_VEC(struct dt_retained) retained;
	enum dt_trace_state state;
	/* bufpolicy fill and ring: records are read when tracing is over */
	bool at_end;

	/* from dtrace_go() to dt_trace_clear(): what runs */
	struct dt_gobuild *build;		/* what the plan was made of */
	const struct dt_engine_ops *ops;	/* of the engine the options ask for */
	/* the kernel can take the trace, if the engine cannot have all of it; why it did, NULL: it did not */
	bool may_fall_back;
	const char *fell_back;
	struct dt_engine *engine;		/* NULL: none yet */
	/* reports new programs (late_probes.c); NULL: no clause waits for any */
	struct dt_later *later;
	struct dt_containment *containment;	/* containers.c; NULL: containers are not asked for */
	bool unwind_reported;			/* that tables for user stacks are full */
	struct dt_waiting waiting;
	struct dt_consumer *consumer;
	/* by part: text -> the probe that stands for it in keys of aggregations */
	struct dt_map alike[4];
	struct dt_merger *merger;		/* -x mergestacks: texts of keys (merge_rows.c) */
	const struct dt_ecb **ecbs;		/* by epid - 1 */
	uint32_t begin, end;			/* program indices, UINT32_MAX none */

	/* what dtrace_work() hands records to */
	struct dt_print_opts popts;
	struct dt_out out;
	struct dt_statements statements;
	struct dt_arena *textarena;		/* rows of printa(), freed after each */
	FILE *fp;
	int original;				/* descriptor that freopen() replaced; 0 none */
	dtrace_consume_probe_f *pf;
	struct dt_sink_caller caller;
	struct dt_sink *sink;			/* of -x oformat */
	struct dt_edesc **edescs;		/* by epid - 1, made at the first firing */
	uint32_t nedescs;
	uint32_t strsize;			/* bytes of a string, as callers see it */
	char *wide;				/* a firing's data with strings of that size (edesc.c) */
	uint32_t wide_size, wide_epid;
	struct dt_aggdesc *aggdescs;		/* aggdata.c */
	int ctlfd, timerfd;			/* dtrace_ctlfd(); 0 none */
	struct dt_rec *recs;			/* room for those of a firing that has many */
	uint32_t nrecs;
	dtrace_probedesc_t desc;		/* of the probe whose event came last */
	bool woken;				/* by a record: it is read before the next switch is due */
	bool interrupted;			/* tracing was stopped by dtrace_interrupt() */
	uint64_t skipped;			/* commands of system() that were not run because of it */
	uint64_t last_switch, last_snap, last_status;	/* ns */
	struct dt_flows flows;			/* -F */
	struct dt_defer defer;

	int failed;				/* a statement could not be done: the error; 0 none */
	uint64_t dropped[10];			/* totals, by dtrace_dropkind_t */
};

void dt_trace_new(struct dtrace_hdl *);		/* the handle's one trace, made when it is opened */
/* back to before dtrace_go(): what it made is closed and freed */
void dt_trace_clear(struct dt_trace *);
void dt_trace_free(struct dt_trace *);
/* exit() was called, or a buffer of policy fill is full */
bool dt_trace_over(struct dt_trace *);
/* Whether the kernel lets this process trace: 0, -EPERM, or -ENOSYS. */
int dt_trace_permitted(void);
/*
 * The engine for what is enabled, by options and rights (choose.c), and a sentence that says why. NULL: none
 * can run it, and the handle's error says what stands against it.
 */
/* the engine with this bit (DT_IN_*); NULL: this build has none */
const struct dt_engine_ops *dt_engine_in(unsigned where);
unsigned dt_hook_where(enum dt_hook_kind);	/* DT_IN_* of the engines that can have such a hook */
const struct dt_engine_ops *dt_trace_choose(struct dtrace_hdl *, char *why, size_t len);
/* How the engine lays out what it records; with what came while tracing. */
const struct dt_layouts *dt_trace_layouts(const struct dt_trace *);
void dt_trace_close_engine(struct dt_trace *);
struct dt_control *dt_trace_control(const struct dt_trace *);
struct dt_unwind *dt_trace_unwinder(const struct dt_trace *);	/* NULL: the engine has no tables */
void dt_trace_text(struct dtrace_hdl *, struct dt_trace *);	/* print options from the handle's */
/* of these, what depends on where text goes (text_style.c) */
void dt_trace_terminal(struct dtrace_hdl *, struct dt_trace *);
/*
 * Joined by key: every key of any of them, zero where one does not have it; from[] are the elements (rows.c).
 */
struct dt_aggrow *dt_trace_rows(const struct dt_trace *, struct dt_arena *, const int64_t *ids, uint32_t nids,
    size_t *n);
struct dt_aggorder dt_trace_order(const struct dtrace_hdl *);	/* of the options */
/* valid until the next call */
struct dt_aggrow *dt_trace_sorted(struct dtrace_hdl *, const int64_t *ids, uint32_t nids, size_t *n);
/* a probe's name as text */
void dt_trace_key(const struct dt_trace *, const struct dt_agg_elem *, uint32_t k, struct dt_value *);
uint32_t dt_trace_alike(void *hdl, uint32_t probe, unsigned part);	/* dt_consumer_ops.alike */
/*
 * A part (DT_PART_*) of a probe's name, "" of one that is not known; all parts; the error of an action that
 * the library does (fault_texts.c).
 */
const char *dt_trace_part(const struct dt_trace *, uint32_t probe, unsigned part);
void dt_trace_describe(const struct dt_trace *, uint32_t probe, dtrace_probedesc_t *);
void dt_trace_action_failed(struct dtrace_hdl *, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
int dt_trace_fault(void *hdl, const struct dt_recfault *);	/* dt_consumer_ops.fault */
struct dt_statement_ops dt_trace_effects(struct dtrace_hdl *);	/* what statements do (effects.c) */
int dt_trace_drops(void *hdl, const struct dt_dropped *);	/* reports them (drops.c) */
int dt_trace_events(struct dtrace_hdl *, struct dt_trace *);	/* makes the consumer (firings.c) */

/*
 * Floods of firings (defer.c). dt_trace_defer(): 1: the firing is shown later; 0: it is to be shown now, and
 * all before it are written; -1: the error is set. dt_trace_settle(): all that were deferred are written; 0,
 * or -1 with the error set.
 */
void dt_trace_defer_begin(struct dt_trace *);
void dt_trace_defer_reading(struct dt_trace *);		/* a reading begins */
void dt_trace_defer_end(struct dt_trace *);
int dt_trace_defer(struct dt_trace *, const struct dt_event *);
int dt_trace_settle(struct dt_trace *);
/* Whether the caller has text of its own for each firing, and that text (dtrace_handle_line()). */
struct dt_trace_line { uint32_t len; const char *end; char text[DTRACE_LINE_MAX]; };
bool dt_trace_has_lines(const struct dt_trace *);
int dt_trace_line(struct dt_trace *, const dtrace_probedata_t *, struct dt_trace_line *);

/* trace_plan.c: what was enabled since the engine was opened joins it. 0, or -errno with a sentence. */
int dt_trace_graft(struct dt_trace *, char *msg, size_t len);

/* Probes that come while tracing (late_probes.c). */
/* if its description may get more; zdefs: -Z */
void dt_later_retain(struct dt_trace *, const struct dt_ecb *, const struct dt_prog *, bool zdefs);
/* before the image is built: room for what may come */
void dt_later_reserve(struct dt_trace *);
void dt_later_begin(struct dtrace_hdl *, struct dt_trace *);	/* the engine runs */
void dt_later_work(struct dtrace_hdl *, struct dt_trace *);	/* enables what has come; never waits */
int dt_later_fd(const struct dt_trace *);	/* readable: dt_later_work() is urgent; -1 none */
void dt_later_end(struct dt_trace *);

/* Addresses to names (symbols.c). */
bool dt_handle_usyms(struct dtrace_hdl *);	/* makes h->usyms; false: out of memory */
/* before the first firing: learns what is mapped where, when it will be asked */
void dt_trace_symbols(struct dtrace_hdl *, struct dt_trace *);
void dt_trace_hints(struct dtrace_hdl *);	/* at the end: how code without names gets them */
uint64_t dt_trace_fold(void *hdl, const struct dt_value *);
/* merge_rows.c */
struct dt_merger *dt_merger_new(struct dt_trace *, uint64_t namesize);
void dt_merger_free(struct dt_merger *);	/* what its arena does not have; NULL is fine */
void dt_trace_merge(void *hdl, const struct dt_value *, void *bytes, uint32_t size);
bool dt_trace_symbolize(void *hdl, enum dt_symkind, uint32_t pid, uint64_t addr, char *buf, size_t len);

/* Names of containers, and which of them are traced (containers.c). */
bool dt_trace_filters_cgroups(const struct dtrace_hdl *);
/* when the engine is loaded, and nothing fires yet */
int dt_trace_containers(struct dtrace_hdl *, struct dt_trace *);
void dt_trace_containers_work(struct dtrace_hdl *, struct dt_trace *);
void dt_trace_containers_end(struct dt_trace *);

/* User stacks without frame pointers (unwind_tables.c). */
/* opens the tables when the programs have them */
bool dt_trace_unwinds(struct dtrace_hdl *, struct dt_trace *);
/* once mappings are learned; few: of the processes traced */
void dt_trace_unwind_start(struct dtrace_hdl *, struct dt_trace *, bool few);
/* notes that stacks are asked to be deeper than the kernel walks */
void dt_trace_note_depth(struct dt_trace *);
/* goes on with what is left; false: there is more */
bool dt_trace_unwind_work(struct dtrace_hdl *, struct dt_trace *);
uint64_t dt_trace_unwind_size(const struct dtrace_hdl *);	/* bytes of tables at most; 0: -x unwind=fp */

/* something has changed: wakes the caller that polls (work.c) */
void dt_trace_wake(struct dtrace_hdl *);
/* While a statement waits (work.c): serves all but records and aggregations; to be called this often. */
void dt_trace_serve(void *hdl);
int dt_trace_serve_ms(const struct dt_trace *);

/*
 * The sink (trace_sink.c): made with the consumer. It gets the programs before anything else, and the end
 * once tracing is over.
 */
int dt_trace_sink(struct dtrace_hdl *, struct dt_trace *);
void dt_trace_sink_start(struct dt_trace *);
void dt_trace_sink_enabled(struct dt_trace *, size_t from);
void dt_trace_sink_snapshot(struct dtrace_hdl *);
/* DTRACE_DOCUMENT_RECORDING, after a snapshot: what happened since the last one. 0, or an EDT_ number. */
int dt_trace_sink_recording(struct dtrace_hdl *, struct dt_out *);
/* DTRACE_DOCUMENT_OTLP_PROFILES_*, the same */
int dt_trace_sink_profile(struct dtrace_hdl *, bool ten, struct dt_out *);
void dt_trace_sink_end(struct dtrace_hdl *);

/* An element as callers know it (aggdata.c): in the arena; without `elem`, zeros for the keys of `keys`. */
struct dt_aggdata {
	dtrace_aggdata_t d;			/* first: a caller's pointer to it is one to this */
	struct dt_agg *agg;
	struct dt_agg_elem *elem;
	struct dt_aggrow row;			/* the same as values */
	struct dt_value val;
	void *from;				/* of the row */
	/* what names its addresses, NULL: the trace; of a merged element: texts of its keys, else NULL */
	const struct dt_print_opts *opts;
	const char *const *texts;
};
struct dt_aggdata *dt_aggdata_new(struct dtrace_hdl *, struct dt_arena *, struct dt_agg *,
    struct dt_agg_elem *elem, const struct dt_agg_elem *keys);

/* fp NULL: text goes to the handler for it (buffered.c). 0, or -1 with the error set. */
int dt_trace_give(struct dtrace_hdl *);			/* all that is there, as it is */
int dt_trace_take(void *hdl, const struct dt_sink_piece *);	/* dt_sink_caller.take */

/* What a caller knows a clause on a probe as, and its records (edesc.c). NULL: out of memory. */
dtrace_eprobedesc_t *dt_trace_edesc(struct dt_trace *, uint32_t epid);
/* How the records of an enabling are laid out, also of one that came while tracing. */
const struct dt_reclayout *dt_trace_layout(const struct dt_trace *, uint32_t epid);
const dtrace_recdesc_t *dt_trace_recdesc(const struct dt_sink_event *, const struct dt_rec *);
/* Strings have one size for callers, however few bytes the kernel records. */
bool dt_trace_is_string(const struct dt_act *);
uint32_t dt_trace_stringsize(const struct dt_trace *, uint32_t size);
char *dt_trace_firing_data(struct dt_trace *, uint32_t epid, const uint8_t *data);

#endif
