/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What hosts say, and what becomes of them. A host is the last token of the subject: the server lets no other
 * host publish there. Messages of a stream have numbers: one that is missing is asked for again, one that
 * came before is counted and thrown away, and only what is in order reaches the merge.
 */
#include "asker.h"

#include "base.h"
#include "page.h"
#include "relay.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MS 1000000ull

__attribute__((format(printf, 2, 3))) void asker_say(const struct host *h, const char *fmt, ...)
{
	char text[4096];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	text_clean(text);
	text[strcspn(text, "\n")] = text[strcspn(text, "\n")] != '\0' && strchr(text, '\n')[1] == '\0'
	    ? '\0'
	    : text[strcspn(text, "\n")];
	fprintf(stderr, "dtrace: %s: %s\n", h->name, text);
}

/* ---- to a host ---- */

static void send_to(struct asker *a, const struct host *h, const struct out_message *m)
{
	char subject[4 * NAME_LENGTH];

	snprintf(subject, sizeof(subject), "dt.ask.%s.to.%s", a->user, h->token);
	if (!m->failed)
		(void)bus_send(a->bus, subject, m->bytes, m->len);
}

void host_command(struct asker *a, struct host *h, const char *kind)
{
	message_begin(&a->out, kind);
	message_put(&a->out, "run", "%s", a->run);
	message_put(&a->out, "counted", "%d", h->state == HOST_ENDED);
	send_to(a, h, &a->out);
}

void host_ping(struct asker *a, struct host *h, bool again)
{
	message_begin(&a->out, "beat");
	message_put(&a->out, "run", "%s", a->run);
	message_put(&a->out, "want", "%llu", (unsigned long long)h->want);
	message_put(&a->out, "again", "%d", again);
	message_put(&a->out, "heard", "%zu", h->log);
	message_put(&a->out, "t1", "%llu", (unsigned long long)now_ns());
	send_to(a, h, &a->out);
}

static void want_again(struct asker *a, struct host *h)
{
	if (now_ns() - h->asked < 200 * MS)
		return;
	h->asked = now_ns();
	h->again++;
	host_ping(a, h, true);
}

void host_ask(struct asker *a, struct host *h)
{
	h->state = HOST_ASKED;
	h->want = 1;
	h->log = 0;
	h->behind = 0;
	h->heard = now_ns();
	if (!a->lists && (h->source = dtrace_merge_add(a->merge, h->relay ? "" : h->name, h->offset)) < 0)
		host_leave(a, h, HOST_FAILED, dtrace_errmsg(a->dtp, dtrace_errno(a->dtp)));
	else {
		page_begin(a, h);
		send_to(a, h, &a->request);
	}
}

/* ---- it is out ---- */

void host_leave(struct asker *a, struct host *h, enum host_state state, const char *why)
{
	free(h->why);
	h->why = strdup(why);
	if (h->why != NULL)
		text_clean(h->why);
	h->state = state;
	if (h->source >= 0 && a->merge != NULL)
		dtrace_merge_leave(a->merge, h->source);
	h->source = -1;
	if (h->relay && (state == HOST_LOST || state == HOST_FAILED))
		relay_lost(a, h);
}

bool host_under_way(const struct host *h) { return h->state == HOST_ASKED || h->state == HOST_LIVE; }

/* ---- from a host ---- */

static uint32_t slot_of(const struct asker *a, const char *token)
{
	uint32_t at = 2166136261u;

	for (const char *p = token; *p != '\0'; p++)
		at = (at ^ (unsigned char)*p) * 16777619u;
	for (at %= 2 * HOSTS_MAX; a->index[at] != 0; at = (at + 1) % (2 * HOSTS_MAX))
		if (strcmp(a->host[a->index[at] - 1].token, token) == 0)
			break;
	return at;
}

struct host *host_find(struct asker *a, const char *token)
{
	uint16_t n = a->index[slot_of(a, token)];

	return n != 0 ? &a->host[n - 1] : NULL;
}

struct host *host_add(struct asker *a, const char *token, const char *name)
{
	struct host *h = &a->host[a->nhosts];

	if (a->nhosts == HOSTS_MAX) {
		a->turned_away++;
		return NULL;
	}
	*h = (struct host){ .source = -1, .want = 1 };
	strcpy(h->token, token);
	strcpy(h->name, name);
	a->index[slot_of(a, token)] = (uint16_t)++a->nhosts;
	return h;
}

/* The exchange of the least delay says most; the offset is fixed once the host is asked. */
static void take_clock(struct host *h, const struct message *m)
{
	uint64_t t4 = now_ns(), t1 = message_number(m, "t1"), t2 = message_number(m, "t2"),
	    t3 = message_number(m, "t3"), delay;

	if (t1 == 0 || t1 > t4 || t3 < t2 || t3 - t2 > t4 - t1)
		return;
	delay = t4 - t1 - (t3 - t2);
	h->pings++;
	if (h->state != HOST_FOUND || (h->delay != 0 && delay >= h->delay))
		return;
	h->delay = delay > 0 ? delay : 1;
	h->offset = ((int64_t)(t2 - t1) + (int64_t)(t3 - t4)) / 2;
}

/* The name is only shown: the token is what it is known by, and both have to be the same host's. */
static void take_here(struct asker *a, const char *token, const struct message *m)
{
	const char *name = message_get(m, "name");
	struct host *h = host_find(a, token);
	bool relay = message_get(m, "relay")[0] != '\0';
	char same[NAME_LENGTH];

	if (!name_token(name, same) || strcmp(same, token) != 0 || (!relay && !asker_wants(a, name, m)))
		return;
	if (h == NULL) {
		if (a->stopping || (h = host_add(a, token, name)) == NULL)
			return;
		h->relay = relay;
		a->nrelays += relay;
	} else if ((h->state != HOST_FOUND && h->state != HOST_LOST && h->state != HOST_ELSEWHERE) ||
	    h->relay != relay) {
		return;
	}
	h->via = NULL;
	if (h->state == HOST_LOST &&
	    !a->stopping) { /* it is back: what it still runs of ours counts no more */
		host_command(a, h, "bye");
		h->restarts++;
		h->delay = 0;
		h->pings = 0;
	}
	snprintf(h->instance, sizeof(h->instance), "%s", message_get(m, "instance"));
	h->state = a->stopping ? h->state : HOST_FOUND;
	h->heard = now_ns();
	take_clock(h, m);
	for (int i = 0; i < 4 && h->pings < 2; i++)
		host_ping(a, h, false);
}

static void take_list(struct host *h, const char *bytes, size_t len)
{
	char *more = h->nlist + len < 64 << 20 ? realloc(h->list, h->nlist + len + 1) : NULL;

	if (more == NULL)
		return;
	memcpy(more + h->nlist, bytes, len);
	h->list = more;
	h->nlist += len;
	more[h->nlist] = '\0';
}

static void feed(struct asker *a, struct host *h, const struct message *m)
{
	if (a->lists) {
		take_list(h, m->body, m->len);
		return;
	}
	if (dtrace_merge_feed(a->merge, h->source, m->body, m->len) == 0) {
		page_feed(a, h, m->body, m->len);
		return;
	}
	if (dtrace_errno(a->dtp) == EDT_DIRABORT) {
		if (!a->broken)
			fprintf(stderr, "dtrace: %s\n", dtrace_errmsg(a->dtp, EDT_DIRABORT));
		a->broken = true;
	} else {
		host_command(a, h, "bye");
		host_leave(a, h, HOST_FAILED, dtrace_errmsg(a->dtp, dtrace_errno(a->dtp)));
	}
}

static void take_data(struct asker *a, struct host *h, const struct message *m)
{
	uint64_t number = message_number(m, "number");

	if (h->state != HOST_LIVE || strcmp(message_get(m, "instance"), h->instance) != 0)
		return;
	if (number < h->want) {
		h->doubled++;
	} else if (number > h->want) {
		want_again(a, h);
	} else {
		h->want++;
		h->behind = 0;
		feed(a, h, m);
	}
}

/* A trace that has not ended as it should: by the policy, by what the worker says, or we do not know why. */
static void leave_ended(
    struct asker *a, struct host *h, const struct message *m, const char *text, const char *fmt)
{
	const char *reason = message_get(m, "reason"), *status = strstr(fmt, "%s");
	char why[256];

	snprintf(
	    why, sizeof(why), "%.*s%s%s", (int)(status - fmt), fmt, message_get(m, "status"), status + 2);
	host_leave(a, h, HOST_FAILED, reason[0] != '\0' ? reason : text[0] != '\0' ? text : why);
}

/* What a worker says begins with "fail REASON" if that is why it has ended. */
static void take_end(struct asker *a, struct host *h, const struct message *m)
{
	char *text = strndup(m->body, m->len);
	const char *reason = message_get(m, "reason");

	if ((h->state != HOST_LIVE && h->state != HOST_ASKED) || text == NULL ||
	    strcmp(message_get(m, "instance"), h->instance) != 0) {
		free(text);
		return;
	}
	if (strncmp(text, "fail ", 5) != 0 && message_number(m, "number") >= h->want) {
		h->state = HOST_LIVE;		/* it was, and that word is lost */
		want_again(a, h);
		free(text);
		return;
	}
	a->cut |= h->relay && message_number(m, "cut") != 0;
	if (h->relay && strncmp(text, "fail ", 5) != 0) {
		relay_log(a, h, 0, text, strlen(text));
		text[0] = '\0';
	}
	if (strncmp(text, "fail ", 5) == 0)
		host_leave(a, h, strncmp(text, "fail refused", 12) == 0 ? HOST_REFUSED : HOST_FAILED,
		    strchr(text, '\n') != NULL ? strchr(text, '\n') + 1 : text);
	else if (message_number(m, "status") != 0)
		leave_ended(a, h, m, text, "its worker has ended with status %s");
	else if (h->relay && !a->lists && h->source >= 0 && dtrace_merge_ended(a->merge, h->source) == 0) {
		dtrace_merge_leave(a->merge, h->source);	/* none of its hosts has run */
		h->state = HOST_ENDED;
	} else if (!a->lists && (h->source < 0 || dtrace_merge_ended(a->merge, h->source) == 0))
		leave_ended(a, h, m, text, "its recording has no end (status %s)");
	else {
		h->state = HOST_ENDED;
		if (reason[0] != '\0')
			asker_say(h, "%s", reason);
		if (text[0] != '\0')
			asker_say(h, "%s", text);
		a->stopping |= !a->lists && dtrace_merge_ended(a->merge, h->source) == 2;
	}
	host_command(a, h, "bye");
	free(text);
}

static void take_beat(struct asker *a, struct host *h, const struct message *m)
{
	bool known = message_number(m, "known") != 0;
	uint64_t sent = message_number(m, "sent"), t3 = message_number(m, "t3"), now = now_ns();

	take_clock(h, m);
	if (h->state != HOST_LIVE && h->state != HOST_ASKED)
		return;
	if (strcmp(message_get(m, "instance"), h->instance) != 0) {
		host_leave(a, h, HOST_LOST, "its agent was started anew");
		return;
	}
	if (!known && h->state == HOST_LIVE) {
		host_leave(a, h, HOST_LOST, "it does not know of the run any more");
	} else if (known && h->state == HOST_ASKED && message_number(m, "live") != 0) {
		h->state = HOST_LIVE;
	} else if (!known) {
		send_to(a, h, &a->request);		/* the request was lost */
	} else if (sent >= h->want) {
		if (h->behind == 0)
			h->behind = now;
		else if (now - h->behind > 300 * MS)
			want_again(a, h);
	} else if (h->source >= 0 && h->state == HOST_LIVE && !h->relay && t3 > 1500 * MS) {
		dtrace_merge_time(a->merge, h->source, t3 - 1500 * MS);
	}
}

static void take_fail(struct asker *a, struct host *h, const struct message *m)
{
	char *text = strndup(m->body, m->len);
	const char *why = message_get(m, "why");

	host_leave(a, h,
	    strcmp(why, "refused") == 0	  ? HOST_REFUSED :
		strcmp(why, "taken") == 0 ? HOST_ELSEWHERE :
					    HOST_FAILED,
	    text != NULL ? text : "");
	free(text);
}

/* A refusal may come instead of the first answer. */
static void take_refusal(struct asker *a, const char *token, const struct message *m)
{
	struct host *h;

	if (asker_wants(a, token, NULL) && (h = host_add(a, token, token)) != NULL)
		take_fail(a, h, m);
}

static void take_word(struct asker *a, const char *token, const struct message *m)
{
	struct host *h = host_find(a, token);

	if (strcmp(m->kind, "here") == 0) {
		take_here(a, token, m);
		return;
	}
	if (h == NULL) {
		if (strcmp(m->kind, "fail") == 0)
			take_refusal(a, token, m);
		return;
	}
	if (h->via != NULL)
		return;				/* its relay speaks for it */
	if (h->state != HOST_LOST)
		h->heard = now_ns();
	if (strcmp(m->kind, "live") == 0 && h->state == HOST_ASKED)
		h->state = HOST_LIVE;
	else if (strcmp(m->kind, "data") == 0)
		take_data(a, h, m);
	else if (strcmp(m->kind, "beat") == 0)
		take_beat(a, h, m);
	else if (strcmp(m->kind, "hosts") == 0 && h->relay && host_under_way(h) &&
	    strcmp(message_get(m, "instance"), h->instance) == 0)
		relay_log(a, h, message_number(m, "from"), m->body, m->len);
	else if (strcmp(m->kind, "end") == 0)
		take_end(a, h, m);
	else if (strcmp(m->kind, "fail") == 0 && (h->state == HOST_ASKED || h->state == HOST_FOUND))
		take_fail(a, h, m);
}

void host_message(struct asker *a, const struct bus_message *b)
{
	const char *token = strrchr(b->subject, '.');
	struct message m;

	if (token == NULL || !name_good(token + 1) || !message_read(&m, b->bytes, b->len))
		return;
	take_word(a, token + 1, &m);
	message_end(&m);
}
