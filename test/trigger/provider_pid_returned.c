/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * N25: functions that end by jumping to another one, in every way that compilers and linkers do it, written
 * in assembler so that they do it whatever the options. It has a table for exceptions, so that it counts as a
 * process that throws. The argument is how often everything is called.
 */
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

__attribute__((section(".gcc_except_table"), used)) static const char volatile table[] = "table";

#define FUNCTION(name, code) __asm__(".text\n.p2align 4\n.globl " #name "\n.type " #name ", %function\n" \
	#name ":\n" code "\n.size " #name ", . - " #name "\n")
#ifdef __aarch64__
#define JUMP(to) "b " #to
#define JUMP_IF_ODD(to) "tbnz w0, 0, " #to "\nmov w0, 5\nret"
#define JUMP_SLOT(to) "adrp x16, :got:" #to "\nldr x16, [x16, :got_lo12:" #to "]\nbr x16"
#define JUMP_POINTER "mov x16, x1\nbr x16"
#define JUMP_LIBRARY(to) "b " #to
/* back to its first instruction until the argument is 0 */
#define LOOP "sub w0, w0, 1\ncmp w0, 0\nb.gt circle\nret"
#else
#define JUMP(to) "jmp " #to
#define JUMP_IF_ODD(to) "test $1, %dil\njne " #to "\nmov $5, %eax\nret"
#define JUMP_SLOT(to) "jmp *" #to "@GOTPCREL(%rip)"
#define JUMP_POINTER "jmp *%rsi"
#define JUMP_LIBRARY(to) "jmp " #to "@PLT"
#define LOOP "sub $1, %edi\njg circle\nmov %edi, %eax\nret"
#endif

int thin(int), thick(int), maybe(int), jumper(int), step(int), by_pointer(int, int (*)(int)), to_loop(int),
    circle(int), even(int), odd(int);
void gives(void *), gives_slot(void *);

FUNCTION(thin, JUMP(slow));
FUNCTION(thick, JUMP(thin));			/* two jumps */
FUNCTION(maybe, JUMP_IF_ODD(slow));
FUNCTION(jumper, JUMP(left));
FUNCTION(step, JUMP(deep));
FUNCTION(gives, JUMP_LIBRARY(free));
FUNCTION(gives_slot, JUMP_SLOT(free));
FUNCTION(by_pointer, JUMP_POINTER);
FUNCTION(circle, LOOP);
FUNCTION(to_loop, JUMP(circle));
FUNCTION(even, JUMP(odd));
FUNCTION(odd, JUMP_IF_ODD(even));

static jmp_buf env;
static volatile int sink;

__attribute__((noinline)) int slow(int x)
{
	struct timespec ms = { 0, 1000000 };

	nanosleep(&ms, NULL);
	return x + 1;
}

__attribute__((noinline)) int left(int x)
{
	sink++;
	if (x == 1)
		longjmp(env, 1);
	return x;
}

__attribute__((noinline)) int deep(int n)
{
	int r = n > 0 ? step(n - 1) : 0;

	__asm__ volatile("" ::: "memory");
	return r + n;
}

/* What is left by longjmp() is called again at the same stack pointer, without the jump. */
__attribute__((noinline)) static void jumps(int n)
{
	for (volatile int i = 0; i < n; i++) {
		for (volatile int x = 1; x <= 3; x++) {
			int (*volatile f)(int) = x == 2 ? left : jumper;	/* 2: not by the jump */

			if (setjmp(env) == 0)
				sink += f(x);
		}
	}
}

int main(int argc, char *argv[])
{
	int n = argc > 1 ? atoi(argv[1]) : 1, sum = 0;

	for (int i = 0; i < n; i++) {
		sum += thin(i) + slow(1);
		sum += thick(i);
		sum += maybe(i);
		sum += deep(100);
		gives(malloc(10));
		gives_slot(malloc(10));
		free(malloc(10));
		sum += by_pointer(i, slow);
		sum += to_loop(3) + circle(2);
		sum += even(2);
	}
	jumps(n);
	sum += table[0] - 't';			/* or the linker leaves it out */
	printf("sum %d\n", sum);
	return 7;
}
