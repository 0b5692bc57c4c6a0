/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The control group of the thread (version 2), as a number, as a path, and as the container that it belongs
 * to. The kernel keeps groups as nodes of a file system; the walk up to the root is in runtime/rt_cgroup.c.
 */
#include "builtin/row.h"

/* Directory names of containers have up to this many characters; shorter strings could not hold them. */
enum { LEAST_STRSIZE = 96 };

GIVEN(cgroupid)

/* The number of the group's directory, which ls -i shows. */
static void lower_cgroupid(struct dt_lower *l) { dt_help(l, BPF_FUNC_get_current_cgroup_id); }

const struct dt_builtin dt_var_cgroupid = {
	DT_SCALAR(cgroupid, "uint64_t", V(1, 0), EVOLVING),
	.get = get_cgroupid, .lower = lower_cgroupid, .needs = DT_NEED_CGROUPS, .scratch = DT_SCRATCH_NONE,
	.where = DT_IN_KERNEL,
	.doc = "The number of the control group (version 2) of the process: that of its directory.",
};

/* The offsets of enum dt_cgroup_word to the second buffer, the node of the group's directory to W_N. */
static void start_walk(struct dt_lower *l)
{
	static const char what[] = "a process's control group";
	bool rcu = dt_kmember(dt_opts(l), "kernfs_node", "__parent") != DT_KOFF_NONE;	/* since 6.15 */
	const uint64_t words[DT_CGROUP_WORDS] = {
		[DT_CGROUP_PARENT] = dt_member(l, "kernfs_node", rcu ? "__parent" : "parent", what),
		[DT_CGROUP_NAME] = dt_member(l, "kernfs_node", "name", what),
	};

	if (dt_opts(l)->strsize < LEAST_STRSIZE)
		REFUSE(l,
		    "names of control groups need strings of at least %d bytes for tracing; see strsize",
		    LEAST_STRSIZE);
	dt_slot_reg(l);
	dt_help(l, BPF_FUNC_get_current_task);
	dt_follow_member(l, "task_struct", "cgroups", 8, what);
	dt_follow_member(l, "css_set", "dfl_cgrp", 8, what);
	dt_follow_member(l, "cgroup", "kn", 8, what);
	dt_stx(dt_code(l), B8, R6, W_N, R0);
	dt_mov(dt_code(l), R1, R6);
	dt_alui(dt_code(l), BPF_ADD, R1, dt_slot_buffer(l, DT_BUF_B));
	dt_imm(dt_code(l), R2, sizeof(words));
	dt_constant_bytes(l, R3, words, sizeof(words));
	dt_help(l, BPF_FUNC_probe_read_kernel);
}

GETTER(cgroup, dt_interp_text(ip, TEXT_CGROUP, CONTEXT(ip)->cgroup))

static void lower_cgroup(struct dt_lower *l)
{
	start_walk(l);
	dt_runtime(l, "rt_cgroup");
	dt_runtime_take(l);
}

const struct dt_builtin dt_var_cgroup = {
	DT_SCALAR(cgroup, "string", V(1, 0), EVOLVING),
	.get = get_cgroup, .lower = lower_cgroup, .needs = DT_NEED_CGROUPS, .scratch = DT_SCRATCH_STRING,
	.where = DT_IN_KERNEL,
	.doc = "The path of the control group (version 2) of the process, below the root of all of them.",
};

GETTER(container, dt_interp_text(ip, TEXT_CONTAINER, CONTEXT(ip)->container))

static void lower_container(struct dt_lower *l)
{
	start_walk(l);
	dt_runtime(l, "rt_container");
	dt_container_name(l);
	dt_runtime_take(l);
}

const struct dt_builtin dt_var_container = {
	DT_SCALAR(container, "string", V(1, 0), EVOLVING),
	.get = get_container, .lower = lower_container, .needs = DT_NEED_CGROUPS,
	.scratch = DT_SCRATCH_STRING,
	.where = DT_IN_KERNEL,
	.doc = "The container of the process: its name (NAMESPACE/POD/CONTAINER with Kubernetes), or the "
	    "first twelve digits of its id if the name is not known. Empty outside of containers.",
};
