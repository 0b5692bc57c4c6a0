/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Messages of hosts and relays, as who asks gets them from the bus: pieces with a line ~~ between them, the
 * first byte of each is the host's. Nothing may be read or written where it should not be, and what is shown
 * on standard error has no character that a terminal obeys.
 */
#include "agent.h"
#include "past.h"
#include "relay.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { RUNS_OF_A_HANDLE = 500 };

/* ---- the bus, and what only a process does ---- */

int bus_send(struct bus *b, const char *subject, const void *p, size_t len)
{
	(void)b, (void)subject, (void)p, (void)len;
	return 0;
}

unsigned long bus_dropped(const struct bus *b) { (void)b; return 0; }
bool worker_begin(struct message *m) { (void)m; return false; }
int asker_run(struct asker *a) { (void)a; return 1; }

int asker_past(struct asker *a, const struct past_wish *w) { (void)a, (void)w; return 1; }

/* ---- one answer ---- */

static void give(struct asker *a, const char *bytes, size_t len)
{
	char subject[32];
	struct bus_message m = { .subject = subject, .bytes = (char *)(uintptr_t)bytes + 1, .len = len - 1 };

	snprintf(subject, sizeof(subject), "dt.out.u.r.%c", 'a' + bytes[0] % 8);
	host_message(a, &m);
}

static void ask_found(struct asker *a)
{
	for (int i = 0; i < a->nhosts; i++)
		if (a->host[i].state == HOST_FOUND)
			host_ask(a, &a->host[i]);
}

static void check_shown(const char *text, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (((unsigned char)text[i] < ' ' && text[i] != '\n' && text[i] != '\t') || text[i] == 0x7f)
			abort();
}

static void give_past(struct past *past, const char *bytes, size_t len)
{
	char subject[32];
	struct bus_message m = { .subject = subject, .bytes = (char *)(uintptr_t)bytes + 1, .len = len - 1 };

	snprintf(subject, sizeof(subject), "dt.history.%c.calls", 'a' + bytes[0] % 8);
	past_message(past, &m, 1000000000000000000);
}

/* The same pieces as a history. */
static void history(struct asker *a, const char *p, size_t len)
{
	struct past past = { .until = UINT64_MAX };

	past_open(&past, a);
	while (len > 0) {
		const char *end = memmem(p, len, "\n~~\n", 4);
		size_t n = end != NULL ? (size_t)(end - p) : len;

		if (n > 0)
			give_past(&past, p, n);
		n += end != NULL ? 4 : 0;
		p += n;
		len -= n;
	}
	(void)past_report(&past);
	past_close(&past);
}

static void answer(struct asker *a, const char *p, size_t len)
{
	while (len > 0) {
		const char *end = memmem(p, len, "\n~~\n", 4);
		size_t n = end != NULL ? (size_t)(end - p) : len;

		if (n > 0)
			give(a, p, n);
		ask_found(a);
		n += end != NULL ? 4 : 0;
		p += n;
		len -= n;
	}
	if (a->lists)
		asker_list(a);
	(void)asker_report(a);
}

static void end(struct asker *a)
{
	if (a->merge != NULL)
		(void)dtrace_merge_close(a->merge);
	for (int i = 0; i < a->nhosts; i++) {
		free(a->host[i].why);
		free(a->host[i].list);
	}
	message_free(&a->out);
	message_free(&a->request);
	free(a);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	static dtrace_hdl_t *dtp;
	static int runs, null = -1;
	struct asker *a = calloc(1, sizeof(*a));
	FILE *err = stderr, *out = stdout;
	char *shown = NULL;
	size_t nshown = 0;
	int why;

	if (null < 0)
		null = open("/dev/null", O_WRONLY);
	if (runs++ % RUNS_OF_A_HANDLE == 0) {
		if (dtp != NULL)
			dtrace_close(dtp);
		dtp = dtrace_open(DTRACE_VERSION, DTRACE_O_NODEV, &why);
	}
	if (a == NULL || dtp == NULL || len == 0) {
		free(a);
		return 0;
	}
	a->dtp = dtp;
	a->pattern[a->npatterns++] = "*";
	strcpy(a->user, "u");
	strcpy(a->run, "r");
	a->root = a->run;
	a->past = (data[0] & 4) != 0;
	a->lists = (data[0] & 1) != 0 && !a->past;
	a->snapshots = (data[0] & 2) != 0;
	a->out_fd = null;
	(void)dtrace_setopt(dtp, "aggrate", "1ms");
	a->merge = a->lists ? NULL : a->past ? dtrace_merge_past(dtp, null) : dtrace_merge_open(dtp, null);
	stderr = stdout = open_memstream(&shown, &nshown);
	if (a->past)
		history(a, (const char *)data + 1, len - 1);
	else
		answer(a, (const char *)data + 1, len - 1);
	end(a);
	fclose(stderr);
	stderr = err;
	stdout = out;
	check_shown(shown, nshown);
	free(shown);
	return 0;
}
