/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Private to src/session: what a session holds, and its parts. Every descriptor here is -1 if it is not
 * open. Everything is closed by dt_session_close(), also after a failure halfway.
 */
#ifndef DT_SESSION_IMPL_H
#define DT_SESSION_IMPL_H

#include "bpf/image.h"
#include "session/session.h"

#include <pthread.h>

struct dt_ring {			/* one CPU's ring buffer; fd -1: none */
	int fd;
	uint64_t *consumer;		/* our page: how far we have read */
	const uint64_t *producer;	/* the kernel's page: how far it has written */
	unsigned char *data;		/* mapped twice in a row, so that no record is ever split */
	uint64_t mask;
	size_t page, piece;
	uint64_t shown;			/* how much of data is mapped, from its start */
};

struct dt_aggmaps {			/* the maps of one group of aggregations (struct dt_agglayout) */
	int outer;
	uint32_t sides;			/* elements of outer: 2 for hashes, 1 for cells */
	int fd[2];			/* the hash of each side; the cells */
	bool is_array, percpu;		/* percpu: an element has values for all CPUs, not for one */
	uint32_t key_size, value_size, max_entries;	/* value_size: of one CPU, 8-aligned */
	uint32_t batch;			/* elements read at once; 0: the kernel cannot */
};

/*
 * One element of an array of maps that is to be set. The kernel waits for a grace period in each such
 * call (14 ms measured), so several are set at once, each in its own thread.
 */
struct dt_outer {
	int map;			/* -1: nothing to do */
	uint32_t slot;
	int inner;
	int err;
	bool threaded;
	pthread_t thread;
};

/* The lock guards stop; ticks belong to the thread while it runs. */
struct dt_tick {
	int prog;
	uint64_t interval, next;
};

struct dt_ticker {			/* the thread behind tick-n */
	struct dt_tick *ticks;
	uint32_t n;
	uint32_t only_cpu;		/* of the image */
	struct dt_control *control;
	int event;			/* to wake dt_session_wait() */
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t cond;
	bool running, stop;
};

struct dt_session {
	const struct dt_image *image;
	const struct dt_attach *attach;	/* our copy, with our own copies of the targets */
	uint32_t ncpus;
	bool *online;			/* by CPU, when the session was opened */
	int btf;			/* the image's, -1 none */
	int *maps;			/* by the image's index; of RING: that of the first online CPU */
	int *progs;			/* by the image's index */
	struct dt_ring *rings;		/* by CPU */
	int over;			/* index of the map of policy ring, -1 none */
	uint32_t over_n;		/* its elements */
	uint64_t *over_seen;		/* by CPU: the position up to which records were handed on */
	struct dt_aggmaps *groups;	/* by group of aggregations */
	uint64_t gen;			/* the generation after the last that was read: its word */
	/* First contents of the arrays of maps, being set by threads while programs load */
	struct dt_outer *placing;
	uint32_t nplacing;
	void *control;
	size_t control_len;
	int drops;			/* index of the map, -1 none */
	int *links;			/* perf events and raw tracepoints */
	uint32_t nlinks, links_cap, perf;	/* perf: the first that is a perf event */
	bool attached;			/* programs may run in other threads */
	struct dt_left_out left_out;
	struct dt_ticker ticker;
	int epoll, event;
	uint32_t first;			/* of a graft: programs of hooks before this are not its own */
	bool *borrowed;			/* of a graft, by the image's index: the session owns the map */
	struct dt_session *graft;	/* programs added while it runs (graft.c), newest first */
	/* unwind.c */
	struct { struct dt_unwind *tables; void *area[3]; size_t len[3]; uint32_t n[3]; int keys; } unwind;
};

/* Writes the sentence and returns err (negative). EPERM becomes the one sentence about privileges. */
int dt_session_fail(char *msg, size_t len, int err, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));

/* map.c; dt_maps_open() leaves the threads of s->placing running */
void dt_cpus_online(bool *online, uint32_t ncpus);
bool dt_cpu_wanted(const struct dt_session *, uint32_t cpu);	/* online, and not left out by only_cpu */
int dt_maps_open(struct dt_session *, char *msg, size_t len);
int dt_maps_btf(struct dt_session *, char *msg, size_t len);
int dt_map_make(struct dt_session *, uint32_t i, char *msg, size_t len);	/* one of the image's maps */
/* prog.c: loads all programs of the image into s->progs; 0, or -errno with a sentence */
int dt_progs_load(struct dt_session *, char *msg, size_t len);
/* Condenses the verifier's log to one sentence: its last words, and where in DIF and D they belong. */
void dt_prog_explain(const struct dt_image_prog *, const char *log, char *out, size_t len);

/* graft.c */
void dt_grafts_detach(struct dt_session *);
void dt_grafts_close(struct dt_session *);

/* attach.c */
enum bpf_prog_type;
struct bpf_prog_load_opts;
/*
 * The type that a program of attach[i] must have; fills what loading must know about where it will run.
 */
enum bpf_prog_type dt_attach_type(const struct dt_session *, uint32_t i, struct bpf_prog_load_opts *);
/* Attaches program i; perf events stay disabled (dt_perf_enable()). 0 or -errno with a sentence. */
int dt_attach_program(struct dt_session *, uint32_t i, char *msg, size_t len);

/*
 * Raises the limit of descriptors by n, for `what` that need one each for lack of `lacking`; 0 or
 * -EMFILE with a sentence.
 */
int dt_attach_room(uint32_t n, const char *what, const char *lacking, char *msg, size_t len);
/* Keeps a link; false: out of memory, and the link is closed. */
bool dt_session_keep(struct dt_session *, int fd);
/* 0, or the error and a sentence if a session has many points and none could be attached. */
int dt_attach_any(struct dt_session *, char *msg, size_t len);
/* kprobe.c: attaches program i at all its points; refused ones are counted in left_out */
int dt_kprobe_attach(struct dt_session *, uint32_t i, char *msg, size_t len);

/* ring.c */
/* size: in bytes, a power of two and at least a page */
int dt_ring_open(struct dt_ring *, uint64_t size, const char *name);
void dt_ring_close(struct dt_ring *);
uint64_t dt_ring_range(const struct dt_ring *, uint64_t *end);
int dt_ring_next(struct dt_ring *, uint64_t *pos, uint64_t end, const void **data, size_t *len);
void dt_ring_release(struct dt_ring *, uint64_t pos);
int dt_ring_drain(struct dt_ring *, dt_ring_f *, void *ctx);

/* over.c: as dt_ring_drain(); only after all programs have ended */
int dt_over_drain(struct dt_session *, uint32_t cpu, dt_ring_f *, void *ctx);

void dt_session_unwind_close(struct dt_session *);	/* unwind.c */

/* outer.c */
void dt_outer_start(struct dt_outer *, uint32_t n);
int dt_outer_join(struct dt_outer *, uint32_t n);	/* the first error */

/* agg.c */
int dt_agg_grace(struct dt_session *);	/* returns when no program that ran before still runs */

/* tick.c */
int dt_ticker_start(struct dt_ticker *);
void dt_ticker_stop(struct dt_ticker *);	/* returns when no tick runs */
/* Moves this thread to the CPU; `before` gets the cpu_set_t of where it may run now */
int dt_cpu_stay(uint32_t cpu, void *before, size_t len);
int dt_prog_run(int fd, const uint64_t *args, uint32_t nargs);

/* perf.c: a disabled cpu-clock event on one CPU with the program on it. The descriptor, or -errno. */
int dt_perf_open(uint32_t cpu, uint64_t interval, int prog);
/* The same for every so many events that the kernel counts: "page-faults", "major-faults". */
int dt_perf_count(uint32_t cpu, const char *event, uint64_t every, int prog);
int dt_perf_enable(int fd);

#endif
