/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Calls getppid(2) from functions that are inlined into each other, and last where a call is the end of its
 * function: the return address is in the next one. Lines that stacks must show have a name behind them.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static volatile int sink;

static inline __attribute__((always_inline)) void leaf(int n)
{
	sink += n;
	getppid();		/* line: leaf */
	sink++;
}

static inline __attribute__((always_inline)) void middle(int n)
{
	if (n > 100)
		leaf(n);
	leaf(n + 1);		/* line: middle */
	sink++;
}

__attribute__((noinline)) static void outer(int n)
{
	middle(n);		/* line: outer */
	sink += 2;
}

/* More code, for addresses by the hundred: what is inlined in loops, and twice. */
static inline __attribute__((always_inline)) int digit(int c)
{
	return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static inline __attribute__((always_inline)) long number(const char *text, int base)
{
	long n = 0;

	for (; *text != '\0'; text++)
		if (digit(*text) >= 0 && digit(*text) < base)
			n = n * base + digit(*text);
	return n;
}

static int by_length(const void *a, const void *b)
{
	size_t x = strlen(*(const char *const *)a), y = strlen(*(const char *const *)b);

	return (x > y) - (x < y);
}

__attribute__((noinline)) static long words(char **text, int n)
{
	long sum = 0;

	qsort(text, (size_t)n, sizeof(*text), by_length);
	for (int i = 0; i < n; i++)
		sum += number(text[i], 10) + number(text[i], 16);
	return sum;
}

__attribute__((noinline, noreturn)) static void stop(void)
{
	getppid();
	_exit(0);
}

__attribute__((noinline, noreturn)) static void ends(int n)
{
	sink = n;
	stop();			/* line: ends */
}

int main(int argc, char **argv)
{
	outer(argc);
	sink += (int)words(argv, argc);
	ends(sink);
}
