/* SPDX-License-Identifier: BSD-2-Clause */
/* -W: the first process of a name that begins after we were asked. */
#ifndef DTRACE_WAITFOR_H
#define DTRACE_WAITFOR_H

/* Its pid, or 0 after a message or when a signal to stop came. */
long waitfor_name(const char *name);

#endif
