/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Instructions that no path comes to are left out: what a program does where an element is missing, when it
 * cannot be, and what comes after a tail call, which does not come back here. So are stores to the frame that
 * nothing reads: keys of lookups that take them from a register.
 */
#include "native/fuse.h"

static void reach(struct dt_native *n, int64_t insn, bool *more)
{
	*more |= !n->note[insn].reached;
	n->note[insn].reached = true;
}

static void reach_from_lookup(struct dt_native *n, uint32_t i, bool *more)
{
	struct dt_lookup l;

	dt_native_lookup(n, i, &l);
	if (l.test == DT_TEST_NONE) {
		reach(n, i + 1, more);
		return;
	}
	if (l.test == DT_TEST_FOUND || !l.inside)
		reach(n, l.to, more);
	if (l.test == DT_TEST_MISSING || !l.inside)
		reach(n, i + 2, more);
}

static void reach_from(struct dt_native *n, uint32_t i, bool *more)
{
	const struct bpf_insn *in = &n->prog->insns[i];
	bool call = in->code == (BPF_JMP | BPF_CALL) && in->src_reg == 0;
	int64_t to;

	if (in->code == (BPF_JMP | BPF_EXIT) || (call && in->imm == BPF_FUNC_tail_call))
		return;
	if (n->note[i].make == DT_MAKE_LOOKUP) {
		reach_from_lookup(n, i, more);
		return;
	}
	if (dt_native_jumps(in, i, &to)) {
		reach(n, to, more);
		if (BPF_OP(in->code) == BPF_JA)
			return;
	}
	reach(n, i + (dt_is_wide(in) ? 2 : 1), more);
}

void dt_native_prune(struct dt_native *n, const struct dt_func *f)
{
	bool more = true;

	n->in = f;
	n->note[f->first].reached = true;
	while (more) {			/* once more for each jump back that found something new */
		more = false;
		for (uint32_t i = f->first; i < f->end; i++) {
			bool new = false;

			if (n->note[i].reached && !n->note[i].second && !n->note[i].left) {
				n->note[i].left = true;
				reach_from(n, i, &new);
				more |= new;
			}
		}
	}
	for (uint32_t i = f->first; i < f->end; i++)
		if (!n->note[i].reached)
			n->note[i].make = DT_MAKE_NOTHING;
}

/* ---- stores ---- */

struct frame {
	bool read[DT_FRAME_MAX];	/* the byte at r10 - DT_FRAME_MAX + n */
	bool escapes;			/* an address in it is in a register: anything may be read */
};

static void note_read(struct frame *f, int off, int size)
{
	for (int i = off; i < off + size && i < 0; i++)
		f->read[i + DT_FRAME_MAX] = true;
}

static void note_reads(struct dt_native *n, uint32_t i, struct frame *f)
{
	const struct bpf_insn *in = &n->prog->insns[i];
	unsigned class = BPF_CLASS(in->code);
	struct dt_lookup l;

	if (n->note[i].make == DT_MAKE_LOOKUP) {
		dt_native_lookup(n, i, &l);
		f->escapes |= l.key == DT_KEY_POINTER;
		if (l.key == DT_KEY_FRAME)
			note_read(f, l.off, 4);
	} else if (class == BPF_LDX && in->src_reg == BFP) {
		note_read(f, in->off, dt_access_size(in));
	} else if (class == BPF_STX && BPF_MODE(in->code) == BPF_ATOMIC && in->dst_reg == BFP) {
		note_read(f, in->off, dt_access_size(in));
	} else if (class == BPF_STX || class == BPF_ST) {
		f->escapes |= class == BPF_STX && in->src_reg == BFP;
	} else if (class != BPF_LDX && class != BPF_LD) {
		f->escapes |= in->dst_reg == BFP || (BPF_SRC(in->code) == BPF_X && in->src_reg == BFP);
	}
}

static bool is_read(const struct frame *f, const struct bpf_insn *in)
{
	for (int i = in->off; i < in->off + dt_access_size(in); i++)
		if (f->read[i + DT_FRAME_MAX])
			return true;
	return false;
}

/* The offsets have been checked. */
void dt_native_drop_stores(struct dt_native *n, const struct dt_func *func)
{
	struct frame f = { 0 };

	n->in = func;
	for (uint32_t i = func->first; i < func->end; i++)
		if (!n->note[i].second && n->note[i].make != DT_MAKE_NOTHING)
			note_reads(n, i, &f);
	for (uint32_t i = func->first; i < func->end && !f.escapes; i++) {
		const struct bpf_insn *in = &n->prog->insns[i];
		unsigned class = BPF_CLASS(in->code);

		if (!n->note[i].second && in->dst_reg == BFP && BPF_MODE(in->code) == BPF_MEM &&
		    (class == BPF_ST || class == BPF_STX) && !is_read(&f, in))
			n->note[i].make = DT_MAKE_NOTHING;
	}
}

bool dt_native_comes_next(const struct dt_native *n, uint32_t to)
{
	uint32_t i = n->insn + 1;

	while (i < to && (n->note[i].second || n->note[i].make == DT_MAKE_NOTHING))
		i++;
	return i == to;
}
