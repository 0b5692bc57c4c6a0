/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a process of ours that reads untrusted input gives up besides its rights (dt_child_drop_rights(),
 * which comes first): all files but those it has or is handed (Landlock), and all system calls but those it
 * names (seccomp). On kernels without one of the two, that one is skipped.
 */
#ifndef DT_BASE_BOX_H
#define DT_BASE_BOX_H

#include <stddef.h>
#include <stdint.h>

enum { DT_BOX_CALLS_MAX = 48 };		/* that can be named */

void dt_box_files(void);
/*
 * `arch` is AUDIT_ARCH_*. The calls of memory are always permitted, but for memory that can be executed. A
 * call that is not permitted fails with EPERM.
 */
void dt_box_calls(uint32_t arch, const int *calls, size_t n);

#endif
