/* SPDX-License-Identifier: BSD-2-Clause */
/* The loop of dtrace-fleet: discovery, the run, its end. See asker.h. */
#include "asker.h"

#include "agent.h"
#include "base.h"
#include "page.h"
#include "relay.h"
#include "signals.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MS 1000000ull
#define HELLO (2000 * MS)		/* hosts that come later are looked for as often */
#define BEAT (500 * MS)
#define SILENT (6000 * MS)		/* without a word a host is lost */
#define FIND (1000 * MS)		/* for hosts of a pattern */
#define FIND_NAMED (4000 * MS)		/* for hosts that are named */
#define FIND_RELAY (500 * MS)		/* of a relay: who asked waits; later ones are looked for */

static void say_hello(struct asker *a)
{
	char subject[3 * NAME_LENGTH];

	message_begin(&a->out, "hello");
	message_put(&a->out, "run", "%s", a->run);
	message_put(&a->out, "t1", "%llu", (unsigned long long)now_ns());
	if (a->group != NULL)
		snprintf(subject, sizeof(subject), "dt.ask.%s.in.%s", a->user, a->group);
	else
		snprintf(subject, sizeof(subject), "dt.ask.%s.all", a->user);
	(void)bus_send(a->bus, subject, a->out.bytes, a->out.len);
}

/* Everything that has come, or that comes within the time. */
static void listen(struct asker *a, uint64_t ns)
{
	struct pollfd fd[2] = { { .fd = bus_fd(a->bus), .events = POLLIN }, { .fd = a->out_fd } };
	struct bus_message *b;
	char text[512];

	if (poll(fd, a->lists ? 1 : 2, (int)(ns / MS)) > 0 && (fd[1].revents & POLLERR))
		a->stopping = true;		/* nobody reads what we write */
	while ((b = bus_take(a->bus)) != NULL) {
		host_message(a, b);
		bus_free(b);
	}
	bus_trouble(a->bus, text, sizeof(text));
	if (text[0] != '\0')
		fprintf(stderr, "dtrace: the bus: %s\n", text);
}

static bool all_named_found(const struct asker *a)
{
	for (int i = 0; i < a->npatterns; i++)
		if (!a->found[i] || strpbrk(a->pattern[i], "*?[=") != NULL)
			return false;
	return true;
}

static void discover(struct asker *a)
{
	uint64_t until = now_ns() + (a->group != NULL ? FIND_RELAY : FIND), last = now_ns() + FIND_NAMED;

	say_hello(a);
	while (now_ns() < last && !signals_interrupted() && !all_named_found(a)) {
		bool all = true;

		listen(a, 50 * MS);
		for (int i = 0; i < a->npatterns; i++)
			all &= a->found[i];
		if ((all || a->nrelays > 0 || a->group != NULL) && now_ns() > until)
			break;
	}
	until = now_ns() + 100 * MS;
	while (now_ns() < until)		/* answers of the clocks */
		listen(a, 20 * MS);
}

/* ---- the run ---- */

static void ask_found(struct asker *a)
{
	for (int i = 0; i < a->nhosts; i++) {
		struct host *h = &a->host[i];

		if (h->state != HOST_FOUND || (h->pings < 3 && now_ns() - a->began < FIND))
			continue;
		if (a->verbose && h->restarts == 0)
			asker_say(h, "its clock is %+.6f s from ours (+- %.6f)", (double)h->offset / 1e9,
			    (double)h->delay / 2e9);
		host_ask(a, h);
	}
}

static void beat(struct asker *a)
{
	for (int i = 0; i < a->nhosts; i++) {
		struct host *h = &a->host[i];

		if (!host_under_way(h) || h->via != NULL)
			continue;
		host_ping(a, h, false);
		if (a->stopping)
			host_command(a, h, "stop");
		if (now_ns() - h->heard > SILENT) {
			asker_say(h, "it does not answer");
			host_leave(a, h, HOST_LOST, "it did not answer any more");
		}
	}
}

/* A relay that has no host of ours, or has none yet. */
static bool is_idle(const struct asker *a, const struct host *h)
{
	return h->relay && h->through == 0 && now_ns() - a->began > FIND_NAMED;
}

static bool is_over(const struct asker *a)
{
	for (int i = 0; i < a->nhosts; i++) {
		const struct host *h = &a->host[i];

		if ((host_under_way(h) && !is_idle(a, h)) || (h->state == HOST_FOUND && !a->stopping) ||
		    (h->state == HOST_LOST && !a->stopping && !a->lists && a->nhosts > 1))
			return false;
	}
	return a->group == NULL || a->stopping || a->nhosts > 0;
}

/*
 * A host that is lost may come back; when no other is left, that is the end. A relay waits for them until it
 * is asked to stop.
 */
static bool nobody_left(const struct asker *a)
{
	if (a->group != NULL && !a->stopping)
		return false;
	for (int i = 0; i < a->nhosts; i++)
		if ((host_under_way(&a->host[i]) && !is_idle(a, &a->host[i])) ||
		    a->host[i].state == HOST_FOUND)
			return false;
	return true;
}

/* Relays wait for lost hosts; when no other host runs, ask them to stop. */
static void stop_relays(struct asker *a)
{
	bool any = false;

	if (a->nrelays == 0 || a->group != NULL || a->stopping || a->lists)
		return;
	for (int i = 0; i < a->nhosts; i++) {
		const struct host *h = &a->host[i];

		if (h->state == HOST_FOUND || (host_under_way(h) && (!h->relay || h->through == 0)))
			return;
		any |= !h->relay;
	}
	a->stopping = any;
}

static void follow(struct asker *a)
{
	uint64_t next_beat = 0, next_hello = now_ns() + HELLO;
	bool told = false;

	ask_found(a);
	relay_live(a);
	while (!is_over(a) && !nobody_left(a) && !a->broken) {
		uint64_t now = now_ns();

		a->stopping |= signals_interrupted();
		if (bus_closed(a->bus)) {
			fputs("dtrace: the bus does not let us in any more\n", stderr);
			break;
		}
		if (now >= next_beat || (a->stopping && !told)) {
			told = a->stopping;
			beat(a);
			page_log(a, false);
			next_beat = now + BEAT;
		}
		if (now >= next_hello && !a->stopping && !a->lists) {
			say_hello(a);
			next_hello = now + HELLO;
		}
		listen(a, 100 * MS);
		stop_relays(a);
		if (!a->stopping)
			ask_found(a);
		relay_tell(a);
	}
	for (int i = 0; i < a->nhosts; i++)
		if (host_under_way(&a->host[i]) && a->host[i].via == NULL)
			host_command(a, &a->host[i], "bye");
}

/* ---- the command ---- */

static int begin(struct asker *a)
{
	char subject[4 * NAME_LENGTH];
	int err = 0;

	a->dtp = dtrace_open(DTRACE_VERSION, DTRACE_O_NODEV, &err);
	if (a->dtp == NULL) {
		fprintf(stderr, "dtrace: %s\n", dtrace_errmsg(NULL, err));
		return 1;
	}
	for (int i = 0; i < a->noptions; i++) {		/* those that sort; hosts refuse wrong ones */
		size_t n = strcspn(a->option[i], "=");
		char name[64];

		snprintf(name, sizeof(name), "%.*s", (int)n, a->option[i]);
		if (!a->snapshots && strcmp(name, "aggrate") == 0)
			continue;
		(void)dtrace_setopt(a->dtp, name, a->option[i][n] == '=' ? a->option[i] + n + 1 : NULL);
	}
	if (a->group != NULL)
		(void)dtrace_setopt(a->dtp, "aggmerge", "yes");
	if ((a->bus = bus_open(&a->settings, a->group != NULL ? "dtraced" : "dtrace", false)) == NULL)
		return 1;
	if (!a->lists && (a->merge = dtrace_merge_open(a->dtp, a->out_fd)) == NULL) {
		fprintf(stderr, "dtrace: %s\n", dtrace_errmsg(a->dtp, dtrace_errno(a->dtp)));
		return 1;
	}
	snprintf(subject, sizeof(subject), "dt.out.%s.%s.*", a->user, a->run);
	if (bus_subscribe(a->bus, subject) == 0 && bus_flush(a->bus))
		return 0;
	fprintf(stderr, "dtrace: the bus refuses to be listened to\n");
	return 1;
}

static void finish(struct asker *a)
{
	if (a->merge != NULL)
		(void)dtrace_merge_close(a->merge);
	if (a->bus != NULL) {
		(void)bus_flush(a->bus);
		bus_close(a->bus);
	}
	if (a->dtp != NULL)
		dtrace_close(a->dtp);
	for (int i = 0; i < a->nhosts; i++) {
		free(a->host[i].why);
		free(a->host[i].list);
	}
	message_free(&a->out);
	message_free(&a->request);
	free(a);
}

int asker_run(struct asker *a)
{
	int status;

	signals_catch();
	status = begin(a);
	if (status == 0) {
		signals_begun();
		a->began = now_ns();
		discover(a);
		follow(a);
		if (a->lists)
			asker_list(a);
		page_log(a, true);
		status = a->group != NULL ? relay_report(a) : asker_report(a);
	}
	finish(a);
	return status;
}

int asker_main(int argc, char **argv)
{
	struct asker *a = calloc(1, sizeof(*a));
	int status = a != NULL ? asker_args(a, argc, argv) : 1;

	if (status == 0)
		return asker_run(a);
	if (a != NULL)
		finish(a);
	return status;
}
