/* SPDX-License-Identifier: BSD-2-Clause */
/* A child calls these between fork() and its loop; the parent calls dt_map_nofork(). */
#include "base/child.h"

#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { SOCKETS_MAX = 8 };

int dt_child_null(void)
{
	int fd = open("/dev/null", O_RDWR | O_CLOEXEC), ends[2];

	if (fd < 0 && pipe2(ends, O_CLOEXEC) == 0) {
		close(ends[1]);
		fd = ends[0];
	}
	return fd;
}

bool dt_child_leave(const int *socks, int n, int parent, const char *name)
{
	int null = dt_child_null(), high[SOCKETS_MAX];
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

void *dt_map_nofork(int fd, off_t off, size_t len, int prot, void *where)
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
 * the user is `nobody`.
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
bool dt_child_drop_rights(void)
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct none[2] = { 0 };

	(void)!setgroups(0, NULL);
	change_user();
	return syscall(SYS_capset, &head, none) == 0 && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0;
}
