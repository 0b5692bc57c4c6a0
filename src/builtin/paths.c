/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Names of files, found by walking the kernel's structs: d_path(), dentry_path(), cwd, root. Where members
 * lie is in the kernel's type data; if one is missing, the refusal names what cannot be found. The walk
 * itself is a loop and so in the runtime (runtime/rt_dpath.c), which gets the offsets and the starting points
 * in the slot.
 */
#include "builtin/row.h"

/*
 * Puts the first n offsets of enum dt_path_word, which are constants of this kernel, into the second buffer.
 */
static void put_offsets(struct dt_lower *l, size_t n)
{
	/* the mounts of a file system: a list, or from 6.18 on a chain through mnt_next_for_sb */
	bool chained = dt_kmember(dt_opts(l), "mount", "mnt_next_for_sb") != DT_KOFF_NONE;
	const struct { const char *tag, *path; } row[DT_DENTRY_WORDS] = {
		[DT_PATH_PARENT] = { "dentry", "d_parent" }, [DT_PATH_NAME] = { "dentry", "d_name.name" },
		[DT_PATH_LEN] = { "dentry", "d_name.len" }, [DT_PATH_MNT] = { "mount", "mnt" },
		[DT_PATH_MNT_PARENT] = { "mount", "mnt_parent" },
		[DT_PATH_MOUNTPOINT] = { "mount", "mnt_mountpoint" },
		[DT_PATH_MNT_ROOT] = { "vfsmount", "mnt_root" }, [DT_PATH_SB] = { "dentry", "d_sb" },
		[DT_PATH_SB_ROOT] = { "super_block", "s_root" },
		[DT_PATH_SB_MOUNTS] = { "super_block", "s_mounts" },
		[DT_PATH_LINK] = { "mount", chained ? "mnt_next_for_sb" : "mnt_instance" },
		[DT_PATH_CHAINED] = { NULL, NULL }, [DT_PATH_MNT_NS] = { "mount", "mnt_ns" },
	};
	uint64_t words[DT_DENTRY_WORDS];

	for (size_t i = 0; i < n; i++) {
		words[i] = row[i].tag ? dt_kmember(dt_opts(l), row[i].tag, row[i].path) : chained;
		if (words[i] == DT_KOFF_NONE)
			REFUSE(l, "this kernel's type data does not show how paths are kept");
	}
	if (dt_opts(l)->strsize < sizeof(words))
		REFUSE(l, "paths need strings of at least %zu bytes for tracing; see strsize", sizeof(words));
	dt_mov(dt_code(l), R1, dt_slot_reg(l));
	dt_alui(dt_code(l), BPF_ADD, R1, dt_slot_buffer(l, DT_BUF_B));
	dt_imm(dt_code(l), R2, n * sizeof(*words));
	dt_constant_bytes(l, R3, words, (uint32_t)(n * sizeof(*words)));
	dt_help(l, BPF_FUNC_probe_read_kernel);
}

/* Reads dentry and mount of the struct path at r9 + off into two words of the slot. */
static void path_at(struct dt_lower *l, uint32_t off, int dentry, int mnt)
{
	const uint32_t member[2] = {
		dt_kmember(dt_opts(l), "path", "dentry"), dt_kmember(dt_opts(l), "path", "mnt")
	};
	const int to[2] = { dentry, mnt };

	for (int i = 0; i < 2; i++) {
		bool known = off != DT_KOFF_NONE && member[i] != DT_KOFF_NONE;

		dt_mov(dt_code(l), R0, R9);
		dt_follow(l, known ? off + member[i] : DT_KOFF_NONE, 8, "a path");
		dt_stx(dt_code(l), B8, R6, to[i], R0);
	}
}

/* From W_N and W_M up to W_X and W_Y (dentry and mount each); the name becomes the result. */
static void walk_path(struct dt_lower *l)
{
	put_offsets(l, DT_PATH_WORDS);
	dt_runtime(l, "rt_dpath");
	dt_runtime_take(l);
}

/* r9 becomes the address of the process's struct fs_struct. */
static void task_fs(struct dt_lower *l)
{
	dt_slot_reg(l);
	dt_help(l, BPF_FUNC_get_current_task);
	dt_follow_member(l, "task_struct", "fs", 8, "a process's directory");
	dt_mov(dt_code(l), R9, R0);
}

/*
 * r0 is an address of the program's; it goes to F_T1 and faults if nothing can be read there. Without this
 * the walk would take zeros for the end of the path.
 */
static void check_readable(struct dt_lower *l)
{
	struct dt_emit *a = dt_code(l);

	dt_stx(a, B8, FP, F_T1, R0);
	dt_mov(a, R3, R0);
	dt_fpaddr(a, R1, F_T0);
	dt_imm(a, R2, 8);
	dt_help(l, BPF_FUNC_probe_read_kernel);
	dt_jmpi(a, BPF_JNE, R0, 0, dt_fault_label(l, DT_FLT_BADADDR, F_T1));
}

/* ---- subroutines ---- */

/* A test's context says which address has which name. */
static uint64_t call_d_path(struct dt_interp *ip, const struct dt_subr_call *call)
{
	const struct dt_context *c = dt_interp_context(ip);

	for (uint32_t i = 0; i < c->npaths; i++) {
		if (c->paths[i].addr == call->arg[0].value)
			return dt_interp_put(ip, c->paths[i].path, strlen(c->paths[i].path));
	}
	return dt_interp_fault(ip, DT_FLT_BADADDR, call->arg[0].value);
}

/* Names begin at the root directory of the process, as the process itself sees them. */
static void lower_d_path(struct dt_lower *l)
{
	struct dt_emit *a = dt_code(l);

	dt_tuple_arg(l, 0, R0);
	check_readable(l);
	task_fs(l);
	path_at(l, dt_kmember(dt_opts(l), "fs_struct", "root"), W_X, W_Y);
	dt_ldx(a, B8, R9, FP, F_T1);
	path_at(l, 0, W_N, W_M);
	walk_path(l);
}

const struct dt_builtin dt_subr_d_path = {
	DT_SUBR(d_path, "string(struct path *)", V(1, 5), EVOLVING),
	.call = call_d_path, .lower = lower_d_path, .scratch = DT_SCRATCH_STRING,
	.where = DT_IN_KERNEL | DT_IN_REPLAY,
	.doc = "The name of the file that a struct path names.",
};

/*
 * A dentry does not know where its file system is mounted. A mount of the whole file system is looked for, in
 * the namespace of the thread first, else in any.
 */
static void lower_dentry_path(struct dt_lower *l)
{
	struct dt_emit *a = dt_code(l);

	dt_tuple_arg(l, 0, R0);
	check_readable(l);
	task_fs(l);
	path_at(l, dt_kmember(dt_opts(l), "fs_struct", "root"), W_X, W_Y);
	dt_help(l, BPF_FUNC_get_current_task);
	dt_follow_member(l, "task_struct", "nsproxy", 8, "a process's namespaces");
	dt_follow_member(l, "nsproxy", "mnt_ns", 8, "a process's mounts");
	dt_stx(a, B8, R6, W_M, R0);
	dt_ldx(a, B8, R0, FP, F_T1);
	dt_stx(a, B8, R6, W_N, R0);
	put_offsets(l, DT_DENTRY_WORDS);
	dt_runtime(l, "rt_dentrypath");
	dt_runtime_take(l);
}

const struct dt_builtin dt_subr_dentry_path = {
	DT_SUBR(dentry_path, "string(struct dentry *)", V(1, 0), EVOLVING),
	.call = call_d_path, .lower = lower_dentry_path, .scratch = DT_SCRATCH_STRING,
	.where = DT_IN_KERNEL | DT_IN_REPLAY,
	.doc = "The name of the file that a struct dentry names, below a mount of its file system.",
};

/* ---- variables ---- */

GETTER(cwd, dt_interp_text(ip, TEXT_CWD, CONTEXT(ip)->cwd))

/* The agent asks the kernel for it. */
static void cwd_inside(struct dt_lower *l)
{
	dt_slot_reg(l);
	dt_scratch_open(l);
	dt_scratch_ptr(l, R2, R9);
	dt_imm(dt_code(l), R3, dt_opts(l)->strsize);
	dt_about(l, DT_ABOUT_DIRECTORY);
	dt_runtime_take(l);
}

static void lower_cwd(struct dt_lower *l)
{
	if (dt_in_process(l)) {
		cwd_inside(l);
		return;
	}
	task_fs(l);
	path_at(l, dt_kmember(dt_opts(l), "fs_struct", "root"), W_X, W_Y);
	path_at(l, dt_kmember(dt_opts(l), "fs_struct", "pwd"), W_N, W_M);
	walk_path(l);
}

const struct dt_builtin dt_var_cwd = {
	DT_SCALAR(cwd, "string", V(1, 0), STABLE),
	.get = get_cwd, .lower = lower_cwd, .scratch = DT_SCRATCH_STRING,
	.doc = "The working directory of the process.",
};

GETTER(root, dt_interp_text(ip, TEXT_ROOT, CONTEXT(ip)->root))

/* Seen from the very top: without an end the walk goes on to the first mount. */
static void lower_root(struct dt_lower *l)
{
	task_fs(l);
	path_at(l, dt_kmember(dt_opts(l), "fs_struct", "root"), W_N, W_M);
	dt_sti(dt_code(l), B8, R6, W_X, 0);
	dt_sti(dt_code(l), B8, R6, W_Y, 0);
	walk_path(l);
}

const struct dt_builtin dt_var_root = {
	DT_SCALAR(root, "string", V(1, 0), STABLE),
	.get = get_root, .lower = lower_root, .scratch = DT_SCRATCH_STRING,
	.where = DT_IN_KERNEL | DT_IN_REPLAY,
	.doc = "The root directory of the process, as seen from the first one.",
};
