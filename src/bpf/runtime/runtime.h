/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the functions of this folder share. They are compiled for eBPF when we build and become subprograms
 * of the programs that need them. Each gets two strings (copies in the slot, NUL-terminated), a place for
 * its result, a few words of the slot, and the size of a string. Loops are bpf_loop() calls whose state is
 * in those words: what comes from map memory is unknown to the verifier, so that it walks the body of a
 * loop once and not once for each iteration.
 *
 * Files in both/ are also compiled for the machine we run on: the interpreter calls the same function
 * (builtin/runtime.c).
 */
#ifndef DT_BPF_RUNTIME_RUNTIME_H
#define DT_BPF_RUNTIME_RUNTIME_H

#include "bpf/work.h"

typedef unsigned char u8;
typedef unsigned int u32;
typedef unsigned long long u64;
typedef long long s64;

struct rt { u8 *a, *b, *d; struct dt_work *w; u64 size; };

#define NONE ((u64)-1)
#define FN __attribute__((noinline))
#define RT_PARAMS u8 *a, u8 *b, u8 *d, struct dt_work *w, u64 size
#define CONTEXT struct rt r = { a, b, d, w, size }

#ifdef __bpf__
#define RT(name) FN u64 name(RT_PARAMS)
static long (*const bpf_loop)(u32 n, void *f, void *ctx, u64 flags) = (void *)181;
static long (*const bpf_probe_read_kernel)(void *to, u32 size, const void *from) = (void *)113;
#else					/* for the interpreter: what is in both/, under the name dt_rt_… */
#include <string.h>
#define RT(name) FN u64 dt_##name(RT_PARAMS); FN u64 dt_##name(RT_PARAMS)

static inline long bpf_loop(u32 n, long (*f)(u32, struct rt *), struct rt *r, u64 flags)
{
	u32 i = 0;

	(void)flags;
	if (n > 1u << 23)
		return -7;		/* -E2BIG, as the kernel says */
	while (i < n && f(i, r) == 0)
		i++;
	return i < n ? i + 1 : i;
}

static inline long bpf_probe_read_kernel(void *to, u32 size, const void *from)
{
	memcpy(to, from, size);
	return 0;
}
#endif

#define LOOP(n, f) bpf_loop((u32)(n), (void *)(f), &r, 0)

/* len bytes of `from` and a NUL become the result; the value is the length with the NUL. */
static inline __attribute__((always_inline)) u64 result(u8 *d, const u8 *from, u64 len, u64 size)
{
	if (len >= size)
		len = size - 1;
	bpf_probe_read_kernel(d, (u32)len, from);
	d[len] = 0;
	return len + 1;
}

#endif
