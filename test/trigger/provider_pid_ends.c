/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What processes do that have probes in them, for provider_pid_ends.sh. Waits for a line on
 * standard input, then
 *   exec PROGRAM ARGS…   calls work() 10 times and becomes the program
 *   fork                 calls work() 10 times, and 7 times in a child
 *   load LIBRARY         opens the library, calls its later() 5 times, closes it, and all that twice more
 *   private              may not be looked at (PR_SET_DUMPABLE), and waits for one more line
 *   spin                 calls work() until it is killed
 */
#include "alone.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

int work(int n);

ALONE int work(int n)
{
	__asm__ volatile("" ::: "memory");
	return n * 2;
}

static void calls(int n)
{
	for (int i = 0; i < n; i++)
		work(i);
}

static void await(void)
{
	char c;

	while (read(0, &c, 1) == 1 && c != '\n')
		;
}

static int load(const char *path)
{
	for (int round = 0; round < 3; round++) {
		void *lib = dlopen(path, RTLD_NOW);
		int (*later)(int) = lib != NULL ? (int (*)(int))dlsym(lib, "later") : NULL;

		if (later == NULL)
			return 1;
		usleep(300000);		/* time for a tracer to see it */
		for (int i = 0; i < 5; i++)
			later(i);
		dlclose(lib);
	}
	return 0;
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";

	if (strcmp(what, "private") == 0)
		prctl(PR_SET_DUMPABLE, 0);
	puts("up");
	fflush(stdout);
	await();
	if (strcmp(what, "load") == 0)
		return argc > 2 ? load(argv[2]) : 2;
	calls(10);
	while (strcmp(what, "spin") == 0) {
		work(1);
		usleep(1000);
	}
	if (strcmp(what, "exec") == 0 && argc > 2)
		execv(argv[2], argv + 2);
	if (strcmp(what, "private") == 0)
		await();
	if (strcmp(what, "fork") == 0) {
		pid_t child = fork();

		if (child == 0) {
			calls(7);
			_exit(0);
		}
		waitpid(child, NULL, 0);
	}
	return 0;
}
