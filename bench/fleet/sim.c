/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * fleetsim BUS HOSTS RECORDING [GROUP FIRST [AHEAD]]: that many hosts on one connection, for bench/fleet.sh.
 * In a group they answer its relay alone; they have numbers from FIRST on, and clocks AHEAD seconds ahead.
 * Each answers as an agent does, and sends a recording that a worker of dtraced made on a host called h00000,
 * with its own name in place of that, one message for each firing at the time of the firing, spread over the
 * second. A line `sent N TIME` on standard output says when the last host has sent the Nth.
 */
#include "bus.h"

#include "base.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MESSAGES_MAX = 4096, NAME = 6 };
#define NAME_RECORDED "h00000"
#define SECOND 1000000000ull

struct piece { size_t at, len; uint64_t time; };	/* what one message carries; time since the start */

struct sim_host {
	char run[NAME_LENGTH], user[NAME_LENGTH];
	uint64_t begun;			/* 0: it runs nothing */
	uint64_t sent;
	bool stopping, finished;
};

struct sim {
	struct bus *bus;
	struct sim_host *host;
	int n, first;
	char *bytes, *copy;
	size_t len;
	uint64_t start;			/* the clock of the recording */
	struct piece piece[MESSAGES_MAX];
	uint64_t npieces;		/* the last is the end: aggregations, X */
	unsigned all[MESSAGES_MAX];	/* how many hosts have sent it */
	struct out_message out;
};

/* ---- the recording ---- */

static uint64_t number(const char *p, int bytes)
{
	uint64_t v = 0;

	for (int i = bytes - 1; i >= 0; i--)
		v = v << 8 | (unsigned char)p[i];
	return v;
}

/* Where the time of a block is; -1: it has none. */
static int time_at(char letter)
{
	switch (letter) {
	case 'H': return 12;
	case 'S': return 4;
	case 'E': return 20;
	case 'X': return 8;
	default: return strchr("WBVRAFDMw", letter) != NULL ? 0 : -1;
	}
}

/* The clock of these hosts is so many seconds ahead. */
static void shift(struct sim *s, uint64_t ahead)
{
	size_t at = strlen("dtrace recording 2\n");

	while (at + 5 <= s->len) {
		size_t n = 5 + number(s->bytes + at + 1, 4);
		int where = time_at(s->bytes[at]);
		uint64_t time;

		if (at + n > s->len)
			return;
		if (where >= 0 && 5 + (size_t)where + 8 <= n) {
			time = number(s->bytes + at + 5 + where, 8) + ahead * SECOND;
			for (int i = 0; i < 8; i++)
				s->bytes[at + 5 + (size_t)where + (size_t)i] = (char)(time >> 8 * i);
		}
		at += n;
	}
}

/* A message for each E; what follows the last is the end. */
static bool cut(struct sim *s)
{
	size_t at = strlen("dtrace recording 2\n"), from = 0;

	while (at + 5 <= s->len && s->npieces < MESSAGES_MAX - 1) {
		size_t n = 5 + number(s->bytes + at + 1, 4);
		char letter = s->bytes[at];

		if (at + n > s->len)
			return false;
		if (letter == 'H')
			s->start = number(s->bytes + at + 5 + 12, 8);
		at += n;
		if (letter == 'E') {
			uint64_t time = number(s->bytes + at - n + 5 + 20, 8);

			s->piece[s->npieces++] = (struct piece){ from, at - from, time - s->start };
			from = at;
		}
	}
	s->piece[s->npieces++] = (struct piece){ from, s->len - from, 0 };
	return at == s->len && s->npieces > 1;
}

static bool load(struct sim *s, const char *path, uint64_t ahead)
{
	FILE *f = fopen(path, "re");
	size_t cap = 64 << 20;

	s->bytes = malloc(cap);
	s->len = f != NULL && s->bytes != NULL ? fread(s->bytes, 1, cap, f) : 0;
	s->copy = malloc(s->len + 1);
	if (f != NULL)
		fclose(f);
	if (s->copy != NULL)
		shift(s, ahead);
	return s->copy != NULL && s->len < cap && cut(s);
}

/* ---- hosts ---- */

static uint64_t clock_of(const struct sim *s, const struct sim_host *h)
{
	return h->begun != 0 ? s->start + (now_ns() - h->begun) : s->start;
}

static void name_of(const struct sim *s, int i, char name[NAME_LENGTH])
{
	snprintf(name, NAME_LENGTH, "h%05d", s->first + i);
}

static void send_up(struct sim *s, int i)
{
	char subject[4 * NAME_LENGTH], name[NAME_LENGTH];

	name_of(s, i, name);
	snprintf(subject, sizeof(subject), "dt.out.%s.%s.%s", s->host[i].user, s->host[i].run, name);
	(void)bus_send(s->bus, subject, s->out.bytes, s->out.len);
}

static void put_times(struct sim *s, const struct sim_host *h, const struct message *m)
{
	message_put(&s->out, "t1", "%llu", (unsigned long long)message_number(m, "t1"));
	message_put(&s->out, "t2", "%llu", (unsigned long long)clock_of(s, h));
	message_put(&s->out, "t3", "%llu", (unsigned long long)clock_of(s, h));
}

static void here(struct sim *s, int i, const struct message *m)
{
	struct sim_host *h = &s->host[i];
	char name[NAME_LENGTH];

	if (h->begun == 0)
		h->begun = now_ns() - SECOND * (uint64_t)i / (uint64_t)s->n;
	name_of(s, i, name);
	message_begin(&s->out, "here");
	message_put(&s->out, "name", "%s", name);
	message_put(&s->out, "instance", "1");
	put_times(s, h, m);
	send_up(s, i);
}

static void send_piece(struct sim *s, int i, uint64_t k)
{
	bool last = s->host[i].finished && k == s->host[i].sent - 1;
	const struct piece *p = &s->piece[last ? s->npieces - 1 : k];
	char name[NAME_LENGTH];

	name_of(s, i, name);
	memcpy(s->copy, s->bytes + p->at, p->len);
	for (char *at = s->copy, *end = s->copy + p->len;
	     (at = memmem(at, (size_t)(end - at), NAME_RECORDED, NAME)) != NULL; at += NAME)
		memcpy(at, name, NAME);
	message_begin(&s->out, "data");
	message_put(&s->out, "instance", "1");
	message_put(&s->out, "number", "%llu", (unsigned long long)k + 1);
	message_body(&s->out, s->copy, p->len);
	send_up(s, i);
}

static void send_end(struct sim *s, int i)
{
	message_begin(&s->out, "end");
	message_put(&s->out, "instance", "1");
	message_put(&s->out, "number", "%llu", (unsigned long long)s->host[i].sent);
	message_put(&s->out, "status", "0");
	message_body(&s->out, "", 0);
	send_up(s, i);
}

/* What is due, and the end if it is wanted. */
static void work(struct sim *s, int i)
{
	struct sim_host *h = &s->host[i];

	while (h->run[0] != '\0' && !h->finished && !h->stopping && h->sent < s->npieces - 1 &&
	    now_ns() - h->begun >= s->piece[h->sent].time) {
		send_piece(s, i, h->sent);
		if (++s->all[h->sent++] == (unsigned)s->n) {
			printf("sent %llu %llu\n", (unsigned long long)h->sent, (unsigned long long)now_ns());
			fflush(stdout);
		}
	}
	if (h->stopping && !h->finished) {
		h->finished = true;
		h->sent++;
		send_piece(s, i, h->sent - 1);
		send_end(s, i);
	}
}

static void beat(struct sim *s, int i, const struct message *m)
{
	struct sim_host *h = &s->host[i];
	uint64_t want = message_number(m, "want");

	message_begin(&s->out, "beat");
	message_put(&s->out, "instance", "1");
	message_put(&s->out, "known", "%d", h->run[0] != '\0');
	message_put(&s->out, "live", "%d", h->run[0] != '\0');
	message_put(&s->out, "sent", "%llu", (unsigned long long)h->sent);
	put_times(s, h, m);
	send_up(s, i);
	for (uint64_t k = want - 1; message_number(m, "again") != 0 && want > 0 && k < h->sent; k++)
		send_piece(s, i, k);
	if (h->finished)
		send_end(s, i);
}

static void take(struct sim *s, int i, const char *user, const struct message *m)
{
	struct sim_host *h = &s->host[i];

	snprintf(h->user, sizeof(h->user), "%s", user);
	if (strcmp(m->kind, "hello") == 0) {
		bool running = h->run[0] != '\0';

		snprintf(h->run, sizeof(h->run), "%s", message_get(m, "run"));
		here(s, i, m);
		h->run[0] = running ? h->run[0] : '\0';
	} else if (strcmp(m->kind, "run") == 0) {
		snprintf(h->run, sizeof(h->run), "%s", message_get(m, "run"));
		message_begin(&s->out, "live");
		send_up(s, i);
	} else if (strcmp(m->kind, "stop") == 0) {
		h->stopping = true;
	} else if (strcmp(m->kind, "beat") == 0) {
		bool running = h->run[0] != '\0';

		snprintf(h->run, sizeof(h->run), "%s", message_get(m, "run"));
		if (!running) {
			message_begin(&s->out, "beat");
			message_put(&s->out, "instance", "1");
			message_put(&s->out, "known", "0");
			put_times(s, h, m);
			send_up(s, i);
			h->run[0] = '\0';
		} else {
			beat(s, i, m);
		}
	}
}

static void take_message(struct sim *s, const struct bus_message *b)
{
	char user[NAME_LENGTH], to[NAME_LENGTH];
	struct message m;
	bool all;
	int i;

	if (sscanf(b->subject, "dt.ask.%63[^.].%63s", user, to) != 2 || !message_read(&m, b->bytes, b->len))
		return;
	all = strcmp(to, "all") == 0 || strncmp(to, "in.", 3) == 0;
	if (all)
		for (i = 0; i < s->n; i++)
			take(s, i, user, &m);
	else if (sscanf(to, "to.h%d", &i) == 1 && i >= s->first && i < s->first + s->n)
		take(s, i - s->first, user, &m);
	message_end(&m);
}

static int simulate(struct sim *s)
{
	struct pollfd fd = { .fd = bus_fd(s->bus), .events = POLLIN };
	struct bus_message *b;

	puts("ready");
	fflush(stdout);
	while (!bus_closed(s->bus)) {
		(void)poll(&fd, 1, 10);
		while ((b = bus_take(s->bus)) != NULL) {
			take_message(s, b);
			bus_free(b);
		}
		for (int i = 0; i < s->n; i++)
			work(s, i);
	}
	return 1;
}

static bool subscribe(struct sim *s, const char *group)
{
	char subject[2 * NAME_LENGTH];

	snprintf(subject, sizeof(subject), "dt.ask.*.%s%s", group != NULL ? "in." : "all",
	    group != NULL ? group : "");
	return bus_subscribe(s->bus, subject) == 0 && bus_subscribe(s->bus, "dt.ask.*.to.*") == 0 &&
	    bus_flush(s->bus);
}

int main(int argc, char **argv)
{
	struct sim *s = calloc(1, sizeof(*s));
	struct settings settings = { 0 };

	if (argc < 4 || argc == 5 || argc > 7 || s == NULL || (s->n = atoi(argv[2])) < 1 ||
	    !load(s, argv[3], argc == 7 ? strtoull(argv[6], NULL, 10) : 0) ||
	    (s->first = argc >= 6 ? atoi(argv[5]) : 0) < 0 || s->first + s->n > 99999) {
		fputs("usage: fleetsim BUS HOSTS RECORDING [GROUP FIRST [AHEAD]]; GROUP \"\": none\n",
		    stderr);
		return 2;
	}
	s->host = calloc((size_t)s->n, sizeof(*s->host));
	snprintf(settings.bus, sizeof(settings.bus), "%s", argv[1]);
	if (s->host == NULL || (s->bus = bus_open(&settings, "fleetsim", false)) == NULL ||
	    !subscribe(s, argc >= 6 && argv[4][0] != '\0' ? argv[4] : NULL))
		return 1;
	return simulate(s);
}
