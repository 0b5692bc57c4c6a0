/* SPDX-License-Identifier: BSD-2-Clause */
/* The control groups of this machine (version 2), and word of new ones. */
#ifndef DT_PROCESS_CGROUP_H
#define DT_PROCESS_CGROUP_H

#include <stdbool.h>
#include <stdint.h>

struct dt_cgroups;

/*
 * root: where the files of the machine are, "" if they are where they belong. 0; -ENOENT: no control groups
 * of version 2 are mounted; -EXDEV: those that are mounted are a part of them, as in a container; or -errno.
 */
int dt_cgroups_open(const char *root, struct dt_cgroups **);
void dt_cgroups_close(struct dt_cgroups *);	/* NULL is fine */
const char *dt_cgroups_path(const struct dt_cgroups *);		/* where they are mounted */
bool dt_cgroups_alone(const struct dt_cgroups *);	/* no groups of version 1 beside them */

/* One of them: its path below the root begins with /. level: how many are above it. */
struct dt_cgroup_dir { const char *path, *name; uint64_t id; uint32_t level; };
/* False ends the walk into what is below this one. */
typedef bool dt_cgroups_f(void *ctx, const struct dt_cgroup_dir *);
/* Each but the root; those that are walked are watched from then on. */
void dt_cgroups_walk(struct dt_cgroups *, dt_cgroups_f *, void *ctx);
/* A descriptor that can be read when a group was made or removed since; -1: none can be watched */
int dt_cgroups_fd(const struct dt_cgroups *);
bool dt_cgroups_changed(struct dt_cgroups *);	/* takes that note */

#endif
