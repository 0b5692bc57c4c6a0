/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The functions of src/bpf/runtime as instructions, embedded when we build (tools/embed-bpf). A call inside
 * them names its target by number in this table, and bpf/runtime.c makes a label of it.
 */
#ifndef DT_BPF_RUNTIME_H
#define DT_BPF_RUNTIME_H

#include <linux/bpf.h>
#include <stddef.h>

struct dt_rtfunc {
	const char *name;
	/* calls and function addresses: imm is the target's number in the table */
	const struct bpf_insn *code;
	size_t n;
};
extern const struct dt_rtfunc dt_rtfuncs[];	/* a row without name ends */

#endif
