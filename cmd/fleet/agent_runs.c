/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The runs of an agent: a worker, the messages of its stream with their numbers, and what the asker has
 * confirmed. A message is kept until then and sent again if the asker misses it; if it confirms too slowly
 * the worker's pipe is not read, so that records are dropped and counted where they are made, and
 * aggregations wait in the kernel.
 */
#include "agent.h"

#include "base.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define TEXT_MAX (64 << 10)
#define RELAY_TEXT_MAX (900 << 10)	/* each of its hosts is a line or two; it is sent in one message */
#define WORKER_END (5 * SECOND_NS)
#define RELAY_END (30 * SECOND_NS)	/* its hosts end first */

/* ---- sending ---- */

static void send_bytes(struct agent *a, const char *user, const char *id, const char *bytes, size_t len)
{
	char subject[4 * NAME_LENGTH];

	snprintf(subject, sizeof(subject), "dt.out.%s.%s.%s", user, id, a->token);
	(void)bus_send(a->bus, subject, bytes, len);	/* numbers decide what has come, not this */
}

void run_send(struct agent *a, const char *user, const char *id)
{
	if (!a->out.failed)
		send_bytes(a, user, id, a->out.bytes, a->out.len);
}

void run_refuse(struct agent *a, const char *user, const char *id, const char *kind, const char *text)
{
	message_begin(&a->out, "fail");
	message_put(&a->out, "why", "%s", kind);
	message_body(&a->out, text, strlen(text));
	run_send(a, user, id);
	if (strcmp(kind, "refused") == 0)
		fprintf(stderr, "dtraced: %s, %s: refused: %s\n", user, id, text);
	a->counts.refused += strcmp(kind, "refused") == 0;
}

static bool keep_chunk(struct run *r, const struct out_message *m)
{
	if (r->n == r->cap) {
		struct chunk *more = reallocarray(r->chunk, r->cap * 2 + 64, sizeof(*more));

		if (more == NULL)
			return false;
		r->chunk = more;
		r->cap = r->cap * 2 + 64;
	}
	r->chunk[r->n].bytes = malloc(m->len);
	if (r->chunk[r->n].bytes == NULL)
		return false;
	memcpy(r->chunk[r->n].bytes, m->bytes, m->len);
	r->chunk[r->n].len = m->len;
	r->waiting += m->len;
	r->n++;
	return true;
}

static void send_data(struct agent *a, struct run *r, const char *bytes, size_t len)
{
	message_begin(&a->out, "data");
	message_put(&a->out, "instance", "%s", a->instance);
	message_put(&a->out, "number", "%llu", (unsigned long long)(r->first + r->n));
	message_body(&a->out, bytes, len);
	if (a->out.failed || !keep_chunk(r, &a->out))
		run_stop(r, "out of memory");
	else
		run_send(a, r->user, r->id);
}

static void send_end(struct agent *a, struct run *r)
{
	message_begin(&a->out, "end");
	message_put(&a->out, "instance", "%s", a->instance);
	message_put(&a->out, "number", "%llu", (unsigned long long)(r->first + r->n - 1));
	message_put(&a->out, "status", "%d", r->status);
	message_put(&a->out, "reason", "%s", r->reason != NULL ? r->reason : "");
	message_put(&a->out, "cut", "%d", r->cut);
	message_body(&a->out, r->text != NULL ? r->text : "", r->len);
	run_send(a, r->user, r->id);
}

/* ---- the asker's word ---- */

struct run *run_find(struct agent *a, const char *user, const char *id)
{
	for (int i = 0; i < a->nruns; i++)
		if (strcmp(a->run[i]->user, user) == 0 && strcmp(a->run[i]->id, id) == 0)
			return a->run[i];
	return NULL;
}

/* All before `want` has come. */
static void confirm(struct run *r, uint64_t want)
{
	uint64_t n = want > r->first ? want - r->first : 0;

	n = n < r->n ? n : r->n;
	for (uint64_t i = 0; i < n; i++) {
		r->waiting -= r->chunk[i].len;
		free(r->chunk[i].bytes);
	}
	if (n > 0)
		memmove(r->chunk, r->chunk + n, (r->n - n) * sizeof(*r->chunk));
	r->first += n;
	r->n -= n;
}

void run_beat(struct agent *a, struct run *r, const struct message *m)
{
	r->heard = now_ns();
	confirm(r, message_number(m, "want"));
	if (message_number(m, "again") != 0)
		for (uint64_t i = 0; i < r->n; i++)
			send_bytes(a, r->user, r->id, r->chunk[i].bytes, r->chunk[i].len);
	if (r->finished)
		send_end(a, r);
}

void run_stop(struct run *r, const char *reason)
{
	if (r->pid == 0 || r->killed != 0)
		return;
	r->ends = true;
	if (reason == NULL && !r->live)
		return;				/* BEGIN and END run on each host that was asked */
	r->reason = reason;
	r->killed = now_ns();
	kill(r->pid, SIGTERM);
}

/* ---- a worker ---- */

int worker_request(const char *bytes, size_t len)
{
	int fd = memfd_create("request", MFD_CLOEXEC);

	for (size_t at = 0; fd >= 0 && at < len;) {
		ssize_t n = write(fd, bytes + at, len - at);

		if (n <= 0) {
			close(fd);
			return -1;
		}
		at += (size_t)n;
	}
	if (fd >= 0)
		lseek(fd, 0, SEEK_SET);
	return fd;
}

int worker_spawn(const char *mode, int in, pid_t *pid, int *out, int *recording)
{
	char *const argv[] = { "dtraced", (char *)(uintptr_t)mode, NULL };
	int said[2] = { -1, -1 }, stream[2] = { -1, -1 }, err;
	posix_spawn_file_actions_t act;

	if (pipe2(said, O_CLOEXEC) != 0 || pipe2(stream, O_CLOEXEC) != 0)
		return errno;
	posix_spawn_file_actions_init(&act);
	posix_spawn_file_actions_adddup2(&act, in, 0);
	posix_spawn_file_actions_adddup2(&act, said[1], 1);
	posix_spawn_file_actions_adddup2(&act, stream[1], STREAM_FD);
	err = posix_spawn(pid, "/proc/self/exe", &act, NULL, argv, environ);
	posix_spawn_file_actions_destroy(&act);
	close(said[1]);
	close(stream[1]);
	*out = said[0];
	*recording = stream[0];
	(void)fcntl(*recording, F_SETPIPE_SZ, 1 << 20);
	return err;
}

/* How the worker of a relay gets on the bus, and for whom. */
static void put_relay(struct out_message *q, const struct settings *s, const struct run *r)
{
	message_put(q, "relay", "%s", s->relay);
	message_put(q, "asks-for", "%s", r->user);
	message_put(q, "root", "%s", r->root);
	message_put(q, "at-bus", "%s", s->bus);
	message_put(q, "at-ca", "%s", s->ca);
	message_put(q, "at-cert", "%s", s->cert);
	message_put(q, "at-key", "%s", s->key);
	message_put(q, "at-user", "%s", s->user);
	message_put(q, "at-password-file", "%s", s->password_file);
	message_put(q, "at-nkey", "%s", s->nkey);
	message_put(q, "at-seed", "%s", s->seed);
}

/* The request goes to the worker with what the policy adds, which its words cannot replace: it comes first.
 */
static int start(struct agent *a, struct run *r, const struct policy *p, const struct message *m)
{
	struct out_message q = { 0 };
	int in, err;

	message_begin(&q, "work");
	message_put(&q, "name", "%s", a->settings.name);
	message_put(&q, "providers", "%s", p->providers);
	message_put(&q, "cgroup", "%s", p->cgroup);
	message_put(&q, "memory", "%ld", p->memory);
	message_put(&q, "hostroot", "%s", a->settings.hostroot);
	message_put(&q, "always", "%s", "");	/* only the agent's own programs are that */
	put_relay(&q, &a->settings, r);
	for (int i = 0; i < m->n; i++)
		message_put(&q, m->v[i].word, "%s", m->v[i].value);
	message_body(&q, m->body, m->len);
	in = q.failed ? -1 : worker_request(q.bytes, q.len);
	message_free(&q);
	if (in < 0)
		return ENOMEM;
	err = worker_spawn(a->settings.relay[0] != '\0' ? "--relay-worker" : "--worker", in, &r->pid,
	    &r->said, &r->stream);
	close(in);
	return err;
}

static int runs_of(const struct agent *a, const char *user)
{
	int n = 0;

	for (int i = 0; i < a->nruns; i++)
		n += a->run[i]->pid != 0 && (user == NULL || strcmp(a->run[i]->user, user) == 0);
	return n;
}

/* Another way from the same asker to this host: what it counts must reach it once. */
static bool is_taken(const struct agent *a, const char *user, const char *root)
{
	for (int i = 0; i < a->nruns; i++)
		if (strcmp(a->run[i]->user, user) == 0 && strcmp(a->run[i]->root, root) == 0 &&
		    now_ns() - a->run[i]->heard <= ASKER_GONE)
			return true;
	for (size_t i = 0; i < DONE_MAX; i++)
		if (strcmp(a->done[i].user, user) == 0 && strcmp(a->done[i].root, root) == 0)
			return true;
	return false;
}

void run_bye(struct agent *a, int i, bool counted)
{
	const struct run *r = a->run[i];
	unsigned at = a->ndone % DONE_MAX;

	if (counted) {
		strcpy(a->done[at].user, r->user);
		strcpy(a->done[at].root, r->root);
		a->ndone++;
	}
	run_free(a, i);
}

void run_begin(struct agent *a, const char *user, const struct message *m)
{
	const struct policy *p = settings_policy(&a->settings, user);
	const char *id = message_get(m, "run"), *root = message_get(m, "root");
	struct run *r;
	int err;

	root = root[0] != '\0' ? root : id;
	if (!name_good(id) || !name_good(root) || run_find(a, user, id) != NULL)
		return;				/* it came twice */
	if (is_taken(a, user, root)) {
		run_refuse(a, user, id, "taken", "this host takes part already, by another way");
	} else if (p == NULL) {
		run_refuse(a, user, id, "refused", "the policy of this host has no line for this user");
	} else if (runs_of(a, user) >= p->runs || runs_of(a, NULL) >= a->settings.runs ||
	    a->nruns == RUNS_MAX) {
		run_refuse(
		    a, user, id, "refused", "as many programs run already as the policy of this host allows");
	} else if ((r = calloc(1, sizeof(*r))) != NULL) {
		*r = (struct run){ .said = -1, .stream = -1, .first = 1, .heard = now_ns() };
		strcpy(r->user, user);
		strcpy(r->id, id);
		strcpy(r->root, root);
		r->until = p->seconds > 0 ? now_ns() + (uint64_t)p->seconds * SECOND_NS : 0;
		a->run[a->nruns++] = r;
		fprintf(stderr, "dtraced: %s, %s: begins\n", user, id);
		a->counts.begun++;
		if ((err = start(a, r, p, m)) != 0) {
			run_refuse(a, user, id, "failed", strerror(err));
			run_free(a, a->nruns - 1);
		}
	}
}

void run_free(struct agent *a, int i)
{
	struct run *r = a->run[i];

	if (r->pid > 0) {
		kill(r->pid, SIGKILL);
		waitpid(r->pid, NULL, 0);
	}
	if (r->said >= 0)
		close(r->said);
	if (r->stream >= 0)
		close(r->stream);
	confirm(r, UINT64_MAX);
	free(r->chunk);
	free(r->text);
	free(r);
	a->run[i] = a->run[--a->nruns];
}

/* ---- what a worker writes ---- */

static void take_said(struct agent *a, struct run *r)
{
	char piece[4096];
	ssize_t n = read(r->said, piece, sizeof(piece));
	char *more;

	if (n <= 0) {
		if (n < 0 && errno == EINTR)
			return;
		close(r->said);
		r->said = -1;
		return;
	}
	r->cut |= r->len + (size_t)n > (a->settings.relay[0] != '\0' ? RELAY_TEXT_MAX : TEXT_MAX);
	if (r->cut || (more = realloc(r->text, r->len + (size_t)n + 1)) == NULL)
		return;
	r->text = more;
	memcpy(more + r->len, piece, (size_t)n);
	r->len += (size_t)n;
	more[r->len] = '\0';
	if (!r->live && strncmp(more, "live\n", 5) == 0) {
		r->live = true;
		if (r->ends)
			run_stop(r, NULL);
		r->len -= 5;
		memmove(more, more + 5, r->len + 1);
		message_begin(&a->out, "live");
		run_send(a, r->user, r->id);
	}
}

static void take_stream(struct agent *a, struct run *r)
{
	char piece[DATA_MAX];
	ssize_t n = read(r->stream, piece, sizeof(piece));

	if (n > 0) {
		send_data(a, r, piece, (size_t)n);
	} else if (n == 0 || errno != EINTR) {
		close(r->stream);
		r->stream = -1;
	}
}

static void finish(struct agent *a, struct run *r)
{
	int status;

	if (r->said >= 0 || r->stream >= 0 || r->pid == 0 || waitpid(r->pid, &status, WNOHANG) != r->pid)
		return;
	r->pid = 0;
	r->status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
	r->finished = true;
	fprintf(stderr, "dtraced: %s, %s: ends%s%s\n", r->user, r->id, r->reason != NULL ? ": " : "",
	    r->reason != NULL ? r->reason : "");
	send_end(a, r);
}

void run_work(struct agent *a, int i, bool said, bool stream)
{
	struct run *r = a->run[i];

	if (said && r->said >= 0)
		take_said(a, r);
	if (stream && r->stream >= 0)
		take_stream(a, r);
	finish(a, r);
	if (r->pid != 0 && now_ns() - r->heard > ASKER_GONE)
		run_stop(r, "the asker is gone");
	if (r->pid != 0 && r->until != 0 && now_ns() > r->until)
		run_stop(r, "it ran as long as the policy of this host allows");
	if (r->pid != 0 && r->killed != 0 && 
	    now_ns() - r->killed > (a->settings.relay[0] != '\0' ? RELAY_END : WORKER_END))
		kill(r->pid, SIGKILL);
	if (r->pid == 0 && now_ns() - r->heard > 3 * ASKER_GONE)
		run_free(a, i);
}
