/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Control lines. A line that starts with `#` comes in. Line marks on the source, options that are
 * applied at once, pragmas handed on as words, or an error go out.
 */
#include "syntax/lexer.h"
#include "base/count.h"

#include <stdio.h>

/* A control line split into words. */
struct line {
	struct dt_lexer *lx;
	struct dt_loc loc;		/* all of it */
	struct dt_word *words;
	unsigned n;
};

/* The offset of the newline that ends the line, or the end of the text. */
static uint32_t skip_line(const struct dt_lexer *lx, uint32_t i)
{
	const char *nl = memchr(lx->text + i, '\n', lx->len - i);

	return nl ? (uint32_t)(nl - lx->text) : lx->len;
}

/* Reads the word at i, which is not blank; returns its end. */
static uint32_t read_word(struct dt_lexer *lx, uint32_t i, struct dt_word *w)
{
	uint32_t start = i;

	w->quoted = lx->text[i] == '"';
	if (w->quoted) {
		for (i++; i < lx->len && lx->text[i] != '\n' && lx->text[i] != '"'; i++)
			;
		if (i >= lx->len || lx->text[i] == '\n')
			dt_fail(lx->diag, D_STR_NL, dt_lex_loc(lx, start, i),
			    "newline encountered in string literal");
		w->text = dt_arena_strndup(lx->arena, lx->text + start + 1, i - start - 1);
		i++;
	} else {
		while (i < lx->len && !dt_is_blank(lx->text[i]) && lx->text[i] != '"')
			i++;
		w->text = dt_arena_strndup(lx->arena, lx->text + start, i - start);
	}
	w->loc = dt_lex_loc(lx, start, i);
	return i;
}

/* Splits the line and moves to its end. Comments are skipped; a // comment ends it. */
static void read_words(struct line *line)
{
	struct dt_lexer *lx = line->lx;
	struct dt_word **tail = &line->words;
	uint32_t i = lx->pos + 1, end = skip_line(lx, i);

	while (i < end) {
		if (dt_is_blank(lx->text[i])) {
			i++;
		} else if (lx->text[i] == '/' && lx->text[i + 1] == '*') {
			/* it may span lines: the control line goes on after it */
			i = dt_lex_comment(lx, i);
			end = i > end ? skip_line(lx, i) : end;
		} else if (lx->text[i] == '/' && lx->text[i + 1] == '/') {
			i = end;
		} else {
			*tail = DT_NEW(lx->arena, struct dt_word);
			i = read_word(lx, i, *tail);
			tail = &(*tail)->next;
			line->n++;
		}
	}
	line->loc = dt_lex_loc(lx, lx->pos, end);
	lx->pos = end;
}

/* w may be NULL: the line ended. */
static bool word_is(const struct dt_word *w, const char *text)
{
	return w && !w->quoted && strcmp(w->text, text) == 0;
}

/* `form` shows how the line should look. */
_Noreturn static void refuse_line(struct line *line, const char *what, const char *form)
{
	dt_fail_hint(line->lx->diag, D_PRAGMA_MALFORM, line->loc,
	    dt_arena_printf(line->lx->arena, "expected: %s", form), "malformed %s", what);
}

/* Flag 1 enters an included file, flag 2 returns from one; 3 and 4 do not matter here. */
static enum dt_line_flag line_flag(const struct dt_word *w)
{
	for (; w; w = w->next) {
		if (strcmp(w->text, "1") == 0)
			return DT_LINE_ENTER;
		if (strcmp(w->text, "2") == 0)
			return DT_LINE_LEAVE;
	}
	return DT_LINE_PLAIN;
}

/* w is at the number of: 12 "file" flags */
static void set_line(struct line *line, const struct dt_word *w)
{
	struct dt_lexer *lx = line->lx;
	const char *file = NULL;
	uint32_t next = lx->pos < lx->len ? lx->pos + 1 : lx->len;
	uint64_t n;
	uint8_t suffix;
	size_t end;

	if (!w || w->quoted || !dt_is_digit(w->text[0]) || (w->next && !w->next->quoted) ||
	    dt_lex_integer(w->text, strlen(w->text), &n, &suffix, &end) != 0 || w->text[end] || n > INT32_MAX)
		refuse_line(line, "#line", "#line number \"file\"");
	if (w->next)	/* a script reaches the preprocessor through a pipe */
		file = strcmp(w->next->text, "<stdin>") == 0 ? lx->src->name : w->next->text;
	dt_source_mark(lx->src, next, (uint32_t)n, file, line_flag(w->next ? w->next->next : NULL));
}

/* #error and #pragma error: the program's own words are the message. */
_Noreturn static void say_error(struct line *line, const struct dt_word *w)
{
	char text[512] = "";
	size_t n = 0;

	for (; w && n + strlen(w->text) + 2 < sizeof(text); w = w->next)
		n += (size_t)snprintf(text + n, sizeof(text) - n, "%s ", w->text);
	dt_fail(line->lx->diag, D_PRAGERR, line->loc, "#error: %s", text);
}

/* #pragma D option word: exactly one word, applied by the driver. */
static void set_option(struct line *line)
{
	struct dt_parse *p = line->lx->parse;
	const struct dt_word *w = line->words->next->next->next;

	if (line->n != 4 || w->quoted)
		refuse_line(line, "#pragma D option", "#pragma D option name or name=value, without blanks");
	if (p->option)
		p->option(p->ctx, p, w->loc, w->text);
}

/* Pragmas that sema applies; here only the number of words is checked. */
static const struct pragma {
	const char *word;
	unsigned min, max;	/* words of the whole line */
	const char *form;
} pragmas[] = {
	{ "attributes", 5, 7, "#pragma D attributes name/data/class identifier" },
	{ "binding", 5, 5, "#pragma D binding \"version\" identifier" },
	{ "depends_on", 5, 5, "#pragma D depends_on provider|module|library name" },
};

/* #pragma D … */
static void apply_pragma(struct line *line)
{
	struct dt_lexer *lx = line->lx;
	const struct dt_word *w = line->words->next->next;

	if (!w)
		refuse_line(line, "#pragma D", "#pragma D option|attributes|binding|depends_on …");
	if (word_is(w, "error"))
		say_error(line, w->next);
	if (word_is(w, "option")) {
		set_option(line);
		return;
	}
	for (size_t i = 0; i < DT_COUNT(pragmas); i++) {
		const struct pragma *pr = &pragmas[i];

		if (!word_is(w, pr->word))
			continue;
		if (line->n < pr->min || line->n > pr->max)
			refuse_line(line, dt_arena_printf(lx->arena, "#pragma D %s", pr->word), pr->form);
		if (lx->pragma)
			lx->pragma(lx->pragma_ctx, line->loc, line->words);
		return;
	}
	dt_fail(lx->diag, D_PRAGMA_INVAL, w->loc, "invalid D pragma: %.64s", w->text);
}

/*
 * "# file: x.c": a blank and a word that is no directive of D or C. Provider files of Linux programs
 * have such comments, because the tool they were written for knows no directives.
 */
static bool is_remark(const struct dt_lexer *lx)
{
	static const char *const directives[] = { "line", "error", "pragma", "ident", "include",
		"include_next", "import", "define", "undef", "if", "ifdef", "ifndef", "elif", "elifdef",
		"elifndef", "else", "endif", "warning", "sccs", "assert", "unassert" };
	const char *p = lx->text + lx->pos + 1;
	size_t n = 0;

	if (*p != ' ' && *p != '\t')
		return false;
	p += strspn(p, " \t");
	if (!dt_is_word_start((unsigned char)*p))
		return false;
	while (dt_is_word((unsigned char)p[n]))
		n++;
	for (size_t i = 0; i < DT_COUNT(directives); i++)
		if (strlen(directives[i]) == n && strncmp(p, directives[i], n) == 0)
			return false;
	return true;
}

/*
 * lx->pos is at the #; it is at the newline afterwards. Pragmas that are not D's are ignored, as in C.
 * What only the C preprocessor can do is refused, as -C has run already or was not given.
 */
void dt_lex_control(struct dt_lexer *lx)
{
	struct line line = { .lx = lx };
	const struct dt_word *w;

	if (lx->text[lx->pos + 1] == '!' || is_remark(lx)) {
		lx->pos = skip_line(lx, lx->pos);
		return;
	}
	read_words(&line);
	w = line.words;
	if (!w || word_is(w, "ident"))
		return;
	if (dt_is_digit(w->text[0]) && !w->quoted)
		set_line(&line, w);
	else if (word_is(w, "line"))
		set_line(&line, w->next);
	else if (word_is(w, "error"))
		say_error(&line, w->next);
	else if (word_is(w, "pragma") && word_is(w->next, "error"))
		say_error(&line, w->next->next);
	else if (word_is(w, "pragma") && word_is(w->next, "D"))
		apply_pragma(&line);
	else if (!word_is(w, "pragma"))
		dt_fail_hint(lx->diag, D_PRAGCTL_INVAL, w->loc, "the C preprocessor runs with -C",
		    "invalid control directive: #%.64s", w->text);
}
