/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * User stacks: registers of the process in, program counters out, innermost first, in the slot. They are
 * walked by tables (record/unwind.h) where the process has some, which finds the callers of code without
 * frame pointers; else the kernel walks along the frame pointers. The walk itself is C (runtime/rt_unwind.c);
 * here a clause fills the words it works with (struct dt_work_walk) and calls it.
 */
#include "base/count.h"
#include "bpf/build.h"
#include "bpf/current.h"
#include "dif/action.h"
#include "record/unwind.h"
#include "dif/builtin.h"

#define WALK_AT(member) DT_SLOT_AT(walk.member)

/* The walk needs a loop, and the registers of the task without a copy. */
bool dt_ustack_tables(const struct dt_build *b)
{
	return b->opts->unwind_size && b->opts->feat->get_current_task_btf && b->opts->feat->bpf_loop;
}

bool dt_ustack_wanted(const struct dt_build *b, const struct dt_plan_hook *hooks, uint32_t n)
{
	return dt_stack_wanted(b, hooks, n, DT_AF_USTACK, DT_NEED_USTACK);
}

/* The sizes of the room for frames, and the walk of each. */
static const struct { uint32_t frames; const char *walk; } rooms[] = {
	{ DT_UNWIND_FRAMES, "rt_unwind" }, { DT_UNWIND_FRAMES_MORE, "rt_unwind_more" },
	{ DT_UNWIND_FRAMES_MOST, "rt_unwind_most" },
};

static uint32_t clause_frames(const struct dt_ecb *e)
{
	uint32_t most = 0;

	for (uint32_t i = 0; i < e->nacts; i++)
		if (dt_act_is(&e->acts[i], DT_AF_USTACK) && (uint32_t)e->acts[i].arg > most)
			most = (uint32_t)e->acts[i].arg;
	return most;
}

static uint32_t deepest(const struct dt_enabling *en, uint32_t n, uint32_t most)
{
	for (uint32_t i = 0; i < n; i++) {
		uint32_t frames = i > 0 && en[i].ecb == en[i - 1].ecb ? 0 : clause_frames(en[i].ecb);

		most = frames > most ? frames : most;
	}
	return most;
}

uint32_t dt_ustack_frames(const struct dt_build *b, const struct dt_plan_hook *hooks, uint32_t n)
{
	uint32_t most = deepest(b->opts->errors, b->opts->nerrors, 0), i = 0;

	for (uint32_t h = 0; h < n; h++)
		most = deepest(hooks[h].en, hooks[h].nen, most);
	while (i + 1 < DT_COUNT(rooms) && rooms[i].frames < most)
		i++;
	return rooms[i].frames;
}

static const char *walk_of(const struct dt_build *b)
{
	uint32_t i = 0;

	while (rooms[i].frames != b->ustack_frames)
		i++;
	return rooms[i].walk;
}

/* ---- taking it ---- */

/* In the order of their roles: chunks (record/unwind.h), and how many there may be. The session adds them. */
static const struct { uint32_t type, key, value, n, flags, most; } tables[] = {
	{ BPF_MAP_TYPE_ARRAY, 4, DT_UNWIND_CHUNK(DT_UNWIND_WORD_BITS) * 4, 1, BPF_F_MMAPABLE, 0 },
	{ BPF_MAP_TYPE_ARRAY, 4, DT_UNWIND_CHUNK(DT_UNWIND_RULE_BITS) * sizeof(struct dt_unwind_rule), 1,
	    BPF_F_MMAPABLE, DT_UNWIND_RULES >> DT_UNWIND_RULE_BITS },
	{ BPF_MAP_TYPE_ARRAY, 4, DT_UNWIND_CHUNK(DT_UNWIND_MAP_BITS) * sizeof(struct dt_unwind_map), 1,
	    BPF_F_MMAPABLE, 1024 },
	/* one, and a larger one takes its place */
	{ BPF_MAP_TYPE_HASH, sizeof(struct dt_unwind_key), sizeof(struct dt_unwind_value), 2048,
	    BPF_F_NO_PREALLOC, 1 },
};

/* Chunks of words; numbers of words have 32 bits. */
static uint32_t word_chunks(const struct dt_build *b)
{
	uint64_t n = (b->opts->unwind_size / 4 >> DT_UNWIND_WORD_BITS) + 1;

	return n < 1u << (32 - DT_UNWIND_WORD_BITS) ? (uint32_t)n : 1u << (32 - DT_UNWIND_WORD_BITS);
}

static uint32_t unwind_map(struct dt_lower *l, enum dt_map_role role)
{
	uint32_t i = (uint32_t)role - DT_MAP_UNWIND_ROWS, *at = &l->b->unwind[i], first;

	if (!*at) {
		first = dt_build_map(l->b, DT_MAP_UNWIND_CHUNK, tables[i].type, tables[i].key,
		    tables[i].value, tables[i].n, tables[i].flags);
		*at = 1 + dt_build_map(l->b, role, BPF_MAP_TYPE_ARRAY_OF_MAPS, 4, 4,
		    tables[i].most ? tables[i].most : word_chunks(l->b), 0);
		l->b->maps.v[*at - 1].inner = first;
	}
	return *at - 1;
}

/*
 * What the process had in its registers when it came into the kernel. Without a link register any word will
 * do for lr: the walk does not look at it.
 */
static void store_registers(struct dt_lower *l)
{
	const struct dt_machine *m = l->b->opts->machine;
	bool link = m->regs.link != DT_MACHINE_NOWHERE, bytecode = m->regs.bytecode != DT_MACHINE_NOWHERE;
	const struct { int reg, to; } row[] = {
		{ m->regs.pc, WALK_AT(pc) }, { m->regs.sp, WALK_AT(sp) }, { m->regs.fp, WALK_AT(fp) },
		{ link ? m->regs.link : 0, WALK_AT(lr) },
		{ bytecode ? m->regs.bytecode : m->regs.pc, WALK_AT(bytecode) },
	};

	dt_help(l, BPF_FUNC_get_current_task_btf);
	dt_stx(l->a, B8, R6, WALK_AT(task), R0);
	dt_mov(l->a, R1, R0);
	dt_help(l, BPF_FUNC_task_pt_regs);
	for (size_t i = 0; i < DT_COUNT(row); i++) {
		dt_ldx(l->a, B8, R1, R0, row[i].reg);
		dt_stx(l->a, B8, R6, row[i].to, R1);
	}
	dt_sti(l->a, B8, R6, WALK_AT(link), link);
}

/*
 * The process's own list of mappings, by its number: F_T1 and F_T0 together are a struct dt_unwind_key. Where
 * there is none yet, nlists is 0 and the walk finds files one by one.
 */
static void store_mappings(struct dt_lower *l)
{
	struct dt_emit *a = l->a;
	uint32_t none = dt_label(a);

	dt_process_number(a, l->b->opts, F_T1);
	l->cached = 0;
	dt_stx(a, B8, FP, F_T1, R0);
	dt_sti(a, B8, R6, WALK_AT(nlists), 0);
	dt_sti(a, B8, FP, F_T0, 0);
	dt_map(a, R1, unwind_map(l, DT_MAP_UNWIND_KEYS));
	dt_fpaddr(a, R2, F_T0);
	dt_help(l, BPF_FUNC_map_lookup_elem);
	dt_jmpi(a, BPF_JEQ, R0, 0, none);
	dt_mov(a, R1, R0);
	dt_sti(a, B8, FP, F_T0, -1);
	dt_fpaddr(a, R2, F_T1);
	dt_help(l, BPF_FUNC_map_lookup_elem);
	dt_jmpi(a, BPF_JEQ, R0, 0, none);
	dt_ldx(a, B4, R1, R0, (int)offsetof(struct dt_unwind_value, first));
	dt_stx(a, B8, R6, WALK_AT(lists), R1);
	dt_ldx(a, B4, R1, R0, (int)offsetof(struct dt_unwind_value, n));
	dt_stx(a, B8, R6, WALK_AT(nlists), R1);
	dt_put(a, none);
}

/* Where a thread's own memory is found from, for frames of languages (runtime/lang.h). */
static void store_thread_offsets(struct dt_lower *l)
{
	const struct dt_plan_opts *o = l->b->opts;
	uint32_t robust = dt_kmember(o, "task_struct", "robust_list");
	uint32_t tp = o->machine->thread_pointer ?
	    dt_kmember(o, "task_struct", o->machine->thread_pointer) : DT_KOFF_NONE;

	dt_sti(l->a, B8, R6, WALK_AT(robust_off), robust != DT_KOFF_NONE ? (int32_t)robust : 0);
	dt_sti(l->a, B8, R6, WALK_AT(tp_off), tp != DT_KOFF_NONE ? (int32_t)tp : 0);
}

/*
 * Offsets in kernel structs, and the innermost function whose return is probed. What the type data does not
 * show is not used: vm_pgoff 0 turns the search for files off, ret 0 that for probed returns.
 */
static void store_offsets(struct dt_lower *l)
{
	const struct dt_plan_opts *o = l->b->opts;
	const struct { uint32_t off; int to; } vma[] = {
		{ dt_kmember(o, "vm_area_struct", "vm_pgoff"), WALK_AT(vm_pgoff) },
		{ dt_kmember(o, "vm_area_struct", "vm_file"), WALK_AT(vm_file) },
		{ dt_kmember(o, "file", "f_inode"), WALK_AT(f_inode) },
		{ dt_kmember(o, "inode", "i_ino"), WALK_AT(i_ino) },
		{ dt_kmember(o, "inode", "i_sb"), WALK_AT(i_sb) },
		{ dt_kmember(o, "super_block", "s_dev"), WALK_AT(s_dev) },
	}, ret[] = {
		{ dt_kmember(o, "return_instance", "stack"), WALK_AT(ret_stack) },
		{ dt_kmember(o, "return_instance", "orig_ret_vaddr"), WALK_AT(ret_orig) },
		{ dt_kmember(o, "return_instance", "next"), WALK_AT(ret_next) },
	};
	uint32_t utask = dt_kmember(o, "task_struct", "utask");
	uint32_t returns = dt_kmember(o, "uprobe_task", "return_instances");
	bool all = true, probed = utask != DT_KOFF_NONE && returns != DT_KOFF_NONE;

	for (size_t i = 0; i < DT_COUNT(vma); i++)
		all = all && vma[i].off != DT_KOFF_NONE;
	for (size_t i = 0; i < DT_COUNT(vma); i++)
		dt_sti(l->a, B8, R6, vma[i].to, all ? (int32_t)vma[i].off : 0);
	dt_sti(l->a, B8, R6, WALK_AT(page), (int32_t)l->b->opts->page_bits);
	for (size_t i = 0; i < DT_COUNT(ret); i++) {
		probed = probed && ret[i].off != DT_KOFF_NONE;
		dt_sti(l->a, B8, R6, ret[i].to, (int32_t)ret[i].off);
	}
	store_thread_offsets(l);
	dt_sti(l->a, B8, R6, WALK_AT(ret), 0);
	if (!probed)
		return;
	dt_help(l, BPF_FUNC_get_current_task_btf);
	dt_ldx(l->a, B8, R0, R0, (int)utask);
	dt_ldx(l->a, B8, R0, R0, (int)returns);	/* 0 when utask is NULL: the kernel catches that load */
	dt_scalar(l->a, R0);
	dt_stx(l->a, B8, R6, WALK_AT(ret), R0);
}

/* R1 to R5, and the thread, become a struct rt_task in the frame: rt_unwind_task.c. */
static void pass_in_frame(struct dt_lower *l)
{
	for (int i = 0; i < 5; i++)
		dt_stx(l->a, B8, FP, F_CMP + 8 * i, R1 + i);
	dt_help(l, BPF_FUNC_get_current_task_btf);
	dt_stx(l->a, B8, FP, F_CMP + 8 * 5, R0);
	dt_fpaddr(l->a, R1, F_CMP);
}

/* R0 = how many frames the tables gave; 0: none of the process's code is known. */
static void walk_by_tables(struct dt_lower *l, uint32_t frames)
{
	struct dt_emit *a = l->a;

	store_mappings(l);
	store_offsets(l);
	store_registers(l);
	dt_sti(a, B8, R6, WALK_AT(want), (int32_t)frames);
	dt_map(a, R1, unwind_map(l, DT_MAP_UNWIND_ROWS));
	dt_map(a, R2, unwind_map(l, DT_MAP_UNWIND_MAPS));
	dt_map(a, R3, unwind_map(l, DT_MAP_UNWIND_RULES));
	dt_mov(a, R4, R6);
	dt_alui(a, BPF_ADD, R4, S_WORK);
	dt_map(a, R5, unwind_map(l, DT_MAP_UNWIND_KEYS));
	if (a->task != NULL)
		pass_in_frame(l);
	dt_callsub(a, dt_rt_label(l, dt_arena_printf(l->b->arena, "%s%s", walk_of(l->b),
	    a->task != NULL ? "_task" : "")));
	l->cached = 0;
}

/*
 * The stack of a thread that is not the current one, and which may begin to run at any time: what was read of
 * it counts only if it has not run until all was read. Else the stack has no frames.
 */
static void walk_of_other(struct dt_lower *l, uint32_t frames, uint32_t kept)
{
	struct dt_emit *a = l->a;
	uint32_t none = dt_label(a), done = dt_label(a);

	dt_current_switches(a, none);
	dt_stx(a, B8, R6, WALK_AT(switches), R0);
	walk_by_tables(l, frames);
	dt_stx(a, B8, R6, WALK_AT(out), R0);
	dt_current_switches(a, none);
	dt_ldx(a, B8, R1, R6, WALK_AT(switches));
	dt_jmp(a, BPF_JNE, R0, R1, none);
	dt_ldx(a, B8, R0, R6, WALK_AT(out));
	dt_alui(a, BPF_LSH, R0, 3);
	dt_ja(a, done);
	dt_put(a, none);
	dt_zero(l, dt_slot_reg(l), (int)l->b->slot_frames, 8 * kept);
	dt_imm(a, R0, 0);
	dt_put(a, done);
	l->cached = 0;
}

/*
 * The frames are zeroed first, as all of them are recorded, however few there are. More may be asked for than
 * there is room for: they are counted. The kernel's own walk gives as many as the sysctl
 * kernel.perf_event_max_stack allows.
 */
void dt_ustack_take(struct dt_lower *l, uint32_t frames, bool only_managed)
{
	struct dt_emit *a = l->a;
	uint32_t done = dt_label(a), kept = frames < l->b->ustack_frames ? frames : l->b->ustack_frames;

	dt_zero(l, dt_slot_reg(l), (int)l->b->slot_frames, 8 * kept);
	dt_sti(a, B8, R6, WALK_AT(only), only_managed);
	if (a->task != NULL) {
		dt_put(a, done);
		walk_of_other(l, frames, kept);
		return;
	}
	walk_by_tables(l, frames);
	dt_alui(a, BPF_LSH, R0, 3);
	dt_jmpi(a, BPF_JNE, R0, 0, done);
	dt_mov(a, R1, R7);
	dt_mov(a, R2, R6);
	dt_alui(a, BPF_ADD, R2, (int32_t)l->b->slot_frames);
	dt_imm(a, R3, 8 * kept);
	dt_imm(a, R4, BPF_F_USER_STACK);
	dt_help(l, BPF_FUNC_get_stack);
	dt_put(a, done);
}

void dt_ustack_store(struct dt_lower *l, int base, int off, uint32_t frames, bool only_managed)
{
	struct dt_emit *a = l->a;
	dt_ustack_take(l, frames, only_managed);
	dt_mov(a, R1, base);
	dt_alui(a, BPF_ADD, R1, off);
	dt_imm(a, R2, 8 * frames);
	dt_mov(a, R3, R6);
	dt_alui(a, BPF_ADD, R3, (int32_t)l->b->slot_frames);
	dt_help(l, BPF_FUNC_probe_read_kernel);
}
