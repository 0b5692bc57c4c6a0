/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The kernel side of one enabling: descriptors, links, mappings. The only thing that must be closed, in reverse
 * order; when the process dies the kernel closes it all, so nothing is ever pinned.
 */
#ifndef DT_SESSION_H
#define DT_SESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct dt_image;
struct dt_session;

struct dt_attach {			/* how to attach the image's program of the same index */
	int kind;			/* enum dt_hook_kind */
	const char *target;		/* raw tracepoint */
	uint64_t interval;		/* ns */
};

/* 0 or -errno; msg gets a sentence that names what failed (with the end of the verifier's log, mapped to DIF). */
int dt_session_open(const struct dt_image *, const struct dt_attach *, uint32_t n, struct dt_session **, char *msg, size_t len);
void dt_session_close(struct dt_session *);	/* NULL is fine */

int dt_session_attach(struct dt_session *, char *msg, size_t len);	/* everything but RUN hooks goes live */
void dt_session_detach(struct dt_session *);
int dt_session_run(struct dt_session *, uint32_t prog, const uint64_t *args, uint32_t nargs);	/* BPF_PROG_RUN */

/* The control block, mapped: read and written in place. */
struct dt_control *dt_session_control(struct dt_session *);
struct dt_drops;
int dt_session_drops(struct dt_session *, uint32_t cpu, struct dt_drops *);
uint32_t dt_session_ncpus(const struct dt_session *);

/* Waits up to timeout_ns for something to do (a timer of our own; nothing in the kernel wakes us). */
void dt_session_wait(struct dt_session *, uint64_t timeout_ns);

/* Every record in the CPU's ring, oldest first; they are gone after the call. f returns 0 to go on. */
typedef int dt_ring_f(void *ctx, const void *rec, size_t len);
int dt_session_drain(struct dt_session *, uint32_t cpu, dt_ring_f *, void *ctx);

/*
 * Switches the aggregation to its other buffer, waits until no program can still write to the old one, hands every element
 * to f (`percpu`: ncpus × nwords words), and empties it.
 */
typedef int dt_agg_f(void *ctx, const void *key, const int64_t *percpu, uint32_t ncpus);
int dt_session_snapshot(struct dt_session *, uint32_t agg, dt_agg_f *, void *ctx);

/* Features of this kernel; probed once a session (cheap ones) . */
struct dt_features;
int dt_features_probe(struct dt_features *, char *msg, size_t len);	/* -EPERM with a sentence when not allowed at all */

#endif
