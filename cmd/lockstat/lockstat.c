/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * lockstat(1): what happens with the kernel's locks while a command runs. The command line becomes a
 * wish, the wish a D program on the lockstat provider, and its aggregations become tables.
 */
#include "command.h"
#include "wish.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Whether the probe that the event is made of exists. If not, a wish for it by name gets the reason. */
static bool event_exists(struct run *r, const struct lock_event *e, bool tell)
{
	char text[64];

	if (e->needs == NULL)
		return true;
	snprintf(text, sizeof(text), "lockstat:::%s", e->needs);
	if (dtrace_program_strcompile(r->dtp, text, DTRACE_PROBESPEC_NAME, 0, 0, NULL) != NULL)
		return true;
	if (tell)
		fprintf(stderr, "lockstat: event %u (%s) cannot be watched: %s\n", e->number, e->title,
		    dtrace_errmsg(r->dtp, dtrace_errno(r->dtp)));
	return false;
}

/* Leaves out what this kernel does not have; an option that leaves nothing is an error. */
static int keep_existing(struct lock_wish *w, struct run *r)
{
	int n = 0;

	for (int i = 0; i < w->nevents; i++) {
		if (!event_exists(r, w->events[i], w->by_number[i] || w->events[i]->class != 'C'))
			continue;
		w->by_number[n] = w->by_number[i];
		w->events[n++] = w->events[i];
	}
	w->nevents = n;
	if (n == 0)
		fprintf(stderr, "lockstat: no event that was asked for can be watched here\n");
	return n == 0;
}

#define RECORD_BYTES 512		/* of an element with a stack of usual depth */

/* Locks belong to the whole machine, whoever runs the command; -n is the room for records. */
static int set_options(const struct lock_wish *w, struct run *r)
{
	char size[32];

	if (run_option(r, "target", "all") != 0)
		return 1;
	if (w->records == 0)
		return 0;
	snprintf(size, sizeof(size), "%ldk", w->records / (1024 / RECORD_BYTES) + 1);
	return run_option(r, "aggsize", size);
}

/* -T: records are printed as their actions say. */
static int count_event(const dtrace_probedata_t *d, void *arg)
{
	struct lock_wish *w = arg;

	(void)d;
	w->printed++;
	return DTRACE_CONSUME_THIS;
}

/* The command is started before the program is compiled, as all processes are, and held until dtrace_go(). */
static int trace_and_report(struct lock_wish *w, struct run *r)
{
	char *text;
	int status = keep_existing(w, r);

	if (status == 0)
		status = set_options(w, r);
	if (status == 0)
		status = run_create(r, w->command);
	if (status != 0)
		return status;
	text = wish_program(w);
	if (text == NULL) {
		fprintf(stderr, "lockstat: out of memory\n");
		return 1;
	}
	if (w->print)
		fprintf(stderr, "vvvv D program vvvv\n%s^^^^ D program ^^^^\n", text);
	if (w->trace) {
		r->firing = count_event;
		r->arg = w;
	}
	status = run_program(r, text);
	free(text);
	if (status == 0 && w->trace && w->printed == 0)
		wish_put_nothing(w, r);
	return status == 0 && !w->trace ? wish_report(w, r) : status;
}

int lockstat_command(int argc, char **argv)
{
	struct lock_wish w;
	struct run r = { 0 };
	int status = 0;

	if (argc > 1 && strcmp(argv[1], "--help") == 0)
		return wish_help();		/* also for those who may not trace */
	status = run_open(&r, "lockstat");
	if (status == 0)
		status = wish_parse(&w, &r, argc, argv);
	if (status == 0 && w.output != NULL && freopen(w.output, "we", stdout) == NULL) {
		fprintf(stderr, "lockstat: failed to open %s: %s\n", w.output, strerror(errno));
		status = 1;
	}
	if (status == 0)
		status = trace_and_report(&w, &r);
	return run_close(&r, status < 0 ? 0 : status);
}
