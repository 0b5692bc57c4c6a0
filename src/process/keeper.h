/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A process that does nothing but outlive us: it ends the command we started when we are gone, however that
 * came about. The kernel's own means (PR_SET_PDEATHSIG) is cleared when a command changes its user.
 */
#ifndef DT_PROCESS_KEEPER_H
#define DT_PROCESS_KEEPER_H

#include <sys/types.h>

struct dt_keeper {
	pid_t pid;
	int fd;			/* it ends once we close this, or end; -1: there is none */
};

/* Watches over the process of a pidfd. 0, or -errno. */
int dt_keeper_start(struct dt_keeper *, int pidfd);
/* What it watched over is killed, if it still runs. */
void dt_keeper_end(struct dt_keeper *);

#endif
