/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * An image as text, for people and tests: maps, then programs, one instruction a line with the DIF it was
 * made for. Targets of jumps and calls are instruction numbers. Any instruction has a line, also one we
 * never make.
 */
#include "base/count.h"
#include "bpf/image.h"

#include <stdio.h>

struct out { void (*put)(void *, const char *); void *ctx; };

static const char *const alu_ops[] = { "+=", "-=", "*=", "/=", "|=", "&=", "<<=", ">>=", "neg",
	"%=", "^=", "=", "s>>=", "end" };
static const char *const jmp_ops[] = { "goto", "==", ">", ">=", "&", "!=", "s>", "s>=", "call", "exit", "<",
	"<=", "s<", "s<=" };
static const char *const sizes[] = {
	[BPF_W >> 3] = "u32", [BPF_H >> 3] = "u16", [BPF_B >> 3] = "u8", [BPF_DW >> 3] = "u64"
};

static void format_alu(const struct bpf_insn *in, char *s, size_t n)
{
	unsigned op = in->code >> 4;
	char r = BPF_CLASS(in->code) == BPF_ALU64 ? 'r' : 'w';

	if (op >= DT_COUNT(alu_ops))
		snprintf(s, n, "alu %02x", in->code);
	else if (BPF_SRC(in->code) == BPF_X && op != BPF_NEG >> 4 && op != BPF_END >> 4)
		snprintf(s, n, "%c%u %s %c%u", r, in->dst_reg, alu_ops[op], r, in->src_reg);
	else
		snprintf(s, n, "%c%u %s %d", r, in->dst_reg, alu_ops[op], in->imm);
}

static void format_jump(const struct bpf_insn *in, uint32_t at, char *s, size_t n)
{
	unsigned op = in->code >> 4;

	if (op == BPF_EXIT >> 4)
		snprintf(s, n, "exit");
	else if (op == BPF_CALL >> 4 && in->src_reg == BPF_PSEUDO_CALL)
		snprintf(s, n, "call %d", (int)at + 1 + in->imm);
	else if (op == BPF_CALL >> 4)
		snprintf(s, n, "call helper %d", in->imm);
	else if (op == BPF_JA >> 4)
		snprintf(s, n, "goto %d", (int)at + 1 + in->off);
	else if (op >= DT_COUNT(jmp_ops))
		snprintf(s, n, "jmp %02x", in->code);
	else if (BPF_SRC(in->code) == BPF_X)
		snprintf(s, n, "if r%u %s r%u goto %d", in->dst_reg, jmp_ops[op], in->src_reg,
		    (int)at + 1 + in->off);
	else
		snprintf(
		    s, n, "if r%u %s %d goto %d", in->dst_reg, jmp_ops[op], in->imm, (int)at + 1 + in->off);
}

static void format_memory(const struct bpf_insn *in, char *s, size_t n)
{
	const char *size = sizes[BPF_SIZE(in->code) >> 3];

	if (BPF_CLASS(in->code) == BPF_LDX)
		snprintf(s, n, "r%u = *(%s *)(r%u %+d)", in->dst_reg, size, in->src_reg, in->off);
	else if (BPF_CLASS(in->code) == BPF_ST)
		snprintf(s, n, "*(%s *)(r%u %+d) = %d", size, in->dst_reg, in->off, in->imm);
	else if (BPF_MODE(in->code) == BPF_ATOMIC)
		snprintf(s, n, "atomic %#x *(%s *)(r%u %+d), r%u", (unsigned)in->imm, size, in->dst_reg,
		    in->off, in->src_reg);
	else
		snprintf(s, n, "*(%s *)(r%u %+d) = r%u", size, in->dst_reg, in->off, in->src_reg);
}

/* ld_imm64, which takes two instructions: a map, an address in one, or a number. */
static void format_wide(const struct dt_image *image, const struct dt_image_prog *p, uint32_t at, char *s,
    size_t n)
{
	const struct bpf_insn *in = &p->insns[at];

	for (uint32_t i = 0; i < p->nrelocs; i++) {
		const struct dt_image_reloc *r = &p->relocs[i];

		if (r->insn == at) {
			snprintf(s, n, "r%u = %s%s[%u] + %u", in->dst_reg, r->value ? "&" : "map ",
			    image->maps[r->map].name, r->map, r->off);
			return;
		}
	}
	snprintf(s, n, "r%u = %#llx", in->dst_reg,
	    (unsigned long long)(uint32_t)in[1].imm << 32 | (uint32_t)in->imm);
}

static void format_insn(const struct dt_image *image, const struct dt_image_prog *p, uint32_t at, char *s,
    size_t n)
{
	switch (BPF_CLASS(p->insns[at].code)) {
	case BPF_ALU: case BPF_ALU64: format_alu(&p->insns[at], s, n); break;
	case BPF_JMP: case BPF_JMP32: format_jump(&p->insns[at], at, s, n); break;
	case BPF_LD: format_wide(image, p, at, s, n); break;
	default: format_memory(&p->insns[at], s, n); break;
	}
}

static void dump_program(const struct dt_image *image, const struct dt_image_prog *p, const struct out *o)
{
	char text[160], s[256];

	snprintf(s, sizeof(s), "program %s: %u instructions\n", p->name, p->ninsns);
	o->put(o->ctx, s);
	for (uint32_t i = 0; i < p->ninsns; i++) {
		const struct dt_difo *d = p->difo_at[i];

		format_insn(image, p, i, text, sizeof(text));
		if (d && p->difpc_at[i] < d->ntext)
			snprintf(s, sizeof(s), "%5u: %-44s ! %02u: %s\n", i, text, p->difpc_at[i],
			    dt_difop_name(dt_dif_op(d->text[p->difpc_at[i]])));
		else
			snprintf(s, sizeof(s), "%5u: %s\n", i, text);
		o->put(o->ctx, s);
		if (p->insns[i].code == (BPF_LD | BPF_DW | BPF_IMM))
			i++;
	}
}

void dt_image_dump(const struct dt_image *image, void (*put)(void *, const char *), void *ctx)
{
	struct out o = { put, ctx };
	char s[256];

	for (uint32_t i = 0; i < image->nmaps; i++) {
		const struct dt_image_map *m = &image->maps[i];

		snprintf(s, sizeof(s), "map %u %s: type %u key %u value %u entries %u flags %#x\n", i,
		    m->name, m->type, m->key_size, m->value_size, m->max_entries, m->flags);
		put(ctx, s);
	}
	for (uint32_t i = 0; i < image->nprogs + image->nmore; i++)
		dump_program(image, &image->progs[i], &o);
}
