/* SPDX-License-Identifier: BSD-2-Clause */
/* Calls getppid() 300 calls deep. */
#include <unistd.h>

__attribute__((noinline)) int down(volatile int n);
int down(volatile int n)
{
	return n == 0 ? (int)getppid() : down(n - 1) + 1;
}

int main(void)
{
	return down(300) == 0;
}
