/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A probe by hand: agent_frame() sets every register and flag, goes through a trampoline as src/patch
 * builds it, and notes what it finds after that. agent_mess() is a program that leaves nothing as it was
 * but what C code must keep; agent_empty() returns at once.
 */
#include <stdint.h>

struct frame {
	uint64_t word[34];		/* general registers, then flags at FLAGS */
	uint64_t vector[64];
	uint64_t redzone[16];		/* x86-64: below the stack pointer */
};

struct frame_args { const struct frame *in; struct frame *out; const void *site; };

extern char agent_back[], agent_mess[], agent_empty[];
void agent_frame(const struct frame_args *);

#if defined(__aarch64__)
static inline char *thread_pointer(void) { return __builtin_thread_pointer(); }
enum { WORDS = 31, FLAGS = 31, VECTORS = 64, REDZONE = 0 };
#define FLAG_BITS { 0x80000000, 0x40000000, 0x20000000, 0x10000000 }
enum { FLAGS_SET = 0 };
__asm__(
"	.text\n"
"	.balign 16\n"
"	.global agent_frame, agent_back, agent_mess, agent_empty\n"
"agent_frame:\n"
"	stp x29, x30, [sp, #-192]!\n"
"	stp x19, x20, [sp, #16]\n	stp x21, x22, [sp, #32]\n	stp x23, x24, [sp, #48]\n"
"	stp x25, x26, [sp, #64]\n	stp x27, x28, [sp, #80]\n	stp d8, d9, [sp, #96]\n"
"	stp d10, d11, [sp, #112]\n	stp d12, d13, [sp, #128]\n	stp d14, d15, [sp, #144]\n"
"	str x0, [sp, #160]\n"
"	str x18, [sp, #176]\n"
"	ldr x0, [x0]\n"
"	add x1, x0, #272\n"
"	.irp n, 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30\n"
"	ldr q\\n, [x1, #16 * \\n]\n"
"	.endr\n"
"	.irp n, 1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31\n"
"	ldr q\\n, [x1, #16 * \\n]\n"
"	.endr\n"
"	ldr x1, [x0, #248]\n"
"	msr nzcv, x1\n"
"	.irp n, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15\n"
"	ldr x\\n, [x0, #8 * \\n]\n"
"	.endr\n"
"	.irp n, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30\n"
"	ldr x\\n, [x0, #8 * \\n]\n"
"	.endr\n"
"	ldr x0, [x0]\n"
	/* the trampoline, and its second half */
"	sub sp, sp, #528\n"
"	stp x16, x17, [sp, #128]\n"
"	ldr x16, [sp, #688]\n"
"	ldr x16, [x16, #16]\n"
"	ldr x17, [x16]\n"
"	br x17\n"
"agent_back:\n"
"	ldp x16, x17, [sp, #128]\n"
"	add sp, sp, #528\n"
"	str x0, [sp, #168]\n"
"	ldr x0, [sp, #160]\n"
"	ldr x0, [x0, #8]\n"
"	.irp n, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15\n"
"	str x\\n, [x0, #8 * \\n]\n"
"	.endr\n"
"	.irp n, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30\n"
"	str x\\n, [x0, #8 * \\n]\n"
"	.endr\n"
"	ldr x1, [sp, #168]\n"
"	str x1, [x0]\n"
"	mrs x1, nzcv\n"
"	str x1, [x0, #248]\n"
"	add x1, x0, #272\n"
"	.irp n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15\n"
"	str q\\n, [x1, #16 * \\n]\n"
"	.endr\n"
"	.irp n, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31\n"
"	str q\\n, [x1, #16 * \\n]\n"
"	.endr\n"
"	ldr x18, [sp, #176]\n"
"	ldp x19, x20, [sp, #16]\n	ldp x21, x22, [sp, #32]\n	ldp x23, x24, [sp, #48]\n"
"	ldp x25, x26, [sp, #64]\n	ldp x27, x28, [sp, #80]\n	ldp d8, d9, [sp, #96]\n"
"	ldp d10, d11, [sp, #112]\n	ldp d12, d13, [sp, #128]\n	ldp d14, d15, [sp, #144]\n"
"	ldp x29, x30, [sp], #192\n"
"	ret\n"
"agent_mess:\n"
"	.irp n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17\n"
"	mov x\\n, #0xbad\n"
"	.endr\n"
"	mrs x0, nzcv\n"
"	mvn x0, x0\n"
"	msr nzcv, x0\n"
"agent_empty:\n"
"	ret\n");
#elif defined(__x86_64__)
static inline char *thread_pointer(void)
{
	char *at;

	__asm__("movq %%fs:0, %0" : "=r"(at));
	return at;
}
/* in the order of struct pt_regs: r15 r14 r13 r12 bp bx r11 r10 r9 r8 ax cx dx si di */
enum { WORDS = 15, FLAGS = 31, VECTORS = 32, REDZONE = 16 };
/* CF PF AF ZF SF OF, DF, AC */
#define FLAG_BITS { 1, 4, 0x10, 0x40, 0x80, 0x800, 0x400, 0x40000 }
enum { FLAGS_SET = 0x202 };		/* IF and a bit that is always 1 */
__asm__(
"	.text\n"
"	.balign 16\n"
"	.global agent_frame, agent_back, agent_mess, agent_empty\n"
"agent_frame:\n"
"	pushq %rbx\n	pushq %rbp\n	pushq %r12\n	pushq %r13\n	pushq %r14\n	pushq %r15\n"
"	subq $40, %rsp\n"
"	movq %rdi, (%rsp)\n"
"	movq (%rdi), %rax\n"
"	.irp n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15\n"
"	movups 272 + 16 * \\n(%rax), %xmm\\n\n"
"	.endr\n"
"	pushq 248(%rax)\n"
"	popfq\n"
"	.irp n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15\n"
"	movq 784 + 8 * \\n(%rax), %rcx\n"
"	movq %rcx, -128 + 8 * \\n(%rsp)\n"
"	.endr\n"
"	movq (%rax), %r15\n	movq 8(%rax), %r14\n	movq 16(%rax), %r13\n	movq 24(%rax), %r12\n"
"	movq 32(%rax), %rbp\n	movq 40(%rax), %rbx\n	movq 48(%rax), %r11\n	movq 56(%rax), %r10\n"
"	movq 64(%rax), %r9\n	movq 72(%rax), %r8\n	movq 88(%rax), %rcx\n	movq 96(%rax), %rdx\n"
"	movq 104(%rax), %rsi\n	movq 112(%rax), %rdi\n	movq 80(%rax), %rax\n"
	/* the trampoline, and its second half */
"	leaq -528(%rsp), %rsp\n"
"	movq %rax, 80(%rsp)\n"
"	movq 528(%rsp), %rax\n"
"	movq 16(%rax), %rax\n"
"	jmpq *(%rax)\n"
"agent_back:\n"
"	movq 80(%rsp), %rax\n"
"	leaq 528(%rsp), %rsp\n"
"	movq %rax, 8(%rsp)\n"
"	movq (%rsp), %rax\n"
"	movq 8(%rax), %rax\n"
"	movq %r15, (%rax)\n	movq %r14, 8(%rax)\n	movq %r13, 16(%rax)\n	movq %r12, 24(%rax)\n"
"	movq %rbp, 32(%rax)\n	movq %rbx, 40(%rax)\n	movq %r11, 48(%rax)\n	movq %r10, 56(%rax)\n"
"	movq %r9, 64(%rax)\n	movq %r8, 72(%rax)\n	movq %rcx, 88(%rax)\n	movq %rdx, 96(%rax)\n"
"	movq %rsi, 104(%rax)\n	movq %rdi, 112(%rax)\n	movq 8(%rsp), %rcx\n	movq %rcx, 80(%rax)\n"
"	.irp n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15\n"
"	movq -128 + 8 * \\n(%rsp), %rcx\n"
"	movq %rcx, 784 + 8 * \\n(%rax)\n"
"	.endr\n"
"	pushfq\n"
"	popq 248(%rax)\n"
"	pushq $2\n"
"	popfq\n"
"	.irp n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15\n"
"	movups %xmm\\n, 272 + 16 * \\n(%rax)\n"
"	.endr\n"
"	addq $40, %rsp\n"
"	popq %r15\n	popq %r14\n	popq %r13\n	popq %r12\n	popq %rbp\n	popq %rbx\n"
"	ret\n"
"agent_mess:\n"
"	pushfq\n"
"	xorq $0x8d5, (%rsp)\n"		/* all that arithmetic sets */
"	popfq\n"
"	.irp r, rax, rcx, rdx, rsi, rdi, r8, r9, r10, r11\n"
"	movq $0xbad, %\\r\n"
"	.endr\n"
"agent_empty:\n"
"	ret\n");
#endif
