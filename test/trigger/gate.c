/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Calls getppid() until SIGUSR1 comes, whose handler calls go(); then it ends. A probe that makes the
 * signal can be told from one at go().
 */
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

static volatile sig_atomic_t gone;

__attribute__((noinline)) void go(int signal);
void go(int signal)
{
	gone = signal;
}

static void handler(int signal)
{
	go(signal);
}

int main(void)
{
	signal(SIGUSR1, handler);
	puts("ready");
	fflush(stdout);
	while (!gone)
		(void)getppid();
	return 0;
}
