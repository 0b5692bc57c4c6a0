/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Faults on purpose, preloaded into dtrace by test/tool/faults.c: calls of the C library that ask the
 * kernel for something are counted, and one of them fails, or a signal comes just before it. From the
 * environment:
 *   FAULT_AT N      the N-th call; 0 or nothing: none
 *   FAULT_SIGNAL N  that signal, in place of a failure
 *   FAULT_COUNT F   the number of calls is written into this file at the end of the program
 * Programs that dtrace starts are left alone. A child that dtrace forks goes on counting where its parent
 * was.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

static _Atomic long calls;
static long at;
static int sig, report = -1, armed;
static pid_t owner;

__attribute__((constructor)) static void begin(void)
{
	const char *n = getenv("FAULT_AT"), *s = getenv("FAULT_SIGNAL"), *f = getenv("FAULT_COUNT");

	if (strcmp(program_invocation_short_name, "dtrace") != 0)
		return;
	at = n ? atol(n) : 0;
	sig = s ? atoi(s) : 0;
	/* a number that no list of descriptors of the program reaches */
	report = f ? fcntl(open(f, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666), F_DUPFD_CLOEXEC,
	    900) : -1;
	unsetenv("LD_PRELOAD");
	owner = getpid();
	armed = 1;
}

__attribute__((destructor)) static void end(void)
{
	if (report >= 0 && getpid() == owner)
		dprintf(report, "%ld\n", (long)calls);
}

static int due(const char *name)
{
	if (!armed || ++calls != at)
		return 0;
	if (report >= 0)
		dprintf(report, "%s\n", name);
	if (!sig)
		return 1;
	if (sig == SIGSTOP && getpid() != owner)
		return 0;		/* who would tell it to go on? */
	kill(getpid(), sig);
	return 0;
}

#define CALL(result, name, params, args, bad, error) \
	result name params \
	{ \
		static result (*real) params; \
		if (!real) \
			real = (result (*) params)dlsym(RTLD_NEXT, #name); \
		if (due(#name)) { \
			errno = error; \
			return bad; \
		} \
		return real args; \
	}

CALL(ssize_t, read, (int fd, void *to, size_t n), (fd, to, n), -1, EIO)
CALL(ssize_t, pread, (int fd, void *to, size_t n, off_t off), (fd, to, n, off), -1, EIO)
CALL(ssize_t, write, (int fd, const void *from, size_t n), (fd, from, n), -1, ENOSPC)
CALL(size_t, fwrite, (const void *p, size_t size, size_t n, FILE *f), (p, size, n, f), 0, ENOSPC)
CALL(int, fflush, (FILE *f), (f), EOF, ENOSPC)
CALL(FILE *, fopen, (const char *path, const char *mode), (path, mode), NULL, EMFILE)
CALL(FILE *, fdopen, (int fd, const char *mode), (fd, mode), NULL, ENOMEM)
CALL(DIR *, opendir, (const char *path), (path), NULL, EMFILE)
CALL(int, access, (const char *path, int mode), (path, mode), -1, EACCES)
CALL(int, stat, (const char *path, struct stat *st), (path, st), -1, EACCES)
CALL(int, fstat, (int fd, struct stat *st), (fd, st), -1, EIO)
CALL(ssize_t, readlink, (const char *path, char *to, size_t n), (path, to, n), -1, EACCES)
CALL(void *, mmap, (void *p, size_t n, int prot, int flags, int fd, off_t off), (p, n, prot, flags, fd,
    off), MAP_FAILED, ENOMEM)
CALL(int, pipe2, (int *fds, int flags), (fds, flags), -1, EMFILE)
CALL(int, dup2, (int from, int to), (from, to), -1, EBUSY)
CALL(pid_t, fork, (void), (), -1, EAGAIN)
CALL(pid_t, waitpid, (pid_t pid, int *status, int flags), (pid, status, flags), -1, EINTR)
CALL(int, epoll_create1, (int flags), (flags), -1, EMFILE)
CALL(int, epoll_ctl, (int e, int op, int fd, struct epoll_event *ev), (e, op, fd, ev), -1, ENOSPC)
CALL(int, epoll_wait, (int e, struct epoll_event *ev, int n, int ms), (e, ev, n, ms), -1, EINTR)
CALL(int, poll, (struct pollfd *p, nfds_t n, int ms), (p, n, ms), -1, EINTR)
CALL(int, ppoll, (struct pollfd *p, nfds_t n, const struct timespec *ts, const sigset_t *set), (p, n, ts,
    set), -1, EINTR)
CALL(int, eventfd, (unsigned n, int flags), (n, flags), -1, EMFILE)
CALL(int, timerfd_create, (clockid_t clock, int flags), (clock, flags), -1, EMFILE)
CALL(int, timerfd_settime, (int fd, int flags, const struct itimerspec *to, struct itimerspec *was), (fd,
    flags, to, was), -1, EINVAL)
CALL(int, memfd_create, (const char *name, unsigned flags), (name, flags), -1, ENOSYS)
CALL(int, socket, (int domain, int type, int protocol), (domain, type, protocol), -1, EMFILE)
CALL(int, socketpair, (int domain, int type, int protocol, int *fds), (domain, type, protocol, fds), -1,
    EMFILE)
CALL(ssize_t, send, (int fd, const void *p, size_t n, int flags), (fd, p, n, flags), -1, ENOBUFS)
CALL(ssize_t, recv, (int fd, void *p, size_t n, int flags), (fd, p, n, flags), -1, ENOBUFS)
CALL(ssize_t, sendmsg, (int fd, const struct msghdr *m, int flags), (fd, m, flags), -1, ENOBUFS)
CALL(ssize_t, recvmsg, (int fd, struct msghdr *m, int flags), (fd, m, flags), -1, ENOBUFS)
CALL(int, fanotify_init, (unsigned flags, unsigned events), (flags, events), -1, EMFILE)
CALL(int, fanotify_mark, (int fd, unsigned flags, uint64_t mask, int dir, const char *path), (fd, flags,
    mask, dir, path), -1, ENOSPC)
CALL(int, sched_getaffinity, (pid_t pid, size_t n, cpu_set_t *set), (pid, n, set), -1, EINVAL)
CALL(int, sched_setaffinity, (pid_t pid, size_t n, const cpu_set_t *set), (pid, n, set), -1, EINVAL)
CALL(int, getrlimit, (__rlimit_resource_t what, struct rlimit *l), (what, l), -1, EFAULT)
CALL(int, setrlimit, (__rlimit_resource_t what, const struct rlimit *l), (what, l), -1, EPERM)

/* returns the error */
CALL(int, pthread_create, (pthread_t *t, const pthread_attr_t *a, void *(*f)(void *), void *arg), (t, a,
    f, arg), EAGAIN, EAGAIN)

/* ---- those with a variable number of arguments ---- */

int open(const char *path, int flags, ...)
{
	static int (*real)(const char *, int, ...);
	va_list ap;
	mode_t mode;

	va_start(ap, flags);
	mode = (mode_t)va_arg(ap, int);
	va_end(ap);
	if (!real)
		real = (int (*)(const char *, int, ...))dlsym(RTLD_NEXT, "open");
	if (due("open"))
		return errno = EMFILE, -1;
	return real(path, flags, mode);
}

int openat(int dir, const char *path, int flags, ...)
{
	static int (*real)(int, const char *, int, ...);
	va_list ap;
	mode_t mode;

	va_start(ap, flags);
	mode = (mode_t)va_arg(ap, int);
	va_end(ap);
	if (!real)
		real = (int (*)(int, const char *, int, ...))dlsym(RTLD_NEXT, "openat");
	if (due("openat"))
		return errno = EMFILE, -1;
	return real(dir, path, flags, mode);
}

int ioctl(int fd, unsigned long request, ...)
{
	static int (*real)(int, unsigned long, ...);
	va_list ap;
	void *arg;

	va_start(ap, request);
	arg = va_arg(ap, void *);
	va_end(ap);
	if (!real)
		real = (int (*)(int, unsigned long, ...))dlsym(RTLD_NEXT, "ioctl");
	if (due("ioctl"))
		return errno = EINVAL, -1;
	return real(fd, request, arg);
}

/* ptrace() is not declared as what it is: a function of four words. */
long ptrace(int request, ...)
{
	static long (*real)(int, ...);
	va_list ap;
	long pid, addr, data;

	va_start(ap, request);
	pid = va_arg(ap, long);
	addr = va_arg(ap, long);
	data = va_arg(ap, long);
	va_end(ap);
	if (!real)
		real = (long (*)(int, ...))dlsym(RTLD_NEXT, "ptrace");
	if (due("ptrace"))
		return errno = EPERM, -1;
	return real(request, pid, addr, data);
}

/* bpf(2) by libbpf, perf_event_open(2) and others that have no function of their own */
long syscall(long number, ...)
{
	static long (*real)(long, ...);
	va_list ap;
	long a[6];

	va_start(ap, number);
	for (int i = 0; i < 6; i++)
		a[i] = va_arg(ap, long);
	va_end(ap);
	if (!real)
		real = (long (*)(long, ...))dlsym(RTLD_NEXT, "syscall");
	if (due(number == SYS_bpf ? "bpf" : number == SYS_perf_event_open ? "perf_event_open" : "syscall"))
		return errno = number == SYS_bpf ? ENOMEM : EMFILE, -1;
	return real(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}
