/* SPDX-License-Identifier: BSD-2-Clause */
/* The keeper makes system calls alone: it is a copy of a process that may have had other threads. */
#include "process/keeper.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* Nothing of ours may live on in it; a terminal's signals are not for it. */
static _Noreturn void watch(int pipe, int pidfd)
{
	struct pollfd f[2] = { { .fd = pipe, .events = POLLIN }, { .fd = pidfd, .events = POLLIN } };
	unsigned low = (unsigned)(pipe < pidfd ? pipe : pidfd);
	unsigned high = (unsigned)(pipe < pidfd ? pidfd : pipe);

	setsid();
	prctl(PR_SET_NAME, "dtrace-keeper", 0, 0, 0);
	if (low > 0)
		close_range(0, low - 1, 0);
	if (high > low + 1)
		close_range(low + 1, high - 1, 0);
	close_range(high + 1, ~0u, 0);
	while (poll(f, 2, -1) < 0 && errno == EINTR)
		;
	if (f[1].revents == 0)
		(void)syscall(SYS_pidfd_send_signal, pidfd, SIGKILL, NULL, 0);
	_exit(0);
}

int dt_keeper_start(struct dt_keeper *k, int pidfd)
{
	sigset_t all, old;
	int ends[2], err;

	*k = (struct dt_keeper){ .fd = -1 };
	if (pipe2(ends, O_CLOEXEC) != 0)
		return -errno;
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, &old);
	/* without a signal at its end: a caller that waits for its own children does not see it */
	k->pid = (pid_t)syscall(SYS_clone, 0, NULL, NULL, NULL, NULL);
	err = errno;
	if (k->pid == 0)
		watch(ends[0], pidfd);
	sigprocmask(SIG_SETMASK, &old, NULL);
	close(ends[0]);
	if (k->pid < 0) {
		close(ends[1]);
		return -err;
	}
	k->fd = ends[1];
	return 0;
}

void dt_keeper_end(struct dt_keeper *k)
{
	if (k->fd < 0)
		return;
	close(k->fd);
	while (waitpid(k->pid, NULL, __WALL) < 0 && errno == EINTR)
		;
	k->fd = -1;
}
