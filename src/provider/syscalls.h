/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The system calls of the machine we are built for. tools/syscall-table generates the list during
 * the build, from table/syscalls.def and the headers.
 */
#ifndef DT_PROVIDER_SYSCALLS_H
#define DT_PROVIDER_SYSCALLS_H

#include "base/arena.h"

#include <stdbool.h>
#include <stdint.h>

struct dt_syscall {
	char name[28];			/* "openat"; a pointer takes 32 bytes with its relocation */
	uint16_t number;
	uint8_t flags;			/* DT_SYSCALL_* */
};
#define DT_SYSCALL_NO_RETURN 1
#define DT_SYSCALL_RETURNS_TWICE 2

extern const struct dt_syscall dt_syscalls[];	/* by name; one without name ends */

struct dt_types;
/* Types of its arguments; NULL: not known. */
struct dt_probe_sig *dt_syscall_arguments(struct dt_arena *, struct dt_types *, const char *name);

/*
 * The kernel functions that implement the call, for 64-bit and for 32-bit programs. Some may serve
 * other calls too, so the number still decides. False: not all are known, or a call returns elsewhere
 * (the child of fork()).
 */
struct dt_names { DT_VEC(const char *) list; };
bool dt_syscall_functions(struct dt_arena *, struct dt_types *, uint32_t number, bool ret, struct dt_names *);
/* The name of the call's function in the kernel if it differs from the call's; otherwise NULL. */
const char *dt_syscall_kernel_name(const char *name);

#endif
