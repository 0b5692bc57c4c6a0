/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The language that the functions of this folder are written in: subroutines with loops, and walks over
 * memory. Each file is compiled twice. For eBPF (tools/embed-bpf.c; the linker of bpf/image_runtime.c makes
 * subprograms of programs of them), and for this machine (runtime/rt_host.h), where the interpreter calls
 * them, and native code can. So a function is written once and the executors cannot disagree.
 *
 * A function gets two strings (copies in the slot, NUL-terminated), a place for its result, a few words of
 * the slot, and the size of a string. What it needs of the executor it asks for by the names below: a loop is
 * LOOP(), traced memory is read by read_kernel() and read_user(). There is no libc, no global and no data:
 * code for eBPF has none.
 *
 * These rules keep the verifier content, and each body relies on them:
 *	- Every index is compared with `size`, or with a constant, by the callback that uses it. Each string
 *	  buffer has eight bytes after `size` (bpf/image_plan.c), so a word that begins inside is read whole.
 *	- A callback returns 0 (go on) or 1 (stop), and the verifier sees that it is one of these.
 *	- State that a callback changes lives in struct dt_work, not in a local variable: the verifier does
 *	  not know what map memory holds, so it walks the body of a loop once and not once for each iteration.
 */
#ifndef DT_RUNTIME_RT_H
#define DT_RUNTIME_RT_H

#include "runtime/rt_types.h"
#include "runtime/rt_work.h"

struct dt_rt_env;

#define NONE ((u64)-1)			/* a search found nothing */

/*
 * RT(name) begins a function that clauses call by that name; the host knows it as dt_name. One that makes a
 * string returns its length with the NUL, at most `size`; 0 means that there is no result.
 *
 * CONTEXT makes `r` of the parameters, for callbacks: a and b are the strings, d the place for the result.
 * CALL(name) calls another RT() function with the same parameters.
 *
 * STEP(name) begins the body of a loop, which has the number of the iteration in i and struct rt in r.
 * LOOP(r, n, step) runs it n times, or until it returns 1. With more than LOOP_MAX iterations it does not run
 * at all.
 */
#define STEP(name) static long name(u32 i UNUSED, struct rt *r)
#define LOOP_MAX (1u << 23)

#ifdef __bpf__

struct rt { u8 *a, *b, *d; struct dt_work *w; u64 size; };

#define RT(name) FN u64 name(u8 *a UNUSED, u8 *b UNUSED, u8 *d UNUSED, struct dt_work *w UNUSED, \
	u64 size UNUSED)
#define CONTEXT struct rt r = { a, b, d, w, size }
#define CALL(name) name(a, b, d, w, size)
#include "runtime/rt_kernel.h"

#else

struct rt { u8 *a, *b, *d; struct dt_work *w; u64 size; const struct dt_rt_env *env; };

#define RT(name) u64 dt_##name(u8 *a UNUSED, u8 *b UNUSED, u8 *d UNUSED, struct dt_work *w UNUSED, \
	u64 size UNUSED, const struct dt_rt_env *env UNUSED)
#define CONTEXT struct rt r = { a, b, d, w, size, env }
#define CALL(name) dt_##name(a, b, d, w, size, env)
#include "runtime/rt_native.h"

#endif

/* A word of traced memory; 0: it cannot be read. */
INLINE u64 kernel_word(struct rt *r, u64 addr)
{
	u64 v = 0;

	read_kernel(r, &v, sizeof(v), addr);
	return v;
}

INLINE u64 user_word(struct rt *r, u64 addr)
{
	u64 v = 0;

	read_user(r, &v, sizeof(v), addr);
	return v;
}

/*
 * Copies len bytes of `from` and a NUL to d, which has room for `size` bytes, and returns the length with
 * the NUL. A longer text is cut at size - 1 characters.
 */
INLINE u64 result(u8 *d, const u8 *from, u64 len, u64 size)
{
	if (len >= size)
		len = size - 1;
	copy_bytes(d, from, len);
	d[len] = 0;
	return len + 1;
}

#endif
