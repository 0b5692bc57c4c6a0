/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Makes system calls in threads, in signal handlers that interrupt others, beside children of fork() and
 * vfork() that make the same ones, after jumps out of a handler and in threads that are cancelled; then
 * prints how many it has made: "getppid 4000". inproc_calls WHAT N; what: threads, signals, jumps, children,
 * cancel, waits.
 */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { THREADS = 8 };

extern char **environ;
static volatile sig_atomic_t handled;
static sigjmp_buf back;
static int pipes[2];

static void *count_up(void *arg)
{
	for (long i = 0; i < (long)arg; i++)
		(void)getppid();
	return NULL;
}

/* A thread's first call is the return of the clone() that made it. */
static void threads(long n)
{
	pthread_t t[THREADS];

	for (int i = 0; i < THREADS; i++)
		if (pthread_create(&t[i], NULL, count_up, (void *)n) != 0)
			exit(2);
	for (int i = 0; i < THREADS; i++)
		pthread_join(t[i], NULL);
	printf("getppid %ld\n", THREADS * n);
}

static void on_alarm(int sig)
{
	(void)sig;
	handled++;
	(void)getpgid(0);
}

static void tick(void (*f)(int))
{
	struct sigaction a = { .sa_handler = f };
	struct itimerval every = { { 0, 1000 }, { 0, 1000 } };

	sigaction(SIGALRM, &a, NULL);
	setitimer(ITIMER_REAL, &every, NULL);
}

/* Calls that wait are interrupted, and the handler makes one while they do. */
static void signals(long n)
{
	struct timespec second = { 1, 0 };
	long interrupted = 0, calls = 0;

	tick(on_alarm);
	while (interrupted < n) {
		interrupted += nanosleep(&second, NULL) != 0 && errno == EINTR;
		(void)getsid(0);
		calls++;
	}
	setitimer(ITIMER_REAL, &(struct itimerval){ 0 }, NULL);
	printf("getpgid %d\nclock_nanosleep %ld\ngetsid %ld\n", (int)handled, calls, calls);
}

static void on_jump(int sig)
{
	(void)sig;
	siglongjmp(back, 1);
}

static void jumps(long n)
{
	volatile long i = 0;
	sigset_t set, none;

	sigemptyset(&none);
	sigemptyset(&set);
	sigaddset(&set, SIGALRM);
	sigprocmask(SIG_BLOCK, &set, NULL);
	tick(on_jump);
	if (sigsetjmp(back, 1) != 0)
		(void)getsid(0);
	if (i++ < n)
		sigsuspend(&none);	/* the one place where the signal comes */
	setitimer(ITIMER_REAL, &(struct itimerval){ 0 }, NULL);
	printf("getsid %ld\n", n);
}

/* Of all these getsid() only those of the parent are the process's own. */
static void children(long n)
{
	char *words[] = { (char *)"true", NULL };
	pid_t pid;

	for (volatile long i = 0; i < n; i++) {
		if ((pid = vfork()) == 0) {
			(void)getsid(0);
			(void)getsid(0);
			_exit(0);
		}
		(void)getsid(0);
		waitpid(pid, NULL, 0);
		if ((pid = fork()) == 0) {
			(void)getsid(0);
			_exit(0);
		}
		waitpid(pid, NULL, 0);
		if (posix_spawnp(&pid, words[0], NULL, NULL, words, environ) == 0)
			waitpid(pid, NULL, 0);
		(void)getsid(0);
	}
	printf("getsid %ld\nwait4 %ld\n", 2 * n, 3 * n);
}

static void note_end(void *arg) { ++*(long *)arg; }

static void *wait_there(void *arg)
{
	char byte;

	pthread_cleanup_push(note_end, arg);
	(void)!write(pipes[1], "", 1);
	(void)!read(pipes[0], &byte, 1);
	for (;;)
		(void)!read(pipes[0], &byte, 1);
	pthread_cleanup_pop(1);
	return NULL;
}

static void cancel(long n)
{
	long ends = 0;

	for (long i = 0; i < n; i++) {
		pthread_t t;
		void *how = NULL;

		if (pipe(pipes) != 0 || pthread_create(&t, NULL, wait_there, &ends) != 0)
			exit(2);
		usleep(1000);
		(void)getsid(0);
		pthread_cancel(t);
		pthread_join(t, &how);
		if (how != PTHREAD_CANCELED)
			exit(3);
		close(pipes[0]);
		close(pipes[1]);
	}
	printf("getsid %ld\nended %ld\n", n, ends);
}

/* One call waits for its input from before the trace until after it. */
static void waits(long n)
{
	char line[64] = "";
	ssize_t got;

	printf("waits\n");
	fflush(stdout);
	got = read(0, line, sizeof(line) - 1);
	for (long i = 0; i < n; i++)
		(void)getsid(0);
	printf("read %zd: %s", got, line);
}

int main(int argc, char **argv)
{
	static const struct { const char *name; void (*f)(long); } list[] = {
		{ "threads", threads }, { "signals", signals }, { "jumps", jumps },
		{ "children", children }, { "cancel", cancel }, { "waits", waits },
	};

	for (size_t i = 0; argc == 3 && i < sizeof(list) / sizeof(list[0]); i++)
		if (strcmp(list[i].name, argv[1]) == 0) {
			list[i].f(atol(argv[2]));
			return 0;
		}
	return 1;
}
