/* SPDX-License-Identifier: BSD-2-Clause */
/* The system calls of the machine we are built for: tools/syscall-table makes the table when we build. */
#ifndef DT_SYSCALLS_H
#define DT_SYSCALLS_H

#include <stdint.h>

struct dt_syscall {
	const char *name;		/* "openat" */
	uint32_t number;
};

extern const struct dt_syscall dt_syscalls[];	/* by name; one without name ends */

struct dt_arena;
struct dt_types;
/* Types of its arguments; NULL: not known. */
struct dt_probe_sig *dt_syscall_arguments(struct dt_arena *, struct dt_types *, const char *name);

#endif
