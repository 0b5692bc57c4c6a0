/* SPDX-License-Identifier: BSD-2-Clause */
/* Descriptors go with a message as SCM_RIGHTS. A message is taken whole or not at all. */
#include "base/pass.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

union room { struct cmsghdr head; char bytes[CMSG_SPACE(DT_PASS_FDS * sizeof(int))]; };

bool dt_pass_send(int sock, const void *bytes, size_t len, const int *fds, int nfds)
{
	union room room = { .head = { .cmsg_len = CMSG_LEN((size_t)nfds * sizeof(int)),
				.cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS } };
	struct iovec v = { (void *)(uintptr_t)bytes, len };
	struct msghdr m = { .msg_iov = &v, .msg_iovlen = 1 };
	ssize_t n;

	if (nfds > 0) {
		memcpy(CMSG_DATA(&room.head), fds, (size_t)nfds * sizeof(int));
		m.msg_control = room.bytes;
		m.msg_controllen = CMSG_SPACE((size_t)nfds * sizeof(int));
	}
	do {
		n = sendmsg(sock, &m, MSG_NOSIGNAL);
	} while (n < 0 && errno == EINTR);
	return n == (ssize_t)len;
}

long dt_pass_receive(int sock, void *bytes, size_t max, int *fds, int *nfds)
{
	union room room;
	struct iovec v = { bytes, max };
	struct msghdr m = { .msg_iov = &v, .msg_iovlen = 1, .msg_control = room.bytes,
		.msg_controllen = sizeof(room.bytes) };
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

bool dt_pass_leave(const int *socks, int n, int parent, const char *name)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC), high[DT_PASS_FDS];
	sigset_t blocked;

	sigfillset(&blocked);
	sigdelset(&blocked, SIGXCPU);
	setsid();
	signal(SIGXCPU, SIG_DFL);
	sigprocmask(SIG_SETMASK, &blocked, NULL);
	for (int i = 0; i < n; i++)	/* out of the way first: one may be what another is to become */
		if ((high[i] = fcntl(socks[i], F_DUPFD, 3 + n)) < 0)
			return false;
	for (int fd = 0; fd < 3; fd++)
		if (null < 0 || dup2(null, fd) < 0)
			return false;
	for (int i = 0; i < n; i++)
		if (dup2(high[i], 3 + i) < 0)
			return false;
	if (close_range((unsigned)(3 + n), ~0u, 0) != 0)
		return false;
	prctl(PR_SET_NAME, name, 0, 0, 0);
	prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
	return getppid() == parent;	/* or it has ended before that */
}

void *dt_pass_map(int fd, off_t off, size_t len, int prot, void *where)
{
	void *at = mmap(where, len, prot, MAP_SHARED | (where != NULL ? MAP_FIXED : 0), fd, off);

	if (at != MAP_FAILED)
		(void)madvise(at, len, MADV_DONTFORK);
	return at;
}

/*
 * A user of this process alone, so that no other process may send it signals, stop it or read it: `nobody`
 * is the user of many. The range lies above those of distributions, directory services and containers
 * (systemd's end at 0x6fffffff, sssd's at 2000200000) and below 2^31. Where the namespace has no such user,
 * it is nobody after all.
 */
static void change_user(void)
{
	enum { FIRST = 0x7fb00000, PIDS = 1 << 22, NOBODY = 65534 };
	uid_t own = FIRST + (uid_t)getpid() % PIDS;

	if (setresgid(own, own, own) != 0 || setresuid(own, own, own) != 0) {
		(void)!setresgid(NOBODY, NOBODY, NOBODY);
		(void)!setresuid(NOBODY, NOBODY, NOBODY);
	}
}

/*
 * Which parts of this work depends on who the tracer is: an ordinary user has no more to give up.
 * Capabilities go last and must go, as they would make the rest worthless.
 */
bool dt_pass_drop_rights(void)
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct none[2] = { 0 };

	(void)!setgroups(0, NULL);
	change_user();
	return syscall(SYS_capset, &head, none) == 0 && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0;
}
