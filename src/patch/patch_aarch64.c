/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * aarch64: one instruction becomes a branch to the trampoline. A landing pad (bti, and paciasp at the
 * beginning of a function) stays where it is, since an indirect branch to any other instruction is a fault:
 * then the next one is displaced, and what paciasp did to the link register is undone for the firing. svc
 * stays too, where it can: the instruction before it is displaced, and the probe fires after that one. A
 * thread that waits in the kernel then stands where the program has put it, which is what its signal
 * handlers, unwinders, and the C library's cancellation look at.
 */
#include "patch/patch_code.h"

#include "agent/agent.h"
#include "machine/machine.h"

#include <string.h>

enum {
	/* hints */
	PACIASP = 0xd503233f, AUTIASP = 0xd50323bf, PACIBSP = 0xd503237f, AUTIBSP = 0xd50323ff,
	BTI = 0xd503241f, BTI_MASK = 0xffffff3f,
	X16 = 16, SVC = 0xd4000001,
	/* the ABI has no red zone, but Go's threads begin with words there, and make a system call first */
	RED_ZONE = 128,
};

static void word(struct dt_patch_code *c, uint32_t w) { dt_patch_emit_int(c, w, 4); }

static uint64_t size_of(const struct dt_patch_site *s) { return s->func_size != 0 ? s->func_size : s->avail; }

static uint32_t word_at(const struct dt_patch_site *s, uint64_t at)
{
	uint32_t w;

	memcpy(&w, s->func + (at - s->func_addr), 4);
	return w;
}

static bool signs(uint32_t w) { return w == PACIASP || w == PACIBSP; }

/* Is the instruction at `at` one that indirect branches lead to? */
static bool is_landing(const struct dt_patch_site *s, uint64_t at)
{
	uint32_t w = word_at(s, at);

	return (w & BTI_MASK) == BTI || (signs(w) && at == s->func_addr);
}

struct landing { uint64_t at; bool found; };

static bool leads_there(void *ctx, const struct dt_insn *in)
{
	struct landing *l = ctx;

	l->found |= (in->way == DT_INSN_BRANCH || in->way == DT_INSN_JUMP) && in->to == l->at;
	return !l->found;
}

/* Does a branch of this function lead to `at`? There it would fire without passing the place before. */
static bool is_target(const struct dt_patch_site *s, uint64_t at)
{
	struct landing l = { at - s->func_addr, false };

	for (uint32_t i = 0; i < s->ntargets; i++)
		l.found |= s->targets[i] == at;
	dt_machine_aarch64.walk(s->func, size_of(s), s->func_addr, leads_there, &l);
	l.at = at - s->part_addr;
	if (!l.found && s->part_size != 0)
		dt_machine_aarch64.walk(s->part, s->part_size, s->part_addr, leads_there, &l);
	return l.found;
}

/*
 * Between a load and a store that are exclusive? What the entry writes would end the exclusive access,
 * always, and the program would try again for ever.
 */
static bool in_exclusive(const struct dt_patch_site *s, uint64_t at)
{
	uint64_t end = s->func_addr + size_of(s);
	enum dt_exclusive before = s->func_size == 0 ? DT_EXCLUSIVE_LOAD : DT_EXCLUSIVE_NONE;
	enum dt_exclusive after = DT_EXCLUSIVE_NONE;

	for (uint64_t a = at; a > s->func_addr; a -= 4) {
		enum dt_exclusive x = dt_patch_aarch64_exclusive(word_at(s, a - 4));

		if (x != DT_EXCLUSIVE_NONE) {
			before = x;
			break;
		}
	}
	if (before != DT_EXCLUSIVE_LOAD)
		return false;
	for (uint64_t a = at; after == DT_EXCLUSIVE_NONE && a + 4 <= end; a += 4)
		after = dt_patch_aarch64_exclusive(word_at(s, a));
	return after == DT_EXCLUSIVE_STORE;
}

/* Which of the places `at` is; nsites: none. */
static uint32_t place(const struct dt_patch_site *s, uint64_t at)
{
	uint32_t i = 0;

	while (i < s->nsites && s->sites[i] != at)
		i++;
	return i;
}

/* Does an instruction go on to the next one, wherever it lies? Branches, hints and traps do not count. */
static bool goes_on(uint32_t w)
{
	return (w & 0x1c000000) != 0x14000000 && w >> 16 != 0 &&
	    dt_patch_aarch64_exclusive(w) == DT_EXCLUSIVE_NONE && !dt_patch_aarch64_prefix(w);
}

/* Is a probe at this svc fired after the instruction before it, which no branch passes by? */
static bool stays(const struct dt_patch_site *s, uint64_t at)
{
	return s->func_size != 0 && at >= s->func_addr + 4 && at + 4 <= s->func_addr + s->func_size &&
	    word_at(s, at) == SVC && goes_on(word_at(s, at - 4)) && !is_landing(s, at - 4) &&
	    (at < s->func_addr + 8 || !dt_patch_aarch64_prefix(word_at(s, at - 8))) && !is_target(s, at) &&
	    !in_exclusive(s, at - 4);
}

/* Does the patch of another place, whose landing pad is before this one, need this instruction? */
static bool is_taken(const struct dt_patch_site *s, uint64_t at)
{
	return at != s->func_addr && is_landing(s, at - 4) && place(s, at - 4) < s->nsites;
}

/* The place whose patch displaces the instruction before a svc that stays; 0: none. */
static uint64_t taken_before(const struct dt_patch_site *s)
{
	uint64_t at = s->pc - 4;

	return is_taken(s, at) ? at - 4 : place(s, at) < s->nsites ? at : 0;
}

static const char *check(const struct dt_patch_site *s, uint64_t start)
{
	uint64_t end = s->func_addr + size_of(s);

	if (s->pc % 4 != 0 || s->func_addr % 4 != 0)
		return "no instruction begins there";
	if (start + 4 > end)
		return "the function ends there";
	if (start != s->pc && is_target(s, start))
		return "a branch leads to the instruction after its landing pad";
	if (is_taken(s, s->pc) && s->site_addrs == NULL)
		return "another probe is too close to it";
	if (start != s->func_addr && dt_patch_aarch64_prefix(word_at(s, start - 4)))
		return "it belongs together with the instruction before it";
	if (in_exclusive(s, start))
		return "it is part of an exclusive access, which a probe would break";
	return NULL;
}

/* sub sp, sp, #528; stp x16, x17, [sp, #128]; x16 = site; ldr x17, [x16]; br x17. Returns the second half. */
static uint32_t fire(struct dt_patch_code *c, uint64_t site_addr)
{
	const uint32_t size = RED_ZONE + DT_FIRING_SIZE;
	uint32_t back;

	_Static_assert(RED_ZONE + DT_FIRING_SIZE < 4096, "an immediate operand");
	word(c, 0xd10003ff | size << 10);
	word(c, 0xa90847f0);
	dt_patch_aarch64_address(c, X16, site_addr);
	word(c, 0xf9400211);
	word(c, 0xd61f0220);
	back = c->out->tramp_len;
	word(c, 0xa94847f0);
	word(c, 0x910003ff | size << 10);
	return back;
}

/* The words of the patch: the landing pad as it is, and the branch. */
static const char *patch(const struct dt_patch_site *s, struct dt_patch_code *c, uint64_t start)
{
	int64_t d = (int64_t)(c->addr - start) / 4;
	uint64_t at = start < s->pc ? start : s->pc;
	uint32_t lead = (uint32_t)(start - at), b = 0x14000000 | ((uint32_t)d & 0x3ffffff);

	if (c->addr % 4 != 0 || !dt_patch_fits(d, 26))
		return "its trampoline is too far from it";
	c->out->before = (uint8_t)(s->pc - at);
	c->out->len = (uint8_t)(lead + 4);
	memcpy(c->out->original, s->func + (at - s->func_addr), c->out->len);
	memcpy(c->out->bytes, c->out->original, lead);
	for (int i = 0; i < 4; i++)
		c->out->bytes[lead + (uint32_t)i] = (uint8_t)(b >> 8 * i);
	return NULL;
}

/* After a landing pad: the probe on the next instruction, if there is one, is fired too. */
static void fire_next(const struct dt_patch_site *s, struct dt_patch_code *c, uint64_t start)
{
	uint32_t i = place(s, start);

	if (start == s->pc || i == s->nsites || s->site_addrs == NULL)
		return;
	c->out->also[0].pc = start;
	c->out->also[0].back = fire(c, s->site_addrs[i]);
	c->out->nalso = 1;
	dt_patch_same(c, start - s->pc);
}

/* After the displaced instruction: the probe on a svc that follows it and stays. */
static void fire_call(const struct dt_patch_site *s, struct dt_patch_code *c, uint64_t at)
{
	uint32_t i = place(s, at);

	if (i == s->nsites || s->site_addrs == NULL || !stays(s, at))
		return;
	c->out->also[c->out->nalso].pc = at;
	c->out->also[c->out->nalso++].back = fire(c, s->site_addrs[i]);
}

static const char *trampoline(const struct dt_patch_site *s, struct dt_patch_code *c, uint64_t site_addr,
    uint64_t start)
{
	uint32_t first = word_at(s, s->pc);
	uint64_t lead = start - s->pc;
	const char *why;

	dt_patch_same(c, lead);
	if (lead != 0 && signs(first))
		word(c, first == PACIASP ? AUTIASP : AUTIBSP);
	c->out->fire = c->out->tramp_len;
	c->out->back = fire(c, site_addr);
	if (lead != 0 && signs(first))
		word(c, first);
	c->out->after = c->out->tramp_len;
	c->out->ntramp = 1;
	dt_patch_same(c, lead);
	fire_next(s, c, start);
	why = dt_patch_aarch64_move(c, word_at(s, start), start, s->shadow_stack);
	if (why != NULL)
		return why;
	fire_call(s, c, start + 4);
	dt_patch_same(c, lead + 4);
	/* what never goes on needs no branch; it does no harm there */
	return dt_patch_aarch64_move(c, 0x14000001, start, false);
}

/* A svc that stays: displaces the instruction before it. */
static const char *before_call(const struct dt_patch_site *s, struct dt_patch_code *c, uint64_t site_addr)
{
	uint64_t start = s->pc - 4;
	const char *why;

	c->out->owner = taken_before(s);
	if (c->out->owner != 0)
		return s->site_addrs != NULL ? NULL : "another probe is too close to it";
	why = patch(s, c, start);
	if (why != NULL)
		return why;
	dt_patch_same(c, 0);
	why = dt_patch_aarch64_move(c, word_at(s, start), start, s->shadow_stack);
	if (why != NULL)
		return why;
	dt_patch_same(c, 4);
	c->out->fire = c->out->tramp_len;
	c->out->back = fire(c, site_addr);
	c->out->after = c->out->tramp_len;
	c->out->ntramp = 1;
	dt_patch_same(c, 4);
	return dt_patch_aarch64_move(c, 0x14000001, start, false);
}

const char *dt_patch_aarch64(const struct dt_patch_site *s, struct dt_patch_code *c, uint64_t site_addr)
{
	uint64_t end = s->func_addr + size_of(s), start;
	const char *why;

	if (s->pc % 4 != 0 || s->pc + 4 > end)
		return "no instruction begins there";
	if (s->func_addr % 4 == 0 && stays(s, s->pc))
		return before_call(s, c, site_addr);
	start = s->pc + (is_landing(s, s->pc) ? 4 : 0);
	why = check(s, start);
	if (why == NULL && is_taken(s, s->pc))
		c->out->owner = s->pc - 4;
	if (why != NULL || c->out->owner != 0)
		return why;
	why = patch(s, c, start);
	return why != NULL ? why : trampoline(s, c, site_addr, start);
}
