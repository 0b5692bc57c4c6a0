/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Calls getppid() 300 calls deep, or as many as the argument says. What each call returns is written after
 * it, so no compiler turns the calls into a loop.
 */
#include <stdlib.h>
#include <unistd.h>

__attribute__((noinline)) int down(int n);
int down(int n)
{
	volatile int below = n == 0 ? (int)getppid() : down(n - 1);

	return below + 1;
}

int main(int argc, char **argv)
{
	return down(argc > 1 ? atoi(argv[1]) : 300) == 0;
}
