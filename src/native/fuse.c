/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sequences of instructions that the generator of eBPF makes all the time, and what is known of the arguments
 * of a call: which map, which index, which program. Only what stands in one block is looked at: no jump comes
 * between the parts.
 */
#include "native/fuse.h"

bool dt_native_is_load(int32_t func)
{
	return func == BPF_FUNC_get_smp_processor_id || func == BPF_FUNC_get_current_pid_tgid ||
	    func == BPF_FUNC_get_attach_cookie;
}

/* What a message calls a helper. */
static const char *helper_name(uint32_t func)
{
#define NAME(x) #x
	static const char *const names[] = { __BPF_FUNC_MAPPER(NAME) };
#undef NAME

	return func < sizeof(names) / sizeof(names[0]) ? names[func] : "unknown";
}

uint64_t dt_native_helper(struct dt_native *n, uint32_t func)
{
	uint64_t at = n->place->helper(n->place->ctx, func);

	if (!at)
		dt_native_fail(n, -ENOTSUP,
		    "program %.16s calls %s (helper %u), which is not there inside of a "
		    "process", n->prog->name, helper_name(func), func);
	return at;
}

uint64_t dt_native_place(struct dt_native *n, uint32_t insn)
{
	const struct dt_image_reloc *r = &n->prog->relocs[n->note[insn].reloc - 1];
	const struct dt_native_place *p = n->place;
	const struct dt_agent_map *desc = NULL;
	uint64_t at;

	if (r->value)
		return p->value(p->ctx, r->map, r->off);
	at = p->map(p->ctx, r->map, &desc);
	return desc && desc->type == DT_AGENT_RING ? p->value(p->ctx, r->map, r->off) : at;
}

/* ---- what a register is ---- */

int64_t dt_native_origin(const struct dt_native *n, uint32_t at, unsigned reg)
{
	while (at > n->in->first && !n->note[at].target) {
		const struct bpf_insn *in;
		unsigned class;

		at -= n->note[at - 1].second ? 2 : 1;
		in = &n->prog->insns[at];
		class = BPF_CLASS(in->code);
		if ((class == BPF_JMP || class == BPF_JMP32) &&
		    (BPF_OP(in->code) == BPF_CALL || BPF_OP(in->code) == BPF_JA))
			return -1;
		if (class == BPF_STX && BPF_MODE(in->code) == BPF_ATOMIC)
			return -1;
		if (in->dst_reg == reg && (class == BPF_ALU || class == BPF_ALU64 || class == BPF_LDX ||
		    class == BPF_LD))
			return at;
	}
	return -1;
}

/* The relocation of the map that a register holds at a call; NULL: not known. */
static const struct dt_image_reloc *map_of(const struct dt_native *n, uint32_t call, unsigned reg)
{
	int64_t from = dt_native_origin(n, call, reg);
	uint32_t reloc = from < 0 ? 0 : n->note[from].reloc;

	return reloc && !n->prog->relocs[reloc - 1].value ? &n->prog->relocs[reloc - 1] : NULL;
}

uint64_t dt_native_chain(struct dt_native *n, uint32_t call)
{
	const struct dt_image_reloc *map = map_of(n, call, BR2);
	int64_t from = dt_native_origin(n, call, BR3);
	const struct bpf_insn *index = from < 0 ? NULL : &n->prog->insns[from];

	if (!map || !index || (index->code != (BPF_ALU64 | BPF_MOV | BPF_K) &&
	    index->code != (BPF_ALU | BPF_MOV | BPF_K))) {
		dt_native_fail(n, -ENOTSUP, "program %.16s has a tail call whose program is not known",
		    n->prog->name);
		return 0;
	}
	return n->place->chain(n->place->ctx, map->map, (uint32_t)index->imm);
}

/* ---- lookups ---- */

/* r1 = map, r2 = r10, r2 += off, call: four instructions, the first of which takes two places. */
static bool key_in_frame(const struct dt_native *n, uint32_t call)
{
	const struct bpf_insn *in = &n->prog->insns[call];

	return call >= n->in->first + 4 && n->note[call - 3].second && !n->note[call].target &&
	    !n->note[call - 1].target && !n->note[call - 2].target &&
	    in[-1].code == (BPF_ALU64 | BPF_ADD | BPF_K) && in[-1].dst_reg == BR2 &&
	    in[-2].code == (BPF_ALU64 | BPF_MOV | BPF_X) && in[-2].dst_reg == BR2 && in[-2].off == 0 &&
	    in[-2].src_reg == BFP && in[-4].dst_reg == BR1;
}

/* The index is what the instruction before those four has stored. */
static void find_index(const struct dt_native *n, uint32_t call, struct dt_lookup *l)
{
	bool more = call >= n->in->first + 6 && !n->note[call - 5].target && !n->note[call - 6].second;
	uint32_t max = l->map->max_entries;
	const struct bpf_insn *in, *mask;

	if (call < n->in->first + 5 || n->note[call - 4].target || n->note[call - 5].second)
		return;
	in = &n->prog->insns[call - 5];
	mask = more ? in - 1 : NULL;
	if (in->dst_reg != BFP || in->off != l->off)
		return;
	if ((in->code == (BPF_ST | BPF_MEM | BPF_DW) || in->code == (BPF_ST | BPF_MEM | BPF_W)) &&
	    (uint32_t)in->imm < max) {
		l->key = DT_KEY_NUMBER;
		l->number = (uint32_t)in->imm;
		l->inside = true;
	} else if ((in->code == (BPF_STX | BPF_MEM | BPF_DW) || in->code == (BPF_STX | BPF_MEM | BPF_W)) &&
	    in->src_reg != BFP) {
		l->key = DT_KEY_REGISTER;
		l->reg = in->src_reg;
		l->inside = mask && mask->dst_reg == l->reg && mask->imm >= 0 && (uint32_t)mask->imm < max &&
		    (mask->code == (BPF_ALU64 | BPF_AND | BPF_K) ||
		    mask->code == (BPF_ALU | BPF_AND | BPF_K));
	}
}

static void find_test(const struct dt_native *n, uint32_t call, struct dt_lookup *l)
{
	const struct bpf_insn *in = &n->prog->insns[call + 1];
	int64_t to;

	if (call + 1 >= n->in->end || n->note[call + 1].target || !dt_native_jumps(in, call + 1, &to) ||
	    in->dst_reg != BR0 || in->imm != 0)
		return;
	if (in->code == (BPF_JMP | BPF_JEQ | BPF_K))
		l->test = DT_TEST_MISSING;
	else if (in->code == (BPF_JMP | BPF_JNE | BPF_K))
		l->test = DT_TEST_FOUND;
	l->to = (uint32_t)to;
}

bool dt_native_lookup(struct dt_native *n, uint32_t call, struct dt_lookup *l)
{
	const struct bpf_insn *in = &n->prog->insns[call];
	const struct dt_image_reloc *map;

	*l = (struct dt_lookup){ .key = DT_KEY_POINTER, .reg = BR2 };
	if (in->code != (BPF_JMP | BPF_CALL) || in->src_reg == BPF_PSEUDO_CALL ||
	    in->imm != BPF_FUNC_map_lookup_elem || !(map = map_of(n, call, BR1)))
		return false;
	n->place->map(n->place->ctx, map->map, &l->map);
	if (!l->map || (l->map->type != DT_AGENT_ARRAY && l->map->type != DT_AGENT_CPU_ARRAY) ||
	    l->map->key_size != 4 || l->map->max_entries == 0 ||
	    (uint64_t)l->map->max_entries * l->map->stride > INT32_MAX)
		return false;
	if (key_in_frame(n, call)) {
		l->key = DT_KEY_FRAME;
		l->off = in[-1].imm;
		find_index(n, call, l);
	}
	find_test(n, call, l);
	return true;
}

static void fuse_lookup(struct dt_native *n, uint32_t i)
{
	struct dt_lookup l;

	if (!dt_native_lookup(n, i, &l))
		return;
	n->note[i].make = DT_MAKE_LOOKUP;
	if (l.key != DT_KEY_POINTER)
		n->note[i - 1].make = n->note[i - 2].make = n->note[i - 4].make = DT_MAKE_NOTHING;
	if (l.test != DT_TEST_NONE)
		n->note[i + 1].make = DT_MAKE_NOTHING;
}

/* ---- pairs ---- */

static unsigned size_of(const struct bpf_insn *in)
{
	return BPF_SIZE(in->code) == BPF_DW ? 8 : BPF_SIZE(in->code) == BPF_W ? 4 :
	    BPF_SIZE(in->code) == BPF_H ? 2 : 1;
}

/* The pointer is overwritten by what it points to. */
static bool is_load(const struct dt_native *n, uint32_t i)
{
	const struct bpf_insn *in = &n->prog->insns[i], *load = in + 2;
	const struct dt_image_reloc *r = n->note[i].reloc ? &n->prog->relocs[n->note[i].reloc - 1] : NULL;

	return r && r->value && i + 2 < n->in->end && !n->note[i + 2].target &&
	    BPF_CLASS(load->code) == BPF_LDX && BPF_MODE(load->code) == BPF_MEM &&
	    load->dst_reg == in->dst_reg && load->src_reg == in->dst_reg &&
	    ((int64_t)r->off + load->off) % size_of(load) == 0;
}

static bool is_sum(const struct bpf_insn *in)
{
	return in->code == (BPF_ALU64 | BPF_MOV | BPF_X) && in->off == 0 &&
	    in[1].code == (BPF_ALU64 | BPF_ADD | BPF_K) && in[1].dst_reg == in->dst_reg;
}

/* dt_scalar(): it is there for the verifier. */
static bool is_double_negation(const struct bpf_insn *in)
{
	return in->code == (BPF_ALU64 | BPF_NEG) && in[1].code == in->code && in[1].dst_reg == in->dst_reg;
}

/* Overwritten at once, whoever else jumps there. */
static bool is_overwritten(const struct bpf_insn *in)
{
	return (in->code == (BPF_ALU64 | BPF_MOV | BPF_K) || in->code == (BPF_ALU | BPF_MOV | BPF_K)) &&
	    (in[1].code == (BPF_ALU64 | BPF_MOV | BPF_K) || in[1].code == (BPF_ALU | BPF_MOV | BPF_K)) &&
	    in[1].dst_reg == in->dst_reg;
}

static void fuse_pair(struct dt_native *n, uint32_t i)
{
	const struct bpf_insn *in = &n->prog->insns[i];
	bool pair = i + 1 < n->in->end && !n->note[i + 1].target && !n->note[i + 1].second &&
	    n->note[i + 1].make == DT_MAKE_ITSELF;

	if (i + 1 < n->in->end && is_overwritten(in)) {
		n->note[i].make = DT_MAKE_NOTHING;
	} else if (dt_is_wide(in) && is_load(n, i)) {
		n->note[i].make = DT_MAKE_LOAD;
		n->note[i + 2].make = DT_MAKE_NOTHING;
	} else if (pair && is_sum(in)) {
		n->note[i].make = DT_MAKE_SUM;
		n->note[i + 1].make = DT_MAKE_NOTHING;
	} else if (pair && is_double_negation(in)) {
		n->note[i].make = n->note[i + 1].make = DT_MAKE_NOTHING;
	}
}

void dt_native_fuse(struct dt_native *n, const struct dt_func *f)
{
	n->in = f;
	for (uint32_t i = f->first; i < f->end; i++)
		if (!n->note[i].second)
			fuse_lookup(n, i);
	for (uint32_t i = f->first; i < f->end; i++)
		if (!n->note[i].second && n->note[i].make == DT_MAKE_ITSELF)
			fuse_pair(n, i);
}
