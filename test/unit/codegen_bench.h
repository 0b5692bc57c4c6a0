/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * For the tests of the code generator: typed trees built by hand, the listings of what becomes of them, and
 * a machine that runs it. Everything is in the arena of the bench.
 */
#ifndef CODEGEN_BENCH_H
#define CODEGEN_BENCH_H

#include "check.h"

#include "codegen/codegen.h"
#include "codegen/ident.h"
#include "interp/interp.h"

#include <stdlib.h>

struct bench {
	struct dt_arena *arena;
	struct dt_types *types;
	struct dt_diag diag;
	struct dt_cg_opts opts;
	struct dt_ident *temps[64];
	unsigned ntemps;
	uint32_t nextid;
};

static inline struct dt_ident *ident(struct bench *b, const char *name, unsigned kind, unsigned scope,
    uint32_t id, const struct dt_type *t)
{
	struct dt_ident *d = DT_NEW(b->arena, struct dt_ident);

	*d = (struct dt_ident){ .name = name, .kind = (uint8_t)kind, .scope = (uint8_t)scope, .id = id,
		.type = t };
	return d;
}

static inline struct dt_ident *temp(void *ctx, unsigned n)
{
	struct bench *b = ctx;

	if (n >= 64)
		return NULL;
	if (!b->temps[n]) {
		b->temps[n] = ident(b, dt_arena_printf(b->arena, "%%t%u", n), DT_ID_SCALAR, DT_SCOPE_CLAUSE,
		    0x600 + n, dt_types_basic(b->types, "unsigned long"));
		b->ntemps++;
	}
	return b->temps[n];
}

static inline void bench_open(struct bench *b)
{
	memset(b, 0, sizeof(*b));
	b->arena = dt_arena_new();
	b->types = dt_types_new();
	b->diag.arena = b->arena;
	b->nextid = DT_VAR_USER_MIN;
	b->opts = (struct dt_cg_opts){ .arena = b->arena, .diag = &b->diag, .types = b->types, .strsize = 256,
		.temp = temp, .temp_ctx = b };
}

static inline void bench_close(struct bench *b)
{
	dt_types_free(b->types);
	dt_arena_free(b->arena);
}

/* ---- trees ---- */

static inline const struct dt_type *ty(struct bench *b, const char *name)
{
	return dt_types_basic(b->types, name);
}

static inline struct dt_node *node(struct bench *b, enum dt_node_kind kind, const struct dt_type *t)
{
	struct dt_node *n = DT_NEW(b->arena, struct dt_node);

	n->kind = (uint8_t)kind;
	n->type = t;
	if (t && dt_type_is_byref(t))
		n->nflags = DT_NF_REF;
	return n;
}

static inline struct dt_node *num(struct bench *b, int64_t v, const char *type)
{
	struct dt_node *n = node(b, DT_N_INT, ty(b, type));

	n->value = (uint64_t)v;
	return n;
}

static inline struct dt_node *str(struct bench *b, const char *s)
{
	struct dt_node *n = node(b, DT_N_STR, dt_types_string(b->types));

	n->str = s;
	n->slen = (uint32_t)strlen(s);
	return n;
}

static inline struct dt_node *var(struct bench *b, struct dt_ident *id)
{
	struct dt_node *n = node(b, DT_N_IDENT, id->type);

	n->ident = id;
	n->name = id->name;
	return n;
}

static inline struct dt_node *bin(struct bench *b, enum dt_op op, struct dt_node *x, struct dt_node *y,
    const struct dt_type *t)
{
	struct dt_node *n = node(b, DT_N_BINARY, t);

	n->op = (uint8_t)op;
	n->a = x;
	n->b = y;
	return n;
}

static inline struct dt_node *unary(struct bench *b, enum dt_op op, struct dt_node *x,
    const struct dt_type *t)
{
	struct dt_node *n = bin(b, op, x, NULL, t);

	n->kind = DT_N_UNARY;
	return n;
}

static inline struct dt_node *asgn(struct bench *b, enum dt_op op, struct dt_node *x, struct dt_node *y)
{
	struct dt_node *n = bin(b, op, x, y, x->type);

	n->kind = DT_N_ASSIGN;
	return n;
}

static inline struct dt_node *cast(struct bench *b, struct dt_node *x, const struct dt_type *t)
{
	struct dt_node *n = node(b, DT_N_CAST, t);

	n->a = x;
	return n;
}

static inline struct dt_node *call(struct bench *b, const struct dt_builtin *row, struct dt_node *list,
    const struct dt_type *t)
{
	struct dt_node *n = node(b, DT_N_CALL, t);

	n->ident = ident(b, row->name, DT_ID_FUNC, DT_SCOPE_GLOBAL, row->id, NULL);
	n->ident->row = row;
	n->list = list;
	return n;
}

static inline struct dt_node *elem(struct bench *b, struct dt_ident *id, struct dt_node *keys)
{
	struct dt_node *n = node(b, DT_N_INDEX, id->type);

	n->ident = id;
	n->list = keys;
	return n;
}

static inline struct dt_node *member(struct bench *b, struct dt_node *base, const char *name,
    const struct dt_type *sou)
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

static inline struct dt_ident *global(struct bench *b, const char *name, const struct dt_type *t)
{
	return ident(b, name, DT_ID_SCALAR, DT_SCOPE_GLOBAL, b->nextid++, t);
}

/* ---- listings ---- */

struct text { char buf[16384]; size_t len; };

static inline void put(void *ctx, const char *line)
{
	struct text *t = ctx;
	size_t n = strlen(line);

	if (t->len + n < sizeof(t->buf)) {
		memcpy(t->buf + t->len, line, n + 1);
		t->len += n;
	}
}

/* The listing from "returns" on: the address before it is not ours to know. */
static inline const char *listing(struct bench *b, const struct dt_difo *d)
{
	struct text t = { .len = 0, .buf = "" };
	const char *p;

	dt_difo_list(d, put, &t);
	p = strstr(t.buf, "returns");
	return dt_arena_strdup(b->arena, p ? p : t.buf);
}

/* Only the instructions, without numbers and notes, one a line. */
static inline const char *code(struct bench *b, const struct dt_difo *d)
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

/* ---- running ---- */

struct machine {
	struct dt_prog prog;
	struct dt_interp *ip;
	struct dt_context context;
	struct dt_region region;
	_Alignas(8) uint8_t bytes[256];
};

static inline void machine_open(struct machine *m)
{
	memset(m, 0, sizeof(*m));
	m->region = (struct dt_region){ .addr = 0x10000, .len = sizeof(m->bytes), .bytes = m->bytes };
	m->context.regions = &m->region;
	m->context.nregions = 1;
	m->ip = dt_interp_new(&m->prog, &(struct dt_interp_opts){ .strsize = 256, .scratchsize = 65536,
		.dynvarsize = 1 << 20 }, NULL);
}

static inline uint64_t run_difo(struct machine *m, const struct dt_difo *d)
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

static inline uint64_t run(struct bench *b, struct machine *m, struct dt_node *n)
{
	return run_difo(m, dt_cg_expr(&b->opts, n));
}

static inline struct dt_node *comma(struct bench *b, struct dt_node *x, struct dt_node *y)
{
	struct dt_node *n = node(b, DT_N_COMMA, y->type);

	n->a = x;
	n->b = y;
	return n;
}

#endif
