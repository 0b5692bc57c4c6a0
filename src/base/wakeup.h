/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Waiting for several descriptors and for an event of one's own: an epoll, which callers may poll, and an
 * eventfd in it. A descriptor wakes by edges: a level would stay for as long as a record is unread.
 */
#ifndef DT_BASE_WAKEUP_H
#define DT_BASE_WAKEUP_H

#include <stdint.h>

/* 0 or -errno; both are -1 or the caller's to close, also after an error. */
int dt_wakeup_open(int *epoll, int *event);
/* The descriptor wakes too; it stays the caller's. 0 or -errno. */
int dt_wakeup_add(int epoll, int fd);
/*
 * Takes what woke us. 1: something did, which need not be a record; 0: the time is over; -EINTR: a
 * signal.
 */
int dt_wakeup_wait(int epoll, int event, uint64_t timeout_ns);

#endif
