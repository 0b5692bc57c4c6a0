/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The worker of a relay: a request in (standard input), and an asker that runs it on the hosts of the group,
 * for the same user. What it merges goes to STREAM_FD, the log of relay.h to standard output.
 */
#include "relay.h"

#include "agent.h"
#include "base.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const relay_states[] = {
	[HOST_ASKED] = "asked", [HOST_LIVE] = "live", [HOST_ENDED] = "ended", [HOST_REFUSED] = "refused",
	[HOST_FAILED] = "failed", [HOST_LOST] = "lost", [HOST_ELSEWHERE] = "elsewhere",
};

/* ---- the log ---- */

static void put_escaped(const char *text)
{
	for (; text != NULL && *text != '\0'; text++)
		if (*text == '\n' || *text == '\\')
			fputs(*text == '\n' ? "\\n" : "\\\\", stdout);
		else
			putchar(*text);
}

static void tell_host(struct host *h)
{
	bool off = h->state == HOST_REFUSED || h->state == HOST_FAILED || h->state == HOST_LOST;

	for (; h->told_restarts < h->restarts; h->told_restarts++)
		printf("back %s\n", h->name);
	if (h->told == h->state || relay_states[h->state] == NULL || h->relay)
		return;
	h->told = h->state;
	printf("host %s %s", relay_states[h->state], h->name);
	if (off) {
		putchar(' ');
		put_escaped(h->why);
	}
	putchar('\n');
}

void relay_live(struct asker *a)
{
	if (a->group == NULL)
		return;
	puts("live");
	fflush(stdout);
}

void relay_tell(struct asker *a)
{
	if (a->group == NULL)
		return;
	for (int i = 0; i < a->npatterns; i++)
		if (a->found[i] && !a->told_found[i]) {
			a->told_found[i] = true;
			printf("found %d\n", i);
		}
	for (int i = 0; i < a->nhosts; i++)
		tell_host(&a->host[i]);
	fflush(stdout);
}

int relay_report(struct asker *a)
{
	uint64_t late = 0, rounds = 0;

	relay_tell(a);
	if (a->merge != NULL)
		dtrace_merge_counts(a->merge, &late, &rounds);
	printf("counts %llu %llu %u\n", (unsigned long long)(late + a->late),
	    (unsigned long long)(rounds + a->rounds), a->turned_away + a->cut);
	fflush(stdout);
	return 0;
}

/* ---- the request ---- */

static void copy(char *to, size_t size, const struct message *m, const char *word)
{
	snprintf(to, size, "%s", message_get(m, word));
}

static void take_settings(struct settings *s, const struct message *m)
{
	copy(s->bus, sizeof(s->bus), m, "at-bus");
	copy(s->ca, sizeof(s->ca), m, "at-ca");
	copy(s->cert, sizeof(s->cert), m, "at-cert");
	copy(s->key, sizeof(s->key), m, "at-key");
	copy(s->user, sizeof(s->user), m, "at-user");
	copy(s->password_file, sizeof(s->password_file), m, "at-password-file");
	copy(s->nkey, sizeof(s->nkey), m, "at-nkey");
	copy(s->seed, sizeof(s->seed), m, "at-seed");
}

/* The same programs, under a run of our own: what hosts send to us is not what they send to who asked. */
static void make_request(struct asker *a, const struct message *m)
{
	static const char *const passed[] = { "snapshots", "option", "program", "operand", "host" };

	asker_make_run(a->run);
	message_begin(&a->request, "run");
	message_put(&a->request, "run", "%s", a->run);
	message_put(&a->request, "root", "%s", a->root);
	message_put(&a->request, "mode", "%s", message_get(m, "mode"));
	for (int i = 0; i < m->n; i++)
		for (size_t k = 0; k < COUNT(passed); k++)
			if (strcmp(m->v[i].word, passed[k]) == 0)
				message_put(&a->request, passed[k], "%s", m->v[i].value);
	message_body(&a->request, m->body, m->len);
}

static bool take_request(struct asker *a, const struct message *m)
{
	for (int i = 0; i < m->n; i++) {
		bool host = strcmp(m->v[i].word, "host") == 0, option = strcmp(m->v[i].word, "option") == 0;

		if ((host && a->npatterns == PATTERNS_MAX) || (option && a->noptions == WORDS_MAX) ||
		    (host && !asker_pattern_good(m->v[i].value)))
			return false;
		if (host)
			a->pattern[a->npatterns++] = m->v[i].value;
		if (option)
			a->option[a->noptions++] = m->v[i].value;
	}
	a->lists = strcmp(message_get(m, "mode"), "list") == 0;
	a->snapshots = message_number(m, "snapshots") != 0;
	a->group = message_get(m, "relay");
	a->root = message_get(m, "root");
	a->out_fd = STREAM_FD;
	copy(a->user, sizeof(a->user), m, "asks-for");
	take_settings(&a->settings, m);
	make_request(a, m);
	return a->npatterns > 0 && name_good(a->user) && name_good(a->root) && name_good(a->group) &&
	    !a->request.failed;
}

int relay_main(void)
{
	struct asker *a = calloc(1, sizeof(*a));
	struct message m;

	if (a != NULL && worker_begin(&m) && take_request(a, &m))
		return asker_run(a);
	puts("fail failed\nthe request cannot be read");
	fflush(stdout);
	return 1;
}
