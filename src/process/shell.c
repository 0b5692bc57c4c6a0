/* SPDX-License-Identifier: BSD-2-Clause */
/* The command belongs to our process group: it may use the terminal, and Ctrl-C reaches it as well as us. */
#include "process/shell.h"

#include "base/clock.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* The shell with the signal mask `mask`, which is that of our thread before it blocked SIGCHLD. */
static int start_shell(const char *command, const sigset_t *mask, pid_t *pid)
{
	char *argv[] = { "sh", "-c", "--", (char *)command, NULL };
	posix_spawnattr_t attr;
	int err = posix_spawnattr_init(&attr);

	if (err != 0)
		return -err;
	err = posix_spawnattr_setsigmask(&attr, mask);
	if (err == 0)
		err = posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGMASK);
	if (err == 0)
		err = posix_spawn(pid, "/bin/sh", NULL, &attr, argv, environ);
	posix_spawnattr_destroy(&attr);
	return -err;
}

/* Also true if it was reaped elsewhere (a caller that ignores SIGCHLD). */
static bool has_ended(pid_t pid)
{
	pid_t got = waitpid(pid, NULL, WNOHANG);

	return got == pid || (got < 0 && errno != EINTR);
}

/* Waits for the end of the shell. False: it was interrupted and the shell still runs. */
static bool wait_for_end(pid_t pid, const struct dt_shell_ops *ops)
{
	struct pollfd p[2] = { { .fd = (int)syscall(SYS_pidfd_open, pid, 0), .events = POLLIN },
		{ .fd = ops->fd, .events = POLLIN } };
	uint64_t since = 0;		/* the interruption; 0: none yet */
	bool ended = false, asked = false;

	while (!ended) {
		uint64_t now = dt_clock_ns();

		if (since == 0 && ops->interrupted(ops->ctx))
			since = now;
		if (since != 0 && now - since > 2 * DT_SHELL_GRACE_MS * UINT64_C(1000000))
			break;
		if (since != 0 && !asked && now - since > DT_SHELL_GRACE_MS * UINT64_C(1000000))
			asked = kill(pid, SIGTERM) == 0;
		if (poll(p, 2, ops->every_ms) >= 0 && p[1].revents & (POLLERR | POLLHUP | POLLNVAL))
			p[1].fd = -1;
		ended = has_ended(pid);
		ops->work(ops->ctx);
	}
	if (p[0].fd >= 0)
		close(p[0].fd);
	return ended;
}

/*
 * SIGCHLD is blocked as by system(3): a handler of the caller that waits for any child must not take ours.
 */
int dt_shell_run(const char *command, const struct dt_shell_ops *ops)
{
	sigset_t child, old;
	pid_t pid;
	int err;

	sigemptyset(&child);
	sigaddset(&child, SIGCHLD);
	pthread_sigmask(SIG_BLOCK, &child, &old);
	err = start_shell(command, &old, &pid);
	if (err == 0)
		(void)wait_for_end(pid, ops);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	return err;
}
