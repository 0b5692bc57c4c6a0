/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * x86-64: a jump of five bytes to the trampoline. The first 128 bytes below the stack pointer belong to the
 * function (the red zone): the trampoline goes below them, without changing a flag. endbr64 stays.
 */
#include "patch/patch_code.h"
#include "patch/patch_x86.h"

#include "agent/agent.h"
#include "base/count.h"

#include <string.h>

enum { RED_ZONE = 128, RAX = 80, NEAR = 64 };

/* lea -528(%rsp), %rsp; mov %rax, 80(%rsp); rax = site; jmp *(%rax). Returns the second half. */
static uint32_t fire(struct dt_patch_code *c, uint64_t site_addr)
{
	const int32_t size = RED_ZONE + DT_FIRING_SIZE;
	uint32_t back;
	int64_t d;

	dt_patch_emit(c, "\x48\x8d\xa4\x24", 4);
	dt_patch_emit_int(c, (uint32_t)-size, 4);
	dt_patch_emit(c, "\x48\x89\x44\x24", 4);
	dt_patch_emit_int(c, RAX, 1);
	d = (int64_t)(site_addr - (dt_patch_here(c) + 7));
	dt_patch_emit(c, dt_patch_fits(d, 32) ? "\x48\x8d\x05" : "\x48\xb8", dt_patch_fits(d, 32) ? 3 : 2);
	dt_patch_emit_int(c, dt_patch_fits(d, 32) ? (uint64_t)d : site_addr, dt_patch_fits(d, 32) ? 4 : 8);
	dt_patch_emit(c, "\xff\x20", 2);
	back = c->out->tramp_len;
	dt_patch_emit(c, "\x48\x8b\x44\x24", 4);
	dt_patch_emit_int(c, RAX, 1);
	dt_patch_emit(c, "\x48\x8d\xa4\x24", 4);
	dt_patch_emit_int(c, (uint32_t)size, 4);
	return back;
}

/* Places before the one that is asked for, in order, and what their patches displace. */
struct taken {
	const struct dt_patch_site *site;
	const struct dt_span_window *w;
	struct { uint64_t pc, start, end; uint8_t joined; } v[DT_SPAN_CELL + NEAR];
	unsigned n;
};

/* Does an instruction begin at pc that the span has from its own place on, or a system call after it? */
static bool joins(const struct dt_span_window *w, const struct dt_span *span, uint64_t pc)
{
	if (pc == span->end)
		return dt_span_reaches_call(w, span);
	for (unsigned i = span->at_site; i < span->n; i++)
		if (span->insn[i].at == pc)
			return true;
	return false;
}

/*
 * A place that an earlier one's patch displaces, which its trampoline can fire too; so decided in the same
 * way when that one is asked for. 0: no earlier patch displaces it.
 */
static uint64_t joined_to(struct taken *t, uint64_t pc)
{
	struct dt_span span;

	if (t->site->site_addrs == NULL || t->n == 0 || t->v[t->n - 1].pc < t->w->cell ||
	    pc > t->v[t->n - 1].end || t->v[t->n - 1].joined == DT_PATCH_ALSO ||
	    dt_span_find(t->w, t->v[t->n - 1].pc, &span) != NULL || !joins(t->w, &span, pc))
		return 0;
	t->v[t->n - 1].joined++;
	return t->v[t->n - 1].pc;
}

static bool overlaps(const struct taken *t, const struct dt_span *span)
{
	for (unsigned i = 0; i < t->n; i++)
		if (t->v[i].start < span->end && span->start < t->v[i].end)
			return true;
	return false;
}

/*
 * One place after the other: the first of those that overlap is patched. What is before the cell is not
 * looked at so closely: there any place counts as patched that could be. So the same places win whichever
 * is asked for.
 */
static const char *next_place(struct taken *t, uint64_t pc, struct dt_span *span, uint64_t *owner)
{
	const char *why;

	*owner = joined_to(t, pc);
	if (*owner != 0)
		return NULL;
	why = dt_span_find(t->w, pc, span);
	if (why == NULL && ((pc >= t->w->cell && overlaps(t, span)) || t->n == DT_COUNT(t->v)))
		why = "another probe is too close to it";
	if (why != NULL)
		return why;
	t->v[t->n].pc = pc;
	t->v[t->n].start = span->start;
	t->v[t->n].end = span->end;
	t->v[t->n++].joined = 0;
	return NULL;
}

static const char *decide(const struct dt_span_window *w, struct dt_span *span, uint64_t *owner)
{
	const struct dt_patch_site *s = w->site;
	struct taken t = { .site = s, .w = w };

	for (uint32_t i = 0; i < s->nsites && s->sites[i] < s->pc; i++)
		if (s->sites[i] >= w->base && s->sites[i] + NEAR >= w->cell)
			(void)next_place(&t, s->sites[i], span, owner);
	return next_place(&t, s->pc, span, owner);
}

static const char *patch(const struct dt_patch_site *s, const struct dt_span *span, struct dt_patch_code *c)
{
	/* where the patch begins: at endbr64, if that is before the jump */
	uint64_t at = span->start < s->pc ? span->start : s->pc, lead = span->start - at;
	int64_t d = (int64_t)(c->addr - (span->start + DT_SPAN_JUMP));
	struct dt_patch *p = c->out;

	if (!dt_patch_fits(d, 32))
		return "its trampoline is too far from it";
	p->before = (uint8_t)(s->pc - at);
	p->len = (uint8_t)(lead + DT_SPAN_JUMP);
	memcpy(p->original, s->func + (at - s->func_addr), p->len);
	memcpy(p->bytes, p->original, lead);
	p->bytes[lead] = 0xe9;
	for (uint32_t i = 0; i < 4; i++)
		p->bytes[lead + 1 + i] = (uint8_t)((uint64_t)d >> 8 * i);
	return NULL;
}

/* The site of a place at `at` after the probe's own that is fired here too; 0: none. */
static uint64_t also_fires(const struct dt_span_window *w, const struct dt_patch *p, uint64_t at)
{
	const struct dt_patch_site *s = w->site;

	if (s->site_addrs == NULL || p->nalso == DT_PATCH_ALSO || at - w->cell >= DT_SPAN_CELL)
		return 0;
	for (uint32_t i = 0; i < s->nsites; i++)
		if (s->sites[i] == at)
			return s->site_addrs[i];
	return 0;
}

/* What is fired before instruction i of the span: two places, where endbr64 is before the first one. */
static void fire_at(const struct dt_span_window *w, const struct dt_span *span, unsigned i,
    struct dt_patch_code *c, uint64_t site_addr)
{
	struct dt_patch *p = c->out;
	uint64_t at = span->insn[i].at, from = at - (w->site->pc - p->before), other;

	if (i == span->at_site) {
		p->fire = p->tramp_len;
		p->back = fire(c, site_addr);
		p->after = p->tramp_len;
		dt_patch_same(c, from);
	}
	other = i >= span->at_site && at != w->site->pc ? also_fires(w, p, at) : 0;
	if (other != 0) {
		p->also[p->nalso].pc = at;
		p->also[p->nalso++].back = fire(c, other);
		dt_patch_same(c, from);
	}
}

/* After the span: the probe of the system call that follows, be it this one or another. */
static void fire_call(const struct dt_span_window *w, const struct dt_span *span, struct dt_patch_code *c,
    uint64_t site_addr)
{
	struct dt_patch *p = c->out;
	uint64_t other;

	if (span->at_site == span->n) {
		dt_patch_same(c, span->end - (w->site->pc - p->before));
		p->fire = p->tramp_len;
		p->back = fire(c, site_addr);
		p->after = p->tramp_len;
		return;
	}
	other = dt_span_reaches_call(w, span) ? also_fires(w, p, span->end) : 0;
	if (other != 0) {
		p->also[p->nalso].pc = span->end;
		p->also[p->nalso++].back = fire(c, other);
	}
}

static const char *trampoline(const struct dt_span_window *w, const struct dt_span *span,
    struct dt_patch_code *c, uint64_t site_addr)
{
	const struct dt_patch_site *s = w->site;
	uint64_t at = s->pc - c->out->before;
	const char *why;

	for (unsigned i = 0; i < span->n; i++) {
		const uint8_t *bytes = s->func + (span->insn[i].at - s->func_addr);

		dt_patch_same(c, span->insn[i].at - at);
		fire_at(w, span, i, c, site_addr);
		why = dt_patch_x86_move(c, &span->insn[i].x, bytes, span->insn[i].at, s->shadow_stack);
		if (why != NULL)
			return why;
	}
	c->out->ntramp = span->n;
	if (span->ends)
		return NULL;
	fire_call(w, span, c, site_addr);
	dt_patch_same(c, span->end - at);
	return dt_patch_x86_jump(c, span->end) ? NULL : "its trampoline is too far from it";
}

const char *dt_patch_x86(const struct dt_patch_site *s, struct dt_patch_code *c, uint64_t site_addr)
{
	struct dt_span_window w;
	struct dt_span span;
	const char *why = dt_span_window(&w, s);

	if (why == NULL)
		why = decide(&w, &span, &c->out->owner);
	if (why != NULL || c->out->owner != 0)
		return why;
	why = patch(s, &span, c);
	return why != NULL ? why : trampoline(&w, &span, c, site_addr);
}
