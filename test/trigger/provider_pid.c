/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A process with known calls, for provider_pid.sh: N times work() on each of T threads; a function
 * with ten arguments; recursion; a library opened later, when asked. Usage: provider_pid [CALLS [THREADS
 * [LIBRARY]]]
 */
#include "alone.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int work(int n);
long ten(long a, long b, long c, long d, long e, long f, long g, long h, long i, long j);
int factorial(int n);
static long calls = 1000;

ALONE int work(int n)
{
	__asm__ volatile("" ::: "memory");
	return n * 2;
}

ALONE long ten(long a, long b, long c, long d, long e, long f, long g, long h, long i, long j)
{
	__asm__ volatile("" ::: "memory");
	return a + b + c + d + e + f + g + h + i + j;
}

static int (*volatile again)(int) = factorial;	/* or the compiler makes a loop of it */

ALONE int factorial(int n)
{
	return n <= 1 ? 1 : n * again(n - 1);
}

static void *thread(void *arg)
{
	long sum = 0;

	for (long i = 0; i < calls; i++)
		sum += work((int)i);
	return (char *)arg + (sum & 1);
}

int main(int argc, char **argv)
{
	int nthreads = argc > 2 ? atoi(argv[2]) : 1;
	pthread_t t[64];

	if (argc > 1)
		calls = atol(argv[1]);
	if (nthreads < 1 || nthreads > 64)
		return 2;
	for (int i = 0; i < nthreads; i++)
		if (pthread_create(&t[i], NULL, thread, NULL) != 0)
			return 1;
	for (int i = 0; i < nthreads; i++)
		pthread_join(t[i], NULL);
	printf("%ld %d\n", ten(1, 2, 3, 4, 5, 6, 7, 8, 9, 10), factorial(5));
	if (argc > 3) {
		void *lib = dlopen(argv[3], RTLD_NOW);
		int (*f)(int) = lib != NULL ? (int (*)(int))dlsym(lib, "later") : NULL;

		printf("%d\n", f != NULL ? f(1) : -1);
	}
	fflush(stdout);
	return 0;
}
