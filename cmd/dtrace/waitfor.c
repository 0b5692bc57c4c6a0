/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * -W: the wait is a trace of its own. A program that takes a new name is known at once, and waiting costs the
 * others nothing.
 */
#include "waitfor.h"

#include "signals.h"

#include <dtrace.h>

#include <stdio.h>
#include <string.h>

/* What the kernel keeps of a name, with the NUL: longer names are compared by their first 15 characters. */
#define COMM 16

static const char program[] = "proc:::exec-success /execname == $$1/ { trace(pid); exit(0); }";

/* The record of trace(pid); the one of exit() is passed over. */
static int take_pid(const dtrace_probedata_t *data, const dtrace_recdesc_t *rec, void *arg)
{
	long *found = arg;
	int32_t pid;

	if (rec == NULL || rec->dtrd_action != DTRACEACT_DIFEXPR || rec->dtrd_size != sizeof(pid))
		return DTRACE_CONSUME_NEXT;
	memcpy(&pid, data->dtpda_data, sizeof(pid));
	*found = pid;
	return DTRACE_CONSUME_NEXT;
}

static int take_probe(const dtrace_probedata_t *data, void *arg)
{
	(void)data, (void)arg;
	return DTRACE_CONSUME_THIS;
}

/* The name is an operand of the program, so that it needs no quoting. */
static int enable_wait(dtrace_hdl_t *h, const char *name)
{
	char shown[COMM], *const argv[] = { "dtrace", shown };
	dtrace_prog_t *p;

	snprintf(shown, sizeof(shown), "%s", name);
	if (dtrace_setopt(h, "quiet", NULL) != 0)
		return -1;
	p = dtrace_program_strcompile(h, program, DTRACE_PROBESPEC_NAME, 0, 2, argv);
	return p == NULL || dtrace_program_exec(h, p, NULL) != 0 ? -1 : dtrace_go(h);
}

long waitfor_name(const char *name)
{
	dtrace_workstatus_t status = DTRACE_WORKSTATUS_OKAY;
	long pid = 0;
	int err;
	dtrace_hdl_t *h = dtrace_open(DTRACE_VERSION, 0, &err);

	if (h == NULL || enable_wait(h, name) != 0) {
		fprintf(stderr, "dtrace: failed to wait for %s: %s\n", name,
		    dtrace_errmsg(h, h != NULL ? dtrace_errno(h) : err));
		dtrace_close(h);
		return 0;
	}
	fprintf(stderr, "dtrace: waiting for a process named %s\n", name);
	while (!signals_interrupted() && pid == 0 && status == DTRACE_WORKSTATUS_OKAY) {
		dtrace_sleep(h);
		status = dtrace_work(h, NULL, take_probe, take_pid, &pid);
	}
	if (pid == 0 && status == DTRACE_WORKSTATUS_ERROR)
		fprintf(stderr, "dtrace: failed to wait for %s: %s\n", name,
		    dtrace_errmsg(h, dtrace_errno(h)));
	dtrace_close(h);
	return pid;
}
