/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * provider_life: a life with known events. Prints a line for everything that the proc probes must show, as
 * the script beside it prints it: probe, then its arguments. The order is not part of the promise, but for
 * the lines of one thread. With an argument it is the program that was executed: it exits with 4.
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile sig_atomic_t handled;

static void handler(int sig) { handled = sig; }

/* A child that ends for a reason, CLD_*; its parent ignores SIGCHLD by default. */
static pid_t child(void (*life)(void), int reason)
{
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (pid == 0) {
		signal(SIGSEGV, SIG_DFL);	/* a sanitizer has its own handler */
		life();
		_exit(3);
	}
	printf("create %d\nlwp-create %d %d\n", pid, pid, pid);
	printf("lwp-exit %d\nexit %d %d\nsignal-discard %d %d\n", pid, pid, reason, getpid(), SIGCHLD);
	waitpid(pid, NULL, 0);
	return pid;
}

static void nothing(void) {}
static void killed(void) { kill(getpid(), SIGKILL); }

/*
 * On the stack: a constant that nobody has read yet may be in no page of memory, where a probe could see
 * it.
 */
static void executed(void)
{
	char missing[] = "/nonexistent/program", self[] = "/proc/self/exe";

	execl(missing, "program", (char *)NULL);
	execl(self, "provider_life", "exit", (char *)NULL);
}

static void at_nothing(void)
{
	volatile char *volatile nowhere = (char *)16;	/* of NULL the sanitizer would know */

	*nowhere = 1;
}

static void at_locked(void)
{
	volatile char *page = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	*page = 1;
}

static void *thread(void *arg)
{
	*(pid_t *)arg = gettid();
	return NULL;
}

static void *sleeper(void *arg)
{
	for (;;)
		pause();
	return arg;
}

/* Three threads end at once: the process ends with the last of them, whichever that is. */
static void threads(void)
{
	pthread_t t;

	for (int i = 0; i < 2; i++)
		pthread_create(&t, NULL, sleeper, NULL);
}

static void children(void)
{
	pid_t me = getpid(), last;

	child(nothing, 1);
	last = child(killed, 2);
	printf("signal-send %d %d\n", last, SIGKILL);
	child(executed, 1);
	printf("exec /nonexistent/program\nexec-failure %d\nexec /proc/self/exe\nexec-success\n", ENOENT);
	last = child(at_nothing, 2);
	printf("fault 6\nsignal-send %d %d\n", last, SIGSEGV);
	last = child(at_locked, 2);
	printf("fault 5\nsignal-send %d %d\n", last, SIGSEGV);
	last = child(threads, 1);
	printf("lwp-exit %d\nlwp-exit %d\n", last, last);
	for (int i = 0; i < 3; i++) {
		pthread_t t;
		pid_t tid;

		if (pthread_create(&t, NULL, thread, &tid) == 0 && pthread_join(t, NULL) == 0)
			printf("lwp-create %d %d\nlwp-exit %d\n", me, tid, me);
	}
}

static void signals(void)
{
	pid_t me = getpid();
	sigset_t set;

	signal(SIGUSR1, SIG_IGN);
	kill(me, SIGUSR1);
	printf("signal-discard %d %d\n", me, SIGUSR1);
	signal(SIGUSR2, handler);
	kill(me, SIGUSR2);
	printf("signal-send %d %d\nsignal-handle %d 1\n", me, SIGUSR2, SIGUSR2);
	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigprocmask(SIG_BLOCK, &set, NULL);
	kill(me, SIGTERM);
	kill(me, SIGTERM);		/* pending already */
	sigtimedwait(&set, NULL, &(struct timespec){ 1, 0 });
	printf("signal-send %d %d\nsignal-discard %d %d\nsignal-clear %d\n", me, SIGTERM, me, SIGTERM,
	    SIGTERM);
}

int main(int argc, char **argv)
{
	(void)argv;
	if (argc > 1)
		_exit(4);
	setrlimit(RLIMIT_CORE, &(struct rlimit){ 0, 0 });
	children();
	signals();
	printf("lwp-exit %d\nexit %d 1\n", getpid(), getpid());
	fflush(stdout);
	_exit(0);			/* nothing else, such as a search for leaks, is to happen */
}
