/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * provider_lockstat fight FILE: threads that get in each other's way in a mutex, a reader's and writer's
 * spinlock and a semaphore, until they are killed. FILE is made. provider_lockstat spin FILE: in a
 * spinlock. provider_lockstat calls FILE: between two calls of times(2) 20 of each: a mutex taken (lseek of
 * a file that two descriptors have), a spinlock (futex that does not wait), a semaphore that becomes a
 * reader's (munmap), one that a writer has (pwrite). Then a thread that waits for a mutex gets a signal.
 */
#include "asleep.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <pthread.h>
#include <pty.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/times.h>
#include <termios.h>
#include <unistd.h>

#define N 20
static int file, word, here, there;
static char block[65536];

static void must(int ok, const char *what)
{
	if (!ok) {
		perror(what);
		_exit(2);
	}
}

/* f_pos_lock, a mutex; and the inode's semaphore */
static void *moves(void *arg)
{
	for (;;)
		must(lseek(file, 0, SEEK_SET) == 0 && write(file, block, sizeof(block)) > 0, "write");
	return arg;
}

static void *places(void *arg)
{
	for (;;)
		must(pwrite(file, block, sizeof(block), 0) > 0, "pwrite");
	return arg;
}

static long no_wait(void) { return syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 1, NULL, NULL, 0); }

static void *futexes(void *arg)
{
	for (;;)
		no_wait();
	return arg;
}

/* the list of tasks: readers, and one that writes */
static void *asks(void *arg)
{
	for (;;)
		getpriority(PRIO_PGRP, 0);
	return arg;
}

static void *leads(void *arg)
{
	for (;;)
		setpgid(0, 0);
	return arg;
}

static void fight(void *(*const *of)(void *))
{
	pthread_t t;

	for (; *of != NULL; of++)
		must(pthread_create(&t, NULL, *of, NULL) == 0, "pthread_create");
	for (;;)
		pause();
}

static void known(void)
{
	struct tms t;

	must(dup(file) >= 0, "dup");
	times(&t);
	for (int i = 0; i < N; i++) {
		void *p = mmap(NULL, 65536, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		must(p != MAP_FAILED && munmap(p, 65536) == 0, "munmap");
		must(lseek(file, i, SEEK_SET) == i, "lseek");
		must(no_wait() < 0 && errno == EAGAIN, "futex");
		must(pwrite(file, block, 100, 0) == 100, "pwrite");
	}
	times(&t);
}

static volatile int tid[2];
static void nothing(int sig) { (void)sig; }

/* The first waits for a line and has the mutex of those who read, the second waits for that. */
static void *reads(void *arg)
{
	char line[16];

	*(volatile int *)arg = (int)syscall(SYS_gettid);
	must(read(here, line, sizeof(line)) < 0 && errno == EINTR, "read");
	return NULL;
}

static void interrupted(void)
{
	struct sigaction act = { .sa_handler = nothing };
	struct termios raw = { .c_cflag = CS8 | CREAD, .c_lflag = ICANON };
	pthread_t t[2];

	sigaction(SIGUSR1, &act, NULL);
	must(openpty(&there, &here, NULL, &raw, NULL) == 0, "openpty");
	for (int i = 0; i < 2; i++) {
		must(pthread_create(&t[i], NULL, reads, (void *)&tid[i]) == 0, "pthread_create");
		until_asleep(&tid[i]);
	}
	for (int i = 1; i >= 0; i--) {
		pthread_kill(t[i], SIGUSR1);
		pthread_join(t[i], NULL);
	}
}

int main(int argc, char **argv)
{
	static void *(*const fighters[])(void *) = { moves, moves, moves, places, places, asks, asks, leads,
		NULL };
	static void *(*const spinners[])(void *) = { futexes, futexes, futexes, NULL };

	must(argc > 2 && (file = open(argv[2], O_CREAT | O_RDWR, 0600)) >= 0, "FILE");
	if (strcmp(argv[1], "fight") == 0)
		fight(fighters);
	if (strcmp(argv[1], "spin") == 0)
		fight(spinners);
	known();
	interrupted();
	return 0;
}
