/* SPDX-License-Identifier: BSD-2-Clause */
/* dtrace --play --hosts: reads the history from the bus and writes it as one recording. See past.h. */
#include "past.h"

#include "base.h"
#include "signals.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define SECOND_NS 1000000000ull
#define CLOCKS (600 * SECOND_NS)	/* clocks of hosts may differ from that of the bus */
#define BACKLOG (3600 * SECOND_NS)	/* so late a host may bring what it has recorded */

static int refuse(const char *what, const char *why)
{
	fprintf(stderr, "dtrace: %s: %s\n", what, why);
	return 1;
}

static bool read_moments(struct past *p, const struct past_wish *w)
{
	const char *wrong = NULL;
	struct timespec now;
	uint64_t ns;

	clock_gettime(CLOCK_REALTIME, &now);
	ns = (uint64_t)now.tv_sec * SECOND_NS + (uint64_t)now.tv_nsec;
	p->since = 0;
	p->until = ns;
	if (w->until != NULL && !moment_read(w->until, ns, &p->until))
		wrong = w->until;
	if (w->since != NULL && !moment_read(w->since, ns, &p->since))
		wrong = w->since;
	if (wrong != NULL)
		fprintf(stderr, "dtrace: --since, --until: \"%s\" is no moment: -90s, -5m, -1h, -2d, 13:30, "
		    "2026-01-31, 2026-01-31T13:30:00, now\n", wrong);
	else if (p->since >= p->until)
		fputs("dtrace: --since is not before --until\n", stderr);
	return wrong == NULL && p->since < p->until;
}

/* ---- which program ---- */

struct names { char name[WORDS_MAX][NAME_LENGTH]; int n; };

static bool has_name(const struct names *n, const char *name)
{
	for (int i = 0; i < n->n; i++)
		if (strcmp(n->name[i], name) == 0)
			return true;
	return false;
}

/* The last tokens of the subjects that there are. */
static void list_programs(const struct bus_past *b, struct names *n)
{
	const char *subject;

	for (int i = 0; (subject = bus_past_subject(b, i)) != NULL; i++) {
		const char *at = strrchr(subject, '.');

		if (at != NULL && name_good(at + 1) && !has_name(n, at + 1) && n->n < WORDS_MAX)
			strcpy(n->name[n->n++], at + 1);
	}
}

static int name_them(const char *what, const char *name, const struct names *n)
{
	fprintf(stderr, "dtrace: %s%s", what, name);
	for (int i = 0; i < n->n; i++)
		fprintf(stderr, "%s%s", i > 0 ? ", " : ": it has ", n->name[i]);
	fputs(n->n == 0 ? ": it has none yet\n" : ": give --play NAME\n", stderr);
	return 1;
}

/* 0, or a status after a message. */
static int choose_program(const struct bus_past *b, const char *wish, char name[NAME_LENGTH])
{
	struct names *n = calloc(1, sizeof(*n));
	int status = 0;

	if (n == NULL)
		return refuse("the history", "out of memory");
	list_programs(b, n);
	if (wish != NULL && !has_name(n, wish))
		status = name_them("the history has no program ", wish, n);
	else if (wish == NULL && n->n != 1)
		status = name_them(n->n == 0 ? "the history has no program" :
		    "the history is of several programs", "", n);
	else
		snprintf(name, NAME_LENGTH, "%s", wish != NULL ? wish : n->name[0]);
	free(n);
	return status;
}

/* ---- reading ---- */

/* Of one host that is named in full the bus sends nothing else. */
static void make_subject(const struct asker *a, const char *program, char *subject, size_t size)
{
	char token[NAME_LENGTH];
	bool one = a->npatterns == 1 && name_token(a->pattern[0], token);

	snprintf(subject, size, "dt.history.%s.%s", one ? token : "*", program);
}

static int read_all(struct past *p, struct bus_past *b)
{
	struct bus_stored s;
	char why[STORE_WHY];
	int more = 0;

	while (!p->broken && !signals_interrupted() && (more = bus_past_next(b, &s, why)) == 1) {
		past_message(p, s.message, s.time);
		bus_free(s.message);
		if (s.time > p->until + BACKLOG)
			break;
	}
	p->incomplete |= more < 0 || signals_interrupted();
	return more < 0 ? refuse("the history", why) : 0;
}

static int play(struct past *p, struct bus_past *b, const struct past_wish *w)
{
	char program[NAME_LENGTH], subject[3 * NAME_LENGTH], why[STORE_WHY], t[32];
	uint64_t begin = bus_past_begin(b);
	struct asker *a = p->a;

	if (choose_program(b, w->program, program) != 0)
		return 1;
	if (begin > p->since && w->since != NULL)
		fprintf(stderr, "dtrace: the bus has a history from %s on (the line \"history\" of dtraced's "
		    "settings says how much it keeps)\n", moment_text(begin, t));
	make_subject(a, program, subject, sizeof(subject));
	if (!bus_past_read(b, subject, p->since > CLOCKS ? p->since - CLOCKS : 1, why))
		return refuse("the history", why);
	if ((a->merge = dtrace_merge_past(a->dtp, a->out_fd)) == NULL)
		return refuse("the history", dtrace_errmsg(a->dtp, dtrace_errno(a->dtp)));
	past_open(p, a);
	if (read_all(p, b) != 0)
		return 1;
	return past_report(p);
}

int asker_past(struct asker *a, const struct past_wish *w)
{
	struct past *p = calloc(1, sizeof(*p));
	struct bus_past *b = NULL;
	char why[STORE_WHY];
	int status = 1;

	signals_catch();
	if (p != NULL && read_moments(p, w) && asker_open(a) == 0) {
		p->a = a;
		signals_begun();
		if ((b = bus_past_open(a->bus, a->settings.history, why)) != NULL)
			status = play(p, b, w);
		else
			status = refuse("the history", why);
	}
	if (b != NULL)
		bus_past_close(b);
	if (p != NULL)
		past_close(p);
	free(p);
	asker_free(a);
	return status;
}
