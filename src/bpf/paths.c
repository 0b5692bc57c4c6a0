/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Text found by walking kernel or user memory: cwd, root, d_path(), execargs. Offsets of members come from the kernel's
 * type data; when one is missing the refusal names what cannot be found.
 */
#include "bpf/build.h"

/* The first n offsets of enum dt_path_word, constants that are copied into the second buffer. */
static void offsets(struct dt_lower *l, size_t n)
{
	/* the mounts of a file system: a list through mnt_instance, or from 6.18 on a chain through mnt_next_for_sb */
	bool chained = dt_kmember(l->b->opts, "mount", "mnt_next_for_sb") != DT_KOFF_NONE;
	const struct { const char *tag, *path; } row[DT_DENTRY_WORDS] = {
		[DT_PATH_PARENT] = { "dentry", "d_parent" }, [DT_PATH_NAME] = { "dentry", "d_name.name" },
		[DT_PATH_LEN] = { "dentry", "d_name.len" }, [DT_PATH_MNT] = { "mount", "mnt" },
		[DT_PATH_MNT_PARENT] = { "mount", "mnt_parent" }, [DT_PATH_MOUNTPOINT] = { "mount", "mnt_mountpoint" },
		[DT_PATH_MNT_ROOT] = { "vfsmount", "mnt_root" }, [DT_PATH_SB] = { "dentry", "d_sb" },
		[DT_PATH_SB_ROOT] = { "super_block", "s_root" }, [DT_PATH_SB_MOUNTS] = { "super_block", "s_mounts" },
		[DT_PATH_LINK] = { "mount", chained ? "mnt_next_for_sb" : "mnt_instance" },
		[DT_PATH_CHAINED] = { NULL, NULL }, [DT_PATH_MNT_NS] = { "mount", "mnt_ns" },
	};
	uint64_t words[DT_DENTRY_WORDS];

	for (size_t i = 0; i < n; i++) {
		words[i] = row[i].tag ? dt_kmember(l->b->opts, row[i].tag, row[i].path) : chained;
		if (words[i] == DT_KOFF_NONE)
			REFUSE(l, "this kernel's type data does not show how paths are kept");
	}
	if (l->b->opts->strsize < sizeof(words))
		REFUSE(l, "paths need strings of at least %zu bytes for tracing; see strsize", sizeof(words));
	dt_mov(l->a, R1, dt_slot_reg(l));
	dt_alui(l->a, BPF_ADD, R1, (int32_t)l->b->slot_str[1]);
	dt_imm(l->a, R2, n * sizeof(*words));
	dt_mapval(l->a, R3, dt_constants(l->b), dt_pool_bytes(l->b, words, (uint32_t)(n * sizeof(*words))));
	dt_help(l, BPF_FUNC_probe_read_kernel);
}

/* Dentry and mount of the struct path at r9, to two words of the slot. */
static void path_at(struct dt_lower *l, uint32_t off, int dentry, int mnt)
{
	const uint32_t member[2] = {
		dt_kmember(l->b->opts, "path", "dentry"), dt_kmember(l->b->opts, "path", "mnt")
	};
	const int to[2] = { dentry, mnt };

	for (int i = 0; i < 2; i++) {
		dt_mov(l->a, R0, R9);
		dt_follow(l, off == DT_KOFF_NONE || member[i] == DT_KOFF_NONE ? DT_KOFF_NONE : off + member[i], 8, "a path");
		dt_stx(l->a, B8, R6, to[i], R0);
	}
}

static void walk(struct dt_lower *l)
{
	offsets(l, DT_PATH_WORDS);
	dt_runtime(l, "rt_dpath");
	dt_runtime_take(l);
}

static void task_fs(struct dt_lower *l)
{
	dt_slot_reg(l);
	dt_help(l, BPF_FUNC_get_current_task);
	dt_follow(l, dt_kmember(l->b->opts, "task_struct", "fs"), 8, "a process's directory");
	dt_mov(l->a, R9, R0);
}

void dt_get_cwd(struct dt_lower *l)
{
	task_fs(l);
	path_at(l, dt_kmember(l->b->opts, "fs_struct", "root"), W_X, W_Y);
	path_at(l, dt_kmember(l->b->opts, "fs_struct", "pwd"), W_N, W_M);
	walk(l);
}

/* Seen from the very top. */
void dt_get_root(struct dt_lower *l)
{
	task_fs(l);
	path_at(l, dt_kmember(l->b->opts, "fs_struct", "root"), W_N, W_M);
	dt_sti(l->a, B8, R6, W_X, 0);
	dt_sti(l->a, B8, R6, W_Y, 0);
	walk(l);
}

/* r0, an address that faults when nothing can be read there, goes to F_T1; whoever walks from it would take zeros for the end. */
static void readable(struct dt_lower *l)
{
	struct dt_emit *a = l->a;

	dt_stx(a, B8, FP, F_T1, R0);
	dt_mov(a, R3, R0);
	dt_fpaddr(a, R1, F_T0);
	dt_imm(a, R2, 8);
	dt_help(l, BPF_FUNC_probe_read_kernel);
	dt_jmpi(a, BPF_JNE, R0, 0, dt_fault_label(l, DT_FLT_BADADDR, F_T1));
}

/* r0 the address of a struct path. */
void dt_lower_dpath(struct dt_lower *l)
{
	struct dt_emit *a = l->a;

	readable(l);
	task_fs(l);
	path_at(l, dt_kmember(l->b->opts, "fs_struct", "root"), W_X, W_Y);
	dt_ldx(a, B8, R9, FP, F_T1);
	path_at(l, 0, W_N, W_M);
	walk(l);
}

/*
 * r0 the address of a struct dentry. It does not know where its file system is mounted: a mount of the whole is looked for, in the
 * namespace of the thread, else in any.
 */
void dt_lower_dentry_path(struct dt_lower *l)
{
	struct dt_emit *a = l->a;

	readable(l);
	task_fs(l);
	path_at(l, dt_kmember(l->b->opts, "fs_struct", "root"), W_X, W_Y);
	dt_help(l, BPF_FUNC_get_current_task);
	dt_follow(l, dt_kmember(l->b->opts, "task_struct", "nsproxy"), 8, "a process's namespaces");
	dt_follow(l, dt_kmember(l->b->opts, "nsproxy", "mnt_ns"), 8, "a process's mounts");
	dt_stx(a, B8, R6, W_M, R0);
	dt_ldx(a, B8, R0, FP, F_T1);
	dt_stx(a, B8, R6, W_N, R0);
	offsets(l, DT_DENTRY_WORDS);
	dt_runtime(l, "rt_dentrypath");
	dt_runtime_take(l);
}

/* The arguments lie behind each other in the process's memory; blanks go between them. Kernel threads have none. */
void dt_get_execargs(struct dt_lower *l)
{
	struct dt_emit *a = l->a;
	uint32_t fits = dt_label(a), some = dt_label(a);
	int32_t max = (int32_t)l->b->opts->strsize - 1;

	dt_slot_reg(l);
	dt_help(l, BPF_FUNC_get_current_task);
	dt_follow(l, dt_kmember(l->b->opts, "task_struct", "mm"), 8, "a process's memory");
	dt_stx(a, B8, R6, W_X, R0);
	dt_follow(l, dt_kmember(l->b->opts, "mm_struct", "arg_start"), 8, "a process's arguments");
	dt_stx(a, B8, R6, W_Y, R0);
	dt_ldx(a, B8, R0, R6, W_X);
	dt_follow(l, dt_kmember(l->b->opts, "mm_struct", "arg_end"), 8, "a process's arguments");
	dt_mov(a, R2, R0);
	dt_ldx(a, B8, R3, R6, W_Y);
	dt_alu(a, BPF_SUB, R2, R3);
	dt_jmpi(a, BPF_JEQ, R2, 0, some);
	dt_alui(a, BPF_SUB, R2, 1);
	dt_put(a, some);
	dt_jmpi(a, BPF_JLE, R2, max, fits);
	dt_imm(a, R2, (uint64_t)max);
	dt_put(a, fits);
	dt_stx(a, B8, R6, W_LA, R2);
	dt_scratch_open(l);
	dt_scratch_ptr(l, R1, R9);
	dt_help(l, BPF_FUNC_probe_read_user);	/* not there: zeros, which become blanks */
	dt_sti(a, B8, R6, W_N, ' ');
	dt_runtime(l, "rt_memstr");
	dt_runtime_take(l);
}
