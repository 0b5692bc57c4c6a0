/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * profile_load MS THREADS [ROUNDS]: the main thread and THREADS others, called "spinner", use MS of CPU time
 * each in spin_leaf(), which spin_first() calls through spin_second(). A thread called "sleeper" sleeps
 * meanwhile, and a signal comes every 20 ms. Then, ROUNDS times, four threads begin and end at once.
 * Prints "cpu_ms N signals 1 interrupted N user N": how much CPU time all took, that signals were handled,
 * sleeps that ended early though no signal was for them, and the user.
 */
#include "alone.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static volatile unsigned long sink;
static volatile sig_atomic_t signals;
static volatile int over, interrupted;
static long ms;

static long used(int whose)
{
	struct rusage r;

	getrusage(whose, &r);
	return (r.ru_utime.tv_sec + r.ru_stime.tv_sec) * 1000 +
	    (r.ru_utime.tv_usec + r.ru_stime.tv_usec) / 1000;
}

ALONE void spin_leaf(long n)
{
	for (long i = 0; i < n; i++)
		sink += (unsigned long)i;
}

ALONE long spin_second(long until)
{
	long rounds = 0;

	do {
		spin_leaf(100000);
		rounds++;
	} while (used(RUSAGE_THREAD) < until);
	return rounds;
}

ALONE long spin_first(long until) { return spin_second(used(RUSAGE_THREAD) + until) + (long)(sink & 1); }

static void *spinner(void *arg)
{
	prctl(PR_SET_NAME, "spinner");
	spin_first(ms);
	return arg;
}

static void *brief(void *arg)
{
	spin_leaf(300000);
	return arg;
}

static void come_and_go(int rounds)
{
	pthread_t t[4];

	for (; rounds > 0; rounds--) {
		for (int i = 0; i < 4; i++)
			if (pthread_create(&t[i], NULL, brief, NULL) != 0)
				abort();
		for (int i = 0; i < 4; i++)
			pthread_join(t[i], NULL);
	}
}

static void *sleeper(void *arg)
{
	sigset_t all;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, NULL);
	prctl(PR_SET_NAME, "sleeper");
	while (!over) {
		struct timespec t = { 0, 50000000 };

		if (nanosleep(&t, NULL) != 0 && errno == EINTR)
			interrupted++;
	}
	return arg;
}

static void on_alarm(int sig)
{
	(void)sig;
	signals++;
}

int main(int argc, char **argv)
{
	int n = argc > 2 ? atoi(argv[2]) : 0;
	struct itimerval every = { { 0, 20000 }, { 0, 20000 } }, never = { { 0, 0 }, { 0, 0 } };
	struct sigaction sa = { .sa_handler = on_alarm, .sa_flags = SA_RESTART };
	pthread_t sleeps, *spins = calloc((size_t)n + 1, sizeof(*spins));

	ms = argc > 1 ? atol(argv[1]) : 100;
	pthread_create(&sleeps, NULL, sleeper, NULL);
	for (int i = 0; i < n; i++)
		pthread_create(&spins[i], NULL, spinner, NULL);
	sigaction(SIGALRM, &sa, NULL);
	setitimer(ITIMER_REAL, &every, NULL);
	spin_first(ms);
	for (int i = 0; i < n; i++)
		pthread_join(spins[i], NULL);
	come_and_go(argc > 3 ? atoi(argv[3]) : 0);
	setitimer(ITIMER_REAL, &never, NULL);
	over = 1;
	pthread_join(sleeps, NULL);
	printf("cpu_ms %ld signals %d interrupted %d user %u\n", used(RUSAGE_SELF), signals > 0, interrupted,
	    (unsigned)getuid());
	free(spins);
	return 7;
}
