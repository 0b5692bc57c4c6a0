/* SPDX-License-Identifier: BSD-2-Clause */
/* The bodies of struct, union and enum: "{" comes in, members or enumerators in their order go out. */
#include "syntax/grammar.h"

/* m_decl = declarator [ ":" const_expr ] | ":" const_expr; nothing for an anonymous struct or union */
static struct dt_decl *parse_member(struct dt_parser *ps, const struct dt_specs *specs)
{
	enum dt_tok kind = dt_tok_kind(ps, 0);
	struct dt_decl *d;

	if (kind == DT_T_COLON || kind == DT_T_SEMI) {
		d = DT_NEW(ps->arena, struct dt_decl);
		d->specs = specs;
		d->loc = specs->loc;
	} else {
		d = dt_declarator_parse(ps, specs, DT_DM_NAMED);
	}
	if (dt_tok_accept(ps, DT_T_COLON))
		d->bits = dt_cond_parse(ps);
	return d;
}

/* "{" member { member } "}", member = spec_qual { spec_qual } m_decl { "," m_decl } ";" */
void dt_members_parse(struct dt_parser *ps, struct dt_specs *s)
{
	struct dt_loc open = dt_tok_take(ps).loc;
	struct dt_decl **tail = &s->members;

	while (dt_tok_kind(ps, 0) != DT_T_RBRACE && dt_tok_kind(ps, 0) != DT_T_EOF) {
		const struct dt_specs *specs = dt_specs_parse(ps);

		do {
			*tail = parse_member(ps, specs);
			tail = &(*tail)->next;
		} while (dt_tok_accept(ps, DT_T_COMMA));
		dt_tok_expect(ps, DT_T_SEMI, "expected ; after the member");
	}
	if (!s->members && !dt_loc_included(open))	/* GNU C has empty structs */
		dt_tok_unexpected(ps, "a struct or union has at least one member");
	dt_tok_close(ps, DT_T_RBRACE, open);
}

/* "{" enumerator { "," enumerator } [","] "}", enumerator = IDENT [ "=" expr ] */
void dt_enumerators_parse(struct dt_parser *ps, struct dt_specs *s)
{
	struct dt_loc open = dt_tok_take(ps).loc;
	struct dt_enumerator **tail = &s->enums;

	do {
		struct dt_token t = dt_tok_expect(ps, DT_T_IDENT, "expected the name of an enumerator");

		*tail = DT_NEW(ps->arena, struct dt_enumerator);
		(*tail)->name = t.text;
		(*tail)->loc = t.loc;
		if (dt_tok_accept(ps, DT_T_ASSIGN))
			(*tail)->value = dt_cond_parse(ps);
		tail = &(*tail)->next;
	} while (dt_tok_accept(ps, DT_T_COMMA) && dt_tok_kind(ps, 0) != DT_T_RBRACE);
	dt_tok_close(ps, DT_T_RBRACE, open);
}
