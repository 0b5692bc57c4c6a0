/* SPDX-License-Identifier: BSD-2-Clause */
/* -W: the first process that takes this name by exec after we were asked. */
#ifndef DTRACE_WAITFOR_H
#define DTRACE_WAITFOR_H

/* Its pid, or 0 after a message or when a signal to stop came. */
long waitfor_name(const char *name);

#endif
