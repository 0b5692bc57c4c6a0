/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Holds programs with static probes for a moment before they are executed, so that their probes are
 * there before the first instruction. A helper process in its own session is told of every execve()
 * (fanotify) and looks at the file. Only a program that has a wanted probe is handed to us. It goes on
 * when we answer, after a second at the latest, and at once if we or the helper end.
 */
#ifndef DT_PROCESS_GATE_H
#define DT_PROCESS_GATE_H

#include <stdbool.h>
#include <stdint.h>

struct dt_gate;

/*
 * Called in the helper process: is a static probe of this provider wanted in this process? provider
 * NULL: is the process named at all?
 */
typedef bool dt_gate_f(void *ctx, uint32_t pid, const char *provider);

struct dt_gate_event {
	uint32_t pid;
	int fd;				/* the file, for the caller to close */
	uint32_t number;		/* for dt_gate_answer() */
};

/*
 * opens: also for files that named processes open, which may be libraries; the first open( ) of each
 * file then costs some microseconds. 0, or -errno: nothing is held.
 */
int dt_gate_open(struct dt_gate **, bool opens, dt_gate_f *, void *ctx);
void dt_gate_close(struct dt_gate *);				/* NULL is fine */
int dt_gate_fd(const struct dt_gate *);				/* readable: something is held */
bool dt_gate_next(struct dt_gate *, struct dt_gate_event *);	/* never waits; false: nothing is held */
/* Lets it go on; known: the file need not be held again */
void dt_gate_answer(struct dt_gate *, const struct dt_gate_event *, bool known);

#endif
