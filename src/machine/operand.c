/* SPDX-License-Identifier: BSD-2-Clause */
/* The parts that operands of all assemblers are made of: blanks, words, numbers, sums with a symbol. */
#include "machine/operand.h"

#include <ctype.h>
#include <string.h>

/* Blanks are allowed between the parts of an operand. */
bool dt_operand_skip(struct dt_operand *t, char c)
{
	while (t->p < t->end && *t->p == ' ')
		t->p++;
	if (t->p == t->end || *t->p != c)
		return false;
	t->p++;
	return true;
}

bool dt_operand_end(struct dt_operand *t)
{
	while (t->p < t->end && *t->p == ' ')
		t->p++;
	return t->p == t->end;
}

/* The length of a word: letters, digits and what else symbols may contain. */
size_t dt_operand_word(const struct dt_operand *t)
{
	size_t n = 0;

	while (t->p + n < t->end && (isalnum((unsigned char)t->p[n]) || strchr("_.$@", t->p[n]) != NULL) &&
	    t->p[n] != '\0')
		n++;
	return n;
}

/* Reads digits, decimal or 0x; wraps as the assembler does. */
bool dt_operand_number(struct dt_operand *t, uint64_t *v)
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
bool dt_operand_sum(struct dt_operand *t, struct dt_sdt_arg *a)
{
	uint64_t total = 0, v;
	bool first = true;

	for (;; first = false) {
		bool plus = dt_operand_skip(t, '+'), minus = dt_operand_skip(t, '-');		/* 24+-4 */

		if (!minus && !plus && !first)
			break;
		if (t->p < t->end && isdigit((unsigned char)*t->p)) {
			if (!dt_operand_number(t, &v))
				return false;
			total += minus ? -v : v;
		} else if (dt_operand_word(t) > 0 && a->sym == NULL && !minus) {
			a->sym = t->p;
			a->symlen = (uint32_t)dt_operand_word(t);
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

bool dt_operand_is(const struct dt_operand *t, size_t n, const char *text)
{
	return strlen(text) == n && strncmp(t->p, text, n) == 0;
}
