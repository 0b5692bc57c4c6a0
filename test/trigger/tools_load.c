/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Loads for the tests of dtools/, each with an answer that is known: tools_load WHAT.
 *   spin        spin() until the process has used 0.3 s of CPU time
 *   memory      10 blocks of 1000 bytes lost by lose(), 20 of 500 given back by give(), one that grow()
 *               grows to 500000
 *   touch N     N pages of new memory touched by touch(), one after the other
 *   eat         memory until there is no more
 *   sleeps N    a thread sleeps on a pipe, and another wakes it, N times
 *   herd N      N threads on one CPU sleep until one and the same moment: one interrupt wakes them all
 *   lock N      two threads want one mutex that is held for a millisecond, N times each
 */
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

static void *volatile keep;
static volatile uint64_t sink;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int pipe_there[2], pipe_back[2];

__attribute__((noinline)) static void spin(void)
{
	struct timespec now;

	do {
		for (int i = 0; i < 100000; i++)
			sink += (uint64_t)i;
		clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	} while (now.tv_sec == 0 && now.tv_nsec < 300000000);
}

/* The counters are volatile so that each function has one call of each kind, whatever compiles it. */
__attribute__((noinline)) static void lose(void)
{
	for (volatile int i = 0; i < 10; i++)
		keep = malloc(1000);
}

__attribute__((noinline)) static void give(void)
{
	for (volatile int i = 0; i < 20; i++) {
		keep = malloc(500);
		free(keep);
	}
}

__attribute__((noinline)) static void grow(void)
{
	keep = calloc(10, 10);
	for (volatile size_t i = 2; i < 6; i++)
		keep = realloc(keep, i * 100000);
}

__attribute__((noinline)) static void touch(long n)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	size_t bytes = (size_t)n * page;
	volatile char *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	madvise((void *)p, bytes, MADV_NOHUGEPAGE);
	for (volatile long i = 0; i < n; i++)
		p[(size_t)i * page] = 1;
}

static void eat(void)
{
	for (;;) {
		char *p = mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		if (p != MAP_FAILED)
			memset(p, 1, 1 << 20);
	}
}

static void *sleeper(void *arg)
{
	char c;

	pthread_setname_np(pthread_self(), "sleeper");
	for (long i = 0; i < *(long *)arg; i++)
		if (read(pipe_there[0], &c, 1) != 1 || write(pipe_back[1], &c, 1) != 1)
			exit(1);
	return NULL;
}

static void sleeps(long n)
{
	pthread_t thread;
	char c = 'x';

	if (pipe(pipe_there) != 0 || pipe(pipe_back) != 0)
		exit(1);
	pthread_setname_np(pthread_self(), "waker");
	pthread_create(&thread, NULL, sleeper, &n);
	for (long i = 0; i < n; i++) {
		usleep(10000);
		if (write(pipe_there[1], &c, 1) != 1 || read(pipe_back[0], &c, 1) != 1)
			exit(1);
	}
	pthread_join(thread, NULL);
}

static void *wait_until(void *arg)
{
	pthread_setname_np(pthread_self(), "herd");
	prctl(PR_SET_TIMERSLACK, 1);
	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, arg, NULL) != 0)
		;
	return NULL;
}

static void herd(long n)
{
	pthread_t *thread = calloc((size_t)n, sizeof(*thread));
	struct timespec when;
	cpu_set_t one;

	CPU_ZERO(&one);
	CPU_SET(sched_getcpu(), &one);
	sched_setaffinity(0, sizeof(one), &one);
	clock_gettime(CLOCK_MONOTONIC, &when);
	when.tv_sec++;
	for (long i = 0; thread != NULL && i < n; i++)
		if (pthread_create(&thread[i], NULL, wait_until, &when) != 0)
			exit(1);
	for (long i = 0; thread != NULL && i < n; i++)
		pthread_join(thread[i], NULL);
	free(thread);
}

__attribute__((noinline)) static void hold(void)
{
	pthread_mutex_lock(&mutex);
	usleep(1000);
	pthread_mutex_unlock(&mutex);
}

static void *holder(void *arg)
{
	for (long i = 0; i < *(long *)arg; i++)
		hold();
	return NULL;
}

static void locks(long n)
{
	pthread_t thread[2];

	for (int i = 0; i < 2; i++)
		pthread_create(&thread[i], NULL, holder, &n);
	for (int i = 0; i < 2; i++)
		pthread_join(thread[i], NULL);
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	long n = argc > 2 ? atol(argv[2]) : 1;

	if (strcmp(what, "spin") == 0) {
		spin();
	} else if (strcmp(what, "memory") == 0) {
		lose();
		give();
		grow();
	} else if (strcmp(what, "touch") == 0) {
		touch(n);
	} else if (strcmp(what, "eat") == 0) {
		eat();
	} else if (strcmp(what, "sleeps") == 0) {
		sleeps(n);
	} else if (strcmp(what, "herd") == 0) {
		herd(n);
	} else if (strcmp(what, "lock") == 0) {
		locks(n);
	} else {
		return 2;
	}
	return 0;
}
