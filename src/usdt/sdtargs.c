/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The text of a site's values ("-4@%edi 8@16(%rsp)") comes in, operands go out. All forms that gcc and
 * clang print are read; an operand of any other form becomes DT_SDT_NONE and does not affect the
 * others.
 */
#include "usdt/sdtnote.h"
#include "base/count.h"
#include "machine/machine.h"

#include <ctype.h>
#include <elf.h>
#include <errno.h>
#include <string.h>

struct text { const char *p, *end; };

/* Blanks are allowed between the parts of an operand. */
static bool skip_char(struct text *t, char c)
{
	while (t->p < t->end && *t->p == ' ')
		t->p++;
	if (t->p == t->end || *t->p != c)
		return false;
	t->p++;
	return true;
}

static bool at_end(struct text *t)
{
	while (t->p < t->end && *t->p == ' ')
		t->p++;
	return t->p == t->end;
}

/* The length of a word: letters, digits and what else symbols may contain. */
static size_t read_word(const struct text *t)
{
	size_t n = 0;

	while (t->p + n < t->end && (isalnum((unsigned char)t->p[n]) || strchr("_.$@", t->p[n]) != NULL) &&
	    t->p[n] != '\0')
		n++;
	return n;
}

/* Reads digits, decimal or 0x; wraps as the assembler does. */
static bool read_number(struct text *t, uint64_t *v)
{
	unsigned base = 10;
	const char *from;

	if (t->end - t->p > 2 && t->p[0] == '0' && (t->p[1] == 'x' || t->p[1] == 'X')) {
		base = 16;
		t->p += 2;
	}
	from = t->p;
	for (*v = 0; t->p < t->end && isxdigit((unsigned char)*t->p); t->p++) {
		unsigned d = isdigit((unsigned char)*t->p) ?
		    (unsigned)(*t->p - '0') :
		    (unsigned)(tolower((unsigned char)*t->p) - 'a') + 10;

		if (d >= base)
			break;
		*v = *v * base + d;
	}
	return t->p > from;
}

/*
 * [+-]number or symbol, any number of them, with at most one symbol: "-4", "counter+8". True even if
 * nothing is there.
 */
static bool sum(struct text *t, struct dt_sdt_arg *a)
{
	uint64_t total = 0, v;
	bool first = true;

	for (;; first = false) {
		bool plus = skip_char(t, '+'), minus = skip_char(t, '-');		/* 24+-4 */

		if (!minus && !plus && !first)
			break;
		if (t->p < t->end && isdigit((unsigned char)*t->p)) {
			if (!read_number(t, &v))
				return false;
			total += minus ? -v : v;
		} else if (read_word(t) > 0 && a->sym == NULL && !minus) {
			a->sym = t->p;
			a->symlen = (uint32_t)read_word(t);
			t->p += a->symlen;
		} else if (!first || minus || plus) {
			return false;
		} else {
			break;
		}
	}
	a->off = (int64_t)total;
	return true;
}

/* ---- x86-64 ---- */

static const struct {
	const char *name[5];
} x86_regs[] = {
	/* 8, 4, 2, 1 bytes, and the second byte */
	{ { "rax", "eax", "ax", "al", "ah" } },
	{ { "rcx", "ecx", "cx", "cl", "ch" } },
	{ { "rdx", "edx", "dx", "dl", "dh" } },
	{ { "rbx", "ebx", "bx", "bl", "bh" } },
	{ { "rsp", "esp", "sp", "spl", "" } },
	{ { "rbp", "ebp", "bp", "bpl", "" } },
	{ { "rsi", "esi", "si", "sil", "" } },
	{ { "rdi", "edi", "di", "dil", "" } },
	{ { "r8", "r8d", "r8w", "r8b", "r8l" } },
	{ { "r9", "r9d", "r9w", "r9b", "r9l" } },
	{ { "r10", "r10d", "r10w", "r10b", "r10l" } },
	{ { "r11", "r11d", "r11w", "r11b", "r11l" } },
	{ { "r12", "r12d", "r12w", "r12b", "r12l" } },
	{ { "r13", "r13d", "r13w", "r13b", "r13l" } },
	{ { "r14", "r14d", "r14w", "r14b", "r14l" } },
	{ { "r15", "r15d", "r15w", "r15b", "r15l" } },
	{ { "rip", "eip", "", "", "" } },
};
enum { X86_NREGS = DT_COUNT(x86_regs) };

/* %reg; *shift is 8 for the second byte. */
static int x86_reg(struct text *t, uint8_t *shift)
{
	size_t n;

	if (!skip_char(t, '%') || (n = read_word(t)) == 0)
		return DT_SDT_NOREG;
	for (int i = 0; i < X86_NREGS; i++)
		for (int k = 0; k < 5; k++)
			if (strlen(x86_regs[i].name[k]) == n && strncmp(x86_regs[i].name[k], t->p, n) == 0) {
				t->p += n;
				*shift = k == 4 && i < 4 ? 8 : 0;
				return i;
			}
	return DT_SDT_NOREG;
}

/* Recognised, so that the message can say what it is: programs cannot read it. */
static bool x86_xmm(struct text *t, struct dt_sdt_arg *a)
{
	uint64_t n;

	if (t->end - t->p < 5 || strncmp(t->p, "%xmm", 4) != 0)
		return false;
	t->p += 4;
	if (!read_number(t, &n) || n > 31)
		return false;
	a->kind = DT_SDT_FREG;
	a->reg = (int8_t)n;
	return true;
}

/* (%base), (%base,%index), (%base,%index,scale), (,%index,scale) */
static bool x86_memory(struct text *t, struct dt_sdt_arg *a)
{
	uint64_t scale = 1;
	uint8_t shift = 0, none;

	if (t->p < t->end && *t->p == '%') {
		if ((a->reg = (int8_t)x86_reg(t, &shift)) == DT_SDT_NOREG || shift != 0)
			return false;
	}
	if (skip_char(t, ',')) {
		while (t->p < t->end && *t->p == ' ')
			t->p++;
		if ((a->index = (int8_t)x86_reg(t, &none)) == DT_SDT_NOREG || none != 0 ||
		    a->index == DT_SDT_RIP)
			return false;
		if (skip_char(t, ',') && (at_end(t) || !read_number(t, &scale)))
			return false;
	}
	if (scale != 1 && scale != 2 && scale != 4 && scale != 8)
		return false;
	a->scale = scale == 8 ? 3 : (uint8_t)(scale / 2);
	return skip_char(t, ')') && (a->reg != DT_SDT_NOREG || a->index != DT_SDT_NOREG);
}

/*
 * Linker marks on a symbol: sym@tpoff is its offset from the thread pointer; other marks name words
 * that lead to it.
 */
static bool x86_symbol(struct dt_sdt_arg *a)
{
	static const char tpoff[] = "@tpoff";
	const char *at = a->sym != NULL ? memchr(a->sym, '@', a->symlen) : NULL;
	size_t len = at != NULL ? a->symlen - (size_t)(at - a->sym) : 0;

	if (at == NULL)
		return a->sym == NULL || !a->thread;
	if (!a->thread || len != sizeof(tpoff) - 1 || strncmp(at, tpoff, len) != 0)
		return false;
	a->symlen = (uint32_t)(at - a->sym);
	return a->symlen > 0;
}

/* $constant, %register, or memory; %fs: in front of memory makes it relative to the thread pointer. */
static bool x86_operand(struct text *t, struct dt_sdt_arg *a)
{
	uint8_t shift;

	if (skip_char(t, '$')) {
		a->kind = DT_SDT_CONST;
		return !at_end(t) && sum(t, a) && x86_symbol(a);
	}
	if (t->end - t->p > 4 && strncmp(t->p, "%fs:", 4) == 0) {
		t->p += 4;
		a->thread = true;
	}
	if (!a->thread && t->p < t->end && *t->p == '%') {
		if (x86_xmm(t, a))
			return true;
		a->kind = DT_SDT_REG;
		a->reg = (int8_t)x86_reg(t, &shift);
		a->shift = shift;
		return a->reg != DT_SDT_NOREG;
	}
	a->kind = DT_SDT_MEM;
	if (at_end(t) || !sum(t, a) || !x86_symbol(a))
		return false;
	return skip_char(t, '(') ? x86_memory(t, a) : true;
}

/* ---- aarch64 ---- */

static bool is_word(const struct text *t, size_t n, const char *text)
{
	return strlen(text) == n && strncmp(t->p, text, n) == 0;
}

/* x0, w0, sp, fp, lr; xzr is constant 0. False: no register. */
static bool arm_reg(struct text *t, int8_t *reg, bool *zero)
{
	size_t n = read_word(t);
	unsigned v = 0;

	*zero = is_word(t, n, "xzr") || is_word(t, n, "wzr");
	if (is_word(t, n, "sp") || is_word(t, n, "wsp")) {
		*reg = DT_SDT_SP;
	} else if (is_word(t, n, "fp") || is_word(t, n, "lr")) {
		*reg = t->p[0] == 'f' ? 29 : 30;
	} else if (!*zero) {
		if (n < 2 || n > 3 || (t->p[0] != 'x' && t->p[0] != 'w'))
			return false;
		for (size_t i = 1; i < n; i++) {
			if (!isdigit((unsigned char)t->p[i]))
				return false;
			v = v * 10 + (unsigned)(t->p[i] - '0');
		}
		if (v > 30)
			return false;
		*reg = (int8_t)v;
	}
	t->p += n;
	return true;
}

/* Recognised, as on x86-64, only to be named in a message. */
static bool arm_vector(struct text *t, struct dt_sdt_arg *a)
{
	uint64_t n;

	if (t->p == t->end || strchr("vqdshb", *t->p) == NULL || *t->p == '\0')
		return false;
	t->p++;
	if (!read_number(t, &n) || n > 31 || !at_end(t))
		return false;
	a->kind = DT_SDT_FREG;
	a->reg = (int8_t)n;
	return true;
}

/* After [base, index: lsl, uxtw or sxtw, with or without an amount */
static bool arm_extend(struct text *t, struct dt_sdt_arg *a)
{
	static const struct { const char *name; uint8_t ext; } exts[] = {
		{ "lsl", DT_SDT_EXT_NONE }, { "sxtx", DT_SDT_EXT_NONE }, { "uxtx", DT_SDT_EXT_NONE },
		{ "uxtw", DT_SDT_EXT_UXTW }, { "sxtw", DT_SDT_EXT_SXTW } };
	uint64_t amount = 0;
	size_t n, i;

	while (t->p < t->end && *t->p == ' ')
		t->p++;
	n = read_word(t);
	for (i = 0; i < DT_COUNT(exts) && !is_word(t, n, exts[i].name); i++)
		;
	if (i == DT_COUNT(exts))
		return false;
	a->ext = exts[i].ext;
	t->p += n;
	(void)skip_char(t, '#');
	if (t->p < t->end && *t->p == ' ')
		at_end(t);
	if (t->p < t->end && isdigit((unsigned char)*t->p) && !read_number(t, &amount))
		return false;
	a->scale = (uint8_t)amount;
	return amount <= 4;
}

/* After [base: an offset, a register, or the low part of a symbol's address */
static bool arm_second(struct text *t, struct dt_sdt_arg *a)
{
	bool zero;

	(void)skip_char(t, '#');
	if (t->end - t->p > 6 && strncmp(t->p, ":lo12:", 6) == 0) {
		t->p += 6;
		a->page = true;
		return sum(t, a) && a->sym != NULL;
	}
	if (arm_reg(t, &a->index, &zero)) {
		if (zero)
			a->index = DT_SDT_NOREG;
		return skip_char(t, ',') ? arm_extend(t, a) : true;
	}
	return !at_end(t) && sum(t, a) && a->sym == NULL;
}

/* [memory], a register, or a constant, with or without #. */
static bool arm_operand(struct text *t, struct dt_sdt_arg *a)
{
	bool zero;

	if (skip_char(t, '[')) {
		a->kind = DT_SDT_MEM;
		at_end(t);
		if (!arm_reg(t, &a->reg, &zero) || zero)
			return false;
		if (skip_char(t, ',') && (at_end(t) || !arm_second(t, a)))
			return false;
		return skip_char(t, ']');
	}
	if (arm_reg(t, &a->reg, &zero)) {
		a->kind = zero ? DT_SDT_CONST : DT_SDT_REG;
		return true;
	}
	if (arm_vector(t, a))
		return true;
	(void)skip_char(t, '#');
	a->kind = DT_SDT_CONST;
	return !at_end(t) && sum(t, a);
}

/* ---- the list ---- */

/* [-]size[f]@: without it, a value is a word. */
static bool read_size(struct text *t, struct dt_sdt_arg *a)
{
	struct text from = *t;
	uint64_t size;

	a->size = 8;
	a->is_signed = skip_char(t, '-');
	if (read_number(t, &size)) {
		a->is_float = t->p < t->end && *t->p == 'f';
		t->p += a->is_float;
		if (t->p < t->end && *t->p == '@') {
			t->p++;
			a->size = size == 1 || size == 2 || size == 4 || size == 8 ? (uint8_t)size : 0;
			return a->size != 0;
		}
	}
	*t = from;
	a->is_signed = a->is_float = false;
	return true;
}

/* Cuts a constant to its size: 1@$-1 is 255. */
static int64_t cut_to_size(const struct dt_sdt_arg *a)
{
	unsigned unused = 64 - 8u * a->size;

	return a->is_signed ? (int64_t)((uint64_t)a->off << unused) >> unused :
			      (int64_t)((uint64_t)a->off << unused >> unused);
}

/* An operand that is not understood keeps its size and text, for the message. */
static struct dt_sdt_arg operand(struct text t, uint16_t machine)
{
	static const struct dt_sdt_arg none = { .reg = DT_SDT_NOREG, .index = DT_SDT_NOREG };
	struct dt_sdt_arg a = none, sized;
	bool ok;

	a.text = t.p;
	a.textlen = (uint32_t)(t.end - t.p);
	ok = read_size(&t, &a);
	sized = a;
	if (ok && machine == EM_X86_64)
		ok = x86_operand(&t, &a);
	else if (ok)
		ok = machine == EM_AARCH64 && arm_operand(&t, &a);
	if (ok && at_end(&t)) {
		if (a.kind == DT_SDT_CONST && a.sym == NULL)
			a.off = cut_to_size(&a);
		return a;
	}
	sized.kind = DT_SDT_NONE;
	return sized;
}

/* The end is the space behind it; there may be spaces inside brackets. */
static const char *operand_end(const char *p)
{
	int depth = 0;

	for (; *p != '\0' && (depth > 0 || *p != ' '); p++) {
		if (*p == '(' || *p == '[')
			depth++;
		else if ((*p == ')' || *p == ']') && depth > 0)
			depth--;
	}
	return p;
}

/* The operands point into the text. -E2BIG: more than a site can have, so the note is no good. */
int dt_sdt_args_parse(const char *text, uint16_t machine, struct dt_sdt_arg out[DT_SDT_MAXARGS])
{
	int n = 0;

	for (;;) {
		const char *end;

		while (*text == ' ')
			text++;
		if (*text == '\0')
			return n;
		if (n == DT_SDT_MAXARGS)
			return -E2BIG;
		end = operand_end(text);
		out[n++] = operand((struct text){ text, end }, machine);
		text = end;
	}
}

/* Where a register is in struct pt_regs. -ENOENT: the machine has no such register. */
int dt_sdt_reg_offset(uint16_t machine, int reg)
{
	const struct dt_machine *m = dt_machine_elf(machine);

	return m != NULL && reg >= 0 && reg < m->regs.nnumbers ? m->regs.number[reg] : -ENOENT;
}
