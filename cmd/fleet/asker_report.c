/* SPDX-License-Identifier: BSD-2-Clause */
/* What the answer is made of, and what is not in it; lists of probes. See asker.h. */
#include "asker.h"

#include "base.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the end ---- */

static int count(const struct asker *a, enum host_state state)
{
	int n = 0;

	for (int i = 0; i < a->nhosts; i++)
		n += a->host[i].state == state && !a->host[i].relay;
	return n;
}

/* Hosts that take part by another way are among those of that way. */
static int count_all(const struct asker *a)
{
	int n = 0;

	for (int i = 0; i < a->nhosts; i++)
		n += !a->host[i].relay && a->host[i].state != HOST_ELSEWHERE;
	return n;
}

static bool said_before(const struct asker *a, int i)
{
	for (int k = 0; k < i; k++)
		if (a->host[k].state == a->host[i].state && a->host[k].why != NULL &&
		    a->host[i].why != NULL && strcmp(a->host[k].why, a->host[i].why) == 0)
			return true;
	return false;
}

/* One line for all hosts of a reason: a mistake in the program is said once. */
static void put_reason(const struct asker *a, int i, const char *what)
{
	const struct host *h = &a->host[i];

	if (said_before(a, i) || (h->relay && h->through > 0))
		return;			/* its hosts are named */
	fputs("dtrace: ", stderr);
	for (int k = i; k < a->nhosts; k++)
		if (a->host[k].state == h->state && a->host[k].why != NULL && h->why != NULL &&
		    strcmp(a->host[k].why, h->why) == 0)
			fprintf(stderr, "%s%s", k > i ? ", " : "", a->host[k].name);
	fprintf(stderr, ": %s: %s%s", what, h->why != NULL ? h->why : "",
	    h->why != NULL && h->why[0] != '\0' && h->why[strlen(h->why) - 1] == '\n' ? "" : "\n");
}

static bool put_reasons(const struct asker *a)
{
	static const struct { enum host_state state; const char *what;
	} rows[] = {
		{ HOST_REFUSED, "refused" },
		{ HOST_FAILED, "failed" },
		{ HOST_LOST, "its counts are missing" },
		{ HOST_ASKED, "it never began" },
		{ HOST_LIVE, "it did not end" },
	};
	bool any = false;

	for (size_t r = 0; r < COUNT(rows); r++)
		for (int i = 0; i < a->nhosts; i++)
			if (a->host[i].state == rows[r].state) {
				put_reason(a, i,
				    a->snapshots && rows[r].state == HOST_LOST ?
					"what it counted after its last snapshot is missing" :
					rows[r].what);
				any = true;
			}
	for (int i = 0; i < a->npatterns; i++)
		if (!a->found[i]) {
			fprintf(stderr, "dtrace: %s: missing: no host of that %s has answered\n",
			    a->pattern[i], strchr(a->pattern[i], '=') != NULL ? "label" : "name");
			any = true;
		}
	return any;
}

static bool put_streams(const struct asker *a)
{
	bool any = false;

	for (int i = 0; i < a->nhosts; i++) {
		const struct host *h = &a->host[i];

		if (h->restarts > 0) {
			asker_say(h, "it came back %llu time%s: what it had counted before is missing",
			    (unsigned long long)h->restarts, h->restarts > 1 ? "s" : "");
			any = true;
		}
		if (a->verbose || h->again > 0)
			asker_say(h,
			    "%llu messages, %llu doubled, %llu times asked for lost ones, which came",
			    (unsigned long long)(h->want > 0 ? h->want - 1 : 0),
			    (unsigned long long)h->doubled, (unsigned long long)h->again);
	}
	return any;
}

static bool put_limits(const struct asker *a)
{
	if (a->turned_away > 0)
		fprintf(stderr, "dtrace: more than %d hosts have answered: ask for fewer at once\n",
		    HOSTS_MAX);
	if (a->cut)
		fprintf(stderr,
		    "dtrace: a relay has more hosts than it can name: give them to several relays\n");
	return a->turned_away > 0 || a->cut;
}

int asker_report(struct asker *a)
{
	bool missing = put_reasons(a);
	uint64_t late = 0, rounds = 0;
	int ended = count(a, HOST_ENDED), hosts = count_all(a);

	missing |= put_streams(a);
	if (a->merge != NULL)
		dtrace_merge_counts(a->merge, &late, &rounds);
	late += a->late;
	rounds += a->rounds;
	missing |= put_limits(a);
	if (late > 0)
		fprintf(stderr, "dtrace: %llu firings came after later ones of other hosts were shown\n",
		    (unsigned long long)late);
	if (rounds > 0)
		fprintf(stderr, "dtrace: %llu times what was printed lacks a host that was lost then\n",
		    (unsigned long long)rounds);
	if (bus_dropped(a->bus) > 0)
		fprintf(stderr,
		    "dtrace: %lu messages of the bus found no room here, and were asked for again\n",
		    bus_dropped(a->bus));
	fprintf(stderr, "dtrace: %d of %d host%s answered%s\n", ended, hosts, hosts == 1 ? "" : "s",
	    missing ? ", the result is not complete" : "");
	return ended == 0 || a->broken ? 1 : missing ? 3 : 0;
}

/* ---- lists ---- */

struct line { char *text; size_t hosts; };

static int by_text(const void *a, const void *b)
{
	return strcmp(((const struct line *)a)->text, ((const struct line *)b)->text);
}

/* A fifth part of a relay's line is how many of its hosts have the probe. */
static size_t hosts_of(const struct host *h, char *text)
{
	char *at = text;
	size_t n;

	for (int i = 0; i < 4 && at != NULL; i++)
		at = strchr(at + (i > 0), '\t');
	if (at == NULL)
		return 1;
	*at = '\0';
	n = strtoul(at + 1, NULL, 10);
	return !h->relay ? 1 : n < h->through ? n : h->through;
}

static size_t take_lines(struct host *h, struct line *line)
{
	char *save = NULL;
	size_t n = 0, kept = 0;

	for (char *p = strtok_r(h->list, "\n", &save); p != NULL; p = strtok_r(NULL, "\n", &save)) {
		text_clean(p);
		line[n++] = (struct line){ p, hosts_of(h, p) };
	}
	qsort(line, n, sizeof(*line), by_text);
	for (size_t i = 0; i < n; i++)		/* a host counts once, however often it says a name */
		if (kept == 0 || strcmp(line[i].text, line[kept - 1].text) != 0)
			line[kept++] = line[i];
	return kept;
}

static void put_line(const struct asker *a, char *line, size_t hosts)
{
	char *part[4] = { "", "", "", "" }, *p = line;

	if (a->group != NULL) {
		dprintf(a->out_fd, "%s\t%zu\n", line, hosts);
		return;
	}
	for (int i = 0; i < 4 && p != NULL; i++)
		part[i] = strsep(&p, "\t");
	printf("%5zu %10s %17s %33s %s\n", hosts, part[0], part[1], part[2], part[3]);
}

void asker_list(struct asker *a)
{
	size_t most = 0, n = 0;
	struct line *line;

	for (int i = 0; i < a->nhosts; i++)
		for (size_t k = 0; k < a->host[i].nlist; k++)
			most += a->host[i].list[k] == '\n';
	if ((line = calloc(most + a->nhosts + 1, sizeof(*line))) == NULL) {
		fprintf(stderr, "dtrace: out of memory\n");
		return;
	}
	for (int i = 0; i < a->nhosts; i++)
		if (a->host[i].list != NULL && a->host[i].state == HOST_ENDED)
			n += take_lines(&a->host[i], line + n);
	qsort(line, n, sizeof(*line), by_text);
	if (a->group == NULL)
		printf("%5s %10s %17s %33s %s\n", "HOSTS", "PROVIDER", "MODULE", "FUNCTION", "NAME");
	for (size_t i = 0, same; i < n; i += same) {
		size_t hosts = line[i].hosts;

		for (same = 1; i + same < n && strcmp(line[i].text, line[i + same].text) == 0; same++)
			hosts += line[i + same].hosts;
		put_line(a, line[i].text, hosts);
	}
	fflush(stdout);
	free(line);
}
