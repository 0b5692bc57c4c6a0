/* SPDX-License-Identifier: BSD-2-Clause */
/* Commands of ours that are programs of their own (dtrace-web, dtrace-fleet). */
#ifndef DT_CMD_COMMON_BESIDE_H
#define DT_CMD_COMMON_BESIDE_H

#include <stdbool.h>

/* Is it there: beside this program, where it was built, or in sbin, where it is installed? */
bool beside_has(const char *name);
/* Becomes that program. -1: it is not there; 1 after a message: it cannot be run. */
int beside_exec(const char *name, char **argv);

#endif
