/* SPDX-License-Identifier: BSD-2-Clause */
/* Kernel functions that can be traced, and by which methods. */
#ifndef DT_KERNEL_KFUNC_H
#define DT_KERNEL_KFUNC_H

#include "base/arena.h"

#include <stdbool.h>
#include <stdint.h>

struct dt_kfunc_methods {
	bool fentry;		/* trampolines, with arguments at return: a program each */
	bool multi;		/* one link for any number of functions (kprobe_multi) */
	bool kprobe;		/* one perf event each */
};

/*
 * What this kernel offers, found by trying (a few ms for fentry). btf_id: a function to try it on
 * (dt_types_function_id() of "bpf_fentry_test1"); 0 leaves fentry out. Needs the privileges to trace;
 * without them nothing is offered.
 */
void dt_kfunc_probe(struct dt_kfunc_methods *, uint32_t btf_id);
/* Is any method available? Cheap if kprobes are. */
bool dt_kfunc_any(uint32_t btf_id);
/*
 * A quick look without type data: false means that there is hardly a way, true that it is worth asking.
 */
bool dt_kfunc_likely(void);
/*
 * Would a trampoline on this function be accepted? Kernels refuse some functions that have type data.
 * words: that its arguments have. More than registers hold are refused by some kernels when the program is
 * attached (x86-64 before 6.7), so then it is, for a moment.
 */
bool dt_kfunc_trampoline(const char *target, uint32_t btf_id, bool ret, uint32_t words);
/*
 * A descriptor of the type data of the module in "module`function", which the caller closes; 0 for
 * functions of the core kernel; or -errno.
 */
int dt_kfunc_btf(const char *target);

struct dt_kfunc {
	const char *module;	/* "vmlinux" for the core kernel */
	const char *name;
	bool shared;		/* others have that name, there or in another module */
};

/*
 * Reads every function that can be traced into the arena, in the kernel's order; a name occurs once for
 * each function that has it. If tracefs does not tell (lockdown, no ftrace), those of /proc/kallsyms. 0
 * or -errno. It takes seconds on a slow machine: ask once.
 */
struct dt_kfuncs { DT_VEC(struct dt_kfunc) list; };
int dt_kfuncs_read(struct dt_arena *, struct dt_kfuncs *);
/* NULL, or the reason why this function is never probed even if the kernel allows it. */
const char *dt_kfunc_ours(const char *name);

#endif
