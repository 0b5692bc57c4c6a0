/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A user stack by tables (bpf/unwind.h). Maps come in instead of strings: a holds the rows, b the mappings of
 * processes, d the rules, `size` what is found by process and file. The frames go behind the words of the
 * slot, as many as the clause asks for. When nobody has told us of a mapping yet (the process has just
 * begun) the kernel is asked for it, and its file is looked up. Where there is no table (code made at run
 * time) that one step follows the frame pointer.
 *
 * The tables may be rewritten while we read them, and the stack is the process's own memory: everything read
 * is hostile. A wrong word gives a wrong or a short stack, never a walk without end, since each step counts
 * one frame, and no more are counted than the clause asks for. Searches have no branches that the verifier
 * would have to walk both ways: they are sums of steps that count or do not.
 */
#include "runtime.h"
#include "bpf/unwind.h"

/* helpers of the kernel, by the numbers of enum bpf_func_id */
static void *(*const bpf_get_current_task_btf)(void) = (void *)158;
static long (*const bpf_find_vma)(void *task, u64 addr, void *f, void *ctx, u64 flags) = (void *)180;
static void *(*const bpf_map_lookup_elem)(void *map, const void *key) = (void *)1;
static long (*const bpf_probe_read_user)(void *to, u32 size, const void *from) = (void *)112;

#define INLINE static __attribute__((always_inline))
#define CODE_BITS 48			/* above them aarch64 signs return addresses */

/*
 * 1 if x <= y, both below 2^63, without a branch. The empty asm keeps the compiler from making a comparison
 * of it again.
 */
INLINE u64 not_above(u64 x, u64 y)
{
	u64 r = (y - x) >> 63;

	asm volatile("" : "+r"(r));
	return r ^ 1;
}

/* 1: the word cannot be read */
INLINE u64 read_user(u64 addr, u64 *to) { return bpf_probe_read_user(to, 8, (void *)addr) != 0; }

/*
 * Of `last` + 1 elements of a map, from `first` on: `at` becomes the last whose member is not above x; it
 * must be 0 before. Steps are `most`, half of it, and so on, so 2 * most elements are searched at the most.
 * Returns 0 from the function around it when the map has no such element.
 */
#define SEARCH(type, list, first, last, most, member, x, at) do { \
	_Pragma("unroll") \
	for (u64 step = (most); step > 0; step /= 2) { \
		u64 inside = not_above((at) + step, last); \
		u32 key = (u32)((first) + ((at) + step) * inside); \
		type *e = bpf_map_lookup_elem(list, &key); \
		if (!e) \
			return 0; \
		(at) += step * (inside & not_above(e->member, x)); \
	} \
} while (0)

/* The last mapping of the process that begins at or before the pc; it may end before the pc too. */
INLINE struct dt_unwind_map *find_map(struct rt *r, struct dt_work_walk *w, u64 pc)
{
	u64 at = 0, last = w->nlists - 1;
	u32 key;

	if (last < 16)
		SEARCH(struct dt_unwind_map, r->b, w->lists, last, 8, start, pc, at);
	else
		SEARCH(struct dt_unwind_map, r->b, w->lists, last, DT_UNWIND_MAPS / 2, start, pc, at);
	key = (u32)(w->lists + at);
	return bpf_map_lookup_elem(r->b, &key);
}

/* The mapping in hand becomes the one of the process's own list. */
INLINE void use_list(struct rt *r, struct dt_work_walk *w, u64 pc)
{
	struct dt_unwind_map *m = find_map(r, w, pc);

	if (!m)
		return;
	w->start = m->start;
	w->len = m->end - m->start;
	w->bias = m->bias;
	w->first = m->first;
	w->n = m->n;
}

/* 0: it cannot be read */
INLINE u64 kernel_word(u64 addr)
{
	u64 v = 0;

	bpf_probe_read_kernel(&v, 8, (void *)addr);
	return v;
}

/*
 * The kernel's callback for the mapping that has the pc: it becomes the one in hand. vm_start and vm_end are
 * the first members in every kernel. Without a table for its file, n stays 0.
 */
static long on_vma(void *task, void *vma, struct rt *r)
{
	struct dt_work_walk *w = (struct dt_work_walk *)r->w;
	u64 at = (u64)vma, inode;
	struct dt_unwind_key key;
	struct dt_unwind_value *v;

	/* a number from here on: the verifier would check a pointer's offsets against its own type data */
	asm volatile("%0 = -%0; %0 = -%0" : "+r"(at));
	w->start = kernel_word(at);
	w->len = kernel_word(at + 8) - w->start;
	w->bias = w->start - (kernel_word(at + w->vm_pgoff) << (w->page & 31));
	inode = kernel_word(kernel_word(at + w->vm_file) + w->f_inode);
	key.id = kernel_word(inode + w->i_ino);
	key.dev = (u32)kernel_word(kernel_word(inode + w->i_sb) + w->s_dev);
	v = bpf_map_lookup_elem((void *)r->size, &key);
	if (!v)
		return 0;
	w->bias -= v->delta;
	w->first = v->first;
	w->n = v->n;
	return 0;
}

/*
 * A mapping that nobody has told us of: n is 0 where there is no file, or none that we know. With interrupts
 * off the kernel answers only once.
 */
INLINE void ask_kernel(struct rt *r, struct dt_work_walk *w, u64 pc)
{
	w->start = pc;
	w->len = 1;
	w->n = 0;
	if (w->vm_pgoff)
		bpf_find_vma(bpf_get_current_task_btf(), pc, (void *)on_vma, r, 0);
}

/*
 * The number of the rule at pc, or 0, which is "none". The block of the pc says which rows to search; the row
 * is compared once more, as the table may have changed between the two.
 */
INLINE u64 find_rule(struct rt *r, struct dt_work_walk *w, u64 pc)
{
	u64 at = 0, rel = pc - w->bias, block = rel >> DT_UNWIND_BLOCK_BITS, first, last;
	struct dt_unwind_block *b;
	struct dt_unwind_row *row;
	u32 key = (u32)(w->first + block);

	if (block >= w->n)
		return 0;
	b = bpf_map_lookup_elem(r->a, &key);
	if (!b)
		return 0;
	first = b->row;
	last = (u64)b->n - 1;
	if (last < 8)
		SEARCH(struct dt_unwind_row, r->a, first, last, 4, pc, rel, at);
	else
		SEARCH(struct dt_unwind_row, r->a, first, last, DT_UNWIND_BLOCK, pc, rel, at);
	key = (u32)(first + at);
	row = bpf_map_lookup_elem(r->a, &key);
	return row && row->pc <= rel ? row->rule : 0;
}

/* Where a register was saved; 0: it was not. */
INLINE u64 saved_at(const struct dt_work_walk *w, u64 cfa, u32 how, int off)
{
	u64 base = how == DT_REG_CFA ? cfa : how == DT_REG_SP ? w->sp : w->fp;

	return how == DT_REG_SAME || how == DT_REG_LOST ? 0 : base + (s64)off;
}

/*
 * One step along the frame pointer, which points to a pair: the caller's frame pointer and the return
 * address. On aarch64 the pair may be anywhere in its frame, so what is above it is not known to be the
 * caller's frame, and sp is vague from here on. Go puts the pair a word below the stack pointer, hence + 8.
 * 1: the walk ends.
 */
INLINE long by_frame(struct dt_work_walk *w)
{
	u64 fp = w->fp, pair[2];

	if (fp + 8 < w->sp || fp & 7 || bpf_probe_read_user(pair, sizeof(pair), (void *)fp))
		return 1;
	w->fp = pair[0];
	w->pc = pair[1];
	w->sp = fp + 16;
	w->vague = w->link;
	w->exact = 0;
	return 0;
}

/*
 * A function whose return is probed returns to the kernel's trampoline. Where it would have returned to is in
 * a list of the thread, innermost first, with the stack pointer it had when it was entered. Three entries at
 * most are passed in one step: those of frames that are gone are skipped.
 */
INLINE void undo_return_probe(struct dt_work_walk *w, u64 entered)
{
#pragma unroll
	for (int i = 0; i < 3; i++) {
		u64 ri = w->ret, stack;

		if (!ri)
			return;
		stack = kernel_word(ri + w->ret_stack);
		if (stack > entered)
			return;
		if (stack == entered)
			w->pc = kernel_word(ri + w->ret_orig);
		w->ret = kernel_word(ri + w->ret_next);
	}
}

/* The CFA: where the frame of the caller begins. 1: it cannot be read. */
INLINE long frame_start(const struct dt_work_walk *w, const struct dt_unwind_rule *rule, u64 *cfa)
{
	u64 fp = rule->cfa == DT_CFA_FP || rule->cfa == DT_CFA_AT_FP;

	*cfa = (fp ? w->fp : w->sp) + (s64)rule->cfa_off;
	if (rule->cfa == DT_CFA_PLT && (w->pc & 15) >= (u64)rule->ra_off)
		*cfa += 8;
	if (rule->cfa == DT_CFA_AT_SP || rule->cfa == DT_CFA_AT_FP)
		return (long)read_user(*cfa, cfa);
	return 0;
}

/*
 * One step by a rule of the table: the registers become those of the caller. Each frame has to be above the
 * one before it, so the walk cannot turn in a circle. 1: the walk ends.
 */
INLINE long by_rule(struct dt_work_walk *w, const struct dt_unwind_rule *rule)
{
	u64 cfa, ra_at, fp_at, ra = w->lr, fp = w->fp, lr = 0;

	if (frame_start(w, rule, &cfa))
		return 1;
	ra_at = rule->cfa == DT_CFA_PLT ? cfa - 8 : saved_at(w, cfa, rule->ra, rule->ra_off);
	fp_at = saved_at(w, cfa, rule->fp, rule->fp_off);
	/*
	 * Only the innermost function, before it has a frame, may be as high as the one below it. A signal
	 * handler may run on another stack.
	 */
	if (cfa < w->sp || (cfa == w->sp && !w->exact))
		if (!rule->signal)
			return 1;
	if (!ra_at && !w->exact)
		return 1;		/* the link register has been used since */
	if (ra_at && fp_at + 8 == ra_at) {
		u64 pair[2];

		if (bpf_probe_read_user(pair, sizeof(pair), (void *)fp_at))
			return 1;
		fp = pair[0];
		ra = pair[1];
	} else {
		if (ra_at && read_user(ra_at, &ra))
			return 1;
		if (fp_at && read_user(fp_at, &fp))
			fp = 0;
	}
	if (rule->signal && w->link && read_user(ra_at - 16, &lr))
		lr = 0;
	w->lr = lr;
	w->pc = ra;
	w->fp = rule->fp == DT_REG_LOST ? 0 : fp;
	w->sp = cfa;
	w->vague = 0;
	w->exact = rule->signal;
	undo_return_probe(w, w->link ? cfa : cfa - 8);
	return 0;
}

/*
 * From one frame to its caller's. The pc of a caller is where its call returns to, which may be the first
 * byte of the next function: so the byte before it is looked up, unless the pc is exact.
 */
INLINE long step_up(struct rt *r, struct dt_work_walk *w)
{
	u64 pc = w->pc - 1 + w->exact;
	struct dt_unwind_rule *rule;
	u32 key;

	if (pc - w->start >= w->len && w->nlists)
		use_list(r, w, pc);
	if (pc - w->start >= w->len)
		ask_kernel(r, w, pc);
	if (pc - w->start >= w->len || w->n == 0) {
		if (!w->nlists && w->out == 1)
			w->out = 0;		/* nothing is known of this process: the kernel walks it */
		return w->out ? by_frame(w) : 1;
	}
	key = (u32)find_rule(r, w, pc);
	rule = bpf_map_lookup_elem(r->d, &key);
	if (!rule || rule->cfa == DT_CFA_END)
		return 1;
	if (rule->cfa == DT_CFA_NONE || (w->vague && rule->cfa != DT_CFA_FP && rule->cfa != DT_CFA_AT_FP))
		return by_frame(w);
	return by_rule(w, rule);
}

/* One frame is written, if there is room, then one step made; `room` is a constant. */
static inline __attribute__((always_inline)) long step_within(struct rt *r, u64 room)
{
	struct dt_work_walk *w = (struct dt_work_walk *)r->w;
	u64 *frames = (u64 *)((u8 *)r->w + DT_WORK_SIZE);
	u64 at = w->out;

	if (w->link)
		w->pc &= (1ull << CODE_BITS) - 1;
	if (w->pc == 0 || at >= w->want)
		return 1;
	if (at < room)
		frames[at] = w->pc;
	w->out = at + 1;
	return at + 1 >= w->want ? 1 : step_up(r, w);
}

static long step_unwind(u32 i, struct rt *r) { return step_within(r, DT_UNWIND_FRAMES); }
static long step_unwind_more(u32 i, struct rt *r) { return step_within(r, DT_UNWIND_FRAMES_MORE); }
static long step_unwind_most(u32 i, struct rt *r) { return step_within(r, DT_UNWIND_FRAMES_MOST); }

/* False if the list of mappings is not valid. */
static inline __attribute__((always_inline)) int begin_walk(struct dt_work_walk *k)
{
	k->out = k->start = k->len = k->n = k->vague = 0;
	k->exact = 1;
	return k->nlists <= DT_UNWIND_MAPS;
}

/* They return how many frames were found; 0: the caller asks the kernel for its own walk (bpf/ustack.c). */
RT(rt_unwind)
{
	CONTEXT;
	struct dt_work_walk *k = (struct dt_work_walk *)w;

	if (!begin_walk(k))
		return 0;
	LOOP(DT_UNWIND_FRAMES_MOST, step_unwind);
	return k->out;
}

RT(rt_unwind_more)
{
	CONTEXT;
	struct dt_work_walk *k = (struct dt_work_walk *)w;

	if (!begin_walk(k))
		return 0;
	LOOP(DT_UNWIND_FRAMES_MOST, step_unwind_more);
	return k->out;
}

RT(rt_unwind_most)
{
	CONTEXT;
	struct dt_work_walk *k = (struct dt_work_walk *)w;

	if (!begin_walk(k))
		return 0;
	LOOP(DT_UNWIND_FRAMES_MOST, step_unwind_most);
	return k->out;
}
