/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The DIF machine: a checked DIFO comes in, its value or a fault goes out. Each instruction, or family
 * of them, has one function, found in a table by opcode. Branches only go forward, so a run takes at
 * most ntext steps. A DIFO that was not checked faults (ILLOP) instead of doing harm.
 */
#include "dif/builtin.h"
#include "base/count.h"
#include "interp/state.h"

typedef void op_f(struct dt_interp *, uint32_t);

/*
 * A register that does not exist is ignored, as is %r0. The checker refuses both; a DIFO that was never
 * checked does no harm here either.
 */
static void set_reg(struct dt_interp *ip, unsigned rd, uint64_t value)
{
	if (rd && rd < DT_DIF_NREGS)	/* %r0 is always 0 */
		ip->reg[rd] = value;
}

static uint64_t get_reg(const struct dt_interp *ip, unsigned r) { return r < DT_DIF_NREGS ? ip->reg[r] : 0; }

/* ---- arithmetic ---- */

/* x / -1 and x % -1: INT64_MIN would trap. */
static uint64_t signed_divide(uint64_t a, uint64_t b)
{
	return b == UINT64_MAX ? -a : (uint64_t)((int64_t)a / (int64_t)b);
}
static uint64_t signed_remainder(uint64_t a, uint64_t b)
{
	return b == UINT64_MAX ? 0 : (uint64_t)((int64_t)a % (int64_t)b);
}

/*
 * All of it on unsigned numbers, which wrap; shifts take the low six bits of their count, as machines do.
 */
static void op_arith(struct dt_interp *ip, uint32_t in)
{
	uint64_t a = get_reg(ip, dt_dif_r1(in)), b = get_reg(ip, dt_dif_r2(in)), r = 0;

	switch (dt_dif_op(in)) {
	case DT_DIF_OR: r = a | b; break;
	case DT_DIF_XOR: r = a ^ b; break;
	case DT_DIF_AND: r = a & b; break;
	case DT_DIF_SLL: r = a << (b & 63); break;
	case DT_DIF_SRL: r = a >> (b & 63); break;
	case DT_DIF_SRA: r = (uint64_t)((int64_t)a >> (b & 63)); break;
	case DT_DIF_SUB: r = a - b; break;
	case DT_DIF_ADD: r = a + b; break;
	case DT_DIF_MUL: r = a * b; break;
	}
	set_reg(ip, dt_dif_rd(in), r);
}

static void op_divide(struct dt_interp *ip, uint32_t in)
{
	uint64_t a = get_reg(ip, dt_dif_r1(in)), b = get_reg(ip, dt_dif_r2(in)), r = 0;

	if (b == 0) {
		dt_interp_fault(ip, DT_FLT_DIVZERO, 0);
		return;
	}
	switch (dt_dif_op(in)) {
	case DT_DIF_SDIV: r = signed_divide(a, b); break;
	case DT_DIF_UDIV: r = a / b; break;
	case DT_DIF_SREM: r = signed_remainder(a, b); break;
	case DT_DIF_UREM: r = a % b; break;
	}
	set_reg(ip, dt_dif_rd(in), r);
}

static void op_not(struct dt_interp *ip, uint32_t in)
{
	set_reg(ip, dt_dif_rd(in), ~get_reg(ip, dt_dif_r1(in)));
}
static void op_mov(struct dt_interp *ip, uint32_t in)
{
	set_reg(ip, dt_dif_rd(in), get_reg(ip, dt_dif_r1(in)));
}
static void op_nop(struct dt_interp *ip, uint32_t in) { (void)ip; (void)in; }
static void op_setx(struct dt_interp *ip, uint32_t in)
{
	uint32_t i = dt_dif_v16(in);

	if (i < ip->difo->nints)
		set_reg(ip, dt_dif_rd(in), ip->difo->ints[i]);
	else
		dt_interp_fault(ip, DT_FLT_ILLOP, 0);
}
/* The address of a string, inside a range of its own; whether anything is there is seen when it is read. */
static void op_sets(struct dt_interp *ip, uint32_t in)
{
	set_reg(ip, dt_dif_rd(in), ip->strs_base + dt_dif_v16(in));
}

/* ---- conditions ---- */

static void op_cmp(struct dt_interp *ip, uint32_t in)
{
	uint64_t a = get_reg(ip, dt_dif_r1(in)), b = get_reg(ip, dt_dif_r2(in));

	ip->less = (int64_t)a < (int64_t)b;
	ip->below = a < b;
	ip->zero = a == b;
}

/* Only equality with 0 has a meaning behind it: the value counts as neither less nor below. */
static void op_tst(struct dt_interp *ip, uint32_t in)
{
	ip->less = ip->below = false;
	ip->zero = get_reg(ip, dt_dif_r1(in)) == 0;
}

/* Strings have an order only for the signed branches; the unsigned ones see equality alone. */
static void op_scmp(struct dt_interp *ip, uint32_t in)
{
	int c = dt_interp_strcmp(ip, get_reg(ip, dt_dif_r1(in)), get_reg(ip, dt_dif_r2(in)));

	ip->less = c < 0;
	ip->zero = c == 0;
	ip->below = false;
}

/*
 * Does the branch go to its label? The conditions of an earlier comparison stay until the next one; they
 * begin as false in every DIFO.
 */
static bool branch_taken(const struct dt_interp *ip, unsigned op)
{
	switch (op) {
	case DT_DIF_BA: return true;
	case DT_DIF_BE: return ip->zero;
	case DT_DIF_BNE: return !ip->zero;
	case DT_DIF_BG: return !ip->zero && !ip->less;
	case DT_DIF_BGE: return !ip->less;
	case DT_DIF_BL: return ip->less;
	case DT_DIF_BLE: return ip->zero || ip->less;
	case DT_DIF_BGU: return !ip->zero && !ip->below;
	case DT_DIF_BGEU: return !ip->below;
	case DT_DIF_BLU: return ip->below;
	case DT_DIF_BLEU: return ip->zero || ip->below;
	}
	return false;
}

static void op_branch(struct dt_interp *ip, uint32_t in)
{
	uint32_t to = dt_dif_label(in);

	if (!branch_taken(ip, dt_dif_op(in)))
		return;
	if (to <= ip->pc)	/* the checker refuses it; it would be a loop */
		dt_interp_fault(ip, DT_FLT_ILLOP, 0);
	else
		ip->next_pc = to;
}

static void op_ret(struct dt_interp *ip, uint32_t in)
{
	ip->reg[0] = get_reg(ip, dt_dif_rd(in));
	ip->done = true;
}

/* ---- memory ---- */

struct access { uint8_t size; bool sign; };

/* Loads come in three rows of seven, in this order: ld*, uld*, rld*. */
static const struct access accesses[7] = {
	{ 1, true }, { 2, true }, { 4, true }, { 1, false }, { 2, false }, { 4, false }, { 8, false },
};

/* Widens the low `size` bytes to 64 bits. */
static uint64_t extend_value(uint64_t v, unsigned size, bool sign)
{
	unsigned shift = 64 - 8 * size;

	return sign ? (uint64_t)((int64_t)(v << shift) >> shift) : v << shift >> shift;
}

static void load_value(struct dt_interp *ip, uint32_t in, struct access a, bool user)
{
	uint64_t addr = get_reg(ip, dt_dif_r1(in)), v = 0;

	/*
	 * Any alignment is allowed, since packed structs need it. All machines this runs on are
	 * little-endian.
	 */
	if (dt_interp_read(ip, addr, &v, a.size, user))
		set_reg(ip, dt_dif_rd(in), extend_value(v, a.size, a.sign));
}

static void op_ld(struct dt_interp *ip, uint32_t in)
{
	load_value(ip, in, accesses[dt_dif_op(in) - DT_DIF_LDSB], false);
}
static void op_uld(struct dt_interp *ip, uint32_t in)
{
	load_value(ip, in, accesses[dt_dif_op(in) - DT_DIF_ULDSB], true);
}
static void op_rld(struct dt_interp *ip, uint32_t in)
{
	load_value(ip, in, accesses[dt_dif_op(in) - DT_DIF_RLDSB], false);
}

/* The address is checked first, its alignment second; the kernel side does the same. */
static void op_st(struct dt_interp *ip, uint32_t in)
{
	unsigned size = 1u << (dt_dif_op(in) - DT_DIF_STB);
	uint64_t addr = get_reg(ip, dt_dif_rd(in)), v = get_reg(ip, dt_dif_r1(in));

	if (!dt_interp_storable(ip, addr, size))
		dt_interp_fault(ip, DT_FLT_BADADDR, addr);
	else if (addr % size)
		dt_interp_fault(ip, DT_FLT_BADALIGN, addr);
	else
		dt_interp_write(ip, addr, &v, size, false);
}

static void op_allocs(struct dt_interp *ip, uint32_t in)
{
	set_reg(ip, dt_dif_rd(in), dt_interp_scratch(ip, get_reg(ip, dt_dif_r1(in))));
}

/*
 * The room is checked before memory is taken for the copy: len is a value of the program, and may be
 * anything.
 */
static void op_copys(struct dt_interp *ip, uint32_t in)
{
	uint64_t from = get_reg(ip, dt_dif_r1(in)), len = get_reg(ip, dt_dif_r2(in)),
		 to = get_reg(ip, dt_dif_rd(in));
	void *bytes;

	if (!dt_interp_storable(ip, to, len)) {
		dt_interp_fault(ip, DT_FLT_BADADDR, to);
		return;
	}
	bytes = dt_interp_temp(ip, len);	/* source and destination may overlap */
	if (bytes && dt_interp_read(ip, from, bytes, len, false))
		dt_interp_write(ip, to, bytes, len, false);
}

/* ---- variables ---- */

/* The row checks the index: it alone knows how many elements there are. */
static void op_ldga(struct dt_interp *ip, uint32_t in)
{
	const struct dt_builtin *row = dt_builtin_var(dt_dif_r1(in));

	if (!row || row->kind != DT_BI_ARRAY || !row->get)
		dt_interp_fault(ip, DT_FLT_ILLOP, 0);
	else
		set_reg(ip, dt_dif_rd(in), row->get(ip, get_reg(ip, dt_dif_r2(in))));
}

/*
 * The one built-in array that can be written: registers of the user thread. The change is visible until
 * the firing ends.
 */
static void op_stga(struct dt_interp *ip, uint32_t in)
{
	const struct dt_builtin *row = dt_builtin_var(dt_dif_r1(in));
	uint64_t i = get_reg(ip, dt_dif_r2(in));
	uint32_t n = ip->context->nuregs;

	if (!row || strcmp(row->name, "uregs") != 0) {
		dt_interp_fault(ip, DT_FLT_ILLOP, 0);
		return;
	}
	if (i >= n || i >= DT_INTERP_UREGS) {
		dt_interp_fault(ip, DT_FLT_BADINDEX, i);
		return;
	}
	if (!ip->uregs_changed)
		memcpy(ip->uregs, ip->context->uregs,
		    sizeof(uint64_t) * (n < DT_INTERP_UREGS ? n : DT_INTERP_UREGS));
	ip->uregs_changed = true;
	ip->uregs[i] = get_reg(ip, dt_dif_rd(in));
}

static void op_ldgs(struct dt_interp *ip, uint32_t in)
{
	uint32_t id = dt_dif_v16(in);
	const struct dt_builtin *row;

	if (id >= DT_VAR_USER_MIN) {
		set_reg(ip, dt_dif_rd(in), dt_interp_load(ip, DT_DIFV_GLOBAL, id));
		return;
	}
	row = dt_builtin_var(id);
	if (!row || row->kind != DT_BI_SCALAR || !row->get)
		dt_interp_fault(ip, DT_FLT_ILLOP, 0);
	else
		set_reg(ip, dt_dif_rd(in), row->get(ip, 0));
}

static void op_stgs(struct dt_interp *ip, uint32_t in)
{
	dt_interp_store(ip, DT_DIFV_GLOBAL, dt_dif_v16(in), get_reg(ip, dt_dif_rd(in)));
}
static void op_ldts(struct dt_interp *ip, uint32_t in)
{
	set_reg(ip, dt_dif_rd(in), dt_interp_load(ip, DT_DIFV_THREAD, dt_dif_v16(in)));
}
static void op_stts(struct dt_interp *ip, uint32_t in)
{
	dt_interp_store(ip, DT_DIFV_THREAD, dt_dif_v16(in), get_reg(ip, dt_dif_rd(in)));
}
static void op_ldls(struct dt_interp *ip, uint32_t in)
{
	set_reg(ip, dt_dif_rd(in), dt_interp_load(ip, DT_DIFV_LOCAL, dt_dif_v16(in)));
}
static void op_stls(struct dt_interp *ip, uint32_t in)
{
	dt_interp_store(ip, DT_DIFV_LOCAL, dt_dif_v16(in), get_reg(ip, dt_dif_rd(in)));
}
static void op_ldgaa(struct dt_interp *ip, uint32_t in)
{
	set_reg(ip, dt_dif_rd(in), dt_interp_load_elem(ip, DT_DIFV_GLOBAL, dt_dif_v16(in)));
}
static void op_ldtaa(struct dt_interp *ip, uint32_t in)
{
	set_reg(ip, dt_dif_rd(in), dt_interp_load_elem(ip, DT_DIFV_THREAD, dt_dif_v16(in)));
}
static void op_stgaa(struct dt_interp *ip, uint32_t in)
{
	dt_interp_store_elem(ip, DT_DIFV_GLOBAL, dt_dif_v16(in), get_reg(ip, dt_dif_rd(in)));
}
static void op_sttaa(struct dt_interp *ip, uint32_t in)
{
	dt_interp_store_elem(ip, DT_DIFV_THREAD, dt_dif_v16(in), get_reg(ip, dt_dif_rd(in)));
}

/* ---- tuples and calls ---- */

/* The ninth value is a fault, whatever it is for. */
static void push_value(struct dt_interp *ip, struct dt_subr_arg arg, bool string)
{
	if (ip->ntuple == DT_DIF_NTREGS) {
		dt_interp_fault(ip, DT_FLT_TUPOFLOW, 0);
		return;
	}
	ip->tuple_string[ip->ntuple] = string;
	ip->tuple[ip->ntuple++] = arg;
}

static void op_pushtv(struct dt_interp *ip, uint32_t in)
{
	push_value(ip, (struct dt_subr_arg){ .value = get_reg(ip, dt_dif_rd(in)) }, false);
}

/*
 * The size of a string is its length plus the NUL. A null string is pushed as NULL, with the size of
 * the empty string.
 */
static void op_pushtr(struct dt_interp *ip, uint32_t in)
{
	uint64_t value = get_reg(ip, dt_dif_rd(in)), size = get_reg(ip, dt_dif_r2(in));
	bool string = dt_dif_r1(in) == DT_DT_STRING;

	if (string) {
		uint64_t limit = size && size < ip->opts.strsize - 1 ? size + 1 : ip->opts.strsize;

		size = 0;
		if (value && !dt_interp_strlen(ip, value, limit - 1, false, &size))
			return;
		size++;
	} else if (size > INT64_MAX) {
		dt_interp_fault(ip, DT_FLT_ILLOP, 0);
		return;
	}
	push_value(ip, (struct dt_subr_arg){ .value = value, .size = size, .ref = true }, string);
}

/* An empty tuple stays empty. */
static void op_popts(struct dt_interp *ip, uint32_t in)
{
	(void)in;
	if (ip->ntuple)
		ip->ntuple--;
}

static void op_flushts(struct dt_interp *ip, uint32_t in)
{
	(void)in;
	ip->ntuple = 0;
}

/* The subroutine sees zeros for arguments that were not pushed. */
static void op_call(struct dt_interp *ip, uint32_t in)
{
	const struct dt_builtin *row = dt_builtin_subr(dt_dif_v16(in));
	struct dt_subr_arg arg[DT_DIF_NTREGS] = { { 0 } };
	struct dt_subr_call call = { .nargs = ip->ntuple, .arg = arg };

	if (!row || !row->call) {
		dt_interp_fault(ip, DT_FLT_ILLOP, 0);
		return;
	}
	memcpy(arg, ip->tuple, sizeof(arg[0]) * ip->ntuple);
	set_reg(ip, dt_dif_rd(in), row->call(ip, &call));
}

/* ldta, xlate, xlarg: they exist, but can never run. */
static void op_illegal(struct dt_interp *ip, uint32_t in)
{
	(void)in;
	dt_interp_fault(ip, DT_FLT_ILLOP, 0);
}

/* By opcode; what has no row is no instruction. */
static op_f *const ops[] = {
	[DT_DIF_OR... DT_DIF_MUL] = op_arith,
	[DT_DIF_SDIV... DT_DIF_UREM] = op_divide,
	[DT_DIF_NOT] = op_not,
	[DT_DIF_MOV] = op_mov,
	[DT_DIF_CMP] = op_cmp,
	[DT_DIF_TST] = op_tst,
	[DT_DIF_BA... DT_DIF_BLEU] = op_branch,
	[DT_DIF_LDSB... DT_DIF_LDX] = op_ld,
	[DT_DIF_RET] = op_ret,
	[DT_DIF_NOP] = op_nop,
	[DT_DIF_SETX] = op_setx,
	[DT_DIF_SETS] = op_sets,
	[DT_DIF_SCMP] = op_scmp,
	[DT_DIF_LDGA] = op_ldga,
	[DT_DIF_LDGS] = op_ldgs,
	[DT_DIF_STGS] = op_stgs,
	[DT_DIF_LDTA] = op_illegal,
	[DT_DIF_LDTS] = op_ldts,
	[DT_DIF_STTS] = op_stts,
	[DT_DIF_SRA] = op_arith,
	[DT_DIF_CALL] = op_call,
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
	[DT_DIF_ALLOCS] = op_allocs,
	[DT_DIF_COPYS] = op_copys,
	[DT_DIF_STB... DT_DIF_STX] = op_st,
	[DT_DIF_ULDSB... DT_DIF_ULDX] = op_uld,
	[DT_DIF_RLDSB... DT_DIF_RLDX] = op_rld,
	[DT_DIF_XLATE] = op_illegal,
	[DT_DIF_XLARG] = op_illegal,
	[DT_DIF_STGA] = op_stga,
};

/* Registers, flags and tuple start as zero in every DIFO. */
static void start_difo(struct dt_interp *ip, const struct dt_difo *difo)
{
	int index = dt_interp_difo_index(ip, difo);

	ip->difo = difo;
	ip->strs_base = index < 0 ? (uint64_t)DT_IA_RUN << 48 :
				    (uint64_t)DT_IA_STRS << 48 | (uint64_t)index << 24;
	memset(ip->reg, 0, sizeof(ip->reg));
	ip->less = ip->zero = ip->below = false;
	ip->ntuple = 0;
	ip->pc = ip->next_pc = 0;
	ip->done = false;
	ip->fault = DT_FLT_NONE;
	ip->fault_addr = 0;
	ip->fault_offset = -1;
}

/* The fault's place is that of the instruction, also when a row of src/builtin raised it. */
uint64_t dt_interp_exec(struct dt_interp *ip, const struct dt_difo *difo)
{
	start_difo(ip, difo);
	while (!ip->done && !ip->fault) {
		uint32_t in;
		op_f *op;

		ip->pc = ip->next_pc++;
		if (ip->pc >= difo->ntext) {	/* ran off the end, or the text is empty */
			dt_interp_fault(ip, DT_FLT_ILLOP, 0);
			break;
		}
		in = difo->text[ip->pc];
		op = dt_dif_op(in) < DT_COUNT(ops) ? ops[dt_dif_op(in)] : NULL;
		if (op)
			op(ip, in);
		else
			dt_interp_fault(ip, DT_FLT_ILLOP, 0);
	}
	if (!ip->fault)
		return ip->reg[0];
	ip->fault_offset = (int)ip->pc * 4;
	return 0;
}
