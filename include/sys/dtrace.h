/* SPDX-License-Identifier: BSD-2-Clause */
/* Where other systems keep what consumers share with their kernel. Here it is all in <dtrace.h>. */
#ifndef _SYS_DTRACE_H
#define _SYS_DTRACE_H

#include <dtrace.h>

#endif
