/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The leaves of a recorded object. Types may come from the debugging data of a traced process, so each
 * read is checked against the bytes there are. Numbers and bit-fields are little-endian, as on every
 * machine that we trace.
 */
#include "output/scalar.h"

#include <string.h>

struct dt_bytes dt_bytes_at(struct dt_bytes b, uint64_t off, uint64_t len)
{
	if (off >= b.len)
		return (struct dt_bytes){ 0 };
	if (len > b.len - off)
		len = b.len - off;
	return (struct dt_bytes){ b.p + off, len };
}

/* A bit-field of 64 bits that does not begin at a byte takes nine bytes: the ninth is `high`. */
bool dt_scalar_read(const struct dt_type *t, struct dt_bytes b, uint64_t bit_off, uint16_t bit_size,
    uint64_t *value)
{
	unsigned bits = bit_size ? bit_size : (unsigned)(t->size * 8), shift = bit_off % 8;
	unsigned nbytes = (shift + bits + 7) / 8;
	uint64_t low = 0, high = 0;

	if (bits == 0 || bits > 64 || bit_off / 8 > b.len || b.len - bit_off / 8 < nbytes)
		return false;
	for (unsigned i = 0; i < nbytes; i++)
		if (i < 8)
			low |= (uint64_t)b.p[bit_off / 8 + i] << 8 * i;
		else
			high = b.p[bit_off / 8 + i];
	low = low >> shift | (shift ? high << (64 - shift) : 0);
	if (bits < 64) {
		low &= (1ull << bits) - 1;
		if (t->is_signed && low >> (bits - 1))
			low |= ~0ull << bits;
	}
	*value = low;
	return true;
}

bool dt_scalar_is_char(const struct dt_type *t)
{
	return t->kind == DT_T_INT && t->size == 1 && t->is_char;
}

void dt_scalar_type(const struct dt_type *t, char *buf, size_t len)
{
	static const char userland[] = "userland ";
	const char *kind = t->kind == DT_T_STRUCT ? "struct" : t->kind == DT_T_UNION ? "union" :
			   t->kind == DT_T_ENUM	  ? "enum" : NULL;

	if (kind && (!t->name || !t->name[0]))
		snprintf(buf, len, "%s", kind);
	else
		dt_type_name(t, buf, len);
	/* The address space that an object is in is no part of its type for the reader of a trace. */
	for (char *at; (at = strstr(buf, userland)) != NULL;)
		memmove(at, at + strlen(userland), strlen(at) - strlen(userland) + 1);
}

/* When several enumerators have the value, the first one declared is shown. */
const char *dt_scalar_enum(struct dt_types *types, const struct dt_type *t, uint64_t value)
{
	uint32_t n = 0;
	const struct dt_enumconst *e = dt_type_enums(types, t, &n);

	for (uint32_t i = 0; e && i < n; i++)
		if ((uint64_t)e[i].value == value)
			return e[i].name;
	return NULL;
}

bool dt_scalar_float(struct dt_out *o, struct dt_bytes b)
{
	float f;
	double d;
	long double l;

	if (b.len == sizeof(f)) {
		memcpy(&f, b.p, sizeof(f));
		l = f;
	} else if (b.len == sizeof(d)) {
		memcpy(&d, b.p, sizeof(d));
		l = d;
	} else if (b.len == sizeof(l))
		memcpy(&l, b.p, sizeof(l));
	else
		return false;
	dt_out_printf(o, b.len == sizeof(l) ? "%+.16LE" : "%+.7Le", l);
	return true;
}

/*
 * In single quotes the double quote needs no escape and the single quote does, unlike in
 * dt_out_escaped().
 */
void dt_scalar_char(struct dt_out *o, unsigned char c)
{
	char one = (char)c;

	dt_out_str(o, "'");
	if (c == '"')
		dt_out_str(o, "\"");
	else if (c == '\'')
		dt_out_str(o, "\\'");
	else
		dt_out_escaped(o, &one, 1);
	dt_out_str(o, "'");
}
