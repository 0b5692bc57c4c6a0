/* SPDX-License-Identifier: BSD-2-Clause */
/* See page.h. Names were checked, and reasons lose their control characters, before they come here. */
#include "page.h"

#include "base.h"

#include <endian.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define MS 1000000ull
#define LATE (2000 * MS)		/* a host without a word for so long is shown as late */
#define MISSING (5000 * MS)		/* a name that no host has answered to by then is missing */
#define COUNTS (5000 * MS)		/* counters alone are written as often */
enum { REASON_MAX = 1000 };

/* ---- descriptors ---- */

/* The other end is read all the time; when it is gone, there is no page any more. */
static void write_all(struct asker *a, int fd, const void *p, size_t len)
{
	const char *at = p;

	while (len > 0) {
		ssize_t n = write(fd, at, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0) {
			a->stopping = true;
			return;
		}
		at += n;
		len -= (size_t)n;
	}
}

static void put_frame(struct asker *a, const struct host *h, const void *p, size_t len)
{
	uint32_t head[2] = { htole32((uint32_t)(h - a->host)), htole32((uint32_t)len) };

	write_all(a, PAGE_STREAMS, head, sizeof(head));
	write_all(a, PAGE_STREAMS, p, len);
}

void page_begin(struct asker *a, struct host *h)
{
	if (!a->page || h->relay || h - a->host >= PAGE_HOSTS)
		return;
	h->own = true;
	put_frame(a, h, "", 0);
}

void page_feed(struct asker *a, const struct host *h, const void *p, size_t len)
{
	if (a->page && h->own && len > 0)
		put_frame(a, h, p, len);
}

/* ---- lines ---- */

static const char *state_word(const struct host *h)
{
	static const char *const words[] = {
		[HOST_FOUND] = "waiting", [HOST_ASKED] = "waiting", [HOST_LIVE] = "live",
		[HOST_ENDED] = "ended", [HOST_REFUSED] = "refused", [HOST_FAILED] = "failed",
		[HOST_LOST] = "lost", [HOST_ELSEWHERE] = "waiting",
	};

	if (host_under_way(h) && h->via == NULL && now_ns() > h->heard + LATE)
		return "late";
	return words[h->state];
}

static const char *reason_of(const struct host *h, const char *state)
{
	if (strcmp(state, "late") == 0)
		return "nothing was heard of it for two seconds";
	if (h->state != HOST_REFUSED && h->state != HOST_FAILED && h->state != HOST_LOST)
		return "";
	return h->why != NULL ? h->why : "";
}

static uint64_t hash_of(const char *s)
{
	uint64_t h = 14695981039346656037u;

	for (; *s != '\0'; s++)
		h = (h ^ (unsigned char)*s) * 1099511628211u;
	return h;
}

static void put_line(struct asker *a, char *line, int len)
{
	for (char *p = line; *p != '\0'; p++)
		if (*p == '\n' || *p == '\t')
			*p = ' ';
	line[len] = '\n';
	write_all(a, PAGE_LOG, line, (size_t)len + 1);
}

static void log_host(struct asker *a, struct host *h, bool all)
{
	const char *state = state_word(h);
	char line[REASON_MAX + 4 * NAME_LENGTH + 200];
	uint64_t hash;
	int len = snprintf(line, sizeof(line) - 1, "host %d %s %llu %llu %llu %lld %llu %d %s %s %.*s",
	    (int)(h - a->host), state, (unsigned long long)h->restarts, (unsigned long long)h->again,
	    (unsigned long long)h->doubled, (long long)h->offset, (unsigned long long)(h->delay / 2),
	    h->own && h->via == NULL, h->name, h->via != NULL ? h->via->name : "-", REASON_MAX,
	    reason_of(h, state));

	hash = hash_of(line);
	if (hash == h->page_line ||
	    (!all && h->page_state == state && now_ns() < h->page_when + COUNTS))
		return;
	h->page_line = hash;
	h->page_state = state;
	h->page_when = now_ns();
	put_line(a, line, len);
}

/* A relay may still name hosts of it. */
static void log_pattern(struct asker *a, int i, bool all)
{
	char line[4 * NAME_LENGTH + 100];
	bool missing = !a->found[i] && (all || now_ns() > a->began + MISSING);

	if (missing == a->page_missing[i])
		return;
	a->page_missing[i] = missing;
	put_line(a, line, snprintf(line, sizeof(line) - 1, "host %d %s 0 0 0 0 0 0 %s - %s", -1 - i,
	    missing ? "missing" : "found", a->pattern[i],
	    missing ? "no host of that name or label has answered: is its dtraced on this bus?" : ""));
}

/* A relay is no host; one that is out before it has named any is shown, with its reason. */
static bool is_row(const struct host *h)
{
	return !h->relay || (h->through == 0 &&
	    (h->state == HOST_REFUSED || h->state == HOST_FAILED || h->state == HOST_LOST));
}

void page_log(struct asker *a, bool all)
{
	if (!a->page)
		return;
	for (int i = 0; i < a->npatterns; i++)
		log_pattern(a, i, all);
	for (int i = 0; i < a->nhosts; i++)
		if (is_row(&a->host[i]))
			log_host(a, &a->host[i], all);
}
