/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Hosts behind relays, by what the relays say of them (relay.h). Each host is one entry, whatever the way to
 * it: its agent takes part once. A relay is untrusted: it can only speak for hosts that nobody else speaks
 * for.
 */
#include "relay.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void unescape(char *s)
{
	char *to = s;

	for (; *s != '\0'; s++)
		if (*s == '\\' && (s[1] == 'n' || s[1] == '\\'))
			*to++ = *++s == 'n' ? '\n' : '\\';
		else
			*to++ = *s;
	*to = '\0';
}

static int state_of(const char *word)
{
	for (int s = HOST_ASKED; s <= HOST_ELSEWHERE; s++)
		if (strcmp(relay_states[s], word) == 0)
			return s;
	return -1;
}

/* It was lost here, or by another way, and begins anew. */
static void take_over(struct host *h, struct host *relay)
{
	h->restarts += h->state == HOST_LOST && h->via != relay;
	h->via = relay;
	relay->through++;
}

/* A host that is ours, or another relay's, stays so while it runs; one that we only ask goes to the relay. */
static bool may_speak(const struct host *h, const struct host *relay, enum host_state state)
{
	if (h->relay)
		return false;
	if (h->via == relay)
		return true;
	return state == HOST_LIVE ? h->state != HOST_LIVE && h->state != HOST_ENDED :
	    state == HOST_ASKED && (h->state == HOST_LOST || h->state == HOST_ELSEWHERE);
}

static void set_state(struct asker *a, struct host *h, enum host_state state, char *why)
{
	if (state == HOST_LOST && h->state != HOST_LOST)
		asker_say(h, "it does not answer");
	if (h->source >= 0 && a->merge != NULL)
		dtrace_merge_leave(a->merge, h->source);
	h->source = -1;
	h->state = state;
	free(h->why);
	unescape(why);
	text_clean(why);
	h->why = strdup(why);
}

static void take_host(struct asker *a, struct host *relay, char *line)
{
	const char *word = strsep(&line, " "), *name = line != NULL ? strsep(&line, " ") : "";
	int state = state_of(word);
	char token[NAME_LENGTH];
	struct host *h;

	if (state < 0 || !name_token(name, token))
		return;
	h = host_find(a, token);
	if (h == NULL) {
		if ((h = host_add(a, token, name)) == NULL)
			return;
		take_over(h, relay);
	} else if (!may_speak(h, relay, (enum host_state)state)) {
		return;
	} else if (h->via != relay) {
		take_over(h, relay);
	}
	set_state(a, h, (enum host_state)state, line != NULL ? line : (char[]){ "" });
}

static void take_line(struct asker *a, struct host *relay, char *line)
{
	unsigned long long late, rounds, cut;
	struct host *h;
	int n;

	if (strncmp(line, "host ", 5) == 0) {
		take_host(a, relay, line + 5);
	} else if (strncmp(line, "back ", 5) == 0) {
		char token[NAME_LENGTH];

		if (name_token(line + 5, token) && (h = host_find(a, token)) != NULL && h->via == relay)
			h->restarts++;
	} else if (sscanf(line, "found %d", &n) == 1 && n >= 0 && n < a->npatterns) {
		a->found[n] = true;
	} else if (sscanf(line, "counts %llu %llu %llu", &late, &rounds, &cut) == 3) {
		a->late += late;
		a->rounds += rounds;
		a->cut |= cut != 0;
	}
}

/* Lines from that place of the log; those that we have are skipped, an incomplete one waits for its rest. */
void relay_log(struct asker *a, struct host *relay, uint64_t from, const char *text, size_t len)
{
	size_t skip = relay->log >= from ? relay->log - (size_t)from : len + 1;
	char *copy, *line, *end;

	if (skip > len || (copy = strndup(text + skip, len - skip)) == NULL)
		return;
	for (line = copy; (end = strchr(line, '\n')) != NULL; line = end + 1) {
		*end = '\0';
		relay->log += (size_t)(end + 1 - line);
		take_line(a, relay, line);
	}
	free(copy);
}

void relay_lost(struct asker *a, const struct host *relay)
{
	char why[1024];

	for (int i = 0; i < a->nhosts; i++) {
		struct host *h = &a->host[i];

		if (h->via != relay || (!host_under_way(h) && h->state != HOST_ENDED))
			continue;
		snprintf(why, sizeof(why), "its relay %s: %s", relay->name,
		    relay->why != NULL ? relay->why : "");
		set_state(a, h, HOST_LOST, why);
	}
}
