/* SPDX-License-Identifier: BSD-2-Clause */
#include "hub.h"

#include "web_json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define WAIT_SECONDS 5			/* then a comment is sent: either side notices if the other is gone */
#define ONE_GO (256u << 10)		/* bytes that a reader takes at a time, or one line */

void hub_open(struct hub *h)
{
	*h = (struct hub){ 0 };
	pthread_mutex_init(&h->lock, NULL);
	pthread_cond_init(&h->changed, NULL);
}

void hub_close(struct hub *h)
{
	items_free(&h->kept);
	items_free(&h->moments);
	pthread_cond_destroy(&h->changed);
	pthread_mutex_destroy(&h->lock);
}

void hub_begin(struct hub *h)
{
	pthread_mutex_lock(&h->lock);
	h->trace++;
	h->full = false;
	items_free(&h->kept);
	items_free(&h->moments);
	pthread_cond_broadcast(&h->changed);
	pthread_mutex_unlock(&h->lock);
}

void hub_stop(struct hub *h)
{
	pthread_mutex_lock(&h->lock);
	h->closing = true;
	pthread_cond_broadcast(&h->changed);
	pthread_mutex_unlock(&h->lock);
}

void hub_append(struct hub *h, const char *line, size_t len)
{
	static const char full[] = "{\"t\":\"notice\",\"msg\":\"There are more keys than the page can hold: "
	    "new keys are no longer shown.\"}";

	if (len < 2)
		return;
	pthread_mutex_lock(&h->lock);
	if (line[0] == 'L' || (line[0] == 'D' && h->kept.bytes < HUB_KEPT)) {
		(void)items_add(&h->kept, line + 1, len - 1);
	} else if (line[0] == 'D' && !h->full) {
		h->full = true;
		(void)items_add(&h->kept, full, sizeof(full) - 1);
	} else if (line[0] == 'S') {
		(void)items_add(&h->moments, line + 1, len - 1);
		items_forget(&h->moments, HUB_MOMENTS);
	}
	pthread_cond_broadcast(&h->changed);
	pthread_mutex_unlock(&h->lock);
}

static bool has_unread(const struct hub *h, const struct hub_reader *r)
{
	return h->closing || h->trace != r->trace || r->kept < h->kept.n || r->moment < h->moments.n;
}

static size_t take(FILE *f, const struct items *l, size_t *at, size_t room)
{
	size_t used = 0;

	for (; *at < l->n && used < room; (*at)++) {
		const struct item *line = items_at(l, *at);

		used += line->len;
		fprintf(f, "data: %.*s\n\n", (int)line->len, line->bytes);
	}
	return used;
}

/* What is referred to comes before what refers to it, and may come sooner. */
static void collect(struct hub *h, struct hub_reader *r, FILE *f)
{
	size_t used;

	if (h->trace != r->trace) {
		r->trace = h->trace;
		r->kept = r->moment = 0;
		fprintf(f, "data: {\"t\":\"reset\",\"trace\":%u,\"hosts\":", h->trace);
		json_text(f, h->hosts != NULL ? h->hosts : "");
		fputs("}\n\n", f);
	}
	used = take(f, &h->kept, &r->kept, ONE_GO);
	if (r->moment < h->moments.first) {
		fprintf(f, "data: {\"t\":\"missed\",\"n\":%zu}\n\n", h->moments.first - r->moment);
		r->moment = h->moments.first;
	}
	if (used < ONE_GO && r->kept == h->kept.n)
		take(f, &h->moments, &r->moment, ONE_GO - used);
}

static bool refill(struct hub *h, struct hub_reader *r)
{
	struct timespec until;
	FILE *f;
	bool going;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += WAIT_SECONDS;
	free(r->text);
	r->text = NULL;
	r->len = r->at = 0;
	if ((f = open_memstream(&r->text, &r->len)) == NULL)
		return false;
	pthread_mutex_lock(&h->lock);
	while (!has_unread(h, r) && pthread_cond_timedwait(&h->changed, &h->lock, &until) == 0)
		;
	going = !h->closing;
	if (has_unread(h, r))
		collect(h, r, f);
	else
		fputs(": still there\n\n", f);
	pthread_mutex_unlock(&h->lock);
	return fclose(f) == 0 && going;
}

long hub_read(struct hub *h, struct hub_reader *r, char *to, size_t max)
{
	size_t n;

	if (r->at == r->len && !refill(h, r))
		return -1;
	n = r->len - r->at < max ? r->len - r->at : max;
	memcpy(to, r->text + r->at, n);
	r->at += n;
	return (long)n;
}
