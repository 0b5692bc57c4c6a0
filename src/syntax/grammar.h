/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the files of the parser share: a window of tokens read ahead, and the rules that one file needs
 * from another. Tokens are read only when they are looked at. A rule that knows that the outer level
 * follows can therefore ask the lexer for it (dt_tok_outer()), provided that nothing was read ahead.
 */
#ifndef DT_SYNTAX_GRAMMAR_H
#define DT_SYNTAX_GRAMMAR_H

#include "base/map.h"
#include "syntax/lexer.h"

struct dt_parser {
	struct dt_parse *parse;
	struct dt_arena *arena;
	struct dt_diag *diag;
	struct dt_lexer lx;
	DT_VEC(struct dt_token) ahead;
	size_t head;			/* ahead.v[head] is the next token */
	unsigned depth;			/* of recursion, at most DT_AST_MAXDEPTH */
	struct dt_map types;		/* typedef names that this text has declared so far */
	struct dt_map tags;		/* tags that this text has defined, with the offset of their { */
	bool translating;		/* the types of a translator are read */
	struct dt_unit *unit;
	struct dt_ext **tail;		/* where the next external is appended */
};

/* ---- tokens ---- */
enum dt_tok dt_tok_kind(struct dt_parser *, size_t i);		/* of the i-th token ahead */
const struct dt_token *dt_tok_peek(struct dt_parser *);		/* good until the next call */
struct dt_token dt_tok_take(struct dt_parser *);
/* Takes the next token if it is of the kind. */
bool dt_tok_accept(struct dt_parser *, enum dt_tok);
/* Takes the next token, which must be of the kind; hint may be NULL. */
struct dt_token dt_tok_expect(struct dt_parser *, enum dt_tok, const char *hint);
/* Takes the closing bracket for the one at `open` */
struct dt_token dt_tok_close(struct dt_parser *, enum dt_tok, struct dt_loc open);
/* Takes a name, even if it is a keyword */
struct dt_token dt_tok_word(struct dt_parser *, const char *hint);
_Noreturn void dt_tok_unexpected(struct dt_parser *, const char *hint);
/* Reads at the outer level; only allowed if nothing is read ahead. */
struct dt_token dt_tok_outer(struct dt_parser *, bool force);

/* Enclose every rule that can contain itself. */
void dt_depth_enter(struct dt_parser *, struct dt_loc);
static inline void dt_depth_leave(struct dt_parser *ps)
{
	ps->depth--;
}


/* ---- rules ---- */
struct dt_node *dt_expr_parse(struct dt_parser *);	/* with commas */
struct dt_node *dt_assign_parse(struct dt_parser *);
struct dt_node *dt_cond_parse(struct dt_parser *);

enum dt_declr_mode { DT_DM_NAMED, DT_DM_ABSTRACT, DT_DM_EITHER };

const struct dt_specs *dt_specs_parse(struct dt_parser *);
struct dt_decl *dt_declarator_parse(struct dt_parser *, const struct dt_specs *, enum dt_declr_mode);
struct dt_tname *dt_tname_parse(struct dt_parser *);
struct dt_decl *dt_params_parse(struct dt_parser *, enum dt_tok close, bool *varargs);
void dt_members_parse(struct dt_parser *, struct dt_specs *);		/* { … } of a struct or union */
void dt_enumerators_parse(struct dt_parser *, struct dt_specs *);	/* { … } of an enum */

/* Is the name a type, declared by this text or known to the driver of the compile? */
bool dt_typename_known(struct dt_parser *, const char *name);
/*
 * Do the tokens from the i-th on, inside a parenthesis, start a type name? A lone identifier does not
 * count.
 */
bool dt_paren_is_type(struct dt_parser *, size_t i);

/* As dt_parse(), but into the caller's unit, which keeps what was read before an error. */
void dt_unit_parse(struct dt_parse *, struct dt_unit *);
struct dt_stmt *dt_body_parse(struct dt_parser *);	/* { statements } */

#endif
