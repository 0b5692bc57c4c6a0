/* SPDX-License-Identifier: BSD-2-Clause */
/* How a forked child is cut off from its parent: descriptors, signals, rights, memory. */
#ifndef DT_BASE_CHILD_H
#define DT_BASE_CHILD_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* Opens /dev/null; in a root without it a pipe at its end, not writable. < 0: no descriptors are left. */
int dt_child_null(void);

/*
 * Detaches a long-lived forked child from its parent. The sockets (at most 8) become descriptors 3 and up,
 * in their order; 0 to 2 are dt_child_null(), all others are closed. The child has a session of its own, so
 * that no signal of a terminal ends it, and ends with the parent's thread. All signals but SIGXCPU are
 * blocked. False: the child has to exit at once.
 */
bool dt_child_leave(const int *socks, int n, int parent, const char *name);

/*
 * Gives up the child's user, groups, capabilities and the ways to regain them. The kernel then clears
 * PR_SET_PDEATHSIG: the child no longer ends with its parent by itself. False: the child has to exit.
 */
bool dt_child_drop_rights(void);

/*
 * Maps memory that is shared with programs in the kernel, as mmap(2) does, at `where` unless that is NULL; or
 * MAP_FAILED. Forked children do not inherit it: copying the mapping takes long, and a child that hangs would
 * keep the maps of those programs alive.
 */
void *dt_map_nofork(int fd, off_t off, size_t len, int prot, void *where);

#endif
