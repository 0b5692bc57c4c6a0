/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * HTTP in, calls of the server out. A request is answered if it comes with the token, to a name of ours, and
 * from no other page than ours: so neither another user of the machine nor a site that the user visits can
 * trace. Everything that changes something is a POST. Each connection has a thread of its own, so one that
 * is slow delays no other.
 */
#include "server.h"

#include "base.h"
#include "connection.h"
#include "signals.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define NO_PROCESS "A process is given by its number.\n"

typedef void answer_f(struct server *, struct connection *);

static void say(struct connection *c, int status, const char *text)
{
	connection_send(c, status, status == 200 ? "application/json" : "text/plain; charset=utf-8", text,
	    strlen(text));
}

/* Sends JSON of a worker; NULL: it could not be made. */
static void say_json(struct connection *c, char *json)
{
	say(c, json != NULL ? 200 : 500, json != NULL ? json : "There is no answer.\n");
	free(json);
}

/* ---- who may ask ---- */

/* Takes as long for a token that is nearly right. */
static bool same_token(const struct server *s, const char *given)
{
	unsigned char diff = 0;

	if (given == NULL || strlen(given) != TOKEN_LEN)
		return false;
	for (size_t i = 0; i < TOKEN_LEN; i++)
		diff |= (unsigned char)(given[i] ^ s->token[i]);
	return diff == 0;
}

static bool our_host(const struct server *s, const char *host)
{
	return dt_http_is_local(host, s->listener.port) || (!s->listener.local && dt_http_is_number(host));
}

static bool our_page(const struct dt_http_request *r, const char *host)
{
	const char *origin = dt_http_field(r, "Origin"), *site = dt_http_field(r, "Sec-Fetch-Site");

	if (origin != NULL && (strncmp(origin, "http://", 7) != 0 || strcmp(origin + 7, host) != 0))
		return false;
	return site == NULL || strcmp(site, "same-origin") == 0 || strcmp(site, "none") == 0;
}

/* A POST has the token in a header, which a form of another page cannot send. */
static const char *refusal(const struct server *s, const struct dt_http_request *r)
{
	bool post = strcmp(r->method, "POST") == 0;
	const char *host = dt_http_field(r, "Host");

	if (!our_host(s, host))
		return "This is not the name of the server.\n";
	if (!our_page(r, host))
		return "Only the server's own page may ask.\n";
	if (!same_token(s, post ? dt_http_field(r, "X-Token") : dt_http_arg(r, "token")))
		return "The token is missing or wrong: the address that dtrace has printed has it.\n";
	return NULL;
}

/* ---- answers ---- */

static void get_page(struct server *s, struct connection *c)
{
	(void)s;
	connection_send(c, 200, "text/html; charset=utf-8", page_begin, (size_t)(page_end - page_begin));
}

static void get_events(struct server *s, struct connection *c)
{
	struct hub_reader reader = { .trace = UINT32_MAX };
	char part[64 << 10];
	long n;

	connection_begin_stream(c, "text/event-stream");
	while ((n = hub_read(&s->hub, &reader, part, sizeof(part))) >= 0)
		if (!connection_send_part(c, part, (size_t)n))
			break;
	connection_end_stream(c);
	free(reader.text);
}

/* Hosts compile programs themselves, with their own probes and types: what this one lacks is irrelevant. */
static bool over_hosts(const struct server *s) { return s->args->hosts != NULL; }

static void get_gallery(struct server *s, struct connection *c)
{
	say_json(c, child_ask(s->args, "gallery", NULL, "", 0));
}

static void get_words(struct server *s, struct connection *c)
{
	say_json(c, child_ask(s->args, "words", NULL, "", 0));
}

static void get_machine(struct server *s, struct connection *c)
{
	if (over_hosts(s))
		say(c, 200, "[]");
	else
		say_json(c, child_ask(s->args, "machine", NULL, "", 0));
}

/* The process that $target is; NULL: the one of the command line, if there is one. False: it is no number. */
static bool read_process(const struct dt_http_request *r, const char **pid)
{
	*pid = dt_http_arg(r, "pid");
	return *pid == NULL ||
	    ((*pid)[0] != '\0' && strspn(*pid, "0123456789") == strlen(*pid) && strlen(*pid) < 10);
}

static void ask_worker(struct server *s, struct connection *c, const char *mode)
{
	const char *pid;

	if (!read_process(&c->http.request, &pid))
		say(c, 400, NO_PROCESS);
	else
		say_json(c, child_ask(s->args, mode, pid, c->body, c->len));
}

/* What can follow at a place of a text, and what stands there: the body is that of the workers of --lsp. */
static void post_complete(struct server *s, struct connection *c)
{
	ask_worker(s, c, "lsp-complete");
}

static void post_hover(struct server *s, struct connection *c)
{
	ask_worker(s, c, "lsp-hover");
}

static void post_refusal(struct server *s, struct connection *c)
{
	if (over_hosts(s))
		say(c, 200, "{\"why\":\"\",\"lacks\":\"\"}");
	else
		ask_worker(s, c, "refusal");
}

static void post_check(struct server *s, struct connection *c)
{
	if (over_hosts(s))
		say(c, 200, "{}");
	else
		ask_worker(s, c, "check");
}

static void post_run(struct server *s, struct connection *c)
{
	const char *pid;

	if (!read_process(&c->http.request, &pid))
		say(c, 400, NO_PROCESS);
	else if (pid != NULL && over_hosts(s))
		say(c, 400, "A process of which host? Write its name in a predicate: "
		    "/execname == \"...\"/.\n");
	else if (server_begin(s, pid, c->body, c->len) != 0)
		say(c, 500, "The trace could not be started.\n");
	else
		say(c, 200, "{}");
}

static void post_stop(struct server *s, struct connection *c)
{
	server_end(s);
	say(c, 200, "{}");
}

static const struct { const char *method, *path; answer_f *answer; } routes[] = {
	{ "GET", "/", get_page }, { "GET", "/events", get_events }, { "GET", "/stream", stream_answer },
	{ "GET", "/gallery", get_gallery }, { "GET", "/machine", get_machine },
	{ "GET", "/words", get_words }, { "POST", "/complete", post_complete },
	{ "POST", "/hover", post_hover }, { "POST", "/check", post_check },
	{ "POST", "/refusal", post_refusal },
	{ "POST", "/run", post_run }, { "POST", "/stop", post_stop },
};

static answer_f *find_route(const struct dt_http_request *r)
{
	for (size_t i = 0; i < COUNT(routes); i++)
		if (strcmp(routes[i].path, r->path) == 0 && strcmp(routes[i].method, r->method) == 0)
			return routes[i].answer;
	return NULL;
}

/* Nothing of a body is read before its sender has shown the token. */
static void answer(struct server *s, struct connection *c, struct place *place)
{
	const char *why = refusal(s, &c->http.request);
	answer_f *f = find_route(&c->http.request);

	if (why != NULL)
		say(c, 403, why);
	else if (!connections_authenticate(&s->connections, place))
		say(c, 503, "Too many pages look at this trace.\n");
	else if (c->http.request.length > MAX_BODY)
		say(c, 413, "A program has at most 256 KB.\n");
	else if (f == NULL)
		say(c, 404, "There is nothing here.\n");
	else if (connection_read_body(c))
		f(s, c);
}

/* ---- connections ---- */

struct job { struct server *server; struct place *place; struct connection *connection; };

static void *serve_connection(void *arg)
{
	struct job v = *(struct job *)arg;

	free(arg);
	while (connection_next(v.connection))
		answer(v.server, v.connection, v.place);
	connection_finish(v.connection);
	connections_remove(&v.server->connections, v.place);	/* the server may be gone after this */
	connection_close(v.connection);
	return NULL;
}

/* ---- the server ---- */

/* The page says its policy, with the hashes of its script and style; what only a header can say is added. */
static void read_policy(struct server *s)
{
	static const char mark[] = "http-equiv=\"Content-Security-Policy\" content=\"";
	size_t n = (size_t)(page_end - page_begin);
	const char *p = memmem(page_begin, n, mark, sizeof(mark) - 1), *end;

	end = p != NULL ? memchr(p + sizeof(mark) - 1, '"', 400) : NULL;
	snprintf(s->policy, sizeof(s->policy), "%.*s%sframe-ancestors 'none'",
	    end != NULL ? (int)(end - p - (ptrdiff_t)sizeof(mark) + 1) : 0,
	    end != NULL ? p + sizeof(mark) - 1 : "",
	    end != NULL ? "; " : "default-src 'none'; ");
}

/* What every answer says. */
static void make_headers(struct server *s)
{
	read_policy(s);
	snprintf(s->headers, sizeof(s->headers), "Content-Security-Policy: %s\r\n"
	    "X-Content-Type-Options: nosniff\r\nX-Frame-Options: DENY\r\nReferrer-Policy: no-referrer\r\n"
	    "Cross-Origin-Resource-Policy: same-origin\r\nCross-Origin-Opener-Policy: same-origin\r\n"
	    "Cache-Control: no-store\r\n", s->policy);
}

/* A connection that cannot be served is closed. */
static void begin_connection(struct server *s, int fd)
{
	struct place *place = connections_add(&s->connections, fd);
	struct connection *c = place != NULL ? connection_new(fd, s->headers) : NULL;
	struct job *v = c != NULL ? malloc(sizeof(*v)) : NULL;
	pthread_t thread;

	if (v != NULL) {
		*v = (struct job){ s, place, c };
		if (pthread_create(&thread, NULL, serve_connection, v) == 0) {
			pthread_detach(thread);
			return;
		}
	}
	if (place != NULL)
		connections_remove(&s->connections, place);
	if (c != NULL)
		connection_close(c);
	else
		close(fd);
	free(v);
}

/* Until a signal comes, which a thread of a connection may get. */
static void accept_all(struct server *s, int socket)
{
	while (!signals_interrupted()) {
		int fd = poll(&(struct pollfd){ .fd = socket, .events = POLLIN }, 1, 200) == 1 ?
		    accept4(socket, NULL, NULL, SOCK_CLOEXEC) : -1;

		if (fd >= 0)
			begin_connection(s, fd);
		else if (errno == EMFILE || errno == ENFILE || errno == ENOMEM)
			(void)poll(NULL, 0, 100);
		errno = 0;
	}
}

int http_listen(struct server *s)
{
	const char *where = s->args->listen != NULL ? s->args->listen : "";
	int err = dt_http_listen(where, &s->listener);

	if (err == -EINVAL) {
		fprintf(stderr, "dtrace-web: --web=%s is no address in numbers: " DT_HTTP_WHERE "\n", where);
		return 2;
	}
	if (err != 0) {
		fprintf(stderr, "dtrace-web: cannot listen at %s: %s\n", where, strerror(-err));
		return 1;
	}
	make_headers(s);
	return 0;
}

int http_serve(struct server *s)
{
	printf("http://%s/?token=%s\n", s->listener.name, s->token);
	fflush(stdout);
	accept_all(s, s->listener.fd);
	close(s->listener.fd);
	hub_stop(&s->hub);
	blocks_stop(&s->blocks);
	hosts_stop(&s->hosts);
	connections_end(&s->connections);
	return 0;
}
