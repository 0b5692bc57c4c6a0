/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * hits HOW N [FILE]: does one thing N times, after 1000 that are not timed, and prints the nanoseconds of
 * CPU time that each took. HOW: none, a call that is not traced; call, hits_call(i % 16), which returns what
 * it gets; site, the static probe hits:::site(i % 16); text, the function hits_text() with a good and a bad
 * address in turn. With FILE it begins when that exists, so that a tracer can be ready. Status 5, so that a
 * test can tell it from others.
 *
 * N "steps": prints instead how many instructions it takes more than none does, counted by a child that steps
 * it through both by ptrace(2). Status 6: that is not permitted.
 */
#include <dtrace/usdt.h>

#include <elf.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { WARM = 1000, KEYS = 16, STEPS_MAX = 1000000, NOT_PERMITTED = 6 };

/* Long enough for two places: without it the first instruction is the last one. */
#define BODY __asm__ volatile("nop\n nop\n nop\n nop\n nop\n nop\n nop\n nop" ::: "memory")

__attribute__((noinline)) long hits_none(long n)
{
	BODY;
	return n;
}

__attribute__((noinline)) long hits_call(long n)
{
	BODY;
	return n;
}

__attribute__((noinline)) long hits_site(long n)
{
	_DT_USDT_PROBE(1, "hits", "site", "hits_site_semaphore", n);
	BODY;
	return n;
}

__attribute__((noinline)) long hits_address(const char *text)
{
	__asm__ volatile("" :: "r" (text) : "memory");
	return text != NULL;
}

__attribute__((noinline)) long hits_text(long n)
{
	return hits_address(n % 2 ? (const char *)16 : "a text");
}

static long (*function_of(const char *how))(long)
{
	if (strcmp(how, "call") == 0)
		return hits_call;
	if (strcmp(how, "site") == 0)
		return hits_site;
	return strcmp(how, "text") == 0 ? hits_text : hits_none;
}

/* ---- instructions ---- */

/* What a round of steps_rounds() passes: before and after the function, and before and after none. */
__attribute__((noinline)) void steps_begin(void) { __asm__ volatile("" ::: "memory"); }
__attribute__((noinline)) void steps_between(void) { __asm__ volatile(" " ::: "memory"); }
__attribute__((noinline)) void steps_end(void) { __asm__ volatile("  " ::: "memory"); }

static void steps_rounds(long (*f)(long), const volatile int *done)
{
	long (*volatile none)(long) = hits_none, (*volatile one)(long) = f;

	while (!*done) {
		steps_begin();
		one(1);
		steps_between();
		none(1);
		steps_end();
	}
}

static uintptr_t pc_of(pid_t pid)
{
	struct user_regs_struct regs = { 0 };
	struct iovec io = { &regs, sizeof(regs) };

	if (ptrace(PTRACE_GETREGSET, pid, (void *)NT_PRSTATUS, &io) < 0)
		return 0;
#if defined(__x86_64__)
	return regs.rip;
#else
	return regs.pc;
#endif
}

/* A load that is exclusive (aarch64): each step ends the access, and its store would never succeed. */
static int is_exclusive(pid_t pid, uintptr_t pc)
{
#if defined(__aarch64__)
	return (ptrace(PTRACE_PEEKTEXT, pid, (void *)pc, NULL) & 0x3fc00000) == 0x08400000;
#else
	return (void)pid, (void)pc, 0;
#endif
}

static int is_stopped(pid_t pid)
{
	int status;

	return waitpid(pid, &status, 0) == pid && WIFSTOPPED(status);
}

/* Steps until the function begins; the instructions of that, or 0: it was let run for a while. */
static long steps_to(pid_t pid, void (*f)(void))
{
	for (long n = 1; n < STEPS_MAX; n++) {
		if (ptrace(PTRACE_SINGLESTEP, pid, NULL, NULL) < 0 || !is_stopped(pid))
			return 0;
		if (pc_of(pid) == (uintptr_t)f)
			return n;
		if (is_exclusive(pid, pc_of(pid)))
			break;
	}
	ptrace(PTRACE_CONT, pid, NULL, NULL);
	usleep(1000);
	ptrace(PTRACE_INTERRUPT, pid, NULL, NULL);
	is_stopped(pid);
	return 0;
}

/* In the child: the least of some rounds, as a timer or another thread can only make it more. */
static int count_steps(pid_t pid, int *done)
{
	long least = STEPS_MAX, with, none;

	if (ptrace(PTRACE_SEIZE, pid, NULL, NULL) < 0 || ptrace(PTRACE_INTERRUPT, pid, NULL, NULL) < 0 ||
	    !is_stopped(pid)) {
		*done = 1;
		return NOT_PERMITTED;
	}
	for (int round = 0; round < 8; round++) {
		with = steps_to(pid, steps_begin) > 0 ? steps_to(pid, steps_between) : 0;
		none = with > 0 ? steps_to(pid, steps_end) : 0;
		if (none > 0 && with - none < least)
			least = with - none;
	}
	*done = 1;
	ptrace(PTRACE_DETACH, pid, NULL, NULL);
	printf("%ld\n", least);
	fflush(stdout);
	return least < STEPS_MAX ? 0 : 1;
}

static int steps(long (*f)(long))
{
	int *done = mmap(NULL, sizeof(*done), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pid_t child, self = getpid();
	int status = 0;

	if (done == MAP_FAILED)
		return 1;
	prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY);
	child = fork();
	if (child == 0)
		_exit(count_steps(self, done));
	steps_rounds(f, done);
	if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status))
		return 1;
	return WEXITSTATUS(status) == 0 ? 5 : WEXITSTATUS(status);
}

int main(int argc, char **argv)
{
	long (*f)(long) = function_of(argc > 1 ? argv[1] : "");
	long n = argc > 2 ? atol(argv[2]) : 0;
	struct timespec a, b;

	while (argc > 3 && access(argv[3], F_OK) != 0)
		usleep(10000);
	for (long i = 0; i < WARM; i++)
		f(i % KEYS);
	if (argc > 2 && strcmp(argv[2], "steps") == 0)
		return steps(f);
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &a);
	for (long i = 0; i < n; i++)
		f(i % KEYS);
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &b);
	printf("%.1f\n", ((double)(b.tv_sec - a.tv_sec) * 1e9 + (double)(b.tv_nsec - a.tv_nsec)) /
	    (double)(n > 0 ? n : 1));
	return 5;
}
