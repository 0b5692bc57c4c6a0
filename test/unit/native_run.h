/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where translated programs run: one range of memory, at the beginning of it code, then data, as in a traced
 * process. Code is written while it cannot run. Programs are called through a piece of assembly that fills
 * all registers which C expects to survive, and looks at them afterwards.
 */
#ifndef NATIVE_RUN_H
#define NATIVE_RUN_H

#include "check.h"

#include "native/native.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <sys/mman.h>

enum { CODE_SIZE = 2 << 20, DATA_SIZE = 64 << 10, FIRST_PROGRAM = 4096 };
/* places of maps: their descriptors and their values */
enum { MAP_ARRAY, MAP_CPU, MAP_ODD, MAP_HIDDEN, MAP_VALUE, MAP_CHAIN, MAPS };
enum { DESC_AT = 2048, VALUES_AT = CODE_SIZE, VALUE_ROOM = 8192, NCPUS = 4 };

static uint8_t *region;				/* code, then data */
static struct dt_agent_map maps[MAPS] = {
	[MAP_ARRAY] = { DT_AGENT_ARRAY, 4, 8, 16, 8, 1, 0, 128, 0 },
	[MAP_CPU] = { DT_AGENT_CPU_ARRAY, 4, 16, 256 / 16, 16, NCPUS, 0, 0, 0 },
	[MAP_ODD] = { DT_AGENT_CPU_ARRAY, 4, 80, 5, 80, NCPUS, 0, 0, 0 },
	[MAP_HIDDEN] = { DT_AGENT_ARRAY, 4, 24, 7, 24, 1, 0, 0, 0 },	/* lookups are calls */
	[MAP_VALUE] = { DT_AGENT_ARRAY, 4, 4096, 1, 4096, 1, 0, 0, 0 },
	[MAP_CHAIN] = { DT_AGENT_OF_MAPS, 4, 8, 4, 8, 1, 0, 0, 0 },
};
static uint64_t chain_at[4];

static uint64_t value_at(uint32_t map) { return VALUES_AT + (uint64_t)map * VALUE_ROOM; }

/* ---- calls that check the registers ---- */

uint64_t native_call(void *f, const uint64_t *args);
extern uint64_t native_call_broken;		/* how many registers came back changed */
uint64_t native_call_broken;

#if defined(__aarch64__)
__asm__(".text\n.globl native_call\n.type native_call, %function\nnative_call:\n"
	"stp x29, x30, [sp, #-112]!\n stp x19, x20, [sp, #16]\n stp x21, x22, [sp, #32]\n"
	"stp x23, x24, [sp, #48]\n stp x25, x26, [sp, #64]\n stp x27, x28, [sp, #80]\n"
	"mov x29, sp\n str x29, [sp, #96]\n mov x16, x0\n mov x17, x1\n"
	"mov x19, #119\n mov x20, #120\n mov x21, #121\n mov x22, #122\n mov x23, #123\n"
	"mov x24, #124\n mov x25, #125\n mov x26, #126\n mov x27, #127\n mov x28, #128\n"
	"ldp x0, x1, [x17]\n ldp x2, x3, [x17, #16]\n ldp x4, x5, [x17, #32]\n"
	"blr x16\n"
	"mov x9, #0\n"
	"cmp x19, #119\n cinc x9, x9, ne\n cmp x20, #120\n cinc x9, x9, ne\n"
	"cmp x21, #121\n cinc x9, x9, ne\n cmp x22, #122\n cinc x9, x9, ne\n"
	"cmp x23, #123\n cinc x9, x9, ne\n cmp x24, #124\n cinc x9, x9, ne\n"
	"cmp x25, #125\n cinc x9, x9, ne\n cmp x26, #126\n cinc x9, x9, ne\n"
	"cmp x27, #127\n cinc x9, x9, ne\n cmp x28, #128\n cinc x9, x9, ne\n"
	"mov x10, sp\n ldr x11, [sp, #96]\n cmp x10, x11\n cinc x9, x9, ne\n"
	"cmp x29, x11\n cinc x9, x9, ne\n"
	"adrp x10, native_call_broken\n add x10, x10, :lo12:native_call_broken\n"
	"ldr x11, [x10]\n add x11, x11, x9\n str x11, [x10]\n"
	"ldp x19, x20, [sp, #16]\n ldp x21, x22, [sp, #32]\n ldp x23, x24, [sp, #48]\n"
	"ldp x25, x26, [sp, #64]\n ldp x27, x28, [sp, #80]\n ldp x29, x30, [sp], #112\n ret\n");
static void spoil_registers(void)
{
	__asm__ volatile("mov x0, #-1\n mov x1, #-1\n mov x2, #-1\n mov x3, #-1\n mov x4, #-1\n mov x5, #-1\n"
	    "mov x6, #-1\n mov x7, #-1\n mov x8, #-1\n mov x9, #-1\n mov x10, #-1\n mov x11, #-1\n"
	    "mov x12, #-1\n mov x13, #-1\n mov x14, #-1\n mov x15, #-1\n mov x16, #-1\n mov x17, #-1\n" ::
	    : "x0", "x1", "x2", "x3", "x4", "x5", "x6", "x7", "x8", "x9", "x10", "x11", "x12", "x13", "x14",
	    "x15", "x16", "x17");
}
/* ldr x16, 8; br x16; the address */
static const uint32_t stub[] = { 0x58000050, 0xd61f0200 };
static bool has_lse(void) { return getauxval(AT_HWCAP) & 1 << 8; }
#elif defined(__x86_64__)
__asm__(".text\n.globl native_call\n.type native_call, @function\nnative_call:\n"
	"push %rbp\n push %rbx\n push %r12\n push %r13\n push %r14\n push %r15\n sub $24, %rsp\n"
	"mov %rsp, 8(%rsp)\n mov %rdi, %rax\n mov %rsi, %r11\n"
	"mov $120, %rbp\n mov $121, %rbx\n mov $122, %r12\n mov $123, %r13\n"
	"mov $124, %r14\n mov $125, %r15\n"
	"mov (%r11), %rdi\n mov 8(%r11), %rsi\n mov 16(%r11), %rdx\n mov 24(%r11), %rcx\n"
	"mov 32(%r11), %r8\n mov 40(%r11), %r9\n"
	"call *%rax\n"
	"xor %ecx, %ecx\n"
	"cmp $120, %rbp\n je 1f\n inc %ecx\n1: cmp $121, %rbx\n je 1f\n inc %ecx\n"
	"1: cmp $122, %r12\n je 1f\n inc %ecx\n1: cmp $123, %r13\n je 1f\n inc %ecx\n"
	"1: cmp $124, %r14\n je 1f\n inc %ecx\n1: cmp $125, %r15\n je 1f\n inc %ecx\n"
	"1: cmp 8(%rsp), %rsp\n je 1f\n inc %ecx\n1: add %rcx, native_call_broken(%rip)\n"
	"add $24, %rsp\n pop %r15\n pop %r14\n pop %r13\n pop %r12\n pop %rbx\n pop %rbp\n ret\n");
static void spoil_registers(void)
{
	__asm__ volatile("mov $-1, %%rax\n mov $-1, %%rcx\n mov $-1, %%rdx\n mov $-1, %%rsi\n"
	    "mov $-1, %%rdi\n"
	    "mov $-1, %%r8\n mov $-1, %%r9\n mov $-1, %%r10\n mov $-1, %%r11\n" ::
	    : "rax", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11");
}
/* jmp *2(%rip); two bytes; the address */
static const uint8_t stub[] = { 0xff, 0x25, 2, 0, 0, 0, 0xcc, 0xcc };
static bool has_lse(void) { return false; }
#endif

/* ---- helpers ---- */

static struct dt_firing the_firing;
static unsigned wrong_calls;		/* with another firing, or a stack that is not aligned */

static void check_call(const struct dt_firing *f, uintptr_t frame)
{
	wrong_calls += f != &the_firing || frame % 16 != 0;
}

/* No pointer into a stack is among its arguments, so that the reference can call it too. */
static uint64_t helper_mix(uint64_t a, uint64_t b, uint64_t c, uint64_t d, uint64_t e, struct dt_firing *f)
{
	check_call(f, (uintptr_t)__builtin_frame_address(0));
	spoil_registers();
	return a * 3 + b * 5 + (c ^ d << 7) + (e >> 3);
}

static uint64_t helper_lookup(uint64_t map, uint64_t key, uint64_t c, uint64_t d, uint64_t e,
    struct dt_firing *f)
{
	const struct dt_agent_map *m = (const void *)(uintptr_t)map;
	uint32_t index;
	uint64_t cpu = m->type == DT_AGENT_CPU_ARRAY ? f->cpu : 0;

	(void)c, (void)d, (void)e;
	memcpy(&index, (const void *)(uintptr_t)key, 4);
	if (index >= m->max_entries)
		return 0;
	return (uint64_t)(uintptr_t)region + m->at + (cpu * m->max_entries + index) * m->stride;
}

/* Calls back: n times f(i, ctx), until it is not 0. */
static uint64_t helper_loop(uint64_t n, uint64_t func, uint64_t ctx, uint64_t flags, uint64_t e,
    struct dt_firing *f)
{
	uint64_t i = 0;

	(void)flags, (void)e;
	check_call(f, (uintptr_t)__builtin_frame_address(0));
	while (i < n) {
		uint64_t args[6] = { i++, ctx, 0, 0, 0, (uint64_t)(uintptr_t)f };

		if (native_call((void *)(uintptr_t)func, args))
			break;
		spoil_registers();
	}
	return i;
}

static dt_agent_f *const helpers[] = { helper_mix, helper_lookup, helper_loop };
enum { STUBS_AT = 64 };

static uint64_t helper_at(void *ctx, uint32_t func)
{
	(void)ctx;
	switch (func) {
	case BPF_FUNC_map_lookup_elem: return STUBS_AT + 32;
	case BPF_FUNC_loop: return STUBS_AT + 64;
	case BPF_FUNC_trace_printk: return STUBS_AT;
	default: return 0;
	}
}

/* ---- places ---- */

static uint64_t map_at(void *ctx, uint32_t map, const struct dt_agent_map **desc)
{
	(void)ctx;
	*desc = map == MAP_HIDDEN ? NULL : &maps[map];
	return DESC_AT + map * sizeof(maps[0]);
}

static uint64_t map_value(void *ctx, uint32_t map, uint32_t off)
{
	(void)ctx;
	return value_at(map) + off;
}

static uint64_t program_of(void *ctx, uint32_t map, uint32_t index)
{
	(void)ctx, (void)map;
	return chain_at[index & 3];
}

static struct dt_native_place place_on(const struct dt_machine *machine, uint64_t at, bool lse)
{
	return (struct dt_native_place){ .at = at, .machine = machine, .lse = lse, .helper = helper_at,
		.map = map_at, .value = map_value, .chain = program_of };
}

static bool open_region(void)
{
	region = mmap(NULL, CODE_SIZE + DATA_SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
	    -1, 0);
	if (region == MAP_FAILED)
		return false;
	for (size_t i = 0; i < sizeof(helpers) / sizeof(helpers[0]); i++) {
		dt_agent_f *f = helpers[i];

		memcpy(region + STUBS_AT + 32 * i, stub, sizeof(stub));
		memcpy(region + STUBS_AT + 32 * i + sizeof(stub), &f, sizeof(f));
	}
	for (uint32_t i = 0; i < MAPS; i++)
		maps[i].at = value_at(i);
	memcpy(region + DESC_AT, maps, sizeof(maps));
	return true;
}

static void put_code(uint64_t at, const struct dt_native_code *c)
{
	mprotect(region, CODE_SIZE, PROT_READ | PROT_WRITE);
	memcpy(region + at, c->bytes, c->len);
	__builtin___clear_cache((char *)region, (char *)region + at + c->len);
	mprotect(region, CODE_SIZE, PROT_READ | PROT_EXEC);
}

static uint64_t run_code(uint64_t at)
{
	uint64_t args[6] = { (uint64_t)(uintptr_t)&the_firing, 2, 3, 4, 5, (uint64_t)(uintptr_t)&the_firing };

	return native_call(region + at, args);
}

#endif
