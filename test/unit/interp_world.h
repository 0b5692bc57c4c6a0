/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * For the tests of the interpreter: how DIF is written by hand, and the world that it sees, which is some
 * memory of the kernel and of a process, registers, a stack, and the variables of a program.
 */
#ifndef INTERP_WORLD_H
#define INTERP_WORLD_H

#include "check.h"
#include "interp/interp.h"

#define OP(op, a, b, c) ((uint32_t)DT_DIF_##op << 24 | (uint32_t)(a) << 16 | (b) << 8 | (c))
#define OPV(op, v, r) ((uint32_t)DT_DIF_##op << 24 | (uint32_t)(v) << 8 | (r))
#define BR(op, l) ((uint32_t)DT_DIF_##op << 24 | (l))
#define RET(r) OP(RET, 0, 0, r)
#define TEXT(...) (const uint32_t[]){ __VA_ARGS__ }, sizeof((const uint32_t[]){ __VA_ARGS__ }) / 4

static uint8_t kernel[64] = { 0xfe, 0xff, 0x80, 1, 2, 3, 4, 0x85, 'h', 'e', 'y', 0 };
static uint8_t user[32] = { 0x90, 0x91, 0xff, 4, 'u', 's', 'e', 'r', 0 };
static uint8_t readonly[8];
static struct dt_region regions[] = {
	{ .addr = 0xffff0000, .len = sizeof(kernel), .bytes = kernel },
	{ .addr = 0xffff0000 + sizeof(kernel), .len = 8, .bytes = kernel },
	{ .addr = 0x1000, .len = sizeof(user), .bytes = user, .user = true, .writable = true },
	{ .addr = 0x2000, .len = sizeof(readonly), .bytes = readonly, .user = true },
};
static const uint64_t uregs[4] = { 10, 11, 12, 13 };
static const uint64_t stack[3] = { 0x111, 0x222, 0x333 };

/* A firing of syscall::read:entry in that world. */
static inline struct dt_context context(void)
{
	return (struct dt_context){ .probe = { "syscall", "vmlinux", "read", "entry", 0 }, .probe_id = 77,
		.arg = { 1, 2, 3 }, .pid = 100, .tid = 101, .ppid = 50, .execname = "a_command_name!",
		.regions = regions, .nregions = 4, .uregs = uregs, .nuregs = 4, .stack = stack, .nstack = 3,
		.ustack = stack, .nustack = 2 };
}

static const char strs[] = "\0abc\0abd\0";		/* "" at 0, "abc" at 1, "abd" at 5 */
static const struct dt_diftype int8 = { .ckind = DT_CK_INTEGER, .size = 8 };
static const struct dt_diftype string16 = { .kind = DT_DT_STRING, .flags = DT_DTF_REF, .size = 16 };
static const struct dt_difv vars[] = {
	{ "t", 0x500, DT_DIFV_SCALAR, DT_DIFV_THREAD, 3, { .ckind = DT_CK_INTEGER, .size = 8 } },
	{ "ts", 0x501, DT_DIFV_SCALAR, DT_DIFV_THREAD, 3,
	    { .kind = DT_DT_STRING, .flags = DT_DTF_REF, .size = 16 } },
	{ "ta", 0x502, DT_DIFV_ARRAY, DT_DIFV_THREAD, 3, { .ckind = DT_CK_INTEGER, .size = 8 } },
	{ "g", 0x500, DT_DIFV_SCALAR, DT_DIFV_GLOBAL, 3, { .ckind = DT_CK_INTEGER, .size = 8 } },
	{ "gs", 0x501, DT_DIFV_SCALAR, DT_DIFV_GLOBAL, 3,
	    { .kind = DT_DT_STRING, .flags = DT_DTF_REF, .size = 8 } },
	{ "a", 0x502, DT_DIFV_ARRAY, DT_DIFV_GLOBAL, 3, { .ckind = DT_CK_INTEGER, .size = 8 } },
	{ "as", 0x503, DT_DIFV_ARRAY, DT_DIFV_GLOBAL, 3,
	    { .kind = DT_DT_STRING, .flags = DT_DTF_REF, .size = 16 } },
	{ "st", 0x504, DT_DIFV_SCALAR, DT_DIFV_GLOBAL, 3,
	    { .ckind = DT_CK_STRUCT, .flags = DT_DTF_REF, .size = 8 } },
	{ "l", 0x500, DT_DIFV_SCALAR, DT_DIFV_LOCAL, 3, { .ckind = DT_CK_INTEGER, .size = 8 } },
};

#endif
