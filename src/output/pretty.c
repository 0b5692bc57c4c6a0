/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * print() of a value: a type and its recorded bytes in, one line for each member out, with four blanks
 * a level and integers in hexadecimal. There may be fewer bytes than the type has: what is missing
 * prints as "<truncated>".
 */
#include "output/print.h"
#include "output/scalar.h"

#include <inttypes.h>
#include <string.h>

/* `depth` and `values` bound what a type can make us print, however its structs contain each other. */
struct pretty {
	struct dt_out *o;
	struct dt_types *types;
	struct dt_bytes bytes;
	unsigned depth;
	uint64_t values;		/* printed so far */
};

static void pretty_value(struct pretty *, const struct dt_type *, uint64_t bit_off, uint16_t bit_size);

static void pretty_indent(struct pretty *p)
{
	dt_out_pad(p->o, ' ', 4 * (size_t)p->depth);
}

static void pretty_type(struct pretty *p, const struct dt_type *t)
{
	char name[256];

	dt_scalar_type(t, name, sizeof(name));
	dt_out_str(p->o, name);
}

/*
 * Type, name and value: "int pid = 0x1". A pointer's name follows its * without a blank; a member
 * without a name has no " = ".
 */
static void pretty_member(struct pretty *p, const struct dt_member *m, uint64_t base)
{
	char name[256];
	size_t n;

	pretty_indent(p);
	dt_scalar_type(m->type, name, sizeof(name));
	dt_out_str(p->o, name);
	n = strlen(name);
	if (m->name && m->name[0]) {
		if (n == 0 || name[n - 1] != '*')
			dt_out_str(p->o, " ");
		dt_out_str(p->o, m->name);
	}
	if (m->bit_size)
		dt_out_printf(p->o, " :%u", m->bit_size);
	dt_out_str(p->o, m->name && m->name[0] ? " = " : "  ");
	pretty_value(p, m->type, base + m->bit_off, m->bit_size);
	dt_out_str(p->o, "\n");
}

static void pretty_struct(struct pretty *p, const struct dt_type *t, uint64_t bit_off)
{
	uint32_t n = 0;
	const struct dt_member *m = dt_type_members(p->types, t, &n);

	if (t->incomplete || (!m && n == 0 && t->size == 0)) {
		dt_out_str(p->o, "<forward decl>");
		return;
	}
	dt_out_str(p->o, "{\n");
	p->depth++;
	for (uint32_t i = 0; m && i < n && !p->o->failed; i++)
		pretty_member(p, &m[i], bit_off);
	p->depth--;
	pretty_indent(p);
	dt_out_str(p->o, "}");
}

/* Whether the bytes are printable up to a NUL, and there is one. */
static bool pretty_is_text(struct dt_bytes b)
{
	size_t i = 0;

	while (i < b.len && b.p[i] >= ' ' && b.p[i] <= '~')
		i++;
	return i < b.len && b.p[i] == '\0';
}

/* Inside of a struct, an array of char keeps its brackets, as other arrays do. */
static void pretty_text(struct pretty *p, const struct dt_type *t, uint64_t bit_off)
{
	struct dt_bytes b = dt_bytes_at(p->bytes, bit_off / 8, t->nelems);

	dt_out_str(p->o, p->depth ? "[ \"" : "\"");
	dt_out_escaped(p->o, b.p, b.len ? strnlen((const char *)b.p, b.len) : 0);
	dt_out_str(p->o, p->depth ? "\" ]" : "\"");
}

/* Structs and arrays have one line each; all other elements share one. */
static void pretty_array(struct pretty *p, const struct dt_type *t, uint64_t bit_off)
{
	const struct dt_type *e = dt_type_complete(p->types, t->ref);
	uint64_t size = dt_type_size(p->types, t->ref);
	bool lines = dt_type_is_sou(e) || e->kind == DT_T_ARRAY;

	if (dt_scalar_is_char(e) && pretty_is_text(dt_bytes_at(p->bytes, bit_off / 8, t->nelems))) {
		pretty_text(p, t, bit_off);
		return;
	}
	dt_out_str(p->o, lines ? "[\n" : "[ ");
	p->depth += lines;
	for (uint64_t i = 0; i < t->nelems && !p->o->failed; i++) {
		if (i > 0)
			dt_out_str(p->o, lines ? ",\n" : ", ");
		if (size == 0 || bit_off / 8 + i * size >= p->bytes.len) {
			dt_out_str(p->o, "...");
			break;
		}
		if (lines) {
			pretty_indent(p);
			pretty_type(p, t->ref);
			dt_out_str(p->o, " ");
		}
		pretty_value(p, t->ref, bit_off + 8 * i * size, 0);
	}
	p->depth -= lines;
	if (lines) {
		dt_out_str(p->o, "\n");
		pretty_indent(p);
		dt_out_str(p->o, "]");
	} else
		dt_out_str(p->o, " ]");
}

static void pretty_pointer(struct pretty *p, const struct dt_type *t, uint64_t v)
{
	char text[256];
	struct dt_value sym = { .kind = DT_V_SYM, .i = v };

	if (v && dt_type_base(t->ref)->kind == DT_T_FUNC && p->o->opts->symbolize) {
		dt_symbol_text(p->o->opts, &sym, text, sizeof(text));
		dt_out_str(p->o, text);
	} else
		dt_out_printf(p->o, v ? "0x%" PRIx64 : "%" PRIx64, v);
}

/*
 * Zero has no 0x. The value was sign-extended when it was read, so it is cut back to its width for
 * hexadecimal.
 */
static void pretty_integer(struct pretty *p, const struct dt_type *t, uint64_t v, uint16_t bits)
{
	unsigned width = bits ? bits : (unsigned)(8 * t->size);
	const char *name = t->kind == DT_T_ENUM ? dt_scalar_enum(p->types, t, v) : NULL;

	if (name)
		dt_out_str(p->o, name);
	else if (t->kind == DT_T_ENUM)
		dt_out_printf(p->o, "%" PRId64, (int64_t)v);
	else if (dt_scalar_is_char(t) && !bits)
		dt_scalar_char(p->o, (unsigned char)v);
	else {
		if (width < 64)
			v &= (1ull << width) - 1;
		dt_out_printf(p->o, v ? "0x%" PRIx64 : "%" PRIx64, v);
	}
}

static void pretty_scalar(struct pretty *p, const struct dt_type *t, uint64_t bit_off, uint16_t bit_size)
{
	uint64_t v;

	if (!dt_scalar_read(t, p->bytes, bit_off, bit_size, &v))
		dt_out_str(p->o, "<truncated>");
	else if (t->kind == DT_T_PTR)
		pretty_pointer(p, t, v);
	else
		pretty_integer(p, t, v, bit_size);
}

static void pretty_string(struct pretty *p, uint64_t bit_off)
{
	struct dt_bytes b = dt_bytes_at(p->bytes, bit_off / 8, p->bytes.len);

	dt_out_str(p->o, "\"");
	dt_out_escaped(p->o, b.p, b.len ? strnlen((const char *)b.p, b.len) : 0);
	dt_out_str(p->o, "\"");
}

static void pretty_value(struct pretty *p, const struct dt_type *type, uint64_t bit_off, uint16_t bit_size)
{
	const struct dt_type *t = dt_type_complete(p->types, dt_type_base(type));

	if (p->depth > DT_PRINT_DEPTH || dt_print_enough(&p->values, p->bytes)) {
		dt_out_str(p->o, "...");
		return;
	}
	switch (t->kind) {
	case DT_T_STRUCT:
	case DT_T_UNION: pretty_struct(p, t, bit_off); break;
	case DT_T_ARRAY: pretty_array(p, t, bit_off); break;
	case DT_T_STRING: pretty_string(p, bit_off); break;
	case DT_T_INT:
	case DT_T_ENUM:
	case DT_T_PTR: pretty_scalar(p, t, bit_off, bit_size); break;
	case DT_T_FLOAT:
		if (!dt_scalar_float(p->o, dt_bytes_at(p->bytes, bit_off / 8, t->size)))
			dt_out_str(p->o, "<truncated>");
		break;
	default: dt_out_str(p->o, "<unknown>"); break;
	}
}

/* An integer is recorded as a number; it becomes bytes again, so that there is one way to read values. */
void dt_pretty_print(struct dt_out *o, const struct dt_value *v)
{
	struct pretty p = { .o = o, .types = o->opts->types };
	unsigned char word[8];

	if (!p.types || !v->type) {
		dt_value_trace(o, v);
		dt_out_str(o, "\n");
		return;
	}
	if (v->kind == DT_V_INT) {
		for (unsigned i = 0; i < 8; i++)
			word[i] = (unsigned char)(v->i >> 8 * i);
		p.bytes = (struct dt_bytes){ word, v->size && v->size <= 8 ? v->size : 8 };
	} else
		p.bytes = (struct dt_bytes){ v->bytes, v->bytes ? v->len : 0 };
	pretty_type(&p, v->type);
	dt_out_str(o, " ");
	pretty_value(&p, v->type, 0, 0);
	/* historic: a struct ends with its brace, and everything else ends its line */
	if (!dt_type_is_sou(dt_type_base(v->type)))
		dt_out_str(o, "\n");
}
