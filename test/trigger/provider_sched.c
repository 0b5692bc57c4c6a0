/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * provider_sched: known events of the scheduler, between two calls of times(2) in the first thread. On one
 * CPU, first in a real-time class, where nobody of the same priority is preempted; prints "fair" instead of
 * "fifo" when that is not allowed. Then a mutex lends priority 10 to a thread of priority 1: "owner TID",
 * "waiter TID".
 */
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/times.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define ROUNDS 200
#define YIELDS 100

static void be(int policy, int prio)
{
	struct sched_param p = { .sched_priority = prio };

	if (sched_setscheduler(0, policy, &p) != 0 && prio > 1)
		_exit(3);
}

static int stay_here(void)
{
	cpu_set_t set;
	int cpu;

	sched_getaffinity(0, sizeof(set), &set);
	for (cpu = 0; !CPU_ISSET(cpu, &set); cpu++)
		;
	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	sched_setaffinity(0, sizeof(set), &set);
	return cpu;
}

static void must(int ok) { if (!ok) _exit(2); }

/* The child answers each byte; both sleep once a round, and each wakes the other once. */
static void ping_pong(void)
{
	int there[2], back[2];
	char c = 0;
	pid_t pid;

	must(pipe(there) == 0 && pipe(back) == 0);
	pid = fork();
	if (pid == 0) {
		for (int i = 0; i < ROUNDS; i++)
			must(read(there[0], &c, 1) == 1 && write(back[1], &c, 1) == 1);
		_exit(0);
	}
	for (int i = 0; i < ROUNDS; i++)
		must(write(there[1], &c, 1) == 1 && read(back[0], &c, 1) == 1);
	waitpid(pid, NULL, 0);
}

/* Two that want the same CPU, until each was made to leave it. */
static void compete(void)
{
	struct rusage before, now;
	pid_t pid = fork();

	if (pid == 0)
		for (;;)
			;
	getrusage(RUSAGE_SELF, &before);
	do
		getrusage(RUSAGE_SELF, &now);
	while (now.ru_nivcsw - before.ru_nivcsw < 3);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

static void burn(void)
{
	clock_t end = clock() + CLOCKS_PER_SEC / 10;

	while (clock() < end)
		;
}

static pthread_mutex_t lent;

static void *waiter(void *unused)
{
	be(SCHED_FIFO, 10);
	printf("waiter %d\n", gettid());
	pthread_mutex_lock(&lent);
	return unused;
}

static void lend(void)
{
	pthread_mutexattr_t attr;
	struct timespec while_it_waits = { .tv_nsec = 200000000 };
	pthread_t t;

	pthread_mutexattr_init(&attr);
	pthread_mutexattr_setprotocol(&attr, PTHREAD_PRIO_INHERIT);
	pthread_mutex_init(&lent, &attr);
	pthread_mutex_lock(&lent);
	printf("owner %d\n", gettid());
	pthread_create(&t, NULL, waiter, NULL);
	nanosleep(&while_it_waits, NULL);
	pthread_mutex_unlock(&lent);
	pthread_join(t, NULL);
}

int main(void)
{
	struct sched_param one = { .sched_priority = 1 };
	bool fifo;
	struct tms t;

	printf("cpu %d\n", stay_here());
	fifo = sched_setscheduler(0, SCHED_FIFO, &one) == 0;
	puts(fifo ? "fifo" : "fair");
	times(&t);
	ping_pong();
	for (int i = 0; i < YIELDS; i++)
		sched_yield();
	be(SCHED_OTHER, 0);
	compete();
	burn();
	times(&t);
	if (fifo) {
		be(SCHED_FIFO, 1);
		lend();
		be(SCHED_OTHER, 0);
	}
	setpriority(PRIO_PROCESS, 0, 5);
	return 0;
}
