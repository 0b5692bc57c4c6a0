/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the functions of this folder share. They are compiled for eBPF when we build, and the linker of
 * bpf/runtime.c makes them subprograms of the programs that call them. Each gets two strings (copies in the
 * slot, NUL-terminated), a place for its result, a few words of the slot, and the size of a string. Loops
 * are bpf_loop() calls whose state is in those words: the verifier does not know what map memory holds, so
 * it walks the body of a loop once and not once for each iteration.
 *
 * These rules keep the verifier content, and each body relies on them:
 *	- Every index is compared with `size`, or with a constant, by the callback that uses it. Each string
 *	  buffer has eight bytes behind `size` (plan.c), so a word that begins inside may be read whole.
 *	- A callback returns 0 (go on) or 1 (stop), and the verifier sees that it is one of these.
 *	- State that a callback changes lives in struct dt_work, not in a local variable.
 *	- There are no globals and no data: tools/embed-bpf.c takes code only.
 *
 * Files in both/ are also compiled for the machine we run on: the interpreter calls the same function
 * (builtin/runtime.c), so the two executors cannot disagree. What they include has to compile there too.
 */
#ifndef DT_BPF_RUNTIME_RUNTIME_H
#define DT_BPF_RUNTIME_RUNTIME_H

#include "bpf/work.h"

typedef unsigned char u8;
typedef unsigned int u32;
typedef unsigned long long u64;
typedef long long s64;

/* The parameters of a function as its callbacks see them: a and b the strings, d the place for the result. */
struct rt { u8 *a, *b, *d; struct dt_work *w; u64 size; };

#define NONE ((u64)-1)			/* a search found nothing */
#define FN __attribute__((noinline))	/* a subprogram of its own, with a frame of its own */
#define RT_PARAMS u8 *a, u8 *b, u8 *d, struct dt_work *w, u64 size
#define CONTEXT struct rt r = { a, b, d, w, size }

/*
 * RT(name) begins a function that clauses call by that name. One that makes a string returns its length
 * with the NUL, at most `size`; 0 means that there is no result.
 */
#ifdef __bpf__
#define RT(name) FN u64 name(RT_PARAMS)
/* helpers of the kernel, by the numbers of enum bpf_func_id */
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

/*
 * Copies len bytes of `from` and a NUL to d, which has room for `size` bytes, and returns the length with
 * the NUL. A longer text is cut at size - 1 characters.
 */
static inline __attribute__((always_inline)) u64 result(u8 *d, const u8 *from, u64 len, u64 size)
{
	if (len >= size)
		len = size - 1;
	bpf_probe_read_kernel(d, (u32)len, from);
	d[len] = 0;
	return len + 1;
}

#endif
