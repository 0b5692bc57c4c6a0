/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Macro references in expressions: $1 $$1 $name $$name come in, one token goes out. If the argument has
 * a sign there are two: the operator, then the number.
 */
#include "syntax/lexer.h"
#include "base/count.h"

#include <inttypes.h>

/* Escapes are resolved as in a literal, so that $$1 can hold a newline. */
static struct dt_token string_token(struct dt_lexer *lx, struct dt_loc loc, const char *s, size_t n)
{
	char *text = dt_arena_alloc(lx->arena, n + 1);
	struct dt_token t = { .kind = DT_T_STR, .loc = loc, .text = text };

	t.len = (uint32_t)dt_lex_unescape(text, s, n, '"');
	return t;
}

/* Returns the number, or its sign first, with the number queued after it. */
static struct dt_token number_token(struct dt_lexer *lx, struct dt_token t, char sign)
{
	if (sign != '-' && sign != '+')
		return t;
	lx->next = t;
	lx->queued = true;
	return (struct dt_token){ .kind = sign == '-' ? DT_T_SUB : DT_T_ADD, .loc = t.loc };
}

/* An argument that reads as an identifier becomes one: `$1` may name a variable or a type. */
static bool is_name(const char *s, size_t n)
{
	if (n == 0 || n > DT_WORD_MAX || !(dt_is_word_start(s[0]) || s[0] == '`'))
		return false;
	for (size_t i = 1; i < n; i++) {
		if (!dt_is_word(s[i]) && s[i] != '`')
			return false;
	}
	return true;
}

/* The text of $N, read as what it looks like: integer, name, or string. */
static struct dt_token argument_token(struct dt_lexer *lx, struct dt_loc loc, const char *arg)
{
	char sign = *arg == '-' || *arg == '+' ? *arg : '\0';
	const char *digits = arg + (sign != '\0');
	struct dt_token t = { .kind = DT_T_INT, .loc = loc };
	size_t n = strlen(arg), end;

	if (dt_is_digit(*digits)) {
		int tag = dt_lex_integer(digits, strlen(digits), &t.value, &t.suffix, &end);

		if (digits[end] == '\0' && tag == D_INT_OFLOW)
			dt_fail(lx->diag, D_MACRO_OFLOW, loc, "macro argument %.64s is too large an integer",
			    arg);
		if (digits[end] == '\0' && tag == D_INT_DIGIT)
			dt_fail(lx->diag, D_INT_DIGIT, loc, "octal constant contains invalid digit: %.64s",
			    arg);
		if (digits[end] == '\0')
			return number_token(lx, t, sign);
	}
	if (is_name(arg, n)) {
		t.kind = lx->prev == DT_T_DOT || lx->prev == DT_T_ARROW ? DT_T_IDENT :
									  dt_keyword_find(arg, n);
		t.text = dt_arena_strndup(lx->arena, arg, n);
		t.len = (uint32_t)n;
		return t;
	}
	if (n > 1 && arg[0] == '"' && arg[n - 1] == '"')
		return string_token(lx, loc, arg + 1, n - 2);
	return string_token(lx, loc, arg, n);
}

/*
 * Marks the argument as used: one that no macro names is an error at the end. Leading zeros do not make
 * the number octal. NULL: there is no such argument.
 */
const char *dt_macro_argument(struct dt_parse *p, const char **digits, size_t *n)
{
	uint64_t i;
	uint8_t suffix;
	size_t end;

	for (; *n > 1 && **digits == '0'; --*n)
		++*digits;
	if (dt_lex_integer(*digits, *n, &i, &suffix, &end) != 0 || p->argc <= 0 || i >= (uint64_t)p->argc)
		return NULL;
	if (p->argused)
		p->argused[i] = true;
	return p->argv[i];
}

/* $N and $$N, which has the text as it is. With -x defaultargs a missing one is 0, or the empty string. */
static struct dt_token numbered_macro(struct dt_lexer *lx, struct dt_loc loc, const char *digits, size_t n,
    bool string)
{
	const char *text = dt_macro_argument(lx->parse, &digits, &n);

	if (!text && !lx->parse->defaultargs)
		dt_fail(lx->diag, D_MACRO_UNDEF, loc, "macro argument %s%.*s is not defined",
		    string ? "$$" : "$", n < 32 ? (int)n : 32, digits);
	if (string)
		return string_token(lx, loc, text ? text : "", text ? strlen(text) : 0);
	return text ? argument_token(lx, loc, text) : (struct dt_token){ .kind = DT_T_INT, .loc = loc };
}

/* A misspelt macro, or a variable as other languages write it. */
static const char *macro_hint(struct dt_lexer *lx, const char *name)
{
	static const char *const names[] = { "target", "pid", "ppid", "pgid", "sid", "uid", "euid", "gid",
		"egid" };
	struct dt_near near;

	dt_near_init(&near, name);
	for (size_t i = 0; i < DT_COUNT(names); i++)
		dt_near_offer(&near, names[i]);
	if (near.best != NULL)
		return dt_arena_printf(lx->arena, "did you mean `$%s`?", near.best);
	return dt_arena_printf(lx->arena, "a variable has no $: %.64s, or this->%.64s for the clause alone",
	    name, name);
}

/* $name and $$name: $pid, $target and the like, whose values the caller knows. */
static struct dt_token named_macro(struct dt_lexer *lx, struct dt_loc loc, const char *name, bool string)
{
	const struct dt_parse *p = lx->parse;
	struct dt_token t = { .kind = DT_T_INT, .loc = loc };
	const char *text;
	int64_t value;

	if (!p->macro || !p->macro(p->ctx, name, &value))
		dt_fail_hint(lx->diag, D_MACRO_UNDEF, loc, macro_hint(lx, name),
		    "macro variable %s%.64s is not defined", string ? "$$" : "$", name);
	if (string) {
		text = dt_arena_printf(lx->arena, "%" PRIu64, (uint64_t)value);
		return string_token(lx, loc, text, strlen(text));
	}
	t.value = value < 0 ? -(uint64_t)value : (uint64_t)value;
	return number_token(lx, t, value < 0 ? '-' : '\0');
}

/* lx->pos is at the $; it is after the whole reference afterwards. */
struct dt_token dt_lex_macro(struct dt_lexer *lx)
{
	uint32_t start = lx->pos, name;
	bool string = lx->text[start + 1] == '$';
	bool digits;

	name = start + 1 + string;
	digits = dt_is_digit(lx->text[name]);
	if (!digits && !dt_is_word_start(lx->text[name]))
		dt_fail(lx->diag, D_SYNTAX, dt_lex_loc(lx, start, name), "syntax error near \"%s\"",
		    string ? "$$" : "$");
	for (lx->pos = name; digits ? dt_is_digit(lx->text[lx->pos]) : dt_is_word(lx->text[lx->pos]);
	     lx->pos++)
		;
	if (digits)
		return numbered_macro(lx, dt_lex_loc(lx, start, lx->pos), lx->text + name, lx->pos - name,
		    string);
	return named_macro(lx, dt_lex_loc(lx, start, lx->pos),
	    dt_arena_strndup(lx->arena, lx->text + name, lx->pos - name), string);
}
