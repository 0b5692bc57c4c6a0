/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Translators and inlines are dissolved here. A member of a translated object becomes the translator's
 * expression for that member, with the input bound to the object; an inline becomes its body. Only
 * plain D is left for the code generator.
 */
#include "sema/sema.h"

/* Limits for hostile input: depth of nesting, and all expansions of one use (inlines that double). */
#define MAX_EXPANSION 64
#define MAX_EXPANSIONS 100000

/*
 * Types a clone of `body` in a scope where only the given parameters are bound. `shelter`: the caller
 * accounts for the stability of the whole.
 */
static struct dt_node *expand_body(struct dt_sema *s, const struct dt_node *body, struct dt_bind *binds,
    bool shelter)
{
	struct dt_bind *saved = s->binds;
	struct dt_node *n;

	if (s->expanding == 0)
		s->expansions = 0;
	if (++s->expansions > MAX_EXPANSIONS)
		dt_fail(s->diag, D_UNKNOWN, body->loc,
		    "inlines and translators expand to more than %d expressions", MAX_EXPANSIONS);
	if (++s->expanding > MAX_EXPANSION)
		dt_fail(s->diag, D_UNKNOWN, body->loc, "inlines and translators are nested more than %d deep",
		    MAX_EXPANSION);
	s->sheltered += shelter;
	s->binds = binds;
	n = dt_expr(s, dt_node_clone(s->arena, body));
	s->binds = saved;
	s->sheltered -= shelter;
	s->expanding--;
	return n;
}

/* Lives as long as one expansion: it holds the value that the parameter has there. */
static struct dt_ident *param_new(struct dt_sema *s, const char *name, const struct dt_type *type,
    struct dt_node *bound)
{
	struct dt_ident *id = DT_NEW(s->arena, struct dt_ident);

	id->name = name;
	id->kind = DT_ID_PARAM;
	id->type = type;
	id->attr = dt_attr_stable;
	id->bound = bound;
	return id;
}

/* A translated object is bound as it is: its members are taken from it later. */
static struct dt_node *bind_value(struct dt_sema *s, struct dt_node *n, const struct dt_type *type)
{
	return n->kind == DT_N_XLATE ? n : dt_expr_convert(s, dt_expr_copy(s, n), type);
}

/* ---- inlines ---- */

/* Types the arguments and binds them to the parameters, for one expansion. */
static struct dt_bind *bind_params(struct dt_sema *s, const struct dt_ident *id, struct dt_node *args)
{
	struct dt_bind *binds = NULL;
	struct dt_node *next;

	for (uint32_t i = 0; i < id->nparams; i++, args = next) {
		struct dt_bind *b = DT_NEW(s->arena, struct dt_bind);
		const struct dt_ident *p = id->params[i];
		struct dt_node *arg;

		next = args->next;
		args->next = NULL;
		arg = dt_expr_value(s, dt_expr(s, args));
		if (!dt_compat_arg(s, p->type, arg))
			dt_fail(s->diag, D_PROTO_ARG, arg->loc,
			    "%s[ ] key #%u is incompatible with prototype:\n\tprototype: %s\n\t      key: %s",
			    id->name, i + 1, dt_type_str(s->arena, p->type),
			    dt_type_str(s->arena, arg->type));
		b->ident = param_new(s, p->name, p->type, bind_value(s, arg, p->type));
		b->next = binds;
		binds = b;
	}
	return binds;
}

/* The use of an inline becomes its body, typed anew with the parameters bound to the arguments. */
struct dt_node *dt_expr_inline(struct dt_sema *s, struct dt_node *n, struct dt_ident *id)
{
	struct dt_node *body;

	if (id->nparams > 0 && n->kind != DT_N_INDEX)
		dt_fail(s->diag, D_IDENT_BADREF, n->loc, "%s needs its parameters: %s[…]", id->name,
		    id->name);
	body = expand_body(s, id->body, id->nparams > 0 ? bind_params(s, id, n->list) : NULL, id->has_attr);
	if (id->has_attr)
		dt_attr_use(s, id->attr, n->loc, id->name);
	else if (body->kind == DT_N_XLATE)
		/* a translation with a name has to say how stable the name is (D guide) */
		dt_attr_use(s, dt_attr_private, n->loc, id->name);
	/* Errors after this point are the user's: they should show the use, not the library. */
	body->loc = n->loc;
	if (body->kind == DT_N_XLATE || dt_type_is_string(id->type))
		return body;
	return dt_expr_convert(s, body, id->type);
}

/* ---- translators ---- */

/* The target of a pointer; the type itself otherwise. */
static const struct dt_type *pointed_type(const struct dt_type *t)
{
	const struct dt_type *b = dt_type_base(t);

	return b->kind == DT_T_PTR ? b->ref : t;
}

/*
 * The best translator: same source type, then equal, then compatible. The newest declaration comes
 * first.
 */
static const struct dt_xlator *match_translator(struct dt_sema *s, const struct dt_type *dst,
    const struct dt_node *in)
{
	const struct dt_xlator *same = NULL, *compatible = NULL;

	for (const struct dt_xlator *x = s->cc->xlators; x != NULL; x = x->next) {
		if (x->version > s->cc->version || dt_type_base(x->dst) != dst)
			continue;
		if (x->src == in->type)
			return x;
		if (same == NULL && dt_type_same(x->src, in->type))
			same = x;
		if (compatible == NULL && dt_compat_arg(s, x->src, in))
			compatible = x;
	}
	return same != NULL ? same : compatible;
}

/* As match_translator(), but loads the library that declares one if needed. */
static const struct dt_xlator *find_translator(struct dt_sema *s, const struct dt_type *dst,
    const struct dt_node *in)
{
	const struct dt_services *sv = &s->cc->services;
	const struct dt_type *base = dt_type_complete(s->types, dt_type_base(dst));
	const struct dt_xlator *x = match_translator(s, base, in);
	const char *key;

	if (x != NULL || sv->library == NULL)
		return x;
	key = dt_arena_printf(s->arena, "translator %s", dt_type_str(s->arena, dst));
	return sv->library(sv->ctx, key) ? match_translator(s, base, in) : NULL;
}

/* Gives the node its translator. The node's type is the pointer or struct that was asked for. */
struct dt_node *dt_expr_translated(struct dt_sema *s, struct dt_node *n, const struct dt_type *to,
    enum dt_tag missing)
{
	const struct dt_type *dst = pointed_type(to);

	if (!dt_type_is_sou(dst))
		dt_fail(s->diag, D_XLATE_SOU, n->loc, "a translator makes a struct or union, not \"%s\"",
		    dt_type_str(s->arena, to));
	n->xlator = find_translator(s, dst, n->a);
	if (n->xlator == NULL)
		dt_fail(s->diag, missing, n->loc, "no translator has been defined from \"%s\" to \"%s\"",
		    dt_type_str(s->arena, n->a->type), dt_type_str(s->arena, dst));
	n->type = to;
	return n;
}

/* The node stays as it is until a member of it, or the whole, is asked for. */
struct dt_node *dt_expr_xlate(struct dt_sema *s, struct dt_node *n)
{
	const struct dt_type *to = dt_sema_type(s, n->tname);

	n->a = dt_expr_value(s, dt_expr(s, n->a));
	return dt_expr_translated(s, n, to, D_XLATE_NONE);
}

static const struct dt_xmember *translated_member(const struct dt_xlator *x, const char *name)
{
	for (const struct dt_xmember *m = x->members; m != NULL; m = m->next)
		if (strcmp(m->name, name) == 0)
			return m;
	return NULL;
}

/* The translator's expression for one member, typed and converted to the member's type. */
static struct dt_node *member_value(struct dt_sema *s, struct dt_node *xlate, const struct dt_xmember *xm,
    const struct dt_type *want)
{
	const struct dt_xlator *x = xlate->xlator;
	struct dt_bind b = { param_new(s, x->input, x->src, bind_value(s, xlate->a, x->src)), NULL };
	struct dt_node *v = expand_body(s, xm->expr, &b, x->has_attr);

	if (x->has_attr)
		dt_attr_use(s, x->attr, xlate->loc, xm->name);
	if (v->kind == DT_N_XLATE)
		return v;
	v = dt_expr_no_action(s, dt_expr_value(s, v));
	if (!dt_compat_arg(s, want, v))
		dt_fail(s->diag, D_XLATE_INCOMPAT, xm->loc,
		    "translator member %s definition uses incompatible types: \"%s\" = \"%s\"", xm->name,
		    dt_type_str(s->arena, want), dt_type_str(s->arena, v->type));
	v->loc = xlate->loc;
	return dt_type_is_stringlike(want) && dt_type_is_string(v->type) ? v : dt_expr_convert(s, v, want);
}

/* xlate <t>(x).m becomes the translator's expression for m. Other members are never typed. */
struct dt_node *dt_expr_xmember(struct dt_sema *s, struct dt_node *xlate, const struct dt_node *n)
{
	const struct dt_xmember *xm = translated_member(xlate->xlator, n->name);
	const struct dt_type *dst = dt_type_base(xlate->xlator->dst);
	bool pointer = dt_type_base(xlate->type)->kind == DT_T_PTR;
	struct dt_member m;
	struct dt_node *v;

	if (pointer != n->arrow)
		dt_fail(s->diag, pointer ? D_OP_SOU : D_OP_PTR, n->loc,
		    "operator %s on a translated %s: use %s", n->arrow ? "->" : ".",
		    pointer ? "pointer" : "struct", pointer ? "->" : ".");
	if (!dt_type_member(s->types, dst, n->name, &m)) {
		/* dt_expr_member() fails and suggests the members that exist */
		struct dt_node fake = {
			.kind = DT_N_MEMBER, .name = n->name, .name_loc = n->name_loc, .loc = n->loc
		};
		struct dt_node zero = { .kind = DT_N_SYM, .type = dst };

		fake.a = &zero;
		(void)dt_expr_member(s, &fake);
	}
	if (xm == NULL)
		dt_fail(s->diag, D_XLATE_NOCONV, n->name_loc,
		    "translator does not define conversion for member: %s", n->name);
	v = member_value(s, xlate, xm, m.type);
	v->loc = n->loc;
	return v;
}

/* The whole translated struct as a value: every member that the translator defines, in its order. */
struct dt_node *dt_expr_xwhole(struct dt_sema *s, struct dt_node *xlate)
{
	struct dt_node *n, **tail;

	if (dt_type_base(xlate->type)->kind == DT_T_PTR)
		dt_fail(s->diag, D_CG_DYN, xlate->loc,
		    "expression cannot evaluate to result of dynamic type: use a member of the translated "
		    "\"%s\"",
		    dt_type_str(s->arena, xlate->type));
	n = dt_node_new(s->diag, s->arena, DT_N_XSTRUCT, xlate->loc);
	n->type = xlate->type;
	n->nflags = DT_NF_REF;
	tail = &n->list;
	for (const struct dt_xmember *xm = xlate->xlator->members; xm != NULL; xm = xm->next) {
		struct dt_node *e = dt_node_new(s->diag, s->arena, DT_N_ASSIGN, xlate->loc);
		struct dt_member m;

		if (!dt_type_member(s->types, xlate->xlator->dst, xm->name, &m))
			continue;
		e->b = dt_expr_value(s, member_value(s, xlate, xm, m.type));
		e->name = xm->name;
		e->moff = (uint32_t)(m.bit_off / 8);
		e->type = m.type;
		if (m.bit_size != 0)
			dt_expr_bits(s, e, &m);
		dt_node_adopt(s->diag, e, e->b);
		dt_node_adopt(s->diag, n, e);
		*tail = e;
		tail = &e->next;
	}
	return n;
}

/* The translator is entered after its members are checked, so it cannot use itself. */
void dt_decl_translator(struct dt_sema *s, const struct dt_ext *x)
{
	const struct dt_type *dst = dt_sema_type(s, x->dst), *src = dt_sema_type(s, x->src);
	struct dt_xlator *t;

	if (!dt_type_is_sou(dst) || dt_type_complete(s->types, dt_type_base(dst))->incomplete)
		dt_fail(s->diag, D_XLATE_SOU, x->loc,
		    "translator output type must be a complete struct or union, not \"%s\"",
		    dt_type_str(s->arena, dst));
	for (t = s->cc->xlators; t != NULL; t = t->next)
		if (dt_type_same(t->dst, dst) && dt_type_same(t->src, src))
			dt_fail(s->diag, D_XLATE_REDECL, x->loc,
			    "translator from %s to %s has already been declared", dt_type_str(s->arena, src),
			    dt_type_str(s->arena, dst));
	t = DT_NEW(s->cc->arena, struct dt_xlator);
	t->dst = dt_type_complete(s->types, dt_type_base(dst));
	t->src = src;
	t->input = x->name;
	t->members = x->members;
	t->loc = x->loc;
	t->attr = dt_attr_stable;
	t->library = s->library;
	t->has_attr = dt_pragma_claim(s, "translator", &t->attr, &t->version);
	for (const struct dt_xmember *m = t->members; m != NULL; m = m->next) {
		struct dt_node in = { .kind = DT_N_IDENT, .type = src, .loc = x->loc };
		struct dt_node probe = {
			.kind = DT_N_XLATE, .xlator = t, .a = &in, .type = t->dst, .loc = m->loc
		};
		struct dt_member member;

		if (!dt_type_member(s->types, t->dst, m->name, &member))
			dt_fail(s->diag, D_XLATE_MEMB, m->loc, "translator member %s is not a member of %s",
			    m->name, dt_type_str(s->arena, dst));
		/*
		 * The members of our own libraries are checked on use: most are never used, and
		 * checking each would read kernel types.
		 */
		if (!s->lazy) {
			struct dt_attr saved = s->stmtattr;

			dt_expr_object(s, &in);
			(void)member_value(s, &probe, m, member.type);
			s->stmtattr = saved;
		}
	}
	t->next = s->cc->xlators;
	s->cc->xlators = t;
}
