/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Messages between processes of ours over a socket (SOCK_SEQPACKET), with descriptors; and how a forked
 * child takes leave of its parent, and what it never gets.
 */
#ifndef DT_BASE_PASS_H
#define DT_BASE_PASS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum { DT_PASS_FDS = 8 };		/* descriptors of a message */

bool dt_pass_send(int sock, const void *bytes, size_t len, const int *fds, int nfds);
/*
 * Waits for a message, as long as the socket says. Its length; 0: the other side has closed; -errno, also
 * -EINTR. Room for DT_PASS_FDS descriptors, which are the caller's and closed by exec.
 */
long dt_pass_receive(int sock, void *bytes, size_t max, int *fds, int *nfds);

/*
 * For a forked child that stays: nothing of the parent may live on in it. The sockets become descriptors 3
 * and up, in their order; 0 to 2 are /dev/null, all others are closed. It has a session of its own, so
 * that no signal of a terminal ends it, and ends with the parent's thread. Only SIGXCPU is not blocked.
 * False: it has to end at once.
 */
bool dt_pass_leave(const int *socks, int n, int parent, const char *name);

/*
 * For such a child: identity, capabilities and the ways to regain them are given up. It then no longer ends
 * with its parent by itself (PR_SET_PDEATHSIG). False: it has to end.
 */
bool dt_pass_drop_rights(void);

/*
 * Memory that programs in the kernel share, as by mmap(2), at `where` unless that is NULL; MAP_FAILED. No
 * forked child has it: copying takes long, and one that hangs would keep those programs' maps alive.
 */
void *dt_pass_map(int fd, off_t off, size_t len, int prot, void *where);

#endif
