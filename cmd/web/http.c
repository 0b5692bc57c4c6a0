/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * HTTP in, calls of the server out. A request is answered if it comes with the token, to a name of ours, and
 * from no other page than ours: so neither another user of the machine nor a site that somebody visits can
 * trace. Everything that changes something is a POST. Each connection has a thread of its own, so one that
 * is slow makes nobody wait.
 */
#include "server.h"

#include "base.h"
#include "gallery.h"
#include "signals.h"

#include <arpa/inet.h>
#include <microhttpd.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_BODY (256u << 10)
#define NO_PROCESS "A process is given by its number.\n"
#define PATIENCE 30			/* seconds that a connection may do nothing */

struct request {
	char *body;
	size_t len;
	bool too_much;
};

typedef enum MHD_Result answer_f(struct server *, struct MHD_Connection *, struct request *);

static enum MHD_Result send_response(const struct server *s, struct MHD_Connection *c, unsigned status,
    struct MHD_Response *r, const char *type)
{
	enum MHD_Result rv;

	if (r == NULL)
		return MHD_NO;
	MHD_add_response_header(r, "Content-Type", type);
	MHD_add_response_header(r, "Content-Security-Policy", s->policy);
	MHD_add_response_header(r, "X-Content-Type-Options", "nosniff");
	MHD_add_response_header(r, "X-Frame-Options", "DENY");
	MHD_add_response_header(r, "Referrer-Policy", "no-referrer");
	MHD_add_response_header(r, "Cross-Origin-Resource-Policy", "same-origin");
	MHD_add_response_header(r, "Cross-Origin-Opener-Policy", "same-origin");
	MHD_add_response_header(r, "Cache-Control", "no-store");
	rv = MHD_queue_response(c, status, r);
	MHD_destroy_response(r);
	return rv;
}

static enum MHD_Result say(const struct server *s, struct MHD_Connection *c, unsigned status,
    const char *text)
{
	return send_response(s, c, status, MHD_create_response_from_buffer(strlen(text),
	    (void *)(uintptr_t)text, MHD_RESPMEM_MUST_COPY), status == MHD_HTTP_OK ?
	    "application/json" : "text/plain; charset=utf-8");
}

/* JSON that somebody made, or NULL: it could not be made. */
static enum MHD_Result say_json(const struct server *s, struct MHD_Connection *c, char *json)
{
	if (json == NULL)
		return say(s, c, MHD_HTTP_INTERNAL_SERVER_ERROR, "There is no answer.\n");
	return send_response(s, c, MHD_HTTP_OK, MHD_create_response_from_buffer(strlen(json), json,
	    MHD_RESPMEM_MUST_FREE), "application/json");
}

/* ---- who may ask ---- */

static const char *header(struct MHD_Connection *c, const char *name)
{
	return MHD_lookup_connection_value(c, MHD_HEADER_KIND, name);
}

static const char *query(struct MHD_Connection *c, const char *name)
{
	return MHD_lookup_connection_value(c, MHD_GET_ARGUMENT_KIND, name);
}

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

/* A name that somebody else's DNS gives our address is none of ours. An address in numbers cannot be that. */
static bool our_host(const struct server *s, const char *host)
{
	static const char *const names[] = { "127.0.0.1", "localhost", "[::1]" };
	char want[128], address[64] = "";
	unsigned char any[16];

	if (host == NULL)
		return false;
	for (size_t i = 0; i < COUNT(names); i++) {
		snprintf(want, sizeof(want), "%s:%u", names[i], s->port);
		if (strcmp(host, want) == 0)
			return true;
	}
	if (!s->anywhere)
		return false;
	snprintf(address, sizeof(address), "%.*s", (int)strcspn(host, host[0] == '[' ? "]" : ":"),
	    host);
	return inet_pton(AF_INET, address, any) == 1 ||
	    (host[0] == '[' && inet_pton(AF_INET6, address + 1, any) == 1);
}

static bool our_page(struct MHD_Connection *c, const char *host)
{
	const char *origin = header(c, "Origin"), *site = header(c, "Sec-Fetch-Site");

	if (origin != NULL && (strncmp(origin, "http://", 7) != 0 || strcmp(origin + 7, host) != 0))
		return false;
	return site == NULL || strcmp(site, "same-origin") == 0 || strcmp(site, "none") == 0;
}

/* A POST has the token in a header, which a form of another page cannot send. */
static const char *refusal(const struct server *s, struct MHD_Connection *c, bool post)
{
	const char *host = header(c, "Host");

	if (!our_host(s, host))
		return "This is not the name of the server.\n";
	if (!our_page(c, host))
		return "Only the server's own page may ask.\n";
	if (!same_token(s, post ? header(c, "X-Token") : query(c, "token")))
		return "The token is missing or wrong: the address that dtrace has printed has it.\n";
	return NULL;
}

/* ---- answers ---- */

static enum MHD_Result get_page(struct server *s, struct MHD_Connection *c, struct request *r)
{
	(void)r;
	return send_response(s, c, MHD_HTTP_OK, MHD_create_response_from_buffer(
	    (size_t)(page_end - page_begin), (void *)(uintptr_t)page_begin, MHD_RESPMEM_PERSISTENT),
	    "text/html; charset=utf-8");
}

struct stream { struct hub *hub; struct hub_reader reader; };

static ssize_t read_stream(void *arg, uint64_t pos, char *to, size_t max)
{
	struct stream *st = arg;
	long n = hub_read(st->hub, &st->reader, to, max);

	(void)pos;
	return n < 0 ? MHD_CONTENT_READER_END_OF_STREAM : n;
}

static void free_stream(void *arg)
{
	free(((struct stream *)arg)->reader.text);
	free(arg);
}

static enum MHD_Result get_events(struct server *s, struct MHD_Connection *c, struct request *r)
{
	struct stream *st = calloc(1, sizeof(*st));

	(void)r;
	if (st == NULL)
		return MHD_NO;
	st->hub = &s->hub;
	st->reader.trace = UINT32_MAX;
	return send_response(s, c, MHD_HTTP_OK, MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, 64 << 10,
	    read_stream, st, free_stream), "text/event-stream");
}

static enum MHD_Result get_gallery(struct server *s, struct MHD_Connection *c, struct request *r)
{
	(void)r;
	return say_json(s, c, gallery_json());
}

static enum MHD_Result get_words(struct server *s, struct MHD_Connection *c, struct request *r)
{
	(void)r;
	return say_json(s, c, child_ask(s->wish, "words", NULL, "", 0));
}

/* The process that $target is; NULL: the one of the command line, if there is one. False: it is no number. */
static bool read_process(struct MHD_Connection *c, const char **pid)
{
	*pid = query(c, "pid");
	return *pid == NULL ||
	    ((*pid)[0] != '\0' && strspn(*pid, "0123456789") == strlen(*pid) && strlen(*pid) < 10);
}

static enum MHD_Result ask_worker(struct server *s, struct MHD_Connection *c, struct request *r,
    const char *mode)
{
	const char *pid;

	if (!read_process(c, &pid))
		return say(s, c, MHD_HTTP_BAD_REQUEST, NO_PROCESS);
	return say_json(s, c, child_ask(s->wish, mode, pid, r->body != NULL ? r->body : "", r->len));
}

static enum MHD_Result post_probes(struct server *s, struct MHD_Connection *c, struct request *r)
{
	return ask_worker(s, c, r, "probes");
}

static enum MHD_Result post_check(struct server *s, struct MHD_Connection *c, struct request *r)
{
	return ask_worker(s, c, r, "check");
}

static enum MHD_Result post_run(struct server *s, struct MHD_Connection *c, struct request *r)
{
	const char *pid;

	if (!read_process(c, &pid))
		return say(s, c, MHD_HTTP_BAD_REQUEST, NO_PROCESS);
	if (server_begin(s, pid, r->body != NULL ? r->body : "", r->len) != 0)
		return say(s, c, MHD_HTTP_INTERNAL_SERVER_ERROR, "The trace could not be started.\n");
	return say(s, c, MHD_HTTP_OK, "{}");
}

static enum MHD_Result post_stop(struct server *s, struct MHD_Connection *c, struct request *r)
{
	(void)r;
	server_end(s);
	return say(s, c, MHD_HTTP_OK, "{}");
}

static const struct { const char *method, *path; answer_f *answer; } routes[] = {
	{ "GET", "/", get_page }, { "GET", "/events", get_events }, { "GET", "/gallery", get_gallery },
	{ "GET", "/words", get_words }, { "POST", "/probes", post_probes }, { "POST", "/check", post_check },
	{ "POST", "/run", post_run }, { "POST", "/stop", post_stop },
};

static enum MHD_Result answer(struct server *s, struct MHD_Connection *c, const char *path,
    const char *method, struct request *r)
{
	const char *why = refusal(s, c, strcmp(method, "POST") == 0);

	if (why != NULL)
		return say(s, c, MHD_HTTP_FORBIDDEN, why);
	if (r->too_much)
		return say(s, c, MHD_HTTP_CONTENT_TOO_LARGE, "A program has at most 256 KB.\n");
	for (size_t i = 0; i < COUNT(routes); i++)
		if (strcmp(routes[i].path, path) == 0 && strcmp(routes[i].method, method) == 0)
			return routes[i].answer(s, c, r);
	return say(s, c, MHD_HTTP_NOT_FOUND, "There is nothing here.\n");
}

static void add_body(struct request *r, const char *data, size_t n)
{
	char *body = n <= MOST_BODY - r->len ? realloc(r->body, r->len + n + 1) : NULL;

	if (body == NULL) {
		r->too_much = true;
		return;
	}
	memcpy(body + r->len, data, n);
	r->body = body;
	r->len += n;
	body[r->len] = '\0';
}

/* Called once with the headers, then with each part of the body, then when all of it is there. */
static enum MHD_Result on_request(void *arg, struct MHD_Connection *c, const char *path, const char *method,
    const char *version, const char *data, size_t *len, void **state)
{
	struct server *s = arg;
	struct request *r = *state;

	(void)version;
	if (r == NULL) {
		const char *why = refusal(s, c, strcmp(method, "POST") == 0);

		if ((*state = calloc(1, sizeof(*r))) == NULL)
			return MHD_NO;
		if (why != NULL)
			return say(s, c, MHD_HTTP_FORBIDDEN, why);
		return guests_know(&s->guests, c) ? MHD_YES : say(s, c, MHD_HTTP_SERVICE_UNAVAILABLE,
		    "Too many pages look at this trace.\n");
	}
	if (*len != 0) {
		if (!r->too_much)
			add_body(r, data, *len);
		*len = 0;
		return MHD_YES;
	}
	return answer(s, c, path, method, r);
}

static void on_end(void *arg, struct MHD_Connection *c, void **state, enum MHD_RequestTerminationCode why)
{
	struct request *r = *state;

	(void)arg, (void)c, (void)why;
	if (r != NULL)
		free(r->body);
	free(r);
	*state = NULL;
}

/* ---- the daemon ---- */

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

static socklen_t socket_address(const struct server *s, struct sockaddr_storage *to)
{
	struct sockaddr_in *four = (struct sockaddr_in *)to;
	struct sockaddr_in6 *six = (struct sockaddr_in6 *)to;

	*to = (struct sockaddr_storage){ 0 };
	if (inet_pton(AF_INET, s->address, &four->sin_addr) == 1) {
		four->sin_family = AF_INET;
		four->sin_port = htons(s->port);
		return sizeof(*four);
	}
	if (inet_pton(AF_INET6, s->address, &six->sin6_addr) != 1)
		return 0;
	six->sin6_family = AF_INET6;
	six->sin6_port = htons(s->port);
	return sizeof(*six);
}

static struct MHD_Daemon *start(struct server *s, const struct sockaddr_storage *a)
{
	return MHD_start_daemon(MHD_USE_THREAD_PER_CONNECTION | MHD_USE_INTERNAL_POLLING_THREAD |
	    MHD_USE_POLL | (a->ss_family == AF_INET6 ? MHD_USE_IPv6 : 0), s->port, NULL, NULL, on_request, s,
	    MHD_OPTION_SOCK_ADDR, a, MHD_OPTION_NOTIFY_COMPLETED, on_end, NULL,
	    MHD_OPTION_NOTIFY_CONNECTION, guests_notify, &s->guests,
	    MHD_OPTION_CONNECTION_LIMIT, (unsigned)MOST_GUESTS, MHD_OPTION_CONNECTION_TIMEOUT, PATIENCE,
	    MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)128 << 10, MHD_OPTION_END);
}

int http_serve(struct server *s)
{
	struct sockaddr_storage a;
	struct MHD_Daemon *d;

	if (socket_address(s, &a) == 0) {
		fprintf(stderr, "dtrace-web: %s is no address in numbers\n", s->address);
		return 2;
	}
	s->anywhere = strncmp(s->address, "127.", 4) != 0 && strcmp(s->address, "::1") != 0;
	read_policy(s);
	if ((d = start(s, &a)) == NULL) {
		perror("dtrace-web: cannot listen");
		return 1;
	}
	s->port = MHD_get_daemon_info(d, MHD_DAEMON_INFO_BIND_PORT)->port;
	printf("http://%s%s%s:%u/?token=%s\n", a.ss_family == AF_INET6 ? "[" : "", s->address,
	    a.ss_family == AF_INET6 ? "]" : "", s->port, s->token);
	fflush(stdout);
	while (!signals_interrupted())		/* a thread of a connection may get the signal */
		(void)poll(NULL, 0, 200);
	hub_stop(&s->hub);
	MHD_stop_daemon(d);
	return 0;
}
