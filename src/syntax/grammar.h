/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the files of the parser share: a window of tokens read ahead, and the rules that one
 * file needs of another. Tokens are read only when looked at, so whoever knows that the
 * outer level comes next can ask the lexer for it (dt_tok_outer).
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
	unsigned depth;			/* of recursion */
	struct dt_map types;		/* typedef names of this text so far */
	struct dt_unit *unit;
	struct dt_ext **tail;
};

/* ---- tokens ---- */
enum dt_tok dt_tok_kind(struct dt_parser *, size_t i);		/* of the i-th token from here */
const struct dt_token *dt_tok_peek(struct dt_parser *);		/* until the next call */
struct dt_token dt_tok_take(struct dt_parser *);
bool dt_tok_accept(struct dt_parser *, enum dt_tok);
struct dt_token dt_tok_expect(struct dt_parser *, enum dt_tok, const char *hint);
/* the partner of a bracket */
struct dt_token dt_tok_close(struct dt_parser *, enum dt_tok, struct dt_loc open);
/* a name, even one that is a keyword */
struct dt_token dt_tok_word(struct dt_parser *, const char *hint);
_Noreturn void dt_tok_unexpected(struct dt_parser *, const char *hint);
struct dt_token dt_tok_outer(struct dt_parser *, bool force);	/* only when nothing is read ahead */

/* Around every rule that can contain itself. */
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

/* Is name a type: one of this text, or one that the driver knows? */
bool dt_typename_known(struct dt_parser *, const char *name);
/* Do the tokens from the i-th on, inside a parenthesis, start a type name? A lone identifier does not. */
bool dt_paren_is_type(struct dt_parser *, size_t i);

/* dt_parse() into a unit of the caller's, who finds there what was read before an error. */
void dt_unit_parse(struct dt_parse *, struct dt_unit *);
struct dt_stmt *dt_body_parse(struct dt_parser *);	/* { statements } */

#endif
