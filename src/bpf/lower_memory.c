/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Memory as DIF sees it. Addresses are numbers, and helpers of the kernel read what is there, or fail. What
 * may be written is scratch and variables alone: a number is compared with the bounds of each, and becomes a
 * pointer into that map value, so no program can write anywhere else. Strings end at their NUL; NULL is the
 * empty string where it is only read.
 */
#include "bpf/build.h"

#define UNROLL 64			/* bytes set by single stores; more is one helper call */

/* ---- addresses ---- */

/*
 * Puts the register's value into the frame and returns where: fault stubs find the address there. r1 and F_T1
 * may change.
 */
static int in_frame(struct dt_lower *l, unsigned r)
{
	if (r && l->reg[r].kind != V_CONST) {
		dt_settle(l, 1u << r);
		return dt_frame_reg(r);
	}
	dt_imm(l->a, R1, r ? l->reg[r].v : 0);
	dt_stx(l->a, B8, FP, F_T1, R1);
	return F_T1;
}

/* When several enablings share the code, the offset of the text is in the entry of the one that fired. */
static void part_address(struct dt_lower *l, uint64_t part)
{
	const char *const parts[] = { l->en->prov, l->en->mod, l->en->func, l->en->name };

	if (!l->shared) {
		dt_mapval(l->a, R0, dt_constants(l->b), dt_pool_text(l->b, parts[part] ? parts[part] : ""));
		dt_scalar(l->a, R0);
		return;
	}
	dt_ldx(l->a, B8, R1, FP, F_ENTRY);
	dt_ldx(l->a, B4, R2, R1, (int)offsetof(struct dt_entry, part) + 4 * (int)part);
	dt_mapval(l->a, R0, dt_constants(l->b), 0);
	dt_scalar(l->a, R0);
	dt_alu(l->a, BPF_ADD, R0, R2);
}

void dt_known_address(struct dt_lower *l, struct dt_known k)
{
	switch (k.kind) {
	case V_STR:
		dt_mapval(l->a, R0, dt_constants(l->b), dt_pool_text(l->b, k.text));
		dt_scalar(l->a, R0);
		break;
	case V_COMM:
		dt_mov(l->a, R1, dt_slot_reg(l));
		dt_alui(l->a, BPF_ADD, R1, S_COMM);
		dt_imm(l->a, R2, 16);
		dt_call(l->a, BPF_FUNC_get_current_comm);
		dt_mov(l->a, R0, R6);
		dt_alui(l->a, BPF_ADD, R0, S_COMM);
		dt_scalar(l->a, R0);
		break;
	case V_PART: part_address(l, k.v); break;
	case V_CONST: dt_imm(l->a, R0, k.v); break;
	case V_NUM:
	case V_HOST: break;
	}
	l->cached = 0;
}

/* ---- loads ---- */

/* In the order of the load instructions, LDSB … LDX, which is the same in all three groups of them. */
struct access { uint8_t size; bool sign; };
static const struct access accesses[7] = {
	{ 1, true }, { 2, true }, { 4, true }, { 1, false }, { 2, false }, { 4, false }, { 8, false },
};

void dt_lower_load(struct dt_lower *l, uint32_t in)
{
	unsigned op = dt_dif_op(in);
	bool user = op >= DT_DIF_ULDSB && op <= DT_DIF_ULDX;
	struct access m = accesses[op - (user ? DT_DIF_ULDSB :
	    op >= DT_DIF_RLDSB ? DT_DIF_RLDSB : DT_DIF_LDSB)];
	int at = in_frame(l, dt_dif_r1(in));
	struct dt_emit *a = l->a;

	dt_ldx(a, B8, R3, FP, at);
	dt_fpaddr(a, R1, F_T0);
	dt_imm(a, R2, m.size);
	dt_help(l, user ? BPF_FUNC_probe_read_user : BPF_FUNC_probe_read_kernel);
	dt_jmpi(a, BPF_JNE, R0, 0, dt_fault_label(l, DT_FLT_BADADDR, at));
	dt_ldx(a, dt_width(m.size), R0, FP, F_T0);
	if (m.sign) {
		dt_alui(a, BPF_LSH, R0, 64 - 8 * m.size);
		dt_alui(a, BPF_ARSH, R0, 64 - 8 * m.size);
	}
	dt_set(l, dt_dif_rd(in));
}

/* ---- scratch: a stack of allocations that each clause begins empty; S_SCRATCH_USED is its height ---- */

uint32_t dt_scratch_size(const struct dt_lower *l) { return l->b->scratch; }

void dt_scratch_free(struct dt_lower *l, int dst, int tmp)
{
	dt_ldx(l->a, B8, tmp, dt_slot_reg(l), S_SCRATCH_USED);
	dt_jmpi(l->a, BPF_JGT, tmp, (int32_t)l->b->scratch, dt_fault_label(l, DT_FLT_NOSCRATCH, A_NONE));
	dt_scratch_ptr(l, dst, tmp);
}

void dt_scratch_zero(struct dt_lower *l)
{
	dt_scratch_ptr(l, R1, R9);
	if (l->b->zeros < l->b->scratch)
		l->b->zeros = l->b->scratch;
	dt_mapval(l->a, R3, dt_constants(l->b), DT_OFF_ZEROS);
	dt_help(l, BPF_FUNC_probe_read_kernel);
}

void dt_constant_bytes(struct dt_lower *l, int dst, const void *bytes, uint32_t size)
{
	dt_mapval(l->a, dst, dt_constants(l->b), dt_pool_bytes(l->b, bytes, size));
}

void dt_scratch_addr(struct dt_lower *l, int dst, int off)
{
	dt_mov(l->a, dst, dt_slot_reg(l));
	dt_alui(l->a, BPF_ADD, dst, (int32_t)l->b->slot_scratch);
	dt_scalar(l->a, dst);
	dt_alu(l->a, BPF_ADD, dst, off);
}

/*
 * The tests of r2 and r9 before their sum bound both for the verifier; the last one is the real limit.
 * Allocations are multiples of 8.
 */
void dt_scratch_alloc(struct dt_lower *l)
{
	struct dt_emit *a = l->a;
	uint32_t full = dt_fault_label(l, DT_FLT_NOSCRATCH, A_NONE);
	int32_t scratch = (int32_t)l->b->scratch;

	dt_slot_reg(l);
	dt_jmpi(a, BPF_JGT, R2, scratch, full);
	dt_ldx(a, B8, R9, R6, S_SCRATCH_USED);
	dt_jmpi(a, BPF_JGT, R9, scratch, full);
	dt_mov(a, R1, R2);
	dt_alui(a, BPF_ADD, R1, 7);
	dt_alui(a, BPF_AND, R1, -8);
	dt_alu(a, BPF_ADD, R1, R9);
	dt_jmpi(a, BPF_JGT, R1, scratch, full);
	dt_stx(a, B8, R6, S_SCRATCH_USED, R1);
}

/*
 * Strings are written where the next allocation begins, and then only as much is taken as they need: scratch
 * is followed by as much again (image_plan.c), so a string of full length fits wherever it begins.
 */
void dt_scratch_open(struct dt_lower *l)
{
	dt_ldx(l->a, B8, R9, dt_slot_reg(l), S_SCRATCH_USED);
	dt_jmpi(l->a, BPF_JGT, R9, (int32_t)l->b->scratch, dt_fault_label(l, DT_FLT_NOSCRATCH, A_NONE));
}

void dt_scratch_close(struct dt_lower *l)
{
	struct dt_emit *a = l->a;

	dt_alui(a, BPF_ADD, R0, 7);
	dt_alui(a, BPF_AND, R0, -8);
	dt_alu(a, BPF_ADD, R0, R9);
	dt_jmpi(a, BPF_JGT, R0, (int32_t)l->b->scratch, dt_fault_label(l, DT_FLT_NOSCRATCH, A_NONE));
	dt_stx(a, B8, R6, S_SCRATCH_USED, R0);
	dt_scratch_addr(l, R0, R9);
}

void dt_scratch_ptr(struct dt_lower *l, int dst, int off)
{
	dt_mov(l->a, dst, dt_slot_reg(l));
	dt_alui(l->a, BPF_ADD, dst, (int32_t)l->b->slot_scratch);
	dt_alu(l->a, BPF_ADD, dst, off);
}

/* The constants end with a run of zeros, as long as the longest that is asked for. */
static void point_at_zeros(struct dt_lower *l, int dst, uint32_t size)
{
	if (l->b->zeros < size)
		l->b->zeros = size;
	dt_mapval(l->a, dst, dt_constants(l->b), DT_OFF_ZEROS);
}

void dt_lower_allocs(struct dt_lower *l, uint32_t in)
{
	dt_get(l, dt_dif_r1(in), R2);
	dt_scratch_alloc(l);
	dt_scratch_ptr(l, R1, R9);
	point_at_zeros(l, R3, l->b->scratch);
	dt_help(l, BPF_FUNC_probe_read_kernel);	/* R2 is still the size */
	dt_scratch_addr(l, R0, R9);
	dt_set(l, dt_dif_rd(in));
}

/* ---- stores ---- */

/*
 * Memory that may be written: a part of the slot, of the thread's variables, of an element whose pointer the
 * frame holds at `elem`, or of the value of `map`.
 */
struct region { uint32_t map; uint32_t off, size; bool slot, tls; int elem; };

/* The regions beside scratch that can hold `size` bytes, for the clause in hand; returns how many. */
static int writable_regions(struct dt_lower *l, struct region *r, uint32_t size)
{
	int n = 0;

	if (l->slot && l->b->locals_size >= size)
		r[n++] = (struct region){ .slot = true, .off = l->locals_off, .size = l->b->locals_size };
	if (l->b->globals_size >= size)
		r[n++] = (struct region){ .map = dt_globals(l->b), .size = l->b->globals_size };
	if (l->uses_tls && l->b->tls_size >= size)
		r[n++] = (struct region){ .tls = true, .size = l->b->tls_size };
	for (int i = 0; i < DT_NELEMS; i++) {
		if (l->elem[i] && l->elem[i]->v.type.size >= size)
			r[n++] = (struct region){ .elem = dt_frame_elem((unsigned)i),
				.size = l->elem[i]->v.type.size };
	}
	return n;
}

/*
 * R3 is the address: R2 becomes a pointer there if `size` bytes are inside, else on to `no`. R1, R2 and R4
 * change.
 */
static void in_region(struct dt_lower *l, const struct region *r, uint32_t size, uint32_t no)
{
	struct dt_emit *a = l->a;

	if (r->slot) {
		dt_mov(a, R2, R6);
		dt_alui(a, BPF_ADD, R2, (int32_t)r->off);
	} else if (r->tls || r->elem) {
		dt_ldx(a, B8, R2, FP, r->tls ? F_TLS : r->elem);
		dt_jmpi(a, BPF_JEQ, R2, 0, no);
	} else {
		dt_mapval(a, R2, r->map, 0);
	}
	dt_mov(a, R4, R2);
	dt_scalar(a, R4);
	dt_mov(a, R1, R3);
	dt_alu(a, BPF_SUB, R1, R4);
	dt_jmpi(a, BPF_JGT, R1, (int32_t)(r->size - size), no);
	dt_alu(a, BPF_ADD, R2, R1);
}

/* The same for scratch, all of it: as in every DTrace, a program may write past what it allocated. */
static void in_scratch(struct dt_lower *l, uint32_t size, uint32_t no)
{
	struct dt_emit *a = l->a;

	dt_mov(a, R2, dt_slot_reg(l));
	dt_alui(a, BPF_ADD, R2, (int32_t)l->b->slot_scratch);
	dt_mov(a, R4, R2);
	dt_scalar(a, R4);
	dt_mov(a, R1, R3);
	dt_alu(a, BPF_SUB, R1, R4);
	if (size <= l->b->scratch)
		dt_jmpi(a, BPF_JGT, R1, (int32_t)(l->b->scratch - size), no);
	else
		/* always taken: the verifier sees that what follows is never reached */
		dt_jmpi(a, BPF_JGE, R1, 0, no);
	dt_alu(a, BPF_ADD, R2, R1);
}

/* One comparison after another: scratch first, then each region. */
void dt_writable(struct dt_lower *l, uint32_t size, int at)
{
	struct region r[3 + DT_NELEMS];
	int n = writable_regions(l, r, size);
	uint32_t found = dt_label(l->a), next = dt_label(l->a);

	in_scratch(l, size, next);
	for (int i = 0; i < n; i++) {
		dt_ja(l->a, found);
		dt_put(l->a, next);
		next = dt_label(l->a);
		in_region(l, &r[i], size, next);
	}
	dt_ja(l->a, found);
	dt_put(l->a, next);
	dt_ja(l->a, dt_fault_label(l, DT_FLT_BADADDR, at));
	dt_put(l->a, found);
}

/*
 * R2 the pointer, R5 the size, both bounded. The verifier has to see that any such size fits wherever it
 * begins: after scratch and clause-locals the slot goes on, after the other variables there are `tail`
 * bytes more (image_plan.c), which is the most that can be copied there.
 */
void dt_writable_some(struct dt_lower *l, int size, int at)
{
	struct dt_emit *a = l->a;
	struct region r[4 + DT_NELEMS] = {
		{ .slot = true, .off = l->b->slot_scratch, .size = l->b->scratch }
	};
	uint32_t found = dt_label(a), bad = dt_fault_label(l, DT_FLT_BADADDR, at);
	int n = 1 + writable_regions(l, r + 1, 1);

	dt_slot_reg(l);
	dt_ldx(a, B8, R5, FP, size);
	dt_jmpi(a, BPF_JGT, R5, (int32_t)l->b->scratch, bad);
	for (int i = 0; i < n; i++) {
		uint32_t next = dt_label(a);

		if (!r[i].slot)
			dt_jmpi(a, BPF_JGT, R5, (int32_t)l->b->tail, next);
		in_region(l, &r[i], 0, next);
		dt_mov(a, R4, R1);
		dt_alu(a, BPF_ADD, R4, R5);
		dt_jmpi(a, BPF_JLE, R4, (int32_t)r[i].size, found);
		dt_put(a, next);
	}
	dt_ja(a, bad);
	dt_put(a, found);
	l->cached = 0;
}

/* The address is checked first, its alignment second. */
void dt_lower_store(struct dt_lower *l, uint32_t in)
{
	unsigned size = 1u << (dt_dif_op(in) - DT_DIF_STB);
	int at = in_frame(l, dt_dif_rd(in));

	dt_settle(l, 1u << dt_dif_r1(in));
	dt_ldx(l->a, B8, R3, FP, at);
	dt_writable(l, size, at);
	if (size > 1) {
		dt_mov(l->a, R1, R3);
		dt_alui(l->a, BPF_AND, R1, (int32_t)size - 1);
		dt_jmpi(l->a, BPF_JNE, R1, 0, dt_fault_label(l, DT_FLT_BADALIGN, at));
	}
	dt_get(l, dt_dif_r1(in), R1);
	dt_stx(l->a, dt_width(size), R2, 0, R1);
	l->cached = 0;
}

/* The bytes come from anywhere in the kernel; F_T2 keeps that address for the fault. */
void dt_lower_copys(struct dt_lower *l, uint32_t in)
{
	unsigned r1 = dt_dif_r1(in), r2 = dt_dif_r2(in);
	bool known = !r2 || l->reg[r2].kind == V_CONST;
	uint64_t size = r2 && known ? l->reg[r2].v : 0;
	struct dt_emit *a = l->a;
	int to;

	if (known && size > l->b->scratch)
		REFUSE(l, "an object of %llu bytes is larger than scratch memory (%u); see scratchsize",
		    (unsigned long long)size, l->b->scratch);
	if (known && size == 0)
		return;
	dt_settle(l, 1u << r1 | 1u << r2);
	to = in_frame(l, dt_dif_rd(in));
	dt_ldx(a, B8, R3, FP, to);
	if (known) {
		dt_writable(l, (uint32_t)size, to);
		dt_imm(a, R5, size);
	} else {
		dt_writable_some(l, dt_frame_reg(r2), to);
	}
	dt_mov(a, R1, R2);
	dt_mov(a, R2, R5);
	dt_get(l, r1, R3);
	dt_stx(a, B8, FP, F_T2, R3);
	dt_help(l, BPF_FUNC_probe_read_kernel);
	dt_jmpi(a, BPF_JNE, R0, 0, dt_fault_label(l, DT_FLT_BADADDR, F_T2));
}

/* ---- moving amounts that are known now ---- */

/* dst = base + off, as a pointer */
static void point_to(struct dt_lower *l, int dst, int base, int off)
{
	dt_mov(l->a, dst, base);
	if (off)
		dt_alui(l->a, BPF_ADD, dst, off);
}

uint32_t dt_access_width(int off, uint32_t n)
{
	for (uint32_t w = 8; w > 1; w /= 2) {
		if (n >= w && (uint32_t)off % w == 0)
			return w;
	}
	return 1;
}

void dt_zero(struct dt_lower *l, int base, int off, uint32_t size)
{
	if (size <= UNROLL && off + (int)size < INT16_MAX) {
		for (uint32_t w, i = 0; i < size; i += w) {
			w = dt_access_width(off + (int)i, size - i);
			dt_sti(l->a, dt_width(w), base, off + (int)i, 0);
		}
		return;
	}
	point_to(l, R1, base, off);
	dt_imm(l->a, R2, size);
	point_at_zeros(l, R3, size);
	dt_help(l, BPF_FUNC_probe_read_kernel);
}

/* A short text is stored word by word, a longer one copied from the constants. */
static void copy_text(struct dt_lower *l, const char *text, int base, int off, uint32_t size, bool pad)
{
	uint32_t len = (uint32_t)strnlen(text, size - 1), n = len + 1;
	char *bytes = dt_arena_alloc(l->b->arena, n + 8);

	memcpy(bytes, text, len);
	if (n > UNROLL || off + (int)n > INT16_MAX) {
		if (pad)
			dt_zero(l, base, off, size);
		point_to(l, R1, base, off);
		dt_imm(l->a, R2, n);
		dt_mapval(l->a, R3, dt_constants(l->b), dt_pool_text(l->b, bytes));
		dt_help(l, BPF_FUNC_probe_read_kernel);
		return;
	}
	for (uint32_t w, i = 0; i < n; i += w) {
		uint64_t v = 0;

		w = dt_access_width(off + (int)i, n - i);
		memcpy(&v, bytes + i, w);
		dt_imm(l->a, R1, v);
		dt_stx(l->a, dt_width(w), base, off + (int)i, R1);
	}
	if (pad && n < size)
		dt_zero(l, base, off + (int)n, size - n);
}

static void copy_comm(struct dt_lower *l, int base, int off, uint32_t size, bool pad)
{
	if (pad)
		/* all of it: Linux 6.1 leaves the bytes after the NUL as they were */
		dt_zero(l, base, off, size);
	point_to(l, R1, base, off);
	dt_imm(l->a, R2, size < 16 ? size : 16);
	dt_help(l, BPF_FUNC_get_current_comm);
}

/* r0 is the address; a null one gives the empty string */
static void copy_from_address(struct dt_lower *l, int base, int off, uint32_t size, bool pad, bool user)
{
	struct dt_emit *a = l->a;
	uint32_t done = dt_label(a), some = dt_label(a);

	dt_stx(a, B8, FP, F_T1, R0);
	if (pad)
		dt_zero(l, base, off, size);
	dt_ldx(a, B8, R3, FP, F_T1);
	dt_jmpi(a, BPF_JNE, R3, 0, some);
	point_to(l, R1, base, off);
	dt_sti(a, B1, R1, 0, 0);
	dt_ja(a, done);
	dt_put(a, some);
	point_to(l, R1, base, off);
	dt_imm(a, R2, size);
	dt_help(l, user ? BPF_FUNC_probe_read_user_str : BPF_FUNC_probe_read_kernel_str);
	dt_jmpi(a, BPF_JSLT, R0, 0, dt_fault_label(l, DT_FLT_BADADDR, F_T1));
	dt_put(a, done);
}

void dt_copy_string(
    struct dt_lower *l, struct dt_known k, int base, int off, uint32_t size, bool pad, bool user)
{
	const char *const parts[] = { l->en->prov, l->en->mod, l->en->func, l->en->name };

	if (k.kind == V_STR) {
		copy_text(l, k.text, base, off, size, pad);
	} else if (k.kind == V_COMM) {
		copy_comm(l, base, off, size, pad);
	} else if (k.kind == V_PART && !l->shared) {
		copy_text(l, parts[k.v] ? parts[k.v] : "", base, off, size, pad);
	} else {
		dt_known_address(l, k);
		copy_from_address(l, base, off, size, pad, user);
	}
}

void dt_copy_bytes(struct dt_lower *l, int base, int off, uint32_t size, bool user)
{
	struct dt_emit *a = l->a;

	dt_stx(a, B8, FP, F_T1, R0);
	dt_mov(a, R3, R0);
	point_to(l, R1, base, off);
	dt_imm(a, R2, size);
	dt_help(l, user ? BPF_FUNC_probe_read_user : BPF_FUNC_probe_read_kernel);
	dt_jmpi(a, BPF_JNE, R0, 0, dt_fault_label(l, DT_FLT_BADADDR, F_T1));
}
