/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * syscalls COMMAND [ARG...]: runs a command and prints which system calls it made and how often, most
 * frequent last. A whole client of libdtrace in one file; build it with: cc syscalls.c $(pkg-config --cflags
 * --libs libdtrace)
 */
#include <dtrace.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char program[] = "syscall:::entry /pid == $target/ { @calls[probefunc] = count(); }";

static int fail(dtrace_hdl_t *dtp, const char *what)
{
	fprintf(stderr, "syscalls: %s: %s\n%s", what, dtrace_errmsg(dtp, dtrace_errno(dtp)),
	    dtrace_errexcerpt(dtp));
	dtrace_close(dtp);
	return 1;
}

/* The library calls it while it sleeps; a NULL message: the process has ended. */
static void on_process(struct ps_prochandle *p, const char *msg, void *arg)
{
	(void)p;
	if (msg == NULL)
		*(int *)arg = 1;
}

static int on_drop(const dtrace_dropdata_t *d, void *arg)
{
	(void)arg;
	fprintf(stderr, "syscalls: %s", d->dtdda_msg);
	return DTRACE_HANDLE_OK;
}

/* An element has its variable's id first, then the keys, and last the value. */
static int on_element(const dtrace_aggdata_t *a, void *arg)
{
	const dtrace_aggdesc_t *d = a->dtada_desc;
	const dtrace_recdesc_t *key = &d->dtagd_rec[1], *value = &d->dtagd_rec[d->dtagd_nrecs - 1];
	int64_t n;

	memcpy(&n, a->dtada_data + value->dtrd_offset, sizeof(n));
	printf("%8lld %s\n", (long long)n, a->dtada_data + key->dtrd_offset);
	*(int64_t *)arg += n;
	return DTRACE_AGGWALK_NEXT;
}

/* Until the command ends; what it made until then is taken over after the stop. */
static int trace(dtrace_hdl_t *dtp, const int *ended)
{
	dtrace_workstatus_t status = DTRACE_WORKSTATUS_OKAY;

	while (status == DTRACE_WORKSTATUS_OKAY) {
		if (!*ended)
			dtrace_sleep(dtp);
		if (*ended && dtrace_stop(dtp) != 0)
			return -1;
		status = dtrace_work(dtp, stdout, NULL, NULL, NULL);
	}
	return status == DTRACE_WORKSTATUS_ERROR ? -1 : dtrace_aggregate_snap(dtp);
}

int main(int argc, char **argv)
{
	int err, ended = 0;
	int64_t total = 0;
	dtrace_hdl_t *dtp;
	dtrace_prog_t *prog;
	struct ps_prochandle *p;

	if (argc < 2) {
		fprintf(stderr, "usage: syscalls command [arg ...]\n");
		return 2;
	}
	dtp = dtrace_open(DTRACE_VERSION, 0, &err);
	if (dtp == NULL) {
		fprintf(stderr, "syscalls: %s\n", dtrace_errmsg(NULL, err));
		return 1;
	}
	if ((p = dtrace_proc_create(dtp, argv[1], argv + 1)) == NULL)
		return fail(dtp, "cannot start");
	prog = dtrace_program_strcompile(dtp, program, DTRACE_PROBESPEC_NAME, 0, 0, NULL);
	if (prog == NULL || dtrace_program_exec(dtp, prog, NULL) != 0)
		return fail(dtp, "cannot enable");
	if (dtrace_handle_proc(dtp, on_process, &ended) != 0 || dtrace_handle_drop(dtp, on_drop, NULL) != 0 ||
	    dtrace_go(dtp) != 0)
		return fail(dtp, "cannot trace");
	dtrace_proc_continue(dtp, p);
	if (trace(dtp, &ended) != 0 || dtrace_aggregate_walk_valsorted(dtp, on_element, &total) != 0)
		return fail(dtp, "tracing failed");
	printf("%8lld in all\n", (long long)total);
	dtrace_close(dtp);
	return 0;
}
