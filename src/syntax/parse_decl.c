/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Specifiers, declarators and type names: tokens come in, types as written go out. No type is looked
 * up, with one exception: "[name]" and "[a * b]" can be a size or a list of key types.
 */
#include "syntax/grammar.h"

/* Typedefs of this text first: the table of types learns of them only after the parse. */
bool dt_typename_known(struct dt_parser *ps, const char *name)
{
	const struct dt_parse *p = ps->parse;

	return dt_map_get(&ps->types, name) || (p->is_type && p->is_type(p->ctx, name));
}

static bool is_qualifier(enum dt_tok kind)
{
	return kind == DT_T_CONST || kind == DT_T_VOLATILE || kind == DT_T_RESTRICT || kind == DT_T_USERLAND;
}

/* The index of the first token from i that is neither * nor a qualifier. */
static size_t skip_pointers(struct dt_parser *ps, size_t i)
{
	while (dt_tok_kind(ps, i) == DT_T_MUL || is_qualifier(dt_tok_kind(ps, i)))
		i++;
	return i;
}

/* "(" "*" … ")": the middle of a pointer to a function or array */
static bool is_abstract_group(struct dt_parser *ps, size_t i)
{
	return dt_tok_kind(ps, i) == DT_T_LPAREN && dt_tok_kind(ps, i + 1) == DT_T_MUL &&
	    dt_tok_kind(ps, skip_pointers(ps, i + 1)) == DT_T_RPAREN;
}

/* Looks ahead only; the tokens stay. */
bool dt_paren_is_type(struct dt_parser *ps, size_t i)
{
	enum dt_tok kind = dt_tok_kind(ps, i);

	if (dt_keyword_is_type(kind))
		return true;
	if (kind != DT_T_IDENT)
		return false;
	kind = dt_tok_kind(ps, i + 1);
	if (dt_keyword_is_type(kind))
		return true;		/* (foo_t const *) */
	if (kind != DT_T_MUL)
		return is_abstract_group(ps, i + 1);
	i = skip_pointers(ps, i + 1);
	kind = dt_tok_kind(ps, i);
	return kind == DT_T_RPAREN || kind == DT_T_LBRACK || is_abstract_group(ps, i);
}

/* ---- specifiers ---- */

/* Storage classes, self and this among them, exclude each other. */
static void set_storage(struct dt_parser *ps, struct dt_specs *s, struct dt_token t, enum dt_storage storage)
{
	if (s->storage != DT_ST_NONE)
		dt_fail(ps->diag, D_DECL_CLASS, t.loc, "only one storage class allowed in declaration");
	s->storage = (uint8_t)storage;
}

static void set_base(struct dt_parser *ps, struct dt_specs *s, struct dt_token t, enum dt_base base)
{
	if (s->base != DT_B_NONE)
		dt_fail(ps->diag, D_DECL_COMBO, t.loc, "invalid type combination");
	s->base = (uint8_t)base;
}

/* Words are counted, not judged: which combinations are types is sema's to say. */
static void count_word(uint8_t *n)
{
	if (*n < 3)	/* three are already wrong: avoid overflow */
		++*n;
}

/*
 * A tag that is defined twice is an error at the second {, whatever its body looks like. Headers and the
 * program have name spaces of their own.
 */
static void define_tag(struct dt_parser *ps, const struct dt_specs *s, enum dt_base base)
{
	struct dt_loc open = dt_tok_peek(ps)->loc;
	const char *key = dt_arena_printf(ps->arena, "%d%d %s", base, dt_loc_included(s->loc), s->tname);
	uintptr_t before = (uintptr_t)dt_map_get(&ps->tags, key);

	if (before != 0 && before != open.off + 1)
		dt_fail_hint(ps->diag, D_DECL_TYPERED, s->loc,
		    ps->translating ? "the input of a translator stands between < and >" : NULL,
		    "type redeclared: %s", s->tname);
	dt_map_put(&ps->tags, key, (void *)(uintptr_t)(open.off + 1));
}

/* ("struct"|"union"|"enum") ( tag | [tag] "{" … "}" ) */
static void tagged_spec(struct dt_parser *ps, struct dt_specs *s, struct dt_token t, enum dt_base base)
{
	set_base(ps, s, t, base);
	if (dt_tok_kind(ps, 0) == DT_T_IDENT) {
		s->loc = dt_loc_span(s->loc, dt_tok_peek(ps)->loc);
		s->tname = dt_tok_take(ps).text;
	} else if (dt_tok_kind(ps, 0) != DT_T_LBRACE)
		dt_tok_unexpected(ps, "expected a tag or {");
	if (dt_tok_kind(ps, 0) != DT_T_LBRACE)
		return;
	s->body = true;
	if (s->tname != NULL)
		define_tag(ps, s, base);
	dt_depth_enter(ps, t.loc);
	if (base == DT_B_ENUM)
		dt_enumerators_parse(ps, s);
	else
		dt_members_parse(ps, s);
	dt_depth_leave(ps);
}

/* Adds a keyword to the specifiers; false if it does not belong to them. */
static bool keyword_spec(struct dt_parser *ps, struct dt_specs *s, struct dt_token t)
{
	switch (t.kind) {
	case DT_T_AUTO: set_storage(ps, s, t, DT_ST_AUTO); break;
	case DT_T_REGISTER: set_storage(ps, s, t, DT_ST_REGISTER); break;
	case DT_T_STATIC: set_storage(ps, s, t, DT_ST_STATIC); break;
	case DT_T_EXTERN: set_storage(ps, s, t, DT_ST_EXTERN); break;
	case DT_T_TYPEDEF: set_storage(ps, s, t, DT_ST_TYPEDEF); break;
	case DT_T_SELF: set_storage(ps, s, t, DT_ST_SELF); break;
	case DT_T_THIS: set_storage(ps, s, t, DT_ST_THIS); break;
	case DT_T_CONST: s->quals |= DT_Q_CONST; break;
	case DT_T_VOLATILE: s->quals |= DT_Q_VOLATILE; break;
	case DT_T_RESTRICT: s->quals |= DT_Q_RESTRICT; break;
	case DT_T_USERLAND: s->quals |= DT_Q_USERLAND; break;
	case DT_T_SHORT: count_word(&s->nshort); break;
	case DT_T_LONG: count_word(&s->nlong); break;
	case DT_T_SIGNED: count_word(&s->nsigned); break;
	case DT_T_UNSIGNED: count_word(&s->nunsigned); break;
	case DT_T_VOID: set_base(ps, s, t, DT_B_VOID); break;
	case DT_T_CHAR: set_base(ps, s, t, DT_B_CHAR); break;
	case DT_T_INTWORD: set_base(ps, s, t, DT_B_INT); break;
	case DT_T_FLOAT: set_base(ps, s, t, DT_B_FLOAT); break;
	case DT_T_DOUBLE: set_base(ps, s, t, DT_B_DOUBLE); break;
	case DT_T_BOOL: set_base(ps, s, t, DT_B_BOOL); break;
	case DT_T_STRING: set_base(ps, s, t, DT_B_STRING); break;
	case DT_T_STRUCT: tagged_spec(ps, s, t, DT_B_STRUCT); break;
	case DT_T_UNION: tagged_spec(ps, s, t, DT_B_UNION); break;
	case DT_T_ENUM: tagged_spec(ps, s, t, DT_B_ENUM); break;
	default: return false;
	}
	return true;
}

/*
 * `self x;`, `extern e[int];`: after a lone storage class the name is not a type but what is declared,
 * as an int.
 */
static bool implicit_int(struct dt_parser *ps, const struct dt_specs *s)
{
	enum dt_tok next = dt_tok_kind(ps, 1);

	return s->storage != DT_ST_NONE && s->storage != DT_ST_TYPEDEF &&
	    (next == DT_T_SEMI || next == DT_T_COMMA || next == DT_T_LBRACK);
}

/* A word of D that a C header may use as a name: members are called counter or string there. */
static bool is_c_name(struct dt_parser *ps)
{
	struct dt_token t = *dt_tok_peek(ps);
	enum dt_tok next;

	switch (t.kind) {
	case DT_T_COUNTER:
	case DT_T_IMPORT:
	case DT_T_PROBE:
	case DT_T_PROVIDER:
	case DT_T_SELF:
	case DT_T_STRING:
	case DT_T_STRINGOF:
	case DT_T_THIS: case DT_T_TRANSLATOR: case DT_T_USERLAND: case DT_T_XLATE:
		break;
	default:
		return false;
	}
	next = dt_tok_kind(ps, 1);
	return dt_loc_included(t.loc) &&
	    (next == DT_T_SEMI || next == DT_T_COMMA || next == DT_T_LBRACK || next == DT_T_RPAREN ||
		next == DT_T_COLON || next == DT_T_LPAREN);
}

/* A plain name is not asked here: whether it belongs depends on the words before it. */
static bool continues_specs(enum dt_tok kind)
{
	return dt_keyword_is_type(kind) || kind == DT_T_SELF || kind == DT_T_THIS;
}

/*
 * decl_specs = ( storage | "self" | "this" | type_spec | type_qual ) { … }; one name if there is no
 * type word
 */
const struct dt_specs *dt_specs_parse(struct dt_parser *ps)
{
	struct dt_specs *s = DT_NEW(ps->arena, struct dt_specs);
	bool any = false;

	s->loc = dt_tok_peek(ps)->loc;
	for (;; any = true) {
		struct dt_token t = *dt_tok_peek(ps);
		bool typed = s->base || s->nshort || s->nlong || s->nsigned || s->nunsigned;

		if (t.kind == DT_T_INLINE && (s->storage == DT_ST_STATIC || s->storage == DT_ST_EXTERN)) {
			dt_tok_take(ps);	/* C's inline, of a function */
			continue;
		}
		if (t.kind == DT_T_IDENT ? typed || implicit_int(ps, s) :
					   !continues_specs(t.kind) || (typed && is_c_name(ps)))
			break;
		s->loc = dt_loc_span(s->loc, t.loc);
		if (t.kind == DT_T_IDENT) {
			s->base = DT_B_NAME;
			s->tname = t.text;
			dt_tok_take(ps);
		} else {
			dt_tok_take(ps);
			keyword_spec(ps, s, t);
		}
	}
	if (!any)
		dt_tok_unexpected(ps, "expected a type");
	return s;
}

/* ---- declarators ---- */

/* Declarators in the order of application, from the name outwards. */
struct declr_list {
	struct dt_declr *first, **tail;
	unsigned n;
};

/* The list is bounded, as everything that applies it recurses. */
static struct dt_declr *append_declr(struct dt_parser *ps, struct declr_list *l, enum dt_declr_kind kind,
    struct dt_loc loc)
{
	struct dt_declr *d = DT_NEW(ps->arena, struct dt_declr);

	if (++l->n > DT_AST_MAXDEPTH)
		dt_fail(ps->diag, D_SYNTAX, loc, "declarator is nested too deeply");
	d->kind = (uint8_t)kind;
	d->loc = loc;
	*l->tail = d;
	l->tail = &d->next;
	return d;
}

/* Does "[" hold key types, or the size of an array? A lone name can be both, and so can "a * b". */
static bool brackets_hold_types(struct dt_parser *ps)
{
	enum dt_tok kind = dt_tok_kind(ps, 0), next;
	size_t i;

	if (kind == DT_T_ELLIPSIS || dt_keyword_is_type(kind))
		return true;
	if (kind != DT_T_IDENT)
		return false;
	next = dt_tok_kind(ps, 1);
	if (next == DT_T_COMMA || next == DT_T_IDENT || dt_keyword_is_type(next) || is_abstract_group(ps, 1))
		return true;
	if (next == DT_T_MUL) {
		i = skip_pointers(ps, 1);
		next = dt_tok_kind(ps, i);
		if (next == DT_T_RBRACK || next == DT_T_COMMA)
			return true;
	} else if (next != DT_T_RBRACK) {
		return false;
	}
	return dt_typename_known(ps, dt_tok_peek(ps)->text);
}

/* D's associative arrays are declared with the types of their keys in the brackets. */
static void array_suffix(struct dt_parser *ps, struct declr_list *l)
{
	struct dt_loc open = dt_tok_take(ps).loc;
	struct dt_declr *d = append_declr(ps, l, DT_DR_ARRAY, open);

	if (dt_tok_kind(ps, 0) == DT_T_RBRACK)
		d->empty = true;
	else if (brackets_hold_types(ps))
		d->params = dt_params_parse(ps, DT_T_RBRACK, &d->varargs);
	else
		d->size = dt_cond_parse(ps);
	d->loc = dt_loc_span(open, dt_tok_close(ps, DT_T_RBRACK, open).loc);
}

/* An empty list declares a function without a prototype, `f()`, which is kept apart from `f(void)`. */
static void function_suffix(struct dt_parser *ps, struct declr_list *l)
{
	struct dt_loc open = dt_tok_take(ps).loc;
	struct dt_declr *d = append_declr(ps, l, DT_DR_FUNC, open);

	d->empty = dt_tok_kind(ps, 0) == DT_T_RPAREN;
	d->params = dt_params_parse(ps, DT_T_RPAREN, &d->varargs);
	d->loc = dt_loc_span(open, dt_tok_close(ps, DT_T_RPAREN, open).loc);
}

/* { "*" { type_qual } }, in reverse order: the one written last is nearest to the name */
static struct dt_declr *pointer_list(struct dt_parser *ps)
{
	struct dt_declr *list = NULL, *d;
	unsigned n = 0;

	while (dt_tok_kind(ps, 0) == DT_T_MUL) {
		d = DT_NEW(ps->arena, struct dt_declr);
		d->kind = DT_DR_PTR;
		d->loc = dt_tok_take(ps).loc;
		if (++n > DT_AST_MAXDEPTH)
			dt_fail(ps->diag, D_SYNTAX, d->loc, "declarator is nested too deeply");
		for (; is_qualifier(dt_tok_kind(ps, 0)); dt_tok_take(ps)) {
			enum dt_tok kind = dt_tok_kind(ps, 0);

			d->quals |= kind == DT_T_CONST ? DT_Q_CONST : kind == DT_T_VOLATILE ? DT_Q_VOLATILE :
			    kind == DT_T_RESTRICT ? DT_Q_RESTRICT : DT_Q_USERLAND;
		}
		d->next = list;
		list = d;
	}
	return list;
}

/* At "(": a declarator in parentheses, rather than parameters? */
static bool is_nested(struct dt_parser *ps, enum dt_declr_mode mode)
{
	enum dt_tok kind = dt_tok_kind(ps, 1);

	if (kind == DT_T_MUL || kind == DT_T_LPAREN || kind == DT_T_LBRACK)
		return true;
	return kind == DT_T_IDENT && mode != DT_DM_ABSTRACT;
}

/* Copies the pointers: the suffixes bind tighter and come first. */
static void append_all(struct dt_parser *ps, struct declr_list *l, struct dt_declr *list)
{
	for (; list; list = list->next) {
		struct dt_declr *d = append_declr(ps, l, list->kind, list->loc);

		d->quals = list->quals;
	}
}

/*
 * declarator = { "*" { type_qual } } direct
 * direct = [ IDENT | "(" declarator ")" ] { "[" … "]" | "(" … ")" }
 */
static void parse_declarator(struct dt_parser *ps, struct declr_list *l, struct dt_decl *decl,
    enum dt_declr_mode mode)
{
	struct dt_declr *ptrs = pointer_list(ps);
	struct dt_token t = *dt_tok_peek(ps);

	if ((t.kind == DT_T_IDENT || is_c_name(ps)) && mode != DT_DM_ABSTRACT) {
		decl->name = t.text;
		decl->loc = t.loc;
		dt_tok_take(ps);
	} else if (t.kind == DT_T_LPAREN && is_nested(ps, mode)) {
		dt_tok_take(ps);
		dt_depth_enter(ps, t.loc);
		parse_declarator(ps, l, decl, mode);
		dt_depth_leave(ps);
		dt_tok_close(ps, DT_T_RPAREN, t.loc);
	} else if (mode == DT_DM_NAMED) {
		dt_tok_unexpected(ps, "expected a name");
	}
	for (;;) {
		enum dt_tok kind = dt_tok_kind(ps, 0);

		if (kind == DT_T_LBRACK)
			array_suffix(ps, l);
		else if (kind == DT_T_LPAREN)
			function_suffix(ps, l);
		else
			break;
	}
	append_all(ps, l, ptrs);
}

/* The name, if there is one, and its declarators from the name outwards. */
struct dt_decl *dt_declarator_parse(struct dt_parser *ps, const struct dt_specs *specs,
    enum dt_declr_mode mode)
{
	struct dt_decl *decl = DT_NEW(ps->arena, struct dt_decl);
	struct declr_list l = { .tail = &l.first };

	decl->specs = specs;
	decl->loc = specs->loc;
	parse_declarator(ps, &l, decl, mode);
	decl->declr = l.first;
	return decl;
}

/* type_name = spec_qual { spec_qual } [ abstract_declarator ] */
struct dt_tname *dt_tname_parse(struct dt_parser *ps)
{
	struct dt_tname *t = DT_NEW(ps->arena, struct dt_tname);
	const struct dt_specs *specs = dt_specs_parse(ps);

	t->decl = dt_declarator_parse(ps, specs, DT_DM_ABSTRACT);
	t->loc = specs->loc;
	/* The place of a type name reaches to its last declarator. */
	for (const struct dt_declr *d = t->decl->declr; d; d = d->next) {
		if (d->loc.off + d->loc.len > t->loc.off + t->loc.len)
			t->loc = dt_loc_span(t->loc, d->loc);
	}
	return t;
}

/* param_types = param { "," param } [ "," "..." ] | "..."; NULL if there are none before the bracket */
struct dt_decl *dt_params_parse(struct dt_parser *ps, enum dt_tok close, bool *varargs)
{
	struct dt_decl *first = NULL, **tail = &first;

	*varargs = false;
	if (dt_tok_kind(ps, 0) == close)
		return NULL;
	dt_depth_enter(ps, dt_tok_peek(ps)->loc);
	do {
		const struct dt_specs *specs;

		*varargs = dt_tok_accept(ps, DT_T_ELLIPSIS);
		if (*varargs)
			break;
		specs = dt_specs_parse(ps);
		*tail = dt_declarator_parse(ps, specs, DT_DM_EITHER);
		tail = &(*tail)->next;
	} while (dt_tok_accept(ps, DT_T_COMMA));
	dt_depth_leave(ps);
	return first;
}
