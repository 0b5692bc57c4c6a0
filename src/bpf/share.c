/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Counting code, and dividing it among programs. The verifier stops at 8192 branches that it has yet to look
 * at, a million instructions walked, 64 maps, 256 functions. We stay well below: the code does not show what
 * the verifier walks twice. Where one clause alone is longer, islands.c keeps its branches short.
 *
 * The time of a load grows with the square of a program's length (each call that the kernel replaces moves
 * the rest: 300 clauses of 45 instructions take 0.3 s, 100 take 0.03), so once there is more than one
 * program, each is short.
 */
#include "bpf/share.h"
#include "bpf/image_maps.h"
#include "bpf/image_runtime.h"

/* What we allow one program; MAPS_KERNEL is what the kernel does. */
enum {
	MAPS_MAX = 60,
	JUMPS_MAX = 7000,
	WALKED_MAX = 300000,
	MAIN_MAX = 16000,
	INSNS_MAX = 60000,
	INSNS_ONE = 8000,
	INSNS_SHORT = 3000,
	MAPS_KERNEL = 64
};

/* ---- counting ---- */

static bool is_jump(const struct bpf_insn *in)
{
	unsigned class = BPF_CLASS(in->code), op = BPF_OP(in->code);

	return (class == BPF_JMP || class == BPF_JMP32) && op != BPF_JA && op != BPF_CALL && op != BPF_EXIT;
}

static bool contains(const uint32_t *v, size_t n, uint32_t what)
{
	for (size_t i = 0; i < n; i++) {
		if (v[i] == what)
			return true;
	}
	return false;
}

/* Labels of the runtime's functions are in the emitter's list. */
static void count_call(const struct dt_emit *a, uint32_t label, struct dt_cost *c, uint32_t *rt)
{
	for (size_t i = 0; i < a->rt.n; i++) {
		if (a->rt.v[i].label != label)
			continue;
		c->walked += dt_rtfuncs[a->rt.v[i].func].walked;
		c->jumps += dt_rtfuncs[a->rt.v[i].func].jumps;
		if (!contains(rt, c->nrt, a->rt.v[i].func))
			rt[c->nrt++] = a->rt.v[i].func;
	}
}

struct dt_cost dt_cost_since(struct dt_build *b, const struct dt_emit *a, struct dt_emit_mark m)
{
	struct dt_cost c = { .insns = (uint32_t)(a->code.n - m.code) };
	uint32_t *maps = DT_NEWN(b->arena, uint32_t, a->relocs.n - m.relocs + 1);
	uint32_t *rt = DT_NEWN(b->arena, uint32_t, a->fixups.n - m.fixups + 1);

	c.walked = c.insns;
	for (size_t i = m.code; i < a->code.n; i++)
		c.jumps += is_jump(&a->code.v[i]);
	for (size_t i = m.relocs; i < a->relocs.n; i++) {
		if (!contains(maps, c.nmaps, a->relocs.v[i].map))
			maps[c.nmaps++] = a->relocs.v[i].map;
	}
	for (size_t i = m.fixups; i < a->fixups.n; i++) {
		if (a->fixups.v[i].call)
			count_call(a, a->fixups.v[i].label, &c, rt);
	}
	c.maps = maps;
	c.rt = rt;
	return c;
}

static const uint32_t *concatenate(
    struct dt_build *b, const uint32_t *x, uint32_t nx, const uint32_t *y, uint32_t ny)
{
	uint32_t *v = DT_NEWN(b->arena, uint32_t, nx + ny + 1);

	memcpy(v, x, nx * sizeof(*v));
	memcpy(v + nx, y, ny * sizeof(*v));
	return v;
}

void dt_cost_add(struct dt_build *b, struct dt_cost *x, const struct dt_cost *y)
{
	if (y->nmaps || y->nrt) {
		x->maps = concatenate(b, x->maps, x->nmaps, y->maps, y->nmaps);
		x->rt = concatenate(b, x->rt, x->nrt, y->rt, y->nrt);
		x->nmaps += y->nmaps;
		x->nrt += y->nrt;
	}
	x->walked += y->walked;
	x->jumps += y->jumps;
}

/* ---- dividing ---- */

struct filling {			/* a program that is being filled */
	uint32_t *map_seen, *rt_seen;	/* by map, by function: the number of the last program that has it */
	uint32_t number;
	uint32_t insns, main, walked, jumps, maps, rt;
};

/* Counts a function of the runtime, and those it calls, unless the program in hand has them already. */
static void add_function(struct filling *f, uint32_t func)
{
	const struct dt_rtfunc *r = &dt_rtfuncs[func];

	if (f->rt_seen[func] == f->number)
		return;
	f->rt_seen[func] = f->number;
	f->rt++;
	for (uint32_t i = 0; i < r->nrefs; i++)
		add_function(f, r->refs[i]);
}

static void add_cost(struct filling *f, const struct dt_cost *c)
{
	f->insns += c->insns;
	f->main += c->main;
	f->walked += c->walked;
	f->jumps += c->jumps;
	for (uint32_t i = 0; i < c->nmaps; i++) {
		if (f->map_seen[c->maps[i]] == f->number)
			continue;
		f->map_seen[c->maps[i]] = f->number;
		f->maps++;
	}
	for (uint32_t i = 0; i < c->nrt; i++)
		add_function(f, c->rt[i]);
}

static bool too_full(const struct filling *f, uint32_t insns, uint32_t main)
{
	return f->insns > insns || f->main > main || f->walked > WALKED_MAX || f->jumps > JUMPS_MAX ||
	    f->maps > MAPS_MAX;
}

/* A new number makes all that was seen before unseen. */
static void begin_program(struct filling *f, const struct dt_cost *every)
{
	f->number++;
	f->insns = f->main = f->walked = f->jumps = f->maps = f->rt = 0;
	add_cost(f, every);
}

/* To be called when the first clause of a program has been added: it is alone there. */
static void note_crowd(const struct filling *f, struct dt_shares *s, uint32_t i)
{
	if (f->maps <= MAPS_KERNEL || s->crowded)
		return;
	s->crowded = i + 1;
	s->maps = f->maps;
}

/*
 * Each program takes as many clauses as it can hold, in their order, one at least. n 0: more programs would
 * be needed than a chain can have. funcs is the count before the clause that did not fit was added.
 */
static struct dt_shares divide_costs(struct filling *f, const struct dt_cost *c, uint32_t n,
    const struct dt_cost *every, uint32_t insns, uint32_t main)
{
	struct dt_shares s = { 0 };
	uint32_t from = 0;

	begin_program(f, every);
	for (uint32_t i = 0; i < n; i++) {
		uint32_t rt = f->rt;

		add_cost(f, &c[i]);
		if (i == from)
			note_crowd(f, &s, i);
		if (i == from || !too_full(f, insns, main))
			continue;
		if (s.n == DT_CHAIN_MAX - 1)
			return (struct dt_shares){ 0 };
		s.funcs[s.n] = rt;
		s.end[s.n++] = from = i;
		begin_program(f, every);
		add_cost(f, &c[i]);
		note_crowd(f, &s, i);
	}
	s.funcs[s.n] = f->rt;
	s.end[s.n++] = n;
	return s;
}

/*
 * One program if all fits into one; else programs as short as the length of a chain allows: the limit grows
 * by an eighth until there are few enough of them.
 */
struct dt_shares dt_shares_of(
    struct dt_build *b, const struct dt_cost *c, uint32_t n, const struct dt_cost *every)
{
	struct filling f = { 0 };
	struct dt_shares s;
	uint32_t nrt = 0;

	while (dt_rtfuncs[nrt].name)
		nrt++;
	f.map_seen = DT_NEWN(b->arena, uint32_t, b->maps.n + 1);
	f.rt_seen = DT_NEWN(b->arena, uint32_t, nrt + 1);
	s = divide_costs(&f, c, n, every, INSNS_ONE, MAIN_MAX);
	if (s.n == 1)
		return s;
	for (uint32_t insns = INSNS_SHORT; insns <= INSNS_MAX; insns += insns / 8) {
		s = divide_costs(&f, c, n, every, insns, INSNS_MAX);
		if (s.n)
			break;
	}
	return s;
}
