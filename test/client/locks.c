/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Enables every probe that the historic lockstat(1) and plockstat(1) enable, in one program each, as they do:
 * all clauses or none (L4). Then both are live, with one command, and end with it.
 * 	locks COMMAND
 */
#include <dtrace.h>
#include <stdlib.h>
#include <string.h>

static dtrace_hdl_t *dtp;
static int gone;

static void fail(const char *what)
{
	fprintf(stderr, "%s: %s\n", what, dtrace_errmsg(dtp, dtrace_errno(dtp)));
	exit(1);
}

static void on_process(struct ps_prochandle *p, const char *msg, void *arg)
{
	(void)p, (void)msg, (void)arg;
	gone = 1;
}

static int count(const dtrace_aggdata_t *a, void *arg)
{
	(void)a;
	return ++*(int *)arg, DTRACE_AGGWALK_NEXT;
}

static void enable(const char *provider, const char *const *names)
{
	dtrace_proginfo_t info;
	dtrace_prog_t *p;
	char text[4096] = "";
	unsigned n = 0;

	for (; *names != NULL; names++, n++)
		snprintf(text + strlen(text), sizeof(text) - strlen(text),
		    "%s:::%s { self->t[arg0] = timestamp; @[\"%s\", arg0, arg1, stackdepth] = count(); }\n",
		    provider, *names, *names);
	p = dtrace_program_strcompile(dtp, text, DTRACE_PROBESPEC_NAME, 0, 0, NULL);
	if (p == NULL || dtrace_program_exec(dtp, p, &info) != 0)
		fail(provider);
	printf("%s: %u clauses, %s, %u aggregates\n", provider, n,
	    info.dpi_matches == n ? "a probe each" : "not a probe each", info.dpi_aggregates);
}

int main(int argc, char **argv)
{
	static const char *const kernel[] = { "adaptive-spin", "adaptive-block", "spin-spin", "thread-spin",
		"rw-block", "spin-acquire", "spin-release", "rw-upgrade", NULL };
	static const char *const process[] = { "mutex-acquire", "mutex-release", "mutex-block",
		"mutex-blocked", "mutex-spin", "mutex-spun", "mutex-error", "rw-acquire", "rw-release",
		"rw-block", "rw-blocked", "rw-error", NULL };
	struct ps_prochandle *proc;
	int err, elements = 0;

	dtp = dtrace_open(DTRACE_VERSION, 0, &err);
	if (dtp == NULL || argc < 2)
		return 2;
	proc = dtrace_proc_create(dtp, argv[1], &argv[1]);
	if (proc == NULL || dtrace_handle_proc(dtp, on_process, NULL) != 0)
		fail(argv[1]);
	enable("lockstat", kernel);
	enable("plockstat$target", process);
	if (dtrace_go(dtp) != 0)
		fail("go");
	dtrace_proc_continue(dtp, proc);
	while (!gone) {
		dtrace_sleep(dtp);
		if (dtrace_work(dtp, stdout, NULL, NULL, NULL) == DTRACE_WORKSTATUS_ERROR)
			fail("work");
	}
	if (dtrace_stop(dtp) != 0 || dtrace_aggregate_snap(dtp) != 0 ||
	    dtrace_aggregate_walk_sorted(dtp, count, &elements) != 0)
		fail("stop");
	printf("%s\n", elements > 0 ? "some fired" : "none fired");
	dtrace_close(dtp);
	return 0;
}
