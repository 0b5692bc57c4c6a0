/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Programs with static probes, held for a moment when they are about to be executed, so that their
 * probes are there before their first instruction. A process of our own, in a session of its own, hears
 * of every execve() (fanotify) and looks at the file; only one that has what is wanted is handed to us,
 * and it goes on when we answer, after a second at the latest, and at once when we or that process end.
 */
#ifndef DT_PROCESS_GATE_H
#define DT_PROCESS_GATE_H

#include <stdbool.h>
#include <stdint.h>

struct dt_gate;

/*
 * Called in the other process: is a static probe of this provider wanted in this process? NULL: of any,
 * and is the process named?
 */
typedef bool dt_gate_f(void *ctx, uint32_t pid, const char *provider);

struct dt_gate_event {
	uint32_t pid;
	int fd;				/* the file, for the caller to close */
	uint32_t number;		/* for dt_gate_answer() */
};

/*
 * opens: also files that named processes open, which may be libraries; the first open( ) of each file
 * costs some microseconds then. 0 or -errno: nothing is held.
 */
int dt_gate_open(struct dt_gate **, bool opens, dt_gate_f *, void *ctx);
void dt_gate_close(struct dt_gate *);				/* NULL is fine */
int dt_gate_fd(const struct dt_gate *);				/* readable: something is held */
bool dt_gate_next(struct dt_gate *, struct dt_gate_event *);	/* never waits; false: nothing is held */
/* it goes on; known: the file need not be held again */
void dt_gate_answer(struct dt_gate *, const struct dt_gate_event *, bool known);

#endif
