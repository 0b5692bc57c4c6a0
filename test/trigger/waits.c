/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Threads that wait in functions of known names, and some that never do: waits MUTEX READ SLEEP RUN, how many
 * of each. Prints "ready" when all that wait sleep (/proc says so); ends when standard input does.
 */
#include "alone.h"
#include "asleep.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>

enum { KINDS = 4, STACK = 64 * 1024 };

void *in_mutex(void *);
void *in_read(void *);
void *in_sleep(void *);
void *in_loop(void *);

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int never[2];
static volatile unsigned long turns;

ALONE void *in_mutex(void *arg)
{
	pthread_mutex_lock(&lock);
	__asm__ volatile("" ::: "memory");
	return arg;
}

ALONE void *in_read(void *arg)
{
	char c;

	if (read(never[0], &c, 1) != 1)
		return NULL;
	__asm__ volatile("" ::: "memory");
	return arg;
}

ALONE void *in_sleep(void *arg)
{
	nanosleep(&(struct timespec){ .tv_sec = 100000 }, NULL);
	__asm__ volatile("" ::: "memory");
	return arg;
}

ALONE void *in_loop(void *arg)
{
	while (arg != NULL)
		turns++;
	return arg;
}

struct begin { void *(*run)(void *); volatile int tid; struct begin *next; };

static void *named(void *arg)
{
	struct begin *b = arg;

	b->tid = (int)syscall(SYS_gettid);
	return b->run(b);
}

int main(int argc, char **argv)
{
	static void *(*const kind[KINDS])(void *) = { in_mutex, in_read, in_sleep, in_loop };
	struct begin *sleepers = NULL;
	pthread_attr_t small;
	char c;

	if (argc <= KINDS || pipe(never) != 0 || pthread_mutex_lock(&lock) != 0 ||
	    pthread_attr_init(&small) != 0 || pthread_attr_setstacksize(&small, STACK) != 0)
		return 2;
	for (int k = 0; k < KINDS; k++) {
		for (int n = atoi(argv[k + 1]); n > 0; n--) {
			struct begin *b = calloc(1, sizeof(*b));
			pthread_t thread;

			if (b == NULL)
				return 2;
			b->run = kind[k];
			if (pthread_create(&thread, &small, named, b) != 0)
				return 2;
			if (kind[k] == in_loop)
				continue;
			b->next = sleepers;
			sleepers = b;
		}
	}
	for (; sleepers != NULL; sleepers = sleepers->next)
		while (!is_asleep(sleepers->tid))
			usleep(1000);
	puts("ready");
	fflush(stdout);
	while (read(0, &c, 1) > 0)
		;
	_exit(0);
}
