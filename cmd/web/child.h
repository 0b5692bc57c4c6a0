/* SPDX-License-Identifier: BSD-2-Clause */
/* Workers as processes: started, read and ended. */
#ifndef DT_CMD_WEB_CHILD_H
#define DT_CMD_WEB_CHILD_H

#include "wish.h"

#include <stddef.h>
#include <sys/types.h>

struct child {
	pid_t pid;
	int out;			/* what it writes */
};

/*
 * Starts `dtrace-web --worker mode` with the words of the command line. `pid` (or NULL) takes the place of
 * -p and -c. The text is its standard input. 0, or -1 with errno.
 */
int child_start(struct child *, const struct wish *, const char *mode, const char *pid, const char *text,
    size_t len);
/* All that it writes, until it ends; NULL: it took too long, wrote too much, or could not be started. */
char *child_ask(const struct wish *, const char *mode, const char *pid, const char *text, size_t len);
/* Asks it to end; kills it if it does not. */
void child_end(struct child *);

#endif
