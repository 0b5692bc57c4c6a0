/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * 600 calls of work(), 2 to 300 turns long, with sleep between some: at the end it prints the CPU time
 * they took, in microseconds.
 */
#include <stdio.h>
#include <time.h>
#include <unistd.h>

static volatile unsigned long sink;

static long long cpu_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return t.tv_sec * 1000000000ll + t.tv_nsec;
}

__attribute__((noinline)) void work(int turns);
void work(int turns)
{
	for (int i = 0; i < turns * 400; i++)
		sink = sink + (unsigned long)i;
}

int main(void)
{
	long long sum = 0, before;

	for (int i = 0; i < 600; i++) {
		if (i % 10 == 0)
			usleep(1000);
		before = cpu_ns();
		work(2 + i * 37 % 300);
		sum += cpu_ns() - before;
	}
	printf("own %lld\n", sum / 1000);
	return 0;
}
