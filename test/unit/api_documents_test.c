/* SPDX-License-Identifier: BSD-2-Clause */
/* Documents for backends: when they may be asked for; a text over HTTP. What is in them: test/cli/fleet. */
#include "check.h"

#include <arpa/inet.h>
#include <dtrace.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static void asks_too_early(void)
{
	int err = 0;
	dtrace_hdl_t *h = dtrace_open(DTRACE_VERSION, DTRACE_O_NODEV | DTRACE_O_NOSYS, &err);
	uint64_t left = 0;

	CHECK(h != NULL);
	CHECK(dtrace_documents(h, "a_b", NULL) == -1);
	CHECK(dtrace_documents(h, "", NULL) == -1);
	CHECK(dtrace_documents(h, "a{b=\"\"}", NULL) == -1);
	CHECK(dtrace_documents(h, NULL, NULL) == -1);
	CHECK(dtrace_document(h, DTRACE_DOCUMENT_OPENMETRICS, stdout, &left) == -1);
	CHECK(dtrace_documents(h, "good1", NULL) == 0);
	CHECK(dtrace_oformat(h) == DTRACE_OFORMAT_FILE);
	CHECK(dtrace_document(h, DTRACE_DOCUMENT_OTLP_TRACES, stdout, &left) == -1);
	dtrace_close(h);
}

/* The answer to a GET, whole. */
static char *get(int port, const char *path)
{
	struct sockaddr_in to = { .sin_family = AF_INET, .sin_port = htons((uint16_t)port),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	char *answer = calloc(1, 4096), ask[256];
	int fd = socket(AF_INET, SOCK_STREAM, 0), n;
	size_t have = 0;

	n = snprintf(ask, sizeof(ask), "GET %s HTTP/1.1\r\nHost: localhost\r\n\r\n", path);
	if (connect(fd, (struct sockaddr *)&to, sizeof(to)) == 0 && write(fd, ask, (size_t)n) == n)
		for (ssize_t got; have < 4095 && (got = read(fd, answer + have, 4095 - have)) > 0;)
			have += (size_t)got;
	close(fd);
	return answer;
}

static void serves(void)
{
	char why[256] = "", *answer = NULL;
	dtrace_server_t *s = dtrace_server_open("nowhere", "text/plain", why, sizeof(why));
	int port;

	CHECK(s == NULL && strstr(why, "is no address") != NULL);
	s = dtrace_server_open("0", "text/plain; x=1", why, sizeof(why));
	CHECK(s != NULL);
	if (s == NULL)
		return;
	port = atoi(strrchr(dtrace_server_address(s), ':') + 1);
	CHECK(port > 0);
	dtrace_server_put(s, "first", 5);
	dtrace_server_put(s, "second", 6);
	for (int i = 0; i < 2400 && (answer == NULL || strstr(answer, "second") == NULL); i++) {
		free(answer);
		usleep(i > 0 ? 50000 : 0);
		answer = get(port, "/metrics");
	}
	CHECK(strstr(answer, "200") != NULL && strstr(answer, "text/plain; x=1") != NULL);
	CHECK(strstr(answer, "\r\n\r\nsecond") != NULL);
	free(answer);
	answer = get(port, "/else");
	CHECK(strstr(answer, "404") != NULL);
	free(answer);
	dtrace_server_close(s);
	dtrace_server_close(NULL);
}

int main(void)
{
	asks_too_early();
	serves();
	return check_report("api_documents");
}
