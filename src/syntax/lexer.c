/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The text inside declarations, predicates and bodies, token by token. Every character is examined a
 * bounded number of times, and nothing here recurses. The text ends with a NUL after lx->len, so one
 * character may be looked ahead without asking.
 */
#include "syntax/lexer.h"
#include "base/count.h"

void dt_lex_init(struct dt_lexer *lx, struct dt_parse *p)
{
	*lx = (struct dt_lexer){
		.parse = p, .arena = p->arena, .diag = p->diag, .src = p->src,
		.text = p->src->text, .len = p->src->len, .line_start = true,
	};
}

struct dt_loc dt_lex_loc(const struct dt_lexer *lx, uint32_t from, uint32_t to)
{
	return (struct dt_loc){ lx->src, from, to - from };
}

/* The scanner stops at the first byte of a multi-byte character; messages show the whole character. */
static struct dt_loc whole_character(const struct dt_lexer *lx, struct dt_loc loc)
{
	if (loc.len == 1 && (lx->text[loc.off] & 0xc0) == 0xc0)
		while (loc.len < 4 && loc.off + loc.len < lx->len &&
		    (lx->text[loc.off + loc.len] & 0xc0) == 0x80)
			loc.len++;
	return loc;
}

/* U+2018 to U+201f, which word processors write instead of ' and " */
static bool is_curly_quote(const struct dt_lexer *lx, struct dt_loc loc)
{
	return loc.len == 3 && memcmp(lx->text + loc.off, "\xe2\x80", 2) == 0 &&
	    (lx->text[loc.off + 2] & 0xf8) == 0x98;
}

/* Words of other languages for operators. */
static const char *operator_hint(const struct dt_token *t)
{
	static const struct { const char *word, *hint; } rows[] = {
		{ "and", "D writes and as &&" }, { "or", "D writes or as ||" },
		{ "not", "D writes not as !" }, { "eq", "D writes eq as ==" },
		{ "ne", "D writes ne as !=" }, { "mod", "D writes mod as %" },
	};

	for (size_t i = 0; t->kind == DT_T_IDENT && t->text != NULL && i < DT_COUNT(rows); i++)
		if (strcmp(t->text, rows[i].word) == 0)
			return rows[i].hint;
	return NULL;
}

/* Does not return. The text is cut and cleaned for the message, as a source may hold any bytes. */
void dt_lex_unexpected(struct dt_lexer *lx, const struct dt_token *t, const char *hint)
{
	char text[68];
	struct dt_loc loc = whole_character(lx, t->loc);
	uint32_t n = loc.len < 60 ? loc.len : 60;

	if (t->kind == DT_T_EOF)
		dt_fail_hint(lx->diag, D_SYNTAX, loc, hint, "syntax error near end of input");
	if (is_curly_quote(lx, loc))
		hint = "D's quotes are the plain ones";
	if (operator_hint(t) != NULL)
		hint = operator_hint(t);
	memcpy(text, lx->text + loc.off, n);
	for (uint32_t i = 0; i < n; i++) {
		if ((unsigned char)text[i] < ' ' || text[i] == 0x7f)
			text[i] = '?';
	}
	strcpy(text + n, n < loc.len ? "..." : "");
	dt_fail_hint(lx->diag, D_SYNTAX, loc, hint, "syntax error near \"%s\"", text);
}

/* Comments do not nest: one that begins inside of another is an error, as the end of one is missing. */
uint32_t dt_lex_comment(const struct dt_lexer *lx, uint32_t pos)
{
	uint32_t i = pos + 2;

	if (lx->text[pos + 1] == '/') {
		const char *nl = memchr(lx->text + pos, '\n', lx->len - pos);

		return nl ? (uint32_t)(nl - lx->text) : lx->len;
	}
	for (; i + 1 < lx->len; i++) {
		if (lx->text[i] == '*' && lx->text[i + 1] == '/')
			return i + 2;
		if (lx->text[i] == '/' && lx->text[i + 1] == '*')
			dt_fail(
			    lx->diag, D_SYNTAX, dt_lex_loc(lx, i, i + 2), "/* encountered inside a comment");
	}
	dt_fail(lx->diag, D_SYNTAX, dt_lex_loc(lx, pos, pos + 2),
	    "end of file encountered before matching */");
}

static bool at_comment(const struct dt_lexer *lx, uint32_t i)
{
	return lx->text[i] == '/' && i + 1 < lx->len && (lx->text[i + 1] == '*' || lx->text[i + 1] == '/');
}

/* The length of a backslash and the newline after it, or 0. */
static uint32_t joined_line(const struct dt_lexer *lx, uint32_t i)
{
	if (lx->text[i] != '\\')
		return 0;
	if (lx->text[i + 1] == '\n')
		return 2;
	return lx->text[i + 1] == '\r' && lx->text[i + 2] == '\n' ? 3 : 0;
}

/*
 * Moves to the next token. A # counts as a control line only where nothing but blanks comes before it
 * on its line; that is what line_start says.
 */
static void lex_skip(struct dt_lexer *lx)
{
	uint32_t n;

	while (lx->pos < lx->len) {
		char c = lx->text[lx->pos];

		if (dt_is_blank(c)) {
			lx->line_start |= c == '\n';
			lx->pos++;
		} else if (at_comment(lx, lx->pos)) {
			lx->pos = dt_lex_comment(lx, lx->pos);
			lx->line_start = false;
		} else if ((n = joined_line(lx, lx->pos)) != 0) {
			lx->pos += n;
			lx->line_start = false;
		} else if (c == '#' && lx->line_start) {
			dt_lex_control(lx);
		} else {
			break;
		}
	}
}

/* The same without control lines and without moving: only for looking ahead. */
static uint32_t lex_peek_past(const struct dt_lexer *lx, uint32_t i)
{
	uint32_t n;

	while (i < lx->len) {
		if (dt_is_blank(lx->text[i]))
			i++;
		else if (at_comment(lx, i))
			i = dt_lex_comment(lx, i);
		else if ((n = joined_line(lx, i)) != 0)
			i += n;
		else
			break;
	}
	return i;
}

/* The token owns a copy of its text: a source may be marked and split later. */
static struct dt_token word_token(struct dt_lexer *lx, enum dt_tok kind, uint32_t from, uint32_t end)
{
	struct dt_token t = { .kind = kind, .loc = dt_lex_loc(lx, from, end), .len = end - from };

	if (t.len > DT_WORD_MAX)
		dt_fail(lx->diag, D_SYNTAX, t.loc, "identifier is longer than %d characters", DT_WORD_MAX);
	t.text = dt_arena_strndup(lx->arena, lx->text + from, t.len);
	lx->pos = end;
	return t;
}

/* Backquotes belong to names: module`symbol. */
static uint32_t word_end(const struct dt_lexer *lx, uint32_t i)
{
	while (dt_is_word(lx->text[i]) || lx->text[i] == '`')
		i++;
	return i;
}

/* mod.ule`name: the end of the name if a backquote follows the dots, otherwise i. */
static uint32_t dotted_end(const struct dt_lexer *lx, uint32_t i)
{
	uint32_t j = i;

	while (lx->text[j] == '.' && dt_is_word(lx->text[j + 1])) {
		for (j++; dt_is_word(lx->text[j]); j++)
			;
	}
	return j > i && lx->text[j] == '`' ? word_end(lx, j) : i;
}

/* The offset of the backquote in pid$target`type_t or pid$1`type_t; 0: not of this form. */
static uint32_t process_tick(const struct dt_lexer *lx, uint32_t from, uint32_t end)
{
	uint32_t i = end + 1;

	if (end - from != 3 || memcmp(lx->text + from, "pid", 3) != 0 || lx->text[end] != '$')
		return 0;
	while (dt_is_word(lx->text[i]))
		i++;
	return i > end + 1 && lx->text[i] == '`' ? i : 0;
}

/* Reads pid$target`type_t as a name in which the process number replaces the macro. */
static struct dt_token process_word(struct dt_lexer *lx, uint32_t from, uint32_t tick)
{
	struct dt_token number, t;
	uint32_t end = word_end(lx, tick);

	end = dotted_end(lx, end);
	lx->pos = from + 3;
	number = dt_lex_macro(lx);
	if (number.kind != DT_T_INT || lx->pos != tick)
		dt_lex_unexpected(lx, &number, "the number of a process");
	t = word_token(lx, DT_T_IDENT, from, end);
	t.text = dt_arena_printf(lx->arena, "pid%llu%.*s", (unsigned long long)number.value,
	    (int)(end - tick), lx->text + tick);
	t.len = (uint32_t)strlen(t.text);
	return t;
}

/* A keyword is a plain name after . and ->, and after struct, union and enum. */
static struct dt_token word_or_keyword(struct dt_lexer *lx)
{
	uint32_t from = lx->pos, end = word_end(lx, from), tick = process_tick(lx, from, end);
	bool member = lx->prev == DT_T_DOT || lx->prev == DT_T_ARROW;
	bool tag = lx->prev == DT_T_STRUCT || lx->prev == DT_T_UNION || lx->prev == DT_T_ENUM;
	enum dt_tok kind = DT_T_IDENT;

	if (tick != 0 && !member)
		return process_word(lx, from, tick);
	if (!member)
		end = dotted_end(lx, end);
	if (!member && !tag)
		kind = dt_keyword_find(lx->text + from, end - from);
	return word_token(lx, kind, from, end);
}

/* A number, or a module whose name starts with a digit: 9p`v9fs_remove. */
static struct dt_token number_or_module(struct dt_lexer *lx)
{
	uint32_t from = lx->pos, end = from;
	struct dt_token t;

	while (dt_is_word(lx->text[end]))
		end++;
	if (lx->text[end] == '`')
		return word_token(lx, DT_T_IDENT, from, word_end(lx, end));
	t = dt_lex_number(lx);
	if (dt_is_word(lx->text[lx->pos])) {
		t.loc = dt_lex_loc(lx, lx->pos, end);
		t.kind = DT_T_IDENT;
		dt_lex_unexpected(lx, &t, NULL);
	}
	return t;
}

/* A lone @ is the aggregation named "_". */
static struct dt_token aggregation_name(struct dt_lexer *lx)
{
	uint32_t from = lx->pos, end = from + 1;
	struct dt_token t;

	if (dt_is_word_start(lx->text[end])) {
		while (dt_is_word(lx->text[end]))
			end++;
		t = word_token(lx, DT_T_AGG, from + 1, end);
	} else {
		t = (struct dt_token){ .kind = DT_T_AGG, .text = "_", .len = 1 };
		lx->pos = end;
	}
	t.loc = dt_lex_loc(lx, from, end);
	return t;
}

static const struct punct {
	char text[4];
	uint8_t len, kind;
} puncts[] = {		/* a longer one comes before its own prefix */
	{ "(", 1, DT_T_LPAREN }, { ")", 1, DT_T_RPAREN }, { ";", 1, DT_T_SEMI }, { ",", 1, DT_T_COMMA },
	{ "[", 1, DT_T_LBRACK }, { "]", 1, DT_T_RBRACK }, { "{", 1, DT_T_LBRACE }, { "}", 1, DT_T_RBRACE },
	{ "==", 2, DT_T_EQ }, { "=", 1, DT_T_ASSIGN },
	{ "->", 2, DT_T_ARROW }, { "--", 2, DT_T_DEC }, { "-=", 2, DT_T_SUB_EQ }, { "-", 1, DT_T_SUB },
	{ "++", 2, DT_T_INC }, { "+=", 2, DT_T_ADD_EQ }, { "+", 1, DT_T_ADD },
	{ "*=", 2, DT_T_MUL_EQ }, { "*", 1, DT_T_MUL },
	{ "&&", 2, DT_T_LAND }, { "&=", 2, DT_T_AND_EQ }, { "&", 1, DT_T_AND },
	{ "||", 2, DT_T_LOR }, { "|=", 2, DT_T_OR_EQ }, { "|", 1, DT_T_OR },
	{ "^^", 2, DT_T_LXOR }, { "^=", 2, DT_T_XOR_EQ }, { "^", 1, DT_T_XOR },
	{ "!=", 2, DT_T_NE }, { "!", 1, DT_T_NOT },
	{ "<<=", 3, DT_T_SHL_EQ }, { "<<", 2, DT_T_SHL }, { "<=", 2, DT_T_LE }, { "<", 1, DT_T_LT },
	{ ">>=", 3, DT_T_SHR_EQ }, { ">>", 2, DT_T_SHR }, { ">=", 2, DT_T_GE }, { ">", 1, DT_T_GT },
	{ "/=", 2, DT_T_DIV_EQ }, { "/", 1, DT_T_DIV }, { "%=", 2, DT_T_MOD_EQ }, { "%", 1, DT_T_MOD },
	{ "...", 3, DT_T_ELLIPSIS }, { ".", 1, DT_T_DOT },
	{ "?", 1, DT_T_QUEST }, { ":", 1, DT_T_COLON }, { "~", 1, DT_T_BITNOT },
};

static void close_bracket(struct dt_lexer *lx, uint32_t *open, struct dt_loc loc)
{
	if (*open == 0)
		dt_fail(lx->diag, D_SYNTAX, loc, "extra %c in input stream", lx->text[loc.off]);
	--*open;
}

/* Counted here and not in the parser, as the / that ends a predicate depends on what is still open. */
static void count_bracket(struct dt_lexer *lx, const struct dt_token *t)
{
	switch (t->kind) {
	case DT_T_LPAREN: lx->parens++; break;
	case DT_T_LBRACK: lx->bracks++; break;
	case DT_T_LBRACE: lx->braces++; break;
	case DT_T_RPAREN: close_bracket(lx, &lx->parens, t->loc); break;
	case DT_T_RBRACK: close_bracket(lx, &lx->bracks, t->loc); break;
	case DT_T_RBRACE: close_bracket(lx, &lx->braces, t->loc); break;
	}
}

/*
 * A / ends the predicate if a body, a ; , another / or nothing follows. Comments in between are
 * skipped, so "a / (comment) b" is still a division.
 */
static bool ends_predicate(struct dt_lexer *lx, struct dt_loc loc)
{
	uint32_t next = lex_peek_past(lx, loc.off + 1);

	if (!lx->in_predicate || (next < lx->len && !strchr(";{/", lx->text[next])))
		return false;
	if (lx->parens)
		dt_fail(lx->diag, D_SYNTAX, loc, "closing ) expected in predicate before /");
	if (lx->bracks)
		dt_fail(lx->diag, D_SYNTAX, loc, "closing ] expected in predicate before /");
	if (lx->braces)
		dt_fail(lx->diag, D_SYNTAX, loc, "closing } expected in predicate before /");
	lx->in_predicate = false;
	return true;
}

/* The first row that fits is taken, which is the longest by the order of the table. */
static struct dt_token punctuation(struct dt_lexer *lx)
{
	const char *s = lx->text + lx->pos;
	struct dt_token t = { .kind = DT_T_IDENT, .loc = dt_lex_loc(lx, lx->pos, lx->pos + 1) };

	for (size_t i = 0; i < DT_COUNT(puncts); i++) {
		const struct punct *p = &puncts[i];

		if (s[0] == p->text[0] && (p->len == 1 || strncmp(s, p->text, p->len) == 0)) {
			t.kind = p->kind;
			t.loc.len = p->len;
			if (t.kind == DT_T_DIV && ends_predicate(lx, t.loc))
				t.kind = DT_T_PREDEND;
			count_bracket(lx, &t);
			lx->pos += p->len;
			return t;
		}
	}
	dt_lex_unexpected(lx, &t, s[0] == '#' ? "a control line starts at the beginning of a line" : NULL);
}

/* One token at lx->pos, which is neither blank nor comment. */
static struct dt_token scan_token(struct dt_lexer *lx)
{
	int c = (unsigned char)lx->text[lx->pos];

	if (lx->pos >= lx->len)
		return (struct dt_token){ .kind = DT_T_EOF, .loc = dt_lex_loc(lx, lx->len, lx->len) };
	if (dt_is_word_start(c) || c == '`')
		return word_or_keyword(lx);
	if (dt_is_digit(c))
		return number_or_module(lx);
	if (c == '.' && dt_is_digit(lx->text[lx->pos + 1]))
		return dt_lex_number(lx);	/* .5: fails and says that D has none */
	if (c == '"')
		return dt_lex_string(lx);
	if (c == '\'')
		return dt_lex_char(lx);
	if (c == '@')
		return aggregation_name(lx);
	if (c == '$')
		return dt_lex_macro(lx);
	return punctuation(lx);
}

/* A macro may have left a second token: -3 given for $1 is an operator and a number. */
struct dt_token dt_lex_inner(struct dt_lexer *lx)
{
	struct dt_token t;

	if (lx->queued) {
		lx->queued = false;
		t = lx->next;
	} else {
		lex_skip(lx);
		t = scan_token(lx);
		lx->line_start = false;
	}
	lx->prev = t.kind;
	return t;
}

/* Skips a literal, from its quote to the closing one or to the end of the line. */
static void skip_literal(struct dt_lexer *lx)
{
	char quote = lx->text[lx->pos++];

	while (lx->pos < lx->len && lx->text[lx->pos] != quote && lx->text[lx->pos] != '\n')
		lx->pos += lx->text[lx->pos] == '\\' && lx->pos + 1 < lx->len ? 2 : 1;
	if (lx->pos < lx->len && lx->text[lx->pos] == quote)
		lx->pos++;
}

/*
 * Braces in comments and literals do not count. The body itself is never parsed, so its last } is
 * counted here: the { that opened it was counted when it was scanned.
 */
void dt_lex_skip_body(struct dt_lexer *lx, struct dt_loc open)
{
	unsigned depth = 1;

	while (depth > 0) {
		char c;

		lex_skip(lx);
		if (lx->pos >= lx->len)
			dt_fail(lx->diag, D_SYNTAX, open, "this { is never closed");
		c = lx->text[lx->pos];
		lx->line_start = false;
		if (c == '"' || c == '\'') {
			skip_literal(lx);
			continue;
		}
		depth += c == '{' ? 1u : 0;
		depth -= c == '}' ? 1u : 0;
		lx->pos++;
	}
	lx->braces--;
}

/* ---- the outer level ---- */

/* Characters that a probe description may contain. */
static bool in_pspec(int c)
{
	return dt_is_word(c) || (c && strchr("-$:.?*\\[]!`^", c));
}

/* A number at the outer level is a probe's id, and a name may not begin with ` or ^. */
static bool starts_pspec(int c)
{
	return in_pspec(c) && !dt_is_digit(c) && c != '`' && c != '^';
}

/*
 * After "foo_t *": does a ; or = come before any body or predicate? The answer holds for all text up to
 * the place that gave it, so many such words in a row are not scanned again and again.
 */
static bool pointer_declaration(struct dt_lexer *lx, uint32_t i)
{
	if (i < lx->pointer_stop)
		return lx->pointer_decl;
	while (i < lx->len && !strchr(";={/#", lx->text[i]))
		i = lex_peek_past(lx, i + 1);
	lx->pointer_stop = i;
	lx->pointer_decl = i < lx->len && (lx->text[i] == ';' || lx->text[i] == '=');
	return lx->pointer_decl;
}

/*
 * Does a plain word that ends at i start a declaration? "foo_t x" and "foo_t (*x)" do, even if the type
 * is unknown.
 */
static bool starts_declaration(struct dt_lexer *lx, uint32_t i)
{
	uint32_t next = lex_peek_past(lx, i);
	char c = lx->text[next];

	if (c == '*')
		return pointer_declaration(lx, next);
	return (dt_is_word_start(c) && next > i) || c == '(';
}

/* The three probes that are written as a word alone, though one could be a type's name. */
static bool is_probe_word(const char *s, uint32_t n)
{
	return (n == 5 && (memcmp(s, "BEGIN", 5) == 0 || memcmp(s, "ERROR", 5) == 0)) ||
	    (n == 3 && memcmp(s, "END", 3) == 0);
}

/*
 * "pid$target:/usr/lib/libssl.so.3:SSL_write:entry": the module may be a path. A slash after the first
 * colon begins one if another colon follows before any character that paths do not contain; the slash
 * in "prov:/arg0 > 1/" begins a predicate. Returns the end of the path, or `at` if there is none.
 */
static uint32_t path_end(const struct dt_lexer *lx, uint32_t from, uint32_t at)
{
	uint32_t end = at;

	if (at == from || lx->text[at] != '/' || lx->text[at - 1] != ':' ||
	    memchr(lx->text + from, ':', at - 1 - from) != NULL)
		return at;
	while (end < lx->len &&
	    (dt_is_word(lx->text[end]) ||
		(lx->text[end] != '\0' && strchr("/-.+@~,=%$", lx->text[end]) != NULL)))
		end++;
	return end < lx->len && lx->text[end] == ':' ? end : at;
}

/*
 * A word at the outer level: a keyword, the start of a declaration, or a probe description. `force`:
 * the grammar wants a description, so it is one. A description ends at the first character that none
 * contains; whether it is a good one is not decided here.
 */
static struct dt_token outer_word(struct dt_lexer *lx, bool force)
{
	uint32_t from = lx->pos, plain = word_end(lx, from), end = plain;
	const char *s = lx->text + from;
	bool word_only = true;		/* no character that only a description can contain */
	struct dt_token t = { .kind = DT_T_PSPEC };
	enum dt_tok kind;

	for (; end < lx->len && (in_pspec(lx->text[end]) || path_end(lx, from, end) > end) &&
	     !joined_line(lx, end);
	     end++) {
		word_only &= !strchr("-$:.?\\!^", lx->text[end]);
		end = path_end(lx, from, end);
	}
	if (plain > from && word_only && !force && (plain == end || lx->text[plain] == '*')) {
		kind = dt_keyword_find(s, plain - from);
		if (dt_keyword_is_outer(kind))
			return word_token(lx, kind, from, plain);
		if (!lx->parse->pspec && !is_probe_word(s, plain - from) && starts_declaration(lx, plain))
			return word_token(lx, DT_T_IDENT, from, plain);
	}
	t.loc = dt_lex_loc(lx, from, end);
	t.len = end - from;
	t.text = dt_arena_strndup(lx->arena, s, t.len);
	lx->pos = end;
	return t;
}

/* A / here begins a predicate; division does not exist at the outer level. */
struct dt_token dt_lex_outer(struct dt_lexer *lx, bool force)
{
	struct dt_token t;

	lex_skip(lx);
	if (lx->pos < lx->len && lx->text[lx->pos] == '/') {
		t = (struct dt_token){ .kind = DT_T_DIV, .loc = dt_lex_loc(lx, lx->pos, lx->pos + 1) };
		lx->pos++;
	} else if (lx->pos < lx->len && starts_pspec(lx->text[lx->pos])) {
		t = outer_word(lx, force);
	} else {
		t = scan_token(lx);
	}
	lx->line_start = false;
	lx->prev = t.kind;
	return t;
}
