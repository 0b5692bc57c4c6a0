/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Answers to an editor. What is right the compiler says; words and probes are the rows that the library works
 * by; where something is declared is found in the text itself and in the D libraries.
 */
#include "lsp.h"

#include "base.h"
#include "lsp_question.h"
#include "web_json.h"
#include "worker.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* numbers of the protocol */
enum { IS_ERROR = 1, IS_WARNING, SYMBOL_VARIABLE = 13, SYMBOL_STRUCT = 23, SYMBOL_EVENT };

/* ---- for all ---- */

/* self->x is a name as a whole. */
bool lsp_find_word(struct question *q)
{
	const char *p = q->text.p;
	struct lsp_token k;

	if (!lsp_name_at(&q->text, q->at, &k))
		return false;
	q->from = k.at;
	q->to = k.at + k.len;
	if (k.at >= 6 && (memcmp(p + k.at - 6, "self->", 6) == 0 || memcmp(p + k.at - 6, "this->", 6) == 0))
		q->from -= 6;
	else
		q->member = (k.at > 0 && p[k.at - 1] == '.') ||
		    (k.at > 1 && memcmp(p + k.at - 2, "->", 2) == 0);
	q->name = strndup(p + q->from, q->to - q->from);
	return q->name != NULL;
}

/* A clause is no name; of a variable the first assignment is shown. */
bool lsp_is_wanted(void *ctx, const struct lsp_declared *d)
{
	struct lsp_search *s = ctx;

	if (strcmp(d->what, "clause") == 0 || d->len != strlen(s->q->name) ||
	    (strcmp(d->what, "member") == 0) != s->q->member ||
	    memcmp(s->of->p + d->at, s->q->name, d->len) != 0)
		return true;
	s->found = *d;
	s->q->found = true;
	return false;
}

bool lsp_pattern(const char *text, size_t len, dtrace_hdl_t *dtp, bool open, dtrace_probedesc_t *desc)
{
	char pattern[DTRACE_DESC2STR_MAX];
	unsigned colons = 0;
	int n = snprintf(pattern, sizeof(pattern), "%.*s%s", (int)len, text, open ? "*" : "");

	for (size_t i = 0; i < len; i++)
		colons += text[i] == ':';
	for (; open && colons < 3 && n > 0 && (size_t)n + 2 < sizeof(pattern); colons++, n += 2)
		memcpy(pattern + n, ":*", 3);
	return n > 0 && (size_t)n < sizeof(pattern) &&
	    dtrace_str2desc(dtp, DTRACE_PROBESPEC_NAME, pattern, desc) == 0;
}

/* ---- what is wrong ---- */

/* Flags of the first line, as in #!/usr/sbin/dtrace -Cs, that change what is right. */
static void take_flags(dtrace_hdl_t *dtp, const char *text)
{
	size_t len = strcspn(text, "\n");
	const char *p = memchr(text, ' ', len);

	if (strncmp(text, "#!", 2) != 0 || p == NULL)
		return;
	for (; p < text + len; p++) {
		if (p[0] == 'C' && (p[-1] == '-' || p[-1] == 's' || p[-1] == 'q' || p[-1] == 'F'))
			(void)dtrace_setopt(dtp, "cpp", NULL);
		else if (p[0] == 'Z')
			(void)dtrace_setopt(dtp, "zdefs", NULL);
	}
}

/* The place that an excerpt points at: "  NAME:LINE:COLUMN |", and ^~~~ below. */
static void error_place(const struct question *q, const char *msg, const char *excerpt, size_t *from,
    size_t *to)
{
	const char *bar = strchr(excerpt, '|'), *caret = strchr(excerpt, '^'), *p = bar;
	struct lsp_text bytes = { q->text.p, q->text.len, true };
	unsigned line = 0, column = 0;

	*from = *to = 0;
	for (int colons = 0; p != NULL && p > excerpt; p--)
		if (*p == ':' && ++colons == 2)
			break;
	if (bar == NULL && sscanf(msg, "line %u:", &line) == 1) {	/* behind the last line */
		*from = *to = lsp_offset(&bytes, line > 0 ? line - 1 : 0, 0);
		return;
	}
	if (caret == NULL || p == NULL || sscanf(p, ":%u:%u", &line, &column) != 2 || line == 0 ||
	    column == 0)
		return;
	*from = lsp_offset(&bytes, line - 1, column - 1);
	*to = *from + 1 + strspn(caret + 1, "~");
}

/* "did you mean `execname`?", behind the caret. */
static const char *error_hint(const char *excerpt)
{
	const char *caret = strchr(excerpt, '^');

	return caret != NULL ? caret + 1 + strspn(caret + 1, "~") : "";
}

static void put_error(struct question *q, int severity)
{
	const char *msg = dtrace_errmsg(q->dtp, dtrace_errno(q->dtp)), *code = NULL, *end;
	const char *excerpt = dtrace_errexcerpt(q->dtp), *hint = error_hint(excerpt);
	size_t from, to;
	char *all = NULL;

	if (msg[0] == '[' && (end = strchr(msg, ']')) != NULL) {
		code = msg + 1;
		msg = end + 1 + (end[1] == ' ');
	}
	error_place(q, msg, excerpt, &from, &to);
	printf("%s{\"range\":", q->n++ != 0 ? "," : "");
	lsp_put_range(stdout, &q->text, from, to);
	printf(",\"severity\":%d,\"source\":\"dtrace\"", severity);
	if (code != NULL) {
		fputs(",\"code\":", stdout);
		json_string(stdout, code, strcspn(code, "]"));
	}
	if (strncmp(msg, "line ", 5) == 0 && (end = strchr(msg, ':')) != NULL)
		msg = end + 1 + (end[1] == ' ');
	fputs(",\"message\":", stdout);
	if (asprintf(&all, "%s%.*s", msg, (int)strcspn(hint, "\n"), hint) < 0)
		all = NULL;
	json_text(stdout, all != NULL ? all : msg);
	free(all);
	putchar('}');
}

/*
 * A probe that is not here now may be there when the program runs: that is a warning, and the rest is looked
 * at as -Z would. $target is this process, where another one will be.
 */
static int check(struct question *q)
{
	putchar('[');
	if (q->dtp == NULL || strspn(q->text.p, " \t\r\n") == q->text.len) {
		puts("]");
		return 0;
	}
	take_flags(q->dtp, q->text.p);
	(void)dtrace_setopt(q->dtp, "errtags", NULL);
	if (q->w->pid == NULL && strstr(q->text.p, "$target") != NULL)
		(void)dtrace_proc_grab(q->dtp, getppid(), 0);
	if (worker_program(q->w, q->dtp, q->text.p) == NULL) {
		bool missing = strstr(dtrace_errmsg(q->dtp, dtrace_errno(q->dtp)), "[D_PDESC_ZERO]") != NULL;

		put_error(q, missing ? IS_WARNING : IS_ERROR);
		if (missing && dtrace_setopt(q->dtp, "zdefs", NULL) == 0 &&
		    worker_program(q->w, q->dtp, q->text.p) == NULL)
			put_error(q, IS_ERROR);
	}
	puts("]");
	return 0;
}

/* ---- where it is declared ---- */

/* A library of ours is in no file: the user's cache gets one, so that an editor can show it. */
static char *library_file(const char *path, const char *text)
{
	const char *home = getenv("HOME"), *cache = getenv("XDG_CACHE_HOME");
	char folder[3072], *file = NULL, *real;
	size_t len = strlen(text);
	int fd;

	if (strchr(path, '/') != NULL) {
		real = realpath(path, NULL);
		return real != NULL ? real : strdup(path);
	}
	if (cache != NULL && cache[0] == '/')
		snprintf(folder, sizeof(folder), "%s/dtrace", cache);
	else
		snprintf(folder, sizeof(folder), "%s/.cache/dtrace", home != NULL ? home : "");
	for (char *p = folder + 1; (p = strchr(p, '/')) != NULL; *p++ = '/') {
		*p = '\0';
		(void)mkdir(folder, 0700);
	}
	(void)mkdir(folder, 0700);
	if (asprintf(&file, "%s/%s", folder, path) < 0)
		return NULL;
	(void)unlink(file);		/* it may be of another version */
	fd = open(file, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0444);
	if (fd < 0 || write(fd, text, len) != (ssize_t)len) {
		free(file);
		file = NULL;
	}
	if (fd >= 0)
		close(fd);
	return file;
}

/* file:///…, where what is no plain letter of a path is written as %XX. */
static void put_file(const char *path)
{
	static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/";

	fputs("\"file://", stdout);
	for (; *path != '\0'; path++)
		printf(strchr(plain, *path) != NULL ? "%c" : "%%%02X", (unsigned char)*path);
	putchar('"');
}

static int define_in_library(dtrace_hdl_t *dtp, const char *path, const char *text, void *arg)
{
	struct question *q = arg;
	struct lsp_text t = { text, strlen(text), q->text.bytes };
	struct lsp_search s = { .q = q, .of = &t };
	char *file;

	(void)dtp;
	lsp_declarations(&t, lsp_is_wanted, &s);
	file = q->found ? library_file(path, text) : NULL;
	if (file != NULL) {
		fputs("{\"uri\":", stdout);
		put_file(file);
		fputs(",\"range\":", stdout);
		lsp_put_range(stdout, &t, s.found.at, s.found.at + s.found.len);
		puts("}");
	} else if (q->found) {
		puts("null");
	}
	free(file);
	return q->found;
}

static int define(struct question *q)
{
	struct lsp_search s = { .q = q, .of = &q->text };

	if (!lsp_find_word(q)) {
		puts("null");
		return 0;
	}
	lsp_declarations(&q->text, lsp_is_wanted, &s);
	if (!q->found)
		lsp_variables(&q->text, lsp_is_wanted, &s);
	if (q->found) {
		fputs("{\"uri\":", stdout);
		json_text(stdout, q->uri);
		fputs(",\"range\":", stdout);
		lsp_put_range(stdout, &q->text, s.found.at, s.found.at + s.found.len);
		puts("}");
	} else if (q->dtp != NULL) {
		(void)dtrace_library_iter(q->dtp, define_in_library, q);
	}
	if (!q->found)
		puts("null");
	return 0;
}

/* ---- what there is ---- */

static bool put_symbol(void *ctx, const struct lsp_declared *d)
{
	struct question *q = ctx;

	if (strcmp(d->what, "enumerator") == 0 || strcmp(d->what, "member") == 0)
		return true;
	printf("%s{\"name\":", q->n++ != 0 ? "," : "");
	json_string(stdout, q->text.p + d->at, d->len < 200 ? d->len : 200);
	printf(",\"detail\":\"%s\",\"kind\":%d,\"range\":", d->what,
	    strcmp(d->what, "clause") == 0 ? SYMBOL_EVENT :
	    strcmp(d->what, "inline") == 0 ? SYMBOL_VARIABLE : SYMBOL_STRUCT);
	lsp_put_range(stdout, &q->text, d->from, d->to);
	fputs(",\"selectionRange\":", stdout);
	lsp_put_range(stdout, &q->text, d->at, d->at + d->len);
	putchar('}');
	return true;
}

static int symbols(struct question *q)
{
	putchar('[');
	lsp_declarations(&q->text, put_symbol, q);
	puts("]");
	return 0;
}

int lsp_answer(const struct args *w)
{
	static const struct { const char *mode; int (*f)(struct question *); bool asks; } modes[] = {
		{ "lsp-check", check, true }, { "lsp-complete", lsp_complete, true },
		{ "lsp-hover", lsp_hover, true }, { "lsp-define", define, true },
		{ "lsp-symbols", symbols, false },
	};
	char *input = worker_input(), *uri = input != NULL ? strchr(input, '\n') : NULL, how[8] = "";
	char *text = uri != NULL ? strchr(uri + 1, '\n') : NULL;
	struct question q = { .w = w };
	unsigned long line, column;
	int status = 1;

	if (text == NULL || sscanf(input, "%7s %lu %lu", how, &line, &column) != 3) {
		free(input);
		return 2;
	}
	*text = '\0';
	q.uri = uri + 1;
	q.text = (struct lsp_text){ text + 1, strlen(text + 1), strcmp(how, "bytes") == 0 };
	q.at = lsp_offset(&q.text, line, column);
	for (size_t i = 0; i < COUNT(modes); i++) {
		if (strcmp(modes[i].mode, w->worker) != 0)
			continue;
		q.dtp = modes[i].asks ? worker_open_any(w) : NULL;
		status = modes[i].f(&q);
	}
	if (q.dtp != NULL)
		dtrace_close(q.dtp);
	free(q.name);
	free(input);
	return status;
}
