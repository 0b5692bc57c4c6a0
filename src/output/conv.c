/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The conversions of D's printf(): one row each, with the check of its argument and its printer. A printer gets a
 * conversion whose * are already numbers, and any kind of value: programs may come from a file, so what does not fit
 * the letter is printed as what it is.
 */
#include "dif/action.h"
#include "output/format.h"
#include "output/print.h"

#include <arpa/inet.h>
#include <limits.h>
#include <netdb.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

/* ---- checks ---- */

static bool check_int(const struct dt_convrow *row, struct dt_types *types, const struct dt_type *t)
{
	return dt_type_is_integer(t) && (row->size == 0 || dt_type_size(types, t) == row->size);
}

static bool check_char(const struct dt_convrow *row, struct dt_types *types, const struct dt_type *t)
{
	(void)row;
	return dt_type_is_integer(t) && dt_type_size(types, t) <= 4;
}

static bool check_addr(const struct dt_convrow *row, struct dt_types *types, const struct dt_type *t)
{
	(void)row;
	(void)types;
	return dt_type_is_integer(t) || dt_type_is_pointer(t);
}

static bool check_kaddr(const struct dt_convrow *row, struct dt_types *types, const struct dt_type *t)
{
	return dt_type_base(t)->kind == DT_T_SYMADDR || check_addr(row, types, t);
}

static bool check_uaddr(const struct dt_convrow *row, struct dt_types *types, const struct dt_type *t)
{
	return dt_type_base(t)->kind == DT_T_USYMADDR || check_addr(row, types, t);
}

static bool check_stack(const struct dt_convrow *row, struct dt_types *types, const struct dt_type *t)
{
	(void)row;
	(void)types;
	return dt_type_base(t)->kind == DT_T_STACK;
}

static bool check_float(const struct dt_convrow *row, struct dt_types *types, const struct dt_type *t)
{
	return dt_type_base(t)->kind == DT_T_FLOAT && (row->size == 0 || dt_type_size(types, t) == row->size);
}

static bool check_string(const struct dt_convrow *row, struct dt_types *types, const struct dt_type *t)
{
	const struct dt_type *b = dt_type_base(t);

	(void)types;
	(void)row;
	if (b->kind != DT_T_ARRAY)
		return dt_type_is_string(t);
	const struct dt_type *e = dt_type_base(b->ref);
	return e->kind == DT_T_INT && e->size == 1;
}

static bool check_wide(const struct dt_convrow *row, struct dt_types *types, const struct dt_type *t)
{
	const struct dt_type *b = dt_type_base(t);

	(void)row;
	return b->kind == DT_T_ARRAY && dt_type_is_integer(b->ref) && dt_type_size(types, b->ref) == 4;
}

/* ---- pieces of printers ---- */

/* Text in its field: precision cuts bytes, as in C; width counts columns. */
static void field(struct dt_out *o, const struct dt_conv *c, const char *text, size_t n)
{
	if ((c->flags & DT_CF_PREC) && c->prec < n)
		n = c->prec;
	if (c->width == 0)
		dt_out_put(o, text, n);
	else
		dt_out_field(o, text, n, c->width, c->flags & DT_CF_LEFT);
}

/* "%-+#*.*" and what follows: C's own printf does the rest. */
static void c_format(char *to, const struct dt_conv *c, const char *size, char letter)
{
	static const struct { uint16_t flag; char c; } flags[] = {
		{ DT_CF_ALT, '#' }, { DT_CF_ZERO, '0' }, { DT_CF_LEFT, '-' }, { DT_CF_PLUS, '+' }, { DT_CF_SPACE, ' ' },
		{ DT_CF_GROUP, '\'' },
	};

	*to++ = '%';
	for (size_t i = 0; i < sizeof(flags) / sizeof(flags[0]); i++)
		if (c->flags & flags[i].flag)
			*to++ = flags[i].c;
	for (const char *s = "*.*"; *s; s++)
		*to++ = *s;
	while (*size)
		*to++ = *size++;
	*to++ = letter;
	*to = '\0';
}

static int prec_of(const struct dt_conv *c)
{
	return (c->flags & DT_CF_PREC) ? (int)c->prec : -1;
}

/* C leaves ' undefined outside decimal, # in decimal, + and blank for unsigned. */
static struct dt_conv sane(const struct dt_conv *c, char letter)
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

static void number_in_c(struct dt_out *o, const struct dt_conv *c, uint64_t v, char letter)
{
	struct dt_conv s = sane(c, letter);
	char fmt[32], small[128], *text = small;
	int n;

	c_format(fmt, &s, "ll", letter);
	n = snprintf(small, sizeof(small), fmt, (int)s.width, prec_of(&s), (unsigned long long)v);
	if (n >= (int)sizeof(small)) {
		n = asprintf(&text, fmt, (int)s.width, prec_of(&s), (unsigned long long)v);
		if (n < 0)
			o->failed = true;
	}
	if (n >= 0)
		dt_out_put(o, text, (size_t)n);
	if (text != small && n >= 0)
		free(text);
}

static void number_in_bits(struct dt_out *o, const struct dt_conv *c, uint64_t v, char letter)
{
	const char *digits = letter == 'X' ? "0123456789ABCDEF" : "0123456789abcdef";
	unsigned bits = letter == 'o' ? 3 : 4;
	char text[24], *end = text + sizeof(text), *p = end;

	do
		*--p = digits[v & ((1u << bits) - 1)];
	while ((v >>= bits) != 0);
	dt_out_field(o, p, (size_t)(end - p), c->width, c->flags & DT_CF_LEFT);
}

/* What most formats ask for is made without C's printf: millions of records a second come by here. */
static void number(struct dt_out *o, const struct dt_conv *c, uint64_t v, char letter)
{
	if ((c->flags & ~(DT_CF_LEFT | DT_CF_AGG)) != 0)
		number_in_c(o, c, v, letter);
	else if (letter == 'd')
		dt_out_int(o, (int64_t)v, c->width, c->flags & DT_CF_LEFT);
	else if (letter == 'u')
		dt_out_uint(o, v, c->width, c->flags & DT_CF_LEFT);
	else
		number_in_bits(o, c, v, letter);
}

/* ---- printers ---- */

/* Not a number: what it is, in its plain form. */
static void print_other(struct dt_out *o, const struct dt_conv *c, const struct dt_value *v)
{
	struct dt_out tmp;

	dt_out_init(&tmp, NULL, o->opts);
	dt_value_bare(&tmp, v);
	struct dt_conv plain = *c;
	plain.flags &= (uint16_t)~DT_CF_PREC;
	field(o, &plain, dt_out_text(&tmp), tmp.len);
	dt_out_free(&tmp);
}

static bool is_number(const struct dt_value *v)
{
	return v->kind == DT_V_INT || v->kind == DT_V_SYM || v->kind == DT_V_MOD || v->kind == DT_V_USYM ||
	    v->kind == DT_V_UMOD || v->kind == DT_V_UADDR;
}

static void print_decimal(struct dt_out *o, const struct dt_conv *c, const struct dt_value *v)
{
	if (!is_number(v))
		print_other(o, c, v);
	else if (v->is_signed)
		number(o, c, dt_value_signed(v), 'd');
	else
		number(o, c, dt_value_unsigned(v), 'u');
}

static void print_signed(struct dt_out *o, const struct dt_conv *c, const struct dt_value *v)
{
	if (!is_number(v))
		print_other(o, c, v);
	else
		number(o, c, dt_value_signed(v), 'd');
}

static void print_unsigned(struct dt_out *o, const struct dt_conv *c, const struct dt_value *v)
{
	if (!is_number(v))
		print_other(o, c, v);
	else
		number(o, c, dt_value_unsigned(v), c->row->letter);
}

static void print_char(struct dt_out *o, const struct dt_conv *c, const struct dt_value *v)
{
	char ch = (char)v->i;
	struct dt_conv plain = *c;

	plain.flags &= (uint16_t)~DT_CF_PREC;
	if (is_number(v))
		field(o, &plain, &ch, 1);
	else
		print_other(o, c, v);
}

static void print_charesc(struct dt_out *o, const struct dt_conv *c, const struct dt_value *v)
{
	char ch = (char)v->i;
	struct dt_out tmp;

	if (!is_number(v)) {
		print_other(o, c, v);
		return;
	}
	dt_out_init(&tmp, NULL, o->opts);
	dt_out_escaped(&tmp, &ch, 1);
	field(o, c, dt_out_text(&tmp), tmp.len);
	dt_out_free(&tmp);
}

static void print_wchar(struct dt_out *o, const struct dt_conv *c, const struct dt_value *v)
{
	struct dt_out tmp;

	if (!is_number(v)) {
		print_other(o, c, v);
		return;
	}
	dt_out_init(&tmp, NULL, o->opts);
	dt_out_utf8(&tmp, (uint32_t)v->i);
	field(o, c, dt_out_text(&tmp), tmp.len);
	dt_out_free(&tmp);
}

static bool is_text(const struct dt_value *v)
{
	return v->kind == DT_V_STRING || v->kind == DT_V_BYTES;
}

static void print_string(struct dt_out *o, const struct dt_conv *c, const struct dt_value *v)
{
	if (is_text(v))
		field(o, c, v->bytes, dt_value_textlen(v));
	else
		print_other(o, c, v);
}

static void print_stringesc(struct dt_out *o, const struct dt_conv *c, const struct dt_value *v)
{
	struct dt_out tmp;

	if (!is_text(v)) {
		print_other(o, c, v);
		return;
	}
	dt_out_init(&tmp, NULL, o->opts);
	dt_out_escaped(&tmp, v->bytes, dt_value_textlen(v));
	field(o, c, dt_out_text(&tmp), tmp.len);
	dt_out_free(&tmp);
}

static void print_wstring(struct dt_out *o, const struct dt_conv *c, const struct dt_value *v)
{
	struct dt_out tmp;

	if (!is_text(v)) {
		print_other(o, c, v);
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
	field(o, c, dt_out_text(&tmp), tmp.len);
	dt_out_free(&tmp);
}

/* %a, %A: a plain number is an address of the kernel, or of the traced process. */
static void print_symbol(struct dt_out *o, const struct dt_conv *c, const struct dt_value *v, enum dt_vkind plain)
{
	char text[512];
	struct dt_value as = *v;

	if (!is_number(v)) {
		print_other(o, c, v);
		return;
	}
	if (v->kind == DT_V_INT) {
		as.kind = plain;
		as.i = dt_value_unsigned(v);
		as.pid = o->opts->target;
	}
	dt_symbol_text(o->opts, &as, text, sizeof(text));
	field(o, c, text, strlen(text));
}

static void print_kaddr(struct dt_out *o, const struct dt_conv *c, const struct dt_value *v)
{
	print_symbol(o, c, v, DT_V_SYM);
}

static void print_uaddr(struct dt_out *o, const struct dt_conv *c, const struct dt_value *v)
{
	print_symbol(o, c, v, DT_V_UADDR);
}

/* `%-Nk` gives the indentation; a plain %k takes the option's. */
static void print_stack(struct dt_out *o, const struct dt_conv *c, const struct dt_value *v)
{
	if (v->kind != DT_V_STACK && v->kind != DT_V_USTACK)
		print_other(o, c, v);
	else
		dt_stack_print(o, v, c->width ? c->width : o->opts->stackindent);
}

static bool float_value(const struct dt_value *v, long double *to)
{
	const void *p = v->bytes;
	size_t n = v->len;
	float f;
	double d;

	if (v->kind == DT_V_INT) {
		p = &v->i;
		n = v->size;
	} else if (!is_text(v))
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

static void print_float(struct dt_out *o, const struct dt_conv *c, const struct dt_value *v)
{
	char fmt[32], *text;
	long double d;
	struct dt_conv s = *c;

	if (!float_value(v, &d)) {
		print_other(o, c, v);
		return;
	}
	if (c->row->letter == 'e' || c->row->letter == 'E')
		s.flags &= (uint16_t)~DT_CF_GROUP;
	c_format(fmt, &s, "L", c->row->letter);
	int n = asprintf(&text, fmt, (int)c->width, prec_of(c), d);
	if (n < 0) {
		o->failed = true;
		return;
	}
	dt_out_put(o, text, (size_t)n);
	free(text);
}

/* Nanoseconds since the epoch in the time zone of the environment. */
static void print_time(struct dt_out *o, const struct dt_conv *c, const struct dt_value *v, const char *how)
{
	char text[128];
	struct tm tm;
	int64_t ns = (int64_t)v->i;
	time_t sec = (time_t)(ns / 1000000000 - (ns % 1000000000 < 0));

	if (!is_number(v)) {
		print_other(o, c, v);
		return;
	}
	if (!localtime_r(&sec, &tm)) {
		print_decimal(o, c, v);
		return;
	}
	size_t n = strftime(text, sizeof(text), how, &tm);
	field(o, c, text, n);
}

static void print_date(struct dt_out *o, const struct dt_conv *c, const struct dt_value *v)
{
	print_time(o, c, v, "%Y %b %e %H:%M:%S");
}

static void print_rfc822(struct dt_out *o, const struct dt_conv *c, const struct dt_value *v)
{
	print_time(o, c, v, "%a, %d %b %Y %H:%M:%S %Z");
}

static bool host_name(const char *addr, char *host, size_t len)
{
	struct sockaddr_in v4 = { .sin_family = AF_INET };
	struct sockaddr_in6 v6 = { .sin6_family = AF_INET6 };

	if (inet_pton(AF_INET, addr, &v4.sin_addr) == 1)
		return getnameinfo((struct sockaddr *)&v4, sizeof(v4), host, (socklen_t)len, NULL, 0, NI_NAMEREQD) == 0;
	if (inet_pton(AF_INET6, addr, &v6.sin6_addr) == 1)
		return getnameinfo((struct sockaddr *)&v6, sizeof(v6), host, (socklen_t)len, NULL, 0, NI_NAMEREQD) == 0;
	return false;
}

static void print_host(struct dt_out *o, const struct dt_conv *c, const struct dt_value *v)
{
	char addr[64], host[NI_MAXHOST];
	size_t n;

	if (!is_text(v) || o->opts->numeric || (n = dt_value_textlen(v)) >= sizeof(addr)) {
		print_string(o, c, v);
		return;
	}
	if (n > 0)
		memcpy(addr, v->bytes, n);
	addr[n] = '\0';
	if (host_name(addr, host, sizeof(host)))
		field(o, c, host, strlen(host));
	else
		print_string(o, c, v);
}

static void print_port(struct dt_out *o, const struct dt_conv *c, const struct dt_value *v)
{
	struct servent ent, *found = NULL;
	char buf[1024];

	if (is_number(v) && !o->opts->numeric && v->i <= UINT16_MAX)
		getservbyport_r(htons((uint16_t)v->i), NULL, &ent, buf, sizeof(buf), &found);
	if (found)
		field(o, c, found->s_name, strlen(found->s_name));
	else
		print_decimal(o, c, v);
}

/* ---- the rows ---- */

#define INTS(pre, sz, what) \
	{ pre "d", what, check_int, print_decimal, sz, 'd' }, \
	{ pre "i", what, check_int, print_signed, sz, 'd' }, \
	{ pre "o", what, check_int, print_unsigned, sz, 'o' }, \
	{ pre "u", what, check_int, print_unsigned, sz, 'u' }, \
	{ pre "x", what, check_int, print_unsigned, sz, 'x' }, \
	{ pre "X", what, check_int, print_unsigned, sz, 'X' }
#define FLOATS(pre, sz, what) \
	{ pre "e", what, check_float, print_float, sz, 'e' }, \
	{ pre "E", what, check_float, print_float, sz, 'E' }, \
	{ pre "f", what, check_float, print_float, sz, 'f' }, \
	{ pre "g", what, check_float, print_float, sz, 'g' }, \
	{ pre "G", what, check_float, print_float, sz, 'G' }

const struct dt_convrow dt_convrows[] = {
	{ "a", "pointer or integer", check_kaddr, print_kaddr, 0, 0 },
	{ "A", "pointer or integer", check_uaddr, print_uaddr, 0, 0 },
	{ "c", "char, short, or int", check_char, print_char, 0, 0 },
	{ "C", "char, short, or int", check_char, print_charesc, 0, 0 },
	INTS("", 0, "char, short, int, long, or long long"),
	INTS("h", 2, "short"),
	INTS("l", 8, "long"),
	INTS("ll", 8, "long long"),
	{ "lc", "int", check_int, print_wchar, 4, 0 },
	{ "wc", "int", check_int, print_wchar, 4, 0 },
	FLOATS("", 0, "float, double, or long double"),
	FLOATS("L", 16, "long double"),
	{ "I", "char [] or string (or use stringof)", check_string, print_host, 0, 0 },
	{ "k", "stack", check_stack, print_stack, 0, 0 },
	{ "ls", "wchar_t []", check_wide, print_wstring, 0, 0 },
	{ "ws", "wchar_t []", check_wide, print_wstring, 0, 0 },
	{ "p", "pointer or integer", check_addr, print_unsigned, 0, 'x' },
	{ "P", "uint16_t", check_int, print_port, 2, 0 },
	{ "s", "char [] or string (or use stringof)", check_string, print_string, 0, 0 },
	{ "S", "char [] or string (or use stringof)", check_string, print_stringesc, 0, 0 },
	{ "T", "int64_t", check_int, print_rfc822, 8, 0 },
	{ "Y", "int64_t", check_int, print_date, 8, 0 },
	{ 0 }
};

/* ---- a whole format ---- */

struct feed {
	const struct dt_value *v;
	uint32_t n, next;
};

static const struct dt_value *take(struct feed *f)
{
	return f->next < f->n ? &f->v[f->next++] : NULL;
}

static int star(struct feed *f)
{
	const struct dt_value *v = take(f);
	int64_t i = v && v->kind == DT_V_INT ? (int64_t)dt_value_signed(v) : 0;
	int max = (int)DT_FORMAT_WIDTH_MAX;

	return i > max ? max : i < -max ? -max : (int)i;
}

/* Replaces * by the numbers given; a negative width means left, a negative precision none, as in C; 0 none, as in D. */
static struct dt_conv settle(const struct dt_conv *c, struct feed *f)
{
	struct dt_conv s = *c;

	if (c->flags & DT_CF_STARWIDTH) {
		int w = star(f);
		if (w < 0)
			s.flags = (uint16_t)((s.flags & ~DT_CF_ZERO) | DT_CF_LEFT);
		s.width = (uint32_t)(w < 0 ? -w : w);
	}
	if (c->flags & DT_CF_STARPREC) {
		int p = star(f);
		if (p <= 0)
			s.flags &= (uint16_t)~DT_CF_PREC;
		s.prec = p < 0 ? 0 : (uint32_t)p;
	}
	return s;
}

static void print_agg(struct dt_out *o, const struct dt_conv *c, const struct dt_value *v)
{
	struct dt_value plain;

	if (v->kind != DT_V_AGG)
		c->row->print(o, c, v);
	else if (dt_agg_scalar(v, &plain))
		c->row->print(o, c, &plain);
	else
		dt_aggfunc_of(v->aggkind)->text(o, v);
}

void dt_format_printa(struct dt_out *o, const struct dt_format *f, const struct dt_value *keys, uint32_t nkeys,
    const struct dt_value *aggs, uint32_t naggs)
{
	struct feed values = { keys, nkeys, 0 };
	uint32_t agg = 0;

	for (uint32_t i = 0; i < f->nconv && !o->failed; i++) {
		const struct dt_value *v = NULL;

		dt_out_put(o, f->conv[i].prefix, f->conv[i].prefixlen);
		if (!f->conv[i].row)
			continue;
		const struct dt_conv *c = &f->conv[i];
		struct dt_conv settled;
		if (c->flags & (DT_CF_STARWIDTH | DT_CF_STARPREC)) {
			settled = settle(c, &values);
			c = &settled;
		}
		if (!(c->flags & DT_CF_AGG))
			v = take(&values);
		else if (naggs > 0)
			v = &aggs[agg < naggs ? agg++ : naggs - 1];
		if (v)
			print_agg(o, c, v);
	}
}

void dt_format_print(struct dt_out *o, const struct dt_format *f, const struct dt_value *values, uint32_t n)
{
	dt_format_printa(o, f, values, n, NULL, 0);
}
