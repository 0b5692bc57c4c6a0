/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The server: messages with their length before them, the texts that are open, and what is wrong in them,
 * which is looked for when the user pauses. Nothing else is written to standard output.
 */
#include "lsp.h"

#include "base.h"
#include "web_json.h"
#include "wire/json_walk.h"
#include "worker_process.h"

#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PAUSE_MS = 250, MESSAGE_MAX = 64 << 20, HEAD_MAX = 4096 };
enum { NOT_JSON = -32700, BAD_REQUEST = -32600, NO_METHOD = -32601, BAD_PARAMS = -32602, FAILED = -32603,
	TOO_EARLY = -32002 };

struct document { char *uri, *text; size_t len; long version; bool changed; };

struct lsp {
	const struct args *w;
	char *in;			/* what was read and not taken yet */
	size_t n, cap;
	struct document *doc;
	size_t ndocs;
	bool bytes;			/* columns are bytes: the client can do that */
	bool begun, down, ended;
};

struct message { const char *text; size_t len; const char *id; size_t idlen; };

/* ---- messages ---- */

static void send_text(const char *text, size_t len)
{
	printf("Content-Length: %zu\r\n\r\n", len);
	fwrite(text, 1, len, stdout);
	fflush(stdout);
}

/* What f writes, as a message. */
static void send_message(void (*f)(FILE *, const void *), const void *ctx)
{
	char *text = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&text, &len);

	if (out != NULL) {
		fputs("{\"jsonrpc\":\"2.0\",", out);
		f(out, ctx);
		putc('}', out);
		if (fclose(out) == 0)
			send_text(text, len);
	}
	free(text);
}

struct reply { const struct message *m; const char *result; int code; const char *why; };

static void put_reply(FILE *f, const void *ctx)
{
	const struct reply *r = ctx;

	fprintf(f, "\"id\":%.*s,", (int)(r->m->idlen != 0 ? r->m->idlen : 4), r->m->idlen != 0 ? r->m->id :
	    "null");
	if (r->result != NULL) {
		fprintf(f, "\"result\":%s", r->result);
		return;
	}
	fprintf(f, "\"error\":{\"code\":%d,\"message\":", r->code);
	json_text(f, r->why);
	putc('}', f);
}

static void answer(const struct message *m, const char *result)
{
	send_message(put_reply, &(struct reply){ m, result, 0, NULL });
}

static void refuse(const struct message *m, int code, const char *why)
{
	send_message(put_reply, &(struct reply){ m, NULL, code, why });
}

/* Texts are copies, to be freed. */
static char *text_at(const struct message *m, const char *where)
{
	const char *value;
	size_t n;

	return dt_json_find(m->text, m->len, where, &value, &n) ? dt_json_unquote(value, n) : NULL;
}

static bool number_at(const struct message *m, const char *where, long *number)
{
	const char *value;
	size_t n;
	char digits[24];

	if (!dt_json_find(m->text, m->len, where, &value, &n) || n >= sizeof(digits))
		return false;
	snprintf(digits, sizeof(digits), "%.*s", (int)n, value);
	*number = strtol(digits, NULL, 10);
	return digits[0] == '-' || (digits[0] >= '0' && digits[0] <= '9');
}

/* ---- texts ---- */

static struct document *document_of(struct lsp *l, const char *uri)
{
	for (size_t i = 0; i < l->ndocs && uri != NULL; i++)
		if (strcmp(l->doc[i].uri, uri) == 0)
			return &l->doc[i];
	return NULL;
}

static void close_document(struct lsp *l, struct document *d)
{
	free(d->uri);
	free(d->text);
	*d = l->doc[--l->ndocs];
}

/* Takes uri and text over; the text that was there before is freed. */
static void set_document(struct lsp *l, char *uri, char *text, long version)
{
	struct document *d = document_of(l, uri), *more;

	if (d == NULL && uri != NULL && strchr(uri, '\n') == NULL && text != NULL &&
	    (more = realloc(l->doc, (l->ndocs + 1) * sizeof(*more))) != NULL) {
		l->doc = more;
		d = &more[l->ndocs++];
		*d = (struct document){ .uri = uri };
		uri = NULL;
	}
	free(uri);
	if (d == NULL || text == NULL) {
		free(text);
		return;
	}
	free(d->text);
	d->text = text;
	d->len = strlen(text);
	d->version = version;
	d->changed = true;
}

/* ---- questions ---- */

/* A worker's answer; NULL: it took too long, or something failed. */
static char *ask(const struct lsp *l, const struct document *d, const char *mode, long line, long column)
{
	char *input = NULL, *got;
	int len = asprintf(&input, "%s %ld %ld\n%s\n%s", l->bytes ? "bytes" : "utf16", line, column, d->uri,
	    d->text);

	got = len >= 0 ? child_ask(l->w, mode, NULL, input, (size_t)len) : NULL;
	if (len >= 0)
		free(input);
	return got;
}

struct wrong { const struct document *d; const char *list; };

static void put_diagnostics(FILE *f, const void *ctx)
{
	const struct wrong *w = ctx;

	fputs("\"method\":\"textDocument/publishDiagnostics\",\"params\":{\"uri\":", f);
	json_text(f, w->d->uri);
	fprintf(f, ",\"version\":%ld,\"diagnostics\":%s}", w->d->version, w->list);
}

static void check_documents(struct lsp *l)
{
	for (size_t i = 0; i < l->ndocs; i++) {
		char *list = l->doc[i].changed ? ask(l, &l->doc[i], "lsp-check", 0, 0) : NULL;

		if (list != NULL && list[0] == '[')
			send_message(put_diagnostics, &(struct wrong){ &l->doc[i], list });
		free(list);
		l->doc[i].changed = false;
	}
}

static void question(struct lsp *l, const struct message *m, const char *mode)
{
	char *uri = text_at(m, "/params/textDocument/uri"), *got;
	const struct document *d = document_of(l, uri);
	long line = 0, column = 0;
	bool placed = number_at(m, "/params/position/line", &line) &&
	    number_at(m, "/params/position/character", &column) && line >= 0 && column >= 0;

	free(uri);
	if (d == NULL || (!placed && strcmp(mode, "lsp-symbols") != 0)) {
		refuse(m, BAD_PARAMS, d == NULL ? "this text is not open" : "there is no position");
		return;
	}
	got = ask(l, d, mode, line, column);
	if (got != NULL && got[0] != '\0')
		answer(m, got);
	else
		refuse(m, FAILED, "no answer: it took too long, or there is no memory");
	free(got);
}

/* ---- requests ---- */

static void initialize(struct lsp *l, const struct message *m)
{
	const char *list;
	char result[1024];
	size_t n;

	l->begun = true;
	l->bytes = dt_json_find(m->text, m->len, "/params/capabilities/general/positionEncodings", &list,
	    &n) && memmem(list, n, "\"utf-8\"", 7) != NULL;
	snprintf(result, sizeof(result), "{\"capabilities\":{\"positionEncoding\":\"%s\","
	    "\"textDocumentSync\":{\"openClose\":true,\"change\":1},"
	    "\"completionProvider\":{\"triggerCharacters\":[\":\",\">\",\"@\",\"$\"]},"
	    "\"hoverProvider\":true,\"definitionProvider\":true,\"documentSymbolProvider\":true},"
	    "\"serverInfo\":{\"name\":\"dtrace\",\"version\":\"%s\"}}", l->bytes ? "utf-8" : "utf-16",
	    _dtrace_version);
	answer(m, result);
}

static void opened(struct lsp *l, const struct message *m)
{
	long version = 0;

	(void)number_at(m, "/params/textDocument/version", &version);
	set_document(l, text_at(m, "/params/textDocument/uri"), text_at(m, "/params/textDocument/text"),
	    version);
}

/* All of the text comes each time; of several changes the last one counts. */
static void changed(struct lsp *l, const struct message *m)
{
	char where[64], *text = NULL, *newer;
	long version = 0;

	for (unsigned i = 0;; i++) {
		snprintf(where, sizeof(where), "/params/contentChanges/%u/text", i);
		if ((newer = text_at(m, where)) == NULL)
			break;
		free(text);
		text = newer;
	}
	(void)number_at(m, "/params/textDocument/version", &version);
	set_document(l, text_at(m, "/params/textDocument/uri"), text, version);
}

static void closed(struct lsp *l, const struct message *m)
{
	char *uri = text_at(m, "/params/textDocument/uri");
	struct document *d = document_of(l, uri);

	if (d != NULL) {
		send_message(put_diagnostics, &(struct wrong){ d, "[]" });
		close_document(l, d);
	}
	free(uri);
}

static void complete(struct lsp *l, const struct message *m) { question(l, m, "lsp-complete"); }
static void hover(struct lsp *l, const struct message *m) { question(l, m, "lsp-hover"); }
static void define(struct lsp *l, const struct message *m) { question(l, m, "lsp-define"); }
static void symbols(struct lsp *l, const struct message *m) { question(l, m, "lsp-symbols"); }

static void shut_down(struct lsp *l, const struct message *m)
{
	l->down = true;
	answer(m, "null");
}

static void leave(struct lsp *l, const struct message *m)
{
	(void)m;
	l->ended = true;
}

static void nothing(struct lsp *l, const struct message *m)
{
	(void)l;
	(void)m;
}

static const struct { const char *name; void (*f)(struct lsp *, const struct message *); } methods[] = {
	{ "initialize", initialize }, { "initialized", nothing }, { "shutdown", shut_down },
	{ "exit", leave },
	{ "textDocument/didOpen", opened }, { "textDocument/didChange", changed },
	{ "textDocument/didClose", closed }, { "textDocument/didSave", nothing },
	{ "textDocument/completion", complete }, { "textDocument/hover", hover },
	{ "textDocument/definition", define }, { "textDocument/documentSymbol", symbols },
};

/* Notifications have no id and get no answer, whatever they are. */
static void take_message(struct lsp *l, const char *text, size_t len)
{
	struct message m = { .text = text, .len = len };
	char *method = text_at(&m, "/method");
	bool request = dt_json_find(text, len, "/id", &m.id, &m.idlen);
	size_t i = 0;

	while (method != NULL && i < COUNT(methods) && strcmp(methods[i].name, method) != 0)
		i++;
	if (method == NULL)
		refuse(&m, NOT_JSON, "this is no message");
	else if (strcmp(method, "exit") == 0)
		leave(l, &m);
	else if (!l->begun && strcmp(method, "initialize") != 0)
		request ? refuse(&m, TOO_EARLY, "initialize comes first") : (void)0;
	else if (l->down)
		request ? refuse(&m, BAD_REQUEST, "after shutdown comes exit") : (void)0;
	else if (i < COUNT(methods))
		methods[i].f(l, &m);
	else if (request)
		refuse(&m, NO_METHOD, "this server has no such method");
	free(method);
}

/* ---- input ---- */

/* The length of the first message and of its head; false: not all of it is there. */
static bool message_in(struct lsp *l, size_t *head, size_t *len)
{
	static const char name[] = "content-length:";
	const char *end = memmem(l->in, l->n, "\r\n\r\n", 4);

	*len = SIZE_MAX;
	if (end == NULL) {
		l->ended |= l->n > HEAD_MAX;
		return false;
	}
	*head = (size_t)(end - l->in) + 4;
	for (char *p = l->in; p < end; p = (char *)memmem(p, (size_t)(end + 2 - p), "\r\n", 2) + 2)
		if (strncasecmp(p, name, sizeof(name) - 1) == 0)
			*len = strtoul(p + sizeof(name) - 1, NULL, 10);
	l->ended |= *len > MESSAGE_MAX;			/* where the next one begins is not known */
	return !l->ended && l->n - *head >= *len;
}

static bool read_more(struct lsp *l)
{
	ssize_t got;

	if (l->cap - l->n < 65536) {
		char *more = realloc(l->in, l->cap + (l->cap < 1 << 20 ? 1 << 20 : l->cap) + 1);

		if (more == NULL)
			return false;
		l->in = more;
		l->cap += l->cap < 1 << 20 ? 1 << 20 : l->cap;
	}
	got = read(STDIN_FILENO, l->in + l->n, l->cap - l->n);
	if (got < 0 && errno == EINTR)
		return true;
	l->n += got > 0 ? (size_t)got : 0;
	l->in[l->n] = '\0';
	return got > 0;
}

/* The user pauses: nothing comes for a while. */
static bool is_quiet(void)
{
	struct pollfd p = { .fd = STDIN_FILENO, .events = POLLIN };

	return poll(&p, 1, PAUSE_MS) == 0;
}

static bool any_changed(const struct lsp *l)
{
	for (size_t i = 0; i < l->ndocs; i++)
		if (l->doc[i].changed)
			return true;
	return false;
}

int lsp_serve(const struct args *w)
{
	struct lsp l = { .w = w };
	size_t len, head;

	while (!l.ended) {
		if (l.n > 0 && message_in(&l, &head, &len)) {
			take_message(&l, l.in + head, len);
			l.n -= head + len;
			memmove(l.in, l.in + head + len, l.n + 1);
		} else if (!l.ended && any_changed(&l) && is_quiet()) {
			check_documents(&l);
		} else if (!l.ended && !read_more(&l)) {
			break;
		}
	}
	while (l.ndocs > 0)
		close_document(&l, &l.doc[0]);
	free(l.doc);
	free(l.in);
	return l.down ? 0 : 1;
}
