/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * lockstat(1): what happens with the kernel's locks while a command runs. The command line becomes a
 * struct, the struct a D program on the lockstat provider, and its aggregations become tables.
 */
#include "command.h"
#include "lock_args.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Whether the probe that the event is made of may fire. If not, asking for it by name gets the reason. */
static bool event_exists(struct run *r, const struct lock_event *e, bool report)
{
	dtrace_probedesc_t d = { .dtpd_provider = "lockstat" };
	const char *why;
	char text[64];

	if (e->needs == NULL)
		return true;
	snprintf(text, sizeof(text), "lockstat:::%s", e->needs);
	snprintf(d.dtpd_name, sizeof(d.dtpd_name), "%s", e->needs);
	why = dtrace_probe_never(r->dtp, &d);
	if (why == NULL &&
	    dtrace_program_strcompile(r->dtp, text, DTRACE_PROBESPEC_NAME, 0, 0, NULL) != NULL)
		return true;
	if (report)
		fprintf(stderr, "lockstat: event %u (%s) cannot be watched: %s\n", e->number, e->title,
		    why != NULL ? why : dtrace_errmsg(r->dtp, dtrace_errno(r->dtp)));
	return false;
}

/* Leaves out what this kernel does not have; an option that leaves nothing is an error. */
static int keep_existing(struct lock_args *w, struct run *r)
{
	int n = 0;

	for (int i = 0; i < w->nevents; i++) {
		if (!event_exists(r, w->events[i], w->by_number[i] || w->events[i]->class != 'C'))
			continue;
		w->by_number[n] = w->by_number[i];
		w->events[n++] = w->events[i];
	}
	w->nevents = n;
	if (n == 0)			/* each of them has failed: the last error is a reason for all */
		fprintf(stderr, "lockstat: no event that was asked for can be watched here: %s\n",
		    dtrace_errmsg(r->dtp, dtrace_errno(r->dtp)));
	return n == 0;
}

#define RECORD_BYTES 512		/* of an element with a stack of usual depth */

/* Locks belong to the whole machine, not to the user's processes; -n is the room for records. */
static int set_options(const struct lock_args *w, struct run *r)
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
	struct lock_args *w = arg;

	(void)d;
	w->printed++;
	return DTRACE_CONSUME_THIS;
}

/* The command is started before the program is compiled, as all processes are, and held until dtrace_go(). */
static int trace_and_report(struct lock_args *w, struct run *r)
{
	char *text;
	int status = keep_existing(w, r);

	if (status == 0)
		status = set_options(w, r);
	if (status == 0)
		status = run_create(r, w->command);
	if (status != 0)
		return status;
	text = lock_args_program(w);
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
		lock_args_put_nothing(w, r);
	return status == 0 && !w->trace ? lock_args_report(w, r) : status;
}

/* -o: as with the others, no link of another user decides where the report goes. */
static int open_output(const char *path)
{
	FILE *f = dtrace_outfile(path, 0);
	bool good = f != NULL && dup2(fileno(f), STDOUT_FILENO) >= 0;

	if (!good)
		fprintf(stderr, "lockstat: failed to open %s: %s\n", path, strerror(errno));
	if (f != NULL)
		fclose(f);
	return good ? 0 : 1;
}

int lockstat_command(int argc, char **argv)
{
	struct lock_args w;
	struct run r = { 0 };
	int status = 0;

	if (argc > 1 && strcmp(argv[1], "--help") == 0)
		return lock_args_help();		/* also for those who may not trace */
	status = run_open(&r, "lockstat");
	if (status == 0)
		status = lock_args_parse(&w, &r, argc, argv);
	if (status == 0 && w.output != NULL)
		status = open_output(w.output);
	if (status == 0)
		status = trace_and_report(&w, &r);
	return run_close(&r, status < 0 ? 0 : status);
}
