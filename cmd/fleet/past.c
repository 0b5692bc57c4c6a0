/* SPDX-License-Identifier: BSD-2-Clause */
/* See past.h. */
#include "past.h"

#include "base.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SECOND_NS 1000000000ull
#define LATE (60 * SECOND_NS)		/* recordings that come later than that are shown late */
#define CLOCK_OFF (60 * SECOND_NS)	/* a clock that differs more from the bus's is named */
#define TIME_MAX (UINT64_C(1) << 62)

/* ---- hosts ---- */

static struct past_host *host_of(struct past *p, const char *token, const char *name)
{
	for (int i = 0; i < p->nhosts; i++)
		if (strcmp(p->host[i].token, token) == 0)
			return &p->host[i];
	if (p->nhosts == HOSTS_MAX)
		return NULL;
	if (p->nhosts == p->cap) {
		struct past_host *more = reallocarray(p->host, (size_t)p->cap + 64, sizeof(*more));

		if (more == NULL)
			return NULL;
		p->host = more;
		p->cap += 64;
	}
	p->host[p->nhosts] = (struct past_host){ .every = SECOND_NS };
	snprintf(p->host[p->nhosts].token, NAME_LENGTH, "%s", token);
	snprintf(p->host[p->nhosts].name, NAME_LENGTH, "%s", name);
	return &p->host[p->nhosts++];
}

__attribute__((format(printf, 2, 3))) static void say(const struct past_host *h, const char *fmt, ...)
{
	char text[1024];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	text_clean(text);
	fprintf(stderr, "dtrace: %s: %s\n", h->name, text);
}

/* ---- numbers ---- */

static void drop_parts(struct past_host *h)
{
	free(h->bytes);
	h->bytes = NULL;
	h->len = 0;
	h->part = 0;
}

/* Another worker: its messages have numbers from 1. */
static void begin_run(struct past *p, struct past_host *h, const struct message *m, uint64_t from)
{
	char t1[32], t2[32];
	bool first = h->run[0] == '\0';

	drop_parts(h);
	snprintf(h->run, sizeof(h->run), "%s", message_get(m, "run"));
	h->number = first ? message_number(m, "number") - 1 : 0;
	if (!h->shown || from < h->last + SECOND_NS)
		return;
	say(h, "nothing was recorded from %s to %s: the program was started again",
	    moment_text(h->last, t1), moment_text(from, t2));
	p->incomplete = true;
}

/* False: it has come before. */
static bool count_number(struct past_host *h, uint64_t number, bool inside)
{
	if (number <= h->number) {
		h->doubled++;
		return false;
	}
	if (number > h->number + 1) {
		h->lost += inside ? number - h->number - 1 : 0;
		drop_parts(h);
	}
	h->number = number;
	return true;
}

/* ---- recordings ---- */

/* Programs that differ cannot be merged: the first that was found is shown. */
static bool is_ours(struct past *p, struct past_host *h, const char *text, uint64_t from)
{
	char t[32];

	if (p->text[0] == '\0') {
		snprintf(p->text, sizeof(p->text), "%s", text);
		snprintf(p->of, sizeof(p->of), "%s", h->name);
	}
	if (strcmp(text, p->text) == 0)
		return true;
	if (!h->other && h->shown)
		say(h, "the program has changed: what it recorded after that is left out; "
		    "--since '%s' shows it", moment_text(from, t));
	else if (!h->other)
		say(h, "it ran another program of that name than %s: it is left out", p->of);
	h->other = p->incomplete = true;
	return false;
}

static void note_clock(struct past_host *h, uint64_t to, uint64_t stored)
{
	if (h->clock || stored == 0 || (to < stored + CLOCK_OFF && stored < to + h->every + 10 * CLOCK_OFF))
		return;
	h->clock = true;
	say(h, "its clock is %+.0f s from that of the bus, or the bus was not there: times are its own",
	    ((double)to - (double)stored) / 1e9);
}

static void feed(struct past *p, struct past_host *h, uint64_t from, uint64_t to)
{
	struct asker *a = p->a;
	int source = dtrace_merge_add(a->merge, h->name, 0);

	if (source < 0 || dtrace_merge_feed(a->merge, source, h->bytes, h->len) != 0 ||
	    dtrace_merge_ended(a->merge, source) == 0) {
		p->broken |= dtrace_errno(a->dtp) == EDT_DIRABORT || source < 0;
		if (h->wrong++ == 0)
			say(h, "a recording is wrong: %s", source < 0 || dtrace_errno(a->dtp) != 0 ?
			    dtrace_errmsg(a->dtp, dtrace_errno(a->dtp)) : "it has no end");
		p->incomplete = true;
	} else {
		h->pieces++;
		h->from = h->shown ? h->from : from;
		h->to = to;
		h->shown = true;
	}
	p->latest = to > p->latest && to < p->until + LATE ? to : p->latest;
	if (p->latest > 2 * LATE)
		dtrace_merge_time(a->merge, p->order, p->latest - LATE);
}

/* A part is kept until all of its recording are there. */
static void take_part(struct past *p, struct past_host *h, const struct message *m, uint64_t from,
    uint64_t to)
{
	uint64_t part = message_number(m, "part"), parts = message_number(m, "parts");
	char *more;

	if (part == 0)
		drop_parts(h);
	if (part != h->part || parts == 0 || parts > PAST_PARTS || part >= parts ||
	    (more = realloc(h->bytes, h->len + m->len + 1)) == NULL) {
		drop_parts(h);
		return;
	}
	memcpy(more + h->len, m->body, m->len);
	h->bytes = more;
	h->len += m->len;
	if (++h->part < parts)
		return;
	feed(p, h, from, to);
	drop_parts(h);
}

static void take(struct past *p, struct past_host *h, const struct message *m, uint64_t stored)
{
	uint64_t from = message_number(m, "from"), to = message_number(m, "to"),
	    number = message_number(m, "number"), every = message_number(m, "every");
	bool inside = to > p->since && from < p->until;

	if (from == 0 || to < from || to > TIME_MAX || number == 0 || !name_good(message_get(m, "run")) ||
	    !name_good(message_get(m, "text"))) {
		h->wrong++;
		return;
	}
	if (strcmp(h->run, message_get(m, "run")) != 0)
		begin_run(p, h, m, from);
	if (!count_number(h, number, inside))
		return;
	h->every = every > 0 && every <= 3600 ? every * SECOND_NS : SECOND_NS;
	h->last = to;
	if (!inside)
		return;
	note_clock(h, to, stored);
	if (is_ours(p, h, message_get(m, "text"), from))
		take_part(p, h, m, from, to);
}

void past_message(struct past *p, const struct bus_message *b, uint64_t stored)
{
	const char *at = strrchr(b->subject, '.'), *begin = at;
	char token[NAME_LENGTH], same[NAME_LENGTH];
	struct past_host *h;
	struct message m;

	while (begin != NULL && begin > b->subject && begin[-1] != '.')
		begin--;
	if (begin == NULL || (size_t)(at - begin) >= sizeof(token) || !message_read(&m, b->bytes, b->len))
		return;
	snprintf(token, sizeof(token), "%.*s", (int)(at - begin), begin);
	if (strcmp(m.kind, "history") == 0 && name_good(token) && name_token(message_get(&m, "name"), same) &&
	    strcmp(same, token) == 0 && asker_wants(p->a, message_get(&m, "name"), &m) &&
	    (h = host_of(p, token, message_get(&m, "name"))) != NULL)
		take(p, h, &m, stored);
	message_end(&m);
}

/* ---- the end ---- */

static void report_host(struct past *p, const struct past_host *h)
{
	char t[32];

	if (h->lost > 0)
		say(h, "%llu message%s of its history are lost: what they recorded is missing",
		    (unsigned long long)h->lost, h->lost > 1 ? "s" : "");
	if (h->doubled > 0)
		say(h, "%llu messages came twice and count once", (unsigned long long)h->doubled);
	if (h->wrong > 0)
		say(h, "%llu messages or recordings of it are wrong and left out",
		    (unsigned long long)h->wrong);
	if (!h->shown) {
		if (!h->other)
			say(h, "it has recorded nothing in that time");
	} else {
		if (h->from > p->since + 2 * h->every)
			say(h, "its history begins at %s", moment_text(h->from, t));
		if (h->to + 3 * h->every + 5 * SECOND_NS < p->until)
			say(h, "its history ends at %s", moment_text(h->to, t));
	}
	p->incomplete |= h->lost > 0 || h->wrong > 0 || !h->shown ||
	    h->to + 3 * h->every + 5 * SECOND_NS < p->until;
}

static bool report_patterns(const struct asker *a)
{
	bool any = false;

	for (int i = 0; i < a->npatterns; i++)
		if (!a->found[i]) {
			fprintf(stderr,
			    "dtrace: %s: missing: no host of that %s has a history of that time\n",
			    a->pattern[i], strchr(a->pattern[i], '=') != NULL ? "label" : "name");
			any = true;
		}
	return any;
}

int past_report(struct past *p)
{
	uint64_t from = UINT64_MAX, to = 0, late = 0, rounds = 0;
	char t1[32], t2[32];
	int n = 0;

	for (int i = 0; i < p->nhosts; i++) {
		const struct past_host *h = &p->host[i];

		report_host(p, h);
		if (!h->shown)
			continue;
		n++;
		from = h->from < from ? h->from : from;
		to = h->to > to ? h->to : to;
	}
	p->incomplete |= report_patterns(p->a);
	dtrace_merge_counts(p->a->merge, &late, &rounds);
	if (late > 0)
		fprintf(stderr, "dtrace: %llu firings came after later ones of other hosts were shown\n",
		    (unsigned long long)late);
	if (n == 0) {
		fputs("dtrace: there is no history of that time\n", stderr);
		return 1;
	}
	fprintf(stderr, "dtrace: history of %d of %d host%s, from %s to %s%s\n", n, p->nhosts,
	    p->nhosts == 1 ? "" : "s", moment_text(from, t1), moment_text(to, t2),
	    p->incomplete ? ", the result is not complete" : "");
	return p->broken ? 1 : p->incomplete ? 3 : 0;
}

void past_open(struct past *p, struct asker *a)
{
	p->a = a;
	p->order = dtrace_merge_add(a->merge, "", 0);
}

void past_close(struct past *p)
{
	for (int i = 0; i < p->nhosts; i++)
		drop_parts(&p->host[i]);
	free(p->host);
}
