/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * inproc_births HOW ROUNDS: the process makes others, each of which calls work() a known number of times, and
 * waits for each. HOW: fork, vfork, spawn (posix_spawn()), system, thread (fork() from another thread),
 * exec (it executes itself, ROUNDS times over), missing (fails to execute something first), signals (fork,
 * with a signal each 0.7 ms), wait (as fork, but then it waits for the end of standard input and calls work()
 * again; a child that lives does the same). Prints "calls N" of all of them; status 7, 1: a child did not end
 * as it should.
 */
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

enum { OWN = 4, CHILD = 5, PROGRAM = 6 };

extern char **environ;
static volatile int sink;
static const char *self;
static bool wrong;

__attribute__((noinline)) void work(int n);
__attribute__((noinline)) void work(int n)
{
	for (int i = 0; i < 3; i++)
		sink += n;
}

static void calls(int n)
{
	for (int i = 0; i < n; i++)
		work(i);
}

static void nothing(int sig) { (void)sig; }

static void wait_for(pid_t pid, int wanted)
{
	int status = 0;

	while (pid > 0 && waitpid(pid, &status, 0) < 0)
		;
	if (pid < 0 || !WIFEXITED(status) || WEXITSTATUS(status) != wanted)
		wrong = true;
}

static int forked(void)
{
	pid_t pid = fork();

	if (pid == 0) {
		calls(CHILD);
		_exit(9);
	}
	wait_for(pid, 9);
	return CHILD;
}

static int with_vfork(void)
{
	pid_t pid = vfork();

	if (pid == 0) {
		execl(self, self, "program", "0", (char *)NULL);
		_exit(1);
	}
	wait_for(pid, 8);
	return PROGRAM;
}

static int spawned(void)
{
	char *argv[] = { (char *)self, "program", "0", NULL };
	pid_t pid = -1;

	if (posix_spawn(&pid, self, NULL, NULL, argv, environ) != 0)
		wrong = true;
	wait_for(pid, 8);
	return PROGRAM;
}

static int by_shell(void)
{
	char command[4200];
	int status;

	snprintf(command, sizeof(command), "%s program 0; exit $?", self);
	status = system(command);
	if (!WIFEXITED(status) || WEXITSTATUS(status) != 8)
		wrong = true;
	return PROGRAM;
}

static void *in_thread(void *arg)
{
	*(int *)arg = forked();
	return NULL;
}

static int by_thread(void)
{
	pthread_t t;
	int n = 0;

	if (pthread_create(&t, NULL, in_thread, &n) != 0)
		return 0;
	pthread_join(t, NULL);
	return n;
}

static int missing(void)
{
	execl("/nonexistent/program", "program", (char *)NULL);
	return with_vfork();
}

static int by_name(const char *how)
{
	if (strcmp(how, "vfork") == 0)
		return with_vfork();
	if (strcmp(how, "spawn") == 0)
		return spawned();
	if (strcmp(how, "system") == 0)
		return by_shell();
	if (strcmp(how, "thread") == 0)
		return by_thread();
	return strcmp(how, "missing") == 0 ? missing() : forked();
}

/* The number of calls goes from program to program. */
static void execute(int rounds, long all)
{
	char left[16], sum[32];

	calls(OWN);
	all += OWN;
	if (rounds == 0) {
		printf("calls %ld\n", all);
		exit(7);
	}
	snprintf(left, sizeof(left), "%d", rounds - 1);
	snprintf(sum, sizeof(sum), "%ld", all);
	execl(self, self, "exec", left, sum, (char *)NULL);
	exit(1);
}

static void until_the_end(void)
{
	char byte;

	while (read(0, &byte, 1) != 0)
		;
	calls(OWN);
}

static pid_t living(void)
{
	pid_t pid = fork();

	if (pid == 0) {
		calls(CHILD);
		printf("child %d\n", (int)getpid());
		fflush(stdout);
		until_the_end();
		_exit(9);
	}
	return pid;
}

int main(int argc, char **argv)
{
	struct itimerval often = { { 0, 700 }, { 0, 700 } };
	int rounds = argc > 2 ? atoi(argv[2]) : 0;
	long all = OWN;
	pid_t pid = 0;

	if (argc < 3)
		return 2;
	self = argv[0];
	if (strcmp(argv[1], "program") == 0) {
		calls(PROGRAM);
		return 8;
	}
	if (strcmp(argv[1], "exec") == 0)
		execute(rounds, argc > 3 ? atol(argv[3]) : 0);
	if (strcmp(argv[1], "signals") == 0) {
		signal(SIGALRM, nothing);
		setitimer(ITIMER_REAL, &often, NULL);
	}
	if (strcmp(argv[1], "wait") == 0)
		(void)getchar();
	calls(OWN);
	for (int i = 0; i < rounds; i++)
		all += by_name(argv[1]);
	if (strcmp(argv[1], "wait") == 0) {
		pid = living();
		all += CHILD;
		until_the_end();
		wait_for(pid, 9);
	}
	printf("calls %ld\n", all);
	return wrong ? 1 : 7;
}
