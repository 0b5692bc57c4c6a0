/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A tree of processes that says how much it does. family DEPTH FAN: each process calls work() and
 * getpgid(2) ten times and five times more in a thread, makes FAN children, and ends without waiting for
 * them. The last ones go on when they are orphans, then become another program, which calls both seven
 * times. Prints what all of them together do: "calls N processes N". With a fourth word it first waits for
 * a line.
 */
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { OWN = 10, THREAD = 5, AFTER_EXEC = 7 };

__attribute__((noinline)) void work(int i);
__attribute__((noinline)) void work(int i)
{
	/* room for two jumps, at the beginning and at the end, however it is compiled */
	__asm__ volatile(".rept 10\n\tnop\n\t.endr" : : "r"(i) : "memory");
}

static void calls(int n)
{
	for (int i = 0; i < n; i++) {
		work(i);
		(void)syscall(SYS_getpgid, 0);
	}
}

static void *thread(void *arg)
{
	calls(THREAD);
	return arg;
}

/* One process, from its beginning to its end; false: this is a child of it. */
static bool node(const char *self, int depth, int fan, pid_t parent)
{
	pthread_t t;

	while (depth == 0 && getppid() == parent)
		usleep(1000);
	calls(OWN);
	if (pthread_create(&t, NULL, thread, NULL) != 0)
		_exit(1);
	pthread_join(t, NULL);
	if (depth == 0) {
		execl(self, self, "exec", (char *)NULL);
		_exit(1);
	}
	for (int i = 0; i < fan; i++) {
		pid_t pid = fork();

		if (pid < 0)
			_exit(1);
		if (pid == 0)
			return false;
	}
	return true;
}

int main(int argc, char **argv)
{
	int depth, fan, processes = 0, last = 1;
	char line[16];

	if (argc == 2 && strcmp(argv[1], "exec") == 0) {
		calls(AFTER_EXEC);
		return 0;
	}
	if (argc < 3)
		return 2;
	depth = atoi(argv[1]);
	fan = atoi(argv[2]);
	for (int i = 0; i <= depth; i++) {
		processes += last;
		last *= i < depth ? fan : 1;
	}
	printf("calls %d processes %d\n", processes * (OWN + THREAD) + last * AFTER_EXEC, processes);
	fflush(stdout);
	if (argc > 3 && fgets(line, sizeof(line), stdin) == NULL)
		return 1;
	for (pid_t parent = 0, me = getpid(); !node(argv[0], depth, fan, parent); depth--) {
		parent = me;
		me = getpid();
	}
	_exit(0);
}
