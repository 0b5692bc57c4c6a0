/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * tools_node: the static probes of a node that serves HTTP, with the arguments that node has. Two
 * connections, 11 and 12: /slow of the one is answered 60 ms later, when the other has asked for /quick,
 * /quick again and /last.
 */
#include <dtrace/usdt.h>

#include <unistd.h>

static __attribute__((noinline)) void request(const char *remote, int port, const char *method,
    const char *url, int fd)
{
	_DT_USDT_PROBE(7, "node", "http__server__request", "node_request_semaphore", (void *)0, (void *)0,
	    remote, port, method, url, fd);
}

static __attribute__((noinline)) void response(const char *remote, int port, int fd)
{
	_DT_USDT_PROBE(4, "node", "http__server__response", "node_response_semaphore", (void *)0, remote,
	    port, fd);
}

/* Constants that no one has read are not in memory yet, and a probe cannot read them; node's are made. */
static volatile char sink;

static const char *made(const char *text)
{
	for (const volatile char *c = text; *c != '\0'; c++)
		sink = *c;
	return text;
}

int main(void)
{
	const char *slow = made("10.0.0.1"), *quick = made("10.0.0.2"), *get = made("GET"),
	    *post = made("POST");

	request(slow, 4001, get, made("/slow?x=1"), 11);
	for (int i = 0; i < 3; i++) {
		request(quick, 4002, i < 2 ? get : post, made(i < 2 ? "/quick" : "/last"), 12);
		response(quick, 4002, 12);
	}
	usleep(60000);
	response(slow, 4001, 11);
	return 0;
}
