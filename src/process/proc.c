/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Starts and holds processes, or grabs running ones; notices their end; ends those we started when we
 * end.
 */
#include "process/proc.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define INIT_PIDNS 0xeffffffcu		/* PROC_PID_INIT_INO: part of the kernel's interface since 3.8 */
#define OPTIONS (PTRACE_O_EXITKILL | PTRACE_O_TRACEEXEC | PTRACE_O_TRACESYSGOOD)

static int write_error(char *msg, size_t len, int err, const char *what)
{
	snprintf(msg, len, "%s%s%s", what, *what ? ": " : "", strerror(err));
	return -err;
}

bool dt_proc_pids_global(void)
{
	uint64_t ino;

	return !dt_proc_pid_namespace(&ino);
}

bool dt_proc_pid_namespace(uint64_t *ino)
{
	struct stat st;

	if (stat("/proc/self/ns/pid", &st) != 0 || st.st_ino == INIT_PIDNS)
		return false;
	*ino = st.st_ino;
	return true;
}

/* ---- the child ---- */

/*
 * Runs after fork, so it may only make calls that are safe there. Errors go through the pipe, which
 * exec closes.
 */
static _Noreturn void run_child(const char *file, char *const argv[], char *const envp[], int pipe,
    pid_t parent)
{
	int err;

	/* If we die after it was released, it dies too; the keeper sees to those whose user changes. */
	if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || getppid() != parent ||
	    ptrace(PTRACE_TRACEME, 0, NULL, NULL) != 0) {
		err = errno;
	} else {
		raise(SIGSTOP);		/* so that the parent can set the options */
		execvpe(file, argv, envp);
		err = errno;
	}
	(void)!write(pipe, &err, sizeof(err));
	_exit(127);
}

/* The pid may be another process's from now on: nothing may be sent to it. */
static void mark_ended(struct dt_proc *p, int status)
{
	p->gone = true;
	p->held = false;
	p->status = status;
}

bool dt_proc_wait(struct dt_proc *p, int request, int *status)
{
	long sig = 0;

	for (;;) {
		if (ptrace(request, p->pid, NULL, sig) != 0 && errno != ESRCH)
			return false;
		while (waitpid(p->pid, status, __WALL) < 0)
			if (errno != EINTR) {
				mark_ended(p, 0);
				return false;
			}
		if (!WIFSTOPPED(*status)) {
			mark_ended(p, *status);
			return false;
		}
		sig = WSTOPSIG(*status);
		if (*status >> 16 != 0 || sig == SIGTRAP || sig == (SIGTRAP | 0x80))
			return true;
	}
}

/*
 * Runs from the first stop to the end of execve(2), whose return has then passed as far as tracing
 * sees.
 */
static bool to_exec(struct dt_proc *p)
{
	int status;

	while (waitpid(p->pid, &status, __WALL) < 0)
		if (errno != EINTR)
			return false;
	if (!WIFSTOPPED(status)) {
		mark_ended(p, status);
		return false;
	}
	if (ptrace(PTRACE_SETOPTIONS, p->pid, NULL, (void *)(uintptr_t)OPTIONS) != 0)
		return false;
	if (!dt_proc_wait(p, PTRACE_CONT, &status))
		return false;
	return status >> 8 != (SIGTRAP | PTRACE_EVENT_EXEC << 8) || dt_proc_wait(p, PTRACE_SYSCALL, &status);
}

/* Says why the process did not start: its own error, a signal, or ptrace. */
static int not_started(struct dt_proc *p, int pipe, char *msg, size_t len)
{
	struct dt_proc was = *p;
	int err;

	dt_proc_close(p);	/* now no one holds the other end of the pipe, so read() cannot block */
	if (read(pipe, &err, sizeof(err)) != (ssize_t)sizeof(err))
		err = 0;
	close(pipe);
	if (err != 0)
		return write_error(msg, len, err, "");
	if (was.gone && WIFSIGNALED(was.status)) {
		snprintf(msg, len, "ended by signal %d (%s) before it began", WTERMSIG(was.status),
		    strsignal(WTERMSIG(was.status)));
		return -ECHILD;
	}
	return write_error(msg, len, EPERM, "cannot hold it before it runs");
}

int dt_proc_start(struct dt_proc *p, const char *file, char *const argv[], char *const envp[],
    enum dt_proc_stop where, char *msg, size_t len)
{
	pid_t parent = getpid();
	int ends[2], err = 0;

	*p = (struct dt_proc){ .fd = -1, .child = true, .held = true, .keeper.fd = -1 };
	if (pipe2(ends, O_CLOEXEC) != 0)
		return write_error(msg, len, errno, "cannot make a pipe");
	p->pid = fork();
	if (p->pid == 0)
		run_child(file, argv, envp, ends[1], parent);
	close(ends[1]);
	if (p->pid < 0) {
		err = errno;
		close(ends[0]);
		return write_error(msg, len, err, "cannot fork");
	}
	p->fd = (int)syscall(SYS_pidfd_open, p->pid, 0);
	/* one that cannot be brought to its place may have a breakpoint in it: it does not go on */
	if (p->fd < 0 || dt_keeper_start(&p->keeper, p->fd) != 0 || !to_exec(p) ||
	    (where != DT_PROC_AT_EXEC && !dt_proc_run_to(p, where) && !p->gone))
		return not_started(p, ends[0], msg, len);
	close(ends[0]);
	return 0;
}

/* ---- a process that is there ---- */

/* Only a pidfd: a running process is not stopped. */
int dt_proc_grab(struct dt_proc *p, pid_t pid, char *msg, size_t len)
{
	*p = (struct dt_proc){ .pid = pid, .fd = (int)syscall(SYS_pidfd_open, pid, 0), .keeper.fd = -1 };
	if (p->fd >= 0)
		return 0;
	/* EINVAL, since 6.9 ENOENT: a thread that is not the first of its process */
	if ((errno == EINVAL || errno == ENOENT) && kill(pid, 0) == 0)
		return write_error(msg, len, EINVAL, "it is a thread, not a process");
	return write_error(msg, len, errno, "");
}

/* ---- both ---- */

/* A process that cannot be let go would be held for ever, and the trace would wait for its end. */
void dt_proc_continue(struct dt_proc *p)
{
	if (p->held && !p->gone && ptrace(PTRACE_DETACH, p->pid, NULL, NULL) != 0 && errno != ESRCH)
		(void)kill(p->pid, SIGKILL);
	p->held = false;
}

static bool readable(int fd, int ms)
{
	struct pollfd f = { .fd = fd, .events = POLLIN };

	return poll(&f, 1, ms) > 0;
}

/*
 * A process that is held by ptrace cannot end by itself. For a child the status is fetched, which
 * releases its pid; for others the pidfd alone tells.
 */
bool dt_proc_ended(struct dt_proc *p)
{
	int status = 0, got;

	if (p->gone || p->held)
		return p->gone;
	if (!readable(p->fd, 0))
		return false;
	got = p->child ? waitpid(p->pid, &status, WNOHANG) : p->pid;
	if (got == 0 || (got < 0 && errno == EINTR))
		return false;
	mark_ended(p, status);
	return true;
}

/* A child that does not die within two seconds is left to init when we end. */
void dt_proc_close(struct dt_proc *p)
{
	int status;

	if (p->child && !p->gone && p->pid > 0 && kill(p->pid, SIGKILL) == 0) {
		/* a process inside a driver dies only when the driver lets it: we do not wait longer */
		if (p->fd < 0 || readable(p->fd, 2000))
			(void)waitpid(p->pid, &status, __WALL);
	}
	dt_keeper_end(&p->keeper);
	if (p->fd >= 0)
		close(p->fd);
	*p = (struct dt_proc){ .fd = -1, .gone = true, .keeper.fd = -1 };
}
