/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * exact THREADS CALLS [KEYS]: makes CALLS system calls from THREADS threads, all off at the same moment,
 * then prints how many it made. They are getppid, which nobody makes by accident (libc of the dynamic
 * loader, the shell's start-up): each getppid of this process is one of ours. With KEYS they are getpgid(-1
 * - n % KEYS) instead, so that arg0 takes that many values. Reads a line first, so that whoever traces can
 * be ready.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

struct work {
	pthread_t thread;
	pthread_barrier_t *start;
	uint64_t calls, first, keys;
};

static void *run(void *arg)
{
	struct work *w = arg;

	pthread_barrier_wait(w->start);
	for (uint64_t i = 0; i < w->calls; i++) {
		if (w->keys == 0)
			syscall(SYS_getppid);
		else
			syscall(SYS_getpgid, -1 - (int)((w->first + i) % w->keys));
	}
	return NULL;
}

static uint64_t number(const char *text, uint64_t max)
{
	char *end;
	uint64_t n = strtoull(text, &end, 10);

	if (*text == '\0' || *end != '\0' || n > max) {
		fprintf(stderr, "exact: not a number up to %llu: %s\n", (unsigned long long)max, text);
		exit(2);
	}
	return n;
}

int main(int argc, char **argv)
{
	uint64_t threads = argc > 2 ? number(argv[1], 256) : 0,
	    calls = argc > 2 ? number(argv[2], UINT64_MAX) : 0, first = 0;
	uint64_t keys = argc > 3 ? number(argv[3], 1 << 30) : 0;
	struct work *w = calloc(threads + 1, sizeof(*w));
	pthread_barrier_t start;
	char line[16];

	if (threads == 0 || w == NULL) {
		fprintf(stderr, "usage: exact THREADS CALLS [KEYS]\n");
		return 2;
	}
	if (fgets(line, sizeof(line), stdin) == NULL)
		return 2;
	pthread_barrier_init(&start, NULL, (unsigned)threads);
	for (uint64_t i = 0; i < threads; i++) {
		w[i] = (struct work){ .start = &start, .calls = calls / threads + (i < calls % threads),
			.first = first, .keys = keys };
		first += w[i].calls;
		if (pthread_create(&w[i].thread, NULL, run, &w[i]) != 0)
			return 2;
	}
	for (uint64_t i = 0; i < threads; i++)
		pthread_join(w[i].thread, NULL);
	printf("%llu\n", (unsigned long long)first);
	free(w);
	return 0;
}
