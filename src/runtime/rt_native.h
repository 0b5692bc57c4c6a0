/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What rt.h promises, for this machine: loops are loops, and traced memory is what the executor that calls
 * says it is (struct dt_rt_env). Results are those of the kernel's helpers, also where memory cannot be read.
 */
#ifndef DT_RUNTIME_RT_NATIVE_H
#define DT_RUNTIME_RT_NATIVE_H

#include "runtime/rt_host.h"

enum { UNREADABLE = -14 };		/* -EFAULT */

INLINE void loop_steps(struct rt *r, u32 n, long (*step)(u32, struct rt *))
{
	if (n > LOOP_MAX)
		return;
	for (u32 i = 0; i < n && step(i, r) == 0; i++)
		;
}
#define UNROLL
#define KERNEL_WALKS 1
#define LOOP(r, n, step) loop_steps((r), (u32)(n), (step))

/* 0, or UNREADABLE: then the bytes are zeros, as a helper leaves them. */
INLINE long read_traced(struct rt *r, void *to, u64 size, u64 addr, int user)
{
	if (r->env->read(r->env->ctx, to, size, addr, user))
		return 0;
	__builtin_memset(to, 0, size);
	return UNREADABLE;
}

/*
 * The length with the NUL, at most `size`: a longer string is cut. UNREADABLE: memory ends before the string
 * does, and all is zeros.
 */
INLINE long read_traced_str(struct rt *r, u8 *to, u64 size, u64 addr, int user)
{
	for (u64 i = 0; i < size; i++) {
		if (i == size - 1)
			to[i] = 0;
		else if (!r->env->read(r->env->ctx, to + i, 1, addr + i, user))
			break;
		if (to[i] == 0)
			return (long)i + 1;
	}
	__builtin_memset(to, 0, size);
	return UNREADABLE;
}

#define read_kernel(r, to, size, addr) read_traced((r), (to), (size), (addr), 0)
#define read_user(r, to, size, addr) read_traced((r), (to), (size), (addr), 1)
#define read_kernel_str(r, to, size, addr) read_traced_str((r), (to), (size), (addr), 0)
#define read_user_str(r, to, size, addr) read_traced_str((r), (to), (size), (addr), 1)
#define now_ns(r) (r)->env->now((r)->env->ctx)
#define random_u32(r) (r)->env->random((r)->env->ctx)
#define chunk_at(r, maps, i) (r)->env->chunk((r)->env->ctx, (maps), (i))

INLINE void copy_bytes(u8 *to, const u8 *from, u64 len) { __builtin_memcpy(to, from, len); }

/* eight bytes at any address */
INLINE u64 word_in(const u8 *p)
{
	u64 v;

	__builtin_memcpy(&v, p, sizeof(v));
	return v;
}

#endif
