/* SPDX-License-Identifier: BSD-2-Clause */
/* The kernel's list of trace events. */
#ifndef DT_KERNEL_TRACEFS_H
#define DT_KERNEL_TRACEFS_H

/*
 * Calls f with the group and name of every trace event, groups in alphabetical order. If tracefs is not
 * mounted, it is mounted for this call alone, invisible to others. 0, f's first non-zero value, or
 * -errno.
 */
typedef int dt_tracefs_f(void *ctx, const char *group, const char *event);
int dt_tracefs_each(dt_tracefs_f *, void *ctx);
/*
 * Opens a file or directory of tracefs, wherever that is mounted, or through a mount that ends with the
 * descriptor. Or -errno.
 */
int dt_tracefs_open(const char *name, int flags);

#endif
