/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * inproc_chaos WHAT THREADS CALLS: threads call work() as often as asked, while what a patched process must
 * survive goes on: signals (SIGUSR1 to the threads, whose handler calls handled()), forks (children call
 * work() too, and exit 3 if it gives them a wrong result), jumps (longjmp() out of deep(), which never
 * returns), contexts (swapcontext() inside of work), exec (at the end the program starts itself as "done"),
 * mixed (signals, forks, jumps and contexts), quiet (the same without signals).
 * Begins when a byte can be read from standard input. Prints what was called; status 7.
 */
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

enum { SHOTS = 2000 };			/* signals that have to come */

static atomic_long nwork, nhandled, ndeep, nwrong;
static atomic_bool over;
static long calls;
static const char *what;

__attribute__((noinline)) long work(long a, double b)
{
	atomic_fetch_add(&nwork, 1);
	return (long)((double)a * b) + 1;
}

__attribute__((noinline)) void handled(int sig)
{
	(void)sig;
	atomic_fetch_add(&nhandled, 1);
}

/* calls that stay calls, and functions that stay whole */
static long (*volatile do_work)(long, double) = work;
static void (*volatile do_handled)(int) = handled;

static void handler(int sig)
{
	int saved = errno;

	do_handled(sig);
	errno = saved;
}

int deep(jmp_buf *back, int n);
static int (*volatile again)(jmp_buf *, int) = deep;	/* a call that stays a call */

__attribute__((noinline)) int deep(jmp_buf *back, int n)
{
	atomic_fetch_add(&ndeep, 1);
	if (n <= 0)
		longjmp(*back, 1);
	return again(back, n - 1) + 1;
}

static void jump(void)
{
	jmp_buf back;

	if (setjmp(back) == 0)
		deep(&back, 5);
}

static ucontext_t mains[64], others[64];
static char stacks[64][65536];

static void in_context(int i)
{
	if (do_work(i, 2.0) != 2l * i + 1)
		atomic_fetch_add(&nwrong, 1);
}

static void switch_context(int i)
{
	getcontext(&others[i]);
	others[i].uc_stack.ss_sp = stacks[i];
	others[i].uc_stack.ss_size = sizeof(stacks[i]);
	others[i].uc_link = &mains[i];
	makecontext(&others[i], (void (*)(void))in_context, 1, i);
	swapcontext(&mains[i], &others[i]);
}

static void fork_one(void)
{
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		for (long i = 0; i < 100; i++)
			if (do_work(i, 3.0) != 3 * i + 1)
				_exit(3);
		_exit(0);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid || status != 0)
		atomic_fetch_add(&nwrong, 1);
}

/* Whether this goes on now: by its own name, or with all others. */
static bool goes(const char *name)
{
	if (strcmp(what, "mixed") == 0)
		return true;
	return strcmp(what, name) == 0 || (strcmp(what, "quiet") == 0 && strcmp(name, "signals") != 0);
}

static void *run(void *arg)
{
	int n = (int)(long)arg;
	bool shot_at = goes("signals");

	for (long i = 0; i < calls || (shot_at && atomic_load(&nhandled) < SHOTS); i++) {
		if (do_work(i, 2.0) != 2 * i + 1)
			atomic_fetch_add(&nwrong, 1);
		if (i % 64 == 0 && goes("jumps"))
			jump();
		if (i % 64 == 0 && goes("contexts"))
			switch_context(n);
		if (i % 256 == 0 && goes("forks"))
			fork_one();
	}
	return NULL;
}

static pthread_t threads[64];
static int nthreads;

static void *shoot(void *arg)
{
	(void)arg;
	while (!atomic_load(&over)) {
		for (int i = 0; i < nthreads; i++)
			pthread_kill(threads[i], SIGUSR1);
		nanosleep(&(struct timespec){ .tv_nsec = 100000 }, NULL);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	struct sigaction sa = { .sa_handler = handler, .sa_flags = SA_RESTART };
	pthread_t shooter;
	char byte;

	what = argc > 1 ? argv[1] : "";
	if (strcmp(what, "done") == 0) {
		puts("started again");
		return 7;
	}
	nthreads = argc > 2 ? atoi(argv[2]) : 4;
	nthreads = nthreads < 64 ? nthreads : 64;
	calls = argc > 3 ? atol(argv[3]) : 1000;
	sigaction(SIGUSR1, &sa, NULL);
	(void)!read(0, &byte, 1);
	for (int i = 0; i < nthreads; i++)
		pthread_create(&threads[i], NULL, run, (void *)(long)i);
	if (goes("signals")) {
		pthread_create(&shooter, NULL, shoot, NULL);
		struct timespec ms = { .tv_nsec = 1000000 };

		while (atomic_load(&nwork) < (long)nthreads * calls || atomic_load(&nhandled) < SHOTS)
			nanosleep(&ms, NULL);
		atomic_store(&over, true);
		pthread_join(shooter, NULL);
	}
	for (int i = 0; i < nthreads; i++)
		pthread_join(threads[i], NULL);
	printf("work %ld handled %ld deep %ld wrong %ld\n", atomic_load(&nwork), atomic_load(&nhandled),
	    atomic_load(&ndeep), atomic_load(&nwrong));
	fflush(stdout);
	if (strcmp(what, "exec") == 0)
		execl(argv[0], argv[0], "done", NULL);
	return atomic_load(&nwrong) == 0 ? 7 : 1;
}
