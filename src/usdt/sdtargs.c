/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The text of a site's values ("-4@%edi 8@16(%rsp)") comes in, operands go out. All forms that gcc and
 * clang print are read; an operand of any other form becomes DT_SDT_NONE and does not affect the
 * others. The machine reads the operand itself, after its size.
 */
#include "usdt/sdtnote.h"
#include "machine/machine.h"

#include <errno.h>

/* [-]size[f]@: without it, a value is a word. */
static bool read_size(struct dt_operand *t, struct dt_sdt_arg *a)
{
	struct dt_operand from = *t;
	uint64_t size;

	a->size = 8;
	a->is_signed = dt_operand_skip(t, '-');
	if (dt_operand_number(t, &size)) {
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
static struct dt_sdt_arg read_operand(struct dt_operand t, const struct dt_machine *m)
{
	static const struct dt_sdt_arg none = { .reg = DT_SDT_NOREG, .index = DT_SDT_NOREG };
	struct dt_sdt_arg a = none, sized;
	bool ok;

	a.text = t.p;
	a.textlen = (uint32_t)(t.end - t.p);
	ok = read_size(&t, &a);
	sized = a;
	ok = ok && m != NULL && m->operand != NULL && m->operand(&t, &a);
	if (ok && dt_operand_end(&t)) {
		if (a.kind == DT_SDT_CONST && a.sym == NULL)
			a.off = cut_to_size(&a);
		return a;
	}
	sized.kind = DT_SDT_NONE;
	return sized;
}

/* The end is the space after it; there may be spaces inside brackets. */
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
	const struct dt_machine *m = dt_machine_elf(machine);
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
		out[n++] = read_operand((struct dt_operand){ text, end }, m);
		text = end;
	}
}

int dt_sdt_reg_offset(uint16_t machine, int reg)
{
	const struct dt_machine *m = dt_machine_elf(machine);

	return m != NULL && reg >= 0 && reg < m->regs.nnumbers && m->regs.number[reg] >= 0 ?
	    m->regs.number[reg] : -ENOENT;
}
