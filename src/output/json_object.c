/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * print() as JSON: a type and its recorded bytes in, objects and arrays out. There may be fewer bytes
 * than the type has: a member that was not recorded is null, and elements that were not recorded are
 * left out.
 */
#include "output/json.h"
#include "output/scalar.h"

#include <string.h>

/* The object in hand; the same limits as in pretty.c bound what its type can make us print. */
struct object {
	struct dt_json *j;
	struct dt_types *types;
	struct dt_bytes bytes;
	unsigned depth;
	uint64_t values;		/* printed so far */
};

static void json_object_value(struct object *, const struct dt_type *, uint64_t bit_off, uint16_t bit_size);

/* The members of a member without a name belong to the struct around it, as in C. */
static void json_object_members(struct object *x, const struct dt_type *t, uint64_t bit_off)
{
	uint32_t n = 0;
	const struct dt_member *m = dt_type_members(x->types, t, &n);

	for (uint32_t i = 0; m && i < n && !x->j->o->failed; i++) {
		const struct dt_type *inner = dt_type_complete(x->types, dt_type_base(m[i].type));

		if (m[i].name != NULL && m[i].name[0] != '\0') {
			dt_json_key(x->j, m[i].name);
			json_object_value(x, m[i].type, bit_off + m[i].bit_off, m[i].bit_size);
		} else if (dt_type_is_sou(inner) && x->depth < DT_PRINT_DEPTH &&
			   !dt_print_enough(&x->values, x->bytes)) {
			x->depth++;
			json_object_members(x, inner, bit_off + m[i].bit_off);
			x->depth--;
		}
	}
}

static void json_object_struct(struct object *x, const struct dt_type *t, uint64_t bit_off)
{
	if (t->incomplete) {
		dt_json_null(x->j);
		return;
	}
	dt_json_open(x->j, '{');
	json_object_members(x, t, bit_off);
	dt_json_close(x->j, '}');
}

static void json_object_text(struct object *x, struct dt_bytes b)
{
	const char *text = b.len ? (const char *)b.p : "";

	dt_json_string(x->j, text, strnlen(text, b.len));
}

/* An array of char is a string up to its NUL, as C has it. */
static void json_object_array(struct object *x, const struct dt_type *t, uint64_t bit_off)
{
	const struct dt_type *e = dt_type_complete(x->types, dt_type_base(t->ref));
	uint64_t size = dt_type_size(x->types, t->ref);

	if (dt_scalar_is_char(e)) {
		json_object_text(x, dt_bytes_at(x->bytes, bit_off / 8, t->nelems));
		return;
	}
	dt_json_open(x->j, '[');
	for (uint64_t i = 0; i < t->nelems && size > 0 && !x->j->o->failed; i++) {
		if (bit_off / 8 + i * size >= x->bytes.len)
			break;
		json_object_value(x, t->ref, bit_off + 8 * i * size, 0);
	}
	dt_json_close(x->j, ']');
}

/* A pointer to a function shows its symbol too. NULL has none. */
static void json_object_pointer(struct object *x, const struct dt_type *t, uint64_t v)
{
	struct dt_value sym = { .kind = DT_V_SYM, .i = v, .size = 8 };

	if (v != 0 && t->ref != NULL && dt_type_base(t->ref)->kind == DT_T_FUNC)
		dt_json_value(x->j, &sym);
	else
		dt_json_address(x->j, v);
}

static void json_object_scalar(struct object *x, const struct dt_type *t, uint64_t bit_off, uint16_t bit_size)
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
		json_object_pointer(x, t, v);
	else if (t->is_bool && v <= 1)
		dt_json_bool(x->j, v != 0);
	else if (t->is_signed || t->kind == DT_T_ENUM)
		dt_json_int(x->j, (int64_t)v);
	else
		dt_json_uint(x->j, v);
}

/* JSON has one kind of number, so a long double loses digits here; the text sink shows them all. */
static void json_object_float(struct object *x, struct dt_bytes b)
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

/* Whatever cannot be shown is null: the member stays, so that readers find the keys of the type. */
static void json_object_value(struct object *x, const struct dt_type *type, uint64_t bit_off,
    uint16_t bit_size)
{
	const struct dt_type *t = dt_type_complete(x->types, dt_type_base(type));

	if (x->depth > DT_PRINT_DEPTH || dt_print_enough(&x->values, x->bytes)) {
		dt_json_null(x->j);
		return;
	}
	x->depth++;
	switch (t->kind) {
	case DT_T_STRUCT:
	case DT_T_UNION: json_object_struct(x, t, bit_off); break;
	case DT_T_ARRAY: json_object_array(x, t, bit_off); break;
	case DT_T_STRING: json_object_text(x, dt_bytes_at(x->bytes, bit_off / 8, x->bytes.len)); break;
	case DT_T_INT:
	case DT_T_ENUM:
	case DT_T_PTR: json_object_scalar(x, t, bit_off, bit_size); break;
	case DT_T_FLOAT: json_object_float(x, dt_bytes_at(x->bytes, bit_off / 8, t->size)); break;
	default: dt_json_null(x->j); break;
	}
	x->depth--;
}

/* An integer is recorded as a number; it becomes bytes again, so that there is one way to read values. */
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
	json_object_value(&x, v->type, 0, 0);
}
