/* SPDX-License-Identifier: BSD-2-Clause */
/* What the parts of the translator for aarch64 share: which register is which (native_aarch64.c says why). */
#ifndef DT_NATIVE_NATIVE_AARCH64_H
#define DT_NATIVE_NATIVE_AARCH64_H

#include "native/asm_aarch64.h"

enum { RESULT = 7, SIXTH = 5, KEPT_FIRING = 23, T0 = 15, T1 = 16, T2 = 17, T3 = 14, T4 = 13 };

static inline int dt_aarch64_reg(const struct dt_native *n, unsigned r)
{
	if (r == BR0)
		return RESULT;
	if (r <= BR5)
		return (int)r - 1;
	return (int)(r - BR6) + (n->in->leaf ? 9 : 19);
}

/* log2 of the bytes of an access */
static inline unsigned dt_aarch64_log(const struct bpf_insn *in)
{
	return BPF_SIZE(in->code) == BPF_DW ? 3 : BPF_SIZE(in->code) == BPF_W ? 2 :
	    BPF_SIZE(in->code) == BPF_H ? 1 : 0;
}

/* BPF_ATOMIC */
void dt_aarch64_atomic(struct dt_native *, const struct bpf_insn *);

#endif
