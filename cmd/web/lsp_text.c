/* SPDX-License-Identifier: BSD-2-Clause */
#include "lsp_text.h"

#include "base.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* ---- places ---- */

/* Bytes of the character at p, and how many columns it counts. */
static size_t character(const struct lsp_text *t, size_t at, unsigned *columns)
{
	unsigned char c = (unsigned char)t->p[at];
	size_t n = c < 0xc0 ? 1 : c < 0xe0 ? 2 : c < 0xf0 ? 3 : 4;

	n = n <= t->len - at ? n : t->len - at;
	*columns = t->bytes ? (unsigned)n : n == 4 ? 2 : 1;
	return n;
}

size_t lsp_offset(const struct lsp_text *t, unsigned long line, unsigned long column)
{
	size_t at = 0;

	for (; line > 0; line--) {
		const char *end = memchr(t->p + at, '\n', t->len - at);

		if (end == NULL)
			return t->len;
		at = (size_t)(end + 1 - t->p);
	}
	while (at < t->len && t->p[at] != '\n' && column > 0) {
		unsigned columns;

		at += character(t, at, &columns);
		column -= columns < column ? columns : column;
	}
	return at;
}

static void put_place(FILE *f, const struct lsp_text *t, size_t at)
{
	unsigned long line = 0, column = 0;
	size_t i = 0;

	for (const char *end; (end = memchr(t->p + i, '\n', at - i)) != NULL; line++)
		i = (size_t)(end + 1 - t->p);
	while (i < at) {
		unsigned columns;

		i += character(t, i, &columns);
		column += columns;
	}
	fprintf(f, "{\"line\":%lu,\"character\":%lu}", line, column);
}

void lsp_put_range(FILE *f, const struct lsp_text *t, size_t from, size_t to)
{
	from = from < t->len ? from : t->len;
	to = to < t->len ? to : t->len;
	fputs("{\"start\":", f);
	put_place(f, t, from);
	fputs(",\"end\":", f);
	put_place(f, t, to > from ? to : from);
	putc('}', f);
}

/* ---- words ---- */

static bool is_name(char c) { return isalnum((unsigned char)c) || c == '_'; }

static size_t to_end(const struct lsp_text *t, size_t at, const char *end)
{
	const char *found = memmem(t->p + at, t->len - at, end, strlen(end));

	return found != NULL ? (size_t)(found - t->p) + strlen(end) : t->len;
}

static size_t quoted(const struct lsp_text *t, size_t at)
{
	char quote = t->p[at++];

	while (at < t->len && t->p[at] != quote && t->p[at] != '\n')
		at += t->p[at] == '\\' && at + 1 < t->len ? 2 : 1;
	return at < t->len && t->p[at] == quote ? at + 1 : at;
}

static size_t name_end(const struct lsp_text *t, size_t at)
{
	while (at < t->len && is_name(t->p[at]))
		at++;
	return at;
}

bool lsp_next(const struct lsp_text *t, size_t *pos, struct lsp_token *k)
{
	size_t at = *pos, end;
	char c;

	while (at < t->len && (isspace((unsigned char)t->p[at]) || t->p[at] == '\0'))
		at++;
	if (at == t->len)
		return false;
	c = t->p[at];
	end = at + 1;
	k->kind = LSP_OTHER;
	if (c == '/' && end < t->len && (t->p[end] == '*' || t->p[end] == '/')) {
		k->kind = LSP_COMMENT;
		end = t->p[end] == '*' ? to_end(t, at + 2, "*/") : to_end(t, at, "\n");
	} else if (c == '#' && (at == 0 || t->p[at - 1] == '\n')) {
		k->kind = LSP_LINE;
		end = to_end(t, at, "\n");
	} else if (c == '"' || c == '\'') {
		k->kind = LSP_STRING;
		end = quoted(t, at);
	} else if (isdigit((unsigned char)c)) {
		k->kind = LSP_NUMBER;
		end = name_end(t, at);
	} else if (is_name(c) || ((c == '@' || c == '$') && end < t->len && is_name(t->p[end]))) {
		k->kind = LSP_WORD;
		end = name_end(t, end);
	}
	k->at = at;
	k->len = end - at;
	*pos = end;
	return true;
}

bool lsp_is(const struct lsp_text *t, const struct lsp_token *k, const char *word)
{
	return k->len == strlen(word) && memcmp(t->p + k->at, word, k->len) == 0;
}

bool lsp_name_at(const struct lsp_text *t, size_t at, struct lsp_token *k)
{
	size_t pos = 0;

	while (lsp_next(t, &pos, k) && k->at <= at)
		if (k->kind == LSP_WORD && at <= k->at + k->len)
			return true;
	return false;
}

/* ---- clauses ---- */

static bool in_description(char c) { return is_name(c) || (c != '\0' && strchr(":*?[]!$.-+@`~", c) != NULL); }

/* Outside of bodies and predicates: where between clauses a place is. */
bool lsp_probe_at(const struct lsp_text *t, size_t at, size_t *from, size_t *to)
{
	size_t pos = 0;
	unsigned depth = 0;
	bool predicate = false;
	struct lsp_token k;

	while (pos < at && lsp_next(t, &pos, &k) && k.at + (k.kind != LSP_OTHER) <= at) {
		if (k.kind == LSP_COMMENT || k.kind == LSP_LINE || k.kind == LSP_STRING) {
			if (at < k.at + k.len)
				return false;
		} else if (k.at < at && lsp_is(t, &k, "{")) {
			depth++;
			predicate = false;
		} else if (k.at < at && lsp_is(t, &k, "}")) {
			depth -= depth > 0;
		} else if (k.at < at && depth == 0 && lsp_is(t, &k, "/")) {
			predicate = !predicate;
		}
	}
	if (depth > 0 || predicate)
		return false;
	for (*from = at; *from > 0 && in_description(t->p[*from - 1]); --*from)
		;
	for (*to = at; *to < t->len && in_description(t->p[*to]); ++*to)
		;
	return *to > *from && memchr(t->p + *from, ':', *to - *from) != NULL;
}

static bool skip_space(const struct lsp_text *t, size_t *pos, struct lsp_token *k)
{
	bool more;

	do
		more = lsp_next(t, pos, k);
	while (more && (k->kind == LSP_COMMENT || k->kind == LSP_LINE));
	return more;
}

/* All up to the `;` or the `}` that ends it: a declaration, or a clause (of which `}` is the end). */
static bool piece(const struct lsp_text *t, size_t *pos, struct lsp_token *first, size_t *end, bool clause)
{
	unsigned depth = 0;
	struct lsp_token k;

	if (!skip_space(t, pos, first))
		return false;
	for (k = *first;;) {
		*end = k.at + k.len;
		if (lsp_is(t, &k, "{"))
			depth++;
		else if (lsp_is(t, &k, "}") && depth > 0 && --depth == 0 && clause)
			break;
		else if (lsp_is(t, &k, ";") && depth == 0)
			break;
		if (!skip_space(t, pos, &k))
			break;
	}
	return true;
}

static const char *const declaring[] = { "inline", "typedef", "struct", "union", "enum", "translator",
	"provider", "extern", "self", "this" };

/* The name of a declaration: what its first word is says where that is. */
static bool find_name(const struct lsp_text *t, size_t from, size_t to, const char *what,
    struct lsp_token *name)
{
	size_t pos = from;
	struct lsp_token k, last = { 0 };
	bool found = false;
	unsigned depth = 0;

	while (skip_space(t, &pos, &k) && k.at < to) {
		if (depth == 0 && k.kind == LSP_WORD && k.at != from) {
			last = k;
			found = true;
			if (strcmp(what, "struct") == 0 || strcmp(what, "union") == 0 ||
			    strcmp(what, "enum") == 0 || strcmp(what, "provider") == 0)
				break;
		} else if (lsp_is(t, &k, "=") || (strcmp(what, "translator") == 0 && lsp_is(t, &k, "<"))) {
			break;
		}
		depth += lsp_is(t, &k, "{") || lsp_is(t, &k, "[");
		depth -= depth > 0 && (lsp_is(t, &k, "}") || lsp_is(t, &k, "]"));
	}
	*name = last;
	return found;
}

/* The names in an enum's braces. */
static bool each_enumerator(const struct lsp_text *t, size_t from, size_t to, lsp_declared_f *f, void *ctx)
{
	size_t pos = from;
	struct lsp_token k;
	bool inside = false, first = true;

	while (skip_space(t, &pos, &k) && k.at < to) {
		if (k.kind == LSP_WORD && inside && first &&
		    !f(ctx, &(struct lsp_declared){ k.at, k.len, k.at, k.at + k.len, "enumerator" }))
			return false;
		first = lsp_is(t, &k, "{") || lsp_is(t, &k, ",");
		inside |= lsp_is(t, &k, "{");
	}
	return true;
}

/* The names in the braces of a struct, each with what it is declared by. */
static bool each_member(const struct lsp_text *t, size_t from, size_t to, lsp_declared_f *f, void *ctx)
{
	size_t pos = from, began = from;
	struct lsp_token k, last = { 0 };
	unsigned depth = 0;

	while (skip_space(t, &pos, &k) && k.at < to) {
		bool ends = lsp_is(t, &k, ";");

		if (depth > 0 && last.kind == LSP_WORD && last.len > 0 &&
		    (ends || lsp_is(t, &k, ",") || lsp_is(t, &k, "[") || lsp_is(t, &k, ":")) &&
		    !f(ctx, &(struct lsp_declared){ last.at, last.len, began, k.at, "member" }))
			return false;
		depth += lsp_is(t, &k, "{");
		depth -= depth > 0 && lsp_is(t, &k, "}");
		last = k;
		if (ends || lsp_is(t, &k, "{")) {
			size_t next = pos;

			began = skip_space(t, &next, &last) ? last.at : pos;
			last = k;
		}
	}
	return true;
}

static bool declaration(const struct lsp_text *t, const char *what, size_t from, size_t to, lsp_declared_f *f,
    void *ctx)
{
	struct lsp_token name, tag;
	struct lsp_declared d = { .from = from, .to = to, .what = what };
	size_t pos = from;

	if (find_name(t, from, to, what, &name)) {
		d.at = name.at;
		d.len = name.len;
		if (!f(ctx, &d))
			return false;
	}
	/* typedef struct NAME { … } */
	if (strcmp(what, "typedef") == 0 && lsp_next(t, &pos, &tag) && lsp_next(t, &pos, &tag) &&
	    (lsp_is(t, &tag, "struct") || lsp_is(t, &tag, "union") || lsp_is(t, &tag, "enum")) &&
	    lsp_next(t, &pos, &tag) && tag.kind == LSP_WORD && tag.at != d.at) {
		d.at = tag.at;
		d.len = tag.len;
		d.what = "struct";
		if (!f(ctx, &d))
			return false;
	}
	if (strcmp(what, "translator") == 0 || strcmp(what, "inline") == 0 || strcmp(what, "provider") == 0)
		return true;
	return memmem(t->p + from, to - from, "enum", 4) != NULL ? each_enumerator(t, from, to, f, ctx) :
	    each_member(t, from, to, f, ctx);
}

void lsp_declarations(const struct lsp_text *t, lsp_declared_f *f, void *ctx)
{
	size_t pos = 0, end;
	struct lsp_token first;

	for (size_t was = 0;; was = pos) {
		const char *what = NULL;
		bool more = true;

		if (!skip_space(t, &pos, &first))
			break;
		for (size_t i = 0; i < COUNT(declaring); i++)
			if (lsp_is(t, &first, declaring[i]))
				what = declaring[i];
		pos = was;
		if (!piece(t, &pos, &first, &end, what == NULL))
			break;
		if (what != NULL) {
			more = declaration(t, what, first.at, end, f, ctx);
		} else if (end > first.at && t->p[end - 1] == '}') {
			const char *body = memchr(t->p + first.at, '{', end - first.at);
			size_t len = (size_t)(body - t->p) - first.at;
			const char *line = memchr(t->p + first.at, '\n', len);

			len = line != NULL ? (size_t)(line - t->p) - first.at : len;
			while (len > 0 && isspace((unsigned char)t->p[first.at + len - 1]))
				len--;
			more = f(ctx, &(struct lsp_declared){ first.at, len, first.at, end, "clause" });
		}
		if (!more)
			break;
	}
}

static bool is_seen(const struct lsp_text *t, const struct lsp_token *seen, size_t n,
    const struct lsp_token *k)
{
	for (size_t i = 0; i < n; i++)
		if (seen[i].len == k->len && memcmp(t->p + seen[i].at, t->p + k->at, k->len) == 0)
			return true;
	return false;
}

/* Does what follows make a variable of a name: an assignment, a key and an assignment? */
static bool is_assigned(const struct lsp_text *t, size_t pos)
{
	struct lsp_token k;
	unsigned depth = 0;

	while (skip_space(t, &pos, &k)) {
		depth += lsp_is(t, &k, "[");
		depth -= depth > 0 && lsp_is(t, &k, "]");
		if (depth == 0 && !lsp_is(t, &k, "]"))
			break;
	}
	return pos < t->len && lsp_is(t, &k, "=") && t->p[k.at + 1] != '=';
}

void lsp_variables(const struct lsp_text *t, lsp_declared_f *f, void *ctx)
{
	enum { MOST = 512 };
	struct lsp_token *seen = calloc(MOST, sizeof(*seen)), k, arrow[3];
	size_t pos = 0, n = 0, at;
	unsigned depth = 0;			/* outside of braces an assignment declares something else */

	while (seen != NULL && n < MOST && lsp_next(t, &pos, &k)) {
		depth += lsp_is(t, &k, "{");
		depth -= depth > 0 && lsp_is(t, &k, "}");
		if (k.kind != LSP_WORD)
			continue;
		at = pos;
		if ((lsp_is(t, &k, "self") || lsp_is(t, &k, "this")) && lsp_next(t, &at, &arrow[0]) &&
		    lsp_is(t, &arrow[0], "-") && lsp_next(t, &at, &arrow[1]) && lsp_is(t, &arrow[1], ">") &&
		    lsp_next(t, &at, &arrow[2]) && arrow[2].kind == LSP_WORD) {
			k.len = arrow[2].at + arrow[2].len - k.at;
			pos = at;
		} else if (t->p[k.at] != '@' && (t->p[k.at] == '$' || depth == 0 || !is_assigned(t, pos) ||
			(k.at > 0 && (t->p[k.at - 1] == '>' || t->p[k.at - 1] == '.')))) {
			continue;
		}
		if (is_seen(t, seen, n, &k))
			continue;
		seen[n++] = k;
		if (!f(ctx, &(struct lsp_declared){ k.at, k.len, k.at, k.at + k.len, "variable" }))
			break;
	}
	free(seen);
}
