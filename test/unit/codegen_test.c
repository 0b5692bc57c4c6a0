/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The code generator: typed trees built by hand in, listings out; then the same kind of trees run by the interpreter,
 * among them random ones, compared with what C's rules say, with all registers and with few.
 */
#include "check.h"

#include "codegen/codegen.h"
#include "interp/interp.h"
#include "codegen/ident.h"

#include <stdlib.h>

static const struct dt_builtin row_basename = { .name = "basename", .kind = DT_BI_SUBR, .id = 25, .proto = "string(const char *)" };
static const struct dt_builtin row_trace = { .name = "trace", .kind = DT_BI_ACTION, .id = DT_ACT_DIFEXPR };
static const struct dt_builtin row_args = { .name = "args", .kind = DT_BI_ARRAY, .id = 0 };

struct bench {
	struct dt_arena *arena;
	struct dt_types *types;
	struct dt_diag diag;
	struct dt_cg_opts opts;
	struct dt_ident *temps[64];
	unsigned ntemps;
	uint32_t nextid;
};

static struct dt_ident *ident(struct bench *b, const char *name, unsigned kind, unsigned scope, uint32_t id, const struct dt_type *t)
{
	struct dt_ident *d = DT_NEW(b->arena, struct dt_ident);

	*d = (struct dt_ident){ .name = name, .kind = (uint8_t)kind, .scope = (uint8_t)scope, .id = id, .type = t };
	return d;
}

static struct dt_ident *temp(void *ctx, unsigned n)
{
	struct bench *b = ctx;

	if (n >= 64)
		return NULL;
	if (!b->temps[n]) {
		b->temps[n] = ident(b, dt_arena_printf(b->arena, "%%t%u", n), DT_ID_SCALAR, DT_SCOPE_CLAUSE, 0x600 + n,
		    dt_types_basic(b->types, "unsigned long"));
		b->ntemps++;
	}
	return b->temps[n];
}

static void bench_open(struct bench *b)
{
	memset(b, 0, sizeof(*b));
	b->arena = dt_arena_new();
	b->types = dt_types_new();
	b->diag.arena = b->arena;
	b->nextid = DT_VAR_USER_MIN;
	b->opts = (struct dt_cg_opts){ .arena = b->arena, .diag = &b->diag, .types = b->types, .strsize = 256,
		.temp = temp, .temp_ctx = b };
}

static void bench_close(struct bench *b)
{
	dt_types_free(b->types);
	dt_arena_free(b->arena);
}

/* ---- trees ---- */

static const struct dt_type *ty(struct bench *b, const char *name)
{
	return dt_types_basic(b->types, name);
}

static struct dt_node *node(struct bench *b, enum dt_node_kind kind, const struct dt_type *t)
{
	struct dt_node *n = DT_NEW(b->arena, struct dt_node);

	n->kind = (uint8_t)kind;
	n->type = t;
	if (t && dt_type_is_byref(t))
		n->nflags = DT_NF_REF;
	return n;
}

static struct dt_node *num(struct bench *b, int64_t v, const char *type)
{
	struct dt_node *n = node(b, DT_N_INT, ty(b, type));

	n->value = (uint64_t)v;
	return n;
}

static struct dt_node *str(struct bench *b, const char *s)
{
	struct dt_node *n = node(b, DT_N_STR, dt_types_string(b->types));

	n->str = s;
	n->slen = (uint32_t)strlen(s);
	return n;
}

static struct dt_node *var(struct bench *b, struct dt_ident *id)
{
	struct dt_node *n = node(b, DT_N_IDENT, id->type);

	n->ident = id;
	n->name = id->name;
	return n;
}

static struct dt_node *bin(struct bench *b, enum dt_op op, struct dt_node *x, struct dt_node *y, const struct dt_type *t)
{
	struct dt_node *n = node(b, DT_N_BINARY, t);

	n->op = (uint8_t)op;
	n->a = x;
	n->b = y;
	return n;
}

static struct dt_node *unary(struct bench *b, enum dt_op op, struct dt_node *x, const struct dt_type *t)
{
	struct dt_node *n = bin(b, op, x, NULL, t);

	n->kind = DT_N_UNARY;
	return n;
}

static struct dt_node *asgn(struct bench *b, enum dt_op op, struct dt_node *x, struct dt_node *y)
{
	struct dt_node *n = bin(b, op, x, y, x->type);

	n->kind = DT_N_ASSIGN;
	return n;
}

static struct dt_node *cast(struct bench *b, struct dt_node *x, const struct dt_type *t)
{
	struct dt_node *n = node(b, DT_N_CAST, t);

	n->a = x;
	return n;
}

static struct dt_node *call(struct bench *b, const struct dt_builtin *row, struct dt_node *list, const struct dt_type *t)
{
	struct dt_node *n = node(b, DT_N_CALL, t);

	n->ident = ident(b, row->name, DT_ID_FUNC, DT_SCOPE_GLOBAL, row->id, NULL);
	n->ident->row = row;
	n->list = list;
	return n;
}

static struct dt_node *elem(struct bench *b, struct dt_ident *id, struct dt_node *keys)
{
	struct dt_node *n = node(b, DT_N_INDEX, id->type);

	n->ident = id;
	n->list = keys;
	return n;
}

static struct dt_node *member(struct bench *b, struct dt_node *base, const char *name, const struct dt_type *sou)
{
	struct dt_member m;
	struct dt_node *n;

	if (!CHECK(dt_type_member(b->types, sou, name, &m)))
		exit(1);
	n = node(b, DT_N_MEMBER, m.type);
	n->arrow = true;
	n->a = base;
	n->name = name;
	n->moff = (uint32_t)(m.bit_off / 8);
	if (m.bit_size) {
		uint64_t unit = dt_type_size(b->types, m.type) * 8;

		n->nflags |= DT_NF_BITFIELD;
		n->moff = (uint32_t)(m.bit_off / unit * unit / 8);
		n->bit_off = (uint16_t)(m.bit_off % unit);
		n->bit_size = m.bit_size;
	}
	return n;
}

static struct dt_ident *global(struct bench *b, const char *name, const struct dt_type *t)
{
	return ident(b, name, DT_ID_SCALAR, DT_SCOPE_GLOBAL, b->nextid++, t);
}

/* ---- listings ---- */

struct text { char buf[16384]; size_t len; };

static void put(void *ctx, const char *line)
{
	struct text *t = ctx;
	size_t n = strlen(line);

	if (t->len + n < sizeof(t->buf)) {
		memcpy(t->buf + t->len, line, n + 1);
		t->len += n;
	}
}

/* The listing from "returns" on: the address before it is not ours to know. */
static const char *listing(struct bench *b, const struct dt_difo *d)
{
	struct text t = { .len = 0, .buf = "" };
	const char *p;

	dt_difo_list(d, put, &t);
	p = strstr(t.buf, "returns");
	return dt_arena_strdup(b->arena, p ? p : t.buf);
}

/* Only the instructions, without numbers and notes, one a line. */
static const char *code(struct bench *b, const struct dt_difo *d)
{
	struct text t = { .len = 0, .buf = "" }, out = { .len = 0, .buf = "" };

	dt_difo_list(d, put, &t);
	for (char *line = t.buf; *line;) {
		char *end = strchr(line, '\n'), *tab, *from;

		*end = '\0';
		if (strlen(line) > 16 && line[2] == ':' && line[3] == ' ') {
			from = line + 16;
			tab = strchr(from, '\t');
			if (tab)
				*tab = '\0';
			put(&out, from);
			put(&out, "\n");
		}
		line = end + 1;
	}
	return dt_arena_strdup(b->arena, out.buf);
}

static void test_documented(struct bench *b)
{
	struct dt_ident *pid = ident(b, "pid", DT_ID_SCALAR, DT_SCOPE_GLOBAL, DT_VAR_pid, ty(b, "int"));
	struct dt_ident *ts = ident(b, "ts", DT_ID_SCALAR, DT_SCOPE_THREAD, 0x500, ty(b, "unsigned long"));
	struct dt_ident *now = ident(b, "timestamp", DT_ID_SCALAR, DT_SCOPE_GLOBAL, DT_VAR_timestamp, ty(b, "unsigned long"));
	struct dt_ident *exec = ident(b, "execname", DT_ID_SCALAR, DT_SCOPE_GLOBAL, DT_VAR_execname, dt_types_string(b->types));
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
	CHECK_STR(listing(b, dt_cg_expr(&b->opts, call(b, &row_basename, var(b, exec), dt_types_string(b->types)))),
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
	    "ldgs DT_VAR(1281), %r1\nsetx DT_INTEGER[0], %r2\nadd  %r1, %r2, %r2\nstgs %r2, DT_VAR(1281)\nret  %r1\n");
}

/* ---- running ---- */

struct machine {
	struct dt_prog prog;
	struct dt_interp *ip;
	struct dt_context context;
	struct dt_region region;
	_Alignas(8) uint8_t bytes[256];
};

static void machine_open(struct machine *m)
{
	memset(m, 0, sizeof(*m));
	m->region = (struct dt_region){ .addr = 0x10000, .len = sizeof(m->bytes), .bytes = m->bytes };
	m->context.regions = &m->region;
	m->context.nregions = 1;
	m->ip = dt_interp_new(&m->prog, &(struct dt_interp_opts){ .strsize = 256, .scratchsize = 65536, .dynvarsize = 1 << 20 }, NULL);
}

static uint64_t run_difo(struct machine *m, const struct dt_difo *d)
{
	enum dt_fault fault = DT_FLT_NONE;
	char msg[256];
	uint64_t v;

	if (!CHECK(dt_difo_check(d, msg, sizeof(msg)) == 0)) {
		fprintf(stderr, "%s\n", msg);
		return 0xbad;
	}
	v = dt_interp_run(m->ip, &m->context, d, &fault, NULL, NULL);
	CHECK(fault == DT_FLT_NONE);
	return v;
}

static uint64_t run(struct bench *b, struct machine *m, struct dt_node *n)
{
	return run_difo(m, dt_cg_expr(&b->opts, n));
}

static struct dt_node *comma(struct bench *b, struct dt_node *x, struct dt_node *y)
{
	struct dt_node *n = node(b, DT_N_COMMA, y->type);

	n->a = x;
	n->b = y;
	return n;
}

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
	CHECK(run(b, m, asgn(b, DT_OP_ADD, e, bin(b, DT_OP_MUL, var(b, c), bin(b, DT_OP_ADD, e, e, ti), ti))) ==
	    (uint64_t)(-23 + 1 * -46));
	b->opts.iregs = 0;
}

static void test_pointers(struct bench *b, struct machine *m, const struct dt_type *t, struct dt_ident *p)
{
	const struct dt_type *tp = p->type, *ti = ty(b, "int");
	struct dt_node *deref;
	struct dt_member got;

	/* Pointer arithmetic: (p + 2) - p, and the address of a member. */
	CHECK(run(b, m, bin(b, DT_OP_SUB, bin(b, DT_OP_ADD, var(b, p), num(b, 2, "int"), tp), var(b, p), ty(b, "long"))) == 2);
	CHECK(run(b, m, bin(b, DT_OP_ADD, var(b, p), cast(b, num(b, 2, "int"), ti), tp)) == 0x10000 + 2 * t->size);
	dt_type_member(b->types, t, "l", &got);
	CHECK(run(b, m, unary(b, DT_OP_ADDR, member(b, var(b, p), "l", t), tp)) == 0x10000 + got.bit_off / 8);
	deref = unary(b, DT_OP_DEREF, var(b, p), ti);
	CHECK(strncmp(code(b, dt_cg_expr(&b->opts, deref)), "ldgs", 4) == 0 && strstr(code(b, dt_cg_expr(&b->opts, deref)), "\nldsw [%r1], %r1\n"));
	deref->a->nflags |= DT_NF_USER;
	CHECK(strstr(code(b, dt_cg_expr(&b->opts, deref)), "\nuldsw [%r1], %r1\n") != NULL);
}

static void test_memory(struct bench *b, struct machine *m)
{
	struct dt_member mem[] = {
		{ .name = "a", .type = ty(b, "signed char") }, { .name = "u", .type = ty(b, "unsigned int"), .bit_size = 3 },
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
			m->bytes[(bit + k) / 8] = (uint8_t)((m->bytes[(bit + k) / 8] & ~(1u << (bit + k) % 8)) | (i >> k & 1) << (bit + k) % 8);
		CHECK(run(b, m, member(b, var(b, p), "u", t)) == i);
	}
	/* A struct in scratch with every member stored, read back through a variable that holds its copy. */
	x = node(b, DT_N_XSTRUCT, t);
	tail = &x->list;
	const struct { const char *name; struct dt_node *value; } init[] = {
		{ "a", num(b, -5, "int") }, { "u", num(b, 13, "int") }, { "s", num(b, -3, "int") },
		{ "l", bin(b, DT_OP_ADD, num(b, 1, "long"), num(b, 2, "long"), ty(b, "long")) }, { "text", str(b, "abcdefghijk") },
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
	CHECK(run(b, m, bin(b, DT_OP_EQ, cast(b, text, dt_types_string(b->types)), str(b, "abcdefg"), ti)) == 1);
	test_pointers(b, m, t, p);
}

/* Stores through a pointer into scratch: each field changes, its neighbours stay. */
static void test_stores(struct bench *b, struct machine *m)
{
	struct dt_member mem[] = {
		{ .name = "x", .type = ty(b, "unsigned int"), .bit_size = 3 }, { .name = "y", .type = ty(b, "int"), .bit_size = 7 },
		{ .name = "z", .type = ty(b, "unsigned int"), .bit_size = 22 }, { .name = "c", .type = ty(b, "signed char") },
		{ .name = "h", .type = ty(b, "unsigned short") }, { .name = "l", .type = ty(b, "long") },
	};
	static const struct { const char *name; unsigned bits; bool is_signed; } fields[] = {
		{ "x", 3, false }, { "y", 7, true }, { "z", 22, false }, { "c", 8, true }, { "h", 16, false }, { "l", 64, true },
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
			seq = comma(b, seq, asgn(b, DT_OP_NONE, member(b, var(b, q), fields[k].name, t), num(b, -2 - (int)k, "int")));
		want = -2 - (int)f;
		seq = comma(b, seq, asgn(b, DT_OP_ADD, member(b, var(b, q), fields[f].name, t), num(b, (int)i * 5, "long")));
		want += (int)i * 5;
		seq = comma(b, seq, unary(b, DT_OP_POSTDEC, member(b, var(b, q), fields[f].name, t), member(b, var(b, q), fields[f].name, t)->type));
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

/* ---- random trees ---- */

#define NVARS 8
static const char *const names[NVARS] = { "signed char", "unsigned char", "short", "unsigned short", "int", "unsigned int",
	"long", "unsigned long" };

struct random { uint64_t state; struct dt_ident *v[NVARS]; int64_t value[NVARS]; };

static uint64_t next(struct random *r)
{
	r->state = r->state * 6364136223846793005u + 1442695040888963407u;
	return r->state >> 33;
}

static int64_t canon(uint64_t v, const struct dt_type *t)
{
	unsigned up = 64 - (unsigned)dt_type_base(t)->size * 8;

	return dt_type_is_signed(t) ? (int64_t)(v << up) >> up : (int64_t)(v << up >> up);
}

static const struct dt_type *wider(const struct dt_type *x, const struct dt_type *y)
{
	uint64_t rx = x->size * 8 + !x->is_signed, ry = y->size * 8 + !y->is_signed;

	return rx >= ry ? x : y;
}

static struct dt_node *grow(struct bench *b, struct random *r, unsigned depth, int64_t *value);

static int64_t compute(enum dt_op op, int64_t x, int64_t y, bool sgn)
{
	uint64_t ux = (uint64_t)x, uy = (uint64_t)y;

	switch (op) {
	case DT_OP_ADD: return (int64_t)(ux + uy);
	case DT_OP_SUB: return (int64_t)(ux - uy);
	case DT_OP_MUL: return (int64_t)(ux * uy);
	case DT_OP_DIV: return sgn ? (y == -1 ? (int64_t)-ux : x / y) : (int64_t)(ux / uy);
	case DT_OP_MOD: return sgn ? (y == -1 ? 0 : x % y) : (int64_t)(ux % uy);
	case DT_OP_SHL: return (int64_t)(ux << (uy & 63));
	case DT_OP_SHR: return sgn ? x >> (uy & 63) : (int64_t)(ux >> (uy & 63));
	case DT_OP_AND: return x & y;
	case DT_OP_OR: return x | y;
	case DT_OP_XOR: return x ^ y;
	case DT_OP_EQ: return x == y;
	case DT_OP_NE: return x != y;
	case DT_OP_LT: return sgn ? x < y : ux < uy;
	case DT_OP_LE: return sgn ? x <= y : ux <= uy;
	case DT_OP_GT: return sgn ? x > y : ux > uy;
	case DT_OP_GE: return sgn ? x >= y : ux >= uy;
	case DT_OP_LAND: return x && y;
	case DT_OP_LOR: return x || y;
	default: return !x != !y;
	}
}

static struct dt_node *grow_binary(struct bench *b, struct random *r, unsigned depth, int64_t *value)
{
	enum dt_op op = DT_OP_ADD + (enum dt_op)(next(r) % (DT_OP_LXOR - DT_OP_ADD + 1));
	int64_t x, y;
	struct dt_node *l = grow(b, r, depth - 1, &x), *rt = grow(b, r, depth - 1 - next(r) % depth / 2, &y);
	const struct dt_type *t = wider(l->type, rt->type);

	if (op == DT_OP_SHL || op == DT_OP_SHR)
		t = l->type;
	if ((op == DT_OP_DIV || op == DT_OP_MOD) && y == 0)
		op = DT_OP_XOR;
	*value = compute(op, x, y, t->is_signed);
	return bin(b, op, l, rt, op >= DT_OP_EQ ? ty(b, "int") : t);
}

static struct dt_node *grow_cond(struct bench *b, struct random *r, unsigned depth, int64_t *value)
{
	int64_t c, x, y;
	struct dt_node *n = node(b, DT_N_COND, NULL);

	n->a = grow(b, r, depth - 1, &c);
	n->b = grow(b, r, depth - 1, &x);
	n->c = grow(b, r, depth - 1, &y);
	n->type = wider(n->b->type, n->c->type);
	*value = c ? x : y;
	return n;
}

static struct dt_node *grow_unary(struct bench *b, struct random *r, unsigned depth, int64_t *value)
{
	int64_t x;
	struct dt_node *a = grow(b, r, depth - 1, &x);
	uint64_t which = next(r) % 4;

	if (which == 0) {
		const struct dt_type *t = ty(b, names[next(r) % NVARS]);
		*value = canon((uint64_t)(a->type->is_signed && a->type->size < t->size ? canon((uint64_t)x, a->type) : x), t);
		return cast(b, a, t);
	}
	if (which == 1) {
		*value = (int64_t)-(uint64_t)x;
		return unary(b, DT_OP_NEG, a, a->type);
	}
	if (which == 2) {
		*value = ~x;
		return unary(b, DT_OP_BITNOT, a, a->type);
	}
	*value = !x;
	return unary(b, DT_OP_NOT, a, ty(b, "int"));
}

static struct dt_node *grow(struct bench *b, struct random *r, unsigned depth, int64_t *value)
{
	uint64_t what = next(r) % 16;

	if (depth <= 1 || depth > 100) {
		unsigned i = (unsigned)(next(r) % NVARS);

		if (what < 4) {
			*value = canon(next(r) % 3 ? next(r) % 300 : next(r) * next(r), ty(b, names[i]));
			return num(b, *value, names[i]);
		}
		*value = r->value[i];
		return var(b, r->v[i]);
	}
	if (what < 2)
		return grow_cond(b, r, depth, value);
	if (what < 5)
		return grow_unary(b, r, depth, value);
	return grow_binary(b, r, depth, value);
}

/* x op= tree, with the sign of x. */
static bool assign_right(struct bench *b, struct machine *m, struct random *r, unsigned depth)
{
	enum dt_op op = DT_OP_ADD + (enum dt_op)(next(r) % (DT_OP_XOR - DT_OP_ADD + 1));
	unsigned i = (unsigned)(next(r) % NVARS);
	const struct dt_type *t = r->v[i]->type;
	int64_t y, x = r->value[i];
	struct dt_node *n = grow(b, r, depth, &y);

	if ((op == DT_OP_DIV || op == DT_OP_MOD) && y == 0)
		op = DT_OP_SUB;
	r->value[i] = compute(op, x, y, t->is_signed);
	return (int64_t)run(b, m, asgn(b, op, var(b, r->v[i]), n)) == r->value[i] && (int64_t)run(b, m, var(b, r->v[i])) == r->value[i];
}

static void test_random(struct bench *b, struct machine *m)
{
	struct random r = { .state = 12345 };
	unsigned wrong = 0;

	for (unsigned i = 0; i < NVARS; i++)
		r.v[i] = global(b, dt_arena_printf(b->arena, "v%u", i), ty(b, names[i]));
	for (unsigned round = 0; round < 1500 && wrong < 3; round++) {
		int64_t want, got;

		for (unsigned i = 0; i < NVARS && round % 10 == 0; i++) {
			r.value[i] = (int64_t)(next(&r) % 2 ? next(&r) << 33 ^ next(&r) : next(&r) % 5 - 2);
			run(b, m, asgn(b, DT_OP_NONE, var(b, r.v[i]), num(b, r.value[i], "long")));
		}
		b->opts.iregs = round % 3 == 0 ? 0 : 4 + round % 3;
		struct dt_node *n = grow(b, &r, 2 + round % 8, &want);
		got = (int64_t)run(b, m, n);
		if (!CHECK(got == want)) {
			fprintf(stderr, "round %u: got %llx, want %llx\n", round, (unsigned long long)got, (unsigned long long)want);
			if (dt_cg_expr(&b->opts, n)->ntext < 60)
				fprintf(stderr, "%s\n", code(b, dt_cg_expr(&b->opts, n)));
			wrong++;
		}
		wrong += !CHECK(assign_right(b, m, &r, 1 + round % 5));
	}
	b->opts.iregs = 0;
	CHECK(b->ntemps > 0);
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
	struct dt_node *left = var(b, x), *right = var(b, x), *effects = unary(b, DT_OP_PREINC, var(b, x), ty(b, "long"));

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
		effects = bin(b, DT_OP_SUB, unary(b, DT_OP_PREINC, var(b, x), ty(b, "long")), effects, ty(b, "long"));
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
	test_shapes(&b);
	test_assign(&b, &m);
	test_memory(&b, &m);
	test_stores(&b, &m);
	test_random(&b, &m);
	test_eight_keys(&b, &m);
	test_registers(&b, &m);
	test_errors(&b);
	dt_interp_free(m.ip);
	bench_close(&b);
	return check_report("codegen");
}
