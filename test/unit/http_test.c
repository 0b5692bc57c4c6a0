/* SPDX-License-Identifier: BSD-2-Clause */
/* HTTP of the live page and of the metrics: heads of requests, addresses, names of this machine. */
#include "check.h"

#include "wire/http.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static int parse(struct dt_http_request *r, char *buf, size_t size, const char *head)
{
	CHECK(strlen(head) < size);
	strcpy(buf, head);
	return dt_http_parse(buf, strlen(head), r);
}

static void test_good(void)
{
	struct dt_http_request r;
	char b[512];

	CHECK_INT(parse(&r, b, sizeof(b), "GET /a/b?token=ab%2fc+d&pid=&x HTTP/1.1\r\nHost: h:1\r\n"
	    "X-Token:  tok \t\r\nConnection: keep-alive\r\n\r\n"), 0);
	CHECK_STR(r.method, "GET");
	CHECK_STR(r.path, "/a/b");
	CHECK_STR(dt_http_arg(&r, "token"), "ab/c d");
	CHECK_STR(dt_http_arg(&r, "pid"), "");
	CHECK_STR(dt_http_arg(&r, "x"), "");
	CHECK(dt_http_arg(&r, "y") == NULL);
	CHECK_STR(dt_http_field(&r, "host"), "h:1");
	CHECK_STR(dt_http_field(&r, "x-token"), "tok");
	CHECK(dt_http_field(&r, "Origin") == NULL);
	CHECK(r.keep && r.newer && !r.expects && r.length == 0);
	CHECK_INT(parse(&r, b, sizeof(b),
	    "POST /run HTTP/1.0\r\nContent-Length: 12\r\nExpect: 100-continue\r\n\r\n"), 0);
	CHECK(!r.keep && !r.newer && !r.expects);
	CHECK_INT(r.length, 12);
	CHECK_INT(parse(&r, b, sizeof(b),
	    "POST /run HTTP/1.1\r\nConnection: Close\r\nExpect: 100-continue\r\n\r\n"), 0);
	CHECK(!r.keep && r.expects);
}

static void test_bad(void)
{
	static const struct { const char *head; int status; } rows[] = {
		{ "\r\n\r\n", 400 },
		{ "GET\r\n\r\n", 400 },
		{ "GET /\r\n\r\n", 400 },
		{ "GET / HTTP/2.0\r\n\r\n", 505 },
		{ "GET / http/1.1\r\n\r\n", 400 },
		{ "GET http://h/ HTTP/1.1\r\n\r\n", 400 },
		{ "G(T / HTTP/1.1\r\n\r\n", 400 },
		{ "GET /?a=%4 HTTP/1.1\r\n\r\n", 400 },
		{ "GET /?a=%00 HTTP/1.1\r\n\r\n", 400 },
		{ "GET /?a&b&c&d&e&f&g&h&i HTTP/1.1\r\n\r\n", 400 },
		{ "GET /\x01 HTTP/1.1\r\n\r\n", 400 },
		{ "GET / HTTP/1.1\nHost: h\n\n", 400 },
		{ "GET / HTTP/1.1\r\nHost : h\r\n\r\n", 400 },
		{ "GET / HTTP/1.1\r\n folded\r\n\r\n", 400 },
		{ "GET / HTTP/1.1\r\nHost: a\r\n b\r\n\r\n", 400 },
		{ "GET / HTTP/1.1\r\nno colon\r\n\r\n", 400 },
		{ "GET / HTTP/1.1\r\nA: \x02\r\n\r\n", 400 },
		{ "GET / HTTP/1.1\r\nHost: a\r\nhost: b\r\n\r\n", 400 },
		{ "POST / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n", 400 },
		{ "POST / HTTP/1.1\r\nContent-Length: -1\r\n\r\n", 400 },
		{ "POST / HTTP/1.1\r\nContent-Length: 0x10\r\n\r\n", 400 },
		{ "POST / HTTP/1.1\r\nContent-Length: 99999999999999999999\r\n\r\n", 400 },
		{ "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n", 501 },
		{ "GET / HTTP/1.1\r\n\r\nmore", 400 },
		{ "GET / HTTP/1.1\r\n", 400 },
	};
	struct dt_http_request r;
	char b[512];

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (!CHECK_INT(parse(&r, b, sizeof(b), rows[i].head), rows[i].status))
			fprintf(stderr, "row %zu\n", i);
	memcpy(b, "GET / HTTP/1.1\r\nA: \0b\r\n\r\n", 25);
	CHECK_INT(dt_http_parse(b, 25, &r), 400);
}

static void test_many(void)
{
	char b[2048] = "GET / HTTP/1.1\r\n";
	struct dt_http_request r;

	for (int i = 0; i <= DT_HTTP_FIELDS; i++)
		strcat(b, "A: b\r\n");
	strcat(b, "\r\n");
	CHECK_INT(dt_http_parse(b, strlen(b), &r), 431);
}

static void test_host(void)
{
	static const char *const local[] = { "localhost:80", "LOCALHOST:80", "127.0.0.1:80", "127.1.2.3:80",
	    "[::1]:80" };
	static const char *const other[] = { "evil.example:80", "127.evil.example:80", "127.0.0.1.evil:80",
	    "localhost",
	    "localhost:81", "localhost:80x", "[::1", "[::2]:80", "10.0.0.1:80", "", ":80", "[::1]x:80" };

	for (size_t i = 0; i < sizeof(local) / sizeof(local[0]); i++)
		CHECK(dt_http_is_local(local[i], 80));
	for (size_t i = 0; i < sizeof(other) / sizeof(other[0]); i++)
		CHECK(!dt_http_is_local(other[i], 80));
	CHECK(!dt_http_is_local(NULL, 80));
	CHECK(dt_http_is_local("localhost", 0) && dt_http_is_local("[::1]:99", 0));
	CHECK(!dt_http_is_local("localhost:x", 0));
	CHECK(dt_http_is_number("10.0.0.1:80") && dt_http_is_number("[fe80::1]:80"));
	CHECK(!dt_http_is_number("evil.example") && !dt_http_is_number("[evil]:1"));
	CHECK(!dt_http_is_number(NULL));
}

static void test_listen(void)
{
	static const char *const bad[] = { "nonsense", "127.0.0.1:70000", "127.0.0.1:x", "[::1", "[::1]x",
	    "::1", "1.2.3.4.5:1", "127.0.0.1:-1", "123456" };
	static const char *const good[] = { "", "0", ":0", "127.0.0.1", "127.0.0.1:0" };
	struct dt_http_listener l;

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		CHECK_INT(dt_http_listen(bad[i], &l), -EINVAL);
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		CHECK_INT(dt_http_listen(good[i], &l), 0);
		CHECK(l.local && l.port != 0 && strncmp(l.name, "127.0.0.1:", 10) == 0);
		close(l.fd);
	}
}

/* Two requests, the second in two pieces and with a body. */
static void test_receive(void)
{
	static const char first[] = "GET /a HTTP/1.1\r\n\r\nPOST /b HT";
	static const char second[] = "TP/1.1\r\nContent-Length: 2\r\n\r\nxy";
	char bytes[64];
	struct dt_http c = { .bytes = bytes, .size = sizeof(bytes) };
	int pair[2], status;

	CHECK_INT(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, pair), 0);
	c.fd = pair[0];
	CHECK_INT(dt_http_next(&c, &status), DT_HTTP_WAIT);
	CHECK_INT(dt_http_receive(&c, &status), DT_HTTP_IDLE);
	CHECK_INT(write(pair[1], first, sizeof(first) - 1), sizeof(first) - 1);
	CHECK_INT(dt_http_receive(&c, &status), DT_HTTP_REQUEST);
	CHECK_STR(c.request.path, "/a");
	CHECK_INT(dt_http_next(&c, &status), DT_HTTP_WAIT);
	CHECK_INT(write(pair[1], second, sizeof(second) - 1), sizeof(second) - 1);
	CHECK_INT(dt_http_receive(&c, &status), DT_HTTP_REQUEST);
	CHECK_STR(c.request.path, "/b");
	CHECK_INT(c.have - c.used, 2);
	c.used += 2;
	CHECK_INT(dt_http_next(&c, &status), DT_HTTP_WAIT);
	memset(bytes, 'a', sizeof(bytes));
	CHECK_INT(write(pair[1], bytes, sizeof(bytes)), sizeof(bytes));
	CHECK_INT(dt_http_receive(&c, &status), DT_HTTP_REFUSED);
	CHECK_INT(status, 431);
	close(pair[1]);
	c.have = 0;
	CHECK_INT(dt_http_receive(&c, &status), DT_HTTP_CLOSED);
	close(pair[0]);
	CHECK_INT(dt_http_head(bytes, sizeof(bytes), 404, "t", ""), 43);
	CHECK_INT(dt_http_head(bytes, 43, 404, "t", ""), 0);
}

int main(void)
{
	test_good();
	test_bad();
	test_many();
	test_host();
	test_listen();
	test_receive();
	return check_report("http");
}
