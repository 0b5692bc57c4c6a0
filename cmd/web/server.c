/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * dtrace-web: a page that shows what a D program counts while it counts. The server knows HTTP and nothing of
 * tracing: each trace runs in a process of its own (worker.h), whose lines go to the pages as they are.
 */
#include "server.h"

#include "lsp.h"
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
		hub_append(&s->hub, line, (size_t)n - (line[n - 1] == '\n'));
	hub_append(&s->hub, "L{\"t\":\"ended\"}", 14);
	free(line);
	if (f != NULL)
		fclose(f);
	return NULL;
}

/* The recording of a worker to the pages, until it has ended. */
static void *copy_blocks(void *arg)
{
	struct server *s = arg;

	blocks_copy(&s->blocks, s->child.stream);
	return NULL;
}

/* The recordings of single hosts, until all of them have ended. */
static void *sort_hosts(void *arg)
{
	struct server *s = arg;

	hosts_copy(&s->hosts, s->child.hosts);
	return NULL;
}

static void end_locked(struct server *s)
{
	if (!s->running)
		return;
	child_end(&s->child);
	pthread_join(s->reader, NULL);
	if (s->copying)
		pthread_join(s->copier, NULL);
	if (s->sorting)
		pthread_join(s->sorter, NULL);
	s->running = s->copying = s->sorting = false;
}

void server_end(struct server *s)
{
	pthread_mutex_lock(&s->control);
	end_locked(s);
	pthread_mutex_unlock(&s->control);
}

/* The stream has the next number before pages hear of it: they ask for the stream at once. */
static void next_trace(struct server *s)
{
	blocks_begin(&s->blocks, s->hub.trace + 1);
	hosts_begin(&s->hosts);
	hub_begin(&s->hub);
}

/* A recording instead of a trace: stream.c sends its file. */
static void begin_play(struct server *s)
{
	s->played = s->hub.trace + 1;
	next_trace(s);
	blocks_end(&s->blocks);
	hub_append(&s->hub, "L{\"t\":\"ended\"}", 14);
}

/* A thread that reads the descriptor, if there is one. */
static bool start(pthread_t *thread, void *(*f)(void *), struct server *s, int fd)
{
	if (fd < 0 || pthread_create(thread, NULL, f, s) == 0)
		return fd >= 0;
	close(fd);
	return false;
}

int server_begin(struct server *s, const char *pid, const char *text, size_t len)
{
	int rv;

	pthread_mutex_lock(&s->control);
	end_locked(s);
	s->played = 0;
	next_trace(s);
	rv = child_start(&s->child, s->args, "trace", pid, text, len);
	if (rv == 0 && pthread_create(&s->reader, NULL, read_lines, s) != 0) {
		child_end(&s->child);
		close(s->child.out);
		if (s->child.stream >= 0)
			close(s->child.stream);
		if (s->child.hosts >= 0)
			close(s->child.hosts);
		rv = -1;
	} else if (rv == 0) {
		s->copying = start(&s->copier, copy_blocks, s, s->child.stream);
		s->sorting = start(&s->sorter, sort_hosts, s, s->child.hosts);
	}
	s->running = rv == 0;
	pthread_mutex_unlock(&s->control);
	return rv;
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

static int serve(const struct args *w)
{
	struct server *s = calloc(1, sizeof(*s));
	int status = s == NULL;

	if (s == NULL)
		return 1;
	s->args = w;
	hub_open(&s->hub);
	blocks_open(&s->blocks);
	hosts_open(&s->hosts);
	s->hub.hosts = w->hosts;
	connections_open(&s->connections);
	pthread_mutex_init(&s->control, NULL);
	if ((status = http_listen(s)) == 0 && (status = make_token(s)) == 0) {
		signals_catch();
		signals_begun();
		if (w->play != NULL)
			begin_play(s);
		else if (w->has_program && server_begin(s, NULL, w->program, strlen(w->program)) != 0)
			perror("dtrace-web: cannot start the trace");
		status = http_serve(s);
		server_end(s);
	}
	pthread_mutex_destroy(&s->control);
	connections_close(&s->connections);
	hosts_close(&s->hosts);
	blocks_close(&s->blocks);
	hub_close(&s->hub);
	free(s);
	return status;
}

int main(int argc, char **argv)
{
	struct args w;
	int status = args_parse(&w, argc, argv);

	signals_begin();
	if (status == 0)
		status = w.worker != NULL ? worker_run(&w) : w.lsp ? lsp_serve(&w) : serve(&w);
	args_free(&w);
	return status < 0 ? 0 : status;
}
