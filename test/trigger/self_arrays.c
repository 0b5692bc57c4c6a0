/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Threads for elements of self-> arrays: setpriority(1000 + key, value) stands for a store, getpriority(1000
 * + key, value) for a look that must find that value; both calls fail and do nothing else.
 *
 *	threads N E	N threads, one after the other, that store E elements each, look at them and end
 *	mix KEYS N	one thread stores to keys in no order, values and 0, N times, and looks at all of them
 *	die N		N processes, one after the other, with 40 threads that store 20 elements each; it is
 *			then killed, or one of them, not the first, runs another program
 *	many E		a thread stores E elements and ends; when SIGUSR1 comes, another one does the same
 */
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static void store(uint32_t key, uint32_t value) { syscall(SYS_setpriority, 1000 + key, value, 0); }
static void look(uint32_t key, uint32_t value) { syscall(SYS_getpriority, 1000 + key, value); }

static void *store_and_look(void *p)
{
	const uint32_t *n = p;

	for (uint32_t i = 0; i < *n; i++)
		store(i, i + 1);
	for (uint32_t i = 0; i < *n; i++)
		look(i, i + 1);
	return NULL;
}

static void thread(void *(*f)(void *), void *arg)
{
	pthread_t t;

	if (pthread_create(&t, NULL, f, arg) != 0)
		exit(1);
	pthread_join(t, NULL);
}

static void mix(uint32_t keys, uint32_t n)
{
	uint32_t *value = calloc(keys, sizeof(*value)), seed = 1;

	for (uint32_t i = 0; i < n; i++) {
		uint32_t key;

		seed = seed * 1664525 + 1013904223;
		key = (seed >> 8) % keys;
		value[key] = seed >> 31 ? 0 : i + 1;
		store(key, value[key]);
	}
	for (uint32_t key = 0; key < keys; key++)
		look(key, value[key]);
	free(value);
}

enum { TOGETHER = 40 };

static pthread_barrier_t stored;

static void *store_and_wait(void *execs)
{
	for (uint32_t i = 0; i < 20; i++)
		store(i, i + 1);
	pthread_barrier_wait(&stored);
	if (execs != NULL)
		execl("/bin/true", "true", NULL);
	pause();
	return NULL;
}

static _Noreturn void die(bool execs)
{
	pthread_t t;

	pthread_barrier_init(&stored, NULL, TOGETHER + 1);
	for (int i = 1; i <= TOGETHER; i++)
		if (pthread_create(&t, NULL, store_and_wait, execs && i == TOGETHER ? &stored : NULL) != 0)
			exit(1);
	pthread_barrier_wait(&stored);
	while (execs)
		pause();
	raise(SIGKILL);
	exit(1);
}

int main(int argc, char **argv)
{
	uint32_t n = argc > 2 ? (uint32_t)atoi(argv[2]) : 0, m = argc > 3 ? (uint32_t)atoi(argv[3]) : 0;
	sigset_t go;
	int got;

	sigemptyset(&go);
	sigaddset(&go, SIGUSR1);
	sigprocmask(SIG_BLOCK, &go, NULL);
	if (argc > 3 && strcmp(argv[1], "threads") == 0) {
		for (uint32_t i = 0; i < n; i++)
			thread(store_and_look, &m);
	} else if (argc > 3 && strcmp(argv[1], "mix") == 0) {
		mix(n, m);
	} else if (argc > 2 && strcmp(argv[1], "die") == 0) {
		for (uint32_t i = 0; i < n; i++) {
			pid_t child = fork();

			if (child == 0)
				die(i % 2 == 1);
			waitpid(child, NULL, 0);
		}
	} else if (argc > 2 && strcmp(argv[1], "many") == 0) {
		thread(store_and_look, &n);
		sigwait(&go, &got);
		thread(store_and_look, &n);
	} else {
		return 2;
	}
	return 0;
}
