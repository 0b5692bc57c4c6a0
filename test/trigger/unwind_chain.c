/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Calls through everything that makes stacks hard to walk without frame pointers, down to one system call,
 * getppid(), in front of which it prints the return addresses it finds itself: "WAY address…", innermost
 * first, the first that of the place of the call. The trace of that system call must be the same, below the
 * wrapper's own frame. Ways: plain, alloca, large, qsort, signal, altstack, leaf, library (a callback out
 * of one, argv[2]), deep.
 */
#include "alone.h"

#include <alloca.h>
#include <dlfcn.h>
#include <execinfo.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define FN ALONE
static volatile int zero;
static const char *way;

/* The call is the last thing but one that happens here, so that nobody's frame is given up before it. */
FN int chain_end(int n)
{
	void *at[200];
	int got = backtrace(at, 200);

	fputs(way, stdout);
	for (int i = 0; i < got; i++)
		printf(" %p", at[i]);
	printf("\n");
	fflush(stdout);
	syscall(SYS_getppid);
	return n + zero;
}

FN int chain_third(int n) { return chain_end(n + 1) + zero; }
FN int chain_second(int n) { return chain_third(n + 1) + zero; }
FN int chain_first(int n) { return chain_second(n + 1) + zero; }

FN int chain_alloca(int n)
{
	volatile char *p = alloca((size_t)n * 16 + 16);

	p[0] = (char)n;
	return chain_first(n) + p[0] + zero;
}

FN int chain_large(int n)
{
	volatile char big[70000];

	big[n] = 1;
	return chain_first(n) + big[n] + zero;
}

FN int compare(const void *a, const void *b)
{
	static int done;

	if (!done++)
		chain_first(1);
	return *(const int *)a - *(const int *)b + zero;
}

FN int chain_qsort(int n)
{
	int v[8] = { 5, 3, 8, 1, n, 2, 9, 4 };

	qsort(v, 8, sizeof(v[0]), compare);
	return v[0] + zero;
}

static void on_signal(int sig) { chain_first(sig); }

/* Interrupted in a loop of its own that calls nothing. */
FN int chain_leaf(volatile int *stop)
{
	int n = 0;

	while (!*stop)
		n++;
	return n;
}

static volatile int stopped;
static void on_alarm(int sig)
{
	chain_first(sig);
	stopped = 1;
}

FN int chain_raise(int n) { return raise(SIGUSR1) + n + zero; }

FN int chain_signal(int flags)
{
	struct sigaction sa = { .sa_handler = on_signal, .sa_flags = flags };
	static char other[65536];
	stack_t st = { .ss_sp = other, .ss_size = sizeof(other) };

	if (flags & SA_ONSTACK)
		sigaltstack(&st, NULL);
	sigaction(SIGUSR1, &sa, NULL);
	return chain_raise(1) + zero;
}

FN int chain_interrupted(void)
{
	struct sigaction sa = { .sa_handler = on_alarm };

	sigaction(SIGALRM, &sa, NULL);
	ualarm(20000, 0);
	return chain_leaf(&stopped) + zero;
}

FN int chain_deep(int n) { return (n > 0 ? chain_deep(n - 1) : chain_first(1)) + zero; }

static int from_library(const char *path)
{
	void *lib = dlopen(path, RTLD_NOW);
	int (*call)(int (*)(int), int) = lib != NULL ?
	    (int (*)(int (*)(int), int))dlsym(lib, "library_call") : NULL;

	if (call == NULL)
		return 1;
	usleep(300000);			/* a library mapped while tracing: the news of it is read in time */
	call(chain_first, 3);
	return 0;
}

static int go(const char *what, const char *arg)
{
	way = what;
	if (strcmp(what, "plain") == 0)
		return chain_first(1), 0;
	if (strcmp(what, "alloca") == 0)
		return chain_alloca(100), 0;
	if (strcmp(what, "large") == 0)
		return chain_large(100), 0;
	if (strcmp(what, "qsort") == 0)
		return chain_qsort(7), 0;
	if (strcmp(what, "signal") == 0)
		return chain_signal(0), 0;
	if (strcmp(what, "altstack") == 0)
		return chain_signal(SA_ONSTACK), 0;
	if (strcmp(what, "leaf") == 0)
		return chain_interrupted(), 0;
	if (strcmp(what, "deep") == 0)
		return chain_deep(100), 0;
	if (strcmp(what, "library") == 0 && arg != NULL)
		return from_library(arg);
	return 2;
}

int main(int argc, char **argv)
{
	void *once[2];

	backtrace(once, 2);		/* loads what it needs */
	if (getenv("UNWIND_NOW") == NULL)
		usleep(200000);		/* else before anybody can have told what is mapped */
	return go(argc > 1 ? argv[1] : "", argc > 2 ? argv[2] : NULL);
}
