/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Runs a command by /bin/sh and waits for it, as system(3) does, with two differences: the caller's work goes
 * on while the command runs, and signals are not ignored meanwhile.
 */
#ifndef DT_PROCESS_SHELL_H
#define DT_PROCESS_SHELL_H

#include <stdbool.h>

/* Called while the command runs, from the calling thread. */
struct dt_shell_ops {
	void *ctx;
	int fd;				/* work() is due when it is readable; -1: none */
	int every_ms;			/* and this often in any case */
	void (*work)(void *ctx);
	bool (*interrupted)(void *ctx);	/* the wait is to end soon */
};

/*
 * 0: it was run, whatever its exit status, or the wait was interrupted; -errno: it could not be started.
 * After an interruption the command has DT_SHELL_GRACE_MS to end by itself (a terminal has signalled it too),
 * is sent SIGTERM then, and runs on unattended if it has not ended after the same time once more.
 */
enum { DT_SHELL_GRACE_MS = 500 };
int dt_shell_run(const char *command, const struct dt_shell_ops *);

#endif
