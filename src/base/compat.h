/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Numbers of system calls made by 32-bit programs → those of this machine; tools/compat-table makes the
 * table when we build.
 */
#ifndef DT_BASE_COMPAT_H
#define DT_BASE_COMPAT_H

#include <stdint.h>

#define DT_COMPAT_NONE 0xffff		/* no call here does its work */

extern const uint16_t dt_compat_syscalls[];
/* what 32-bit programs call them; NULL where there is DT_COMPAT_NONE */
extern const char *const dt_compat_names[];
extern const uint32_t dt_ncompat_syscalls;

#endif
