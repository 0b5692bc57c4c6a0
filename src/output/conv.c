/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The conversions of D's printf(): one row each, with the check of its argument and its printer.
 *
 * The check runs when a program is compiled. The printer gets a conversion whose * are already numbers,
 * and any kind of value: programs may also come from a file, where nothing was checked, so a value that
 * does not fit its letter is printed as what it is.
 */
#include "base/count.h"
#include "base/services.h"
#include "output/format.h"
#include "output/print.h"

#include <errno.h>
#include <arpa/inet.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

/* ---- checks ---- */

/* A row with a size takes integers of that size only: %hd wants a short, %d any integer. */
static bool takes_int(const struct dt_convrow *row, struct dt_types *types, const struct dt_type *t)
{
	return dt_type_is_integer(t) && (row->size == 0 || dt_type_size(types, t) == row->size);
}

static bool takes_char(const struct dt_convrow *row, struct dt_types *types, const struct dt_type *t)
{
	(void)row;
	return dt_type_is_integer(t) && dt_type_size(types, t) <= 4;
}

static bool takes_addr(const struct dt_convrow *row, struct dt_types *types, const struct dt_type *t)
{
	(void)row;
	(void)types;
	return dt_type_is_integer(t) || dt_type_is_pointer(t);
}

static bool takes_kaddr(const struct dt_convrow *row, struct dt_types *types, const struct dt_type *t)
{
	return dt_type_base(t)->kind == DT_T_SYMADDR || takes_addr(row, types, t);
}

static bool takes_uaddr(const struct dt_convrow *row, struct dt_types *types, const struct dt_type *t)
{
	return dt_type_base(t)->kind == DT_T_USYMADDR || takes_addr(row, types, t);
}

static bool takes_stack(const struct dt_convrow *row, struct dt_types *types, const struct dt_type *t)
{
	(void)row;
	(void)types;
	return dt_type_base(t)->kind == DT_T_STACK;
}

static bool takes_float(const struct dt_convrow *row, struct dt_types *types, const struct dt_type *t)
{
	return dt_type_base(t)->kind == DT_T_FLOAT && (row->size == 0 || dt_type_size(types, t) == row->size);
}

/* A string, or an array of bytes: char, int8_t, uint8_t. */
static bool takes_string(const struct dt_convrow *row, struct dt_types *types, const struct dt_type *t)
{
	const struct dt_type *b = dt_type_base(t);

	(void)types;
	(void)row;
	if (b->kind != DT_T_ARRAY)
		return dt_type_is_string(t);
	const struct dt_type *e = dt_type_base(b->ref);
	return e->kind == DT_T_INT && e->size == 1;
}

/* An array of integers of the size of wchar_t, whatever they are called. */
static bool takes_wide(const struct dt_convrow *row, struct dt_types *types, const struct dt_type *t)
{
	const struct dt_type *b = dt_type_base(t);

	(void)row;
	return b->kind == DT_T_ARRAY && dt_type_is_integer(b->ref) && dt_type_size(types, b->ref) == 4;
}

/* ---- pieces of printers ---- */

/* Text in its field. The precision cuts bytes, as in C; the width counts columns. */
static void conv_field(struct dt_out *o, const struct dt_conv *c, const char *text, size_t n)
{
	if ((c->flags & DT_CF_PREC) && c->prec < n)
		n = c->prec;
	if (c->width == 0)
		dt_out_put(o, text, n);
	else
		dt_out_field(o, text, n, c->width, c->flags & DT_CF_LEFT);
}

/*
 * A format for C's own printf: "%-+#*.*", the size and the letter. The longest takes 14 bytes; `to` has
 * 32.
 */
static void c_format(char *to, const struct dt_conv *c, const char *size, char letter)
{
	static const struct { uint16_t flag; char c; } flags[] = {
		{ DT_CF_ALT, '#' },  { DT_CF_ZERO, '0' },  { DT_CF_LEFT, '-' },
		{ DT_CF_PLUS, '+' }, { DT_CF_SPACE, ' ' }, { DT_CF_GROUP, '\'' },
	};

	*to++ = '%';
	for (size_t i = 0; i < DT_COUNT(flags); i++)
		if (c->flags & flags[i].flag)
			*to++ = flags[i].c;
	for (const char *s = "*.*"; *s; s++)
		*to++ = *s;
	while (*size)
		*to++ = *size++;
	*to++ = letter;
	*to = '\0';
}

/* The precision for a * of C's printf, where a negative number means none. */
static int precision_of(const struct dt_conv *c)
{
	return (c->flags & DT_CF_PREC) ? (int)c->prec : -1;
}

/*
 * The conversion without the flags that C leaves undefined for its letter: ' outside of decimal, # in
 * decimal, + and blank for unsigned numbers.
 */
static struct dt_conv defined_in_c(const struct dt_conv *c, char letter)
{
	struct dt_conv s = *c;

	if (letter == 'd' || letter == 'u')
		s.flags &= (uint16_t)~DT_CF_ALT;
	else
		s.flags &= (uint16_t)~DT_CF_GROUP;
	if (letter != 'd')
		s.flags &= (uint16_t)~(DT_CF_PLUS | DT_CF_SPACE);
	return s;
}

/*
 * A precision of D may be larger than any buffer on the stack; such a text is made on the heap. A precision
 * of 0 counts as no precision, as ever: C would print the number 0 as nothing.
 */
static void conv_number_in_c(struct dt_out *o, const struct dt_conv *c, uint64_t v, char letter)
{
	struct dt_conv s = defined_in_c(c, letter);
	char fmt[32], small[128], *text = small;
	int n;

	if (s.prec == 0)
		s.flags &= (uint16_t)~DT_CF_PREC;
	c_format(fmt, &s, "ll", letter);
	n = snprintf(small, sizeof(small), fmt, (int)s.width, precision_of(&s), (unsigned long long)v);
	if (n >= (int)sizeof(small)) {
		n = asprintf(&text, fmt, (int)s.width, precision_of(&s), (unsigned long long)v);
		if (n < 0)
			dt_out_fail(o, ENOMEM);
	}
	if (n >= 0)
		dt_out_put(o, text, (size_t)n);
	if (text != small && n >= 0)
		free(text);
}

/* Octal and hexadecimal without flags. 64 bits have at most 22 octal digits. */
static void conv_number_in_bits(struct dt_out *o, const struct dt_conv *c, uint64_t v, char letter)
{
	const char *digits = letter == 'X' ? "0123456789ABCDEF" : "0123456789abcdef";
	unsigned bits = letter == 'o' ? 3 : 4;
	char text[24], *end = text + sizeof(text), *p = end;

	do
		*--p = digits[v & ((1u << bits) - 1)];
	while ((v >>= bits) != 0);
	dt_out_field(o, p, (size_t)(end - p), c->width, c->flags & DT_CF_LEFT);
}

/*
 * A number by the letter of C. The common cases are made without C's printf: millions of records a
 * second pass through here. DT_CF_AGG says where the value comes from, not how it looks.
 */
static void conv_number(struct dt_out *o, const struct dt_conv *c, uint64_t v, char letter)
{
	if ((c->flags & ~(DT_CF_LEFT | DT_CF_AGG)) != 0)
		conv_number_in_c(o, c, v, letter);
	else if (letter == 'd')
		dt_out_int(o, (int64_t)v, c->width, c->flags & DT_CF_LEFT);
	else if (letter == 'u')
		dt_out_uint(o, v, c->width, c->flags & DT_CF_LEFT);
	else
		conv_number_in_bits(o, c, v, letter);
}

/* ---- printers ---- */

/* A value that is no number, in its plain form. The precision was meant for something else. */
static void conv_other(struct dt_out *o, const struct dt_conv *c, const struct dt_value *v)
{
	struct dt_out tmp;

	dt_out_init(&tmp, NULL, o->opts);
	dt_value_bare(&tmp, v);
	struct dt_conv plain = *c;
	plain.flags &= (uint16_t)~DT_CF_PREC;
	conv_field(o, &plain, dt_out_text(&tmp), tmp.len);
	dt_out_free(&tmp);
}

static bool value_is_number(const struct dt_value *v)
{
	return v->kind == DT_V_INT || v->kind == DT_V_SYM || v->kind == DT_V_MOD || v->kind == DT_V_USYM ||
	    v->kind == DT_V_UMOD || v->kind == DT_V_UADDR;
}

/* %d prints a number with the sign of its type: an unsigned 64-bit value stays positive. */
static void conv_decimal(struct dt_out *o, const struct dt_conv *c, const struct dt_value *v)
{
	if (!value_is_number(v))
		conv_other(o, c, v);
	else if (v->is_signed)
		conv_number(o, c, dt_value_signed(v), 'd');
	else
		conv_number(o, c, dt_value_unsigned(v), 'u');
}

static void conv_signed(struct dt_out *o, const struct dt_conv *c, const struct dt_value *v)
{
	if (!value_is_number(v))
		conv_other(o, c, v);
	else
		conv_number(o, c, dt_value_signed(v), 'd');
}

static void conv_unsigned(struct dt_out *o, const struct dt_conv *c, const struct dt_value *v)
{
	if (!value_is_number(v))
		conv_other(o, c, v);
	else
		conv_number(o, c, dt_value_unsigned(v), c->row->letter);
}

/* A precision would cut the one character, so it does not count. */
static void conv_char(struct dt_out *o, const struct dt_conv *c, const struct dt_value *v)
{
	char ch = (char)v->i;
	struct dt_conv plain = *c;

	plain.flags &= (uint16_t)~DT_CF_PREC;
	if (value_is_number(v))
		conv_field(o, &plain, &ch, 1);
	else
		conv_other(o, c, v);
}

static void conv_charesc(struct dt_out *o, const struct dt_conv *c, const struct dt_value *v)
{
	char ch = (char)v->i;
	struct dt_out tmp;

	if (!value_is_number(v)) {
		conv_other(o, c, v);
		return;
	}
	dt_out_init(&tmp, NULL, o->opts);
	dt_out_escaped(&tmp, &ch, 1);
	conv_field(o, c, dt_out_text(&tmp), tmp.len);
	dt_out_free(&tmp);
}

static void conv_wchar(struct dt_out *o, const struct dt_conv *c, const struct dt_value *v)
{
	struct dt_out tmp;

	if (!value_is_number(v)) {
		conv_other(o, c, v);
		return;
	}
	dt_out_init(&tmp, NULL, o->opts);
	dt_out_utf8(&tmp, (uint32_t)v->i);
	conv_field(o, c, dt_out_text(&tmp), tmp.len);
	dt_out_free(&tmp);
}

static bool value_is_text(const struct dt_value *v)
{
	return v->kind == DT_V_STRING || v->kind == DT_V_BYTES;
}

static void conv_string(struct dt_out *o, const struct dt_conv *c, const struct dt_value *v)
{
	if (value_is_text(v))
		conv_field(o, c, v->bytes, dt_value_textlen(v));
	else
		conv_other(o, c, v);
}

static void conv_stringesc(struct dt_out *o, const struct dt_conv *c, const struct dt_value *v)
{
	struct dt_out tmp;

	if (!value_is_text(v)) {
		conv_other(o, c, v);
		return;
	}
	dt_out_init(&tmp, NULL, o->opts);
	dt_out_escaped(&tmp, v->bytes, dt_value_textlen(v));
	conv_field(o, c, dt_out_text(&tmp), tmp.len);
	dt_out_free(&tmp);
}

static void conv_wstring(struct dt_out *o, const struct dt_conv *c, const struct dt_value *v)
{
	struct dt_out tmp;

	if (!value_is_text(v)) {
		conv_other(o, c, v);
		return;
	}
	dt_out_init(&tmp, NULL, o->opts);
	for (size_t i = 0; i + 4 <= v->len; i += 4) {
		uint32_t w;
		memcpy(&w, (const char *)v->bytes + i, 4);
		if (w == 0)
			break;
		dt_out_utf8(&tmp, w);
	}
	conv_field(o, c, dt_out_text(&tmp), tmp.len);
	dt_out_free(&tmp);
}

/* %a and %A. A plain number is an address of the kernel, or of the traced process. */
static void conv_symbol(struct dt_out *o, const struct dt_conv *c, const struct dt_value *v,
    enum dt_vkind plain)
{
	char text[512];
	struct dt_value as = *v;

	if (!value_is_number(v)) {
		conv_other(o, c, v);
		return;
	}
	if (v->kind == DT_V_INT) {
		as.kind = plain;
		as.i = dt_value_unsigned(v);
		as.pid = o->opts->target;
	}
	dt_symbol_text(o->opts, &as, text, sizeof(text));
	conv_field(o, c, text, strlen(text));
}

static void conv_kaddr(struct dt_out *o, const struct dt_conv *c, const struct dt_value *v)
{
	conv_symbol(o, c, v, DT_V_SYM);
}

static void conv_uaddr(struct dt_out *o, const struct dt_conv *c, const struct dt_value *v)
{
	conv_symbol(o, c, v, DT_V_UADDR);
}

/* The width of `%Nk` is the indentation; a plain %k takes that of the option stackindent. */
static void conv_stack(struct dt_out *o, const struct dt_conv *c, const struct dt_value *v)
{
	if (v->kind != DT_V_STACK && v->kind != DT_V_USTACK)
		conv_other(o, c, v);
	else
		dt_stack_print(o, v, c->width ? c->width : o->opts->stackindent);
}

/*
 * The floating-point number in a value: bytes of the size of a float, double or long double, or an
 * integer whose bits are one.
 */
static bool float_value(const struct dt_value *v, long double *to)
{
	const void *p = v->bytes;
	size_t n = v->len;
	float f;
	double d;

	if (v->kind == DT_V_INT) {
		p = &v->i;
		n = v->size;
	} else if (!value_is_text(v))
		return false;
	switch (n) {
	case sizeof(f):
		memcpy(&f, p, sizeof(f));
		*to = f;
		return true;
	case sizeof(d):
		memcpy(&d, p, sizeof(d));
		*to = d;
		return true;
	case sizeof(*to):
		memcpy(to, p, sizeof(*to));
		return true;
	}
	return false;
}

static void conv_float(struct dt_out *o, const struct dt_conv *c, const struct dt_value *v)
{
	char fmt[32], *text;
	long double d;
	struct dt_conv s = *c;

	if (!float_value(v, &d)) {
		conv_other(o, c, v);
		return;
	}
	if (c->row->letter == 'e' || c->row->letter == 'E')
		s.flags &= (uint16_t)~DT_CF_GROUP;
	c_format(fmt, &s, "L", c->row->letter);
	int n = asprintf(&text, fmt, (int)c->width, precision_of(c), d);
	if (n < 0) {
		dt_out_fail(o, ENOMEM);
		return;
	}
	dt_out_put(o, text, (size_t)n);
	free(text);
}

/*
 * Nanoseconds since the epoch, shown in the time zone of the environment. Seconds are rounded down,
 * also before 1970.
 */
static void conv_time(struct dt_out *o, const struct dt_conv *c, const struct dt_value *v, const char *how)
{
	char text[128];
	struct tm tm;
	int64_t ns = (int64_t)v->i;
	time_t sec = (time_t)(ns / 1000000000 - (ns % 1000000000 < 0));

	if (!value_is_number(v)) {
		conv_other(o, c, v);
		return;
	}
	if (!localtime_r(&sec, &tm)) {
		conv_decimal(o, c, v);
		return;
	}
	size_t n = strftime(text, sizeof(text), how, &tm);
	conv_field(o, c, text, n);
}

static void conv_date(struct dt_out *o, const struct dt_conv *c, const struct dt_value *v)
{
	conv_time(o, c, v, "%Y %b %e %H:%M:%S");
}

static void conv_rfc822(struct dt_out *o, const struct dt_conv *c, const struct dt_value *v)
{
	conv_time(o, c, v, "%a, %d %b %Y %H:%M:%S %Z");
}

/* A port is looked up for any protocol; one that no service has registered is printed as a number. */
static void conv_port(struct dt_out *o, const struct dt_conv *c, const struct dt_value *v)
{
	char name[256];

	if (value_is_number(v) && !o->opts->numeric && v->i <= UINT16_MAX &&
	    dt_service_name((uint16_t)v->i, name, sizeof(name)))
		conv_field(o, c, name, strlen(name));
	else
		conv_decimal(o, c, v);
}

bool dt_conv_asks(const struct dt_convrow *row)
{
	return row->print == conv_kaddr || row->print == conv_uaddr || row->print == conv_stack ||
	    row->print == conv_port;
}

/* ---- the rows ---- */

/* The letters that exist for each size of an integer: prefix, size, and what to call it in a message. */
#define INTS(pre, sz, what) \
	{ pre "d", what, takes_int, conv_decimal, sz, 'd', "decimal, with the sign of its type" }, \
	{ pre "i", what, takes_int, conv_signed, sz, 'd', "decimal, with a sign" }, \
	{ pre "o", what, takes_int, conv_unsigned, sz, 'o', "octal" }, \
	{ pre "u", what, takes_int, conv_unsigned, sz, 'u', "decimal, without a sign" }, \
	{ pre "x", what, takes_int, conv_unsigned, sz, 'x', "hexadecimal" }, \
	{ pre "X", what, takes_int, conv_unsigned, sz, 'X', "hexadecimal in capitals" }
#define FLOATS(pre, sz, what) \
	{ pre "e", what, takes_float, conv_float, sz, 'e', "a float with an exponent" }, \
	{ pre "E", what, takes_float, conv_float, sz, 'E', "the same in capitals" }, \
	{ pre "f", what, takes_float, conv_float, sz, 'f', "a float" }, \
	{ pre "g", what, takes_float, conv_float, sz, 'g', "a float, the shorter way" }, \
	{ pre "G", what, takes_float, conv_float, sz, 'G', "the same in capitals" }

const struct dt_convrow dt_convrows[] = {
	{ "a", "pointer or integer", takes_kaddr, conv_kaddr, 0, 0, "an address of the kernel, by name" },
	{ "A", "pointer or integer", takes_uaddr, conv_uaddr, 0, 0, "an address of the process, by name" },
	{ "c", "char, short, or int", takes_char, conv_char, 0, 0, "a character" },
	{ "C", "char, short, or int", takes_char, conv_charesc, 0, 0,
	    "a character; one that cannot be printed as in C (\\n, \\001)" },
	INTS("", 0, "char, short, int, long, or long long"),
	INTS("hh", 1, "char"),
	INTS("h", 2, "short"),
	INTS("l", 8, "long"),
	INTS("ll", 8, "long long"),
	{ "lc", "int", takes_int, conv_wchar, 4, 0, "a wide character" },
	{ "wc", "int", takes_int, conv_wchar, 4, 0, "a wide character" },
	FLOATS("", 0, "float, double, or long double"),
	FLOATS("L", 16, "long double"),
	{ "I", "char [] or string (or use stringof)", takes_string, conv_string, 0, 0,
	    "an address as text: the name service is not asked" },
	{ "k", "stack", takes_stack, conv_stack, 0, 0, "a stack" },
	{ "ls", "wchar_t []", takes_wide, conv_wstring, 0, 0, "a wide string" },
	{ "ws", "wchar_t []", takes_wide, conv_wstring, 0, 0, "a wide string" },
	{ "p", "pointer or integer", takes_addr, conv_unsigned, 0, 'x', "an address, hexadecimal" },
	{ "P", "uint16_t", takes_int, conv_port, 2, 0, "a port, by the name of its service" },
	{ "s", "char [] or string (or use stringof)", takes_string, conv_string, 0, 0, "a string" },
	{ "S", "char [] or string (or use stringof)", takes_string, conv_stringesc, 0, 0,
	    "a string; what cannot be printed as in C" },
	{ "T", "int64_t", takes_int, conv_rfc822, 8, 0, "nanoseconds since 1970 as a date of mail" },
	{ "Y", "int64_t", takes_int, conv_date, 8, 0, "nanoseconds since 1970 as a date" },
	{ 0 }
};
