/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * inproc_lives WHAT: a program whose threads end or stand still at odd moments. It prints "up" and waits for
 * a line of input before each step.
 *	once	calls work() once
 *	reuse	a thread calls first() and ends; then another one with the same number calls second(). Prints
 *		"same" or "other", as the kernel gave it that number or not.
 *	exec	eight threads call work() without end while a ninth executes this program again, which prints
 *		"again"
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

__attribute__((noinline)) long work(long n) { __asm__ volatile("" : : : "memory"); return n + 1; }
__attribute__((noinline)) long first(long n) { __asm__ volatile("" : : : "memory"); return n + 2; }
__attribute__((noinline)) long second(long n) { __asm__ volatile("" : : : "memory"); return n + 3; }
static long (*volatile do_work)(long) = work;
static long (*volatile do_first)(long) = first;
static long (*volatile do_second)(long) = second;
static pid_t number;

static void wait_line(void) { char byte; (void)!read(0, &byte, 1); }

static void *early(void *arg)
{
	(void)arg;
	number = (pid_t)syscall(SYS_gettid);
	do_first(1);
	return NULL;
}

static void *late(void *arg)
{
	bool *same = arg;

	*same = number == (pid_t)syscall(SYS_gettid);
	if (*same)
		do_second(1);
	return NULL;
}

/* The next number is the one after the last: root can say which that was. */
static void next_is(pid_t tid)
{
	char text[16];
	int n = snprintf(text, sizeof(text), "%d", tid - 1);
	int fd = open("/proc/sys/kernel/ns_last_pid", O_WRONLY);

	if (fd >= 0) {
		(void)!write(fd, text, (size_t)n);
		close(fd);
	}
}

static void reuse(void)
{
	bool same = false;
	pthread_t t;

	pthread_create(&t, NULL, early, NULL);
	pthread_join(t, NULL);
	puts("first");
	wait_line();
	for (int i = 0; i < 1000 && !same; i++) {
		next_is(number);
		pthread_create(&t, NULL, late, &same);
		pthread_join(t, NULL);
	}
	puts(same ? "same" : "other");
}

static void *forever(void *arg)
{
	for (long i = 0;; i++)
		do_work(i);
	return arg;
}

static void *execute(void *arg)
{
	execl(arg, arg, "again", NULL);
	return NULL;
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	pthread_t t;

	setvbuf(stdout, NULL, _IONBF, 0);
	if (strcmp(what, "again") == 0) {
		puts("again");
		wait_line();
		return 7;
	}
	puts("up");
	wait_line();
	if (strcmp(what, "once") == 0) {
		do_work(1);
		puts("worked");
	} else if (strcmp(what, "reuse") == 0) {
		reuse();
	} else if (strcmp(what, "exec") == 0) {
		for (int i = 0; i < 8; i++)
			pthread_create(&t, NULL, forever, NULL);
		puts("busy");
		wait_line();
		pthread_create(&t, NULL, execute, argv[0]);
		pthread_join(t, NULL);
	}
	wait_line();
	return 7;
}
