/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One DIFO in, code out that leaves its value in r0, or a value known now in l->ret. Branches only go
 * forward, so one backward pass (lower_live.c) finds which registers are live. Constants and strings stay
 * unwritten until something needs them (`lazy`); where paths meet, every live register is in its place in
 * the frame. Faults leave through stubs after the clause.
 */
#include "bpf/build.h"
#include "dif/builtin.h"

typedef void op_f(struct dt_lower *, uint32_t);

static bool is_compare(uint32_t in)
{
	return dt_dif_op(in) == DT_DIF_CMP || dt_dif_op(in) == DT_DIF_TST || dt_dif_op(in) == DT_DIF_SCMP;
}

struct dt_loc dt_lower_loc(const struct dt_lower *l)
{
	const struct dt_ecb *e = l->en->ecb;

	if (l->difo && l->difo->locs && l->pc < l->difo->ntext && l->difo->locs[l->pc].src)
		return l->difo->locs[l->pc];
	return l->act >= 0 && (uint32_t)l->act < e->nacts ? e->acts[l->act].loc : e->loc;
}

/* ---- registers ---- */

/* In the first attempt there is no slot: the code is thrown away and made again with one (hook_share.c). */
int dt_slot_reg(struct dt_lower *l)
{
	l->want_slot = true;
	return R6;
}

/* The register is in its place in the frame from here on. r0, r1 and r2 may change. */
static void settle_register(struct dt_lower *l, unsigned r)
{
	struct dt_known k = l->reg[r];

	if (!l->lazy[r])
		return;
	if (k.kind == V_CONST && dt_fits32(k.v)) {
		dt_sti(l->a, B8, FP, dt_frame_reg(r), (int32_t)k.v);
	} else {
		if (k.kind == V_CONST)
			dt_imm(l->a, R0, k.v);
		else
			dt_known_address(l, k);
		dt_stx(l->a, B8, FP, dt_frame_reg(r), R0);
		l->cached = 0;
	}
	l->lazy[r] = false;
	if (k.kind != V_CONST)
		l->reg[r].kind = V_NUM;
}

void dt_settle(struct dt_lower *l, unsigned mask)
{
	for (unsigned r = 1; r < DT_DIF_NREGS; r++) {
		if (mask & 1u << r)
			settle_register(l, r);
	}
}

void dt_get(struct dt_lower *l, unsigned r, int dst)
{
	if (r == 0) {
		dt_imm(l->a, dst, 0);
	} else if (l->reg[r].kind == V_CONST) {
		dt_imm(l->a, dst, l->reg[r].v);
	} else if (l->cached == (int)r) {
		dt_mov(l->a, dst, R0);
	} else {
		settle_register(l, r);
		dt_ldx(l->a, B8, dst, FP, dt_frame_reg(r));
	}
}

static bool next_is_ret(const struct dt_lower *l, unsigned rd)
{
	uint32_t next = l->pc + 1;

	return next < l->difo->ntext && !l->target[next] && dt_dif_op(l->difo->text[next]) == DT_DIF_RET &&
	    dt_dif_rd(l->difo->text[next]) == rd;
}

/* What is returned at once need not be stored: op_ret() finds it in r0. %r0 of DIF is always 0. */
void dt_set(struct dt_lower *l, unsigned rd)
{
	if (!rd)
		return;
	l->reg[rd].kind = V_NUM;
	l->lazy[rd] = false;
	if (!next_is_ret(l, rd))
		dt_stx(l->a, B8, FP, dt_frame_reg(rd), R0);
	l->cached = (int)rd;
}

void dt_set_known(struct dt_lower *l, unsigned rd, struct dt_known k)
{
	if (!rd)
		return;
	if (k.kind == V_NUM) {
		dt_set(l, rd);
		return;
	}
	l->reg[rd] = k;
	l->lazy[rd] = true;
	if (l->cached == (int)rd)
		l->cached = 0;
}

uint32_t dt_fault_label(struct dt_lower *l, int fault, int addr)
{
	struct dt_stub s = { .label = dt_label(l->a),
		.fault = fault,
		.addr = addr,
		.act = l->act,
		.difo = l->difo,
		.offset = l->difo ? 4 * (int)l->pc : -1 };

	dt_vec_push(l->b->arena, &l->stubs, s);
	return s.label;
}

/*
 * A jump that is always taken but does not look so: after a plain one the verifier would say "unreachable
 * insn".
 */
void dt_always_fault(struct dt_lower *l, int fault, int addr)
{
	dt_imm(l->a, R0, 0);
	dt_jmpi(l->a, BPF_JEQ, R0, 0, dt_fault_label(l, fault, addr));
}

/* ---- registers from registers and constants ---- */

static void op_mov(struct dt_lower *l, uint32_t in)
{
	unsigned r1 = dt_dif_r1(in);

	if (r1 == 0) {
		dt_set_known(l, dt_dif_rd(in), (struct dt_known){ .kind = V_CONST });
	} else if (l->lazy[r1] || l->reg[r1].kind == V_CONST) {
		dt_set_known(l, dt_dif_rd(in), l->reg[r1]);
	} else {
		dt_get(l, r1, R0);
		dt_set(l, dt_dif_rd(in));
	}
}

static void op_nop(struct dt_lower *l, uint32_t in) { (void)l; (void)in; }

static void op_setx(struct dt_lower *l, uint32_t in)
{
	dt_set_known(
	    l, dt_dif_rd(in), (struct dt_known){ .kind = V_CONST, .v = l->difo->ints[dt_dif_v16(in)] });
}

static void op_sets(struct dt_lower *l, uint32_t in)
{
	dt_set_known(
	    l, dt_dif_rd(in), (struct dt_known){ .kind = V_STR, .text = l->difo->strs + dt_dif_v16(in) });
}

/* ---- conditions ---- */

static uint8_t live_after(const struct dt_lower *l)
{
	return l->live[l->pc + 1];
}

/*
 * Before a comparison, all that any of the branches after it would have to write is written: nothing may
 * come between the comparison and its branches, since code that only one path runs would be missing on the
 * other.
 */
static void settle_ahead(struct dt_lower *l)
{
	uint8_t mask = live_after(l);

	for (uint32_t pc = l->pc + 1; pc < l->difo->ntext && dt_dif_is_branch(l->difo->text[pc]); pc++)
		mask |= (uint8_t)(l->live[dt_dif_label(l->difo->text[pc])] | l->live[pc + 1]);
	dt_settle(l, mask);
}

/* The comparison itself is made by each branch; strings are compared here, once. */
static void op_compare(struct dt_lower *l, uint32_t in)
{
	settle_ahead(l);
	if (dt_dif_op(in) == DT_DIF_SCMP) {
		dt_lower_scmp(l, in);		/* the order, into F_T2 */
		l->cached = 0;
	} else {
		if (l->reg[dt_dif_r1(in)].kind != V_CONST)
			settle_register(l, dt_dif_r1(in));
		if (dt_dif_op(in) == DT_DIF_CMP && l->reg[dt_dif_r2(in)].kind != V_CONST)
			settle_register(l, dt_dif_r2(in));
	}
	l->cond = (int)dt_dif_op(in);
	l->cond_in = in;
}

static const int jump_of[] = {
	[DT_DIF_BE] = BPF_JEQ,
	[DT_DIF_BNE] = BPF_JNE,
	[DT_DIF_BG] = BPF_JSGT,
	[DT_DIF_BGU] = BPF_JGT,
	[DT_DIF_BGE] = BPF_JSGE,
	[DT_DIF_BGEU] = BPF_JGE,
	[DT_DIF_BL] = BPF_JSLT,
	[DT_DIF_BLU] = BPF_JLT,
	[DT_DIF_BLE] = BPF_JSLE,
	[DT_DIF_BLEU] = BPF_JLE,
};

/* After tst all flags but zero are clear: > is "not zero", <= is "zero", >= always, < never. */
static void branch_zero(struct dt_lower *l, unsigned op, int reg, uint32_t to)
{
	switch (op) {
	case DT_DIF_BE: case DT_DIF_BLE: case DT_DIF_BLEU: dt_jmpi(l->a, BPF_JEQ, reg, 0, to); break;
	case DT_DIF_BNE: case DT_DIF_BG: case DT_DIF_BGU: dt_jmpi(l->a, BPF_JNE, reg, 0, to); break;
	case DT_DIF_BGE: case DT_DIF_BGEU: dt_ja(l->a, to); break;
	}
}

static void branch_compare(struct dt_lower *l, unsigned op, uint32_t to)
{
	unsigned r1 = dt_dif_r1(l->cond_in), r2 = dt_dif_r2(l->cond_in);
	uint64_t k = r2 ? l->reg[r2].v : 0;

	dt_get(l, r1, R1);
	if ((!r2 || l->reg[r2].kind == V_CONST) && dt_fits32(k)) {
		dt_jmpi(l->a, jump_of[op], R1, (int32_t)k, to);
	} else {
		dt_get(l, r2, R2);
		dt_jmp(l->a, jump_of[op], R1, R2, to);
	}
}

/* The unsigned branches after scmp see only equality. */
static void branch_strings(struct dt_lower *l, unsigned op, uint32_t to)
{
	bool order = op == DT_DIF_BG || op == DT_DIF_BGE || op == DT_DIF_BL || op == DT_DIF_BLE;

	dt_ldx(l->a, B8, R1, FP, F_T2);
	if (order)
		dt_jmpi(l->a, jump_of[op], R1, 0, to);
	else
		branch_zero(l, op, R1, to);
}

static void op_branch(struct dt_lower *l, uint32_t in)
{
	unsigned op = dt_dif_op(in);
	uint32_t to = l->label[dt_dif_label(in)];

	if (op == DT_DIF_BA) {
		dt_settle(l, l->live[dt_dif_label(in)]);
		dt_ja(l->a, to);
		return;
	}
	switch (l->cond) {
	case DT_DIF_CMP: branch_compare(l, op, to); break;
	case DT_DIF_SCMP: branch_strings(l, op, to); break;
	case DT_DIF_TST:
		dt_get(l, dt_dif_r1(l->cond_in), R1);
		branch_zero(l, op, R1, to);
		break;
	default: REFUSE(l, "a branch without a comparison before it is not available for tracing");
	}
}

/* A value known now stays so when this is the only return; else r0 holds it where the returns meet. */
static void op_ret(struct dt_lower *l, uint32_t in)
{
	unsigned r = dt_dif_rd(in);
	bool last = l->pc + 1 == l->difo->ntext;

	if (last && !l->target[l->pc] && r && (l->lazy[r] || l->reg[r].kind == V_CONST) &&
	    l->label[l->difo->ntext] == 0) {
		l->ret = l->reg[r];
		return;
	}
	dt_get(l, r, R0);
	l->ret = (struct dt_known){ .kind = V_NUM };
	if (!last)
		dt_ja(l->a, l->label[l->difo->ntext]);
}

/* ---- tuples ---- */

void dt_tuple_check(struct dt_lower *l)
{
	if (l->tuple_lost)
		REFUSE(l, "a condition between the arguments of a call is not available for tracing");
}

/* The tuple is known now: entries are constants, texts, or words of the frame. */
static struct dt_tentry *push_entry(struct dt_lower *l)
{
	struct dt_tentry *t;

	dt_tuple_check(l);
	if (l->ntuple == DT_DIF_NTREGS) {	/* an expression that can only fault */
		dt_always_fault(l, DT_FLT_TUPOFLOW, A_NONE);
		l->ntuple--;
	}
	t = &l->tuple[l->ntuple++];
	*t = (struct dt_tentry){ .pc = l->pc };
	return t;
}

static void push_value(struct dt_lower *l, struct dt_tentry *t, unsigned r)
{
	t->known = (struct dt_known){
		.kind = r ? l->reg[r].kind : V_CONST, .v = r ? l->reg[r].v : 0, .text = l->reg[r].text
	};
	if (r && l->lazy[r])
		return;
	if (t->known.kind == V_CONST)
		return;
	t->known.kind = V_NUM;
	dt_get(l, r, R1);
	dt_stx(l->a, B8, FP, dt_frame_tuple((unsigned)(t - l->tuple)), R1);
}

static void op_pushtv(struct dt_lower *l, uint32_t in)
{
	push_value(l, push_entry(l), dt_dif_rd(in));
}

/* A string's size is that of its type, at most strsize; other objects must have a size known now. */
static void op_pushtr(struct dt_lower *l, uint32_t in)
{
	struct dt_tentry *t = push_entry(l);
	unsigned r2 = dt_dif_r2(in);

	t->ref = true;
	t->string = dt_dif_r1(in) == DT_DT_STRING;
	t->limit = r2 && l->reg[r2].kind == V_CONST ? l->reg[r2].v : 0;
	if (t->string)		/* with the NUL */
		t->limit = t->limit && t->limit < l->b->opts->strsize ? t->limit + 1 : l->b->opts->strsize;
	if (!t->string && t->limit == 0 && r2)
		REFUSE(l, "an object of unknown size as an argument is not available for tracing");
	push_value(l, t, dt_dif_rd(in));
}

static void op_popts(struct dt_lower *l, uint32_t in)
{
	(void)in;
	if (l->ntuple)
		l->ntuple--;
}

static void op_flushts(struct dt_lower *l, uint32_t in)
{
	(void)in;
	l->ntuple = 0;
	l->tuple_lost = false;
}

/* ---- variables ---- */

static void op_ldgs(struct dt_lower *l, uint32_t in)
{
	uint32_t id = dt_dif_v16(in);

	if (id >= DT_VAR_USER_MIN)
		dt_lower_ldv(l, DT_DIFV_GLOBAL, id, dt_dif_rd(in));
	else
		dt_lower_builtin(l, id, dt_dif_rd(in));
}
static void op_stgs(struct dt_lower *l, uint32_t in)
{
	dt_lower_stv(l, DT_DIFV_GLOBAL, dt_dif_v16(in), dt_dif_rd(in));
}
static void op_ldts(struct dt_lower *l, uint32_t in)
{
	dt_lower_ldv(l, DT_DIFV_THREAD, dt_dif_v16(in), dt_dif_rd(in));
}
static void op_stts(struct dt_lower *l, uint32_t in)
{
	dt_lower_stv(l, DT_DIFV_THREAD, dt_dif_v16(in), dt_dif_rd(in));
}
static void op_ldls(struct dt_lower *l, uint32_t in)
{
	dt_lower_ldv(l, DT_DIFV_LOCAL, dt_dif_v16(in), dt_dif_rd(in));
}
static void op_stls(struct dt_lower *l, uint32_t in)
{
	dt_lower_stv(l, DT_DIFV_LOCAL, dt_dif_v16(in), dt_dif_rd(in));
}
static void op_ldgaa(struct dt_lower *l, uint32_t in)
{
	dt_lower_ldaa(l, DT_DIFV_GLOBAL, dt_dif_v16(in), dt_dif_rd(in));
}
static void op_ldtaa(struct dt_lower *l, uint32_t in)
{
	dt_lower_ldaa(l, DT_DIFV_THREAD, dt_dif_v16(in), dt_dif_rd(in));
}
static void op_stgaa(struct dt_lower *l, uint32_t in)
{
	dt_lower_staa(l, DT_DIFV_GLOBAL, dt_dif_v16(in), dt_dif_rd(in));
}
static void op_sttaa(struct dt_lower *l, uint32_t in)
{
	dt_lower_staa(l, DT_DIFV_THREAD, dt_dif_v16(in), dt_dif_rd(in));
}

static void op_illegal(struct dt_lower *l, uint32_t in)
{
	dt_always_fault(l, DT_FLT_ILLOP, A_NONE);
	if (dt_live_writes(in))
		dt_set(l, dt_dif_rd(in));
}

static void op_stga(struct dt_lower *l, uint32_t in)
{
	(void)in;
	REFUSE(l,
	    "writing uregs[] is not available for tracing: the kernel does not let programs change "
	    "registers");
}

/* By opcode. An opcode without a row does not pass dt_prog_check(). */
static op_f *const ops[] = {
	[DT_DIF_OR ... DT_DIF_MUL] = dt_lower_arith,
	[DT_DIF_SDIV ... DT_DIF_UREM] = dt_lower_divide,
	[DT_DIF_NOT] = dt_lower_not,
	[DT_DIF_MOV] = op_mov,
	[DT_DIF_CMP] = op_compare,
	[DT_DIF_TST] = op_compare,
	[DT_DIF_BA ... DT_DIF_BLEU] = op_branch,
	[DT_DIF_LDSB ... DT_DIF_LDX] = dt_lower_load,
	[DT_DIF_RET] = op_ret,
	[DT_DIF_NOP] = op_nop,
	[DT_DIF_SETX] = op_setx,
	[DT_DIF_SETS] = op_sets,
	[DT_DIF_SCMP] = op_compare,
	[DT_DIF_LDGA] = dt_lower_ldga,
	[DT_DIF_LDGS] = op_ldgs,
	[DT_DIF_STGS] = op_stgs,
	[DT_DIF_LDTA] = op_illegal,
	[DT_DIF_LDTS] = op_ldts,
	[DT_DIF_STTS] = op_stts,
	[DT_DIF_SRA] = dt_lower_arith,
	[DT_DIF_CALL] = dt_lower_call,
	[DT_DIF_PUSHTR] = op_pushtr,
	[DT_DIF_PUSHTV] = op_pushtv,
	[DT_DIF_POPTS] = op_popts,
	[DT_DIF_FLUSHTS] = op_flushts,
	[DT_DIF_LDGAA] = op_ldgaa,
	[DT_DIF_LDTAA] = op_ldtaa,
	[DT_DIF_STGAA] = op_stgaa,
	[DT_DIF_STTAA] = op_sttaa,
	[DT_DIF_LDLS] = op_ldls,
	[DT_DIF_STLS] = op_stls,
	[DT_DIF_ALLOCS] = dt_lower_allocs,
	[DT_DIF_COPYS] = dt_lower_copys,
	[DT_DIF_STB ... DT_DIF_STX] = dt_lower_store,
	[DT_DIF_ULDSB ... DT_DIF_ULDX] = dt_lower_load,
	[DT_DIF_RLDSB ... DT_DIF_RLDX] = dt_lower_load,
	[DT_DIF_XLATE] = op_illegal,
	[DT_DIF_XLARG] = op_illegal,
	[DT_DIF_STGA] = op_stga,
};

/* ---- the DIFO ---- */

/* Several returns meet after the end. */
static void find_exits(struct dt_lower *l)
{
	for (uint32_t pc = 0; pc + 1 < l->difo->ntext; pc++) {
		if (dt_dif_op(l->difo->text[pc]) == DT_DIF_RET && !l->label[l->difo->ntext])
			l->label[l->difo->ntext] = dt_label(l->a);
	}
}

/*
 * Paths meet here: nothing is known of registers any more, except that the live ones are in the frame. The
 * path that falls through writes its own now.
 */
static void arrive_at_label(struct dt_lower *l)
{
	dt_settle(l, l->live[l->pc]);
	dt_put(l->a, l->label[l->pc]);
	for (unsigned r = 1; r < DT_DIF_NREGS; r++) {
		l->reg[r] = (struct dt_known){ .kind = V_NUM };
		l->lazy[r] = false;
	}
	l->cached = 0;
	l->cond = 0;
	/* a call leaves its arguments; the next one begins with flushts */
	l->tuple_lost = l->ntuple || l->tuple_lost;
	l->ntuple = 0;
}

static void start_difo(struct dt_lower *l, const struct dt_difo *difo)
{
	l->difo = difo;
	l->pc = 0;
	l->ntuple = 0;
	l->tuple_lost = false;
	l->cached = 0;
	l->cond = 0;
	dt_live_analyse(l);
	find_exits(l);
	for (unsigned r = 1; r < DT_DIF_NREGS; r++) {	/* a register read before it is written is 0 */
		l->reg[r] = (struct dt_known){ .kind = V_CONST };
		l->lazy[r] = true;
	}
}

/* Whether the instruction sets r to a constant: 1 or 0 for "not 0" and 0; else -1. */
static int sets_truth(const struct dt_difo *d, uint32_t in, unsigned r)
{
	if (dt_dif_rd(in) != r)
		return -1;
	if (dt_dif_op(in) == DT_DIF_MOV && dt_dif_r1(in) == 0)
		return 0;
	return dt_dif_op(in) == DT_DIF_SETX && dt_dif_v16(in) < d->nints ? d->ints[dt_dif_v16(in)] != 0 : -1;
}

/*
 * A predicate ends with its truth in a register: one value, ba, the other value, ret. Nothing but the way on
 * depends on it, so it is not made: the code goes to l->quit where it would be 0, and on where not. False:
 * the DIFO ends in another way.
 */
static bool lower_truth(struct dt_lower *l)
{
	const struct dt_difo *d = l->difo;
	uint32_t at = l->pc, end = d->ntext - 1;
	unsigned r = dt_dif_rd(d->text[end]);
	uint32_t on;

	if (!l->quit || at + 4 != d->ntext || l->label[d->ntext] || dt_dif_op(d->text[end]) != DT_DIF_RET ||
	    dt_dif_op(d->text[at + 1]) != DT_DIF_BA || dt_dif_label(d->text[at + 1]) != end ||
	    !l->target[at + 2] || l->target[at + 1] || sets_truth(d, d->text[at], r) < 0 ||
	    sets_truth(d, d->text[at + 2], r) < 0)
		return false;
	for (uint32_t pc = 0; pc < at; pc++) {
		if (dt_dif_is_branch(d->text[pc]) && dt_dif_label(d->text[pc]) == end)
			return false;
	}
	on = dt_label(l->a);
	dt_ja(l->a, sets_truth(d, d->text[at], r) ? on : l->quit);
	dt_put(l->a, l->label[at + 2]);
	if (!sets_truth(d, d->text[at + 2], r))
		dt_ja(l->a, l->quit);
	dt_put(l->a, on);
	l->ret = (struct dt_known){ .kind = V_CONST, .v = 1 };
	return true;
}

/*
 * Code after a return or a jump that no branch goes to cannot be reached and is left out: the verifier
 * refuses it ("unreachable insn 12"). Where a label follows such code, no path falls through, so there is
 * nothing left to write there.
 */
void dt_lower_difo(struct dt_lower *l, const struct dt_difo *difo)
{
	bool reached = true;

	start_difo(l, difo);
	dt_elems_start(l);
	for (l->pc = 0; l->pc < difo->ntext; l->pc++) {
		uint32_t in = difo->text[l->pc];
		bool falls = reached;

		if (l->target[l->pc]) {
			reached = true;
			if (!falls)
				memset(l->lazy, 0, sizeof(l->lazy));
			arrive_at_label(l);
		}
		if (!reached)
			continue;
		l->a->difo = difo;
		l->a->difpc = l->pc;
		if (lower_truth(l))
			break;
		ops[dt_dif_op(in)](l, in);
		if (!dt_dif_is_branch(in) && !is_compare(in))
			l->cond = 0;
		reached = dt_dif_op(in) != DT_DIF_RET && dt_dif_op(in) != DT_DIF_BA;
	}
	if (l->label[difo->ntext])
		dt_put(l->a, l->label[difo->ntext]);
	l->a->difo = NULL;
	l->difo = NULL;
	l->cached = 0;
}
