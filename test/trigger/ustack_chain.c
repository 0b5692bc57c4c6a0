/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ustack_chain [-l LIB] [-n TIMES] [-b MS] [-2] [-w]: main() → first() → second() → third(), which
 * calls getppid(2) TIMES times (1). The stack of each call must show these names, innermost first. Built
 * with frame pointers and without inlining.
 *
 *   -l LIB   chain_inside() of LIB is between second() and third()
 *   -b MS    third() is busy that long before it calls
 *   -2       second() calls third() from two places
 *   -w       begins when standard input ends
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define CHAIN __attribute__((noinline))

static long times = 1, busy_ms;
static int twice;
static int (*inside)(int (*)(int), int);
volatile unsigned long chain_spin;

static long now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

/* In line: the C library's wrapper makes no frame, and then the one around it is not seen. */
static inline __attribute__((always_inline)) void call_getppid(void)
{
#if defined(__aarch64__)
	register long nr __asm__("x8") = SYS_getppid, r __asm__("x0");

	__asm__ volatile("svc 0" : "=r"(r) : "r"(nr) : "memory");
#elif defined(__x86_64__)
	long r;

	__asm__ volatile("syscall" : "=a"(r) : "a"(SYS_getppid) : "rcx", "r11", "memory");
#else
	syscall(SYS_getppid);
#endif
}

CHAIN int chain_third(int x)
{
	long until = now_ms() + busy_ms;

	while (busy_ms && now_ms() < until)
		for (int i = 0; i < 100000; i++)
			chain_spin++;
	for (long i = 0; i < times; i++)
		call_getppid();
	return x + 1;
}

CHAIN int chain_second(int x)
{
	int r = inside != NULL ? inside(chain_third, x) : chain_third(x);

	if (twice)
		r += chain_third(r);
	return r + 2;	/* no tail call */
}

CHAIN static int chain_first(int x)
{
	int r = chain_second(x);

	return r + 3;
}

int main(int argc, char **argv)
{
	int c, r;

	while ((c = getopt(argc, argv, "l:n:b:2w")) != -1)
		switch (c) {
		case 'l': {
			void *lib = dlopen(optarg, RTLD_NOW);

			if (lib == NULL) {
				fprintf(stderr, "%s\n", dlerror());
				return 2;
			}
			*(void **)&inside = dlsym(lib, "chain_inside");
			break;
		}
		case 'n': times = strtol(optarg, NULL, 10); break;
		case 'b': busy_ms = strtol(optarg, NULL, 10); break;
		case '2': twice = 1; break;
		case 'w': (void)!read(0, &c, 1); break;
		default: return 2;
		}
	r = chain_first(argc);
	return r > 0 ? 0 : 1;
}
