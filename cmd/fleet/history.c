/* SPDX-License-Identifier: BSD-2-Clause */
/* See history.h. The queue's thread waits for the bus to confirm. */
#include "history.h"

#include "asker.h"
#include "base.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WAITING_MAX = 4096, BYTES_MAX = 64 << 20 };

struct history {
	const struct settings *settings;
	char token[NAME_LENGTH], where[2 * NAME_LENGTH], why[STORE_WHY];
	struct bus_store store;
	struct queue *queue;
	struct out_message out;
};

/* `to` is the subject, a blank, the id of the message. A reason is logged when it changes. */
static enum outcome store(void *ctx, const char *to, const char *bytes, size_t len, int *after)
{
	struct history *h = ctx;
	size_t n = strcspn(to, " ");
	char subject[4 * NAME_LENGTH], why[STORE_WHY];

	(void)after;
	snprintf(subject, sizeof(subject), "%.*s", (int)n, to);
	if (bus_store(&h->store, subject, to + n + 1, bytes, len, why)) {
		h->why[0] = '\0';
		return SENT;
	}
	if (strcmp(why, h->why) != 0)
		fprintf(stderr, "dtraced: history: %s\n", why);
	memcpy(h->why, why, sizeof(why));
	return AGAIN;
}

struct history *history_open(const struct settings *s, struct bus *bus)
{
	struct history *h;
	struct queue_kind kind = { .who = "dtraced", .what = "history", .most = WAITING_MAX,
		.bytes = BYTES_MAX, .send = store };

	if (bus == NULL) {
		fprintf(stderr,
		    "dtraced: history: it is kept by a bus: --bus URL, or the line \"bus URL\"\n");
		return NULL;
	}
	if ((h = calloc(1, sizeof(*h))) == NULL)
		return NULL;
	h->settings = s;
	(void)name_token(s->name, h->token);
	h->store = (struct bus_store){ .bus = bus, .stream = s->history, .hours = s->history_age,
		.mib = s->history_size };
	snprintf(h->where, sizeof(h->where), "the stream %s of the bus", s->history);
	kind.where = h->where;
	kind.ctx = h;
	if ((h->queue = queue_open(&kind)) != NULL)
		return h;
	free(h);
	return NULL;
}

/* The same text has the same number on all hosts; one who lies speaks for himself alone. */
void history_begin(struct history_run *r, const char *text, size_t len)
{
	*r = (struct history_run){ .text = 14695981039346656037u };
	for (size_t i = 0; i < len; i++)
		r->text = (r->text ^ (unsigned char)text[i]) * 1099511628211u;
	asker_make_run(r->id);
}

static void put_part(struct history *h, const char *program, struct history_run *r, unsigned part,
    unsigned parts, uint64_t from, uint64_t to, const void *bytes, size_t len)
{
	const struct settings *s = h->settings;
	char where[8 * NAME_LENGTH];

	r->number++;
	message_begin(&h->out, "history");
	message_put(&h->out, "name", "%s", s->name);
	for (int i = 0; i < s->nlabels; i++)
		message_put(&h->out, "label", "%s", s->label[i]);
	message_put(&h->out, "run", "%s", r->id);
	message_put(&h->out, "text", "%016llx", (unsigned long long)r->text);
	message_put(&h->out, "number", "%llu", (unsigned long long)r->number);
	message_put(&h->out, "part", "%u", part);
	message_put(&h->out, "parts", "%u", parts);
	message_put(&h->out, "every", "%ld", s->history_every);
	message_put(&h->out, "from", "%llu", (unsigned long long)from);
	message_put(&h->out, "to", "%llu", (unsigned long long)to);
	message_body(&h->out, bytes, len);
	snprintf(where, sizeof(where), "dt.history.%s.%s %s.%s.%s.%llu", h->token, program, h->token, program,
	    r->id, (unsigned long long)r->number);
	if (!h->out.failed)			/* else its number is missing */
		queue_put(h->queue, where, h->out.bytes, h->out.len);
}

void history_put(struct history *h, const char *program, struct history_run *r, uint64_t from, uint64_t to,
    const void *bytes, size_t len)
{
	unsigned parts = (unsigned)((len + HISTORY_PART - 1) / HISTORY_PART);

	for (unsigned i = 0; i < parts; i++) {
		size_t at = (size_t)i * HISTORY_PART, left = len - at;

		put_part(h, program, r, i, parts, from, to, (const char *)bytes + at,
		    left < HISTORY_PART ? left : HISTORY_PART);
	}
}

struct queue_counts history_count(struct history *h) { return queue_count(h->queue); }

void history_close(struct history *h, int seconds)
{
	queue_close(h->queue, seconds);
	message_free(&h->out);
	free(h);
}
