/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Bodies of clauses: "{" comes in, a list of statements goes out. Empty statements leave nothing; D has
 * no loops, so this is all.
 */
#include "syntax/grammar.h"

static struct dt_stmt *parse_statement(struct dt_parser *);

/* block = stmt | "{" stmt_list "}" */
static struct dt_stmt *parse_block(struct dt_parser *ps)
{
	if (dt_tok_kind(ps, 0) == DT_T_LBRACE)
		return dt_body_parse(ps);
	return parse_statement(ps);
}

/* "if" "(" expr ")" block [ "else" block ] */
static struct dt_stmt *if_statement(struct dt_parser *ps)
{
	struct dt_stmt *s = DT_NEW(ps->arena, struct dt_stmt);
	struct dt_loc open;

	s->kind = DT_S_IF;
	s->loc = dt_tok_take(ps).loc;
	dt_depth_enter(ps, s->loc);
	open = dt_tok_expect(ps, DT_T_LPAREN, "expected ( after if").loc;
	s->expr = dt_expr_parse(ps);
	dt_tok_close(ps, DT_T_RPAREN, open);
	s->then = parse_block(ps);
	if (dt_tok_accept(ps, DT_T_ELSE))
		s->els = parse_block(ps);
	dt_depth_leave(ps);
	return s;
}

/* stmt = ";" | expr ";" | if …; NULL if it is empty. The last ";" before "}" is optional. */
static struct dt_stmt *parse_statement(struct dt_parser *ps)
{
	struct dt_stmt *s;

	if (dt_tok_accept(ps, DT_T_SEMI))
		return NULL;
	if (dt_tok_kind(ps, 0) == DT_T_IF)
		return if_statement(ps);
	if (dt_keyword_is_type(dt_tok_kind(ps, 0)))
		dt_tok_unexpected(ps,
		    "nothing is declared inside a clause: this->x = 1 makes a variable of the clause");
	s = DT_NEW(ps->arena, struct dt_stmt);
	s->kind = DT_S_EXPR;
	s->expr = dt_expr_parse(ps);
	s->loc = s->expr->loc;
	if (dt_tok_kind(ps, 0) != DT_T_RBRACE && !dt_tok_accept(ps, DT_T_SEMI))
		dt_tok_unexpected(ps,
		    dt_tok_kind(ps, 0) == DT_T_EOF ? "the { of this clause is never closed" :
						     "expected ; between statements");
	return s;
}

/* A ; between statements is required, and before } it is not. NULL: the body is empty. */
struct dt_stmt *dt_body_parse(struct dt_parser *ps)
{
	struct dt_loc open = dt_tok_take(ps).loc;
	struct dt_stmt *first = NULL, **tail = &first;

	while (dt_tok_kind(ps, 0) != DT_T_RBRACE && dt_tok_kind(ps, 0) != DT_T_EOF) {
		*tail = parse_statement(ps);
		if (*tail)
			tail = &(*tail)->next;
	}
	dt_tok_close(ps, DT_T_RBRACE, open);
	return first;
}
