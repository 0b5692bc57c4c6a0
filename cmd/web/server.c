/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * dtrace-web: a page that shows what a D program counts while it counts. The server knows HTTP and nothing of
 * tracing: each trace runs in a process of its own (worker.h), whose lines go to the pages as they are.
 */
#include "server.h"

#include "signals.h"
#include "worker.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

/* Lines of a worker to the hub, until it has ended. */
static void *read_lines(void *arg)
{
	struct server *s = arg;
	FILE *f = fdopen(s->child.out, "r");
	char *line = NULL;
	size_t cap = 0;
	ssize_t n;

	while (f != NULL && (n = getline(&line, &cap, f)) > 0)
		hub_tell(&s->hub, line, (size_t)n - (line[n - 1] == '\n'));
	hub_tell(&s->hub, "L{\"t\":\"ended\"}", 13 + 1);
	free(line);
	if (f != NULL)
		fclose(f);
	return NULL;
}

static void end_locked(struct server *s)
{
	if (!s->running)
		return;
	child_end(&s->child);
	pthread_join(s->reader, NULL);
	s->running = false;
}

void server_end(struct server *s)
{
	pthread_mutex_lock(&s->control);
	end_locked(s);
	pthread_mutex_unlock(&s->control);
}

static int begin(struct server *s, const char *mode, const char *pid, const char *text, size_t len)
{
	int rv;

	pthread_mutex_lock(&s->control);
	end_locked(s);
	hub_begin(&s->hub);
	rv = child_start(&s->child, s->wish, mode, pid, text, len);
	if (rv == 0 && pthread_create(&s->reader, NULL, read_lines, s) != 0) {
		child_end(&s->child);
		close(s->child.out);
		rv = -1;
	}
	s->running = rv == 0;
	pthread_mutex_unlock(&s->control);
	return rv;
}

int server_begin(struct server *s, const char *pid, const char *text, size_t len)
{
	return begin(s, "trace", pid, text, len);
}

/* ADDR, ADDR:PORT, :PORT or [ADDR6]:PORT */
static int read_address(struct server *s)
{
	const char *listen = s->wish->listen != NULL ? s->wish->listen : "", *host = listen;
	size_t n = strcspn(listen, ":");
	char *end = "";
	unsigned long port = 0;

	if (listen[0] == '[') {
		host = listen + 1;
		n = strcspn(host, "]");
		listen = host + n + (host[n] == ']');
	} else {
		listen += n;
	}
	if (listen[0] == ':')
		port = strtoul(listen + 1, &end, 10);
	if (n >= sizeof(s->address) || *end != '\0' || port > UINT16_MAX ||
	    (listen[0] != '\0' && listen[0] != ':')) {
		fprintf(stderr, "dtrace-web: --web=%s: an address is 127.0.0.1:8080 or [::1]:8080\n",
		    s->wish->listen);
		return 2;
	}
	snprintf(s->address, sizeof(s->address), "%.*s", n != 0 ? (int)n : 9, n != 0 ? host : "127.0.0.1");
	s->port = (uint16_t)port;
	return 0;
}

static int make_token(struct server *s)
{
	unsigned char bytes[TOKEN_LEN / 2];

	if (getrandom(bytes, sizeof(bytes), 0) != (ssize_t)sizeof(bytes)) {
		perror("dtrace-web: no random numbers");
		return 1;
	}
	for (size_t i = 0; i < sizeof(bytes); i++)
		snprintf(s->token + 2 * i, 3, "%02x", bytes[i]);
	return 0;
}

static int serve(const struct wish *w)
{
	struct server *s = calloc(1, sizeof(*s));
	int status = s == NULL;

	if (s == NULL)
		return 1;
	s->wish = w;
	hub_open(&s->hub);
	guests_open(&s->guests);
	pthread_mutex_init(&s->control, NULL);
	if ((status = read_address(s)) == 0 && (status = make_token(s)) == 0) {
		signals_catch();
		signals_begun();
		if (w->play != NULL && begin(s, "play", NULL, w->play, strlen(w->play)) != 0)
			perror("dtrace-web: cannot play the recording");
		else if (w->has_program && server_begin(s, NULL, w->program, strlen(w->program)) != 0)
			perror("dtrace-web: cannot start the trace");
		status = http_serve(s);
		server_end(s);
	}
	pthread_mutex_destroy(&s->control);
	guests_close(&s->guests);
	hub_close(&s->hub);
	free(s);
	return status;
}

int main(int argc, char **argv)
{
	struct wish w;
	int status = wish_parse(&w, argc, argv);

	signals_begin();
	if (status == 0)
		status = w.worker != NULL ? worker_run(&w) : serve(&w);
	wish_free(&w);
	return status < 0 ? 0 : status;
}
