/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Comparing strings: two DIF registers in, their order (-1, 0 or 1) in F_T2 out, which the branches after
 * scmp test (lower.c). What is known when compiling is compared then, or read only as far as it matters.
 */
#include "bpf/build.h"

/*
 * R1 and R2 hold bytes that differ: the first byte that does decides. F_T2 becomes 1 or -1, turned round when
 * the operands were swapped. Swapping the bytes puts the first one on top, so numbers compare as strings do.
 */
static void store_order(struct dt_lower *l, bool swapped)
{
	struct dt_emit *a = l->a;
	uint32_t less = dt_label(a), done = dt_label(a);

	dt_swap(a, R1, 64);
	dt_swap(a, R2, 64);
	dt_jmp(a, BPF_JLT, R1, R2, less);
	dt_sti(a, B8, FP, F_T2, swapped ? -1 : 1);
	dt_ja(a, done);
	dt_put(a, less);
	dt_sti(a, B8, FP, F_T2, swapped ? 1 : -1);
	dt_put(a, done);
}

/*
 * Compares a string (register r, known as k) with a constant; F_T2 is the order. Only as much of it is read
 * as can matter: one character more than the constant has. Bytes after its NUL are not defined, but by then
 * the two have differed. A constant of more than strsize characters counts as if it ended there.
 */
static void compare_text(struct dt_lower *l, unsigned r, struct dt_known k, const char *text, bool swapped)
{
	struct dt_emit *a = l->a;
	uint32_t len = (uint32_t)strnlen(text, l->b->opts->strsize - 1), n = len + 1;
	uint32_t size = (len + 2 < l->b->opts->strsize ? len + 2 : l->b->opts->strsize), end = dt_label(a),
	         differ = dt_label(a);
	int base = FP, off = F_CMP;

	if (k.kind == V_COMM) {
		size = 16;
		n = n < 16 ? n : 16;
	}
	if (size > DT_FRAME_CMP) {
		base = dt_slot_reg(l);
		off = (int)l->b->slot_str[0];
	}
	if (k.kind == V_NUM)
		dt_get(l, r, R0);
	dt_copy_string(l, k, base, off, size, false, false);
	for (uint32_t w, i = 0; i < n; i += w) {
		uint64_t v = 0;

		w = dt_access_width((int)i, n - i);
		memcpy(&v, text + i, i + w <= len ? w : len - i);
		dt_ldx(a, dt_width(w), R1, base, off + (int)i);
		dt_imm(a, R2, v);
		dt_jmp(a, BPF_JNE, R1, R2, differ);
	}
	dt_sti(a, B8, FP, F_T2, 0);
	dt_ja(a, end);
	dt_put(a, differ);
	store_order(l, swapped);
	dt_put(a, end);
}

/* Two strings that are known only at run time: padded copies in the slot, compared word by word. */
static void compare_both(struct dt_lower *l, unsigned r1, unsigned r2)
{
	struct dt_emit *a = l->a;
	uint32_t differ = dt_label(a), end = dt_label(a);
	unsigned r[2] = { r1, r2 };

	dt_slot_reg(l);
	for (int i = 0; i < 2; i++) {
		struct dt_known k = l->lazy[r[i]] ? l->reg[r[i]] : (struct dt_known){ .kind = V_NUM };

		if (k.kind == V_NUM)
			dt_get(l, r[i], R0);
		dt_copy_string(l, k, R6, (int)l->b->slot_str[i], l->b->strsize, true, false);
	}
	for (uint32_t i = 0; i < l->b->strsize; i += 8) {
		dt_ldx(a, B8, R1, R6, (int)(l->b->slot_str[0] + i));
		dt_ldx(a, B8, R2, R6, (int)(l->b->slot_str[1] + i));
		dt_jmp(a, BPF_JNE, R1, R2, differ);
	}
	dt_sti(a, B8, FP, F_T2, 0);
	dt_ja(a, end);
	dt_put(a, differ);
	store_order(l, false);
	dt_put(a, end);
}

/* What is known of a string; a part of the probe's name is a text unless enablings share the code. */
static struct dt_known known_text(const struct dt_lower *l, unsigned r)
{
	const char *const parts[] = { l->en->prov, l->en->mod, l->en->func, l->en->name };
	struct dt_known k = r && l->lazy[r] ? l->reg[r] : (struct dt_known){ .kind = V_NUM };

	if (k.kind == V_CONST && k.v == 0)
		return (struct dt_known){ .kind = V_STR, .text = "" };
	if (k.kind == V_PART && !l->shared)
		return (struct dt_known){ .kind = V_STR, .text = parts[k.v] ? parts[k.v] : "" };
	return k;
}

void dt_lower_scmp(struct dt_lower *l, uint32_t in)
{
	unsigned r1 = dt_dif_r1(in), r2 = dt_dif_r2(in);
	struct dt_known a = known_text(l, r1), b = known_text(l, r2);

	if (a.kind == V_STR && b.kind == V_STR) {
		int c = strncmp(a.text, b.text, l->b->opts->strsize - 1);

		dt_sti(l->a, B8, FP, F_T2, (c > 0) - (c < 0));
	} else if (b.kind == V_STR) {
		compare_text(l, r1, a, b.text, false);
	} else if (a.kind == V_STR) {
		compare_text(l, r2, b, a.text, true);
	} else {
		if (l->b->strsize + l->b->slot_str[1] > INT16_MAX)
			REFUSE(l, "comparing strings of %u bytes is not available for tracing; see strsize",
			    l->b->strsize);
		compare_both(l, r1, r2);
	}
}
