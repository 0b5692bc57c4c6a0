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

/* The kernel reads only what is in memory, and nothing else here reads the texts. */
static const char *volatile touched = "10.0.0.1";

int main(void)
{
	(void)*(const volatile char *)touched;
	request("10.0.0.1", 4001, "GET", "/slow?x=1", 11);
	for (int i = 0; i < 3; i++) {
		request("10.0.0.2", 4002, i < 2 ? "GET" : "POST", i < 2 ? "/quick" : "/last", 12);
		response("10.0.0.2", 4002, 12);
	}
	usleep(60000);
	response("10.0.0.1", 4001, 11);
	return 0;
}
