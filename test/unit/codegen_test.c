/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The code generator: typed trees built by hand in, listings out; then the same kind of trees run by the
 * interpreter.
 */
#include "codegen_bench.h"

static const struct dt_builtin row_basename = { .name = "basename", .kind = DT_BI_SUBR, .id = 25,
	.proto = "string(const char *)" };
static const struct dt_builtin row_trace = { .name = "trace", .kind = DT_BI_ACTION, .id = DT_ACT_DIFEXPR };
static const struct dt_builtin row_args = { .name = "args", .kind = DT_BI_ARRAY, .id = 0 };

/* ---- listings ---- */

static void test_documented(struct bench *b)
{
	struct dt_ident *pid = ident(b, "pid", DT_ID_SCALAR, DT_SCOPE_GLOBAL, DT_VAR_pid, ty(b, "int"));
	struct dt_ident *ts = ident(b, "ts", DT_ID_SCALAR, DT_SCOPE_THREAD, 0x500, ty(b, "unsigned long"));
	struct dt_ident *now = ident(b, "timestamp", DT_ID_SCALAR, DT_SCOPE_GLOBAL, DT_VAR_timestamp,
	    ty(b, "unsigned long"));
	struct dt_ident *exec = ident(b, "execname", DT_ID_SCALAR, DT_SCOPE_GLOBAL, DT_VAR_execname,
	    dt_types_string(b->types));
	struct dt_node *eq = bin(b, DT_OP_EQ, var(b, pid), num(b, 1, "int"), ty(b, "int"));
	struct dt_difo *d;

	CHECK_STR(listing(b, dt_cg_bool(&b->opts, eq, NULL)),
	    "returns D type (integer) (size 4)\n"
	    "OFF OPCODE      INSTRUCTION\n"
	    "00: 29011601    ldgs DT_VAR(278), %r1\t\t! DT_VAR(278) = \"pid\"\n"
	    "01: 25000002    setx DT_INTEGER[0], %r2\t\t! 0x1\n"
	    "02: 0f010200    cmp  %r1, %r2\n"
	    "03: 12000006    be   6\n"
	    "04: 0e000001    mov  %r0, %r1\n"
	    "05: 11000007    ba   7\n"
	    "06: 25000001    setx DT_INTEGER[0], %r1\t\t! 0x1\n"
	    "07: 23000001    ret  %r1\n"
	    "\n"
	    "NAME             ID   KND SCP FLAG TYPE\n"
	    "pid              116  scl glb r    D type (integer) (size 4)\n");
	d = dt_cg_void(&b->opts, asgn(b, DT_OP_NONE, var(b, ts), var(b, now)));
	CHECK_STR(listing(b, d),
	    "returns D type (integer) (size 8)\n"
	    "OFF OPCODE      INSTRUCTION\n"
	    "00: 29010101    ldgs DT_VAR(257), %r1\t\t! DT_VAR(257) = \"timestamp\"\n"
	    "01: 2d050001    stts %r1, DT_VAR(1280)\t\t! DT_VAR(1280) = \"ts\"\n"
	    "02: 23000001    ret  %r1\n"
	    "\n"
	    "NAME             ID   KND SCP FLAG TYPE\n"
	    "ts               500  scl tls w    D type (integer) (size 8)\n"
	    "timestamp        101  scl glb r    D type (integer) (size 8)\n");
	CHECK(dt_difo_void(b->arena, d)->rtype.size == 0 && d->rtype.size == 8);
	CHECK_STR(listing(b, dt_cg_expr(&b->opts,
	    call(b, &row_basename, var(b, exec), dt_types_string(b->types)))),
	    "returns string (unknown) by ref (size 256)\n"
	    "OFF OPCODE      INSTRUCTION\n"
	    "00: 29011801    ldgs DT_VAR(280), %r1\t\t! DT_VAR(280) = \"execname\"\n"
	    "01: 33000000    flushts\n"
	    "02: 25000002    setx DT_INTEGER[0], %r2\t\t! 0x100\n"
	    "03: 30010201    pushtr DT_TYPE(1), %r2, %r1\t! DT_TYPE(1) = string\n"
	    "04: 2f001901    call DIF_SUBR(25), %r1\t\t! basename\n"
	    "05: 23000001    ret  %r1\n"
	    "\n"
	    "NAME             ID   KND SCP FLAG TYPE\n"
	    "execname         118  scl glb r    string (unknown) by ref (size 256)\n");
}

/* Predicates that hold in one process only: names of the others need not be learned. */
static void test_one_process(struct bench *b)
{
	const struct dt_type *ti = ty(b, "int");
	struct dt_ident *pid = ident(b, "pid", DT_ID_SCALAR, DT_SCOPE_GLOBAL, DT_VAR_pid, ti);
	struct dt_ident *x = ident(b, "x", DT_ID_SCALAR, DT_SCOPE_GLOBAL, 0x500, ti);
	uint32_t found = 0;

#define IS(n) bin(b, DT_OP_EQ, var(b, pid), num(b, n, "int"), ti)
#define IN_ONE(node) dt_difo_one_process(dt_cg_bool(&b->opts, (node), NULL), &found)
	CHECK(IN_ONE(IS(7)) && found == 7);
	CHECK(IN_ONE(bin(b, DT_OP_EQ, num(b, 8, "int"), var(b, pid), ti)) && found == 8);
	CHECK(IN_ONE(bin(b, DT_OP_LAND, IS(9), var(b, x), ti)) && found == 9);
	CHECK(IN_ONE(bin(b, DT_OP_LAND, bin(b, DT_OP_GT, var(b, x), num(b, 3, "int"), ti), IS(10), ti)) &&
	    found == 10);
	CHECK(IN_ONE(bin(b, DT_OP_LAND, bin(b, DT_OP_LOR, var(b, x), IS(5), ti), IS(11), ti)) && found == 11);
	CHECK(!IN_ONE(bin(b, DT_OP_NE, var(b, pid), num(b, 7, "int"), ti)));
	CHECK(!IN_ONE(bin(b, DT_OP_LOR, IS(7), var(b, x), ti)));
	CHECK(!IN_ONE(bin(b, DT_OP_LOR, IS(7), IS(8), ti)));
	CHECK(!IN_ONE(bin(b, DT_OP_GE, var(b, pid), num(b, 7, "int"), ti)));
	CHECK(!IN_ONE(bin(b, DT_OP_EQ, var(b, x), num(b, 7, "int"), ti)));
	CHECK(!IN_ONE(var(b, pid)));
	CHECK(!dt_difo_one_process(NULL, &found));
#undef IS
#undef IN_ONE
}

static void test_shapes(struct bench *b)
{
	const struct dt_type *ti = ty(b, "int"), *tl = ty(b, "long");
	struct dt_ident *x = ident(b, "x", DT_ID_SCALAR, DT_SCOPE_GLOBAL, 0x500, ti);
	struct dt_ident *y = ident(b, "y", DT_ID_SCALAR, DT_SCOPE_GLOBAL, 0x501, tl);
	struct dt_ident *args = ident(b, "args", DT_ID_ARRAY, DT_SCOPE_GLOBAL, 0, NULL);
	struct dt_node *arg0;

	args->row = &row_args;
	CHECK_STR(code(b, dt_cg_expr(&b->opts, bin(b, DT_OP_LAND, var(b, x), var(b, y), ti))),
	    "ldgs DT_VAR(1280), %r1\ntst  %r1\nbe   8\nldgs DT_VAR(1281), %r1\ntst  %r1\nbe   8\n"
	    "setx DT_INTEGER[0], %r1\nba   9\nmov  %r0, %r1\nret  %r1\n");
	/* The sum of two ints has 64 bits: what leaves is cut by who records it. */
	CHECK_STR(code(b, dt_cg_expr(&b->opts, bin(b, DT_OP_ADD, var(b, x), num(b, 1, "int"), ti))),
	    "ldgs DT_VAR(1280), %r1\nsetx DT_INTEGER[0], %r2\nadd  %r1, %r2, %r1\nret  %r1\n");
	CHECK_STR(code(b, dt_cg_expr(&b->opts, bin(b, DT_OP_ADD, var(b, y), num(b, 1, "long"), tl))),
	    "ldgs DT_VAR(1281), %r1\nsetx DT_INTEGER[0], %r2\nadd  %r1, %r2, %r1\nret  %r1\n");
	arg0 = elem(b, args, num(b, 0, "int"));
	arg0->type = ti;
	CHECK_STR(code(b, dt_cg_expr(&b->opts, arg0)),
	    "setx DT_INTEGER[0], %r1\nldga DT_VAR(0), %r1, %r1\nsetx DT_INTEGER[1], %r2\nsll  %r1, %r2, %r1\n"
	    "sra  %r1, %r2, %r1\nret  %r1\n");
	CHECK_STR(code(b, dt_cg_expr(&b->opts, unary(b, DT_OP_POSTINC, var(b, y), tl))),
	    "ldgs DT_VAR(1281), %r1\nsetx DT_INTEGER[0], %r2\nadd  %r1, %r2, %r2\nstgs %r2, DT_VAR(1281)\n"
	    "ret  %r1\n");
}

/* ---- running ---- */

static void test_assign(struct bench *b, struct machine *m)
{
	const struct dt_type *ti = ty(b, "int"), *ts = dt_types_string(b->types);
	struct dt_ident *c = global(b, "c", ty(b, "char")), *f = global(b, "f", ty(b, "_Bool"));
	struct dt_ident *arr = ident(b, "arr", DT_ID_ARRAY, DT_SCOPE_GLOBAL, b->nextid++, ti);
	struct dt_ident *s = global(b, "s", ts);
	const struct dt_type *keys[2] = { ts, ty(b, "short") };
	struct dt_node *k, *e;

	arr->keyed = true;
	arr->nkeys = 2;
	arr->keys = keys;
	CHECK(run(b, m, asgn(b, DT_OP_NONE, var(b, c), num(b, 200, "int"))) == 200);
	CHECK(run(b, m, unary(b, DT_OP_POSTINC, var(b, c), ty(b, "char"))) == 200);
	CHECK(run(b, m, asgn(b, DT_OP_SUB, var(b, c), num(b, 200, "int"))) == 1);
	CHECK(run(b, m, asgn(b, DT_OP_NONE, var(b, f), cast(b, var(b, c), f->type))) == 1);
	run(b, m, asgn(b, DT_OP_NONE, var(b, s), str(b, "key")));
	/* keys are pushed with all their bits: casts to the type of the signature are in the tree */
	k = var(b, s);
	k->next = num(b, 0x10005, "int");
	run(b, m, asgn(b, DT_OP_NONE, elem(b, arr, k), num(b, 7, "int")));
	k = str(b, "key");
	k->next = bin(b, DT_OP_ADD, num(b, 65536, "int"), num(b, 5, "int"), ti);
	e = elem(b, arr, k);
	CHECK(run(b, m, e) == 7);
	CHECK(run(b, m, asgn(b, DT_OP_MUL, e, num(b, -3, "int"))) == (uint64_t)-21);
	CHECK(run(b, m, unary(b, DT_OP_PREDEC, e, ti)) == (uint64_t)-22);
	CHECK(run(b, m, unary(b, DT_OP_POSTDEC, e, ti)) == (uint64_t)-22);
	CHECK(run(b, m, e) == (uint64_t)-23);
	CHECK(run(b, m, bin(b, DT_OP_EQ, var(b, s), str(b, "key"), ti)) == 1);
	CHECK(run(b, m, bin(b, DT_OP_LT, var(b, s), str(b, "kez"), ti)) == 1);
	b->opts.iregs = 5;	/* keys no longer fit beside the values */
	CHECK(run(b, m, asgn(b, DT_OP_ADD, e, bin(b, DT_OP_MUL, var(b, c), bin(b, DT_OP_ADD, e, e, ti),
	    ti))) ==
	    (uint64_t)(-23 + 1 * -46));
	b->opts.iregs = 0;
}

static void test_pointers(struct bench *b, struct machine *m, const struct dt_type *t, struct dt_ident *p)
{
	const struct dt_type *tp = p->type, *ti = ty(b, "int");
	struct dt_node *deref;
	struct dt_member got;

	/* Pointer arithmetic: (p + 2) - p, and the address of a member. */
	CHECK(run(b, m, bin(b, DT_OP_SUB, bin(b, DT_OP_ADD, var(b, p), num(b, 2, "int"), tp), var(b, p),
	    ty(b, "long"))) == 2);
	CHECK(run(b, m, bin(b, DT_OP_ADD, var(b, p), cast(b, num(b, 2, "int"), ti), tp)) == 0x10000 +
	    2 * t->size);
	dt_type_member(b->types, t, "l", &got);
	CHECK(run(b, m, unary(b, DT_OP_ADDR, member(b, var(b, p), "l", t), tp)) == 0x10000 + got.bit_off / 8);
	deref = unary(b, DT_OP_DEREF, var(b, p), ti);
	CHECK(strncmp(code(b, dt_cg_expr(&b->opts, deref)), "ldgs", 4) == 0 &&
	    strstr(code(b, dt_cg_expr(&b->opts, deref)), "\nldsw [%r1], %r1\n"));
	deref->a->nflags |= DT_NF_USER;
	CHECK(strstr(code(b, dt_cg_expr(&b->opts, deref)), "\nuldsw [%r1], %r1\n") != NULL);
}

static void test_memory(struct bench *b, struct machine *m)
{
	struct dt_member mem[] = {
		{ .name = "a", .type = ty(b, "signed char") },
		{ .name = "u", .type = ty(b, "unsigned int"), .bit_size = 3 },
		{ .name = "s", .type = ty(b, "int"), .bit_size = 5 }, { .name = "l", .type = ty(b, "long") },
		{ .name = "text", .type = dt_type_array(b->types, ty(b, "char"), 8) },
	};
	struct dt_type *t = dt_type_shell(b->types, "D", DT_T_STRUCT, "cgtest");
	const struct dt_type *tp = dt_type_ptr(b->types, t), *ti = ty(b, "int");
	struct dt_ident *p = global(b, "p", tp);
	struct dt_node *x, *item, **tail;
	struct dt_member got;

	CHECK(dt_type_complete_sou(b->types, t, mem, 5) == 0);
	run(b, m, asgn(b, DT_OP_NONE, var(b, p), cast(b, num(b, 0x10000, "long"), tp)));
	m->bytes[0] = 0x80;
	CHECK(run(b, m, member(b, var(b, p), "a", t)) == (uint64_t)-128);
	CHECK(dt_type_member(b->types, t, "u", &got) && got.bit_off < 32);
	for (unsigned i = 0; i < 8; i++) {
		unsigned bit = (unsigned)got.bit_off;

		for (unsigned k = 0; k < 3; k++)
			m->bytes[(bit + k) / 8] =
			    (uint8_t)((m->bytes[(bit + k) / 8] & ~(1u << (bit + k) % 8)) |
			    (i >> k & 1) << (bit + k) % 8);
		CHECK(run(b, m, member(b, var(b, p), "u", t)) == i);
	}
	/* A struct in scratch with every member stored, read back through a variable that holds its copy. */
	x = node(b, DT_N_XSTRUCT, t);
	tail = &x->list;
	const struct { const char *name; struct dt_node *value; } init[] = {
		{ "a", num(b, -5, "int") }, { "u", num(b, 13, "int") }, { "s", num(b, -3, "int") },
		{ "l", bin(b, DT_OP_ADD, num(b, 1, "long"), num(b, 2, "long"), ty(b, "long")) },
		{ "text", str(b, "abcdefghijk") },
	};
	for (unsigned i = 0; i < 5; i++) {
		struct dt_node *place = member(b, var(b, p), init[i].name, t);

		item = node(b, DT_N_ASSIGN, place->type);
		item->nflags = place->nflags;
		item->moff = place->moff;
		item->bit_off = place->bit_off;
		item->bit_size = place->bit_size;
		item->b = init[i].value;
		*tail = item;
		tail = &item->next;
	}
	struct dt_ident *v = global(b, "v", t);
	run_difo(m, dt_difo_void(b->arena, dt_cg_void(&b->opts, asgn(b, DT_OP_NONE, var(b, v), x))));
	const int64_t want[] = { -5, 13 & 7, -3, 3 };
	for (unsigned i = 0; i < 4; i++) {
		struct dt_node *r = member(b, var(b, v), init[i].name, t);

		r->arrow = false;
		CHECK(run(b, m, r) == (uint64_t)want[i]);
	}
	struct dt_node *text = member(b, var(b, v), "text", t);
	text->arrow = false;
	CHECK(run(b, m, bin(b, DT_OP_EQ, cast(b, text, dt_types_string(b->types)), str(b, "abcdefg"),
	    ti)) == 1);
	test_pointers(b, m, t, p);
}

/* Stores through a pointer into scratch: each field changes, its neighbours stay. */
static void test_stores(struct bench *b, struct machine *m)
{
	struct dt_member mem[] = {
		{ .name = "x", .type = ty(b, "unsigned int"), .bit_size = 3 },
		{ .name = "y", .type = ty(b, "int"), .bit_size = 7 },
		{ .name = "z", .type = ty(b, "unsigned int"), .bit_size = 22 },
		{ .name = "c", .type = ty(b, "signed char") },
		{ .name = "h", .type = ty(b, "unsigned short") }, { .name = "l", .type = ty(b, "long") },
	};
	static const struct { const char *name; unsigned bits; bool is_signed; } fields[] = {
		{ "x", 3, false }, { "y", 7, true }, { "z", 22, false }, { "c", 8, true }, { "h", 16, false },
		{ "l", 64, true },
	};
	struct dt_type *t = dt_type_shell(b->types, "D", DT_T_STRUCT, "cgstore");
	const struct dt_type *tp = dt_type_ptr(b->types, t);
	struct dt_ident *q = ident(b, "q", DT_ID_SCALAR, DT_SCOPE_CLAUSE, b->nextid++, tp);

	CHECK(dt_type_complete_sou(b->types, t, mem, 6) == 0);
	for (unsigned i = 0; i < 6 * 8; i++) {
		struct dt_node *seq = asgn(b, DT_OP_NONE, var(b, q), cast(b, node(b, DT_N_XSTRUCT, t), tp));
		unsigned f = i % 6, up = 64 - fields[f].bits;
		int64_t want = 0;

		b->opts.iregs = i / 6 % 2 ? 7 : 0;
		for (unsigned k = 0; k < 6; k++)
			seq = comma(b, seq, asgn(b, DT_OP_NONE, member(b, var(b, q), fields[k].name, t),
			    num(b, -2 - (int)k, "int")));
		want = -2 - (int)f;
		seq = comma(b, seq, asgn(b, DT_OP_ADD, member(b, var(b, q), fields[f].name, t),
		    num(b, (int)i * 5, "long")));
		want += (int)i * 5;
		seq = comma(b, seq, unary(b, DT_OP_POSTDEC, member(b, var(b, q), fields[f].name, t),
		    member(b, var(b, q), fields[f].name, t)->type));
		want--;
		for (unsigned k = 0; k < 6; k++) {
			uint64_t v = (uint64_t)(k == f ? want : -2 - (int)k);

			up = 64 - fields[k].bits;
			v = fields[k].is_signed ? (uint64_t)((int64_t)(v << up) >> up) : v << up >> up;
			CHECK(run(b, m, comma(b, seq, member(b, var(b, q), fields[k].name, t))) == v);
		}
	}
	b->opts.iregs = 0;
}

/* ---- registers and errors ---- */

static struct dt_node *full_tree(struct bench *b, struct dt_ident *x, unsigned depth)
{
	if (depth == 0)
		return var(b, x);
	return bin(b, DT_OP_ADD, full_tree(b, x, depth - 1), full_tree(b, x, depth - 1), ty(b, "long"));
}

static bool fails(struct bench *b, struct dt_node *n, enum dt_tag tag)
{
	if (setjmp(b->diag.env) == 0) {
		dt_cg_expr(&b->opts, n);
		return false;
	}
	return b->diag.tag == tag;
}

static void test_registers(struct bench *b, struct machine *m)
{
	struct dt_ident *x = global(b, "x1", ty(b, "long"));
	struct dt_node *left = var(b, x), *right = var(b, x),
	    *effects = unary(b, DT_OP_PREINC, var(b, x), ty(b, "long"));

	run(b, m, asgn(b, DT_OP_NONE, var(b, x), num(b, 3, "long")));
	b->opts.temp = NULL;
	b->opts.iregs = 3;	/* two besides %r0 */
	for (unsigned i = 0; i < 998; i++) {
		left = bin(b, DT_OP_ADD, left, var(b, x), ty(b, "long"));
		right = bin(b, DT_OP_ADD, var(b, x), right, ty(b, "long"));
	}
	CHECK(run(b, m, left) == 3 * 999);
	CHECK(run(b, m, right) == 3 * 999);
	b->opts.iregs = 0;
	CHECK(run(b, m, full_tree(b, x, 6)) == 3 * 64);
	CHECK(fails(b, full_tree(b, x, 7), D_NOREG));
	CHECK_STR(b->diag.msg, "Insufficient registers to generate code");
	b->opts.temp = temp;
	CHECK(run(b, m, full_tree(b, x, 9)) == 3 * 512);
	/* ++x + (++x + (++x + …)): left to right, whatever the registers */
	for (unsigned i = 0; i < 12; i++)
		effects = bin(b, DT_OP_SUB, unary(b, DT_OP_PREINC, var(b, x), ty(b, "long")), effects,
		    ty(b, "long"));
	CHECK(run(b, m, effects) == 4 - 5 + 6 - 7 + 8 - 9 + 10 - 11 + 12 - 13 + 14 - 15 + 16);
}

static void test_errors(struct bench *b)
{
	struct dt_node *keys = NULL;
	struct dt_ident *arr = ident(b, "many", DT_ID_ARRAY, DT_SCOPE_GLOBAL, b->nextid++, ty(b, "int"));

	CHECK(fails(b, call(b, &row_trace, NULL, dt_types_void(b->types)), D_CG_EXPR));
	CHECK_STR(b->diag.msg, "trace( ) may not be called from a D expression (D program context required)");
	CHECK(fails(b, node(b, DT_N_IDENT, dt_types_special(b->types, DT_T_DYN)), D_CG_DYN));
	for (unsigned i = 0; i < 9; i++) {
		struct dt_node *k = num(b, i, "int");

		k->next = keys;
		keys = k;
	}
	CHECK(fails(b, elem(b, arr, keys), D_NOREG));
	CHECK(dt_cg_const(&b->opts, 42, 8)->ints[0] == 42);
}

static void test_eight_keys(struct bench *b, struct machine *m)
{
	struct dt_ident *arr = ident(b, "wide", DT_ID_ARRAY, DT_SCOPE_THREAD, b->nextid++, ty(b, "long"));
	struct dt_ident *x = global(b, "x2", ty(b, "long"));
	struct dt_node *keys = NULL, *e;

	for (unsigned i = 0; i < 8; i++) {
		struct dt_node *k = bin(b, DT_OP_ADD, var(b, x), num(b, i, "long"), ty(b, "long"));

		k->next = keys;
		keys = k;
	}
	e = elem(b, arr, keys);
	CHECK(run(b, m, asgn(b, DT_OP_NONE, e, num(b, 5, "long"))) == 5);
	CHECK(run(b, m, asgn(b, DT_OP_ADD, e, e)) == 10);
	CHECK(run(b, m, unary(b, DT_OP_POSTINC, e, ty(b, "long"))) == 10);
	CHECK(run(b, m, comma(b, var(b, x), e)) == 11);
}

int main(void)
{
	struct bench b;
	struct machine m;

	bench_open(&b);
	if (setjmp(b.diag.env)) {
		fprintf(stderr, "compile failed: %s\n", b.diag.msg ? b.diag.msg : "out of memory");
		return 1;
	}
	machine_open(&m);
	test_documented(&b);
	test_one_process(&b);
	test_shapes(&b);
	test_assign(&b, &m);
	test_memory(&b, &m);
	test_stores(&b, &m);
	test_eight_keys(&b, &m);
	test_registers(&b, &m);
	test_errors(&b);
	dt_interp_free(m.ip);
	bench_close(&b);
	return check_report("codegen");
}
