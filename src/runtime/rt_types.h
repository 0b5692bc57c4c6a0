/* SPDX-License-Identifier: BSD-2-Clause */
/* The words that code for eBPF and for this machine is written in, without a header of libc. */
#ifndef DT_RUNTIME_RT_TYPES_H
#define DT_RUNTIME_RT_TYPES_H

typedef unsigned char u8;
typedef unsigned int u32;
typedef unsigned long long u64;
typedef long long s64;

#define FN __attribute__((noinline))	/* a subprogram of its own, with a frame of its own */
#define INLINE static inline __attribute__((always_inline))
#define UNUSED __attribute__((unused))

#endif
