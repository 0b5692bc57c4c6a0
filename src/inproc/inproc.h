/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Private to src/inproc: the engine whose programs run inside the traced processes. An image is built as for
 * the kernel; its maps are laid out in a data memfd, its programs become machine code in a code memfd
 * (segment.c), both are put into each process (target.c), and what programs record is read from the data
 * (inproc_rings.c, inproc_aggs.c). The processes can write all of the data at any time: every word of it is
 * copied, then checked.
 */
#ifndef DT_INPROC_INPROC_H
#define DT_INPROC_INPROC_H

#include "agent/agent.h"
#include "bpf/image.h"
#include "engine/engine.h"
#include "native/native.h"
#include "session/tick.h"

#include <pthread.h>

/* A piece of code: a sealed memfd, mapped at a fixed distance from the beginning of code. */
struct inproc_segment {
	int fd;
	uint64_t at, len;		/* len: whole pages */
	const struct dt_image *image;	/* whose programs it has */
	uint64_t *prog;			/* at of each program of the image; 0: it is in an earlier segment */
	uint8_t *light;			/* dt_native_code.light of each */
};

struct inproc_map {
	struct dt_agent_map desc;
	uint64_t at;			/* of the descriptor, in code */
};

struct inproc_ring {
	struct dt_agent_map desc;
	int cpu;			/* -1: all write to it */
	uint64_t pos;			/* the consumer position, of which the shared one is a copy */
	uint8_t *mirror;		/* records are copied to here, to the places that they have there */
	bool broken;			/* the process has written nonsense: nothing more is read */
	uint64_t lost;			/* records that were begun and not ended */
	uint64_t stuck;			/* bytes in use when a process was found to have ended */
};

/* The elements of an array of maps (record/unwind.h): `like`, whose memory follows each other. */
struct inproc_chunks {
	struct dt_agent_map like;
	uint32_t n;			/* 0: the image has none */
};
enum { INPROC_CHUNKS = DT_MAP_UNWIND_KEYS - DT_MAP_UNWIND_ROWS + 1 };

struct inproc_target;

struct inproc {
	struct dt_engine engine;	/* first: pointers to it are cast back */
	struct dt_plan_opts opts;	/* of the plan, as far as this engine can do it */
	const struct dt_attach *attach;	/* of the newest plan */
	uint32_t *pids;			/* of -p and -c: for system calls, and points without a process */
	uint32_t npids;
	const uint32_t *named;		/* all of -p and -c: who is sampled */
	uint32_t nnamed;
	struct dt_image **image;	/* the newest describes all records */
	uint32_t nimages;
	uint32_t ncpus;

	struct inproc_segment *segment;
	uint32_t nsegments;
	uint64_t code_end;		/* where the next segment goes */
	int data_fd;
	uint64_t data_len;
	uint8_t *base;			/* our own mapping: code and, DT_AGENT_SPAN after it, data */
	struct dt_agent *agent;		/* its data */
	const struct dt_agent_head *head;
	struct inproc_map *map;		/* by the index of the first image */
	uint32_t nmaps;
	struct dt_control *control;
	uint64_t gen;			/* the generation after the last that was read: its word */
	bool closed;			/* `closing` was closed and not read: a firing had not ended */
	uint64_t closing, closing_time;
	uint64_t unfinished;		/* firings that had not ended when all was read for the last time */
	struct inproc_ring *ring;
	uint32_t nrings;
	uint64_t ring_size;
	uint64_t *over_seen;
	struct inproc_chunks chunks[INPROC_CHUNKS];	/* from DT_MAP_UNWIND_ROWS on */
	struct dt_unwind *unwind;	/* fills them; NULL: nothing walks user stacks by tables */
	void *walk;			/* a copy that a walk has left by a jump */

	struct dt_agent_process self;	/* for programs that we run */
	uint8_t *stacks;
	pthread_mutex_t running;	/* one of them at a time */
	pthread_mutex_t tracing;	/* of threads that hold others by ptrace(2) while tracing */

	bool registered;		/* all processes have, for the quick barrier */
	uint64_t looked;		/* when it was last seen which threads live */
	struct inproc_target **target;
	uint32_t ntargets;
	struct dt_guardian *guardian;
	struct dt_left_out left_out;
	uint32_t unheld;		/* bits of enum dt_agent_kind: places that could not be patched */
	bool follow;
	uint32_t followed;		/* children that are traced and live */
	bool any_ended;			/* one was forgotten since dt_inproc_forget_ended() */
	uint32_t late;			/* programs that were not held */
	uint64_t checked;		/* when it was last seen which processes run what they ran */
	struct dt_ticker ticker;
	struct inproc_sampler *sampler;	/* NULL: there are no profile probes */
	uint64_t samples_lost;
	bool attached;

	int epoll, event;
	pthread_t waker;		/* turns the futex of the agent into the event */
	bool waking, stop_waking;
	bool silent;			/* a process must not make the system call that wakes us */
};

static inline struct inproc *inproc_of(const struct dt_engine *e) { return (struct inproc *)e; }
static inline struct dt_image *inproc_newest(const struct inproc *p) { return p->image[p->nimages - 1]; }
static inline void *inproc_at(const struct inproc *p, uint64_t at) { return p->base + at; }

int dt_inproc_fail(char *msg, size_t len, int err, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));

/* process_engine.c: runs the program of a RUN or TICK hook, with arguments */
int dt_inproc_run(struct dt_engine *, uint32_t hook, const uint64_t *args, uint32_t nargs);
/* The same in the name of another process, for the program of a PERF hook: words are struct pt_regs. */
void dt_inproc_run_as(struct inproc *, const struct dt_agent_process *, uint32_t hook, const uint64_t *words);
/* layout.c: what programs in a process are told about it */
void dt_inproc_about(uint32_t pid, struct dt_agent_about *);
/* layout.c: descriptors of the maps of the first image, and the size of data */
int dt_inproc_layout(struct inproc *, char *msg, size_t len);
/*
 * segment.c: the data, our mapping of it, and code for the newest image, of whose hooks `first` is the
 * first
 */
int dt_inproc_open_memory(struct inproc *, char *msg, size_t len);
int dt_inproc_add_segment(struct inproc *, uint32_t first, char *msg, size_t len);
void dt_inproc_close_memory(struct inproc *);
uint64_t dt_inproc_program(const struct inproc *, uint32_t hook);	/* at of its first program; 0: none */
enum dt_native_light dt_inproc_light(const struct inproc *, uint64_t at);	/* by its first program */

/* target.c: hooks from `first` on are patched into their processes; all or none */
int dt_inproc_attach_hooks(struct inproc *, uint32_t first, char *msg, size_t len);
void dt_inproc_detach_all(struct inproc *);
int dt_inproc_mapped(struct dt_engine *, uint32_t pid, bool all, char *msg, size_t len);

/* arrivals.c: what comes while tracing, as struct dt_engine_ops has it */
int dt_inproc_hold(struct dt_engine *, uint32_t ms, bool follow, char *msg, size_t len);
void dt_inproc_arrived(struct dt_engine *, dt_arrived_f *, void *ctx);
uint32_t dt_inproc_unheld(const struct dt_engine *);
/* births.c */
void dt_inproc_follow(struct dt_engine *, uint32_t pid, uint32_t root);

/* threads.c: which threads and processes live */
bool dt_inproc_forget_ended(struct inproc *);	/* true: a process has ended since the last call */
void dt_inproc_look(struct inproc *);		/* slots of threads that have ended are freed, now and then */

/* inproc_rings.c, inproc_aggs.c */
int dt_inproc_open_rings(struct inproc *);
void dt_inproc_close_rings(struct inproc *);
uint32_t dt_inproc_rings(struct dt_engine *);
int dt_inproc_ring_cpu(const struct dt_engine *, uint32_t ring);
uint64_t dt_inproc_room(struct dt_engine *);
uint64_t dt_inproc_range(struct dt_engine *, uint32_t ring, uint64_t *end);
int dt_inproc_next(
    struct dt_engine *, uint32_t ring, uint64_t *pos, uint64_t end, const void **rec, size_t *len);
void dt_inproc_release(struct dt_engine *, uint32_t ring, uint64_t pos);
int dt_inproc_drain(struct dt_engine *, uint32_t ring, dt_ring_f *, void *ctx);
/* Bytes in use from a record on that is not ended yet; 0: the next record is whole, or the ring is empty. */
uint64_t dt_inproc_stuck(const struct inproc *, uint32_t ring);
void dt_inproc_skip(struct inproc *, uint32_t ring, uint64_t used);
int dt_inproc_take(struct dt_engine *, struct dt_taken *, dt_aggcell_f *, void *ctx);
bool dt_inproc_moments(const struct dt_engine *);
int dt_inproc_drops(struct dt_engine *, struct dt_drops *);

/*
 * sampler.c: samples of the processes of -p and -c for the profile probes of the newest plan. open does
 * nothing without such probes. close takes what is left, and stops; NULL is allowed.
 */
int dt_inproc_open_sampler(struct inproc *, char *msg, size_t len);
int dt_inproc_start_sampler(struct inproc *);
void dt_inproc_close_sampler(struct inproc *);
uint64_t dt_inproc_samples_lost(const struct inproc *);

/* inproc_unwind.c */
int dt_inproc_unwind(struct dt_engine *, struct dt_usyms *, uint64_t most);
struct dt_unwind *dt_inproc_unwinder(const struct dt_engine *);

/* waking.c */
int dt_inproc_open_waiting(struct inproc *);
void dt_inproc_close_waiting(struct inproc *);
int dt_inproc_wait(struct dt_engine *, uint64_t timeout_ns);
int dt_inproc_pollfd(const struct dt_engine *);
int dt_inproc_wake_by(struct dt_engine *, int fd);

#endif
