/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What is found out about a program before any code is made: that it is one (check), where its functions
 * begin and end, which registers they use and how deep their stack is, and which instructions are made into
 * something shorter (fuse.c) or into nothing (prune.c).
 */
#include "native/fuse.h"

static void bad(struct dt_native *n, uint32_t at, const char *why)
{
	dt_native_fail(n, -EINVAL, "instruction %u of program %.16s (code %#x) %s", at, n->prog->name,
	    n->prog->insns[at].code, why);
}

bool dt_native_jumps(const struct bpf_insn *in, uint32_t at, int64_t *to)
{
	unsigned class = BPF_CLASS(in->code), op = BPF_OP(in->code);

	if ((class != BPF_JMP && class != BPF_JMP32) || op == BPF_CALL || op == BPF_EXIT)
		return false;
	/* the long one has its distance in imm */
	*to = (int64_t)at + 1 + (class == BPF_JMP32 && op == BPF_JA ? in->imm : in->off);
	return true;
}

static bool means_func(const struct bpf_insn *in)
{
	return (in->code == (BPF_JMP | BPF_CALL) && in->src_reg == BPF_PSEUDO_CALL) ||
	    (dt_is_wide(in) && in->src_reg == BPF_PSEUDO_FUNC);
}

const struct dt_func *dt_native_func(const struct dt_native *n, uint32_t insn)
{
	uint32_t to = (uint32_t)((int64_t)insn + 1 + n->prog->insns[insn].imm), low = 0, high = n->nfuncs;

	while (high - low > 1) {
		uint32_t mid = low + (high - low) / 2;

		*(n->func[mid].first <= to ? &low : &high) = mid;
	}
	return &n->func[low];
}

/* ---- check ---- */

static bool writes_register(const struct bpf_insn *in)
{
	unsigned class = BPF_CLASS(in->code);

	return class == BPF_ALU || class == BPF_ALU64 || class == BPF_LDX || class == BPF_LD;
}

static void check_insn(struct dt_native *n, uint32_t i)
{
	const struct bpf_insn *in = &n->prog->insns[i];

	if (in->dst_reg >= BREGS || (in->src_reg >= BREGS && !dt_is_wide(in)))
		bad(n, i, "names a register that does not exist");
	else if (in->dst_reg == BFP && writes_register(in))
		bad(n, i, "writes to r10");
	else if (BPF_CLASS(in->code) == BPF_LD && !dt_is_wide(in))
		dt_native_fail(n, -ENOTSUP, "instruction %u of program %.16s reads a packet (code %#x)", i,
		    n->prog->name, in->code);
	else if (dt_is_wide(in) && (i + 1 == n->prog->ninsns || in[1].code))
		bad(n, i, "lacks its second half");
}

/* Marks the places that jumps and calls go to. */
static void mark_target(struct dt_native *n, uint32_t i)
{
	const struct bpf_insn *in = &n->prog->insns[i];
	bool func = means_func(in);
	int64_t to = (int64_t)i + 1 + in->imm;

	if (!func && !dt_native_jumps(in, i, &to))
		return;
	if (to < 0 || to >= n->prog->ninsns || n->note[to].second)
		bad(n, i, "goes to no instruction");
	else if (func)
		n->note[to].start = true;
	else
		n->note[to].target = true;
}

static void mark_relocs(struct dt_native *n)
{
	for (uint32_t i = 0; i < n->prog->nrelocs && !n->err; i++) {
		uint32_t at = n->prog->relocs[i].insn;

		if (at >= n->prog->ninsns || n->note[at].second || !dt_is_wide(&n->prog->insns[at]))
			dt_native_fail(n, -EINVAL, "program %.16s has a map reference where no ld_imm64 is",
			    n->prog->name);
		else
			n->note[at].reloc = i + 1;
	}
}

static void mark(struct dt_native *n)
{
	if (n->prog->ninsns == 0) {
		dt_native_fail(n, -EINVAL, "program %.16s is empty", n->prog->name);
		return;
	}
	n->note[0].start = true;
	for (uint32_t i = 0; i < n->prog->ninsns && !n->err; i++) {
		check_insn(n, i);
		if (!n->err && dt_is_wide(&n->prog->insns[i]))
			n->note[++i].second = true;
	}
	for (uint32_t i = 0; i < n->prog->ninsns && !n->err; i++)
		if (!n->note[i].second)
			mark_target(n, i);
	if (!n->err)
		mark_relocs(n);
}

/* ---- functions ---- */

static void list_functions(struct dt_native *n)
{
	for (uint32_t i = 0; i < n->prog->ninsns; i++) {
		if (!n->note[i].start)
			continue;
		if (n->nfuncs)
			n->func[n->nfuncs - 1].end = i;
		n->func[n->nfuncs++].first = i;
	}
	n->func[n->nfuncs - 1].end = n->prog->ninsns;
}

static void check_function(struct dt_native *n, const struct dt_func *f)
{
	const struct bpf_insn *last = &n->prog->insns[f->end - 1];
	int64_t to;

	for (uint32_t i = f->first; i < f->end && !n->err; i++)
		if (!n->note[i].second && dt_native_jumps(&n->prog->insns[i], i, &to) &&
		    (to < f->first || to >= f->end))
			bad(n, i, "leaves its function by a jump");
	if (n->note[f->end - 1].second || (last->code != (BPF_JMP | BPF_EXIT) &&
	    last->code != (BPF_JMP | BPF_JA) && last->code != (BPF_JMP32 | BPF_JA)))
		bad(n, f->end - 1, "ends a function without leaving it");
}

/* ---- stack ---- */

struct reach {
	int lowest, highest;
	bool escapes;		/* addresses in the frame are in registers */
	bool below;		/* something goes down from an address in a register */
	bool unknown;
};

static bool adds_to(const struct bpf_insn *in, unsigned reg)
{
	return in->code == (BPF_ALU64 | BPF_ADD | BPF_K) && in->dst_reg == reg;
}

static void reach_of(struct reach *r, int off, int size)
{
	r->lowest = off < r->lowest ? off : r->lowest;
	r->highest = off + size > r->highest ? off + size : r->highest;
}

static void reach_of_insn(struct reach *r, const struct bpf_insn *in, bool last)
{
	unsigned class = BPF_CLASS(in->code);
	bool memory = class == BPF_LDX || class == BPF_ST || class == BPF_STX;
	unsigned base = class == BPF_LDX ? in->src_reg : in->dst_reg;

	if (memory && base == BFP)
		reach_of(r, in->off, dt_access_size(in));
	else if (memory && in->off < 0)
		r->below = true;
	if ((class == BPF_STX && in->src_reg == BFP) || (class == BPF_LDX ? 0 : base == BFP && !memory))
		r->unknown = true;
	if ((class != BPF_ALU && class != BPF_ALU64 && class != BPF_JMP && class != BPF_JMP32) ||
	    BPF_SRC(in->code) != BPF_X || in->src_reg != BFP)
		return;
	r->escapes = true;
	if (in->code == (BPF_ALU64 | BPF_MOV | BPF_X) && !last && adds_to(in + 1, in->dst_reg))
		reach_of(r, in[1].imm, 0);
	else
		r->unknown = true;
}

/* As deep as offsets from r10 show, and all that there may be where they do not show it. */
static void measure_stack(struct dt_native *n, struct dt_func *f)
{
	struct reach r = { 0 };

	for (uint32_t i = f->first; i < f->end; i++)
		if (!n->note[i].second && n->note[i].make != DT_MAKE_NOTHING)
			reach_of_insn(&r, &n->prog->insns[i], i + 1 == f->end);
	if (r.lowest < -DT_FRAME_MAX || r.highest > 0) {
		dt_native_fail(n, -EINVAL, "program %.16s uses memory outside of its stack (r10%+d)",
		    n->prog->name, r.highest > 0 ? r.highest : r.lowest);
		return;
	}
	if (r.unknown || (r.escapes && r.below))
		r.lowest = -DT_FRAME_MAX;
	f->depth = ((uint32_t)-r.lowest + 15) & ~15u;
}

/* ---- registers ---- */

static bool is_call(const struct bpf_insn *in)
{
	return in->code == (BPF_JMP | BPF_CALL) && (in->src_reg == BPF_PSEUDO_CALL ||
	    (in->imm != BPF_FUNC_tail_call && !dt_native_is_load(in->imm)));
}

static unsigned reads_of(const struct bpf_insn *in)
{
	unsigned class = BPF_CLASS(in->code), dst = 1u << in->dst_reg, src = 1u << in->src_reg;
	bool x = BPF_SRC(in->code) == BPF_X;

	switch (class) {
	case BPF_ALU: case BPF_ALU64:
		return (BPF_OP(in->code) == BPF_MOV ? 0 : dst) | (x && BPF_OP(in->code) != BPF_END ? src : 0);
	case BPF_LDX: return src;
	case BPF_ST: return dst;
	case BPF_STX: return dst | src;
	case BPF_JMP: case BPF_JMP32: return dst | (x ? src : 0);
	default: return 0;
	}
}

/* Of an instruction that is made: a lookup takes its key from the register that held it. */
static unsigned reads_at(struct dt_native *n, uint32_t i)
{
	struct dt_lookup l;

	if (n->note[i].make != DT_MAKE_LOOKUP)
		return reads_of(&n->prog->insns[i]);
	dt_native_lookup(n, i, &l);
	return l.key == DT_KEY_REGISTER || l.key == DT_KEY_POINTER ? 1u << l.reg : 0;
}

static bool is_move(const struct bpf_insn *in)
{
	unsigned class = BPF_CLASS(in->code);

	return (class == BPF_ALU || class == BPF_ALU64) && BPF_OP(in->code) == BPF_MOV;
}

/* A lookup reads its index before the four instructions by which its arguments are set (fuse.c). */
static bool reads_context(struct dt_native *n, uint32_t i)
{
	return reads_at(n, i) >> BR1 & 1 &&
	    dt_native_origin(n, n->note[i].make == DT_MAKE_LOOKUP ? i - 4 : i, BR1) < 0;
}

/*
 * A program keeps its context in r7 from the beginning, and most never look at it again: such a copy is left
 * out, and the register need not be saved.
 */
static void find_registers(struct dt_native *n, struct dt_func *f)
{
	unsigned reads = 0, writes = 0;

	f->leaf = true;
	for (uint32_t i = f->first; i < f->end; i++)
		if (!n->note[i].second && n->note[i].make != DT_MAKE_NOTHING)
			reads |= reads_at(n, i);
	for (uint32_t i = f->first; i < f->end; i++) {
		const struct bpf_insn *in = &n->prog->insns[i];

		if (n->note[i].second || n->note[i].make == DT_MAKE_NOTHING)
			continue;
		if (is_call(in) && n->note[i].make != DT_MAKE_LOOKUP)
			f->leaf = false;
		f->goes_on |= in->code == (BPF_JMP | BPF_CALL) && in->src_reg == 0 &&
		    in->imm == BPF_FUNC_tail_call;
		if (is_move(in) && in->dst_reg >= BR6 && !(reads & 1u << in->dst_reg))
			n->note[i].make = DT_MAKE_NOTHING;
		else if (writes_register(in))
			writes |= 1u << in->dst_reg;
		else if (BPF_CLASS(in->code) == BPF_STX && BPF_MODE(in->code) == BPF_ATOMIC)
			writes |= 1u << in->src_reg;	/* some of them */
		f->reads_context |= n->note[i].make != DT_MAKE_NOTHING && reads_context(n, i);
	}
	f->used = (uint8_t)((reads | writes) >> BR6 & 15);
}

int dt_native_analyse(struct dt_native *n)
{
	mark(n);
	if (!n->err)
		list_functions(n);
	for (uint32_t i = 0; i < n->nfuncs && !n->err; i++) {
		check_function(n, &n->func[i]);
		if (n->err)
			break;
		measure_stack(n, &n->func[i]);
		if (n->err)
			break;
		dt_native_fuse(n, &n->func[i]);
		dt_native_prune(n, &n->func[i]);
		dt_native_drop_stores(n, &n->func[i]);
		measure_stack(n, &n->func[i]);	/* that of what is left */
		find_registers(n, &n->func[i]);
	}
	return n->err;
}
