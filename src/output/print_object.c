/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * print() of a pointer: the address, then the object it points to as a C initializer, from column 44
 * on, with one blank more for each level. Members that are zero are left out; "..." ends an object that
 * was cut.
 */
#include "output/print.h"
#include "output/scalar.h"

#include <inttypes.h>
#include <string.h>

enum { COLUMN = 44 };

/* The object in hand; the same limits as in pretty.c bound what its type can make us print. */
struct object {
	struct dt_out *o;
	struct dt_types *types;
	struct dt_bytes bytes;
	unsigned depth;
	uint64_t values;		/* printed so far */
};

static void object_value(struct object *, const struct dt_type *, uint64_t bit_off, uint16_t bit_size);

static void object_indent(struct object *x)
{
	dt_out_pad(x->o, ' ', COLUMN + x->depth);
}

static void object_type(struct object *x, const struct dt_type *t)
{
	char name[256];

	dt_scalar_type(t, name, sizeof(name));
	dt_out_printf(x->o, "(%s)", name);
}

/*
 * Whether a member is all zero bits. A member outside of the record counts as zero: it is not printed
 * either.
 */
static bool object_is_zero(struct object *x, const struct dt_member *m, uint64_t base)
{
	uint64_t v = 0, off = base + m->bit_off, size = dt_type_size(x->types, m->type);

	if (m->bit_size)
		return !dt_scalar_read(dt_type_base(m->type), x->bytes, off, m->bit_size, &v) || v == 0;
	struct dt_bytes b = dt_bytes_at(x->bytes, off / 8, size);
	for (size_t i = 0; i < b.len; i++)
		if (b.p[i])
			return false;
	return true;
}

/* A member that begins after the end of the record makes the object a cut one. */
static void object_members(struct object *x, const struct dt_type *t, uint64_t bit_off)
{
	uint32_t n = 0;
	const struct dt_member *m = dt_type_members(x->types, t, &n);
	bool cut = false;

	for (uint32_t i = 0; m && i < n && !x->o->failed; i++) {
		cut |= (bit_off + m[i].bit_off) / 8 >= x->bytes.len;
		if (object_is_zero(x, &m[i], bit_off))
			continue;
		object_indent(x);
		if (m[i].name && m[i].name[0])
			dt_out_printf(x->o, ".%s = ", m[i].name);
		object_value(x, m[i].type, bit_off + m[i].bit_off, m[i].bit_size);
		dt_out_str(x->o, ",\n");
	}
	if (cut) {
		object_indent(x);
		dt_out_str(x->o, "...\n");
	}
}

static void object_struct(struct object *x, const struct dt_type *t, uint64_t bit_off)
{
	dt_out_str(x->o, " {\n");
	x->depth++;
	object_members(x, t, bit_off);
	x->depth--;
	object_indent(x);
	dt_out_str(x->o, "}");
}

/* Elements that are zero are shown, as their index would be lost; an array of char ends at its NUL. */
static void object_array(struct object *x, const struct dt_type *t, uint64_t bit_off)
{
	uint64_t size = dt_type_size(x->types, t->ref);
	bool text = dt_scalar_is_char(dt_type_base(t->ref));

	dt_out_str(x->o, " [\n");
	x->depth++;
	for (uint64_t i = 0; i < t->nelems && size > 0 && !x->o->failed; i++) {
		uint64_t at = bit_off / 8 + i * size;
		if (at >= x->bytes.len || (text && x->bytes.p[at] == 0))
			break;
		object_indent(x);
		object_value(x, t->ref, bit_off + 8 * i * size, 0);
		dt_out_str(x->o, ",\n");
	}
	x->depth--;
	object_indent(x);
	dt_out_str(x->o, "]");
}

static void object_scalar(struct object *x, const struct dt_type *t, uint64_t bit_off, uint16_t bit_size)
{
	const char *name = NULL;
	uint64_t v;

	if (!dt_scalar_read(t, x->bytes, bit_off, bit_size, &v)) {
		dt_out_str(x->o, "...");
		return;
	}
	if (t->kind == DT_T_ENUM)
		name = dt_scalar_enum(x->types, t, v);
	if (name)
		dt_out_str(x->o, name);
	else if (t->kind == DT_T_PTR)
		dt_out_printf(x->o, "0x%" PRIx64, v);
	else if (dt_scalar_is_char(t) && !bit_size)
		dt_scalar_char(x->o, (unsigned char)v);
	else if (t->is_signed || t->kind == DT_T_ENUM)
		dt_out_printf(x->o, "%" PRId64, (int64_t)v);
	else
		dt_out_printf(x->o, "%" PRIu64, v);
}

/* Every value begins with its type in parentheses, like a cast in C. */
static void object_value(struct object *x, const struct dt_type *type, uint64_t bit_off, uint16_t bit_size)
{
	const struct dt_type *t = dt_type_complete(x->types, dt_type_base(type));

	object_type(x, type);
	if (x->depth > DT_PRINT_DEPTH || dt_print_enough(&x->values, x->bytes)) {
		dt_out_str(x->o, "...");
		return;
	}
	switch (t->kind) {
	case DT_T_STRUCT:
	case DT_T_UNION: object_struct(x, t, bit_off); break;
	case DT_T_ARRAY: object_array(x, t, bit_off); break;
	case DT_T_INT:
	case DT_T_ENUM:
	case DT_T_PTR: object_scalar(x, t, bit_off, bit_size); break;
	case DT_T_FLOAT: dt_scalar_float(x->o, dt_bytes_at(x->bytes, bit_off / 8, t->size)); break;
	default: dt_out_str(x->o, "..."); break;
	}
}

void dt_pretty_pointer(struct dt_out *o, uint64_t addr, const struct dt_value *object)
{
	struct object x = { .o = o, .types = o->opts->types };

	dt_out_printf(o, "0x%" PRIx64 " = *\n", addr);
	if (!x.types || !object->type) {
		dt_hexdump_print(o, object->bytes, object->bytes ? object->len : 0);
		return;
	}
	x.bytes = (struct dt_bytes){ object->bytes, object->bytes ? object->len : 0 };
	object_indent(&x);
	object_value(&x, object->type, 0, 0);
	dt_out_str(o, "\n");
}
