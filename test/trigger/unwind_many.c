/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * unwind_many LIBRARY DIRECTORY N: loads N copies of the library and calls through all of them; the last one
 * calls back. Then it writes the return addresses it finds itself, and makes a system call every millisecond
 * until it is ended. The library is this file, compiled with LIBRARY.
 * unwind_many LIBRARY DIRECTORY N CALLS: calls through 100 that are spread over the N, and writes how many
 * nanoseconds a system call takes, each time after so many calls.
 * unwind_many N: has N children that do nothing, and does as the first one.
 */
#include <dlfcn.h>
#include <execinfo.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

typedef int hop_f(void **next, int n, int (*end)(void));

#ifdef LIBRARY

int hop(void **next, int n, int (*end)(void));

int hop(void **next, int n, int (*end)(void))
{
	return n > 0 ? ((hop_f *)next[0])(next + 1, n - 1, end) + 1 : end() + 1;
}

#else

static __attribute__((noinline)) int chain_end(void)
{
	static void *at[8192];
	int n = backtrace(at, 8192);

	printf("many");
	for (int i = 0; i < n; i++)
		printf(" %p", at[i]);
	printf("\n");
	fflush(stdout);
	while (syscall(SYS_getppid) >= 0)
		usleep(1000);
	return 0;
}

static __attribute__((noinline)) int time_calls(void)
{
	int calls = atoi(getenv("CALLS"));
	struct timespec from, to;

	for (;;) {
		clock_gettime(CLOCK_MONOTONIC, &from);
		for (int i = 0; i < calls; i++)
			if (syscall(SYS_getppid) < 0)
				return 1;
		clock_gettime(CLOCK_MONOTONIC, &to);
		printf("%.0f\n", ((double)(to.tv_sec - from.tv_sec) * 1e9 +
		    (double)(to.tv_nsec - from.tv_nsec)) / calls);
		fflush(stdout);
	}
}

/* The copy has another inode, so it is another file for the dynamic linker and for the tracer. */
static void *load_copy(const char *bytes, size_t len, const char *directory, int i)
{
	char path[4096];
	void *library;
	int fd;

	snprintf(path, sizeof(path), "%s/%d.so", directory, i);
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0755);
	if (fd < 0 || write(fd, bytes, len) != (ssize_t)len)
		return NULL;
	close(fd);
	library = dlopen(path, RTLD_NOW);
	return library != NULL ? dlsym(library, "hop") : NULL;
}

/* They end with us. */
static int with_children(int n)
{
	pid_t parent = getpid();

	for (int i = 0; i < n; i++) {
		pid_t pid = fork();

		if (pid < 0)
			return 1;
		if (pid > 0)
			continue;
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		while (getppid() == parent)
			pause();
		_exit(0);
	}
	return chain_end();
}

int main(int argc, char **argv)
{
	static char bytes[1 << 20];
	int n = argc >= 4 ? atoi(argv[3]) : 0, fd = argc >= 4 ? open(argv[1], O_RDONLY) : -1;
	ssize_t len = fd >= 0 ? read(fd, bytes, sizeof(bytes)) : -1;
	void **hop = calloc((size_t)n + 1, sizeof(*hop)), *spread[101];

	if (argc == 2)
		return with_children(atoi(argv[1]));
	if (n < 1 || len <= 0 || hop == NULL)
		return 2;
	for (int i = 0; i < n; i++)
		if ((hop[i] = load_copy(bytes, (size_t)len, argv[2], i)) == NULL)
			return 1;
	for (int i = 0; i < 100; i++)
		spread[i] = hop[(size_t)i * (size_t)n / 100];
	if (argc == 5 && setenv("CALLS", argv[4], 1) == 0)
		return ((hop_f *)spread[0])(spread + 1, 99, time_calls);
	return ((hop_f *)hop[0])(hop + 1, n - 1, chain_end);
}

#endif
