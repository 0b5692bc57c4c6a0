/* SPDX-License-Identifier: BSD-2-Clause */
/* Functions of the kernel that can be traced, and by what means. */
#ifndef DT_KFUNC_H
#define DT_KFUNC_H

#include <stdbool.h>
#include <stdint.h>

struct dt_kfunc_means {
	bool fentry;		/* trampolines, with arguments at return: a program each */
	bool multi;		/* one link for any number of functions (kprobe_multi) */
	bool kprobe;		/* one perf event each */
};

/*
 * What this kernel offers, found by trying (some ms for fentry). btf_id: of a function that may be tried (dt_types_function_id() of
 * "bpf_fentry_test1"), 0 leaves fentry out. Needs the rights to trace; without them there is nothing.
 */
void dt_kfunc_probe(struct dt_kfunc_means *, uint32_t btf_id);
/* True when some means is there; cheap where kprobes are. */
bool dt_kfunc_any(uint32_t btf_id);
/* Would a trampoline on this function be taken? Kernels refuse some of those they have type data of. */
bool dt_kfunc_trampoline(uint32_t btf_id, bool ret);

/*
 * Every function that can be traced, in the kernel's order: its module ("vmlinux" for the core kernel) and name. A name
 * comes once for each function that has it. Where tracefs does not tell (lockdown, no ftrace), those of /proc/kallsyms.
 * 0, f's first non-zero value, or -errno.
 */
typedef int dt_kfunc_f(void *ctx, const char *module, const char *name);
int dt_kfunc_each(dt_kfunc_f *, void *ctx);
/* NULL, or why this function is never probed, though a kernel may allow it. */
const char *dt_kfunc_ours(const char *name);

#endif
