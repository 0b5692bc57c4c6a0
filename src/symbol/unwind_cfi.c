/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Call frame information (DWARF 6.4, as .eh_frame and .debug_frame have it) to rows. Of all registers
 * three matter: the stack pointer, the frame pointer and the return address; code whose frame hangs on
 * another one has rows of kind NONE there. Expressions are known by their shape: a word at a register
 * plus offset, the one linkers write for procedure linkage tables, and those of signal frames.
 */
#include "symbol/unwind_cfi.h"
#include "machine/machine.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* BEHIND: a rule's `signal`, the end of a function */
enum { DEPTH = 16, ROWS_MAX = 1 << 24, PADDING = 16, WORK_FACTOR = 64, BEHIND = 0xff };

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

/* A pointer as DW_EH_PE_* says. What is relative to anything but itself does not stand in what we read. */
static uint64_t pointer(const struct reader *r, struct bytes *b, uint8_t enc, bool only_size)
{
	uint64_t here = r->addr + (uint64_t)(b->p - r->data), v = 0;

	switch (enc & 0xf) {
	case 0x0: case 0x4: case 0xc: v = fixed(b, 8); break;
	case 0x1: v = uleb(b); break;
	case 0x2: v = fixed(b, 2); break;
	case 0x3: v = fixed(b, 4); break;
	case 0x9: v = (uint64_t)sleb(b); break;
	case 0xa: v = (uint64_t)(int64_t)(int16_t)fixed(b, 2); break;
	case 0xb: v = only_size ? fixed(b, 4) : (uint64_t)(int64_t)(int32_t)fixed(b, 4); break;
	default: b->bad = true; break;
	}
	if (only_size)
		return v;
	if ((enc & 0x70) == 0x10)
		return v + here;
	if (enc & 0xf0)
		b->bad = true;
	return v;
}

/* ---- rows ---- */

int dt_cfi_begin(struct dt_cfi *c, uint64_t pc)
{
	if (c->ngroups == c->capgroups) {
		size_t cap = c->capgroups ? c->capgroups * 2 : 256;
		struct dt_cfi_group *more = realloc(c->group, cap * sizeof(*more));

		if (more == NULL)
			return -ENOMEM;
		c->group = more;
		c->capgroups = cap;
	}
	c->group[c->ngroups++] = (struct dt_cfi_group){ .pc = pc, .first = (uint32_t)c->n };
	return 0;
}

int dt_cfi_end(struct dt_cfi *c, uint64_t pc)
{
	static const struct dt_unwind_rule behind = { .cfa = DT_CFA_NONE, .signal = BEHIND };
	int err = dt_cfi_add(c, pc, &behind);

	c->group[c->ngroups - 1].n = (uint32_t)c->n - c->group[c->ngroups - 1].first;
	return err;
}

int dt_cfi_add(struct dt_cfi *c, uint64_t pc, const struct dt_unwind_rule *rule)
{
	if (c->n == c->cap) {
		size_t cap = c->cap ? c->cap * 2 : 1024;
		struct dt_cfi_row *more = c->n < ROWS_MAX ? realloc(c->row, cap * sizeof(*more)) : NULL;

		if (more == NULL)
			return -ENOMEM;
		c->row = more;
		c->cap = cap;
	}
	c->row[c->n++] = (struct dt_cfi_row){ pc, *rule };
	return 0;
}

static bool small(int64_t v) { return v >= INT32_MIN && v <= INT32_MAX; }

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

static void row(struct machine *m)
{
	struct dt_unwind_rule rule = rule_of(&m->s, m->cie->signal);

	if (m->r->err == 0)
		m->r->err = dt_cfi_add(m->r->out, m->pc, &rule);
}

/* ---- expressions ---- */

enum {
	OP_DEREF = 0x06,
	OP_AND = 0x1a,
	OP_PLUS = 0x22,
	OP_PLUS_UCONST = 0x23,
	OP_SHL = 0x24,
	OP_GE = 0x2a,
	OP_LIT0 = 0x30,
	OP_BREG0 = 0x70
};

/* register + offset, by DW_OP_breg and maybe plus_uconst; false: something else */
static bool breg(struct bytes *b, unsigned *reg, int64_t *off)
{
	uint8_t op = u8(b);

	if (op < OP_BREG0 || op > OP_BREG0 + 31)
		return false;
	*reg = op - OP_BREG0;
	*off = sleb(b);
	if (!b->bad && b->p < b->end && *b->p == OP_PLUS_UCONST) {
		b->p++;
		*off = (int64_t)((uint64_t)*off + uleb(b));
	}
	return !b->bad;
}

/* sp + 8 + ((((pc & 15) >= n)) << 3) */
static bool is_plt(const struct reader *r, struct bytes b, uint8_t *n)
{
	uint8_t lit;

	if (u8(&b) != OP_BREG0 + r->machine->dwarf.ra || sleb(&b) != 0 || u8(&b) != OP_LIT0 + 15 || u8(&b) != OP_AND)
		return false;
	lit = u8(&b);
	*n = (uint8_t)(lit - OP_LIT0);
	return *n <= 15 && u8(&b) == OP_GE && u8(&b) == OP_LIT0 + 3 && u8(&b) == OP_SHL &&
	    u8(&b) == OP_PLUS && b.p == b.end && !b.bad;
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
	} else if (*b.p == OP_DEREF && b.end - b.p == 1) {
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

	if (breg(&b, &base, &off) && b.p == b.end && (base == m->r->machine->dwarf.sp || base == m->r->machine->dwarf.fp))
		set_reg(m, reg, base == m->r->machine->dwarf.sp ? DT_REG_SP : DT_REG_FP, off);
	else
		set_reg(m, reg, DT_REG_LOST, 0);
}

static void cfa_register(struct machine *m, uint64_t reg)
{
	m->s.cfa = reg == m->r->machine->dwarf.sp ? DT_CFA_SP : reg == m->r->machine->dwarf.fp ? DT_CFA_FP : DT_CFA_NONE;
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

/* Those whose first operand is a register. */
static void with_register(struct machine *m, struct bytes *b, uint8_t op)
{
	uint64_t reg = uleb(b);

	switch (op) {
	case 0x05: set_reg(m, reg, DT_REG_CFA, scaled(m, (int64_t)uleb(b))); break;	/* offset_extended */
	case 0x06: restore(m, reg); break;
	case 0x07: undefined(m, reg); break;
	case 0x08: set_reg(m, reg, DT_REG_SAME, 0); break;
	/* register: in another one */
	case 0x09: uleb(b); set_reg(m, reg, DT_REG_LOST, 0); break;
	case 0x0c: cfa_register(m, reg); m->s.cfa_off = (int64_t)uleb(b); break;	/* def_cfa */
	case 0x0d: cfa_register(m, reg); break;
	case 0x10: reg_expression(m, reg, take(b, uleb(b))); break;
	/* offset_extended_sf */
	case 0x11: set_reg(m, reg, DT_REG_CFA, scaled(m, sleb(b))); break;
	case 0x12: cfa_register(m, reg); m->s.cfa_off = scaled(m, sleb(b)); break;	/* def_cfa_sf */
	case 0x14: uleb(b); set_reg(m, reg, DT_REG_LOST, 0); break;			/* val_offset */
	case 0x15: sleb(b); set_reg(m, reg, DT_REG_LOST, 0); break;
	case 0x16: take(b, uleb(b)); set_reg(m, reg, DT_REG_LOST, 0); break;		/* val_expression */
	case 0x2f: set_reg(m, reg, DT_REG_CFA, -scaled(m, (int64_t)(uleb(b) & INT64_MAX))); break;
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

	switch (op >> 6) {
	case 1: advance(m, op & 0x3f); return;
	case 2: set_reg(m, op & 0x3f, DT_REG_CFA, scaled(m, (int64_t)uleb(b))); return;
	case 3: restore(m, op & 0x3f); return;
	}
	switch (op) {
	case 0x00: break;						/* nop */
	case 0x01: set_location(m, b); break;
	case 0x02: advance(m, u8(b)); break;
	case 0x03: advance(m, fixed(b, 2)); break;
	case 0x04: advance(m, fixed(b, 4)); break;
	case 0x0a: push_state(m, true); break;
	case 0x0b: push_state(m, false); break;
	case 0x0e: m->s.cfa_off = (int64_t)uleb(b); break;		/* def_cfa_offset */
	case 0x0f: cfa_expression(m, take(b, uleb(b))); break;
	case 0x13: m->s.cfa_off = scaled(m, sleb(b)); break;
	/* the return address is signed, or not any more: the walk strips it always */
	case 0x2c: case 0x2d: break;
	case 0x2e: uleb(b); break;	/* GNU_args_size */
	default: with_register(m, b, op); break;
	}
}

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
		case 'P': enc = u8(&data); pointer(r, &data, enc & 0xf, true); break;
		case 'S': c->signal = true; break;
		case 'B': case 'G': break;	/* keys and tags of aarch64 */
		default: return false;
		}
	}
	return !data.bad;
}

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
	if (b.bad || (version != 1 && version != 3 && !(version == 4 && r->debug)) || ra != r->machine->dwarf.ra ||
	    c.code_align == 0 || !augmentation(r, &c, letters, &b) || b.bad)
		return;
	m.s = (struct state){ .cfa = DT_CFA_NONE, .ra = DT_REG_SAME, .fp = DT_REG_SAME };
	m.cie = &c;
	run(&m, b);
	c.init = m.s;
	c.good = !m.stop && m.pc == 0;
	r->cie = c;
}

static void read_fde(struct reader *r, struct bytes b)
{
	struct machine m = { .r = r, .cie = &r->cie, .s = r->cie.init };
	size_t before = r->out->n;
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
	for (size_t i = before; i < r->out->n; i++)
		if (r->out->row[i].pc - start >= len) {		/* beyond its own function */
			r->out->n = i;
			m.stop = false;
			break;
		}
	/* not understood from here on; and not told what comes behind the function */
	if (m.stop && m.pc - start < len && r->err == 0)
		r->err = dt_cfi_add(r->out, m.pc, &none);
	if (r->err == 0)
		r->err = dt_cfi_end(r->out, start + len);
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

/* ---- sorted ---- */

static int by_pc(const void *a, const void *b)
{
	const struct dt_cfi_group *x = a, *y = b;

	if (x->pc != y->pc)
		return x->pc < y->pc ? -1 : 1;
	return x->first < y->first ? -1 : x->first > y->first;
}

/* gap: from `behind` on nothing is known */
struct merged { struct dt_cfi_row *row; size_t n; uint64_t behind; bool gap; };

/*
 * The end of a function is told only when the next one is not at once behind it: nobody runs what is
 * between them.
 */
static void merge(struct merged *m, const struct dt_cfi_row *r)
{
	static const struct dt_unwind_rule none = { .cfa = DT_CFA_NONE };

	if (r->rule.signal == BEHIND) {
		m->gap = true;
		m->behind = r->pc;
		return;
	}
	if (m->gap && r->pc > m->behind && r->pc - m->behind >= PADDING && m->n > 0 &&
	    m->behind > m->row[m->n - 1].pc)
		m->row[m->n++] = (struct dt_cfi_row){ m->behind, none };
	m->gap = false;
	if (m->n > 0 && r->pc < m->row[m->n - 1].pc)
		return;			/* functions that lie over each other */
	if (m->n > 0 && r->pc == m->row[m->n - 1].pc)
		m->n--;
	if (m->n > 0 && memcmp(&m->row[m->n - 1].rule, &r->rule, sizeof(r->rule)) == 0)
		return;
	m->row[m->n++] = *r;
}

void dt_cfi_finish(struct dt_cfi *c)
{
	/* an end becomes a row at most once, so that there are never more rows than there were */
	struct merged m = { .row = malloc((c->n + 1) * sizeof(*m.row)) };

	if (m.row == NULL)
		c->ngroups = 0;
	if (c->ngroups > 1)
		qsort(c->group, c->ngroups, sizeof(*c->group), by_pc);
	for (size_t i = 0; i < c->ngroups; i++)
		for (uint32_t k = 0; k < c->group[i].n; k++)
			merge(&m, &c->row[c->group[i].first + k]);
	if (m.gap && m.n > 0 && m.behind > m.row[m.n - 1].pc)
		m.row[m.n++] = (struct dt_cfi_row){ m.behind, { .cfa = DT_CFA_NONE } };
	free(c->row);
	free(c->group);
	c->row = m.row;
	c->n = m.n;
	c->group = NULL;
	c->cap = c->ngroups = c->capgroups = 0;
}

const struct dt_cfi_row *dt_cfi_at(const struct dt_cfi *c, uint64_t pc)
{
	size_t lo = 0, hi = c->n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (c->row[mid].pc <= pc)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo > 0 ? &c->row[lo - 1] : NULL;
}

void dt_cfi_free(struct dt_cfi *c)
{
	free(c->row);
	free(c->group);
	*c = (struct dt_cfi){ 0 };
}
