/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the descriptors of a process lead to. The names come from the kernel when a call gives a descriptor,
 * and from /proc for those that were there before, so they are right when a process has long ended.
 */
#ifndef DT_CMD_DTRUSS_FILES_H
#define DT_CMD_DTRUSS_FILES_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct call;
struct files;

/* How much the names of all processes take; the limit is in files.c. */
struct files_memory { size_t used; bool full; };

/* Of a process as it is now; NULL: out of memory. The memory outlives it. */
struct files *files_of(pid_t, struct files_memory *);
struct files *files_copy(struct files *, pid_t);	/* for a process that was forked; NULL gives NULL */
struct files *files_share(struct files *);		/* for a thread */
void files_release(struct files *);

const char *files_known(struct files *, int fd);	/* NULL: not known */
const char *files_name(struct files *, int fd);		/* the same, /proc is read if it is not known */
const char *files_cwd(struct files *);
/* Takes over what a call that succeeded has changed. */
void files_after(struct files *, const struct call *);

#endif
