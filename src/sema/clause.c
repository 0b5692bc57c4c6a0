/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Programs. The externals of a unit come in, in order; ECBs go out: each clause is cloned, typed and
 * compiled once for each of its probe descriptions. The actions are typed before the predicate, as
 * historic DTrace does, so the body can give a variable the type that the predicate needs. The other order is
 * tried only if this one fails.
 */
#include "sema/sema.h"

/* The actions of one statement share its number: the consumer groups their records by it. */
static void new_statement(struct dt_sema *s)
{
	s->stmt = s->cc->next_stmt++;
}

/* -S lists the DIFOs in this order. */
static void list_difo(struct dt_sema *s, const struct dt_difo *difo)
{
	dt_vec_push(s->keep, &s->listing, difo);
}

/* ---- actions ---- */

struct dt_act *dt_act_add(struct dt_sema *s, enum dt_actkind kind, struct dt_loc loc)
{
	struct dt_act act = { .kind = (uint16_t)kind, .stmt = s->stmt, .loc = loc };

	dt_vec_push(s->keep, &s->acts, act);
	if (DT_ACT_IS_DESTRUCTIVE(kind))
		s->destructive = true;
	return &s->acts.v[s->acts.n - 1];
}

struct dt_act *dt_act_expr(struct dt_sema *s, enum dt_actkind kind, const struct dt_node *n)
{
	struct dt_difo *difo = dt_cg_expr(&s->cg, n);
	struct dt_act *act = dt_act_add(s, kind, n->loc);

	act->difo = difo;
	s->destructive |= difo->destructive;
	list_difo(s, difo);
	return act;
}

struct dt_act *dt_act_const(struct dt_sema *s, enum dt_actkind kind, uint64_t value, uint32_t size,
    struct dt_loc loc)
{
	struct dt_act *act = dt_act_add(s, kind, loc);

	act->difo = dt_cg_const(&s->cg, value, size);
	return act;
}

/*
 * sym() and its like take an address, the stacks take a number of frames. Returns the first action
 * made.
 */
static struct dt_act *key_action(struct dt_sema *s, struct dt_node *n)
{
	const struct dt_builtin *row = n->ident->row;
	size_t first = s->acts.n;

	row->compile(s, row, n);
	return &s->acts.v[first];
}

/* A value as an action: an expression, or a call that records for itself, as stack() does. */
struct dt_act *dt_act_value(struct dt_sema *s, enum dt_actkind kind, struct dt_node *n)
{
	if (n->kind == DT_N_CALL && n->ident->row->kind == DT_BI_ACTION)
		return key_action(s, n);
	return dt_act_expr(s, kind, n);
}

/* Types each argument in place. */
void dt_act_args(struct dt_sema *s, struct dt_node *call, bool keys)
{
	for (struct dt_node **a = &call->list; *a != NULL; a = &(*a)->next) {
		struct dt_node *next = (*a)->next, *picked = dt_expr_picked(s, *a), *base;

		base = picked->kind == DT_N_INDEX ? picked->a : picked;
		/* A bare aggregation has no value: dt_act_agg() reads its name. */
		if (base->kind == DT_N_AGG) {
			*a = picked;
			continue;
		}
		*a = dt_expr(s, *a);
		if (!(keys && (*a)->kind == DT_N_CALL && dt_call_keytype(s, (*a)->ident->row) != NULL) &&
		    (*a)->kind != DT_N_XLATE)
			*a = dt_expr_value(s, *a);
		(*a)->next = next;
	}
}

/* The aggregation that an argument names. It must have been assigned before: its function is needed. */
struct dt_ident *dt_act_agg(struct dt_sema *s, struct dt_node *arg, enum dt_tag notagg, enum dt_tag undefined,
    const char *what)
{
	struct dt_ident *id;

	if (arg->kind == DT_N_INDEX && arg->a->kind == DT_N_AGG)
		dt_fail(s->diag, notagg, arg->loc, "%s( ) takes a whole aggregation, @%s, without keys", what,
		    arg->a->name);
	if (arg->kind != DT_N_AGG)
		dt_fail(s->diag, notagg, arg->loc, "%s( ) argument must be an aggregation", what);
	id = dt_names_agg(s, arg->name, false, arg->loc);
	if (id == NULL || id->aggfunc == NULL) {
		struct dt_near near;

		dt_near_init(&near, arg->name);
		for (uint32_t i = 0; i < s->cc->aggs.n; i++)
			dt_near_offer(&near, s->cc->aggs.v[i].key);
		dt_fail_hint(s->diag, undefined, arg->loc,
		    near.best != NULL ? dt_arena_printf(s->arena, "did you mean `@%s`?", near.best) : NULL,
		    "undefined aggregation: @%s", arg->name);
	}
	return id;
}

/* ---- order of statements: commit() and speculate() restrict what may follow ---- */

/* Nothing may be recorded after commit(), which has ended what the clause records into. */
static void act_records(struct dt_sema *s, struct dt_loc loc, const char *what)
{
	if (s->committed)
		dt_fail(s->diag, D_DREC_COMM, loc, "%s( ) records data and may not follow commit( )", what);
	s->recorded = true;
}

/* ---- statements ---- */

/* @a = f() or @a[keys] = f(). */
static bool is_aggregation(const struct dt_node *n)
{
	const struct dt_node *a = n->a;

	if (n->kind != DT_N_ASSIGN)
		return false;
	if (a->kind == DT_N_INDEX && a->a->kind == DT_N_INDEX && a->a->a->kind == DT_N_AGG)
		return true;	/* two key lists: refused below */
	return a->kind == DT_N_AGG || (a->kind == DT_N_INDEX && a->a->kind == DT_N_AGG);
}

/* A compound assignment, two key lists, or a right side that does not aggregate is refused here. */
static void compile_aggregation(struct dt_sema *s, struct dt_node *n)
{
	struct dt_node *agg = n->a->kind == DT_N_INDEX ? n->a->a : n->a, *call = dt_expr_picked(s, n->b);
	struct dt_ident *func;

	if (agg->kind != DT_N_AGG)
		dt_fail(s->diag, D_AGG_MDIM, n->a->loc, "an aggregation has one list of keys, @name[a, b]");
	if (n->op != DT_OP_NONE || call->kind != DT_N_CALL || call->a->kind != DT_N_IDENT)
		dt_fail(s->diag, D_AGG_FUNC, call->loc,
		    "@%s: the right side must be an aggregating function, as count() or sum(x)", agg->name);
	func = dt_names_global(s, call->a->name);
	if (func == NULL)
		(void)dt_expr_call(s, call);	/* fails, with a suggestion */
	if (func->kind != DT_ID_FUNC || func->row->kind != DT_BI_AGGFUNC)
		dt_fail(s->diag, D_AGG_FUNC, call->loc, "@%s: %s is not an aggregating function", agg->name,
		    call->a->name);
	if (s->committed)
		dt_fail(s->diag, D_AGG_COMM, n->loc, "aggregating actions may not follow commit( )");
	if (s->speculated)
		dt_fail(s->diag, D_AGG_SPEC, n->loc, "aggregating actions may not follow speculate( )");
	call->ident = func;
	dt_attr_use(s, func->attr, call->loc, func->name);
	func->row->aggregate(s, func->row, n->a, call);
}

/* Loads the library that declares the name if needed. */
static bool is_action(struct dt_sema *s, const struct dt_node *n)
{
	struct dt_ident *id;

	if (n->kind != DT_N_CALL || n->a->kind != DT_N_IDENT)
		return false;
	id = dt_names_global(s, n->a->name);
	return id != NULL && id->kind == DT_ID_FUNC &&
	    (id->row->kind == DT_BI_ACTION || id->row->kind == DT_BI_AGGFUNC);
}

/* The row compiles itself, to as many actions as it needs. */
static void compile_action(struct dt_sema *s, struct dt_node *n)
{
	const struct dt_builtin *row;

	n = dt_expr_call(s, n);
	row = n->ident->row;
	if (row->kind == DT_BI_AGGFUNC)
		dt_fail(s->diag, D_AGG_NULL, n->loc,
		    "%s( ) must be assigned to an aggregation: @name[keys] = %s( )", row->name, row->name);
	dt_act_plain(s, n->loc, row);
	if (row->flags & DT_BF_RECORDS)
		act_records(s, n->loc, row->name);
	if (row->flags & DT_BF_DESTRUCTIVE)
		s->destructive = true;
	row->compile(s, row, n);
}

/* Refuses `a, b` if a side is an action: the comma operator joins values. */
static void refuse_actions(struct dt_sema *s, const struct dt_node *n)
{
	if (n->kind != DT_N_COMMA)
		return;
	refuse_actions(s, n->a);
	if (is_action(s, n->a) || is_action(s, n->b) || is_aggregation(n->a) || is_aggregation(n->b))
		dt_fail_hint(s->diag, D_OP_ACT, n->loc, "separate them with ;",
		    "operator , may not be applied to actions");
}

/* A statement without an action: its value is dropped, so the DIFO returns nothing. */
static void compile_expression(struct dt_sema *s, struct dt_node *n)
{
	struct dt_difo *difo;
	struct dt_act *act;

	refuse_actions(s, n);
	n = dt_expr_no_action(s, dt_expr_value(s, dt_expr(s, n)));
	difo = dt_cg_void(&s->cg, n);
	list_difo(s, difo);
	act = dt_act_add(s, DT_ACT_DIFEXPR, n->loc);
	act->difo = dt_difo_void(s->keep, difo);
	s->destructive |= difo->destructive;
}

static void compile_statements(struct dt_sema *s, const struct dt_stmt *list);

/* if (c) A else B: A is skipped if c is zero. A hidden copy of c decides on B, since A may change c. */
static void if_else(struct dt_sema *s, const struct dt_stmt *st)
{
	struct dt_node *cond = dt_expr_no_action(s,
	    dt_expr_value(s, dt_expr(s, dt_node_clone(s->arena, st->expr))));
	struct dt_ident *keep = NULL;
	struct dt_difo *difo;
	size_t at;

	if (!dt_type_is_scalar(cond->type))
		dt_fail(s->diag, D_PRED_SCALAR, cond->loc,
		    "condition result must be of scalar type, not \"%s\"", dt_type_str(s->arena, cond->type));
	if (st->els != NULL)
		keep = dt_names_hidden(s, "if", dt_types_basic(s->types, "int"));
	new_statement(s);
	difo = dt_cg_bool(&s->cg, cond, keep);
	list_difo(s, difo);
	at = s->acts.n;
	dt_act_add(s, DT_ACT_SKIPZ, st->loc)->difo = difo;
	compile_statements(s, st->then);
	s->acts.v[at].arg = s->acts.n - at - 1;	/* how many actions to skip */
	if (st->els == NULL)
		return;
	cond = dt_node_new(s->diag, s->arena, DT_N_UNARY, st->loc);
	cond->op = DT_OP_NOT;
	cond->type = keep->type;
	cond->a = dt_node_new(s->diag, s->arena, DT_N_VAR, st->loc);
	cond->a->scope = DT_SCOPE_CLAUSE;
	cond->a->name = keep->name;
	cond->a->ident = keep;
	cond->a->type = keep->type;
	cond->a->nflags = DT_NF_LVAL;
	new_statement(s);
	difo = dt_cg_bool(&s->cg, cond, NULL);
	list_difo(s, difo);
	at = s->acts.n;
	dt_act_add(s, DT_ACT_SKIPZ, st->loc)->difo = difo;
	compile_statements(s, st->els);
	s->acts.v[at].arg = s->acts.n - at - 1;
}

/* The tree is cloned: a clause of several probes is typed anew for each, as args[] differ. */
static void compile_statement(struct dt_sema *s, const struct dt_stmt *st)
{
	struct dt_node *n;

	if (st->kind == DT_S_IF) {
		if_else(s, st);
		return;
	}
	new_statement(s);
	n = dt_expr_picked(s, dt_node_clone(s->arena, st->expr));
	if (is_aggregation(n))
		compile_aggregation(s, n);
	else if (is_action(s, n))
		compile_action(s, n);
	else
		compile_expression(s, n);
}

static void compile_statements(struct dt_sema *s, const struct dt_stmt *list)
{
	for (; list != NULL; list = list->next)
		compile_statement(s, list);
}

/* ---- clauses ---- */

/* The message about = in a predicate suggests ==, so the diagnostics must know where they are. */
static const struct dt_difo *compile_predicate(struct dt_sema *s, const struct dt_node *expr)
{
	struct dt_node *n;
	struct dt_difo *difo;

	s->diag->in_predicate = true;
	n = dt_expr_no_action(s, dt_expr_value(s, dt_expr(s, dt_node_clone(s->arena, expr))));
	if (!dt_type_is_scalar(n->type))
		dt_fail(s->diag, D_PRED_SCALAR, n->loc, "predicate result must be of scalar type, not \"%s\"",
		    dt_type_str(s->arena, n->type));
	difo = dt_cg_bool(&s->cg, n, NULL);
	s->destructive |= difo->destructive;
	s->diag->in_predicate = false;
	return difo;
}

/* A clause starts as Stable/Stable/Common; each use lowers it. */
static void reset_clause(struct dt_sema *s)
{
	memset(&s->acts, 0, sizeof(s->acts));
	s->stmtattr = dt_attr_stable;
	s->committed = s->speculated = s->recorded = false;
	s->binds = NULL;
	s->expanding = s->sheltered = 0;
}

/*
 * Compiles the statements. Returns false if they use a name that the predicate may define; all other
 * errors go on to the compile's entry. The caller must reset what the failed attempt left behind.
 */
static bool try_statements(struct dt_sema *s, const struct dt_stmt *stmts)
{
	jmp_buf here, *outer = s->diag->attempt;
	bool ok;

	s->diag->attempt = &here;
	if (setjmp(here) == 0) {
		compile_statements(s, stmts);
		ok = true;
	} else {
		ok = false;
	}
	s->diag->attempt = outer;
	if (!ok && s->diag->tag != D_IDENT_UNDEF && s->diag->tag != D_VAR_UNDEF)
		dt_fail_again(s->diag);
	if (!ok)
		s->diag->msg = s->diag->hint = NULL;
	return ok;
}

/* The predicate comes first in the listing although it is compiled last. */
static void insert_listing(struct dt_sema *s, size_t at, const struct dt_difo *difo)
{
	list_difo(s, difo);
	memmove(&s->listing.v[at + 1], &s->listing.v[at], (s->listing.n - 1 - at) * sizeof(s->listing.v[0]));
	s->listing.v[at] = difo;
}

/* Returns the predicate's DIFO, or NULL if the clause has none. */
static const struct dt_difo *clause_body(struct dt_sema *s, const struct dt_ext *x)
{
	size_t listed = s->listing.n;
	const struct dt_difo *pred = NULL;

	if (x->pred == NULL) {
		compile_statements(s, x->stmts);
		return NULL;
	}
	if (try_statements(s, x->stmts)) {
		pred = compile_predicate(s, x->pred);
	} else {
		s->diag->msg = NULL;
		s->diag->hint = NULL;
		s->listing.n = listed;
		reset_clause(s);
		pred = compile_predicate(s, x->pred);
		compile_statements(s, x->stmts);
	}
	insert_listing(s, listed, pred);
	return pred;
}

/* The actions are shared by nothing: each probe of a clause has its own. */
static void add_ecb(struct dt_sema *s, const struct dt_pdesc *p, const struct dt_difo *pred,
    struct dt_loc loc)
{
	struct dt_ecb ecb = {
		.probe = { p->prov, p->mod, p->func, p->name, p->id },
		.pred = pred, .acts = s->acts.v, .nacts = (uint32_t)s->acts.n,
		.descattr = dt_attr_probe(s, p), .stmtattr = s->stmtattr, .loc = loc,
	};

	dt_attr_check(s, ecb.descattr, p->loc, "the probe description");
	s->progdesc = dt_attr_min(s->progdesc, ecb.descattr);
	s->progstmt = dt_attr_min(s->progstmt, ecb.stmtattr);
	dt_vec_push(s->keep, &s->ecbs, ecb);
}

/* The variable that holds value number n when codegen runs out of registers. A clause reuses them. */
static struct dt_ident *spill_variable(void *ctx, unsigned n)
{
	struct dt_sema *s = ctx;
	const char *name = dt_arena_printf(s->arena, "%%t%u", n);
	struct dt_ident *id = dt_names_var(s, DT_SCOPE_CLAUSE, name);
	struct dt_loc none = { 0 };

	if (id == NULL) {
		id = dt_names_create(s, DT_SCOPE_CLAUSE, name, false, none);
		id->type = dt_types_find(s->types, NULL, DT_T_TYPEDEF, "int64_t");
	}
	return id;
}

/* Fails if no probe matches, unless that is allowed (-Z) or there is no one to ask. */
static void check_probe(struct dt_sema *s, const struct dt_pdesc *p)
{
	const struct dt_services *sv = &s->cc->services;
	enum dt_tag tag = D_PDESC_ZERO;
	const char *why = NULL;

	if (s->unmatched || sv->probes == NULL || sv->probes(sv->ctx, p, NULL, NULL, &why, &tag))
		return;
	if (p->id != 0)
		dt_fail(s->diag, D_PDESC_INVAL, p->loc,
		    "invalid probe identifier %u: Unknown probe identifier%s%s", p->id,
		    why != NULL ? ": " : "", why != NULL ? why : "");
	dt_fail(s->diag, tag, p->loc, "probe description %s:%s:%s:%s does not match any probes%s%s", p->prov,
	    p->mod, p->func, p->name, why != NULL ? ": " : "", why != NULL ? why : "");
}

/* One ECB for each probe description, in the order in which they are written. */
static void compile_clause(struct dt_sema *s, const struct dt_ext *x)
{
	s->clause = x;
	s->arena = s->cc->scratch;
	/* Trees do not outlive their probe; DIFOs and actions are in the program's arena. */
	for (const struct dt_pdesc *p = x->probes; p != NULL; p = p->next) {
		dt_arena_reset(s->arena);
		s->probe = p;
		check_probe(s, p);
		reset_clause(s);
		add_ecb(s, p, clause_body(s, x), x->loc);
	}
	s->arena = s->keep;
	s->clause = NULL;
	s->probe = NULL;
}

/* ---- the unit ---- */

/* The arena is the program's, which outlives the compile; scratch memory is the compiler's. */
void dt_sema_init(struct dt_sema *s, struct dt_compiler *cc, struct dt_arena *arena, struct dt_diag *diag)
{
	memset(s, 0, sizeof(*s));
	s->cc = cc;
	s->arena = s->keep = arena;
	s->diag = diag;
	s->types = cc->types;
	s->stmtattr = dt_attr_max;
	s->progdesc = s->progstmt = dt_attr_max;
	s->cg.arena = arena;
	s->cg.tmp = cc->scratch;
	s->cg.diag = diag;
	s->cg.types = cc->types;
	s->cg.iregs = cc->iregs;
	s->cg.tregs = cc->tregs;
	s->cg.strsize = cc->strsize;
	s->cg.temp = spill_variable;
	s->cg.temp_ctx = s;
}

/* Declarations of an #included file follow the rules of C. */
static void compile_external(struct dt_sema *s, const struct dt_ext *x)
{
	static void (*const by_kind[])(struct dt_sema *, const struct dt_ext *) = {
		[DT_X_CLAUSE] = compile_clause,
		[DT_X_DECL] = dt_decl_global,
		[DT_X_INLINE] = dt_decl_inline,
		[DT_X_TRANSLATOR] = dt_decl_translator,
		[DT_X_PROVIDER] = dt_decl_provider,
		[DT_X_PRAGMA] = dt_pragma_apply,
	};

	s->cdefs = dt_loc_included(x->loc);
	by_kind[x->kind](s, x);
}

/* Externals in the order of the text: what is declared is known from there on. */
void dt_sema_unit(struct dt_sema *s, const struct dt_unit *unit)
{
	s->cg.strsize = s->cc->strsize;		/* pragmas have been read by now */
	for (const struct dt_ext *x = unit->exts; x != NULL; x = x->next)
		compile_external(s, x);
	dt_pragma_finish(s);
}

/* The program owns its arena, in which everything that it points to lies. */
struct dt_prog *dt_sema_program(struct dt_sema *s)
{
	struct dt_prog *prog = DT_NEW(s->keep, struct dt_prog);

	prog->arena = s->keep;
	prog->ecbs = s->ecbs.v;
	prog->necbs = (uint32_t)s->ecbs.n;
	prog->aggs = s->aggvars.v;
	prog->naggs = (uint32_t)s->aggvars.n;
	prog->destructive = s->destructive;
	prog->descattr = s->progdesc;
	prog->stmtattr = s->progstmt;
	return prog;
}

/* An expression alone, for callers that have no clause. */
struct dt_node *dt_sema_expr_only(struct dt_sema *s, const struct dt_node *n)
{
	return dt_expr_no_action(s, dt_expr_value(s, dt_expr(s, dt_node_clone(s->arena, n))));
}
