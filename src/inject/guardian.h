/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The guardian: a small process that outlives dtrace. When dtrace ends without dt_guardian_end() (kill -9, a
 * crash), it clears `enabled` in the shared data, so that all trampolines do nothing, and then restores each
 * process as dt_inject_restore() does. It is started before the first byte is changed, and dtrace reports
 * each change before it makes it: sites that do not have the jump are left alone.
 */
#ifndef DT_INJECT_GUARDIAN_H
#define DT_INJECT_GUARDIAN_H

#include "inject/inject.h"

struct dt_guardian;

/* data_fd: the memory of struct dt_agent; -1: none. 0 or -errno. */
int dt_guardian_start(struct dt_guardian **, int data_fd);
uint32_t dt_guardian_pid(const struct dt_guardian *);
/*
 * Before its first stop: a thread that system calls are made in when dtrace is killed goes on where it was.
 * Up to 64 processes; more are not watched in this way. Where Yama wants it, the process first of all allows
 * the guardian to attach: dt_guardian_allow() is for processes that are not watched.
 */
void dt_guardian_watch(struct dt_guardian *, struct dt_inject *);
/* Adds to what is known of a process; what the arrays have is copied. 0 or -errno: the guardian is gone. */
int dt_guardian_add(struct dt_guardian *, uint32_t pid, const struct dt_inject_undo *);
/* Forgets all of a process: it is restored, or gone. */
int dt_guardian_remove(struct dt_guardian *, uint32_t pid);
/*
 * Stopped: lets the guardian attach where Yama (ptrace_scope 1) allows that to ancestors alone; or no longer.
 */
void dt_guardian_allow(struct dt_guardian *, struct dt_inject *, bool);
/* It ends without doing anything. NULL is fine. */
void dt_guardian_end(struct dt_guardian *);

#endif
