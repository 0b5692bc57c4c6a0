/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * spec_load THREADS CALLS: each thread calls getpgid() with numbers of its own, from 1 on over all of
 * them: odd ones are to be committed.
 */
#include <pthread.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

struct part { pthread_t thread; long from, to; };

static void *call(void *arg)
{
	struct part *p = arg;

	for (long i = p->from; i < p->to; i++)
		syscall(SYS_getpgid, (int)i);
	return NULL;
}

int main(int argc, char **argv)
{
	long threads = argc > 1 ? atol(argv[1]) : 2, calls = argc > 2 ? atol(argv[2]) : 1000;
	struct part *parts = calloc((size_t)threads, sizeof(*parts));

	for (long i = 0; parts != NULL && i < threads; i++) {
		parts[i].from = 1 + i * calls;
		parts[i].to = 1 + (i + 1) * calls;
		if (pthread_create(&parts[i].thread, NULL, call, &parts[i]) != 0)
			return 1;
	}
	for (long i = 0; parts != NULL && i < threads; i++)
		pthread_join(parts[i].thread, NULL);
	free(parts);
	return 0;
}
