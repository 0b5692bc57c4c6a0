/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What code without a libc needs of the machine it is compiled for: system calls, words of the thread, places
 * of registers in struct pt_regs. For src/agent, which runs inside other programs.
 */
#ifndef DT_MACHINE_RAW_H
#define DT_MACHINE_RAW_H

#include <stdint.h>

#if defined(__aarch64__)

enum { DT_RAW_FP = 29, DT_RAW_SP = 31, DT_RAW_PC = 32,
	/* from the frame pointer to two words: the next frame pointer, and where the function returns to */
	DT_RAW_FRAME = 0,
	/* a system call: registers of its number, its value, two arguments; the number in struct pt_regs */
	DT_RAW_CALL = 8, DT_RAW_VALUE = 0, DT_RAW_ARG0 = 0, DT_RAW_ARG1 = 1, DT_RAW_CALLED = 35,
	DT_RAW_CALL_STAYS = 1 };	/* its register has the number after the call too */

static inline long dt_raw_syscall(long n, uint64_t a, uint64_t b, uint64_t c, uint64_t d, uint64_t e,
    uint64_t f)
{
	register uint64_t x8 __asm__("x8") = (uint64_t)n;
	register uint64_t x0 __asm__("x0") = a;
	register uint64_t x1 __asm__("x1") = b;
	register uint64_t x2 __asm__("x2") = c;
	register uint64_t x3 __asm__("x3") = d;
	register uint64_t x4 __asm__("x4") = e;
	register uint64_t x5 __asm__("x5") = f;

	__asm__ volatile("svc #0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5) :
	    "memory", "cc");
	return (long)x0;
}

/* The 32-bit word at that distance from the thread pointer. */
static inline uint32_t dt_raw_thread_word(int32_t at)
{
	const volatile uint32_t *word;
	uint64_t tp;

	__asm__("mrs %0, tpidr_el0" : "=r"(tp));
	word = (const volatile uint32_t *)(tp + (uint64_t)(int64_t)at);
	return *word;
}

/* An address of code as it lies in a frame: without the signature that PAC puts into its upper bits. */
static inline uint64_t dt_raw_code_address(uint64_t at) { return at & 0x0000ffffffffffffull; }

/*
 * Whether the word was 0, and is `value` now; nothing is ordered by it. single: by one instruction, which
 * takes two thirds of the time (8.6 ns instead of 11.8 on a Neoverse V1).
 */
static inline int dt_raw_claim(uint64_t *word, uint64_t value, uint32_t single)
{
	uint64_t old = 0;

	if (!single)
		return __atomic_compare_exchange_n(word, &old, value, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
	__asm__ volatile(".arch_extension lse\n\tcas %0, %2, %1" : "+r"(old), "+Q"(*word) : "r"(value));
	return old == 0;
}

/* Frames lie higher and higher, as the kernel's walk has it. */
static inline int dt_raw_frame_follows(uint64_t frame, uint64_t next) { return next > frame; }

#elif defined(__x86_64__)

enum { DT_RAW_FP = 4, DT_RAW_SP = 19, DT_RAW_PC = 16, DT_RAW_FRAME = 0,
	DT_RAW_CALL = 10, DT_RAW_VALUE = 10, DT_RAW_ARG0 = 14, DT_RAW_ARG1 = 13, DT_RAW_CALLED = 15,
	DT_RAW_CALL_STAYS = 0 };

static inline long dt_raw_syscall(long n, uint64_t a, uint64_t b, uint64_t c, uint64_t d, uint64_t e,
    uint64_t f)
{
	register uint64_t r10 __asm__("r10") = d;
	register uint64_t r8 __asm__("r8") = e;
	register uint64_t r9 __asm__("r9") = f;
	long ret;

	__asm__ volatile("syscall" : "=a"(ret) : "0"(n), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9) :
	    "rcx", "r11", "memory", "cc");
	return ret;
}

static inline uint32_t dt_raw_thread_word(int32_t at)
{
	uint32_t word;

	__asm__ volatile("movl %%fs:(%1), %0" : "=r"(word) : "r"((int64_t)at));
	return word;
}

static inline uint64_t dt_raw_code_address(uint64_t at) { return at; }

static inline int dt_raw_claim(uint64_t *word, uint64_t value, uint32_t single)
{
	uint64_t old = 0;

	(void)single;
	return __atomic_compare_exchange_n(word, &old, value, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

static inline int dt_raw_frame_follows(uint64_t frame, uint64_t next) { return next != frame; }

#elif defined(__riscv) && __riscv_xlen == 64

enum { DT_RAW_FP = 8, DT_RAW_SP = 2, DT_RAW_PC = 0, DT_RAW_FRAME = -16,
	DT_RAW_CALL = 17, DT_RAW_VALUE = 10, DT_RAW_ARG0 = 10, DT_RAW_ARG1 = 11, DT_RAW_CALLED = 35,
	DT_RAW_CALL_STAYS = 1 };

static inline long dt_raw_syscall(long n, uint64_t a, uint64_t b, uint64_t c, uint64_t d, uint64_t e,
    uint64_t f)
{
	register uint64_t a7 __asm__("a7") = (uint64_t)n;
	register uint64_t a0 __asm__("a0") = a;
	register uint64_t a1 __asm__("a1") = b;
	register uint64_t a2 __asm__("a2") = c;
	register uint64_t a3 __asm__("a3") = d;
	register uint64_t a4 __asm__("a4") = e;
	register uint64_t a5 __asm__("a5") = f;

	__asm__ volatile("ecall" : "+r"(a0) : "r"(a7), "r"(a1), "r"(a2), "r"(a3), "r"(a4), "r"(a5) :
	    "memory");
	return (long)a0;
}

static inline uint32_t dt_raw_thread_word(int32_t at)
{
	uint64_t tp;

	__asm__ volatile("mv %0, tp" : "=r"(tp));
	return *(const volatile uint32_t *)(tp + (uint64_t)(int64_t)at);
}

static inline uint64_t dt_raw_code_address(uint64_t at) { return at; }

static inline int dt_raw_claim(uint64_t *word, uint64_t value, uint32_t single)
{
	uint64_t old = 0;

	(void)single;
	return __atomic_compare_exchange_n(word, &old, value, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

static inline int dt_raw_frame_follows(uint64_t frame, uint64_t next) { return next > frame; }

#endif

#endif
