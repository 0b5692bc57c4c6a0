/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Characters come in, tokens go out, one at a time and only on request. D reads the same characters in
 * two ways, and the parser knows which one applies. At the outer level a word is a probe description or
 * starts a declaration (dt_lex_outer()). Everywhere else the text is read as C-like tokens
 * (dt_lex_inner()). Comments, control lines and macro references never reach the parser.
 */
#ifndef DT_SYNTAX_LEXER_H
#define DT_SYNTAX_LEXER_H

#include "syntax/parser.h"

enum dt_tok {
	DT_T_EOF,
	DT_T_INT,		/* value, suffix */
	DT_T_STR,		/* text, len: escapes processed */
	DT_T_IDENT,		/* text */
	DT_T_AGG,		/* text: the name without @ */
	DT_T_PSPEC,		/* text: a probe description as written */
	DT_T_PREDEND,		/* the / that ends a predicate */
	/* punctuation */
	DT_T_LPAREN, DT_T_RPAREN, DT_T_LBRACK, DT_T_RBRACK, DT_T_LBRACE, DT_T_RBRACE,
	DT_T_COMMA, DT_T_SEMI, DT_T_COLON, DT_T_QUEST, DT_T_DOT, DT_T_ARROW, DT_T_ELLIPSIS,
	DT_T_ASSIGN, DT_T_ADD_EQ, DT_T_SUB_EQ, DT_T_MUL_EQ, DT_T_DIV_EQ, DT_T_MOD_EQ,
	DT_T_SHL_EQ, DT_T_SHR_EQ, DT_T_AND_EQ, DT_T_OR_EQ, DT_T_XOR_EQ,
	DT_T_ADD, DT_T_SUB, DT_T_MUL, DT_T_DIV, DT_T_MOD, DT_T_SHL, DT_T_SHR, DT_T_AND, DT_T_OR, DT_T_XOR,
	DT_T_EQ, DT_T_NE, DT_T_LT, DT_T_LE, DT_T_GT, DT_T_GE, DT_T_LAND, DT_T_LOR, DT_T_LXOR,
	DT_T_BITNOT, DT_T_NOT, DT_T_INC, DT_T_DEC,
	/* keywords, in the order of the table in keyword.c */
	DT_T_BOOL, DT_T_AUTO, DT_T_BREAK, DT_T_CASE, DT_T_CHAR, DT_T_CONST, DT_T_CONTINUE, DT_T_COUNTER,
	DT_T_DEFAULT, DT_T_DO, DT_T_DOUBLE, DT_T_ELSE, DT_T_ENUM, DT_T_EXTERN, DT_T_FLOAT, DT_T_FOR,
	DT_T_GOTO, DT_T_IF, DT_T_IMPORT, DT_T_INLINE, DT_T_INTWORD, DT_T_LONG, DT_T_OFFSETOF, DT_T_PROBE,
	DT_T_PROVIDER, DT_T_REGISTER, DT_T_RESTRICT, DT_T_RETURN, DT_T_SELF, DT_T_SHORT, DT_T_SIGNED,
	DT_T_SIZEOF, DT_T_STATIC, DT_T_STRING, DT_T_STRINGOF, DT_T_STRUCT, DT_T_SWITCH, DT_T_THIS,
	DT_T_TRANSLATOR, DT_T_TYPEDEF, DT_T_UNION, DT_T_UNSIGNED, DT_T_USERLAND, DT_T_VOID, DT_T_VOLATILE,
	DT_T_WHILE, DT_T_XLATE,
	DT_NTOKS
};
#define DT_T_KEYWORDS DT_T_BOOL		/* the first of them */

struct dt_token {
	uint8_t kind;		/* enum dt_tok */
	uint8_t suffix;		/* DT_INT_* */
	struct dt_loc loc;
	const char *text;	/* names and strings */
	uint32_t len;
	uint64_t value;
};

/* The lexer never frees and never goes back; the position only grows. */
struct dt_lexer {
	struct dt_parse *parse;
	struct dt_arena *arena;
	struct dt_diag *diag;
	struct dt_source *src;
	const char *text;		/* of src; NUL-terminated, so one character ahead always exists */
	uint32_t pos, len;
	bool line_start;		/* only blanks since the last newline */
	uint8_t prev;			/* kind of the last token */
	bool in_predicate;
	uint32_t parens, bracks, braces;	/* how many are open */
	bool queued;			/* `next` comes before more text: the number after a macro's sign */
	struct dt_token next;
	/* where the last search for the end of "foo_t *…" stopped, and what it found */
	uint32_t pointer_stop;
	bool pointer_decl;
	/* Called for each #pragma D except option, in the order of the text; may be NULL */
	void (*pragma)(void *ctx, struct dt_loc, struct dt_word *);
	void *pragma_ctx;
};

void dt_lex_init(struct dt_lexer *, struct dt_parse *);
struct dt_token dt_lex_inner(struct dt_lexer *);
/* `force`: a word is a probe description whatever follows it */
struct dt_token dt_lex_outer(struct dt_lexer *, bool force);

/* Fails with: syntax error near "token" */
_Noreturn void dt_lex_unexpected(struct dt_lexer *, const struct dt_token *, const char *hint);

/* ---- shared by the files of the lexer ---- */

#define DT_WORD_MAX 1023	/* characters in an identifier; names are printed, so there is a limit */

static inline bool dt_is_digit(int c)
{
	return c >= '0' && c <= '9';
}

static inline bool dt_is_word_start(int c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static inline bool dt_is_word(int c)
{
	return dt_is_word_start(c) || dt_is_digit(c);
}

static inline bool dt_is_blank(int c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

/* The token of a keyword, or DT_T_IDENT. */
enum dt_tok dt_keyword_find(const char *word, size_t len);
/* Does the token start or continue the type part of a declaration? */
bool dt_keyword_is_type(enum dt_tok);
/* Is the word also a keyword at the outer level? */
bool dt_keyword_is_outer(enum dt_tok);

struct dt_loc dt_lex_loc(const struct dt_lexer *, uint32_t from, uint32_t to);
/* Skips past the } that belongs to the { at `open`, which was just read. */
void dt_lex_skip_body(struct dt_lexer *, struct dt_loc open);
/* `pos` is at a comment: returns the offset after it. */
uint32_t dt_lex_comment(const struct dt_lexer *, uint32_t pos);
/* Reads the control line at the #; stops before the newline. */
void dt_lex_control(struct dt_lexer *);

struct dt_token dt_lex_number(struct dt_lexer *);
struct dt_token dt_lex_string(struct dt_lexer *);
struct dt_token dt_lex_char(struct dt_lexer *);
struct dt_token dt_lex_macro(struct dt_lexer *);
/*
 * Reads the integer at the start of the text. Returns 0 and sets *end, *value, *suffix, or returns the
 * tag of what is wrong. Handles decimal, octal and hexadecimal, and the suffixes.
 */
int dt_lex_integer(const char *text, size_t len, uint64_t *value, uint8_t *suffix, size_t *end);
/* Replaces escapes; `out` has room for n bytes. Returns the number of bytes written. */
size_t dt_lex_unescape(char *out, const char *s, size_t n, char quote);

/*
 * The text of macro argument $N, which is marked as used; NULL if there is none. *digits and *n are the
 * digits after the $: leading zeros are cut off them, so that $010 is the tenth argument.
 */
const char *dt_macro_argument(struct dt_parse *, const char **digits, size_t *n);

#endif
