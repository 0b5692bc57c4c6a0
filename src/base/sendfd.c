/* SPDX-License-Identifier: BSD-2-Clause */
/* A message is received whole or not at all. */
#include "base/sendfd.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>

union control { struct cmsghdr head; char bytes[CMSG_SPACE(DT_SENDFD_MAX * sizeof(int))]; };

bool dt_sendfd_send(int sock, const void *bytes, size_t len, const int *fds, int nfds)
{
	union control control = { .head = { .cmsg_len = CMSG_LEN((size_t)nfds * sizeof(int)),
				.cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS } };
	struct iovec v = { (void *)(uintptr_t)bytes, len };
	struct msghdr m = { .msg_iov = &v, .msg_iovlen = 1 };
	ssize_t n;

	if (nfds > 0) {
		memcpy(CMSG_DATA(&control.head), fds, (size_t)nfds * sizeof(int));
		m.msg_control = control.bytes;
		m.msg_controllen = CMSG_SPACE((size_t)nfds * sizeof(int));
	}
	do {
		n = sendmsg(sock, &m, MSG_NOSIGNAL);
	} while (n < 0 && errno == EINTR);
	return n == (ssize_t)len;
}

long dt_sendfd_receive(int sock, void *bytes, size_t max, int *fds, int *nfds)
{
	union control control;
	struct iovec v = { bytes, max };
	struct msghdr m = { .msg_iov = &v, .msg_iovlen = 1, .msg_control = control.bytes,
		.msg_controllen = sizeof(control.bytes) };
	struct cmsghdr *h;
	ssize_t n;

	*nfds = 0;
	n = recvmsg(sock, &m, MSG_CMSG_CLOEXEC);
	if (n < 0)
		return -errno;
	h = CMSG_FIRSTHDR(&m);
	if (h != NULL && h->cmsg_level == SOL_SOCKET && h->cmsg_type == SCM_RIGHTS) {
		*nfds = (int)((h->cmsg_len - CMSG_LEN(0)) / sizeof(int));
		memcpy(fds, CMSG_DATA(h), (size_t)*nfds * sizeof(int));
	}
	return m.msg_flags & MSG_TRUNC ? -EMSGSIZE : n;
}
