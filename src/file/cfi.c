/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Call frame information (DWARF 6.4, as .eh_frame and .debug_frame have it) to rows. Of all registers three
 * matter: the stack pointer, the frame pointer and the return address; code whose frame hangs on another
 * one has rows of kind NONE there. Expressions are known by their shape: a word at a register plus offset,
 * the one linkers write for procedure linkage tables, and those of signal frames. A section may say
 * anything: every read goes through struct bytes, which cannot leave it; numbers wrap as unsigned ones; and
 * what an entry makes of them is cut to the function that the entry is for.
 */
#include "file/cfi.h"
#include "machine/machine.h"

#include <dwarf.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/*
 * CIE_MAX: bytes of instructions that many functions share, of which compilers write a dozen; so the work
 * is a small multiple of the section's length, whatever its entries refer to.
 */
enum { DEPTH = 16, WORK_FACTOR = 16, CIE_MAX = 256 };

/*
 * A cursor. A read beyond the end makes it bad and gives 0, or an empty part; a loop over it asks
 * for `bad`.
 */
struct bytes { const uint8_t *p, *end; bool bad; };

/* end: no return address */
struct state { int64_t cfa_off, ra_off, fp_off; uint8_t cfa, ra, fp, plt; bool end; };

struct cie {
	const uint8_t *at;		/* NULL: none read yet */
	uint64_t code_align;
	int64_t data_align;
	uint8_t enc;			/* of pointers to code */
	bool sized, signal, good;
	struct state init;
};

struct reader {
	struct dt_cfi *out;
	const uint8_t *data;
	size_t len;
	uint64_t addr;
	/* of .debug_frame: addresses are plain, and a CIE is found by its place in the section */
	bool debug;
	const struct dt_machine *machine;
	struct cie cie;			/* the last one used */
	uint64_t work;			/* bytes of instructions that may still be run */
	int err;
};

/*
 * The states that DW_CFA_remember_state keeps are DEPTH at most; one more stops the entry, whose rows so
 * far count.
 */
struct machine {			/* running instructions */
	struct reader *r;
	const struct cie *cie;
	struct state s, stack[DEPTH];
	unsigned depth;
	uint64_t pc;
	bool stop;			/* what follows is not understood */
};

/* ---- bytes ---- */

static uint64_t fixed(struct bytes *b, unsigned n)
{
	uint64_t v = 0;

	if ((size_t)(b->end - b->p) < n) {
		b->bad = true;
		b->p = b->end;
		return 0;
	}
	memcpy(&v, b->p, n);		/* little endian, as both machines are */
	b->p += n;
	return v;
}

static uint8_t u8(struct bytes *b) { return (uint8_t)fixed(b, 1); }

/* Bits beyond the 64th are dropped, so a number may be as long as the section without harm. */
static uint64_t leb(struct bytes *b, bool is_signed)
{
	uint64_t v = 0;
	unsigned shift = 0;
	uint8_t c;

	do {
		c = u8(b);
		if (shift < 64)
			v |= (uint64_t)(c & 0x7f) << shift;
		shift += 7;
	} while (c & 0x80 && !b->bad);
	if (is_signed && shift < 64 && c & 0x40)
		v |= ~0ull << shift;
	return v;
}

static uint64_t uleb(struct bytes *b) { return leb(b, false); }
static int64_t sleb(struct bytes *b) { return (int64_t)leb(b, true); }

/* The next n bytes as a cursor of their own, which cannot read what is after them. */
static struct bytes take(struct bytes *b, uint64_t n)
{
	struct bytes part = { b->p, b->end, false };

	if (n > (uint64_t)(b->end - b->p)) {
		b->bad = part.bad = true;
		n = 0;
	}
	part.end = b->p + n;
	b->p += n;
	return part;
}

enum { PE_FORM = 0x0f, PE_BASE = 0x70 };	/* the parts of an encoding */

/* A pointer as DW_EH_PE_* says. What is relative to anything but itself does not stand in what we read. */
static uint64_t pointer(const struct reader *r, struct bytes *b, uint8_t enc, bool only_size)
{
	uint64_t here = r->addr + (uint64_t)(b->p - r->data), v = 0;

	switch (enc & PE_FORM) {
	case DW_EH_PE_absptr: case DW_EH_PE_udata8: case DW_EH_PE_sdata8: v = fixed(b, 8); break;
	case DW_EH_PE_uleb128: v = uleb(b); break;
	case DW_EH_PE_udata2: v = fixed(b, 2); break;
	case DW_EH_PE_udata4: v = fixed(b, 4); break;
	case DW_EH_PE_sleb128: v = (uint64_t)sleb(b); break;
	case DW_EH_PE_sdata2: v = (uint64_t)(int64_t)(int16_t)fixed(b, 2); break;
	case DW_EH_PE_sdata4: v = only_size ? fixed(b, 4) : (uint64_t)(int64_t)(int32_t)fixed(b, 4); break;
	default: b->bad = true; break;
	}
	if (only_size)
		return v;
	if ((enc & PE_BASE) == DW_EH_PE_pcrel)
		return v + here;
	if (enc & ~PE_FORM)
		b->bad = true;
	return v;
}

/* ---- a row ---- */

static bool small(int64_t v) { return v >= INT32_MIN && v <= INT32_MAX; }

/*
 * Fields that do not matter for a kind are 0: rules are compared byte by byte, and numbered once for all
 * files.
 */
static struct dt_unwind_rule rule_of(const struct state *s, bool signal)
{
	struct dt_unwind_rule none = { .cfa = DT_CFA_NONE },
			      r = { .cfa = s->cfa, .ra = s->ra, .fp = s->fp, .signal = signal };

	if (s->end)
		none.cfa = DT_CFA_END;
	if (s->end || s->cfa == DT_CFA_NONE || s->ra == DT_REG_LOST || !small(s->cfa_off) ||
	    !small(s->ra_off) || !small(s->fp_off))
		return none;
	r.cfa_off = (int)s->cfa_off;
	r.ra_off = s->ra != DT_REG_SAME ? (int)s->ra_off : 0;
	r.fp_off = s->fp != DT_REG_SAME && s->fp != DT_REG_LOST ? (int)s->fp_off : 0;
	if (s->cfa == DT_CFA_PLT) {
		r.ra_off = s->plt;
		r.ra = DT_REG_CFA;
	}
	return r;
}

/* What holds from the last address up to here, emitted when the address moves on. */
static void row(struct machine *m)
{
	struct dt_unwind_rule rule = rule_of(&m->s, m->cie->signal);

	if (m->r->err == 0)
		m->r->err = dt_cfi_add(m->r->out, m->pc, &rule);
}

/* ---- expressions ---- */

/* register + offset, by DW_OP_breg and maybe plus_uconst; false: something else */
static bool breg(struct bytes *b, unsigned *reg, int64_t *off)
{
	uint8_t op = u8(b);

	if (op < DW_OP_breg0 || op > DW_OP_breg0 + 31)
		return false;
	*reg = op - DW_OP_breg0;
	*off = sleb(b);
	if (!b->bad && b->p < b->end && *b->p == DW_OP_plus_uconst) {
		b->p++;
		*off = (int64_t)((uint64_t)*off + uleb(b));
	}
	return !b->bad;
}

/* sp + 8 + ((((pc & 15) >= n)) << 3) */
static bool is_plt(const struct reader *r, struct bytes b, uint8_t *n)
{
	uint8_t lit;

	if (u8(&b) != DW_OP_breg0 + r->machine->dwarf.ra || sleb(&b) != 0 || u8(&b) != DW_OP_lit0 + 15 ||
	    u8(&b) != DW_OP_and)
		return false;
	lit = u8(&b);
	*n = (uint8_t)(lit - DW_OP_lit0);
	return *n <= 15 && u8(&b) == DW_OP_ge && u8(&b) == DW_OP_lit0 + 3 && u8(&b) == DW_OP_shl &&
	    u8(&b) == DW_OP_plus && b.p == b.end && !b.bad;
}

static void cfa_expression(struct machine *m, struct bytes b)
{
	const struct reader *r = m->r;
	unsigned reg;
	int64_t off;
	uint8_t n;

	m->s.cfa = DT_CFA_NONE;
	if (!breg(&b, &reg, &off) || (reg != r->machine->dwarf.sp && reg != r->machine->dwarf.fp))
		return;
	m->s.cfa_off = off;
	if (b.p == b.end) {
		m->s.cfa = reg == r->machine->dwarf.sp ? DT_CFA_SP : DT_CFA_FP;
	} else if (*b.p == DW_OP_deref && b.end - b.p == 1) {
		m->s.cfa = reg == r->machine->dwarf.sp ? DT_CFA_AT_SP : DT_CFA_AT_FP;
	} else if (reg == r->machine->dwarf.sp && r->machine->plt_frames && is_plt(r, b, &n)) {
		m->s.cfa = DT_CFA_PLT;
		m->s.plt = n;
	}
}

/* ---- instructions ---- */

static void set_reg(struct machine *m, uint64_t reg, enum dt_unwind_reg how, int64_t off)
{
	struct state *s = &m->s;

	if (reg == m->r->machine->dwarf.ra) {
		s->ra = (uint8_t)how;
		s->ra_off = off;
		s->end = false;
	} else if (reg == m->r->machine->dwarf.fp) {
		s->fp = (uint8_t)how;
		s->fp_off = off;
	}
}

static void restore(struct machine *m, uint64_t reg)
{
	const struct state *i = &m->cie->init;

	if (reg == m->r->machine->dwarf.ra)
		set_reg(m, reg, i->ra, i->ra_off);
	else
		set_reg(m, reg, i->fp, i->fp_off);
	if (reg == m->r->machine->dwarf.ra)
		m->s.end = i->end;
}

static void reg_expression(struct machine *m, uint64_t reg, struct bytes b)
{
	unsigned base;
	int64_t off;

	if (breg(&b, &base, &off) && b.p == b.end &&
	    (base == m->r->machine->dwarf.sp || base == m->r->machine->dwarf.fp))
		set_reg(m, reg, base == m->r->machine->dwarf.sp ? DT_REG_SP : DT_REG_FP, off);
	else
		set_reg(m, reg, DT_REG_LOST, 0);
}

static void cfa_register(struct machine *m, uint64_t reg)
{
	m->s.cfa = reg == m->r->machine->dwarf.sp ? DT_CFA_SP :
	    reg == m->r->machine->dwarf.fp        ? DT_CFA_FP :
						    DT_CFA_NONE;
}

static void undefined(struct machine *m, uint64_t reg)
{
	set_reg(m, reg, DT_REG_LOST, 0);
	if (reg == m->r->machine->dwarf.ra)
		m->s.end = true;
}

static void push_state(struct machine *m, bool push)
{
	if (push && m->depth < DEPTH)
		m->stack[m->depth++] = m->s;
	else if (!push && m->depth > 0)
		m->s = m->stack[--m->depth];
	else
		m->stop = true;
}

/*
 * The sum may wrap, or pass the end of the function: read_fde() cuts such rows off, and those that go back
 * are left out when all is merged (cfi_rows.c).
 */
static void advance(struct machine *m, uint64_t by)
{
	if (by == 0)
		return;
	row(m);
	m->pc += by * m->cie->code_align;
}

static int64_t scaled(const struct machine *m, int64_t v)
{
	return (int64_t)((uint64_t)v * (uint64_t)m->cie->data_align);
}

enum { OPERAND = 0x3f, CFA_NEGATE_RA_STATE_WITH_PC = 0x2c };	/* the latter is newer than <dwarf.h> */

/* Those whose first operand is a register. */
static void with_register(struct machine *m, struct bytes *b, uint8_t op)
{
	uint64_t reg = uleb(b);

	switch (op) {
	case DW_CFA_offset_extended:
		set_reg(m, reg, DT_REG_CFA, scaled(m, (int64_t)uleb(b)));
		break;
	case DW_CFA_restore_extended: restore(m, reg); break;
	case DW_CFA_undefined: undefined(m, reg); break;
	case DW_CFA_same_value: set_reg(m, reg, DT_REG_SAME, 0); break;
	case DW_CFA_register:
		uleb(b);
		set_reg(m, reg, DT_REG_LOST, 0);
		break;
	case DW_CFA_def_cfa:
		cfa_register(m, reg);
		m->s.cfa_off = (int64_t)uleb(b);
		break;
	case DW_CFA_def_cfa_register: cfa_register(m, reg); break;
	case DW_CFA_expression: reg_expression(m, reg, take(b, uleb(b))); break;
	case DW_CFA_offset_extended_sf: set_reg(m, reg, DT_REG_CFA, scaled(m, sleb(b))); break;
	case DW_CFA_def_cfa_sf:
		cfa_register(m, reg);
		m->s.cfa_off = scaled(m, sleb(b));
		break;
	case DW_CFA_val_offset:
		uleb(b);
		set_reg(m, reg, DT_REG_LOST, 0);
		break;
	case DW_CFA_val_offset_sf:
		sleb(b);
		set_reg(m, reg, DT_REG_LOST, 0);
		break;
	case DW_CFA_val_expression:
		take(b, uleb(b));
		set_reg(m, reg, DT_REG_LOST, 0);
		break;
	case DW_CFA_GNU_negative_offset_extended:
		set_reg(m, reg, DT_REG_CFA, -scaled(m, (int64_t)(uleb(b) & INT64_MAX)));
		break;
	default: m->stop = true; break;
	}
}

static void set_location(struct machine *m, struct bytes *b)
{
	uint64_t pc = pointer(m->r, b, m->cie->enc, false);

	if (pc <= m->pc || b->bad) {
		m->stop = true;
		return;
	}
	row(m);
	m->pc = pc;
}

static void instruction(struct machine *m, struct bytes *b)
{
	uint8_t op = u8(b);

	switch (op & ~OPERAND) {	/* those that have theirs in the low bits */
	case DW_CFA_advance_loc: advance(m, op & OPERAND); return;
	case DW_CFA_offset:
		set_reg(m, op & OPERAND, DT_REG_CFA, scaled(m, (int64_t)uleb(b)));
		return;
	case DW_CFA_restore: restore(m, op & OPERAND); return;
	}
	switch (op) {
	case DW_CFA_nop: break;
	case DW_CFA_set_loc: set_location(m, b); break;
	case DW_CFA_advance_loc1: advance(m, u8(b)); break;
	case DW_CFA_advance_loc2: advance(m, fixed(b, 2)); break;
	case DW_CFA_advance_loc4: advance(m, fixed(b, 4)); break;
	case DW_CFA_remember_state: push_state(m, true); break;
	case DW_CFA_restore_state: push_state(m, false); break;
	case DW_CFA_def_cfa_offset: m->s.cfa_off = (int64_t)uleb(b); break;
	case DW_CFA_def_cfa_expression: cfa_expression(m, take(b, uleb(b))); break;
	case DW_CFA_def_cfa_offset_sf: m->s.cfa_off = scaled(m, sleb(b)); break;
	/* the return address is signed, or not any more: the walk strips it always */
	case CFA_NEGATE_RA_STATE_WITH_PC: case DW_CFA_AARCH64_negate_ra_state: break;
	case DW_CFA_GNU_args_size: uleb(b); break;
	default: with_register(m, b, op); break;
	}
}

/*
 * The work is charged before it is done: entries of a few bytes that share a long CIE cannot make more of
 * it than WORK_FACTOR times the section.
 */
static void run(struct machine *m, struct bytes b)
{
	uint64_t n = (uint64_t)(b.end - b.p);

	if (n > m->r->work)
		m->stop = true;
	m->r->work -= m->stop ? 0 : n;
	while (b.p < b.end && !b.bad && !m->stop && m->r->err == 0)
		instruction(m, &b);
	if (b.bad)
		m->stop = true;
}

/* ---- entries ---- */

/* Letters of the augmentation say what stands in its data; one that is not known makes all of it unknown. */
static bool augmentation(struct reader *r, struct cie *c, const char *letters, struct bytes *b)
{
	struct bytes data;
	uint8_t enc;

	c->enc = 0;
	if (*letters == '\0')
		return true;
	if (*letters++ != 'z')
		return false;
	c->sized = true;
	data = take(b, uleb(b));
	for (; *letters && !data.bad; letters++) {
		switch (*letters) {
		case 'R': c->enc = u8(&data); break;
		case 'L': u8(&data); break;
		case 'P': enc = u8(&data); pointer(r, &data, enc & PE_FORM, true); break;
		case 'S': c->signal = true; break;
		case 'B': case 'G': break;	/* keys and tags of aarch64 */
		default: return false;
		}
	}
	return !data.bad;
}

/*
 * r->cie is set first, without `good`: a CIE that is not understood is not read again for each function
 * that refers to it, and these are left out.
 */
static void read_cie(struct reader *r, const uint8_t *at, struct bytes b)
{
	struct cie c = { .at = at };
	struct machine m = { .r = r, .cie = &c };
	const char *letters;
	uint8_t version = u8(&b);
	uint64_t ra;

	r->cie = c;
	letters = (const char *)b.p;
	while (u8(&b) != '\0' && !b.bad)
		;
	/* bytes of an address, of a segment's number */
	if (version == 4 && r->debug && (u8(&b) != 8 || u8(&b) != 0))
		return;
	c.code_align = uleb(&b);
	c.data_align = sleb(&b);
	ra = version == 1 ? u8(&b) : uleb(&b);
	if (b.bad || b.end - b.p > CIE_MAX || (version != 1 && version != 3 && !(version == 4 && r->debug)) ||
	    ra != r->machine->dwarf.ra || c.code_align == 0 || !augmentation(r, &c, letters, &b) || b.bad)
		return;
	m.s = (struct state){ .cfa = DT_CFA_NONE, .ra = DT_REG_SAME, .fp = DT_REG_SAME };
	m.cie = &c;
	run(&m, b);
	c.init = m.s;
	c.good = !m.stop && m.pc == 0;
	r->cie = c;
}

/*
 * Only rows that the entry itself has added are cut. When memory runs out its group stays empty, and
 * dt_cfi_finish() passes over it.
 */
static void read_fde(struct reader *r, struct bytes b)
{
	struct machine m = { .r = r, .cie = &r->cie, .s = r->cie.init };
	size_t before = r->out->nraw;
	uint64_t start = pointer(r, &b, r->cie.enc, false), len = pointer(r, &b, r->cie.enc, true);
	static const struct dt_unwind_rule none = { .cfa = DT_CFA_NONE };

	if (r->cie.sized)
		take(&b, uleb(&b));
	if (b.bad || len == 0 || start == 0 || start + len < start || !r->cie.good) {
		r->out->bad++;
		return;
	}
	m.pc = start;
	r->err = dt_cfi_begin(r->out, start);
	run(&m, b);
	if (!m.stop)
		row(&m);
	for (size_t i = before; i < r->out->nraw; i++)
		if (r->out->raw[i].off >= len) {	/* beyond its own function */
			r->out->nraw = i;
			m.stop = false;
			break;
		}
	/* not understood from here on; and it is not known what follows the function */
	if (m.stop && m.pc - start < len && r->err == 0)
		r->err = dt_cfi_add(r->out, m.pc, &none);
	if (r->err == 0)
		dt_cfi_end(r->out, start + len);
	r->out->bad += m.stop;
	r->out->functions++;
}

/*
 * The entry begins with the word `id`, which leads to its CIE: back from here, or from the start of the
 * section.
 */
static void read_entry(struct reader *r, struct bytes b)
{
	uint64_t here = (uint64_t)(b.p - r->data), id = fixed(&b, 4), none = r->debug ? UINT32_MAX : 0,
		 place = r->debug ? id : here - id;
	const uint8_t *at;
	struct bytes c;

	if (b.bad || id == none)
		return;		/* a CIE: read when it is pointed to */
	if (place > here || place + 8 > r->len) {
		r->out->bad++;
		return;
	}
	at = r->data + place;
	if (r->cie.at != at) {
		uint64_t len;

		c = (struct bytes){ at, r->data + r->len, false };
		len = fixed(&c, 4);
		c = take(&c, len);
		r->cie = (struct cie){ .at = at };
		if (!c.bad && fixed(&c, 4) == none && !c.bad)
			read_cie(r, at, c);
	}
	read_fde(r, b);
}

static int read_all(struct dt_cfi *out, uint16_t machine, const void *data, size_t len, uint64_t addr,
    bool debug)
{
	struct reader r = { .out = out,
		.data = data,
		.len = len,
		.addr = addr,
		.debug = debug,
		.machine = dt_machine_elf(machine),
		.work = WORK_FACTOR * (uint64_t)len };
	struct bytes b = { data, r.data + len, false };

	if (r.machine == NULL)
		return 0;
	while (b.p < b.end && !b.bad && r.err == 0) {
		uint64_t n = fixed(&b, 4);

		if (n == 0)
			continue;	/* the end of one input file's, maybe not of all */
		if (n == 0xffffffff)
			break;		/* longer than 4 GiB */
		b.bad |= n > (uint64_t)(b.end - b.p);
		if (!b.bad)
			read_entry(&r, take(&b, n));
	}
	return r.err;
}

int dt_cfi_read(struct dt_cfi *out, uint16_t machine, const void *data, size_t len, uint64_t addr)
{
	return read_all(out, machine, data, len, addr, false);
}

int dt_cfi_read_debug(struct dt_cfi *out, uint16_t machine, const void *data, size_t len)
{
	return read_all(out, machine, data, len, 0, true);
}
