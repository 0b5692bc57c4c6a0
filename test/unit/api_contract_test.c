/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the library promises about calls that fail and flags it is given (R 4.1): enabling is all or nothing,
 * each compile flag does what dtrace.h says, handles of processes may be released in any handler. What needs
 * the right to trace is skipped without.
 */
#include "check.h"
#include "dtrace.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

static dtrace_hdl_t *open_tracing(void)
{
	int err;
	dtrace_hdl_t *h = dtrace_open(DTRACE_VERSION, 0, &err);

	if (h == NULL)
		CHECK_SKIP(dtrace_errmsg(NULL, err));
	return h;
}

static dtrace_prog_t *compile(dtrace_hdl_t *h, const char *text, unsigned cflags)
{
	return dtrace_program_strcompile(h, text, DTRACE_PROBESPEC_NAME, cflags, 0, NULL);
}

static int count_prints(const dtrace_probedata_t *d, const dtrace_recdesc_t *rec, void *arg)
{
	(void)d;
	*(int *)arg += rec != NULL;
	return DTRACE_CONSUME_NEXT;
}

/* What a handle without rights compiles, for one that asks whether there are such probes. */
static dtrace_prog_t *compiled_elsewhere(dtrace_hdl_t *h, const char *text)
{
	dtrace_hdl_t *other = dtrace_open(DTRACE_VERSION, DTRACE_O_NODEV, NULL);
	FILE *f = tmpfile();
	dtrace_prog_t *p = NULL;

	CHECK_INT(dtrace_program_save(other, compile(other, text, 0), f), 0);
	rewind(f);
	p = dtrace_program_load(h, f);
	fclose(f);
	dtrace_close(other);
	return p;
}

/* R 4.1 (1): the first clause of a program whose second one matches nothing stayed enabled. */
static void test_exec_is_all_or_nothing(void)
{
	dtrace_hdl_t *h = open_tracing();
	dtrace_prog_t *bad, *good;
	dtrace_proginfo_t info;
	int prints = 0;

	if (h == NULL)
		return;
	bad = compiled_elsewhere(h, "BEGIN { trace(1); } nosuch:::probe { trace(2); @a[pid] = count(); }");
	CHECK(bad != NULL);
	CHECK_INT(dtrace_program_exec(h, bad, NULL), -1);
	CHECK_INT(dtrace_errno(h), EDT_NOPROBE);
	good = compile(h, "BEGIN { trace(3); exit(0); }", 0);
	CHECK(good != NULL && dtrace_program_exec(h, good, &info) == 0 && info.dpi_matches == 1);
	CHECK_INT(dtrace_go(h), 0);
	while (dtrace_work(h, stdout, NULL, count_prints, &prints) == DTRACE_WORKSTATUS_OKAY)
		dtrace_sleep(h);
	CHECK_INT(prints, 2);		/* trace(3) and exit(0) */
	dtrace_close(h);
}

/* Nothing is started, and dtrace_go() may follow; what no engine has is the same error. */
static void test_go_check(void)
{
	dtrace_hdl_t *h = open_tracing();

	if (h == NULL)
		return;
	CHECK_INT(dtrace_program_exec(h, compile(h, "syscall::getppid:entry { exit(0); }", 0), NULL), 0);
	CHECK_INT(dtrace_setopt(h, "engine", "process"), 0);
	CHECK_STR(dtrace_engine(h), "process");
	CHECK_INT(dtrace_go_check(h), -1);
	CHECK_INT(dtrace_errno(h), EDT_ENABLING_ERR);
	CHECK_INT(dtrace_setopt(h, "engine", "auto"), 0);
	CHECK_INT(dtrace_go_check(h), 0);
	CHECK_INT(dtrace_status(h), DTRACE_STATUS_NONE);
	CHECK_INT(dtrace_go(h), 0);
	CHECK_STR(dtrace_engine(h), "kernel");
	CHECK_INT(dtrace_go_check(h), -1);
	dtrace_close(h);
}

/* A handle whose dtrace_go() was refused can be asked again. */
static void test_go_again(void)
{
	dtrace_hdl_t *h = open_tracing();
	int prints = 0;

	if (h == NULL)
		return;
	CHECK_INT(dtrace_program_exec(h, compile(h, "BEGIN { trace(1); exit(0); }", 0), NULL), 0);
	CHECK_INT(dtrace_setopt(h, "bufsize", "4"), 0);
	CHECK_INT(dtrace_go(h), -1);
	CHECK_INT(dtrace_status(h), DTRACE_STATUS_NONE);
	CHECK_INT(dtrace_work(h, stdout, NULL, NULL, NULL), DTRACE_WORKSTATUS_ERROR);
	CHECK_INT(dtrace_errno(h), EINVAL);
	CHECK_INT(dtrace_setopt(h, "bufsize", "64k"), 0);
	CHECK_INT(dtrace_go(h), 0);
	while (dtrace_work(h, stdout, NULL, count_prints, &prints) == DTRACE_WORKSTATUS_OKAY)
		dtrace_sleep(h);
	CHECK_INT(prints, 2);
	dtrace_close(h);
}

/* ---- R 4.1 (2): compile flags ---- */

static void test_zdefs(void)
{
	dtrace_hdl_t *h = open_tracing();
	dtrace_prog_t *p;
	dtrace_proginfo_t info;

	if (h == NULL)
		return;
	CHECK(compile(h, "nosuch:::probe { trace(1); }", 0) == NULL);
	p = compile(h, "BEGIN { trace(1); } nosuch:::probe { trace(1); }", DTRACE_C_ZDEFS);
	CHECK(p != NULL && dtrace_program_exec(h, p, &info) == 0 && info.dpi_matches == 1);
	/* of one compile, not of the handle */
	CHECK(compile(h, "nosuch:::probe { trace(1); }", 0) == NULL);
	dtrace_close(h);
}

static void test_names_flags(void)
{
	static const char symbol[] = "extern int no_such_symbol_of_the_kernel; "
	    "BEGIN { trace(no_such_symbol_of_the_kernel); }";
	static const char library[] = "BEGIN { trace(SIGKILL); }";
	dtrace_hdl_t *h = dtrace_open(DTRACE_VERSION, DTRACE_O_NODEV, NULL);

	CHECK(compile(h, symbol, 0) == NULL);
	CHECK(compile(h, symbol, DTRACE_C_KNODEF) != NULL);
	CHECK(compile(h, symbol, 0) == NULL);
	CHECK(compile(h, library, DTRACE_C_NOLIBS) == NULL);
	CHECK(compile(h, library, 0) != NULL);
	CHECK(compile(h, "BEGIN { trace(1); }", DTRACE_C_UNODEF) != NULL);
	dtrace_close(h);
}

static void test_stability_flag(void)
{
	dtrace_hdl_t *h = dtrace_open(DTRACE_VERSION, DTRACE_O_NODEV, NULL);

	/* no minimum, none to enforce */
	CHECK(compile(h, "BEGIN { trace(curthread); }", DTRACE_C_EATTR) != NULL);
	CHECK_INT(dtrace_setopt(h, "amin", "Stable/Stable/Common"), 0);
	CHECK(compile(h, "BEGIN { trace(curthread); }", DTRACE_C_EATTR | DTRACE_C_ETAGS) == NULL);
	CHECK(strstr(dtrace_errmsg(h, dtrace_errno(h)), "D_ATTR_MIN") != NULL);
	dtrace_close(h);
}

/* What is no control line is not even D. */
static void test_control_flag(void)
{
	static const char text[] = "#pragma D option quiet\nthis is { not D \" at all\n"
	    "  # pragma D option aggsize=64k\n";
	dtrace_hdl_t *h = dtrace_open(DTRACE_VERSION, DTRACE_O_NODEV, NULL);
	dtrace_optval_t v = DTRACEOPT_UNSET;
	dtrace_proginfo_t info;
	dtrace_prog_t *p;

	CHECK(compile(h, text, 0) == NULL);
	CHECK(dtrace_getopt(h, "quiet", &v) == 0 && v == DTRACEOPT_UNSET);
	p = compile(h, text, DTRACE_C_CTL);
	CHECK(p != NULL);
	if (p != NULL) {
		dtrace_program_info(h, p, &info);
		CHECK_INT(info.dpi_recgens, 0);
	}
	CHECK(dtrace_getopt(h, "quiet", &v) == 0 && v != DTRACEOPT_UNSET);
	CHECK(dtrace_getopt(h, "aggsize", &v) == 0 && v == 64 << 10);
	CHECK(compile(h, "\n\n#pragma D option nosuch\n", DTRACE_C_CTL) == NULL);
	dtrace_close(h);
}

/* Nothing is printed by the library unless it was told where. */
static void test_listing_flag(void)
{
	dtrace_hdl_t *h = dtrace_open(DTRACE_VERSION, DTRACE_O_NODEV, NULL);
	char *text = NULL;
	size_t len = 0;
	FILE *f = open_memstream(&text, &len);

	CHECK_INT(dtrace_dump_to(h, f), 0);
	CHECK(compile(h, "BEGIN { trace(1); }", 0) != NULL && fflush(f) == 0 && len == 0);
	CHECK(compile(h, "BEGIN { trace(1); }", DTRACE_C_DIFV) != NULL && fflush(f) == 0 &&
	    strstr(text, "DIFO") != NULL);
	rewind(f);
	CHECK_INT(dtrace_setopt(h, "tree", "1"), 0);
	CHECK(compile(h, "BEGIN { trace(1); }", 0) != NULL && fflush(f) == 0 && len > 0);
	CHECK_INT(dtrace_dump_to(h, NULL), 0);
	fclose(f);
	free(text);
	CHECK(compile(h, "BEGIN { trace(1); }", DTRACE_C_DIFV) != NULL);
	dtrace_close(h);
}

/* ---- R 4.1 (4), (6) ---- */

struct pair { dtrace_hdl_t *h; struct ps_prochandle *p[2]; int calls; };

/* Releases the process it was not called for. */
static void release_other(struct ps_prochandle *p, const char *msg, void *arg)
{
	struct pair *pair = arg;
	int other = p == pair->p[0];

	(void)msg;
	pair->calls++;
	dtrace_proc_release(pair->h, pair->p[other]);
	pair->p[other] = NULL;
}

static void test_release_in_handler(void)
{
	char *const argv[] = { "true", NULL };
	struct pair pair = { .h = open_tracing() };

	if (pair.h == NULL)
		return;
	for (int i = 0; i < 2; i++)
		CHECK((pair.p[i] = dtrace_proc_create(pair.h, "true", argv)) != NULL);
	CHECK_INT(dtrace_handle_proc(pair.h, release_other, &pair), 0);
	CHECK_INT(dtrace_program_exec(pair.h, compile(pair.h, "BEGIN { }", 0), NULL), 0);
	CHECK_INT(dtrace_go(pair.h), 0);
	for (int i = 0; i < 2; i++)
		dtrace_proc_continue(pair.h, pair.p[i]);
	for (int i = 0; i < 2; i++)		/* both have ended before the handler hears of the first */
		while (!dtrace_proc_gone(pair.h, pair.p[i], NULL))
			;
	while (pair.calls == 0)
		dtrace_sleep(pair.h);
	dtrace_sleep(pair.h);
	CHECK_INT(pair.calls, 1);
	dtrace_close(pair.h);
}

static void test_argument_types(void)
{
	dtrace_hdl_t *h = open_tracing();
	dtrace_probedesc_t d;
	dtrace_probeinfo_t info;

	if (h == NULL)
		return;
	CHECK_INT(dtrace_str2desc(h, DTRACE_PROBESPEC_NAME, "proc:::exec", &d), 0);
	CHECK_INT(dtrace_probe_info(h, &d, &info), 0);
	CHECK(info.dtp_argc > 0 && info.dtp_argv[0].dtt_type != NULL && info.dtp_argv[0].dtt_object != NULL);
	CHECK_INT(dtrace_probe_info(h, NULL, &info), -1);
	CHECK_INT(dtrace_errno(h), EINVAL);
	dtrace_close(h);
}

/* L4: a probe that never fires is there, and tells why when it is asked. */
static void test_never(void)
{
	dtrace_hdl_t *h = open_tracing();
	dtrace_probedesc_t never = { .dtpd_provider = "lockstat", .dtpd_name = "thread-spin" };
	dtrace_probedesc_t begin = { .dtpd_name = "BEGIN" }, none = { .dtpd_name = "no-such-probe" };
	dtrace_prog_t *p;

	if (h == NULL)
		return;
	CHECK(strstr(dtrace_probe_never(h, &never), "thread locks") != NULL);
	CHECK(dtrace_probe_never(h, &begin) == NULL && dtrace_probe_never(h, &none) == NULL);
	CHECK_STR(dtrace_remarks(h), "");
	p = dtrace_program_strcompile(h, "lockstat:::thread-spin", DTRACE_PROBESPEC_NAME, 0, 0, NULL);
	CHECK(p != NULL && dtrace_program_exec(h, p, NULL) == 0);
	CHECK(strstr(dtrace_remarks(h), "thread-spin never fires: Linux has no thread locks") != NULL);
	CHECK_STR(dtrace_notice(h), "");
	dtrace_close(h);
}

int main(void)
{
	test_never();
	test_exec_is_all_or_nothing();
	test_go_check();
	test_go_again();
	test_zdefs();
	test_names_flags();
	test_stability_flag();
	test_control_flag();
	test_listing_flag();
	test_release_in_handler();
	test_argument_types();
	return check_report("api_contract");
}
