/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * dtruss_hostile: every system call there is a number for, with arguments at the limits of their types, and
 * addresses of memory that is full of such numbers. A process of a user without rights makes the calls of
 * one number; what hangs is interrupted, and killed in the end. Prints "ready N": so many calls were made, at
 * least.
 */
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

enum { USER = 61234, NUMBERS = 470, VECTORS = 24, PAGE = 65536 };

static uint64_t seed = 88172645463325252ull;

static uint64_t next_random(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed;
}

/* Pages: all ones, sign bits, small numbers, any; and an unmapped one behind them. */
static unsigned char *make_pages(void)
{
	unsigned char *p = mmap(NULL, 5 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	uint64_t v;

	if (p == MAP_FAILED)
		_exit(3);
	memset(p, 0xff, PAGE);
	memset(p + PAGE, 0x80, PAGE);
	for (size_t i = 0; i < PAGE; i += sizeof(v)) {
		v = next_random() & 0xff;
		memcpy(p + 2 * PAGE + i, &v, sizeof(v));
		v = next_random();
		memcpy(p + 3 * PAGE + i, &v, sizeof(v));
	}
	munmap(p + 4 * PAGE, PAGE);
	return p;
}

static long argument(const unsigned char *pages)
{
	static const int64_t limits[] = { 0, 1, 2, 3, 31, 32, 33, 63, 64, 65, 127, 128, 255, 256, 4095, 65535,
		INT32_MAX, INT32_MIN, UINT32_MAX, INT64_MAX, INT64_MIN, -1, -2, -100, -4096 };
	uint64_t r = next_random();

	switch (r % 4) {
	case 0: return (long)(uintptr_t)(pages + (r >> 8) % 4 * PAGE);
	case 1: return (long)(uintptr_t)(pages + 4 * PAGE - ((r >> 8) % 40));
	case 2: return (long)limits[(r >> 8) % (sizeof(limits) / sizeof(limits[0]))];
	default: return (long)(next_random() >> (r >> 8) % 64);
	}
}

static void interrupt(int sig) { (void)sig; }

/* Nothing of the system can be changed: no rights, no files, little memory. */
static void give_up_rights(void)
{
	unsigned long pages = 0;	/* a sanitizer has many */
	FILE *f = fopen("/proc/self/statm", "r");
	int got = f != NULL ? fscanf(f, "%lu", &pages) : 0;
	const struct { int what; rlim_t most; } limits[] = {
		{ RLIMIT_AS, (rlim_t)pages * (rlim_t)sysconf(_SC_PAGESIZE) + (256 << 20) },
		{ RLIMIT_FSIZE, 1 << 20 }, { RLIMIT_NPROC, 40 }, { RLIMIT_CORE, 0 } };

	if (f != NULL)
		fclose(f);
	if (got != 1)
		_exit(3);
	for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++)
		setrlimit(limits[i].what, &(struct rlimit){ limits[i].most, limits[i].most });
	for (int fd = 0; fd < 64; fd++)
		close(fd);
	if (open("/dev/null", O_RDWR) != 0 || dup(0) != 1 || dup(0) != 2 || chdir("/proc/self") != 0 ||
	    setresgid(USER, USER, USER) != 0 || setresuid(USER, USER, USER) != 0)
		_exit(3);
}

static _Noreturn void make_calls(long number)
{
	struct itimerval often = { { 0, 3000 }, { 0, 3000 } };
	struct sigaction act = { .sa_handler = interrupt };
	unsigned char *pages;

	seed += (uint64_t)number * 7919;
	give_up_rights();
	pages = make_pages();
	sigaction(SIGALRM, &act, NULL);
	setitimer(ITIMER_REAL, &often, NULL);
	for (int i = 0; i < VECTORS; i++)
		syscall(number, argument(pages), argument(pages), argument(pages), argument(pages),
		    argument(pages), argument(pages));
	_exit(0);
}

/* Those that a call has left behind. */
static void kill_all(void)
{
	pid_t pid = fork();

	if (pid == 0) {
		if (setresuid(USER, USER, USER) == 0)
			kill(-1, SIGKILL);
		_exit(0);
	}
	waitpid(pid, NULL, 0);
}

/* sync(2) would make others wait; the rest ends the process, or waits for what does not come. */
static int skipped(long number)
{
	return number == SYS_sync || number == SYS_exit || number == SYS_exit_group ||
	    number == SYS_rt_sigreturn;
}

int main(void)
{
	long made = 0;

	if (geteuid() != 0 || unshare(CLONE_NEWIPC) != 0)
		return 77;
	for (long number = 0; number < NUMBERS; number++) {
		pid_t pid = skipped(number) ? -1 : fork();
		int status = 0, turn = 0;

		if (pid == 0)
			make_calls(number);
		while (pid > 0 && waitpid(pid, &status, WNOHANG) == 0 && turn++ < 200)
			usleep(1000);
		if (turn > 200) {
			kill(pid, SIGKILL);
			waitpid(pid, &status, 0);
		}
		made += pid > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0 ? VECTORS : 0;
	}
	kill_all();
	printf("ready %ld\n", made);
	return 0;
}
