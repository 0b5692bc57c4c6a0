/* SPDX-License-Identifier: BSD-2-Clause */
/* What can follow at a place, and what it is that stands there. */
#include "base.h"
#include "lsp_question.h"
#include "web_json.h"
#include "worker.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { OFFERS_MAX = 300 };
/* numbers of the protocol */
enum { ITEM_FUNCTION = 3, ITEM_VARIABLE = 6, ITEM_MODULE = 9, ITEM_PROPERTY, ITEM_KEYWORD = 14,
	ITEM_CONSTANT = 21, ITEM_STRUCT, ITEM_EVENT };

static bool matches(const struct question *q, const char *name)
{
	return strncmp(name, q->name, strlen(q->name)) == 0 && q->n < OFFERS_MAX;
}

/* ---- what can follow ---- */

static void put_item(struct question *q, const char *name, int kind, const char *form, const char *doc)
{
	printf("%s{\"label\":", q->n++ != 0 ? ",\n" : "");
	json_text(stdout, name);
	printf(",\"kind\":%d", kind);
	if (form[0] != '\0') {
		fputs(",\"detail\":", stdout);
		json_text(stdout, form);
	}
	if (doc[0] != '\0') {
		fputs(",\"documentation\":", stdout);
		json_text(stdout, doc);
	}
	fputs(",\"textEdit\":{\"range\":", stdout);
	lsp_put_range(stdout, &q->text, q->from, q->to);
	fputs(",\"newText\":", stdout);
	json_text(stdout, name);
	fputs("}}", stdout);
}

static int offer_probe(dtrace_hdl_t *dtp, const dtrace_probedesc_t *p, void *arg)
{
	struct question *q = arg;
	dtrace_probedesc_t named = *p;
	char text[DTRACE_DESC2STR_MAX], args[1024] = "", name[256];
	dtrace_probeinfo_t info;

	named.dtpd_id = 0;
	if (q->n < 50 && dtrace_probe_info(dtp, p, &info) == 0)
		for (int i = 0; i < info.dtp_argc; i++) {
			const char *type = dtrace_type_name(dtp, &info.dtp_argv[i], name, sizeof(name));
			size_t len = strlen(args);

			snprintf(args + len, sizeof(args) - len, "%s%s", i != 0 ? ", " : "", type);
		}
	put_item(q, dtrace_desc2str(&named, text, sizeof(text)), ITEM_EVENT, args, "");
	return q->n == OFFERS_MAX;
}

static int offer_word(dtrace_hdl_t *dtp, const dtrace_word_t *word, void *arg)
{
	struct question *q = arg;
	bool provider = strcmp(q->list, "providers") == 0, option = strcmp(q->list, "options") == 0;
	char name[160];

	(void)dtp;
	if (!word->dtw_here || !matches(q, word->dtw_name))
		return 0;
	snprintf(name, sizeof(name), "%s%s", word->dtw_name, provider ? ":::" : "");
	put_item(q, name, provider ? ITEM_MODULE : option ? ITEM_PROPERTY :
	    strcmp(q->list, "variables") == 0 ? ITEM_VARIABLE : ITEM_FUNCTION, word->dtw_form, word->dtw_doc);
	return 0;
}

static int item_of(const char *what)
{
	return strcmp(what, "inline") == 0 || strcmp(what, "enumerator") == 0 ? ITEM_CONSTANT :
	    strcmp(what, "variable") == 0 ? ITEM_VARIABLE : ITEM_STRUCT;
}

struct offering { struct question *q; const struct lsp_text *of; const char *path; };

static bool offer_declared(void *ctx, const struct lsp_declared *d)
{
	const struct offering *o = ctx;
	char name[256];

	snprintf(name, sizeof(name), "%.*s", (int)d->len, o->of->p + d->at);
	if (strcmp(d->what, "clause") != 0 && strcmp(d->what, "member") != 0 &&
	    d->len < sizeof(name) && matches(o->q, name) &&
	    strcmp(name, o->q->name) != 0)
		put_item(o->q, name, item_of(d->what), o->path != NULL ? o->path : "", "");
	return o->q->n < OFFERS_MAX;
}

static int offer_library(dtrace_hdl_t *dtp, const char *path, const char *text, void *arg)
{
	struct lsp_text t = { text, strlen(text), true };
	struct offering o = { arg, &t, path };

	(void)dtp;
	lsp_declarations(&t, offer_declared, &o);
	return 0;
}

static void offer_words(struct question *q, const char *const *lists, size_t n)
{
	for (size_t i = 0; i < n && q->dtp != NULL; i++) {
		q->list = lists[i];
		(void)dtrace_word_iter(q->dtp, lists[i], offer_word, q);
	}
}

/* What stands before the place: a word, with @, $, self-> or this->. */
static void find_prefix(struct question *q)
{
	const char *p = q->text.p;

	for (q->from = q->at; q->from > 0 && (isalnum((unsigned char)p[q->from - 1]) ||
		strchr("_>-@$", p[q->from - 1]) != NULL); q->from--)
		if (p[q->from - 1] == '-' && p[q->from] != '>')
			break;
	q->to = q->at;
	if (memchr(p + q->from, '>', q->to - q->from) != NULL && strncmp(p + q->from, "self->", 6) != 0 &&
	    strncmp(p + q->from, "this->", 6) != 0)
		q->from = q->to;		/* members are not known here */
}

static int offer_all(struct question *q)
{
	static const char *const inside[] = { "variables", "functions", "actions", "aggregations" };
	static const char *const outside[] = { "providers" }, *const pragma[] = { "options" };
	static const char *const keywords[] = { "inline", "struct", "translator", "typedef", "enum", "union",
		"if", "else", "self", "this", "sizeof", "offsetof", "stringof", "xlate", "$target", "$pid",
		"$ppid", "$uid", "$gid", "$sid" };
	struct offering own = { q, &q->text, NULL };
	size_t line = q->from;
	dtrace_probedesc_t desc;

	if (q->dtp != NULL && lsp_probe_at(&q->text, q->at, &q->from, &q->to)) {
		q->to = q->at;
		if (lsp_pattern(q->text.p + q->from, q->at - q->from, q->dtp, true, &desc))
			(void)dtrace_probe_iter(q->dtp, &desc, offer_probe, q);
		return 0;
	}
	find_prefix(q);
	q->name = strndup(q->text.p + q->from, q->to - q->from);
	if (q->name == NULL || q->name[0] == '\0')
		return 0;
	for (line = q->from; line > 0 && q->text.p[line - 1] != '\n'; line--)
		;
	if (strncmp(q->text.p + line, "#pragma D option", 16) == 0) {
		offer_words(q, pragma, COUNT(pragma));
		return 0;
	}
	lsp_variables(&q->text, offer_declared, &own);
	lsp_declarations(&q->text, offer_declared, &own);
	offer_words(q, inside, COUNT(inside));
	offer_words(q, outside, COUNT(outside));
	for (size_t i = 0; i < COUNT(keywords); i++)
		if (matches(q, keywords[i]))
			put_item(q, keywords[i], ITEM_KEYWORD, "", "");
	if (q->dtp != NULL)
		(void)dtrace_library_iter(q->dtp, offer_library, q);
	return 0;
}

int lsp_complete(struct question *q)
{
	fputs("{\"items\":[", stdout);
	(void)offer_all(q);
	printf("],\"isIncomplete\":%s}\n", q->n >= OFFERS_MAX || q->n == 0 ? "true" : "false");
	return 0;
}

/* ---- what it is ---- */

static void put_hover(struct question *q, const char *code, const char *doc)
{
	char *text = NULL;

	q->found = true;
	if (asprintf(&text, "```d\n%s\n```\n%s", code, doc) < 0)
		text = NULL;
	fputs("{\"contents\":{\"kind\":\"markdown\",\"value\":", stdout);
	json_text(stdout, text != NULL ? text : code);
	fputs("},\"range\":", stdout);
	lsp_put_range(stdout, &q->text, q->from, q->to);
	puts("}");
	free(text);
}

static int hover_word(dtrace_hdl_t *dtp, const dtrace_word_t *word, void *arg)
{
	struct question *q = arg;
	char doc[1024];

	(void)dtp;
	if (strcmp(word->dtw_name, q->name) != 0)
		return 0;
	snprintf(doc, sizeof(doc), "%s%s%s%s", word->dtw_here ? "" : "Not on Linux: ", word->dtw_doc,
	    word->dtw_range[0] != '\0' ? "; " : "", word->dtw_range);
	put_hover(q, word->dtw_form, doc);
	return 1;
}

struct counted { unsigned n; dtrace_probedesc_t first; };

static int count_probe(dtrace_hdl_t *dtp, const dtrace_probedesc_t *p, void *arg)
{
	struct counted *c = arg;

	(void)dtp;
	if (c->n++ == 0)
		c->first = *p;
	return 0;
}

/* How many probes a description means, and the arguments of the first one. */
static bool hover_probe(struct question *q)
{
	struct counted c = { 0 };
	dtrace_probedesc_t desc;
	dtrace_probeinfo_t info;
	char doc[2048], name[256], first[DTRACE_DESC2STR_MAX];
	int len;

	if (!lsp_pattern(q->text.p + q->from, q->to - q->from, q->dtp, false, &desc) ||
	    (q->name = strndup(q->text.p + q->from, q->to - q->from)) == NULL)
		return false;
	(void)dtrace_probe_iter(q->dtp, &desc, count_probe, &c);
	len = snprintf(doc, sizeof(doc), c.n == 0 ? "no probe of that name is here" : c.n == 1 ? "one probe" :
	    "%u probes", c.n);
	if (c.n > 0 && dtrace_probe_info(q->dtp, &c.first, &info) == 0) {
		c.first.dtpd_id = 0;
		if (c.n > 1)
			len += snprintf(doc + len, sizeof(doc) - (size_t)len, ", the first is `%s`",
			    dtrace_desc2str(&c.first, first, sizeof(first)));
		for (int i = 0; i < info.dtp_argc && (size_t)len + sizeof(name) + 32 < sizeof(doc); i++)
			len += snprintf(doc + len, sizeof(doc) - (size_t)len, "\n\n`args[%d]` `%s`", i,
			    dtrace_type_name(q->dtp, &info.dtp_argv[i], name, sizeof(name)));
	}
	put_hover(q, q->name, doc);
	return true;
}

static void put_declared(struct question *q, const struct lsp_search *s, const char *doc)
{
	char *code = strndup(s->of->p + s->found.from, s->found.to - s->found.from);

	put_hover(q, code != NULL ? code : q->name, doc);
	free(code);
}

static int hover_library(dtrace_hdl_t *dtp, const char *path, const char *text, void *arg)
{
	struct question *q = arg;
	struct lsp_text t = { text, strlen(text), true };
	struct lsp_search s = { .q = q, .of = &t };
	char doc[600];

	(void)dtp;
	lsp_declarations(&t, lsp_is_wanted, &s);
	if (!q->found)
		return 0;
	snprintf(doc, sizeof(doc), "declared in %s", path);
	put_declared(q, &s, doc);
	return 1;
}

static void hover_own(struct question *q)
{
	struct lsp_search s = { .q = q, .of = &q->text };

	lsp_declarations(&q->text, lsp_is_wanted, &s);
	if (q->found)
		put_declared(q, &s, "declared in this program");
}

int lsp_hover(struct question *q)
{
	static const char *const lists[] = { "variables", "functions", "actions", "aggregations", "options",
		"providers" };

	if (q->dtp != NULL && lsp_probe_at(&q->text, q->at, &q->from, &q->to)) {
		q->found = hover_probe(q);
	} else if (q->dtp != NULL && lsp_find_word(q)) {
		hover_own(q);
		for (size_t i = 0; i < COUNT(lists) && !q->found && !q->member; i++)
			(void)dtrace_word_iter(q->dtp, lists[i], hover_word, q);
		if (!q->found)
			(void)dtrace_library_iter(q->dtp, hover_library, q);
	}
	if (!q->found)
		puts("null");
	return 0;
}

