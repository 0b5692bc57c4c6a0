/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * --hosts: other machines trace, by the command dtrace-fleet, so that dtrace needs no library of the bus. Its
 * standard output, one recording of all hosts, becomes our standard input.
 */
#ifndef DTRACE_FLEET_H
#define DTRACE_FLEET_H

#include "args.h"

#include <sys/types.h>

struct fleet { pid_t pid; };

/* 0, or the status to exit with after a message. With -l it does not come back unless it fails. */
int fleet_begin(struct fleet *, const struct args *);
/* The status to exit with: ours, unless dtrace-fleet says more. */
int fleet_end(struct fleet *, int status);

#endif
