/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The seam between what is to be traced and what runs it. An engine takes a plan, lays out records and
 * aggregations, makes the clauses run when probes fire, and holds what they record until a consumer takes it.
 * Everything above this floor knows an engine by these functions alone. engines.def lists the engines; each
 * is a folder and one line of that list.
 *
 * The life of an engine: open, load, attach, start; then wait, read and take as often as wanted; then detach
 * and close. run may be called from load to close.
 */
#ifndef DT_ENGINE_ENGINE_H
#define DT_ENGINE_ENGINE_H

#include "engine/plan.h"
#include "record/record.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct dt_unwind;
struct dt_usyms;

/*
 * Kernel functions and places in processes are many, and kernels refuse some of them. The others go live,
 * unless all are refused. `of` counts those that were to be attached; singles: kprobes with an event each;
 * later: places in files that are not mapped yet, which go live when they are, if they can; why: the reason
 * of the first, NULL: what err means.
 */
struct dt_left_out {
	uint32_t n, of, singles, later;
	int err;
	char example[192];
	const char *why;
	/* of an engine that changes processes: what attaching took, and how long their threads stood still */
	uint64_t took_ns, stopped_ns;
};

/* Names of containers, and the control groups that are traced. */
enum { DT_CONTAINERS_MAX = 16384, DT_CONTAINER_KEY = 64, DT_CONTAINER_NAME = 120, DT_CGROUPS_MAX = 16 };
struct dt_cgroup { uint64_t id, level; };	/* level: how many directories are above it */

/* A part of an aggregation: what firings of one generation added to one element. */
struct dt_aggcell {
	uint32_t agg;			/* index in the engine's layouts */
	uint64_t gen;			/* number of the generation, from 1 */
	const void *key;		/* empty if the aggregation has no keys */
	const int64_t *words;		/* of the first CPU; each next CPU's follow after `stride` words */
	uint32_t stride, ncpus;
	uint32_t cpu;			/* the number of the first */
};
typedef int dt_ring_f(void *ctx, const void *rec, size_t len);
typedef int dt_aggcell_f(void *ctx, const struct dt_aggcell *);

/* Up to where aggregations were taken over: no firing that began by `time` is still running. */
struct dt_taken { uint64_t gen, time; };

/* A process has begun to run something else. root: the process of -p and -c that it is, or descends from */
typedef void dt_arrived_f(void *ctx, uint32_t pid, uint32_t root);

/* An engine embeds this struct as its first member. */
struct dt_engine { const struct dt_engine_ops *ops; };

/*
 * Functions that return int return 0 or -errno unless their comment says otherwise; those with `msg` write a
 * sentence there that names what failed. Functions marked optional may be NULL.
 */
struct dt_engine_ops {
	const char *name;
	bool live;			/* it traces this machine: its processes, names and containers */
	unsigned where;			/* the DT_IN_* bit that rows of built-ins name this engine by */

	/*
	 * Makes layouts of the plan, which must outlive the engine; nothing runs yet. *engine is NULL after a
	 * failure. -ENOTSUP comes with a sentence that names the D line and the limit.
	 */
	int (*open)(const struct dt_plan *, struct dt_engine **engine, char *msg, size_t len);
	void (*close)(struct dt_engine *);
	const struct dt_layouts *(*layouts)(const struct dt_engine *);
	/* Takes memory and loads programs. -ENOMEM, -E2BIG: smaller buffers may help. */
	int (*load)(struct dt_engine *, char *msg, size_t len);
	/* All places or none; no clause runs before start, which lets all probes fire at once. */
	int (*attach)(struct dt_engine *, char *msg, size_t len);
	int (*start)(struct dt_engine *, char *msg, size_t len);
	const struct dt_left_out *(*left_out)(const struct dt_engine *);
	/* Returns when no clause is running; records made later are of run() alone, and come last. */
	void (*detach)(struct dt_engine *);
	/* Fires hook number `hook` now, which is a RUN or TICK one. */
	int (*run)(struct dt_engine *, uint32_t hook);
	/*
	 * More hooks while it runs (optional): a plan that begins with the hooks there are, of which `first`
	 * is the first new one. replan makes layouts that begin with those there are; graft then loads the
	 * new hooks and lets them fire at once.
	 */
	int (*replan)(struct dt_engine *, const struct dt_plan *, char *msg, size_t len);
	int (*graft)(struct dt_engine *, uint32_t first, char *msg, size_t len);
	/*
	 * A process that is held has mapped more files (optional): system calls in them are traced from now
	 * on, before their first instruction has run. all: the program itself is next.
	 */
	int (*mapped)(struct dt_engine *, uint32_t pid, bool all, char *msg, size_t len);
	/*
	 * Of an engine that learns by itself what comes while tracing (optional). From hold on, libraries
	 * that traced processes load and programs that they execute wait for arrived, for at most `ms`; 0:
	 * they do not wait, and are heard of later. follow: children that they make, too. 0, or a sentence
	 * that says what cannot be held. arrived calls f for each of them, which grafts what it finds, and
	 * lets them go on.
	 */
	int (*hold)(struct dt_engine *, uint32_t ms, bool follow, char *msg, size_t len);
	void (*arrived)(struct dt_engine *, dt_arrived_f *, void *ctx);
	uint32_t (*unheld)(const struct dt_engine *);	/* how many went on before they were looked at */

	/* 0: time is up, 1: woken, -EINTR: a signal came; returns early when a record asks for it */
	int (*wait)(struct dt_engine *, uint64_t timeout_ns);
	int (*pollfd)(const struct dt_engine *);	/* for poll(2): readable if wait returns at once */
	int (*wake_by)(struct dt_engine *, int fd);	/* wait also returns when fd is readable */
	struct dt_control *(*control)(struct dt_engine *);	/* shared words: atomic operations */
	uint32_t (*ncpus)(const struct dt_engine *);	/* possible CPUs */
	int (*drops)(struct dt_engine *, struct dt_drops *);	/* one for each possible CPU */
	uint64_t (*missed)(const struct dt_engine *);	/* firings skipped inside other firings (optional) */

	/*
	 * Rings of records, by numbers from 0 that hold until the next call of rings: one that all CPUs
	 * share (ring_cpu is -1), and those of single CPUs. range gives the positions of the oldest record
	 * and of the end. next returns 1 and the record at *pos, and advances *pos; 0 if there is none
	 * before the end or it is still being written. A record stays in place until a position after it is
	 * released.
	 */
	uint32_t (*rings)(struct dt_engine *);
	int (*ring_cpu)(const struct dt_engine *, uint32_t ring);
	uint64_t (*room)(struct dt_engine *);		/* bytes of the largest ring */
	uint64_t (*range)(struct dt_engine *, uint32_t ring, uint64_t *end);
	int (*next)(struct dt_engine *, uint32_t ring, uint64_t *pos, uint64_t end, const void **rec,
	    size_t *len);
	void (*release)(struct dt_engine *, uint32_t ring, uint64_t pos);
	/*
	 * Passes all records of a ring to f, oldest first, and removes them. With policy ring that is the
	 * only way to read them, after detach. If f returns non-zero, the call ends with that value; a
	 * record for which it is negative stays.
	 */
	int (*drain)(struct dt_engine *, uint32_t ring, dt_ring_f *, void *ctx);

	/*
	 * Closes the generation that firings add to, waits until none can add to it any more, passes all
	 * parts of all closed generations to f in any order, and removes them. An aggregation without keys
	 * has a part for each generation, all zeros if nothing was added. If f returns non-zero, the rest
	 * is lost and the value is returned.
	 */
	int (*take)(struct dt_engine *, struct dt_taken *, dt_aggcell_f *, void *ctx);
	bool (*moments)(const struct dt_engine *);	/* a clause has closed a generation since */

	/* Of an engine that follows processes and walks their stacks by tables (all optional). */
	void (*follow)(struct dt_engine *, uint32_t pid, uint32_t root);
	bool (*names_containers)(const struct dt_engine *);
	int (*name_container)(struct dt_engine *, const char *id, const char *name, size_t most);
	int (*cgroups)(struct dt_engine *, const struct dt_cgroup *, uint32_t n);
	int (*unwind)(struct dt_engine *, struct dt_usyms *, uint64_t most);
	struct dt_unwind *(*unwinder)(const struct dt_engine *);
};

#define ENGINE(name) extern const struct dt_engine_ops dt_engine_##name;
#include "engine/engines.def"
#undef ENGINE

#endif
