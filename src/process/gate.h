/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Holds programs with static probes for a moment before they are executed, so that their probes are
 * there before the first instruction. A helper process in its own session is notified of every execve()
 * (fanotify) and looks at the file. Only a program that has a wanted probe is handed to us. It goes on
 * when we answer, after hold_ms at the latest, soon if we are stopped or wait for something else, and at
 * once if we or the helper end.
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
	bool exec;			/* opened to be executed */
	uint32_t number;		/* for dt_gate_answer() */
};

struct dt_gate_opts {
	/*
	 * Also for files that named processes open, which may be libraries; the first open( ) of each file
	 * then costs some microseconds.
	 */
	bool opens;
	/* Named processes are held for every ELF file: probes of provider "pid" may be in any */
	bool functions;
	uint32_t hold_ms;		/* the longest time that anything is held */
	dt_gate_f *wants;
	void *ctx;
};

int dt_gate_able(void);			/* 0, or -errno: this kernel or these rights do not allow it */
/* 0, or -errno: nothing is held. The options are copied by fork(). */
int dt_gate_open(struct dt_gate **, const struct dt_gate_opts *);
void dt_gate_close(struct dt_gate *);				/* NULL is fine */
int dt_gate_fd(const struct dt_gate *);				/* readable: something is held */
/* Never waits. 1: *e is held until dt_gate_answer(); 0: nothing is; -errno: the helper is gone. */
int dt_gate_next(struct dt_gate *, struct dt_gate_event *);
/* Lets it go on; known: the file need not be held again */
void dt_gate_answer(struct dt_gate *, const struct dt_gate_event *, bool known);

#endif
