/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The kernel side of one enabling: descriptors, links, mappings. It is the only thing that must be
 * closed, in reverse order. If the process dies, the kernel closes everything, so nothing is ever
 * pinned.
 */
#ifndef DT_SESSION_SESSION_H
#define DT_SESSION_SESSION_H

#include "engine/engine.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct dt_image;
struct dt_session;

/*
 * Creates the maps and loads the programs; n is the image's nprogs. Returns 0 or -errno; msg gets a
 * sentence that names what failed (with the end of the verifier's log, mapped to DIF). The image must
 * live until the session is closed. What becomes of the image's maps:
 *   RING     one ring, shared by all CPUs that find none in RINGS[cpu]; those are made by need while
 *            programs run (rings.c). Policy fill: one for each CPU that is online, put into RINGS at once.
 *            Sizes are rounded up to a power of two of pages
 *   OVER     instead of RING: as many elements as CPUs up to the last that is online; read only after
 *            dt_session_detach()
 *   AGGS     [side] → AGG_A and AGG_B of the same group; with cells (AGG_A alone) it stays empty
 *   CONST    filled and frozen; CONTROL is filled and mapped
 */
int dt_session_open(const struct dt_image *, const struct dt_attach *, uint32_t n, struct dt_session **,
    char *msg, size_t len);
/* After a failure: whether this kernel can have buffers at all; false, with a sentence, if not. */
bool dt_session_has_rings(char *msg, size_t len);
void dt_session_close(struct dt_session *);	/* NULL is fine */

/*
 * Attaches everything but RUN hooks; if one cannot be attached, none is. No clause runs before
 * dt_session_start(), which starts the timers and lets all probes fire at once; RUN programs may run in
 * between. dt_session_detach() returns when no program of the session is running, except by
 * dt_session_run() from another thread: records after it come last.
 */
int dt_session_attach(struct dt_session *, char *msg, size_t len);
int dt_session_start(struct dt_session *, char *msg, size_t len);
/*
 * Kernel functions and places in processes are many, and kernels refuse some of them. The others go
 * live, unless all are refused. `of` counts those that were to be attached.
 */
const struct dt_left_out *dt_session_left_out(const struct dt_session *);
const char *dt_attach_why(int err);	/* its err as words */
void dt_session_detach(struct dt_session *);
/*
 * Adds programs to a running session: the image has all its hooks and new ones after them; `first` is
 * the first new one, n the number of all. What the images share (variables, aggregations, buffers)
 * stays where it is and must have the same layout (-EINVAL). The new hooks go live at once; they must
 * be places in processes.
 */
int dt_session_graft(struct dt_session *, const struct dt_image *, const struct dt_attach *, uint32_t n,
    uint32_t first, char *msg, size_t len);
/* A descriptor for poll(2): readable if dt_session_wait() would return at once. */
int dt_session_pollfd(const struct dt_session *);
int dt_session_wake_by(struct dt_session *, int fd);	/* dt_session_wait() returns when fd is readable */
/* Runs a RUN or TICK program now (BPF_PROG_RUN), on this CPU, with up to 12 arguments. */
int dt_session_run(struct dt_session *, uint32_t prog, const uint64_t *args, uint32_t nargs);

/*
 * The control block, mapped: read and written in place with atomic operations. NULL: the image has
 * none.
 */
struct dt_control *dt_session_control(struct dt_session *);
/* session_family.c, for -x follow: the process counts as a descendant of that root. */
void dt_session_follow(struct dt_session *, uint32_t pid, uint32_t root);
/* session_container.c: fills the maps that programs ask for containers and control groups (bpf/image.h) */
bool dt_session_names_containers(const struct dt_session *);	/* a program does */
/* `most`: bytes of a string. 0 or -errno */
int dt_session_name_container(struct dt_session *, const char *id, const char *name, size_t most);
int dt_session_cgroups(struct dt_session *, const struct dt_cgroup *, uint32_t n);
struct dt_drops;
int dt_session_drops(struct dt_session *, uint32_t cpu, struct dt_drops *);
int dt_session_drops_all(struct dt_session *, struct dt_drops *);	/* one for each possible CPU */
/*
 * Firings of kernel functions that the kernel skipped, because it runs no program inside another one.
 * Counted since 6.7; for trampolines always.
 */
uint64_t dt_session_missed(const struct dt_session *);
uint32_t dt_session_ncpus(const struct dt_session *);		/* possible CPUs */

/*
 * Waits up to timeout_ns. Returns early for a signal, after a tick that set control->exited, and when a
 * program submitted a record with BPF_RB_FORCE_WAKEUP (the record of exit(), and the one that fills
 * another eighth of a ring).
 */
/* 0: time is up, 1: woken, -EINTR: a signal came */
int dt_session_wait(struct dt_session *, uint64_t timeout_ns);
int dt_session_possible_cpus(void);			/* before there is a session; or -errno */

/*
 * The rings there are to read now, by numbers from 0 that hold until the next call: one that all CPUs share,
 * and those of single CPUs, which come and go with need. With policy ring: one for each possible CPU.
 */
uint32_t dt_session_rings(struct dt_session *);
int dt_session_ring_cpu(const struct dt_session *, uint32_t ring);	/* -1: all CPUs write to it */
uint64_t dt_session_room(struct dt_session *);		/* bytes of the largest */

/*
 * Passes every record in the ring to f, oldest first, and removes it; records that arrive during the call
 * wait for the next. If f returns non-zero, the call ends with that value; a record for which it is
 * negative stays.
 */
int dt_session_drain(struct dt_session *, uint32_t ring, dt_ring_f *, void *ctx);

/*
 * The same without removing: the positions of the oldest record and of the end (both 0 for policy
 * ring). _next returns 1 and the record at *pos, and advances *pos; 0 if there is none before the end
 * or it is still being written; or -errno. A record stays in place until a position after it is
 * released, which gives the room back to the kernel.
 */
uint64_t dt_session_range(struct dt_session *, uint32_t ring, uint64_t *end);
int dt_session_next(struct dt_session *, uint32_t ring, uint64_t *pos, uint64_t end, const void **rec,
    size_t *len);
void dt_session_release(struct dt_session *, uint32_t ring, uint64_t pos);

/*
 * Closes the generation that firings add to, waits until no program can still add to it (about 15 ms: a
 * grace period), passes all parts of all closed generations to f, in any order, and removes them. An
 * aggregation without keys has a part for each generation, all zeros if nothing was added. If f returns
 * non-zero, it is not called again and the value is returned; the rest is lost.
 */
int dt_session_take(struct dt_session *, struct dt_taken *, dt_aggcell_f *, void *ctx);
/* Whether a program has closed a generation since the last dt_session_take(). */
bool dt_session_moments(const struct dt_session *);

/*
 * One element of map `map` of the image; per-CPU maps have a value for each possible CPU, 8-aligned. 0
 * or -errno.
 */
int dt_session_lookup(struct dt_session *, uint32_t map, const void *key, void *value);
int dt_session_update(struct dt_session *, uint32_t map, const void *key, const void *value);

/*
 * Fills the image's maps with tables for walking user stacks; does nothing if it has none. The usyms,
 * which must outlive the session, tell what is mapped. 0 or -errno: stacks are then walked by frame
 * pointers alone.
 */
struct dt_usyms;
struct dt_unwind;
int dt_session_unwind(struct dt_session *, struct dt_usyms *, uint64_t most);	/* bytes of rows */
struct dt_unwind *dt_session_unwinder(const struct dt_session *);	/* NULL: there is none */

/* What this kernel can do, probed once (about 0.3 ms). */
struct dt_features;
/* -EPERM with a sentence when not allowed at all */
int dt_features_probe(struct dt_features *, char *msg, size_t len);
/* May this process use eBPF at all? 0, -EPERM, or -ENOSYS where the kernel has none. */
int dt_features_permitted(void);
/* Whether programs may call a helper (BPF_FUNC_*). */
bool dt_features_helper(int helper);

#endif
