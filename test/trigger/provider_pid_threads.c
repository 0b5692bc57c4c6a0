/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * T threads that call work(thread, n) with n = 0, 1, 2 …, until standard input ends; for
 * provider_pid_threads.sh. Each value is checked: a call that was lost, done twice or came back
 * wrong is seen by the process itself. Prints "up" when all threads run, and the sum of their calls at the
 * end. Usage: provider_pid_threads [THREADS [MICROSECONDS]]
 */
#include "alone.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

long work(long thread, long n);

static atomic_bool over;
static atomic_int up;
static useconds_t pause_us = 1000;
static struct { long calls, wrong; } done[256];

ALONE long work(long thread, long n)
{
	__asm__ volatile("" ::: "memory");
	return thread * 1000003 + n;
}

static void *run(void *arg)
{
	long me = (long)(size_t)arg;

	up++;
	for (long n = 0; !over; n++) {
		done[me].wrong += work(me, n) != me * 1000003 + n;
		done[me].calls++;
		usleep(pause_us);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 50;
	long calls = 0, wrong = 0;
	pthread_t t[256];

	if (argc > 2)
		pause_us = (useconds_t)atoi(argv[2]);
	if (n < 1 || n > 256)
		return 2;
	for (int i = 0; i < n; i++)
		if (pthread_create(&t[i], NULL, run, (void *)(size_t)i) != 0)
			return 1;
	while (up < n)
		usleep(1000);
	puts("up");
	fflush(stdout);
	while (getchar() != EOF)
		;
	over = 1;
	for (int i = 0; i < n; i++) {
		pthread_join(t[i], NULL);
		calls += done[i].calls;
		wrong += done[i].wrong;
	}
	printf("joined %d wrong %ld calls %ld\n", n, wrong, calls);
	return wrong != 0;
}
