/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Integers, strings and character constants: characters come in; values, or the tag of what is wrong,
 * go out.
 */
#include "syntax/lexer.h"

/* 99 for a character that is no digit in any base. */
static unsigned digit_value(int c)
{
	if (dt_is_digit(c))
		return (unsigned)(c - '0');
	if (c >= 'a' && c <= 'f')
		return (unsigned)(c - 'a') + 10;
	if (c >= 'A' && c <= 'F')
		return (unsigned)(c - 'A') + 10;
	return 99;
}

/* u, l, ll in either case; returns the offset after them. */
static size_t read_suffix(const char *text, size_t len, size_t i, uint8_t *suffix)
{
	if (i < len && (text[i] | 32) == 'u') {
		*suffix |= DT_INT_U;
		i++;
	}
	if (i < len && (text[i] | 32) == 'l') {
		*suffix |= DT_INT_L;
		i++;
		if (i < len && (text[i] | 32) == 'l') {
			*suffix ^= DT_INT_L | DT_INT_LL;
			i++;
		}
	}
	return i;
}

/*
 * Returns 0 or the tag of what is wrong; *end is set in either case. Hexadecimal needs a digit after
 * 0x, otherwise it is a 0 and a name. *value is meaningless after an overflow.
 */
int dt_lex_integer(const char *text, size_t len, uint64_t *value, uint8_t *suffix, size_t *end)
{
	unsigned base = 10;
	bool overflow = false, bad = false;
	size_t i = 0;

	*value = 0;
	*suffix = 0;
	if (len > 2 && text[0] == '0' && (text[1] | 32) == 'x' && digit_value(text[2]) < 16) {
		base = 16;
		i = 2;
	} else if (len > 1 && text[0] == '0' && dt_is_digit(text[1])) {
		base = 8;
	}
	/* A 9 in an octal constant is read on, so the message can show the whole number. */
	for (; i < len; i++) {
		unsigned d = digit_value(text[i]);

		if (d >= (base == 16 ? 16 : 10))
			break;
		bad |= d >= base;
		overflow |= __builtin_mul_overflow(*value, (uint64_t)base, value);
		overflow |= __builtin_add_overflow(*value, (uint64_t)d, value);
	}
	if (text[0] == '0')
		*suffix = DT_INT_NONDEC;
	*end = read_suffix(text, len, i, suffix);
	return bad ? (int)D_INT_DIGIT : overflow ? (int)D_INT_OFLOW : 0;
}

/* Floating-point constants are recognised only to say that D has none. */
static bool is_float(const char *s, const char *end)
{
	if (end - s > 1 && s[0] == '0' && (s[1] | 32) == 'x')
		return false;
	while (dt_is_digit(*s))
		s++;
	if (*s == '.')
		return true;
	if ((*s | 32) != 'e')
		return false;
	s += s[1] == '+' || s[1] == '-' ? 2 : 1;
	return dt_is_digit(*s);
}

/* Fails at the number itself; what follows it without a blank is the caller's question. */
struct dt_token dt_lex_number(struct dt_lexer *lx)
{
	const char *s = lx->text + lx->pos;
	struct dt_token t = { .kind = DT_T_INT };
	size_t n;
	int tag;

	if (is_float(s, lx->text + lx->len))
		dt_fail(lx->diag, D_SYNTAX, dt_lex_loc(lx, lx->pos, lx->pos + 1),
		    "floating-point constants are not permitted");
	tag = dt_lex_integer(s, lx->len - lx->pos, &t.value, &t.suffix, &n);
	t.loc = dt_lex_loc(lx, lx->pos, lx->pos + (uint32_t)n);
	if (tag == D_INT_DIGIT)
		dt_fail(lx->diag, D_INT_DIGIT, t.loc, "octal constant contains invalid digit: %.*s",
		    n < 64 ? (int)n : 64, s);
	if (tag == D_INT_OFLOW)
		dt_fail(lx->diag, D_INT_OFLOW, t.loc,
		    "integer constant %.*s cannot be represented in any built-in integral type",
		    n < 64 ? (int)n : 64, s);
	lx->pos += (uint32_t)n;
	return t;
}

/* The character that \\c stands for; NUL: no simple escape. */
static char simple_escape(char c, char quote)
{
	static const char from[] = "abfnrtv\\\"", to[] = "\a\b\f\n\r\t\v\\\"";
	const char *at = c ? strchr(from, c) : NULL;

	if (at)
		return to[at - from];
	return c && c == quote ? c : '\0';
}

/* s is after the backslash. Returns the length of the escape, 0 if it is not one. */
static size_t read_escape(const char *s, size_t n, char quote, char *out)
{
	unsigned value = 0;
	size_t i = 0;

	if (n && (*out = simple_escape(s[0], quote)) != '\0')
		return 1;
	if (n > 1 && s[0] == 'x' && digit_value(s[1]) < 16) {
		for (i = 1; i < n && digit_value(s[i]) < 16; i++)
			value = value << 4 | digit_value(s[i]);
	} else {
		for (; i < n && i < 3 && digit_value(s[i]) < 8; i++)
			value = value << 3 | digit_value(s[i]);
	}
	*out = (char)(value & 0xff);
	return i;
}

/* `out` needs at most n bytes: no escape is shorter than its character. An unknown one stays as written. */
size_t dt_lex_unescape(char *out, const char *s, size_t n, char quote)
{
	size_t o = 0;

	for (size_t i = 0; i < n; ) {
		size_t used = s[i] == '\\' ? read_escape(s + i + 1, n - i - 1, quote, &out[o]) : 0;

		if (!used)
			out[o] = s[i];
		o++;
		i += used + 1;
	}
	return o;
}

/* What string literals and character constants do differently. */
struct quoted {
	char quote;
	enum dt_tag tag;
	const char *what;
};

/* lx->pos is at the opening quote: returns the offset of the closing one. */
static uint32_t find_close(struct dt_lexer *lx, const struct quoted *q)
{
	uint32_t i = lx->pos + 1;

	for (; i < lx->len && lx->text[i] != '\n' && lx->text[i] != q->quote; i++) {
		if (lx->text[i] == '\\' && i + 1 < lx->len && lx->text[i + 1] != '\n')
			i++;
	}
	if (i >= lx->len)
		dt_fail(lx->diag, q->tag, dt_lex_loc(lx, lx->pos, lx->len), "end of file encountered in %s",
		    q->what);
	if (lx->text[i] == '\n')
		dt_fail(lx->diag, q->tag, dt_lex_loc(lx, lx->pos, i), "newline encountered in %s", q->what);
	return i;
}

/* A string may hold NULs, so its length is part of the token. */
struct dt_token dt_lex_string(struct dt_lexer *lx)
{
	static const struct quoted string = { '"', D_STR_NL, "string literal" };
	uint32_t start = lx->pos, end = find_close(lx, &string);
	char *text = dt_arena_alloc(lx->arena, end - start);
	struct dt_token t = { .kind = DT_T_STR, .text = text };

	t.len = (uint32_t)dt_lex_unescape(text, lx->text + start + 1, end - start - 1, '"');
	lx->pos = end + 1;
	t.loc = dt_lex_loc(lx, start, lx->pos);
	return t;
}

/* A constant of several characters is D's as it is C's; eight are as many as an integer holds. */
struct dt_token dt_lex_char(struct dt_lexer *lx)
{
	static const struct quoted character = { '\'', D_CHR_NL, "character constant" };
	uint32_t start = lx->pos, end = find_close(lx, &character);
	struct dt_token t = {
		.kind = DT_T_INT, .suffix = DT_INT_CHAR, .loc = dt_lex_loc(lx, start, end + 1)
	};
	char *bytes = dt_arena_alloc(lx->arena, end - start);
	size_t n = dt_lex_unescape(bytes, lx->text + start + 1, end - start - 1, '\'');

	if (n == 0)
		dt_fail(lx->diag, D_CHR_NULL, t.loc, "empty character constant");
	if (n > 8)
		dt_fail(lx->diag, D_CHR_OFLOW, t.loc, "character constant is too long");
	/* 'ab' has the value of its bytes, the first one highest. */
	for (size_t i = 0; i < n; i++)
		t.value = t.value << 8 | (unsigned char)bytes[i];
	lx->pos = end + 1;
	return t;
}
