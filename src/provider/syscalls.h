/* SPDX-License-Identifier: BSD-2-Clause */
/* The system calls of the machine we are built for: tools/syscall-table makes the table when we build. */
#ifndef DT_PROVIDER_SYSCALLS_H
#define DT_PROVIDER_SYSCALLS_H

#include "base/arena.h"

#include <stdbool.h>
#include <stdint.h>

struct dt_syscall {
	const char *name;		/* "openat" */
	uint32_t number;
};

extern const struct dt_syscall dt_syscalls[];	/* by name; one without name ends */

struct dt_types;
/* Types of its arguments; NULL: not known. */
struct dt_probe_sig *dt_syscall_arguments(struct dt_arena *, struct dt_types *, const char *name);

/*
 * The functions of the kernel that the call is made in, for 64-bit and for 32-bit programs: some of
 * them may serve other calls too, so the number still tells. False: they are not all known, or a call
 * returns elsewhere (the child of fork()).
 */
struct dt_names { DT_VEC(const char *) list; };
bool dt_syscall_functions(struct dt_arena *, struct dt_types *, uint32_t number, bool ret, struct dt_names *);
/* The kernel's function of the call has another name than the call; NULL: it has not. */
const char *dt_syscall_kernel_name(const char *name);

#endif
