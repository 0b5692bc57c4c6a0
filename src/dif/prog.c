/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A whole program comes in; "it is sound", or the first thing that is wrong, goes out. Beside its DIFOs this
 * checks that skips nest, that tuples are complete and name aggregations of the table, that each action has
 * what its kind needs, and that DIFOs agree about the variables they share. Clauses may share DIFOs and
 * action lists; each is checked once, so the time is linear in the size of the file. Executors, the writer of
 * DOF and the printers of output rely on all of this and check none of it again.
 */
#include "base/map.h"
#include "dif/action.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

enum { ACTS_MAX = 16384, STABILITY_MAX = 7, CLASS_MAX = 5 };
enum { PROV_MAX = 64, MOD_MAX = 64, FUNC_MAX = 256, NAME_MAX_ = 64 };	/* with their NUL */

struct progcheck {
	const struct dt_prog *p;
	uint32_t ecb;			/* where we are, for messages */
	int act;			/* -1: predicate, -2: none */
	char *msg;
	size_t len;
	struct dt_arena *tmp;
	jmp_buf oom;
	struct dt_map seen;		/* DIFOs and action lists, by address */
	DT_VEC(const struct dt_difv *) vars;	/* the program's, of all DIFOs */
	const struct dt_aggvar **aggs;	/* by id */
};

__attribute__((format(printf, 2, 3))) static int bad_program(const struct progcheck *c, const char *fmt, ...)
{
	char where[64] = "";
	va_list ap;
	int n;

	if (c->act >= 0)
		snprintf(where, sizeof(where), "clause %u, action %d: ", (unsigned)c->ecb + 1, c->act + 1);
	else if (c->act == -1)
		snprintf(where, sizeof(where), "clause %u: ", (unsigned)c->ecb + 1);
	n = snprintf(c->msg, c->len, "%s", where);
	va_start(ap, fmt);
	if (n >= 0 && (size_t)n < c->len)
		vsnprintf(c->msg + n, c->len - (size_t)n, fmt, ap);
	va_end(ap);
	return -EINVAL;
}

/* True the second time something is shown to it. */
static bool was_seen(struct progcheck *c, const void *what, uint32_t n)
{
	char key[40];

	snprintf(key, sizeof(key), "%p %u", (void *)(uintptr_t)what, (unsigned)n);
	if (dt_map_get(&c->seen, key))
		return true;
	dt_map_put(&c->seen, key, c);
	return false;
}

/* The program's variables are collected; check_vars_agree() compares them at the end. */
static int check_difo(struct progcheck *c, const struct dt_difo *d)
{
	char why[256] = "";

	if (was_seen(c, d, 0))
		return 0;
	if (dt_difo_check(d, why, sizeof(why)))
		return bad_program(c, "%s", why);
	if (d->destructive && !c->p->destructive)
		return bad_program(c, "destructive in a program that is not marked destructive");
	for (uint32_t i = 0; i < d->nvars; i++) {
		if (d->vars[i].id >= DT_VAR_USER_MIN)
			dt_vec_push(c->tmp, &c->vars, &d->vars[i]);
	}
	return 0;
}

/* ---- actions ---- */

/*
 * Whether the action is a further value of the statement before it. Its kind need not be the same: printf()
 * may have a stack among its values.
 */
static bool continues_statement(const struct dt_ecb *e, uint32_t i)
{
	const struct dt_act *a = &e->acts[i];

	return i && a[-1].stmt == a->stmt && !a->fmt;
}

/* The value of a DIFO that only returns a constant. */
static bool constant_value(const struct dt_difo *d, uint64_t *value)
{
	if (d->ntext != 2 || dt_dif_op(d->text[0]) != DT_DIF_SETX ||
	    dt_dif_rd(d->text[0]) != dt_dif_rd(d->text[1]))
		return false;
	*value = d->ints[dt_dif_v16(d->text[0])];
	return true;
}

/* c->aggs is sorted by id; NULL: the program declares no such aggregation. */
static const struct dt_aggvar *find_agg(const struct progcheck *c, uint64_t id)
{
	uint32_t lo = 0, hi = c->p->naggs;

	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (c->aggs[mid]->id == id)
			return c->aggs[mid];
		if (c->aggs[mid]->id > id)
			hi = mid;
		else
			lo = mid + 1;
	}
	return NULL;
}

/* An aggregation is named by an expression that is a constant: its id, which is never 0. */
static int aggregation_id(const struct progcheck *c, const struct dt_act *a, uint64_t *id)
{
	if (!a->difo || !constant_value(a->difo, id) || !*id || *id > UINT32_MAX)
		return bad_program(c, "names no aggregation");
	return 0;
}

static int check_fmt(const struct progcheck *c, const struct dt_ecb *e, uint32_t i, unsigned flags)
{
	bool text = e->acts[i].fmt;

	/* the object behind a printed pointer goes by the pointer's type */
	if (flags & DT_AR_TYPE && !text && !continues_statement(e, i))
		return bad_program(c, "has no type name");
	if (flags & DT_AR_LIST && !text && !continues_statement(e, i))
		return bad_program(c, "has no format");
	return 0;
}

/* An aggregation that another program of the same session may fill. */
static int check_shown(const struct progcheck *c, const struct dt_ecb *e, uint32_t i, unsigned flags)
{
	uint64_t id;

	return flags & DT_AR_AGG && !continues_statement(e, i) ? aggregation_id(c, &e->acts[i], &id) : 0;
}

/* NULL: there is no such action. The classes and library actions end where the tables of rules do. */
static const struct dt_actrule *rule_of(const struct dt_act *a)
{
	if (a->kind == DT_ACT_LIBACT)
		return a->arg < 0x10 ? dt_act_rule(a) : NULL;
	return DT_ACT_CLASS(a->kind) <= 0x700 ? dt_act_rule(a) : NULL;
}

static int unknown_action(const struct progcheck *c, const struct dt_act *a)
{
	if (a->kind == DT_ACT_LIBACT)
		return bad_program(c, "there is no library action %llu", (unsigned long long)a->arg);
	return bad_program(c, "there is no action 0x%x", a->kind);
}

/* DT_AR_VALUE goes with DT_AR_DIFO (acts.def), so there is a DIFO when its type is looked at. */
static int check_act(struct progcheck *c, const struct dt_ecb *e, uint32_t i)
{
	const struct dt_act *a = &e->acts[i];
	const struct dt_actrule *rule = rule_of(a);
	int err;

	if (!rule)
		return unknown_action(c, a);
	if (!a->difo && rule->flags & DT_AR_DIFO)
		return bad_program(c, "has no expression");
	err = a->difo ? check_difo(c, a->difo) : 0;
	if (err)
		return err;
	if (rule->flags & DT_AR_VALUE && a->difo->rtype.flags)
		return bad_program(c, "wants a value, not a reference");
	if (DT_ACT_IS_DESTRUCTIVE(a->kind) && !c->p->destructive)
		return bad_program(c, "destructive in a program that is not marked destructive");
	if (a->in_tuple && !(rule->flags & DT_AR_KEY))
		return bad_program(c, "action 0x%x cannot be part of a tuple", a->kind);
	if (a->ntuple && !DT_ACT_IS_AGG(a->kind))
		return bad_program(c, "has a tuple but does not aggregate");
	err = check_fmt(c, e, i, rule->flags);
	return err ? err : check_shown(c, e, i, rule->flags);
}

/* ---- tuples and skips ---- */

/* Whether the aggregating function takes that many values after the keys. */
static bool takes_values(const struct dt_act *a, unsigned nargs)
{
	const struct dt_actrule *rule = dt_act_rule(a);

	return nargs >= rule->least && nargs <= rule->most;
}

/* Action i aggregates over the `run` actions before it. */
static int check_tuple(const struct progcheck *c, const struct dt_ecb *e, uint32_t i, uint32_t run)
{
	const struct dt_act *a = &e->acts[i];
	const struct dt_aggvar *agg;
	uint64_t id;
	int err;

	if (!a->ntuple || a->ntuple != run)
		return bad_program(c, "a tuple of %u actions, but %u belong to it", a->ntuple, (unsigned)run);
	for (uint32_t k = 1; k <= run; k++) {
		if (a[-(int)k].stmt != a->stmt)
			return bad_program(c, "the tuple is of another statement");
	}
	if (a[-(int)run].kind != DT_ACT_DIFEXPR)
		return bad_program(c, "names no aggregation");
	err = aggregation_id(c, &a[-(int)run], &id);
	if (err)
		return err;
	agg = find_agg(c, id);
	if (!agg)
		return bad_program(c, "there is no aggregation %llu", (unsigned long long)id);
	if (agg->kind != a->kind || agg->arg != a->arg)
		return bad_program(c, "@%s has another aggregating function", agg->name);
	if (agg->nkeys > run - 1 || !takes_values(a, run - 1 - agg->nkeys))
		return bad_program(c, "@%s has %u keys, which a tuple of %u actions does not fit", agg->name,
		    (unsigned)agg->nkeys, (unsigned)run);
	return 0;
}

struct skips {
	DT_VEC(uint32_t) ends;		/* of the skips we are in; the innermost last */
};

/* A skip ends inside the one around it, or where that ends. */
static int check_skip(struct progcheck *c, const struct dt_ecb *e, uint32_t i, struct skips *s)
{
	uint64_t n = e->acts[i].arg, limit = s->ends.n ? s->ends.v[s->ends.n - 1] : e->nacts;

	if (n > limit - i - 1)
		return bad_program(c, "skips %llu actions, more than there are", (unsigned long long)n);
	if (n)
		dt_vec_push(c->tmp, &s->ends, (uint32_t)(i + 1 + n));
	return 0;
}

/* Skips that end before action i are over. Only whole statements can be skipped. */
static int end_skips(const struct progcheck *c, const struct dt_ecb *e, uint32_t i, uint32_t run,
    struct skips *s)
{
	if (!s->ends.n || s->ends.v[s->ends.n - 1] != i)
		return 0;
	while (s->ends.n && s->ends.v[s->ends.n - 1] == i)
		s->ends.n--;
	if (run || continues_statement(e, i))
		return bad_program(c, "a skip ends inside a statement");
	return 0;
}

/* A run of tuple actions must be followed at once by the aggregating action that it belongs to. */
static int check_acts(struct progcheck *c, const struct dt_ecb *e)
{
	struct skips s = { 0 };
	uint32_t run = 0;		/* tuple actions that wait for their aggregating action */
	int err = 0;

	if (e->nacts > ACTS_MAX)
		return bad_program(c, "%u actions, more than %u", (unsigned)e->nacts, ACTS_MAX);
	if (!e->nacts || was_seen(c, e->acts, e->nacts))
		return 0;
	for (uint32_t i = 0; !err && i < e->nacts; i++) {
		const struct dt_act *a = &e->acts[i];

		c->act = (int)i;
		err = end_skips(c, e, i, run, &s);
		if (!err)
			err = check_act(c, e, i);
		if (!err && DT_ACT_IS_AGG(a->kind))
			err = check_tuple(c, e, i, run);
		else if (!err && run && !a->in_tuple)
			err = bad_program(c, "a tuple before it has no aggregating action");
		if (!err && a->kind == DT_ACT_SKIPZ)
			err = check_skip(c, e, i, &s);
		run = a->in_tuple ? run + 1 : 0;
	}
	return !err && run ? bad_program(c, "a tuple has no aggregating action") : err;
}

/* ---- the rest of the program ---- */

static int check_attr(const struct progcheck *c, struct dt_attr a)
{
	if (a.name > STABILITY_MAX || a.data > STABILITY_MAX || a.cls > CLASS_MAX)
		return bad_program(c, "unknown stability");
	return 0;
}

static int check_probe(const struct progcheck *c, const struct dt_probedesc *p)
{
	if (!p->prov || !p->mod || !p->func || !p->name)
		return bad_program(c, "the probe description is incomplete");
	if (strnlen(p->prov, PROV_MAX) == PROV_MAX || strnlen(p->mod, MOD_MAX) == MOD_MAX ||
	    strnlen(p->func, FUNC_MAX) == FUNC_MAX || strnlen(p->name, NAME_MAX_) == NAME_MAX_)
		return bad_program(c, "the probe description is too long");
	return 0;
}

static int check_ecb(struct progcheck *c, const struct dt_ecb *e)
{
	int err;

	c->act = -1;
	err = check_probe(c, &e->probe);
	if (!err)
		err = check_attr(c, e->descattr);
	if (!err)
		err = check_attr(c, e->stmtattr);
	if (!err && e->pred)
		err = check_difo(c, e->pred);
	if (!err && e->pred && e->pred->rtype.flags)
		err = bad_program(c, "the predicate is not a value");
	return err ? err : check_acts(c, e);
}

/* Parameters are checked by the function's row: a hostile file may ask for any number of buckets. */
static int check_agg(const struct progcheck *c, const struct dt_aggvar *a)
{
	if (!a->name || !a->id)
		return bad_program(c, "an aggregation has no name or number");
	if (!DT_ACT_IS_AGG(a->kind) || !dt_actrule_of(a->kind))
		return bad_program(c, "@%s: there is no aggregating function 0x%x", a->name, a->kind);
	if (dt_aggfunc_of(a->kind)->good && !dt_aggfunc_of(a->kind)->good(a->arg))
		return bad_program(c, "@%s: bad parameters of %s", a->name, dt_actrule_of(a->kind)->name);
	return 0;
}

static int by_id(const void *x, const void *y)
{
	const struct dt_aggvar *const *a = x, *const *b = y;

	return (*a)->id < (*b)->id ? -1 : (*a)->id > (*b)->id;
}

static int check_aggs(struct progcheck *c)
{
	uint32_t n = c->p->naggs;

	c->aggs = DT_NEWN(c->tmp, const struct dt_aggvar *, n);
	for (uint32_t i = 0; i < n; i++) {
		int err = check_agg(c, &c->p->aggs[i]);

		if (err)
			return err;
		c->aggs[i] = &c->p->aggs[i];
	}
	qsort(c->aggs, n, sizeof(*c->aggs), by_id);
	for (uint32_t i = 1; i < n; i++) {
		if (c->aggs[i]->id == c->aggs[i - 1]->id)
			return bad_program(c, "@%s and @%s have the same number", c->aggs[i - 1]->name,
			    c->aggs[i]->name);
	}
	return 0;
}

static int by_var(const void *x, const void *y)
{
	const struct dt_difv *const *a = x, *const *b = y;

	if ((*a)->scope != (*b)->scope)
		return (*a)->scope < (*b)->scope ? -1 : 1;
	return (*a)->id < (*b)->id ? -1 : (*a)->id > (*b)->id;
}

/* DIFOs that speak of one variable must mean the same thing. */
static int check_vars_agree(struct progcheck *c)
{
	qsort(c->vars.v, c->vars.n, sizeof(*c->vars.v), by_var);
	for (size_t i = 1; i < c->vars.n; i++) {
		const struct dt_difv *a = c->vars.v[i - 1], *b = c->vars.v[i];

		if (by_var(&a, &b) == 0 && (a->kind != b->kind || a->type.kind != b->type.kind ||
		    a->type.flags != b->type.flags || a->type.size != b->type.size))
			return bad_program(c, "variable %.40s has two types", b->name);
	}
	return 0;
}

static int check_options(const struct progcheck *c)
{
	for (uint32_t i = 0; i < c->p->noptions; i++) {
		const char *name = c->p->options[2 * i];

		if (!name || !*name || strchr(name, '=') || !c->p->options[2 * i + 1])
			return bad_program(c, "an option has no name or no value");
	}
	return 0;
}

static int check_prog(struct progcheck *c)
{
	int err = check_options(c);

	if (!err)
		err = check_attr(c, c->p->descattr);
	if (!err)
		err = check_attr(c, c->p->stmtattr);
	if (!err)
		err = check_aggs(c);
	for (c->ecb = 0; !err && c->ecb < c->p->necbs; c->ecb++)
		err = check_ecb(c, &c->p->ecbs[c->ecb]);
	if (err)
		return err;
	c->act = -2;
	return c->vars.n ? check_vars_agree(c) : 0;
}

/* Memory that the check itself needs may run out too: that is -ENOMEM and says nothing of the program. */
int dt_prog_check(const struct dt_prog *p, char *msg, size_t len)
{
	struct progcheck *c = calloc(1, sizeof(*c));
	volatile int err = -ENOMEM;	/* set between setjmp and longjmp */

	if (!c)
		return err;
	*c = (struct progcheck){ .p = p, .act = -2, .msg = msg, .len = len, .tmp = dt_arena_new() };
	if (c->tmp && setjmp(c->oom) == 0) {
		dt_arena_on_oom(c->tmp, &c->oom);
		dt_map_init(&c->seen, c->tmp);
		err = check_prog(c);
	}
	if (err == -ENOMEM)
		snprintf(msg, len, "out of memory");
	dt_arena_free(c->tmp);
	free(c);
	return err;
}

void dt_prog_free(struct dt_prog *p)
{
	if (p)
		dt_arena_free(p->arena);
}
