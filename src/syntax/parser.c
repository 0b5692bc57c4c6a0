/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The outer level: clauses, declarations, inlines, translators, providers and pragmas, in the order of
 * the text. An external is appended to the program when it begins, so a pragma read while it is parsed
 * comes after it.
 */
#include "syntax/grammar.h"

#include <inttypes.h>

/* Appends a new external. */
static struct dt_ext *append_external(struct dt_parser *ps, enum dt_ext_kind kind, struct dt_loc loc)
{
	struct dt_ext *x = DT_NEW(ps->arena, struct dt_ext);

	x->kind = kind;
	x->loc = loc;
	*ps->tail = x;
	ps->tail = &x->next;
	return x;
}

/* Called by the lexer, perhaps in the middle of another external. */
static void append_pragma(void *ctx, struct dt_loc loc, struct dt_word *words)
{
	struct dt_parser *ps = ctx;

	if (ps->parse->pragma != NULL)
		ps->parse->pragma(ps->diag, words);
	append_external(ps, DT_X_PRAGMA, loc)->words = words;
}

/* ---- clauses ---- */

/* A probe description that is a number. */
static struct dt_pdesc *description_by_id(struct dt_parser *ps, struct dt_token t)
{
	static const char *const what[] = { "providers", "modules", "functions" };
	struct dt_pdesc *d = DT_NEW(ps->arena, struct dt_pdesc);
	int spec = ps->parse->spec;

	if (spec >= DT_PART_PROV && spec < DT_PART_NAME)
		dt_fail(ps->diag, D_PDESC_INVAL, t.loc, "probe identifier %" PRIu64
		    " not permitted when specifying %s", t.value, what[spec]);
	if (t.value == 0 || t.value > UINT32_MAX)
		dt_fail(ps->diag, D_PDESC_INVAL, t.loc, "probe identifier %" PRIu64 " is out of range",
		    t.value);
	d->prov = d->mod = d->func = d->name = "";
	d->id = (uint32_t)t.value;
	d->loc = t.loc;
	return d;
}

/* pspec = PSPEC | INT */
static struct dt_pdesc *parse_description(struct dt_parser *ps, struct dt_token t)
{
	if (t.kind == DT_T_INT && !(t.suffix & DT_INT_CHAR))
		return description_by_id(ps, t);
	if (t.kind != DT_T_PSPEC)
		dt_lex_unexpected(&ps->lx, &t, "expected a probe description");
	return dt_parse_pdesc(ps->parse, t.text, t.len, t.loc);
}

/*
 * The lexer decides which / ends the predicate. Behind it the outer level begins again for one token,
 * which must be the body's.
 */
static void parse_predicate(struct dt_parser *ps, struct dt_ext *x)
{
	struct dt_token t;

	ps->lx.in_predicate = true;
	x->pred = dt_expr_parse(ps);
	dt_tok_expect(ps, DT_T_PREDEND, "expected the / that ends the predicate");
	t = dt_tok_outer(ps, true);
	if (t.kind != DT_T_LBRACE)
		dt_lex_unexpected(&ps->lx, &t, "a predicate is followed by { }");
	dt_vec_push(ps->arena, &ps->ahead, t);	/* dt_body_parse() begins with it */
}

/* Reads the other descriptions; returns the first token after them. */
static struct dt_token after_descriptions(struct dt_parser *ps, struct dt_ext *x)
{
	struct dt_pdesc **tail = &x->probes->next;
	struct dt_token t;

	while ((t = dt_tok_outer(ps, false)).kind == DT_T_COMMA) {
		*tail = parse_description(ps, dt_tok_outer(ps, true));
		tail = &(*tail)->next;
	}
	return t;
}

/* clause = pspec { "," pspec } [ "/" expr "/" ] [ "{" stmt_list "}" ]; returns the token after it */
static struct dt_token parse_clause(struct dt_parser *ps, struct dt_token t)
{
	struct dt_ext *x = append_external(ps, DT_X_CLAUSE, t.loc);

	x->probes = parse_description(ps, t);
	t = after_descriptions(ps, x);
	ps->head = ps->ahead.n = 0;
	if (t.kind == DT_T_DIV) {
		parse_predicate(ps, x);
	} else if (t.kind == DT_T_LBRACE) {
		dt_vec_push(ps->arena, &ps->ahead, t);
	} else if (ps->parse->bare) {
		return t;
	} else {
		dt_fail(ps->diag, D_SYNTAX, t.loc,
		    "expected predicate and/or actions following probe description");
	}
	x->body = true;
	x->stmts = dt_body_parse(ps);
	return dt_tok_outer(ps, false);
}

/* ---- the other externals; each function begins at its first token ---- */

/* inline = "inline" decl_specs declarator "=" assign_expr ";" */
static void inline_definition(struct dt_parser *ps)
{
	struct dt_ext *x = append_external(ps, DT_X_INLINE, dt_tok_take(ps).loc);
	const struct dt_specs *specs = dt_specs_parse(ps);

	x->decl = dt_declarator_parse(ps, specs, DT_DM_NAMED);
	x->name = x->decl->name;
	x->name_loc = x->decl->loc;
	dt_tok_expect(ps, DT_T_ASSIGN, "inline type name = expression;");
	x->expr = dt_assign_parse(ps);
	dt_tok_expect(ps, DT_T_SEMI, "expected ; after the expression");
}

/* The struct may not be D's own, so any word may be the name of a member, keywords too. */
static struct dt_xmember *translator_member(struct dt_parser *ps)
{
	struct dt_xmember *m = DT_NEW(ps->arena, struct dt_xmember);
	struct dt_token name = dt_tok_word(ps, "member = expression;");

	m->name = name.text;
	m->loc = name.loc;
	dt_tok_expect(ps, DT_T_ASSIGN, "member = expression;");
	m->expr = dt_assign_parse(ps);
	dt_tok_expect(ps, DT_T_SEMI, "member = expression;");
	return m;
}

/* translator = "translator" type_name "<" type_name IDENT ">" "{" { IDENT "=" assign_expr ";" } "}" ";" */
static void parse_translator(struct dt_parser *ps)
{
	static const char form[] = "translator output < input name > { member = expression; … };";
	struct dt_ext *x = append_external(ps, DT_X_TRANSLATOR, dt_tok_take(ps).loc);
	struct dt_xmember **tail = &x->members;
	struct dt_token t;
	struct dt_loc open;

	ps->translating = true;
	x->dst = dt_tname_parse(ps);
	dt_tok_expect(ps, DT_T_LT, form);
	x->src = dt_tname_parse(ps);
	ps->translating = false;
	t = dt_tok_expect(ps, DT_T_IDENT, form);
	x->name = t.text;
	x->name_loc = t.loc;
	dt_tok_expect(ps, DT_T_GT, form);
	open = dt_tok_expect(ps, DT_T_LBRACE, form).loc;
	while (dt_tok_kind(ps, 0) != DT_T_RBRACE && dt_tok_kind(ps, 0) != DT_T_EOF) {
		*tail = translator_member(ps);
		tail = &(*tail)->next;
	}
	dt_tok_close(ps, DT_T_RBRACE, open);
	dt_tok_expect(ps, DT_T_SEMI, "expected ; after the translator");
}

/* The names in a prototype are for the reader; a probe's arguments are known by their number. */
static struct dt_decl *probe_params(struct dt_parser *ps, bool *varargs)
{
	struct dt_loc open = dt_tok_expect(ps, DT_T_LPAREN, "probe name(types);").loc;
	struct dt_decl *params = dt_params_parse(ps, DT_T_RPAREN, varargs);

	dt_tok_close(ps, DT_T_RPAREN, open);
	return params;
}

/* "probe" IDENT "(" [params] ")" [ ":" "(" [params] ")" ] ";" */
static struct dt_probe_decl *parse_probe(struct dt_parser *ps)
{
	struct dt_probe_decl *d = DT_NEW(ps->arena, struct dt_probe_decl);
	struct dt_token t;

	dt_tok_expect(ps, DT_T_PROBE, "probe name(types);");
	t = dt_tok_word(ps, "probe name(types);");
	d->name = t.text;
	d->loc = t.loc;
	d->in = probe_params(ps, &d->in_varargs);
	d->has_out = dt_tok_accept(ps, DT_T_COLON);
	if (d->has_out)
		d->out = probe_params(ps, &d->out_varargs);
	dt_tok_expect(ps, DT_T_SEMI, "expected ; after the probe");
	return d;
}

/* provider = "provider" IDENT "{" { probe } "}" ";" */
static void parse_provider(struct dt_parser *ps)
{
	struct dt_ext *x = append_external(ps, DT_X_PROVIDER, dt_tok_take(ps).loc);
	struct dt_token t = dt_tok_word(ps, "provider name { probe name(types); … };");
	struct dt_probe_decl **tail = &x->pdecls;
	struct dt_loc open = dt_tok_expect(ps, DT_T_LBRACE, "provider name { probe name(types); … };").loc;

	x->name = t.text;
	x->name_loc = t.loc;
	while (dt_tok_kind(ps, 0) != DT_T_RBRACE && dt_tok_kind(ps, 0) != DT_T_EOF) {
		*tail = parse_probe(ps);
		tail = &(*tail)->next;
	}
	dt_tok_close(ps, DT_T_RBRACE, open);
	dt_tok_expect(ps, DT_T_SEMI, "expected ; after the provider");
}

/* struct foo { … }; declares no name. */
static struct dt_decl *nameless_decl(struct dt_parser *ps, const struct dt_specs *specs)
{
	struct dt_decl *d = DT_NEW(ps->arena, struct dt_decl);

	d->specs = specs;
	d->loc = specs->loc;
	return d;
}

/* Skips the body of a function that a C header defines: D cannot read all of C and does not need it. */
static bool skip_function_body(struct dt_parser *ps, const struct dt_decl *d)
{
	if (!d->declr || d->declr->kind != DT_DR_FUNC || !dt_loc_included(d->loc) ||
	    dt_tok_kind(ps, 0) != DT_T_LBRACE)
		return false;
	dt_lex_skip_body(&ps->lx, dt_tok_take(ps).loc);
	return true;
}

/* declaration = decl_specs [ declarator { "," declarator } ] ";" */
static void parse_declaration(struct dt_parser *ps)
{
	struct dt_ext *x = append_external(ps, DT_X_DECL, dt_tok_peek(ps)->loc);
	const struct dt_specs *specs = dt_specs_parse(ps);
	struct dt_decl **tail = &x->decls;

	if (dt_tok_accept(ps, DT_T_SEMI)) {
		x->decls = nameless_decl(ps, specs);
		return;
	}
	do {
		*tail = dt_declarator_parse(ps, specs, DT_DM_NAMED);
		if (specs->storage == DT_ST_TYPEDEF && (*tail)->name)
			dt_map_put(&ps->types, (*tail)->name, *tail);
		if (skip_function_body(ps, *tail))
			return;
		tail = &(*tail)->next;
	} while (dt_tok_accept(ps, DT_T_COMMA));
	dt_tok_expect(ps, DT_T_SEMI,
	    dt_tok_kind(ps, 0) == DT_T_ASSIGN ?
		"declarations have no initial values: assign in a BEGIN clause" :
		"expected ; after the declaration");
}

/* Each external begins with a token read at the outer level. */
static void parse_externals(struct dt_parser *ps)
{
	struct dt_token t = dt_tok_outer(ps, false);

	while (t.kind != DT_T_EOF) {
		if (t.kind == DT_T_PSPEC && dt_map_get(&ps->types, t.text) != NULL)
			/*
			 * on the command line every word is a description, but the text has declared
			 * this one as a type
			 */
			t.kind = DT_T_IDENT;
		if (t.kind == DT_T_PSPEC || t.kind == DT_T_INT) {
			t = parse_clause(ps, t);
			continue;
		}
		/* the C preprocessor may leave a lone ; behind */
		if (t.kind == DT_T_SEMI && dt_loc_included(t.loc)) {
			t = dt_tok_outer(ps, false);
			continue;
		}
		ps->head = ps->ahead.n = 0;
		dt_vec_push(ps->arena, &ps->ahead, t);
		if (t.kind == DT_T_INLINE)
			inline_definition(ps);
		else if (t.kind == DT_T_TRANSLATOR)
			parse_translator(ps);
		else if (t.kind == DT_T_PROVIDER)
			parse_provider(ps);
		else if (t.kind == DT_T_IDENT || t.kind == DT_T_SELF || t.kind == DT_T_THIS ||
		    dt_keyword_is_type(t.kind))
			parse_declaration(ps);
		else
			dt_tok_unexpected(ps, "expected a probe description or a declaration");
		t = dt_tok_outer(ps, false);
	}
}

/* ---- the three contexts ---- */

/* A program of pragmas alone is empty: it would enable nothing. */
static bool only_pragmas(const struct dt_ext *x)
{
	while (x && x->kind == DT_X_PRAGMA)
		x = x->next;
	return !x;
}

/* -n probe '{ … }': two words of the shell, of which the second was meant to go on with the first. */
static const char *unused_hint(const char *arg)
{
	arg += strspn(arg, " \t\n");
	return arg[0] == '{' || (arg[0] == '/' && strchr(arg, '{') != NULL) ?
	    "the clause belongs into the same quotes: -n 'probe /predicate/ { … }'" :
	    NULL;
}

/* An unused argument of the command line is an error: it is most often a mistake in quoting. */
static void parse_program(struct dt_parser *ps)
{
	const struct dt_parse *p = ps->parse;
	struct dt_loc end = dt_lex_loc(&ps->lx, ps->lx.len, ps->lx.len);
	int last = p->argc - 1;

	parse_externals(ps);
	if (!p->empty_ok && only_pragmas(ps->unit->exts))
		dt_fail(ps->diag, D_EMPTY, end, "empty D program translation unit");
	if (last > 0 && p->argused && !p->argref && !p->argused[last])
		dt_fail_hint(ps->diag, D_MACRO_UNUSED, end, unused_hint(p->argv[last]),
		    "extraneous argument '%.256s' ($%d is not referenced)", p->argv[last], last);
}

/* An expression or a type, and nothing after it. */
static void parse_rest(struct dt_parser *ps)
{
	if (dt_tok_kind(ps, 0) == DT_T_EOF)
		dt_fail(ps->diag, D_EMPTY, dt_tok_peek(ps)->loc, "empty D %s",
		    ps->parse->context == DT_CTX_EXPR ? "expression" : "type name");
	if (ps->parse->context == DT_CTX_EXPR)
		ps->unit->expr = dt_expr_parse(ps);
	else
		ps->unit->type = dt_tname_parse(ps);
	dt_tok_expect(ps, DT_T_EOF, NULL);
}

/*
 * Fails by a long jump through p->diag. What was appended to the unit until then stays in its arena,
 * which the caller resets.
 */
void dt_unit_parse(struct dt_parse *p, struct dt_unit *unit)
{
	struct dt_parser ps = {
		.parse = p, .arena = p->arena, .diag = p->diag, .unit = unit, .tail = &unit->exts
	};

	dt_map_init(&ps.types, p->arena);
	dt_map_init(&ps.tags, p->arena);
	dt_lex_init(&ps.lx, p);
	ps.lx.pragma = append_pragma;
	ps.lx.pragma_ctx = &ps;
	if (p->context == DT_CTX_PROGRAM)
		parse_program(&ps);
	else
		parse_rest(&ps);
}

/* The whole of p->src as p->context says. Fails by a long jump, never by returning NULL. */
struct dt_unit *dt_parse(struct dt_parse *p)
{
	struct dt_unit *unit = DT_NEW(p->arena, struct dt_unit);

	dt_unit_parse(p, unit);
	return unit;
}
