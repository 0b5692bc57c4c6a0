/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which instructions of x86-64 a jump of five bytes takes the place of. From the instruction at the probe
 * on, or, where that is too short, from one before it: then these run in the trampoline before the probe
 * fires. Nothing may lead into the middle: no branch, no return of a call, no system call that is begun
 * again there.
 *
 * The instruction of a system call stays where it is, if it can: those before it are displaced, and the probe
 * fires after them. A thread that waits in the kernel then stands where the program has put it, which is what
 * its signal handlers, unwinders, and the C library's cancellation look at.
 */
#include "patch/patch_x86.h"

#include "base/count.h"
#include "machine/machine.h"

#include <string.h>

enum { STARTS = 1, TARGET = 2, RECENT = 8, LOOSE_JUMPS = 3 };

static const char branched[] = "a branch leads into the bytes that a jump needs";

/* ---- reading the function ---- */

struct reading {
	struct dt_span_window *w;
	const uint8_t *code;
	uint64_t addr, size;
	bool starts;			/* note where instructions begin */
	uint64_t recent[RECENT];	/* offsets of the last instructions */
	unsigned n, loose;
};

static void flag(struct dt_span_window *w, uint64_t at, uint8_t what)
{
	if (at - w->base < sizeof(w->flag))
		w->flag[at - w->base] |= what;
}

static bool has(const struct dt_span_window *w, uint64_t at, uint8_t what)
{
	return at - w->base < sizeof(w->flag) && w->flag[at - w->base] & what;
}

/*
 * A jump by a register or memory that does not look like a table's. Was an element of an array loaded just
 * before, or are there many, as in interpreters?
 */
static bool may_be_table(struct reading *r, const struct dt_insn *in)
{
	struct dt_x86 x;

	if (in->slot)
		return false;
	if (dt_x86_decode(r->code + in->off, r->size - in->off, &x) && x.mod != 3)
		return ++r->loose >= LOOSE_JUMPS;
	for (unsigned i = 0; i < RECENT && i < r->n; i++) {
		uint64_t at = r->recent[i];

		if (dt_x86_decode(r->code + at, r->size - at, &x) && x.map == DT_X86_ONE &&
		    (x.opcode == 0x63 || (x.opcode == 0x8b && x.mod != 3 && x.rm == 4 && x.index != 4)))
			return true;
	}
	return false;
}

static bool read_insn(void *ctx, const struct dt_insn *in)
{
	struct reading *r = ctx;
	bool leads = in->way == DT_INSN_BRANCH || in->way == DT_INSN_JUMP || in->way == DT_INSN_CALL;

	if (leads)
		flag(r->w, r->addr + in->to, TARGET);
	if (r->starts)
		flag(r->w, r->addr + in->off, STARTS);
	if (in->table || in->way == DT_INSN_TABLE || (in->way == DT_INSN_INDIRECT && may_be_table(r, in)))
		r->w->table = true;
	r->recent[r->n++ % RECENT] = in->off;
	return true;
}

static bool read_code(struct dt_span_window *w, const uint8_t *code, uint64_t addr, uint64_t size,
    bool starts)
{
	struct reading r = { .w = w, .code = code, .addr = addr, .size = size, .starts = starts };

	return dt_machine_x86_64.walk(code, size, addr, read_insn, &r) == 0;
}

const char *dt_span_window(struct dt_span_window *w, const struct dt_patch_site *s)
{
	memset(w, 0, sizeof(*w));
	w->site = s;
	w->cell = s->pc - (s->pc - s->func_addr) % DT_SPAN_CELL;
	w->base = w->cell == s->func_addr ? w->cell : w->cell - DT_SPAN_CELL;
	w->known = s->func_size != 0;
	if (!w->known) {
		flag(w, s->pc, STARTS);
		return NULL;
	}
	if (!read_code(w, s->func, s->func_addr, s->func_size, true) ||
	    (s->part_size != 0 && !read_code(w, s->part, s->part_addr, s->part_size, false)))
		return "the instructions of its function cannot be decoded";
	for (uint32_t i = 0; i < s->ntargets; i++)
		flag(w, s->targets[i], TARGET);
	return has(w, s->pc, STARTS) ? NULL : "no instruction begins there";
}

/* ---- choosing instructions ---- */

static uint64_t function_end(const struct dt_span_window *w)
{
	return w->site->func_addr + (w->known ? w->site->func_size : w->site->avail);
}

static const uint8_t *code_at(const struct dt_span_window *w, uint64_t at, uint64_t end, struct dt_x86 *x)
{
	const uint8_t *code = w->site->func + (at - w->site->func_addr);

	return at < end && dt_x86_decode(code, end - at, x) ? code : NULL;
}

static bool is_endbr(const uint8_t *code, const struct dt_x86 *x)
{
	return x->length == DT_SPAN_LANDING && memcmp(code, "\xf3\x0f\x1e\xfa", 4) == 0;
}

/* Neither goes on nor returns here: jmp, ret, and what traps. */
static bool never_goes_on(const struct dt_x86 *x)
{
	if (x->map == DT_X86_0F)
		return x->opcode == 0x0b || x->opcode == 0xb9;
	if (x->map != DT_X86_ONE)
		return false;
	return x->opcode == 0xe9 || x->opcode == 0xeb || x->opcode == 0xcc || (x->opcode & 0xf6) == 0xc2 ||
	    (x->opcode == 0xff && (x->reg == 4 || x->reg == 5));
}

static bool is_call(const struct dt_x86 *x)
{
	return x->map == DT_X86_ONE && (x->opcode == 0xe8 || (x->opcode == 0xff && x->reg == 2));
}

/* syscall, sysenter, int, and what xabort returns from */
static bool is_syscall(const struct dt_x86 *x)
{
	return (x->map == DT_X86_0F && (x->opcode == 0x05 || x->opcode == 0x34)) ||
	    (x->map == DT_X86_ONE && x->opcode == 0xcd);
}

static bool is_int3(const struct dt_x86 *x) { return x->map == DT_X86_ONE && x->opcode == 0xcc; }

static bool is_nop(const struct dt_x86 *x)
{
	uint8_t other = DT_X86_REX | DT_X86_REP | DT_X86_REPNE | DT_X86_LOCK;

	return (x->map == DT_X86_ONE && x->opcode == 0x90 && !(x->prefixes & other)) ||
	    (x->map == DT_X86_0F && x->opcode == 0x1f && !(x->prefixes & DT_X86_LOCK));
}

/*
 * Are the bytes from `at` to `to`, which are not reached from before, padding? A nop at an address that
 * functions and loops are aligned to may be the beginning of one. Where a table may lead anywhere, padding
 * must look like what it is for: what follows it is aligned.
 */
static bool is_padding(const struct dt_span_window *w, uint64_t at, uint64_t to)
{
	uint64_t avail = w->site->avail != 0 ? w->site->avail : w->site->func_size;
	uint64_t end = w->site->func_addr + avail;
	struct dt_x86 x;

	while (at < to) {
		bool int3;

		if (has(w, at, TARGET) || code_at(w, at, end, &x) == NULL)
			return false;
		int3 = is_int3(&x);
		if (!int3 && (!is_nop(&x) || at % 16 == 0))
			return false;
		at += x.length;
	}
	while (w->table && at % 8 != 0 && code_at(w, at, end, &x) != NULL && (is_nop(&x) || is_int3(&x)))
		at += x.length;
	return !w->table || at % 8 == 0 || at >= function_end(w);
}

/*
 * A function that begins with a nop of one byte and a call: the nop is there so that the address after it,
 * which lies in the function, can be a return address. Go's goexit() is at the bottom of each goroutine's
 * stack as goexit+1.
 */
static bool is_returned_into(const struct dt_span_window *w, const struct dt_span *s)
{
	return w->known && s->n > 1 && s->start == w->site->func_addr && s->insn[0].x.length == 1 &&
	    is_nop(&s->insn[0].x) && is_call(&s->insn[1].x);
}

static const char *no_targets(const struct dt_span_window *w, const struct dt_span *s)
{
	for (uint64_t at = s->start + 1; at < s->end; at++)
		if (has(w, at, TARGET))
			return branched;
	if (is_returned_into(w, s))
		return "its function is returned into, after a nop";
	if (s->n > 1 && !w->known)
		return "its function is not known, and its instruction is shorter than a jump";
	if (s->n > 1 && w->table)
		return "its function jumps by a table, which may lead into the bytes that a jump needs";
	return NULL;
}

/*
 * No thread stands in the middle for long: it would go on in the middle of the jump. Of a program that has
 * not run yet none does.
 */
static const char *no_returns(const struct dt_span_window *w, uint64_t pc, const struct dt_span *s)
{
	for (unsigned i = 0; i < s->n; i++) {
		if (i + 1u < s->n && is_call(&s->insn[i].x))
			return "a call returns into the bytes that a jump needs";
		if (s->n > 1 && is_syscall(&s->insn[i].x) && !(w->site->fresh && s->insn[i].at == pc))
			return "a system call is among the bytes that a jump needs";
	}
	return NULL;
}

bool dt_span_reaches_call(const struct dt_span_window *w, const struct dt_span *s)
{
	struct dt_x86 x;

	return w->known && !s->ends && s->n > 0 && !is_call(&s->insn[s->n - 1].x) &&
	    !has(w, s->end, TARGET) && code_at(w, s->end, function_end(w), &x) != NULL && is_syscall(&x);
}

/* keep: the instruction at pc stays where it is. */
static const char *take(const struct dt_span_window *w, uint64_t pc, uint64_t start, bool keep,
    struct dt_span *s)
{
	uint64_t at = start, need = start + DT_SPAN_JUMP, end = function_end(w);
	const char *why;

	*s = (struct dt_span){ .start = start };
	while (keep ? at < pc : at < need || at <= pc) {
		struct dt_x86 *x = &s->insn[s->n].x;
		const uint8_t *code;

		if (s->ends && at > pc && w->known && is_padding(w, at, need)) {
			at = need;
			break;
		}
		if (s->ends || at >= end)
			return "its instruction is shorter than a jump, and the next ones are not its own";
		if (s->n == DT_SPAN_INSNS)
			return "too many instructions are in the bytes that a jump needs";
		code = code_at(w, at, end, x);
		if (code == NULL)
			return "the instruction is not known";
		if (is_endbr(code, x))
			return "a landing pad is in the bytes that a jump needs";
		if (at == pc)
			s->at_site = s->n;
		s->insn[s->n++].at = at;
		s->ends = never_goes_on(x);
		at += x->length;
	}
	s->end = at;
	why = no_targets(w, s);
	if (why == NULL)
		why = no_returns(w, pc, s);
	if (why != NULL || !keep)
		return why;
	s->at_site = s->n;
	return dt_span_reaches_call(w, s) ? NULL : "what is before the system call does not lead to it";
}

/* The beginning of the instruction before `at`, in the same function; 0: not known. */
static uint64_t previous(const struct dt_span_window *w, uint64_t at)
{
	for (uint64_t n = 1; n <= 15 && at - n >= w->base && at >= n; n++)
		if (has(w, at - n, STARTS))
			return at - n;
	return 0;
}

/* The instructions before a system call, as many as a jump needs. */
static const char *before_call(const struct dt_span_window *w, uint64_t pc, struct dt_span *s)
{
	uint64_t start = pc;

	if (has(w, pc, TARGET))
		return "a branch leads to the system call";
	while (pc - start < DT_SPAN_JUMP) {
		start = previous(w, start);
		if (start == 0)
			return "there is no room for a jump before the system call";
	}
	return take(w, pc, start, true, s);
}

const char *dt_span_find(const struct dt_span_window *w, uint64_t pc, struct dt_span *s)
{
	uint64_t start = pc;
	const uint8_t *code;
	struct dt_x86 x;
	const char *why, *call;

	code = code_at(w, pc, function_end(w), &x);
	if (code == NULL)
		return "the instruction is not known";
	if (is_endbr(code, &x)) {
		start += DT_SPAN_LANDING;
		return has(w, start, TARGET) ? "a branch leads to the instruction after its landing pad" :
		    take(w, start, start, false, s);
	}
	call = is_syscall(&x) && w->known ? before_call(w, pc, s) : NULL;
	if (is_syscall(&x) && w->known && (call == NULL || !w->site->fresh))
		return call;
	why = take(w, pc, pc, false, s);
	while (why != NULL && pc - start < DT_SPAN_JUMP) {
		start = previous(w, start);
		if (start == 0)
			break;
		if (take(w, pc, start, false, s) == NULL)
			return NULL;
	}
	return why;
}
