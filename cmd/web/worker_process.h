/* SPDX-License-Identifier: BSD-2-Clause */
/* Workers as processes: started, read and ended. */
#ifndef DT_CMD_WEB_WORKER_PROCESS_H
#define DT_CMD_WEB_WORKER_PROCESS_H

#include "web_args.h"

#include <stddef.h>
#include <sys/types.h>

struct child {
	pid_t pid;
	int out;			/* what it writes */
	int stream;			/* what it writes to STREAM_FD; -1 none */
	int hosts;			/* and to HOSTS_FD; -1 none */
};

#define STREAM_FD 3			/* where a worker that traces writes its recording */
#define HOSTS_FD 4			/* and those of single hosts (hosts.h) */

/*
 * Starts `dtrace-web --worker mode` with the words of the command line. `pid` (or NULL) takes the place of
 * -p and -c. The text is its standard input. A worker that traces has a pipe for its recording. 0, or -1
 * with errno.
 */
int child_start(struct child *, const struct args *, const char *mode, const char *pid, const char *text,
    size_t len);
/* All that it writes, until it ends; NULL: it took too long, wrote too much, or could not be started. */
char *child_ask(const struct args *, const char *mode, const char *pid, const char *text, size_t len);
/* Asks it to end; kills it if it does not. */
void child_end(struct child *);

#endif
