/* SPDX-License-Identifier: BSD-2-Clause */
/* Messages between our own processes over a socket (SOCK_SEQPACKET), with descriptors (SCM_RIGHTS). */
#ifndef DT_BASE_SENDFD_H
#define DT_BASE_SENDFD_H

#include <stdbool.h>
#include <stddef.h>

enum { DT_SENDFD_MAX = 8 };		/* descriptors of a message */

bool dt_sendfd_send(int sock, const void *bytes, size_t len, const int *fds, int nfds);
/*
 * Waits for a message, subject to the socket's receive timeout. Returns its length; 0: the peer has closed
 * the socket; -errno, also -EINTR. `fds` has room for DT_SENDFD_MAX descriptors, which the caller has to
 * close; they are close-on-exec.
 */
long dt_sendfd_receive(int sock, void *bytes, size_t max, int *fds, int *nfds);

#endif
