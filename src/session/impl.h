/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Private to src/session: what a session holds, and its parts. Every descriptor here is -1 if it is not
 * open. Everything is closed by dt_session_close(), also after a failure halfway.
 */
#ifndef DT_SESSION_IMPL_H
#define DT_SESSION_IMPL_H

#include "bpf/image.h"
#include "session/session.h"
#include "session/tick.h"

#include <pthread.h>

struct dt_ring {			/* a ring buffer of one CPU, or of all */
	int fd;
	int cpu;			/* -1: all write to it */
	bool replaced;			/* no program writes to it any more */
	uint64_t *consumer;		/* our page: how far we have read */
	const uint64_t *producer;	/* the kernel's page: how far it has written */
	unsigned char *data;		/* mapped twice in a row, so that no record is ever split */
	uint64_t mask;
	size_t page, piece;
	uint64_t shown;			/* how much of data is mapped, from its start */
};

struct dt_placing;

/* rings.c. The lock guards the list, which the keeper adds to and the reader takes from. */
struct dt_rings {
	struct dt_ring **ring;		/* all of them; those of policy fill in the order of their CPUs */
	uint32_t n;
	uint64_t total;			/* bytes of all of them */
	pthread_mutex_t lock;
	struct dt_ring **reading;	/* the reader's copy, made by dt_session_rings() */
	uint32_t nreading;
	struct dt_ring *shared;		/* NULL with policy fill */
	int outer;			/* RINGS, -1: the image has none */
	unsigned char *wants;		/* by CPU, in the control block; NULL: the image has none */
	/* the keeper's, once it runs */
	struct dt_ring **of;		/* by CPU; NULL: it uses the shared one */
	uint64_t size, most, limit;	/* bytes: of the first ring of a CPU, of the largest, of all */
	struct dt_placing *placing;
	int epoll, stop;		/* stop: can be read when it is to end */
	pthread_t thread;
	bool running;
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
struct dt_map_update {
	int map;			/* -1: nothing to do */
	uint32_t slot;
	int inner;
	int err;
	bool threaded;
	bool done;			/* the kernel has come back */
	pthread_t thread;
	struct dt_map_update *next;	/* of s->unwind.placing */
};

/* A table of record/unwind.h: an array of maps that grows by chunks. */
struct dt_chunks {
	const struct dt_image_map *like;	/* the first chunk; NULL: the image has no such table */
	int outer, first;		/* descriptors of the image's maps */
	bool owned;			/* of the hash: first has replaced the image's */
	uint32_t n;			/* chunks; of the hash: elements */
	struct dt_chunk { int fd; void *area; } *chunk;
	size_t len;			/* bytes of a chunk as it is mapped */
};
enum { DT_CHUNKS = 3 };			/* DT_MAP_UNWIND_ROWS, _RULES, _MAPS */

struct dt_session {
	const struct dt_image *image;
	/* buffers of a walk over aggregations that the caller has left by a jump; NULL none */
	void *walk_keys, *walk_values;
	const struct dt_attach *attach;	/* our copy, with our own copies of the targets */
	uint32_t ncpus;
	bool *online;			/* by CPU, when the session was opened */
	int btf;			/* the image's, -1 none */
	int *maps;			/* by the image's index; that of RING belongs to rings */
	int *progs;			/* by the image's index */
	struct dt_rings rings;
	int over;			/* index of the map of policy ring, -1 none */
	uint32_t over_n;		/* its elements */
	uint64_t *over_seen;		/* by CPU: the position up to which records were handed on */
	struct dt_aggmaps *groups;	/* by group of aggregations */
	uint64_t gen;			/* the generation after the last that was read: its word */
	/* First contents of the arrays of maps, being set by threads while programs load */
	struct dt_map_update *placing;
	uint32_t nplacing;
	void *control;
	size_t control_len;
	int drops;			/* index of the map, -1 none */
	int *links;			/* perf events and raw tracepoints */
	uint32_t nlinks, links_cap, perf;	/* perf: the first that is a perf event */
	bool attached;			/* programs may run in other threads */
	struct dt_left_out left_out;
	struct dt_ticker ticker;
	struct dt_wall *wall;		/* NULL: no wall-n is attached */
	int epoll, event;
	uint32_t first;			/* of a graft: programs of hooks before this are not its own */
	bool *borrowed;			/* of a graft, by the image's index: the session owns the map */
	struct dt_session *graft;	/* programs added while it runs (graft.c), newest first */
	/* session_unwind.c */
	struct {
		struct dt_unwind *tables;
		struct dt_chunks chunks[DT_CHUNKS];
		struct dt_chunks keys;		/* one hash, which a larger one replaces */
		struct dt_map_update *placing;	/* elements of these that the kernel is setting */
	} unwind;
};

/* Writes the sentence and returns err (negative). EPERM becomes the one sentence about privileges. */
int dt_session_fail(char *msg, size_t len, int err, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));

/* session_maps.c; dt_maps_open() leaves the threads of s->placing running */
void dt_cpus_online(bool *online, uint32_t ncpus);
bool dt_cpu_wanted(const struct dt_session *, uint32_t cpu);	/* online, and not left out by only_cpu */
int dt_maps_open(struct dt_session *, char *msg, size_t len);
int dt_maps_btf(struct dt_session *, char *msg, size_t len);
int dt_map_make(struct dt_session *, uint32_t i, char *msg, size_t len);	/* one of the image's maps */
/* session_progs.c: loads all programs of the image into s->progs; 0, or -errno with a sentence */
int dt_progs_load(struct dt_session *, char *msg, size_t len);

/*
 * missing.c: true, with a sentence, if this kernel lacks the helper that the verifier names, or the type of
 * map that it answered with err. target: where the program was to be attached
 */
bool dt_missing_helper(const char *why, const char *target, char *msg, size_t len);
bool dt_missing_map(uint32_t type, int err, char *msg, size_t len);

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
 * Raises the limit of descriptors, if it must, for n of `what` that need one each for lack of `lacking`; 0 or
 * -EMFILE with a sentence.
 */
int dt_attach_room(uint32_t n, const char *what, const char *lacking, char *msg, size_t len);
/* Keeps a link; false: out of memory, and the link is closed. */
bool dt_session_keep(struct dt_session *, int fd);
/* 0, or the error and a sentence if a session has many points and none could be attached. */
int dt_attach_any(struct dt_session *, char *msg, size_t len);
/* kprobe.c: attaches program i at all its points; refused ones are counted in left_out */
int dt_kprobe_attach(struct dt_session *, uint32_t i, char *msg, size_t len);

/* wall.c: programs that fire for all threads. They pass over them from dt_wall_start() on. */
int dt_wall_attach(struct dt_session *, uint32_t i, char *msg, size_t len);
int dt_wall_start(struct dt_session *);		/* 0 or -errno */
void dt_wall_settle(struct dt_session *);	/* waits until the pass that is going on has ended */
void dt_wall_detach(struct dt_session *);

/* ring.c */
/* size: in bytes, a power of two and at least a page */
int dt_ring_open(struct dt_ring *, uint64_t size, const char *name);
void dt_ring_close(struct dt_ring *);
uint64_t dt_ring_range(const struct dt_ring *, uint64_t *end);
int dt_ring_next(struct dt_ring *, uint64_t *pos, uint64_t end, const void **data, size_t *len);
void dt_ring_release(struct dt_ring *, uint64_t pos);
int dt_ring_drain(struct dt_ring *, dt_ring_f *, void *ctx);

/* rings.c */
bool dt_rings_init(struct dt_session *);
/* Makes what the image's map RING stands for; *template is one of them. 0, or -errno with a sentence. */
int dt_rings_open(struct dt_session *, const struct dt_image_map *, int *template, char *msg, size_t len);
void dt_rings_keep(struct dt_session *);	/* starts the keeper */
void dt_rings_look(struct dt_session *);	/* starts it if there is need */
void dt_rings_stop(struct dt_session *);
void dt_rings_close(struct dt_session *);

/* overwrite.c: as dt_ring_drain(); only after all programs have ended */
int dt_overwrite_drain(struct dt_session *, uint32_t cpu, dt_ring_f *, void *ctx);

/* session_unwind.c: begins to set the first chunks; the session closes when they are set */
int dt_session_unwind_open(struct dt_session *);
void dt_session_unwind_close(struct dt_session *);

/* chunk.c */
/* Begins to set an element of an array of maps in another thread. 0 or -errno. */
int dt_chunk_place(struct dt_session *, int outer, uint32_t slot, int inner);
/* Returns when programs see that element; the kernel's call goes on. 0 or -errno. */
int dt_chunk_seen(struct dt_session *, int outer, uint32_t slot, int inner);
/* The memory of chunk i; the next one is made if it is not there. NULL: there is no memory. */
void *dt_chunk_area(struct dt_session *, struct dt_chunks *, uint32_t i);
/* Makes the hash twice as large: 0 or -errno, and programs go on with the old one. */
int dt_chunk_grow_keys(struct dt_session *);
void dt_chunks_close(struct dt_session *);

/* map_in_map.c */
void dt_map_update_start(struct dt_map_update *, uint32_t n);
void dt_map_update_visible(struct dt_map_update *, uint32_t n);	/* returns when programs find what is set */
bool dt_map_update_seen(int map, uint32_t slot, int inner);	/* programs find the inner map there */
bool dt_map_update_done(const struct dt_map_update *);	/* dt_map_update_join() would not wait */
int dt_map_update_join(struct dt_map_update *, uint32_t n);	/* the first error */

/* session_aggs.c */
int dt_agg_grace(struct dt_session *);	/* returns when no program that ran before still runs */

/* tick.c */
/* Moves this thread to the CPU; `before` gets the cpu_set_t of where it may run now */
int dt_cpu_stay(uint32_t cpu, void *before, size_t len);
int dt_prog_run(int fd, const uint64_t *args, uint32_t nargs);

/* perf.c: a disabled cpu-clock event on one CPU with the program on it. The descriptor, or -errno. */
int dt_perf_open(uint32_t cpu, uint64_t interval, int prog);
/* The same for every so many events that the kernel counts: "page-faults", "major-faults". */
int dt_perf_count(uint32_t cpu, const char *event, uint64_t every, int prog);
int dt_perf_enable(int fd);

#endif
