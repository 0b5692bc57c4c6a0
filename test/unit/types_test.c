/* SPDX-License-Identifier: BSD-2-Clause */
/* The type table against the compiler: layout, spelling, lookup, undo. Type data have their own test. */
#include "types/type.h"
#include "base/diag.h"
#include "check.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>

/* A member as D text would give it: a basic spelling ("*": pointer to void), elements, bits. */
struct field {
	const char *name, *type;
	unsigned n, bits;
};

static const struct dt_type *field_type(struct dt_types *ts, const struct field *f)
{
	const struct dt_type *t = f->type[0] == '*' ? dt_type_ptr(ts, dt_types_void(ts)) :
	    dt_types_basic(ts, f->type);

	return f->n ? dt_type_array(ts, t, f->n) : t;
}

static const struct dt_type *build(struct dt_types *ts, enum dt_tkind kind, const char *tag,
    const struct field *f, unsigned n)
{
	struct dt_member m[16] = { { .name = NULL } };
	struct dt_type *t = dt_type_shell(ts, "D", kind, tag);

	for (unsigned i = 0; i < n; i++) {
		m[i].name = f[i].name;
		m[i].type = field_type(ts, &f[i]);
		m[i].bit_size = (uint16_t)f[i].bits;
	}
	CHECK_INT(dt_type_complete_sou(ts, t, m, n), 0);
	return t;
}

static long bit_off(struct dt_types *ts, const struct dt_type *t, const char *name)
{
	struct dt_member m;

	return dt_type_member(ts, t, name, &m) ? (long)m.bit_off : -1;
}

/* The first bit that changes when every bit of the member is set. */
static long first_bit(const void *p, size_t len)
{
	const unsigned char *b = p;

	for (size_t i = 0; i < len * 8; i++)
		if (b[i / 8] >> i % 8 & 1)
			return (long)i;
	return -1;
}

#define BIT(T, f) ({ T x_; memset(&x_, 0, sizeof(x_)); x_.f--; first_bit(&x_, sizeof(x_)); })
#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define SIZES(ts, t, T) do { \
	CHECK_INT(dt_type_size(ts, t), sizeof(T)); CHECK_INT(dt_type_align(ts, t), _Alignof(T)); \
} while (0)
#define SAME(ts, t, T, f) CHECK_INT(bit_off(ts, t, #f), BIT(T, f))

static void layout_plain(struct dt_types *ts)
{
	struct plain { char a; int b; char c; double d; short e; void *p; char g[3]; long double q; _Bool h;
		};
	static const struct field f[] = {
		{ "a", "char", 0, 0 }, { "b", "int", 0, 0 }, { "c", "char", 0, 0 }, { "d", "double", 0, 0 },
		{ "e", "short", 0, 0 }, { "p", "*", 0, 0 }, { "g", "char", 3, 0 },
		{ "q", "long double", 0, 0 }, { "h", "_Bool", 0, 0 },
	};
	struct flex { int n; char tail[]; };
	static const struct field g[] = { { "n", "int", 0, 0 }, { "tail", "char", 0, 0 } };
	struct dt_member m[2] = { { .name = "n" }, { .name = "tail" } };
	const struct dt_type *t = build(ts, DT_T_STRUCT, "plain", f, COUNT(f));
	struct dt_type *x;

	SIZES(ts, t, struct plain);
	SAME(ts, t, struct plain, a);
	SAME(ts, t, struct plain, b);
	SAME(ts, t, struct plain, c);
	SAME(ts, t, struct plain, e);
	CHECK_INT(bit_off(ts, t, "d"), offsetof(struct plain, d) * 8);
	CHECK_INT(bit_off(ts, t, "p"), offsetof(struct plain, p) * 8);
	CHECK_INT(bit_off(ts, t, "g"), offsetof(struct plain, g) * 8);
	CHECK_INT(bit_off(ts, t, "q"), offsetof(struct plain, q) * 8);
	CHECK_INT(bit_off(ts, t, "h"), offsetof(struct plain, h) * 8);
	x = dt_type_shell(ts, "D", DT_T_STRUCT, "flex");
	m[0].type = field_type(ts, &g[0]);
	m[1].type = dt_type_array(ts, field_type(ts, &g[1]), 0);
	CHECK_INT(dt_type_complete_sou(ts, x, m, 2), 0);
	SIZES(ts, x, struct flex);
	CHECK_INT(bit_off(ts, x, "tail"), offsetof(struct flex, tail) * 8);
	x = dt_type_shell(ts, "D", DT_T_STRUCT, "empty");
	CHECK_INT(dt_type_complete_sou(ts, x, NULL, 0), 0);
	CHECK_INT(dt_type_size(ts, x), 0);
}

static void layout_bits(struct dt_types *ts)
{
	struct b1 { int a : 3, b : 7; unsigned c : 22, d : 1; };
	struct b2 { char a; int b : 30; short c : 5; long d : 40; char e; };
	struct b3 { unsigned a : 1; int : 0; unsigned b : 1; char c; unsigned long d : 33; };
	struct b4 { char a : 3; char b : 6; short c : 9; short d : 7; };
	struct b5 { char a; long : 60; char b; };
	struct b6 { char a; int : 3; char b; };
	struct b7 { unsigned long a : 63, b : 2; _Bool c : 1; unsigned char d : 8; };
	static const struct field f1[] = { { "a", "int", 0, 3 }, { "b", "int", 0, 7 },
		{ "c", "unsigned int", 0, 22 }, { "d", "unsigned int", 0, 1 } };
	static const struct field f2[] = { { "a", "char", 0, 0 }, { "b", "int", 0, 30 },
		{ "c", "short", 0, 5 }, { "d", "long", 0, 40 }, { "e", "char", 0, 0 } };
	static const struct field f3[] = { { "a", "unsigned int", 0, 1 }, { NULL, "int", 0, 0 },
		{ "b", "unsigned int", 0, 1 }, { "c", "char", 0, 0 }, { "d", "unsigned long", 0, 33 } };
	static const struct field f4[] = { { "a", "char", 0, 3 }, { "b", "char", 0, 6 },
		{ "c", "short", 0, 9 }, { "d", "short", 0, 7 } };
	static const struct field f5[] = { { "a", "char", 0, 0 }, { NULL, "long", 0, 60 },
		{ "b", "char", 0, 0 } };
	static const struct field f6[] = { { "a", "char", 0, 0 }, { NULL, "int", 0, 3 },
		{ "b", "char", 0, 0 } };
	static const struct field f7[] = { { "a", "unsigned long", 0, 63 }, { "b", "unsigned long", 0, 2 },
		{ "c", "_Bool", 0, 1 }, { "d", "unsigned char", 0, 8 } };
	const struct dt_type *t;
	uint32_t n;

	t = build(ts, DT_T_STRUCT, "b1", f1, COUNT(f1));
	SIZES(ts, t, struct b1); SAME(ts, t, struct b1, a); SAME(ts, t, struct b1, b);
	    SAME(ts, t, struct b1, c); SAME(ts, t, struct b1, d);
	t = build(ts, DT_T_STRUCT, "b2", f2, COUNT(f2));
	SIZES(ts, t, struct b2); SAME(ts, t, struct b2, b); SAME(ts, t, struct b2, c);
	    SAME(ts, t, struct b2, d); SAME(ts, t, struct b2, e);
	t = build(ts, DT_T_STRUCT, "b3", f3, COUNT(f3));
	SIZES(ts, t, struct b3); SAME(ts, t, struct b3, a); SAME(ts, t, struct b3, b);
	    SAME(ts, t, struct b3, c); SAME(ts, t, struct b3, d);
	dt_type_members(ts, t, &n);
	CHECK_INT(n, 4);	/* `: 0` is not a member */
	t = build(ts, DT_T_STRUCT, "b4", f4, COUNT(f4));
	SIZES(ts, t, struct b4); SAME(ts, t, struct b4, a); SAME(ts, t, struct b4, b);
	    SAME(ts, t, struct b4, c); SAME(ts, t, struct b4, d);
	t = build(ts, DT_T_STRUCT, "b5", f5, COUNT(f5));
	SIZES(ts, t, struct b5); SAME(ts, t, struct b5, a); SAME(ts, t, struct b5, b);
	t = build(ts, DT_T_STRUCT, "b6", f6, COUNT(f6));
	SIZES(ts, t, struct b6); SAME(ts, t, struct b6, b);
	t = build(ts, DT_T_STRUCT, "b7", f7, COUNT(f7));
	SIZES(ts, t, struct b7); SAME(ts, t, struct b7, a); SAME(ts, t, struct b7, b);
	    SAME(ts, t, struct b7, d);
	CHECK_INT(bit_off(ts, t, "c"), first_bit(&(struct b7){ .c = true }, sizeof(struct b7)));
}

static void layout_unions(struct dt_types *ts)
{
	union u1 { char a[5]; int b; unsigned c : 11; };
	union u2 { unsigned long a : 9; char b; };
	struct n1 { char a; union { long b; struct { char c; short d : 4, e : 13; }; };
		struct { int f; } g[2]; union u1 h; };
	static const struct field f1[] = { { "a", "char", 5, 0 }, { "b", "int", 0, 0 },
		{ "c", "unsigned int", 0, 11 } };
	static const struct field f2[] = { { "a", "unsigned long", 0, 9 }, { "b", "char", 0, 0 } };
	static const struct field inner[] = { { "c", "char", 0, 0 }, { "d", "short", 0, 4 },
		{ "e", "short", 0, 13 } };
	static const struct field fg[] = { { "f", "int", 0, 0 } };
	const struct dt_type *u1 = build(ts, DT_T_UNION, "u1", f1, COUNT(f1)),
	    *u2 = build(ts, DT_T_UNION, "u2", f2, COUNT(f2));
	const struct dt_type *g = build(ts, DT_T_STRUCT, NULL, fg, 1);
	struct dt_type *u = dt_type_shell(ts, "D", DT_T_UNION, NULL),
	    *t = dt_type_shell(ts, "D", DT_T_STRUCT, "n1");
	struct dt_member mu[] = { { .name = "b", .type = dt_types_basic(ts, "long") },
		{ .type = build(ts, DT_T_STRUCT, NULL, inner, 3) } };
	struct dt_member mt[] = { { .name = "a", .type = dt_types_basic(ts, "char") },
		{ .name = "", .type = u }, { .name = "g", .type = dt_type_array(ts, g, 2) },
		{ .name = "h", .type = u1 } };
	struct dt_member m;

	SIZES(ts, u1, union u1);
	SIZES(ts, u2, union u2);
	CHECK_INT(bit_off(ts, u1, "c"), 0);
	CHECK_INT(dt_type_complete_sou(ts, u, mu, 2), 0);
	CHECK_INT(dt_type_complete_sou(ts, t, mt, 4), 0);
	SIZES(ts, t, struct n1);
	SAME(ts, t, struct n1, b);
	SAME(ts, t, struct n1, c);
	SAME(ts, t, struct n1, d);
	SAME(ts, t, struct n1, e);
	CHECK_INT(bit_off(ts, t, "g"), offsetof(struct n1, g) * 8);
	CHECK_INT(bit_off(ts, t, "h"), offsetof(struct n1, h) * 8);
	CHECK(dt_type_member(ts, t, "e", &m) && m.bit_size == 13);
	CHECK(!dt_type_member(ts, t, "f", &m));	/* inside a named member */
	CHECK(!dt_type_member(ts, t, "", &m));
}

static void layout_limits(struct dt_types *ts)
{
	const struct dt_type *big = dt_type_array(ts, dt_types_basic(ts, "long"), UINT64_MAX / 8);
	struct dt_member m[] = { { .name = "a", .type = big }, { .name = "b", .type = big } };
	struct dt_type *t = dt_type_shell(ts, "D", DT_T_STRUCT, "big");

	CHECK_INT(dt_type_complete_sou(ts, t, m, 2), -EOVERFLOW);
	m[0].type = dt_type_array(ts, big, 1000);
	CHECK_INT(dt_type_size(ts, m[0].type), 0);
	CHECK_INT(dt_type_complete_sou(ts, t, m, 1), -EOVERFLOW);
	m[0].type = m[1].type = dt_type_array(ts, dt_types_basic(ts, "char"), (uint64_t)1 << 59);
	CHECK_INT(dt_type_complete_sou(ts, t, m, 2), -EOVERFLOW);
	CHECK(t->incomplete);
	CHECK_INT(dt_type_complete_sou(ts, t, m, 1), 0);
}

static void enums(struct dt_types *ts)
{
	static const struct dt_enumconst small[] = { { "RED", 0 }, { "BLUE", -3 } },
	    high[] = { { "H", 0xffffffff } }, wide[] = { { "W", 1LL << 40 } };
	struct dt_type *t = dt_type_shell(ts, "D", DT_T_ENUM, "color");
	const struct dt_enumconst *c;
	uint32_t n;

	dt_type_complete_enum(ts, t, small, 2);
	c = dt_type_enums(ts, t, &n);
	CHECK(n == 2 && c[1].value == -3 && strcmp(c[0].name, "RED") == 0 && t->size == 4 &&
	    dt_type_is_signed(t));
	t = dt_type_shell(ts, "D", DT_T_ENUM, NULL);
	dt_type_complete_enum(ts, t, high, 1);
	CHECK(t->size == 4 && !t->is_signed);
	t = dt_type_shell(ts, "D", DT_T_ENUM, NULL);
	dt_type_complete_enum(ts, t, wide, 1);
	CHECK(t->size == 8 && t->is_signed && dt_type_is_integer(t));
}

static const char *str(struct dt_types *ts, const struct dt_type *t)
{
	return dt_type_str(dt_types_arena(ts), t);
}

static void printing(struct dt_types *ts)
{
	const struct dt_type *i = dt_types_basic(ts, "int"), *c = dt_types_basic(ts, "char"),
	    *cp = dt_type_ptr(ts, c);
	const struct dt_type *fn = dt_type_func(ts, i, NULL, 0, false), *a3 = dt_type_array(ts, i, 3);
	const struct dt_type *params[] = { dt_type_ptr(ts, dt_type_qual(ts, c, DT_TQ_CONST)),
		dt_type_ptr(ts, fn) };
	const struct dt_type *s = dt_type_shell(ts, "D", DT_T_STRUCT, "printed"), *deep = i;
	char small[6];

	CHECK_STR(str(ts, i), "int");
	CHECK_STR(str(ts, cp), "char *");
	CHECK_STR(str(ts, dt_type_ptr(ts, cp)), "char **");
	CHECK_STR(str(ts, a3), "int [3]");
	CHECK_STR(str(ts, dt_type_array(ts, a3, 2)), "int [2][3]");
	CHECK_STR(str(ts, dt_type_array(ts, i, 0)), "int []");
	CHECK_STR(str(ts, dt_type_ptr(ts, a3)), "int (*)[3]");
	CHECK_STR(str(ts, dt_type_array(ts, cp, 4)), "char *[4]");
	CHECK_STR(str(ts, fn), "int (void)");
	CHECK_STR(str(ts, dt_type_ptr(ts, fn)), "int (*)(void)");
	CHECK_STR(str(ts, dt_type_array(ts, dt_type_ptr(ts, fn), 7)), "int (*[7])(void)");
	CHECK_STR(str(ts, dt_type_func(ts, cp, params, 2, true)), "char *(const char *, int (*)(void), ...)");
	CHECK_STR(str(ts, dt_type_func(ts, dt_type_ptr(ts, fn), params, 1, false)),
	    "int (*(const char *))(void)");
	CHECK_STR(str(ts, dt_type_qual(ts, cp, DT_TQ_CONST)), "char *const");
	CHECK_STR(str(ts, dt_type_ptr(ts, dt_type_qual(ts, cp, DT_TQ_CONST | DT_TQ_VOLATILE))),
	    "char *const volatile *");
	CHECK_STR(str(ts, dt_type_qual(ts, a3, DT_TQ_CONST)), "const int [3]");
	CHECK_STR(str(ts, dt_type_ptr(ts, dt_type_qual(ts, c, DT_TQ_USERLAND))), "userland char *");
	CHECK_STR(str(ts, dt_type_ptr(ts, s)), "struct printed *");
	CHECK_STR(str(ts, dt_type_shell(ts, "D", DT_T_UNION, NULL)), "union {...}");
	CHECK_STR(str(ts, dt_types_string(ts)), "string");
	CHECK_STR(str(ts, dt_types_find(ts, NULL, DT_T_TYPEDEF, "caddr_t")), "caddr_t");
	CHECK_STR(str(ts, dt_types_special(ts, DT_T_STACK)), "stack");
	CHECK_INT(dt_type_name(i, NULL, 0), 3);
	CHECK_INT(dt_type_name(dt_type_ptr(ts, s), small, sizeof(small)), 16);
	CHECK_STR(small, "struc");
	for (unsigned k = 0; k < 5000; k++)
		deep = dt_type_ptr(ts, deep);
	CHECK(dt_type_name(deep, small, sizeof(small)) < 1000);
}

static void interning(struct dt_types *ts)
{
	const struct dt_type *i = dt_types_basic(ts, "int"), *l = dt_types_basic(ts, "long");
	const struct dt_type *p[] = { i, l };
	const struct dt_type *ci = dt_type_qual(ts, i, DT_TQ_CONST);

	CHECK(dt_type_ptr(ts, i) == dt_type_ptr(ts, i));
	CHECK(dt_type_ptr(ts, i) != dt_type_ptr(ts, l));
	CHECK(dt_type_array(ts, i, 3) == dt_type_array(ts, i, 3));
	CHECK(dt_type_array(ts, i, 3) != dt_type_array(ts, i, 4));
	CHECK(dt_type_func(ts, i, p, 2, false) == dt_type_func(ts, i, p, 2, false));
	CHECK(dt_type_func(ts, i, p, 2, false) != dt_type_func(ts, i, p, 2, true));
	CHECK(dt_type_func(ts, i, p, 1, false) != dt_type_func(ts, i, p, 2, false));
	CHECK(dt_type_qual(ts, ci, DT_TQ_VOLATILE) == dt_type_qual(ts, i, DT_TQ_CONST | DT_TQ_VOLATILE));
	CHECK(dt_type_qual(ts, ci, 0) == ci);
	CHECK(dt_type_qual(ts, ci, DT_TQ_CONST) == ci);
	CHECK(dt_type_same(ci, i) && !dt_type_same(i, l));
	CHECK(dt_types_basic(ts, "long unsigned int") == dt_types_basic(ts, "unsigned long"));
	CHECK(dt_types_basic(ts, "short int") == dt_types_sized(ts, 2, true));
	CHECK(dt_types_basic(ts, "unsigned") == dt_types_sized(ts, 4, false));
	CHECK(dt_types_basic(ts, "long long int")->size == 8 &&
	    dt_types_basic(ts, "long double")->size == 16);
	CHECK(!dt_types_basic(ts, "long float") && !dt_types_basic(ts, "") &&
	    !dt_types_basic(ts, "long long long"));
	CHECK(!dt_types_basic(ts, "unsigned signed") && !dt_types_basic(ts, "char int") &&
	    !dt_types_basic(ts, "long char"));
	CHECK(dt_types_basic(ts, "char")->is_signed && !dt_types_sized(ts, 3, true));
}

static void predicates(struct dt_types *ts)
{
	const struct dt_type *c = dt_types_basic(ts, "char"), *u = dt_types_basic(ts, "unsigned char"),
	    *s = dt_types_string(ts);
	const struct dt_type *cp = dt_type_ptr(ts, dt_type_qual(ts, c, DT_TQ_CONST));
	const struct dt_type *up = dt_type_ptr(ts, dt_type_qual(ts, c, DT_TQ_USERLAND));
	const struct dt_type *caddr = dt_types_find(ts, NULL, DT_T_TYPEDEF, "caddr_t");

	CHECK(dt_type_is_stringlike(cp) && dt_type_is_stringlike(s) &&
	    dt_type_is_stringlike(dt_type_array(ts, c, 9)));
	CHECK(dt_type_is_stringlike(caddr) && dt_type_is_pointer(caddr) && dt_type_is_scalar(caddr));
	CHECK(!dt_type_is_stringlike(dt_type_ptr(ts, u)) && !dt_type_is_stringlike(c));
	CHECK(dt_type_is_string(s) && !dt_type_is_pointer(s) && !dt_type_is_scalar(s) && dt_type_is_byref(s));
	CHECK(dt_type_is_pointer(dt_type_array(ts, c, 9)) && !dt_type_is_scalar(dt_type_array(ts, c, 9)));
	CHECK(dt_type_is_user(up) && !dt_type_is_user(cp) && !dt_type_is_user(dt_type_ptr(ts, up)));
	CHECK(!dt_type_is_user(dt_type_array(ts, up, 2)) &&
	    dt_type_is_user(dt_type_qual(ts, dt_type_array(ts, c, 2), DT_TQ_USERLAND)));
	CHECK(dt_type_is_user(dt_type_ptr(ts, dt_type_typedef(ts, "D", "uc_t",
	    dt_type_qual(ts, c, DT_TQ_USERLAND)))));
	CHECK(dt_type_is_void(dt_type_qual(ts, dt_types_void(ts), DT_TQ_CONST)));
	CHECK(dt_type_is_byref(dt_types_basic(ts, "long double")) &&
	    !dt_type_is_byref(dt_types_basic(ts, "double")));
	CHECK(!dt_type_is_integer(dt_types_basic(ts, "double")) &&
	    !dt_type_is_scalar(dt_types_basic(ts, "double")));
	CHECK_INT(dt_type_size(ts, s), 256);
	dt_types_strsize(ts, 1024);
	CHECK_INT(dt_type_size(ts, s), 1024);
	CHECK_INT(dt_type_size(ts, dt_type_array(ts, s, 2)), 2048);
}

static void lookup(struct dt_types *ts)
{
	static const char *const names[] = { "int8_t", "uint64_t", "size_t", "uint_t", "u_longlong_t",
		"pid_t", "hrtime_t", "zoneid_t", "lgrp_id_t", "boolean_t", "ipaddr_t", "processorid_t", "int",
		"unsigned long", "string", "void" };
	const struct dt_type *c, *d;
	struct dt_near near;

	for (unsigned i = 0; i < COUNT(names); i++)
		CHECK(dt_types_find(ts, NULL, DT_T_TYPEDEF, names[i]) != NULL);
	CHECK(dt_types_find(ts, NULL, DT_T_TYPEDEF, "size_t") == dt_types_find(ts, "D", DT_T_TYPEDEF,
	    "size_t"));
	CHECK(!dt_types_declared(ts, NULL, DT_T_TYPEDEF, "size_t"));	/* no text declared it */
	CHECK(!dt_types_find(ts, NULL, DT_T_TYPEDEF, "nosuch_t") &&
	    !dt_types_find(ts, "ext4", DT_T_STRUCT, "x"));
	CHECK(!dt_types_find(ts, NULL, DT_T_STRUCT, "int"));
	c = dt_type_shell(ts, "C", DT_T_STRUCT, "both");
	CHECK(dt_types_find(ts, NULL, DT_T_STRUCT, "both") == c && dt_type_complete(ts, c) == c);
	CHECK(dt_type_shell(ts, "C", DT_T_STRUCT, "both") == c);
	CHECK(!dt_types_find(ts, "D", DT_T_STRUCT, "both") && !dt_types_find(ts, NULL, DT_T_UNION, "both"));
	d = build(ts, DT_T_STRUCT, "both", &(struct field){ "x", "int", 0, 0 }, 1);
	CHECK(d != c && dt_types_find(ts, NULL, DT_T_STRUCT, "both") == d);
	CHECK(dt_types_find(ts, "C", DT_T_STRUCT, "both") == c && dt_type_complete(ts, c) == d);
	CHECK_INT(dt_type_size(ts, c), 4);
	CHECK_INT(bit_off(ts, c, "x"), 0);
	CHECK(dt_type_typedef(ts, "D", "both_t", d) == dt_type_typedef(ts, "D", "both_t", d));
	CHECK(dt_type_base(dt_type_typedef(ts, "D", "both_tt",
	    dt_types_find(ts, NULL, DT_T_TYPEDEF, "both_t"))) == d);
	dt_near_init(&near, "unit32_t");
	dt_types_near(ts, DT_T_TYPEDEF, &near);
	CHECK_STR(near.best, "uint32_t");
	dt_near_init(&near, "bothh");
	dt_types_near(ts, DT_T_STRUCT, &near);
	CHECK_STR(near.best, "both");
}

static void undo(struct dt_types *ts)
{
	const struct dt_type *i = dt_types_basic(ts, "int"), *l = dt_types_basic(ts, "long"), *old, *p;
	struct dt_type *fwd = dt_type_shell(ts, "D", DT_T_STRUCT, "later");
	struct dt_member m = { .name = "x", .type = i };
	struct dt_types_mark mark;

	old = dt_type_typedef(ts, "D", "thing_t", i);
	mark = dt_types_mark(ts);
	CHECK_INT(dt_type_complete_sou(ts, fwd, &m, 1), 0);
	CHECK(dt_type_typedef(ts, "D", "thing_t", l) != old);
	dt_type_typedef(ts, "D", "new_t", l);
	p = dt_type_ptr(ts, fwd);
	CHECK_INT(dt_type_size(ts, fwd), 4);
	dt_types_cut(ts, mark);
	CHECK(fwd->incomplete && dt_type_size(ts, fwd) == 0);
	CHECK(dt_types_find(ts, NULL, DT_T_TYPEDEF, "thing_t") == old);
	CHECK(!dt_types_find(ts, NULL, DT_T_TYPEDEF, "new_t"));
	CHECK(dt_types_find(ts, NULL, DT_T_STRUCT, "later") == fwd);
	CHECK(dt_type_ptr(ts, fwd) == p);
	CHECK_INT(dt_type_complete_sou(ts, fwd, &m, 1), 0);
}

int main(void)
{
	struct dt_types *ts = dt_types_new();

	layout_plain(ts);
	layout_bits(ts);
	layout_unions(ts);
	layout_limits(ts);
	enums(ts);
	printing(ts);
	interning(ts);
	predicates(ts);
	lookup(ts);
	undo(ts);
	dt_types_free(ts);
	return CHECK_DONE("types");
}
