/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * inproc_vandal SECONDS SEED: finds the memory that the engine in the process shares with dtrace and writes
 * nonsense all over it, while two threads spin in vandal_leaf(), which is to be traced. Prints how often it
 * wrote; "no data": nothing was mapped.
 */
#include "alone.h"

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { NEAR = 8 << 20 };		/* most of what is used lies at the beginning */

static volatile int over;
static volatile unsigned long sink, writes;
static unsigned seed;

ALONE void vandal_leaf(void)
{
	for (unsigned long i = 0; i < 3000; i++)
		sink += i;
}

static void *spin(void *arg)
{
	while (!over)
		vandal_leaf();
	return arg;
}

static int find_data(uint64_t *low, uint64_t *high)
{
	FILE *f = fopen("/proc/self/maps", "re");
	unsigned long long from, to;
	char line[512];

	*low = *high = 0;
	while (f != NULL && fgets(line, sizeof(line), f) != NULL)
		if (strstr(line, "memfd:dtrace-data") != NULL &&
		    sscanf(line, "%llx-%llx rw", &from, &to) == 2) {
			*low = from;
			*high = to;
		}
	if (f != NULL)
		fclose(f);
	return *low != 0;
}

static uint64_t any(void)
{
	return (uint64_t)rand_r(&seed) << 42 ^ (uint64_t)rand_r(&seed) << 21 ^ (uint64_t)rand_r(&seed);
}

static void *wreck(void *arg)
{
	static const uint64_t odd[] = { 0, 1, UINT64_MAX, INT64_MAX, 1ull << 63, 4096, UINT32_MAX, 1 << 20 };
	uint64_t low, high;

	while (!over && !find_data(&low, &high))
		usleep(1000);
	while (!over) {
		uint64_t at = low + any() % (writes % 4 != 0 ? NEAR : high - low);
		uint64_t word = writes % 2 != 0 ? odd[any() % 8] : any();

		if (writes % 16 == 7)	/* a word of its own, at another place */
			word = *(const volatile uint64_t *)((low + any() % NEAR) & ~7ull);
		*(volatile uint64_t *)(at & ~7ull) = word;
		if (++writes % 1000 == 0)
			usleep(50);
	}
	return arg;
}

int main(int argc, char **argv)
{
	time_t end = time(NULL) + (argc > 1 ? atoi(argv[1]) : 1);
	pthread_t t[2];

	seed = argc > 2 ? (unsigned)atoi(argv[2]) : 1;
	pthread_create(&t[0], NULL, wreck, NULL);
	pthread_create(&t[1], NULL, spin, NULL);
	while (time(NULL) < end)
		vandal_leaf();
	over = 1;
	pthread_join(t[0], NULL);
	pthread_join(t[1], NULL);
	printf(writes > 0 ? "%lu writes\n" : "no data\n", writes);
	return 0;
}
