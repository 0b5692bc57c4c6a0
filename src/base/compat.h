/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Numbers of system calls made by 32-bit programs, mapped to those of this machine. tools/syscall-table
 * generates the table during the build.
 */
#ifndef DT_BASE_COMPAT_H
#define DT_BASE_COMPAT_H

#include <stdint.h>

#define DT_COMPAT_NONE 0xffff		/* no call of this machine does the same */

extern const uint16_t dt_compat_syscalls[];
/* The names for 32-bit programs, one after the other, each with its NUL; "" for DT_COMPAT_NONE */
extern const char dt_compat_names[];
extern const uint32_t dt_ncompat_syscalls;

#endif
