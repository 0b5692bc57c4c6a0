/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Subroutines that ask the system: processes, open files, speculations; and those of other systems, which are
 * refused with a reason.
 */
#include "base/count.h"
#include "builtin/row.h"

/* Both executors number speculations from 1 to nspec. */
static uint64_t call_speculation(struct dt_interp *ip, const struct dt_subr_call *call)
{
	(void)call;
	return (uint64_t)dt_interp_speculation(ip);
}

const struct dt_builtin dt_subr_speculation = {
	DT_SUBR(speculation, "int()", V(1, 0), STABLE),
	.call = call_speculation, .lower = dt_speculation, .scratch = DT_SCRATCH_NONE,
	.doc = "A new speculation for speculate(), commit() and discard(); 0: none is free.",
};

/* The process itself is its own progeny. */
static uint64_t call_progenyof(struct dt_interp *ip, const struct dt_subr_call *call)
{
	const struct dt_context *c = dt_interp_context(ip);
	uint32_t pid = (uint32_t)call->arg[0].value;

	if (pid == c->pid || pid == c->ppid)
		return 1;
	for (uint32_t i = 0; i < c->nancestors; i++) {
		if (c->ancestors[i] == pid)
			return 1;
	}
	return 0;
}

/*
 * In a container: process ids are those of its namespace. The offsets by which the runtime finds them go
 * after its words (the slot's `progeny`), in the order of that struct.
 */
static void progenyof_here(struct dt_lower *l)
{
	const struct dt_plan_opts *o = dt_opts(l);
	uint32_t upid = dt_kmember(o, "upid", NULL), inum = dt_kmember(o, "pid_namespace", "ns.inum");
	uint32_t at = dt_kmember(o, "pid", "numbers") + o->pidns_level * upid;
	const uint64_t words[] = {
		dt_kmember(o, "task_struct", "group_leader"), dt_kmember(o, "task_struct", "thread_pid"),
		dt_kmember(o, "pid", "level"), o->pidns_level, at + dt_kmember(o, "upid", "ns"), inum,
		o->pidns_ino,
		at + dt_kmember(o, "upid", "nr"),
	};

	if (upid == DT_KOFF_NONE || inum == DT_KOFF_NONE)
		REFUSE(l, "this kernel's type data does not show where the namespace's process id is kept, "
		    "which progenyof( ) needs");
	dt_tuple_arg(l, 0, R1);
	dt_work(l, W_N, R1);
	dt_work_imm(l, W_LB, (int32_t)dt_kmember(dt_opts(l), "task_struct", "real_parent"));
	dt_help(l, BPF_FUNC_get_current_task);
	dt_work(l, W_POS, R0);
	for (size_t i = 0; i < DT_COUNT(words); i++) {
		dt_imm(dt_code(l), R1, words[i]);
		dt_stx(dt_code(l), B8, dt_slot_reg(l), DT_SLOT_AT(progeny.leader) + 8 * (int)i, R1);
	}
	dt_runtime(l, "rt_progenyof_here");
}

/* The parents' chain ends at the first process, which is its own parent. */
static void lower_progenyof(struct dt_lower *l)
{
	uint32_t parent = dt_kmember(dt_opts(l), "task_struct", "real_parent");
	uint32_t tgid = dt_kmember(dt_opts(l), "task_struct", "tgid");

	if (dt_in_process(l)) {
		dt_tuple_arg(l, 0, R2);
		dt_about(l, DT_ABOUT_PROGENY);
		return;
	}
	if (parent == DT_KOFF_NONE || tgid == DT_KOFF_NONE)
		REFUSE(l, "this kernel's type data does not show where the parent process is kept, "
		    "which progenyof( ) needs");
	if (dt_opts(l)->pidns_ino != 0) {
		progenyof_here(l);
		return;
	}
	dt_tuple_arg(l, 0, R1);
	dt_work(l, W_N, R1);
	dt_work_imm(l, W_LA, (int32_t)tgid);
	dt_work_imm(l, W_LB, (int32_t)parent);
	dt_help(l, BPF_FUNC_get_current_task);
	dt_work(l, W_POS, R0);
	dt_runtime(l, "rt_progenyof");
}

const struct dt_builtin dt_subr_progenyof = {
	DT_SUBR(progenyof, "int(pid_t)", V(1, 0), STABLE),
	.call = call_progenyof, .lower = lower_progenyof, .scratch = DT_SCRATCH_STRING,
	.doc = "1 if the process is the given one or descends from it, else 0.",
};

/* A test's context has the files. */
static uint64_t call_getf(struct dt_interp *ip, const struct dt_subr_call *call)
{
	const struct dt_context *c = dt_interp_context(ip);
	int64_t fd = dt_subr_int(call, 0);

	return fd >= 0 && fd < c->nfiles ? c->files[fd] : 0;
}

/*
 * The running process's open file of that number: 0 for a number that has none, and for a process that is
 * ending and has no files any more. The table may change while it is read; what is read is then an old or a
 * new file.
 */
static void lower_getf(struct dt_lower *l)
{
	static const char what[] = "a file descriptor";
	struct dt_emit *a = dt_code(l);
	uint32_t none = dt_label(a), done = dt_label(a);

	dt_help(l, BPF_FUNC_get_current_task);
	dt_follow_member(l, "task_struct", "files", 8, what);
	dt_follow_member(l, "files_struct", "fdt", 8, what);
	dt_mov(a, R9, R0);
	dt_follow_member(l, "fdtable", "max_fds", 4, what);
	dt_tuple_int(l, 0, R1);
	dt_jmp(a, BPF_JGE, R1, R0, none);	/* unsigned: negative numbers too */
	dt_mov(a, R0, R9);
	dt_follow_member(l, "fdtable", "fd", 8, what);
	dt_tuple_int(l, 0, R1);
	dt_alui(a, BPF_LSH, R1, 3);
	dt_alu(a, BPF_ADD, R0, R1);
	dt_follow(l, 0, 8, what);
	dt_ja(a, done);
	dt_put(a, none);
	dt_imm(a, R0, 0);
	dt_put(a, done);
}

const struct dt_builtin dt_subr_getf = {
	DT_SUBR(getf, "struct file *(int)", V(1, 10), STABLE),
	.call = call_getf, .lower = lower_getf, .scratch = DT_SCRATCH_NONE,
	.where = DT_IN_KERNEL | DT_IN_REPLAY,
	.doc = "The open file of the process with that number; NULL if it is not open.",
};

/* ---- what other systems have ---- */

/* The reason for both of these. */
#define STREAMS \
	"it measures STREAMS messages, which Linux does not have; a socket buffer's length is its member len"

const struct dt_builtin dt_subr_msgdsize = { DT_SUBR(msgdsize, "size_t(void *)", V(1, 0), EVOLVING),
	.unsupported = STREAMS };

const struct dt_builtin dt_subr_msgsize = { DT_SUBR(msgsize, "size_t(void *)", V(1, 0), EVOLVING),
	.unsupported = STREAMS };

const struct dt_builtin dt_subr_ddi_pathname = {
	DT_SUBR(ddi_pathname, "string(void *, int64_t)", V(1, 0), EVOLVING),
	.unsupported = "it walks the Solaris device tree, which Linux does not have; see getmajor() and "
	    "getminor()",
};

const struct dt_builtin dt_subr_copyoutmbuf = {
	DT_SUBR(copyoutmbuf, "void(void *, void *, size_t)", V(1, 0), EVOLVING),
	.unsupported = "it writes macOS network buffers, which Linux does not have" };

const struct dt_builtin dt_subr_strip = { DT_SUBR(strip, "void *(void *)", V(1, 0), EVOLVING),
	.unsupported = "pointers are not signed here: use the pointer itself" };
