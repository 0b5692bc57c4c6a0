/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * print() as JSON: a type and its recorded bytes in, objects and arrays out. The bytes may be fewer than the type
 * wants: a member that was not recorded is null, elements that were not are left out.
 */
#include "output/json.h"
#include "output/scalar.h"

#include <string.h>

struct object {
	struct dt_json *j;
	struct dt_types *types;
	struct dt_bytes bytes;
	unsigned depth;
	uint64_t values;		/* printed so far */
};

static void put_value(struct object *, const struct dt_type *, uint64_t bit_off, uint16_t bit_size);

/* Members of a member without a name belong to the struct around it, as in C. */
static void put_members(struct object *x, const struct dt_type *t, uint64_t bit_off)
{
	uint32_t n = 0;
	const struct dt_member *m = dt_type_members(x->types, t, &n);

	for (uint32_t i = 0; m && i < n && !x->j->o->failed; i++) {
		const struct dt_type *inner = dt_type_complete(x->types, dt_type_base(m[i].type));

		if (m[i].name != NULL && m[i].name[0] != '\0') {
			dt_json_key(x->j, m[i].name);
			put_value(x, m[i].type, bit_off + m[i].bit_off, m[i].bit_size);
		} else if (dt_type_is_sou(inner) && x->depth < DT_PRINT_DEPTH && !dt_print_enough(&x->values, x->bytes)) {
			x->depth++;
			put_members(x, inner, bit_off + m[i].bit_off);
			x->depth--;
		}
	}
}

static void put_struct(struct object *x, const struct dt_type *t, uint64_t bit_off)
{
	if (t->incomplete) {
		dt_json_null(x->j);
		return;
	}
	dt_json_open(x->j, '{');
	put_members(x, t, bit_off);
	dt_json_close(x->j, '}');
}

static void put_text(struct object *x, struct dt_bytes b)
{
	dt_json_string(x->j, b.len ? b.p : (const unsigned char *)"", b.len ? strnlen((const char *)b.p, b.len) : 0);
}

static void put_array(struct object *x, const struct dt_type *t, uint64_t bit_off)
{
	const struct dt_type *e = dt_type_complete(x->types, dt_type_base(t->ref));
	uint64_t size = dt_type_size(x->types, t->ref);

	if (dt_scalar_is_char(e)) {
		put_text(x, dt_bytes_at(x->bytes, bit_off / 8, t->nelems));
		return;
	}
	dt_json_open(x->j, '[');
	for (uint64_t i = 0; i < t->nelems && size > 0 && bit_off / 8 + i * size < x->bytes.len && !x->j->o->failed; i++)
		put_value(x, t->ref, bit_off + 8 * i * size, 0);
	dt_json_close(x->j, ']');
}

static void put_pointer(struct object *x, const struct dt_type *t, uint64_t v)
{
	struct dt_value sym = { .kind = DT_V_SYM, .i = v, .size = 8 };

	if (v != 0 && t->ref != NULL && dt_type_base(t->ref)->kind == DT_T_FUNC)
		dt_json_value(x->j, &sym);
	else
		dt_json_address(x->j, v);
}

static void put_scalar(struct object *x, const struct dt_type *t, uint64_t bit_off, uint16_t bit_size)
{
	const char *name = NULL;
	uint64_t v;

	if (!dt_scalar_read(t, x->bytes, bit_off, bit_size, &v)) {
		dt_json_null(x->j);
		return;
	}
	if (t->kind == DT_T_ENUM)
		name = dt_scalar_enum(x->types, t, v);
	if (name != NULL)
		dt_json_str(x->j, name);
	else if (t->kind == DT_T_PTR)
		put_pointer(x, t, v);
	else if (t->is_bool && v <= 1)
		dt_json_bool(x->j, v != 0);
	else if (t->is_signed || t->kind == DT_T_ENUM)
		dt_json_int(x->j, (int64_t)v);
	else
		dt_json_uint(x->j, v);
}

static void put_float(struct object *x, struct dt_bytes b)
{
	float f;
	double d;
	long double l;

	if (b.len == sizeof(f)) {
		memcpy(&f, b.p, sizeof(f));
		d = (double)f;
	} else if (b.len == sizeof(d)) {
		memcpy(&d, b.p, sizeof(d));
	} else if (b.len == sizeof(l)) {
		memcpy(&l, b.p, sizeof(l));
		d = (double)l;
	} else {
		dt_json_null(x->j);
		return;
	}
	dt_json_double(x->j, d);
}

static void put_value(struct object *x, const struct dt_type *type, uint64_t bit_off, uint16_t bit_size)
{
	const struct dt_type *t = dt_type_complete(x->types, dt_type_base(type));

	if (x->depth > DT_PRINT_DEPTH || dt_print_enough(&x->values, x->bytes)) {
		dt_json_null(x->j);
		return;
	}
	x->depth++;
	switch (t->kind) {
	case DT_T_STRUCT:
	case DT_T_UNION: put_struct(x, t, bit_off); break;
	case DT_T_ARRAY: put_array(x, t, bit_off); break;
	case DT_T_STRING: put_text(x, dt_bytes_at(x->bytes, bit_off / 8, x->bytes.len)); break;
	case DT_T_INT:
	case DT_T_ENUM:
	case DT_T_PTR: put_scalar(x, t, bit_off, bit_size); break;
	case DT_T_FLOAT: put_float(x, dt_bytes_at(x->bytes, bit_off / 8, t->size)); break;
	default: dt_json_null(x->j); break;
	}
	x->depth--;
}

void dt_json_object(struct dt_json *j, const struct dt_value *v)
{
	struct object x = { .j = j, .types = j->o->opts->types };
	unsigned char word[8];

	if (x.types == NULL || v->type == NULL) {
		dt_json_value(j, v);
		return;
	}
	if (v->kind == DT_V_INT) {
		for (unsigned i = 0; i < 8; i++)
			word[i] = (unsigned char)(v->i >> 8 * i);
		x.bytes = (struct dt_bytes){ word, v->size && v->size <= 8 ? v->size : 8 };
	} else
		x.bytes = (struct dt_bytes){ v->bytes, v->bytes ? v->len : 0 };
	put_value(&x, v->type, 0, 0);
}
