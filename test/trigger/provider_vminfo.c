/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * provider_vminfo FOLDER: 64 pages of everything vminfo counts, each kind after a call of times(2): of
 * nothing, of zeros, faults of protection, a file written, read, read by faults (as code too), copied on
 * write, locked for direct I/O. FOLDER is on a disk. provider_vminfo swap: 64 pages out, and in again.
 */
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/times.h>
#include <sys/wait.h>
#include <unistd.h>

#define PAGES 64
static size_t page;

static void must(int ok)
{
	if (!ok) {
		perror("provider_vminfo");
		_exit(2);
	}
}

static void next(void)
{
	struct tms t;

	times(&t);
}

static char *map(int prot, int flags, int fd)
{
	char *p = mmap(NULL, PAGES * page, prot, flags, fd, 0);

	must(p != MAP_FAILED);
	madvise(p, PAGES * page, MADV_NOHUGEPAGE);
	return p;
}

static char *fresh(void) { return map(PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1); }

static void touch(volatile char *p, int value)
{
	for (int i = 0; i < PAGES; i++)
		p[i * page] = (char)(value + i);
}

static int look(volatile char *p)
{
	int sum = 0;

	for (int i = 0; i < PAGES; i++)
		sum += p[i * page];
	return sum;
}

static sigjmp_buf back;
static void handler(int sig) { siglongjmp(back, sig); }

static void forbidden(volatile char *p)
{
	for (volatile int i = 0; i < PAGES; i++) {
		signal(SIGSEGV, handler);
		if (sigsetjmp(back, 1) == 0)
			p[i * page] = 1;
	}
}

static void forget(int fd)
{
	must(fsync(fd) == 0);
	posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
}

static void copied(char *p)
{
	pid_t pid = fork();

	if (pid == 0) {
		next();
		touch(p, 2);
		next();
		_exit(0);
	}
	waitpid(pid, NULL, 0);
}

static void files(const char *name, char *buf)
{
	int fd = open(name, O_RDWR | O_CREAT | O_TRUNC, 0600), direct = open(name, O_RDONLY | O_DIRECT);
	volatile char *p;
	char *untouched = fresh();

	must(fd >= 0 && direct >= 0);
	next();		/* 5: written */
	must(write(fd, buf, PAGES * page) == (ssize_t)(PAGES * page));
	forget(fd);
	next();		/* 6: read */
	must(pread(fd, buf, PAGES * page, 0) == (ssize_t)(PAGES * page));
	next();		/* 7 */
	forget(fd);
	p = map(PROT_READ, MAP_SHARED, fd);
	madvise((void *)p, PAGES * page, MADV_RANDOM);
	next();		/* 8: faults that read */
	look(p);
	next();		/* 9: locked */
	must(pread(direct, untouched, PAGES * page, 0) == (ssize_t)(PAGES * page));
	next();		/* 10 */
	munmap((void *)p, PAGES * page);
	forget(fd);
	p = map(PROT_READ | PROT_EXEC, MAP_PRIVATE, fd);
	madvise((void *)p, PAGES * page, MADV_RANDOM);
	next();		/* 11: faults that read code */
	look(p);
	next();		/* 12 */
}

static int resident(char *p)
{
	unsigned char in[PAGES];
	int n = 0;

	must(mincore(p, PAGES * page, in) == 0);
	for (int i = 0; i < PAGES; i++)
		n += in[i] & 1;
	return n;
}

/* Pages that were just written are still in memory: once they are clean, another try lets them go. */
static void swap(void)
{
	char *p = fresh();
	int tries = 0, sum;

	for (size_t i = 0; i < PAGES * page; i++)
		p[i] = (char)(i * 7 + 1);
	sum = look(p);
	next();
	do {
		must(tries++ < 500);
		look(p);
		usleep(20000);
		must(madvise(p, PAGES * page, MADV_PAGEOUT) == 0);
	} while (resident(p) > 0);
	next();
	must(look(p) == sum);
	next();
}

int main(int argc, char **argv)
{
	char *zeros, *locked, name[4096];

	page = (size_t)sysconf(_SC_PAGESIZE);
	if (argc > 1 && strcmp(argv[1], "swap") == 0) {
		swap();
		return 0;
	}
	touch(fresh(), 1);	/* all code is there */
	next();
	next();
	zeros = fresh();
	locked = map(PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1);
	next();		/* 3: pages of zeros */
	touch(zeros, 1);
	next();
	snprintf(name, sizeof(name), "%s/file", argc > 1 ? argv[1] : ".");
	files(name, zeros);
	forbidden(locked);
	next();
	copied(zeros);
	return 0;
}
