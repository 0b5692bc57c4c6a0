/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A user stack by tables (record/unwind.h). Arrays of maps come in instead of strings: a holds the words of
 * files, b the mappings of processes, d the rules, `size` what is found by process and file. The chunk of a
 * search is looked up before it, once. The frames go after the words of the slot, as many as the clause asks
 * for. Where a mapping is not listed yet (the process has just begun) the kernel is asked for it, and its
 * file is looked up. Where there is no table (code made at run time) one step follows the frame pointer.
 *
 * The tables may be rewritten while we read them, and the stack is the process's own memory: everything read
 * is hostile. A wrong word gives a wrong or a short stack, never a walk without end, since each step counts
 * one frame, and no more are counted than the clause asks for. Searches have no branches that the verifier
 * would have to walk both ways: they are sums of steps that count or do not.
 */
#include "record/unwind.h"
#include "runtime/lang.h"
#include "runtime/rt.h"

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
INLINE u64 read_word(struct rt *r, u64 addr, u64 *to) { return read_user(r, to, 8, addr) != 0; }

#define CHUNK_OF(r, maps, number, bits) chunk_at((r), (r)->maps, (number) >> (bits))
/* Whatever the number is, the verifier sees that it stays in the chunk. */
#define IN_CHUNK(chunk, number, bits) (&(chunk)[DT_UNWIND_IN_CHUNK((u64)(number), (bits))])

/*
 * Of `last` + 1 elements of a chunk, from `first` on: `at` becomes the last whose `value`, said of e, is not
 * above x; it must be 0 before. Steps are `most`, half of it, and so on, so 2 * most elements are searched at
 * the most.
 */
#define SEARCH(chunk, bits, first, last, most, value, x, at) do { \
	UNROLL \
	for (u64 step = (most); step > 0; step /= 2) { \
		u64 inside = not_above((at) + step, last); \
		typeof(chunk) e = IN_CHUNK(chunk, (first) + ((at) + step) * inside, bits); \
		(at) += step * (inside & not_above(value, x)); \
	} \
} while (0)

#define SEARCH_MAPS(most) SEARCH(chunk, DT_UNWIND_MAP_BITS, w->lists, last, most, e->start, pc, at)
#define SEARCH_ROWS(most) SEARCH(chunk, DT_UNWIND_WORD_BITS, first, last, most, \
    *e & (DT_UNWIND_BLOCK - 1), off, at)

/* The last mapping of the process that begins at or before the pc; it may end before the pc too. */
INLINE struct dt_unwind_map *find_map(struct rt *r, struct dt_work_walk *w, u64 pc)
{
	u64 at = 0, last = w->nlists - 1;
	struct dt_unwind_map *chunk = CHUNK_OF(r, b, w->lists, DT_UNWIND_MAP_BITS);

	if (!chunk)
		return 0;
	if (last < 16)
		SEARCH_MAPS(8);
	else if (last < 256)
		SEARCH_MAPS(128);
	else
		SEARCH_MAPS(DT_UNWIND_MAPS / 2);
	return IN_CHUNK(chunk, w->lists + at, DT_UNWIND_MAP_BITS);
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

#ifdef __bpf__

/*
 * The kernel's callback for the mapping that has the pc: it becomes the one in hand. vm_start and vm_end
 * are the first members in every kernel. Without a table for its file, n stays 0. Its frame has 32 bytes
 * and no more, hence the blocks: with those of a large clause above it, 32 more were refused ("combined
 * stack size of 5 calls is 544. Too large", 6.1).
 */
static long on_vma(void *task UNUSED, void *vma, struct rt *r)
{
	struct dt_work_walk *w = (struct dt_work_walk *)r->w;
	u64 at = (u64)vma, inode;
	struct dt_unwind_value *v;
	void *keys;

	/* a number from here on: the verifier would check a pointer's offsets against its own type data */
	asm volatile("%0 = -%0; %0 = -%0" : "+r"(at));
	w->start = kernel_word(r, at);
	w->len = kernel_word(r, at + 8) - w->start;
	w->bias = w->start - (kernel_word(r, at + w->vm_pgoff) << (w->page & 31));
	inode = kernel_word(r, kernel_word(r, at + w->vm_file) + w->f_inode);
	{
		u32 first = 0;

		keys = bpf_map_lookup_elem((void *)r->size, &first);
	}
	if (!keys)
		return 0;
	{
		struct dt_unwind_key key = { kernel_word(r, inode + w->i_ino),
			(u32)kernel_word(r, kernel_word(r, inode + w->i_sb) + w->s_dev) };

		v = bpf_map_lookup_elem(keys, &key);
	}
	if (!v)
		return 0;
	w->bias -= v->delta;
	w->first = v->first;
	w->n = v->n;
	return 0;
}

INLINE void find_mapping(struct rt *r, u64 pc)
{
	bpf_find_vma(current_task(r), pc, (void *)on_vma, r, 0);
}

#else

/* Executors on this machine have the mappings of their process: there is no one else to ask. */
INLINE void find_mapping(struct rt *r UNUSED, u64 pc UNUSED) { }

#endif

/*
 * A mapping that is not in the list of the process: n is 0 where there is no file, or no table of it. With
 * interrupts off the kernel answers only once.
 */
INLINE void ask_kernel(struct rt *r, struct dt_work_walk *w, u64 pc)
{
	w->start = pc;
	w->len = 1;
	w->n = w->first = 0;
	if (w->vm_pgoff)
		find_mapping(r, pc);
}

/* The number of the rule at pc, or 0, which is "none". The block of the pc says which rows to search. */
INLINE u64 find_rule(struct rt *r, struct dt_work_walk *w, u64 pc)
{
	u64 at = 0, rel = pc - w->bias, block = rel >> DT_UNWIND_BLOCK_BITS, number, first, last;
	u64 off = rel & (DT_UNWIND_BLOCK - 1);
	u32 *chunk;

	if (block >= w->n)
		return 0;
	number = w->first + block;
	chunk = CHUNK_OF(r, a, number, DT_UNWIND_WORD_BITS);
	if (!chunk)
		return 0;
	number = *IN_CHUNK(chunk, number, DT_UNWIND_WORD_BITS);
	chunk = CHUNK_OF(r, a, number, DT_UNWIND_WORD_BITS);
	if (!chunk)
		return 0;
	last = (u64)*IN_CHUNK(chunk, number, DT_UNWIND_WORD_BITS) - 1;
	first = number + 1;
	if (last < 8)
		SEARCH_ROWS(4);
	else if (last < 32)
		SEARCH_ROWS(16);
	else
		SEARCH_ROWS(DT_UNWIND_BLOCK / 2);
	return *IN_CHUNK(chunk, first + at, DT_UNWIND_WORD_BITS) >> DT_UNWIND_BLOCK_BITS;
}

INLINE struct dt_unwind_rule *rule_of(struct rt *r, u64 number)
{
	struct dt_unwind_rule *chunk = CHUNK_OF(r, d, number, DT_UNWIND_RULE_BITS);

	return chunk ? IN_CHUNK(chunk, number, DT_UNWIND_RULE_BITS) : 0;
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
INLINE long by_frame(struct rt *r, struct dt_work_walk *w)
{
	u64 fp = w->fp, pair[2];

	if (fp + 8 < w->sp || fp & 7 || read_user(r, pair, sizeof(pair), fp))
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
INLINE void undo_return_probe(struct rt *r, struct dt_work_walk *w, u64 entered)
{
	UNROLL
	for (int i = 0; i < 3; i++) {
		u64 ri = w->ret, stack;

		if (!ri)
			return;
		stack = kernel_word(r, ri + w->ret_stack);
		if (stack > entered)
			return;
		if (stack == entered)
			w->pc = kernel_word(r, ri + w->ret_orig);
		w->ret = kernel_word(r, ri + w->ret_next);
	}
}

/* The CFA: where the frame of the caller begins. 1: it cannot be read. */
INLINE long frame_start(struct rt *r, const struct dt_work_walk *w, const struct dt_unwind_rule *rule,
    dt_word *cfa)
{
	u64 fp = rule->cfa == DT_CFA_FP || rule->cfa == DT_CFA_AT_FP;

	*cfa = (fp ? w->fp : w->sp) + (s64)rule->cfa_off;
	if (rule->cfa == DT_CFA_PLT && (w->pc & 15) >= (u64)rule->ra_off)
		*cfa += 8;
	if (rule->cfa == DT_CFA_AT_SP || rule->cfa == DT_CFA_AT_FP)
		return (long)read_word(r, *cfa, cfa);
	return 0;
}

/*
 * One step by a rule of the table: the registers become those of the caller. Each frame has to be above the
 * one before it, so the walk cannot turn in a circle. 1: the walk ends.
 */
INLINE long by_rule(struct rt *r, struct dt_work_walk *w, const struct dt_unwind_rule *rule)
{
	/* What is read goes to w: Linux 6.1 adds up the stacks of all callers, and clauses need the room. */
	dt_word *fp = &w->buf[0], *ra = &w->buf[1], *lr = &w->buf[2], *at = &w->buf[3];
	u64 cfa, ra_at, fp_at;

	if (frame_start(r, w, rule, at))
		return 1;
	cfa = *at;
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
	*ra = w->lr;
	*fp = w->fp;
	*lr = 0;
	if (ra_at && fp_at + 8 == ra_at) {
		if (read_user(r, fp, 2 * sizeof(*fp), fp_at))
			return 1;
	} else {
		if (ra_at && read_word(r, ra_at, ra))
			return 1;
		if (fp_at && read_word(r, fp_at, fp))
			*fp = 0;
	}
	if (rule->signal && w->link && read_word(r, ra_at - 16, lr))
		*lr = 0;
	w->lr = *lr;
	w->pc = *ra;
	w->fp = rule->fp == DT_REG_LOST ? 0 : *fp;
	w->sp = cfa;
	w->vague = 0;
	w->exact = rule->signal;
	undo_return_probe(r, w, w->link ? cfa : cfa - 8);
	return 0;
}

/*
 * Is this the loop of an interpreter? Then the walk goes on along the frames that it runs. They are in the
 * native frame that begins here and ends where its caller's begins, so that one is found first. The first
 * instruction of the loop, and its last, run none.
 */
INLINE u64 runs_frames(const struct dt_work_walk *w, const struct dt_unwind_rule *rule)
{
	return rule->lang && w->nlangs &&
	    !(w->exact && rule->cfa == DT_CFA_SP && rule->cfa_off == (w->link ? 0 : 8));
}

/*
 * A step along the frame pointer, over code without rows. In a process with runtimes it may be V8's, whose
 * step then looks at the frame that was left.
 */
INLINE long over_code(struct rt *r, struct dt_work_walk *w)
{
	w->low = w->fp;
	w->ended = (u64)by_frame(r, w);
	w->lang = w->nlangs ? DT_LANG_V8 : 0;
	w->fresh = 1;
	return w->lang ? 0 : (long)w->ended;
}

/*
 * From one frame to its caller's. The pc of a caller is where its call returns to, which may be the first
 * byte of the next function: so the byte before it is looked up, unless the pc is exact.
 */
INLINE long step_up(struct rt *r, struct dt_work_walk *w)
{
	u64 pc = w->pc - 1 + w->exact;
	struct dt_unwind_rule *rule;

	if (pc - w->start >= w->len && w->nlists)
		use_list(r, w, pc);
	if (pc - w->start >= w->len)
		ask_kernel(r, w, pc);
	if (pc - w->start < w->len && w->n == 0 && w->first) {
		w->lang = w->first;		/* it steps over this frame itself */
		w->jit = w->fresh = 1;
		return 0;
	}
	if (pc - w->start >= w->len || w->n == 0) {
		if (KERNEL_WALKS && !w->nlists && w->out == 1)
			w->out = 0;		/* nothing is known of this process: the kernel walks it */
		return w->out || w->nlangs ? over_code(r, w) : 1;
	}
	rule = rule_of(r, find_rule(r, w, pc));
	if (!rule || rule->cfa == DT_CFA_END)
		return 1;
	if (rule->cfa == DT_CFA_NONE || (w->vague && rule->cfa != DT_CFA_FP && rule->cfa != DT_CFA_AT_FP))
		return over_code(r, w);
	w->low = w->sp;
	w->lang = runs_frames(w, rule) ? rule->lang : 0;
	w->ended = (u64)by_rule(r, w, rule);
	w->high = w->ended ? ~0ull : w->sp;
	w->jit = 0;
	w->fresh = 1;
	return w->lang ? 0 : (long)w->ended;
}

/* The same along the frames of a language. The native walk goes on with the frame after the loop's. */
INLINE long step_in_language(struct rt *r, struct dt_work_walk *w, u64 *frames, u64 room)
{
	long over = 1;

	w->code = 0;
	if (!w->fresh || !find_record(r))
		over = lang_step(r, w);
	w->fresh = 0;
	if (w->code) {
		u64 at = w->out;

		w->word = frame_word(r);
		if (w->word && at < room)
			frames[at] = w->word;
		w->out += w->word != 0;
	}
	if (over)
		w->lang = 0;
	return w->out >= w->want || (over && w->ended);
}

/* One frame is written, if there is room, then one step made; `room` is a constant. */
INLINE long step_within(struct rt *r, u64 room)
{
	struct dt_work_walk *w = (struct dt_work_walk *)r->w;
	u64 *frames = (u64 *)((u8 *)r->w + DT_WORK_SIZE);
	u64 at = w->out;

	if (w->lang)
		return step_in_language(r, w, frames, room);
	if (w->link)
		w->pc &= (1ull << CODE_BITS) - 1;
	if (w->pc == 0 || at >= w->want)
		return 1;
	if (!w->only && at < room)
		frames[at] = w->pc;
	w->out = w->only ? at : at + 1;
	return w->out >= w->want ? 1 : step_up(r, w);
}

STEP(step_unwind) { return step_within(r, DT_UNWIND_FRAMES); }
STEP(step_unwind_more) { return step_within(r, DT_UNWIND_FRAMES_MORE); }
STEP(step_unwind_most) { return step_within(r, DT_UNWIND_FRAMES_MOST); }

/* False if the list of mappings is not valid. */
INLINE int begin_walk(struct dt_work_walk *k)
{
	k->out = k->start = k->len = k->n = k->vague = 0;
	k->lang = k->ended = k->idle = k->kept = 0;
	k->exact = 1;
	k->nlangs = k->nlists >> DT_UNWIND_LANGS_SHIFT & (2 * DT_UNWIND_LANGS - 1);
	k->nlists &= (1u << DT_UNWIND_LANGS_SHIFT) - 1;
	k->langs = k->lists;
	k->lists += k->nlangs * DT_UNWIND_LANG_MAPS;
	k->only = k->only && k->nlangs;
	return k->nlists <= DT_UNWIND_MAPS;
}

#ifndef RT_OTHER_TASK		/* rt_unwind_task.c has its own */

/* They return how many frames were found; 0: the caller asks the kernel for its own walk (bpf/ustack.c). */
RT(rt_unwind)
{
	CONTEXT;
	struct dt_work_walk *k = (struct dt_work_walk *)w;

	if (!begin_walk(k))
		return 0;
	LOOP(&r, DT_UNWIND_FRAMES_MOST, step_unwind);
	return k->out;
}

RT(rt_unwind_more)
{
	CONTEXT;
	struct dt_work_walk *k = (struct dt_work_walk *)w;

	if (!begin_walk(k))
		return 0;
	LOOP(&r, DT_UNWIND_FRAMES_MOST, step_unwind_more);
	return k->out;
}

RT(rt_unwind_most)
{
	CONTEXT;
	struct dt_work_walk *k = (struct dt_work_walk *)w;

	if (!begin_walk(k))
		return 0;
	LOOP(&r, DT_UNWIND_FRAMES_MOST, step_unwind_most);
	return k->out;
}

#endif
