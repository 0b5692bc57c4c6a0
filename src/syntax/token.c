/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The parser's view of the lexer. Tokens are read ahead as far as a rule looks, and no further: the
 * outer level reads the same characters in another way.
 */
#include "syntax/grammar.h"

/* Makes sure that the i-th token ahead is in the window; the window restarts when it is empty. */
static void read_ahead(struct dt_parser *ps, size_t i)
{
	if (ps->head == ps->ahead.n)
		ps->head = ps->ahead.n = 0;
	while (ps->ahead.n - ps->head <= i) {
		struct dt_token t = dt_lex_inner(&ps->lx);

		dt_vec_push(ps->arena, &ps->ahead, t);
	}
}

/*
 * The kind of the i-th token ahead, 0 being the next. Looking further ahead reads more text, and may
 * fail.
 */
enum dt_tok dt_tok_kind(struct dt_parser *ps, size_t i)
{
	read_ahead(ps, i);
	return ps->ahead.v[ps->head + i].kind;
}

/* Valid until the next token is read: the window may move. */
const struct dt_token *dt_tok_peek(struct dt_parser *ps)
{
	read_ahead(ps, 0);
	return &ps->ahead.v[ps->head];
}

struct dt_token dt_tok_take(struct dt_parser *ps)
{
	read_ahead(ps, 0);
	return ps->ahead.v[ps->head++];
}

/* Takes the next token if it is of that kind. */
bool dt_tok_accept(struct dt_parser *ps, enum dt_tok kind)
{
	if (dt_tok_kind(ps, 0) != kind)
		return false;
	ps->head++;
	return true;
}

/* Words that D reserves but has no use for. */
static const char *reserved_hint(enum dt_tok kind)
{
	switch (kind) {
	case DT_T_WHILE: case DT_T_FOR: case DT_T_DO: case DT_T_BREAK: case DT_T_CONTINUE:
		return "D has no loops";
	case DT_T_SWITCH: case DT_T_CASE: case DT_T_DEFAULT:
		return "D has no switch: use if and else, or ?:";
	case DT_T_GOTO:
		return "D has no goto";
	case DT_T_RETURN:
		return "D has no return";
	case DT_T_COUNTER: case DT_T_IMPORT:
		return "a reserved word";
	default:
		return NULL;
	}
}

/* Does not return. A reserved word explains itself better than the rule that met it. */
void dt_tok_unexpected(struct dt_parser *ps, const char *hint)
{
	struct dt_token t = *dt_tok_peek(ps);
	const char *reserved = reserved_hint(t.kind);

	dt_lex_unexpected(&ps->lx, &t, reserved ? reserved : hint);
}

struct dt_token dt_tok_expect(struct dt_parser *ps, enum dt_tok kind, const char *hint)
{
	if (dt_tok_kind(ps, 0) != kind)
		dt_tok_unexpected(ps, hint);
	return dt_tok_take(ps);
}

/*
 * The closing bracket of one that was opened at `open`, which the message names when the text ends
 * first.
 */
struct dt_token dt_tok_close(struct dt_parser *ps, enum dt_tok kind, struct dt_loc open)
{
	const char *hint = NULL;
	char bracket = ps->lx.text[open.off];

	if (dt_tok_kind(ps, 0) != kind) {
		if (dt_tok_kind(ps, 0) == DT_T_EOF)
			hint = dt_arena_printf(ps->arena, "the %c of line %u is never closed", bracket,
			    dt_loc_place(open).line);
		else if (kind == DT_T_RPAREN)
			hint = "expected )";
		else if (kind == DT_T_RBRACK)
			hint = "expected ]";
		dt_tok_unexpected(ps, hint);
	}
	return dt_tok_take(ps);
}

/* Any word, keywords included: names that are not D's to choose, of members and probes. */
struct dt_token dt_tok_word(struct dt_parser *ps, const char *hint)
{
	enum dt_tok kind = dt_tok_kind(ps, 0);

	if (kind != DT_T_IDENT && kind < DT_T_KEYWORDS)
		dt_tok_unexpected(ps, hint);
	return dt_tok_take(ps);
}

struct dt_token dt_tok_outer(struct dt_parser *ps, bool force)
{
	return dt_lex_outer(&ps->lx, force);
}

/* The parser recurses with the nesting of the text; this bounds the stack it takes. */
void dt_depth_enter(struct dt_parser *ps, struct dt_loc loc)
{
	if (++ps->depth > DT_AST_MAXDEPTH)
		dt_fail(ps->diag, D_SYNTAX, loc, "expression is nested too deeply");
}
