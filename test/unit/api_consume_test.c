/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Firings through the public header, each function with a real trace: records and what callbacks say of
 * them, text in pieces, handlers, formats, poll(2) (R 5, R 7 1: "no buffered handler, no consume").
 */
#include "api_trace.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <unistd.h>

/* ---- firings and records ---- */

struct seen {
	char text[2048];
	int probes, records, ends;
	int probe_says, rec_says;
};

static int on_probe(const dtrace_probedata_t *d, void *arg)
{
	struct seen *s = arg;

	s->probes++;
	CHECK(d->dtpda_handle != NULL && d->dtpda_timestamp > 0 && d->dtpda_cpu >= 0);
	return s->probe_says;
}

static int on_record(const dtrace_probedata_t *d, const dtrace_recdesc_t *rec, void *arg)
{
	struct seen *s = arg;
	const dtrace_eprobedesc_t *e = d->dtpda_edesc;
	size_t n = strlen(s->text);
	int64_t v = 0;

	if (rec == NULL) {
		s->ends++;
		snprintf(s->text + n, sizeof(s->text) - n, ".");
		return DTRACE_CONSUME_NEXT;
	}
	s->records++;
	CHECK(rec >= e->dtepd_rec && rec < e->dtepd_rec + e->dtepd_nrecs);
	CHECK(rec->dtrd_offset + rec->dtrd_size <= e->dtepd_size);
	if (rec->dtrd_size <= 8)
		memcpy(&v, d->dtpda_data, rec->dtrd_size);
	if (rec->dtrd_size > 8)
		snprintf(s->text + n, sizeof(s->text) - n, "%d/%s ", rec->dtrd_action, d->dtpda_data);
	else
		snprintf(s->text + n, sizeof(s->text) - n, "%d/%lld ", rec->dtrd_action, (long long)v);
	return s->rec_says;
}

static char *worked(dtrace_hdl_t *h, struct seen *s, dtrace_workstatus_t want)
{
	char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	CHECK_INT(dtrace_stop(h), 0);
	CHECK_INT(dtrace_work(h, f, on_probe, on_record, s), want);
	fclose(f);
	return text;
}

static const char records_program[] =
    "BEGIN { s = \"abc\"; trace((int)5); printf(\"%s %d\\n\", s, (long)-7); } END { trace((char)1); }";

static void test_records(void)
{
	dtrace_hdl_t *h = opened();
	struct seen s = { .rec_says = DTRACE_CONSUME_NEXT };
	char *text;

	go(h, records_program);
	text = worked(h, &s, DTRACE_WORKSTATUS_DONE);
	CHECK_STR(s.text, "1/5 3/abc 3/-7 .1/1 .");
	CHECK_STR(text, "");
	CHECK(s.probes == 2 && s.records == 4 && s.ends == 2);
	free(text);
	dtrace_close(h);
}

static void test_consume_says(void)
{
	static const struct { int probe, rec, err; const char *text; } cases[] = {
		{ DTRACE_CONSUME_THIS, DTRACE_CONSUME_THIS, 0, "        5abc -7\n   1" },
		{ DTRACE_CONSUME_NEXT, DTRACE_CONSUME_THIS, 0, "" },
		{ DTRACE_CONSUME_THIS, DTRACE_CONSUME_NEXT, 0, "" },
		{ DTRACE_CONSUME_ABORT, DTRACE_CONSUME_THIS, EDT_DIRABORT, "" },
		{ DTRACE_CONSUME_THIS, DTRACE_CONSUME_ABORT, EDT_DIRABORT, "" },
		{ DTRACE_CONSUME_ERROR, DTRACE_CONSUME_THIS, EDT_BADRVAL, "" },
		{ DTRACE_CONSUME_THIS, 77, EDT_BADRVAL, "" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		dtrace_hdl_t *h = opened();
		struct seen s = { .probe_says = cases[i].probe, .rec_says = cases[i].rec };
		char *text;

		go(h, records_program);
		text = worked(h, &s, cases[i].err != 0 ? DTRACE_WORKSTATUS_ERROR : DTRACE_WORKSTATUS_DONE);
		CHECK_STR(text, cases[i].text);
		CHECK_INT(cases[i].err != 0 ? dtrace_errno(h) : 0, cases[i].err);
		free(text);
		dtrace_close(h);
	}
}

/* dtrace_consume() alone, while tracing: it reads when its time has come, and everything after the end. */
static void test_consume(void)
{
	dtrace_hdl_t *h = opened();
	struct seen s = { .rec_says = DTRACE_CONSUME_NEXT };

	CHECK_INT(dtrace_consume(h, stderr, on_probe, on_record, &s), -1);
	CHECK_INT(dtrace_errno(h), EINVAL);
	CHECK_INT(dtrace_work(h, stderr, on_probe, on_record, &s), DTRACE_WORKSTATUS_ERROR);
	CHECK_INT(dtrace_errno(h), EINVAL);
	CHECK_INT(dtrace_status(h), DTRACE_STATUS_NONE);
	dtrace_sleep(h);	/* there is nothing to wait for: it comes back */
	CHECK_INT(dtrace_setopt(h, "switchrate", "1ms"), 0);
	go(h, "BEGIN { trace(1); }");
	while (s.probes == 0) {
		dtrace_sleep(h);
		if (!CHECK_INT(dtrace_consume(h, stderr, on_probe, on_record, &s), 0))
			break;
	}
	CHECK_STR(s.text, "1/1 .");
	CHECK_INT(dtrace_setopt(h, "switchrate", "1day"), 0);
	CHECK_INT(dtrace_setopt(h, "aggrate", "1day"), 0);
	dtrace_interrupt(h);
	for (int i = 0; i < 1000; i++)
		dtrace_sleep(h);	/* a thousand seconds, of the option statusrate, if it waited */
	CHECK_INT(dtrace_stop(h), 0);
	CHECK_INT(dtrace_status(h), DTRACE_STATUS_STOPPED);
	CHECK_INT(dtrace_consume(h, stderr, on_probe, on_record, &s), 0);
	CHECK_INT(s.probes, 1);
	dtrace_close(h);
}

/* ---- text in pieces ---- */

struct pieces { char text[4096]; int says; };

static int on_piece(const dtrace_bufdata_t *b, void *arg)
{
	struct pieces *p = arg;
	size_t n = strlen(p->text);

	CHECK(b->dtbda_handle != NULL);
	if (b->dtbda_flags != 0 && (b->dtbda_flags & DTRACE_BUFDATA_AGGLAST) == 0)
		CHECK(b->dtbda_aggdata != NULL && b->dtbda_recdesc != NULL);
	snprintf(p->text + n, sizeof(p->text) - n, "[%s%s%d%s%s|%u]",
	    b->dtbda_buffered + strspn(b->dtbda_buffered, " "),
	    b->dtbda_probe != NULL ? " in " : " out ",
	    b->dtbda_recdesc != NULL ? b->dtbda_recdesc->dtrd_action : -1,
	    b->dtbda_aggdata != NULL ? " @" : "", b->dtbda_aggdata != NULL ?
	    b->dtbda_aggdata->dtada_desc->dtagd_name : "", b->dtbda_flags);
	return p->says;
}

static int every(const dtrace_probedata_t *d, const dtrace_recdesc_t *rec, void *arg)
{
	(void)d;
	(void)arg;
	return rec != NULL ? DTRACE_CONSUME_THIS : DTRACE_CONSUME_NEXT;
}

static void test_buffered(void)
{
	dtrace_hdl_t *h = opened();
	struct pieces p = { .says = DTRACE_HANDLE_OK };

	CHECK_INT(dtrace_handle_buffered(h, NULL, NULL), -1);
	CHECK_INT(dtrace_errno(h), EINVAL);
	CHECK_INT(dtrace_handle_buffered(h, on_piece, &p), 0);
	CHECK_INT(dtrace_handle_buffered(h, on_piece, &p), -1);
	CHECK_INT(dtrace_errno(h), EALREADY);
	go(h,
	    "BEGIN { trace(5); printf(\"%s-%d\", \"abc\", 7); @a[\"k\", 1] = sum(3); printa(\"%s=%@d;\", "
	    "@a); printa(@a); @b = count(); }");
	CHECK_INT(dtrace_stop(h), 0);
	CHECK_INT(dtrace_work(h, NULL, NULL, every, NULL), DTRACE_WORKSTATUS_DONE);
	CHECK_STR(p.text, "[5 in 1|0][abc-7 in 3|0][k=3; in 4 @a|12][\n in 4|0]"
	    "[k                                                  in 1 @a|1][1 in 1 @a|1][3 in 1797 @a|2][\n"
	    " in -1 @a|8]");
	p.text[0] = '\0';
	CHECK_INT(dtrace_aggregate_print(h, NULL, NULL), 0);
	CHECK_STR(p.text, "[1 out 1793 @b|2][\n out -1 @b|8]");
	p.says = DTRACE_HANDLE_ABORT;
	CHECK_INT(dtrace_aggregate_print(h, NULL, dtrace_aggregate_walk_valsorted), -1);
	CHECK_INT(dtrace_errno(h), EDT_DIRABORT);
	dtrace_close(h);
}

static void test_unbuffered(void)
{
	dtrace_hdl_t *h = opened();

	go(h, "BEGIN { trace(5); }");
	CHECK_INT(dtrace_stop(h), 0);
	CHECK_INT(dtrace_work(h, NULL, NULL, every, NULL), DTRACE_WORKSTATUS_ERROR);
	CHECK_INT(dtrace_errno(h), EDT_NOBUFFERED);
	dtrace_close(h);
}

/* A structured format goes to the handler whole. */
static void test_buffered_json(void)
{
	dtrace_hdl_t *h = opened();
	struct pieces p = { .says = DTRACE_HANDLE_OK };

	CHECK_INT(dtrace_setopt(h, "oformat", "json"), 0);
	CHECK_INT(dtrace_oformat_configure(h), 0);
	CHECK_INT(dtrace_oformat(h), DTRACE_OFORMAT_STRUCTURED);
	CHECK_INT(dtrace_handle_buffered(h, on_piece, &p), 0);
	dtrace_oformat_setup(h);			/* before there is anything: nothing */
	go(h, "BEGIN { trace(5); }");
	dtrace_oformat_setup(h);
	CHECK_INT(dtrace_stop(h), 0);
	CHECK_INT(dtrace_work(h, NULL, NULL, every, NULL), DTRACE_WORKSTATUS_DONE);
	CHECK(strstr(p.text, "\"type\":\"start\"") != NULL && strstr(p.text, "\"value\":5") != NULL);
	CHECK(strstr(strstr(p.text, "\"type\":\"start\"") + 1, "\"type\":\"start\"") == NULL);
	CHECK(strstr(p.text, "\"type\":\"exit\"") == NULL);
	dtrace_oformat_teardown(h);
	dtrace_oformat_teardown(h);			/* the end is told once */
	CHECK(strstr(p.text, "\"type\":\"exit\"") != NULL);
	CHECK(strstr(strstr(p.text, "\"type\":\"exit\"") + 1, "\"type\":\"exit\"") == NULL);
	dtrace_close(h);
}

/* dtrace_print(): bytes by the name of their type, in the form of the action print(). */
static void test_print(void)
{
	dtrace_hdl_t *h = opened();
	char *text = NULL;
	size_t len = 0;
	FILE *f = open_memstream(&text, &len);
	struct { int a; char b[4]; } pair = { 5, "abc" };
	int number = 17;

	CHECK(f != NULL && dtrace_program_strcompile(h, "struct api_pair { int a; char b[4]; };",
	    DTRACE_PROBESPEC_NAME, DTRACE_C_EMPTY, 0, NULL) != NULL);
	CHECK_INT(dtrace_print(h, f, "int", (char *)&number, sizeof(number)), 4);
	fflush(f);
	CHECK_STR(text, "int 0x11\n");
	CHECK_INT(dtrace_print(h, f, "struct api_pair", (char *)&pair, sizeof(pair)), 8);
	fflush(f);
	CHECK(strstr(text, "int a = 0x5") != NULL && strstr(text, "abc") != NULL);
	CHECK_INT(dtrace_print(h, f, "struct api_pair", (char *)&number, sizeof(number)), 4);
	fflush(f);
	CHECK(strstr(text, "int a = 0x11") != NULL);
	CHECK_INT(dtrace_print(h, f, "struct no_such_struct", (char *)&number, sizeof(number)), 0);
	CHECK_INT(dtrace_print(h, f, NULL, (char *)&number, sizeof(number)), -1);
	CHECK_INT(dtrace_errno(h), EINVAL);
	CHECK_INT(dtrace_print(h, NULL, "int", (char *)&number, sizeof(number)), -1);
	CHECK_INT(dtrace_errno(h), EDT_NOBUFFERED);
	fclose(f);
	free(text);
	dtrace_close(h);
}

/* ---- handlers ---- */

struct faults { int n, fault, action; uint64_t addr; char msg[512]; int says; };

static int on_error(const dtrace_errdata_t *d, void *arg)
{
	struct faults *f = arg;

	f->n++;
	f->fault = d->dteda_fault;
	f->action = d->dteda_action;
	f->addr = d->dteda_addr;
	snprintf(f->msg, sizeof(f->msg), "%s", d->dteda_msg);
	CHECK_STR(d->dteda_pdesc->dtpd_name, "BEGIN");
	CHECK(d->dteda_edesc->dtepd_epid > 0);
	return f->says;
}

static void test_errors(void)
{
	static const struct { const char *text; int fault; } faults[] = {
		{ "BEGIN { trace(*(int *)8); }", DTRACEFLT_BADADDR },
			{ "BEGIN { i = 0; trace(1 / i); }", DTRACEFLT_DIVZERO },
		{ "BEGIN { setopt(\"bufsize\", \"4k\"); }", DTRACEFLT_LIBRARY },
	};

	for (size_t i = 0; i < 2 * sizeof(faults) / sizeof(faults[0]); i++) {
		struct faults f = { .says = i % 2 == 0 ? DTRACE_HANDLE_OK : DTRACE_HANDLE_ABORT };
		dtrace_hdl_t *h = opened();

		CHECK_INT(dtrace_handle_err(h, on_error, &f), 0);
		CHECK_INT(dtrace_handle_err(h, on_error, &f), -1);
		CHECK_INT(dtrace_errno(h), EALREADY);
		go(h, faults[i / 2].text);
		CHECK_INT(dtrace_stop(h), 0);
		CHECK_INT(dtrace_work(h, stderr, NULL, NULL, NULL), i % 2 == 0 ? DTRACE_WORKSTATUS_DONE :
		    DTRACE_WORKSTATUS_ERROR);
		CHECK_INT(i % 2 == 0 ? EDT_ERRABORT : dtrace_errno(h), EDT_ERRABORT);
		CHECK_INT(f.n, 1);
		CHECK_INT(f.fault, faults[i / 2].fault);
		if (f.fault == DTRACEFLT_BADADDR)
			CHECK(f.addr == 8 && strcmp(dtrace_faultstr(h, f.fault), "invalid address") == 0);
		CHECK(f.msg[0] != '\0' && f.msg[strlen(f.msg) - 1] == '\n');
		dtrace_close(h);
	}
}

struct drops { uint64_t n, total; dtrace_dropkind_t kind; int says; };

static int on_drop(const dtrace_dropdata_t *d, void *arg)
{
	struct drops *t = arg;

	t->n += d->dtdda_drops;
	t->total = d->dtdda_total;
	t->kind = d->dtdda_kind;
	CHECK(strstr(d->dtdda_msg, "drop") != NULL || strstr(d->dtdda_msg, "speculation") != NULL);
	return t->says;
}

static void test_drops(void)
{
	for (int says = DTRACE_HANDLE_ABORT; says <= DTRACE_HANDLE_OK; says++) {
		struct drops d = { .says = says };
		dtrace_hdl_t *h = opened();

		CHECK_INT(dtrace_handle_drop(h, on_drop, &d), 0);
		CHECK_INT(dtrace_setopt(h, "nspec", "1"), 0);
		go(h, "BEGIN { a = speculation(); b = speculation(); }");
		CHECK_INT(dtrace_stop(h), 0);
		CHECK_INT(dtrace_work(h, stderr, NULL, NULL, NULL),
		    says == DTRACE_HANDLE_OK ? DTRACE_WORKSTATUS_DONE : DTRACE_WORKSTATUS_ERROR);
		CHECK_INT(says == DTRACE_HANDLE_OK ? EDT_DROPABORT : dtrace_errno(h), EDT_DROPABORT);
		CHECK(d.n == 1 && d.total == 1 && d.kind == DTRACEDROP_SPECUNAVAIL);
		dtrace_close(h);
	}
}

static int on_setopt(const dtrace_setoptdata_t *d, void *arg)
{
	*(int *)arg += 1;
	CHECK_STR(d->dtsda_option, "quiet");
	CHECK(d->dtsda_probe != NULL && strcmp(d->dtsda_probe->dtpda_pdesc->dtpd_name, "BEGIN") == 0);
	CHECK_INT(d->dtsda_oldval, DTRACEOPT_UNSET);
	CHECK(d->dtsda_newval != DTRACEOPT_UNSET);
	return DTRACE_HANDLE_ABORT;
}

static void test_setopt(void)
{
	dtrace_hdl_t *h = opened();
	int times = 0;

	CHECK_INT(dtrace_handle_setopt(h, on_setopt, &times), 0);
	go(h, "BEGIN { setopt(\"quiet\"); }");
	CHECK_INT(dtrace_stop(h), 0);
	CHECK_INT(dtrace_work(h, stderr, NULL, NULL, NULL), DTRACE_WORKSTATUS_ERROR);
	CHECK_INT(dtrace_errno(h), EDT_DIRABORT);
	CHECK_INT(times, 1);
	dtrace_close(h);
}

/* ---- formats ---- */

struct formatting { void *format, *agg; FILE *out; };

static int by_format(const dtrace_probedata_t *d, const dtrace_recdesc_t *rec, void *arg)
{
	struct formatting *f = arg;
	const char *base;
	dtrace_recdesc_t beyond;

	if (rec == NULL)
		return DTRACE_CONSUME_NEXT;
	base = d->dtpda_data - rec->dtrd_offset;
	if (rec->dtrd_action == DTRACEACT_PRINTA) {
		CHECK_INT(dtrace_fprinta(d->dtpda_handle, f->out, f->agg, d, rec, 1, base,
		    d->dtpda_edesc->dtepd_size), 1);
	} else if (rec == d->dtpda_edesc->dtepd_rec) {
		CHECK_INT(dtrace_fprintf(d->dtpda_handle, f->out, f->format, d, rec, 3, base,
		    d->dtpda_edesc->dtepd_size), 3);
		CHECK_INT(dtrace_fprintf(d->dtpda_handle, f->out, f->format, d, rec, 2, base,
		    d->dtpda_edesc->dtepd_size), -1);
		CHECK_INT(dtrace_errno(d->dtpda_handle), EDT_DMISMATCH);
		beyond = *rec;
		beyond.dtrd_offset = d->dtpda_edesc->dtepd_size;
		CHECK_INT(dtrace_fprintf(d->dtpda_handle, f->out, dtrace_printf_create(d->dtpda_handle, "%d"),
		    d, &beyond, 1, base,
		    d->dtpda_edesc->dtepd_size), -1);
		CHECK_INT(dtrace_errno(d->dtpda_handle), EDT_DOFFSET);
	}
	return DTRACE_CONSUME_NEXT;
}

static void test_formats(void)
{
	dtrace_hdl_t *h = opened();
	struct formatting f;
	char *text = NULL, back[16];
	size_t len;

	CHECK(dtrace_printf_create(h, "%") == NULL);
	CHECK_INT(dtrace_errno(h), EDT_COMPILER);
	CHECK(dtrace_printf_create(h, "%@d") == NULL);
	f.format = dtrace_printf_create(h, "<%d|%5s|%x>");
	f.agg = dtrace_printa_create(h, "(%s %@d)");
	CHECK(f.format != NULL && f.agg != NULL);
	CHECK_INT(dtrace_printf_format(h, f.format, back, sizeof(back)), 11);
	CHECK_STR(back, "<%d|%5s|%x>");
	CHECK_INT(dtrace_printf_format(h, f.format, back, 3), 11);
	CHECK_STR(back, "<%");
	f.out = open_memstream(&text, &len);
	go(h,
	    "BEGIN { trace((int)-2); trace(\"abc\"); trace((short)0x1ff); } BEGIN { @[\"k\"] = sum(8); "
	    "printa(@); }");
	CHECK_INT(dtrace_stop(h), 0);
	CHECK_INT(dtrace_work(h, f.out, NULL, by_format, &f), DTRACE_WORKSTATUS_DONE);
	fclose(f.out);
	CHECK_STR(text, "<-2|  abc|1ff>(k 8)");
	free(text);
	dtrace_close(h);
}

/* Commands and files of a caller; the descriptor that freopen() keeps is not for the children (R 4.1 7). */
static int by_command(const dtrace_probedata_t *d, const dtrace_recdesc_t *rec, void *arg)
{
	struct formatting *f = arg;
	const char *base = rec != NULL ? d->dtpda_data - rec->dtrd_offset : NULL;
	dtrace_hdl_t *h = d->dtpda_handle;

	if (rec == NULL || rec != d->dtpda_edesc->dtepd_rec)
		return DTRACE_CONSUME_NEXT;
	CHECK_INT(dtrace_freopen(h, f->out, f->format, d, rec, 1, base, d->dtpda_edesc->dtepd_size), 1);
	CHECK_INT(dtrace_system(h, f->out, f->agg, d, rec, 1, base, d->dtpda_edesc->dtepd_size), 1);
	CHECK_INT(dtrace_freopen(h, f->out, dtrace_printf_create(h, ""), d, rec, 1, base,
	    d->dtpda_edesc->dtepd_size), 1);
	return DTRACE_CONSUME_NEXT;
}

static void test_commands(void)
{
	char dir[] = "/tmp/api_consume.XXXXXX", format[64], command[160], got[64] = "";
	dtrace_hdl_t *h = opened();
	struct formatting f;
	FILE *in;

	CHECK(mkdtemp(dir) != NULL);
	snprintf(format, sizeof(format), "%s/%%d", dir);
	snprintf(command, sizeof(command),
	    "echo told %%d >%s/c; test -z \"$(ls -l /proc/$$/fd | grep %s/out)\" || echo leak >>%s/c", dir,
	    dir, dir);
	f.format = dtrace_printf_create(h, format);
	f.agg = dtrace_printf_create(h, command);
	snprintf(format, sizeof(format), "%s/out", dir);
	f.out = fopen(format, "we");
	CHECK_INT(dtrace_setopt(h, "destructive", NULL), 0);
	go(h, "BEGIN { trace(42); }");
	CHECK_INT(dtrace_stop(h), 0);
	CHECK_INT(dtrace_work(h, f.out, NULL, by_command, &f), DTRACE_WORKSTATUS_DONE);
	snprintf(format, sizeof(format), "%s/42", dir);
	CHECK_INT(access(format, F_OK), 0);
	unlink(format);
	snprintf(format, sizeof(format), "%s/c", dir);
	in = fopen(format, "re");
	CHECK(in != NULL && fread(got, 1, sizeof(got) - 1, in) > 0);
	CHECK_STR(got, "told 42\n");
	fclose(in);
	unlink(format);
	fclose(f.out);
	snprintf(format, sizeof(format), "%s/out", dir);
	unlink(format);
	rmdir(dir);
	dtrace_close(h);
}

/* ---- poll(2) ---- */

/* Everything comes by way of the descriptor: nobody sleeps, and exit() wakes. */
static void test_poll(void)
{
	dtrace_hdl_t *h = opened();
	struct seen s = { .rec_says = DTRACE_CONSUME_NEXT };
	dtrace_workstatus_t status = DTRACE_WORKSTATUS_OKAY;
	struct pollfd fd = { .events = POLLIN };

	CHECK_INT(dtrace_ctlfd(h), -1);
	CHECK_INT(dtrace_errno(h), EINVAL);
	CHECK_INT(dtrace_setopt(h, "switchrate", "10ms"), 0);
	CHECK_INT(enable(h, "tick-20ms { trace(++n); } tick-20ms /n == 3/ { exit(4); }"), 0);
	CHECK_INT(dtrace_go(h), 0);
	fd.fd = dtrace_ctlfd(h);
	CHECK(fd.fd > 0 && dtrace_ctlfd(h) == fd.fd);
	CHECK((fcntl(fd.fd, F_GETFD) & FD_CLOEXEC) != 0);
	while (status == DTRACE_WORKSTATUS_OKAY) {
		if (!CHECK_INT(poll(&fd, 1, 60000), 1))
			break;
		status = dtrace_work(h, stderr, on_probe, on_record, &s);
	}
	CHECK_INT(status, DTRACE_WORKSTATUS_DONE);
	CHECK_INT(dtrace_exitstatus(h), 4);
	CHECK(strncmp(s.text, "1/1 .1/2 .1/3 .", 15) == 0);
	dtrace_close(h);
}

/* Nothing is due for a minute: the descriptor stays quiet, until the trace is stopped. */
static void test_poll_quiet(void)
{
	dtrace_hdl_t *h = opened();
	struct pollfd fd = { .events = POLLIN };

	CHECK_INT(dtrace_setopt(h, "switchrate", "60s"), 0);
	CHECK_INT(dtrace_setopt(h, "statusrate", "60s"), 0);
	CHECK_INT(dtrace_setopt(h, "aggrate", "60s"), 0);
	CHECK_INT(enable(h, "tick-1hour { trace(1); }"), 0);
	CHECK_INT(dtrace_go(h), 0);
	CHECK_INT(dtrace_work(h, stderr, NULL, NULL, NULL), DTRACE_WORKSTATUS_OKAY);
	fd.fd = dtrace_ctlfd(h);
	CHECK_INT(dtrace_work(h, stderr, NULL, NULL, NULL), DTRACE_WORKSTATUS_OKAY);
	CHECK_INT(poll(&fd, 1, 50), 0);
	CHECK_INT(dtrace_stop(h), 0);
	CHECK_INT(poll(&fd, 1, 60000), 1);
	CHECK_INT(dtrace_work(h, stderr, NULL, NULL, NULL), DTRACE_WORKSTATUS_DONE);
	dtrace_close(h);
}

int main(void)
{
	if (geteuid() != 0) {
		check_skip("tracing needs root", __FILE__, __LINE__);
		return check_report("api_consume");
	}
	test_records();
	test_consume_says();
	test_consume();
	test_buffered();
	test_unbuffered();
	test_buffered_json();
	test_print();
	test_errors();
	test_drops();
	test_setopt();
	test_formats();
	test_commands();
	test_poll();
	test_poll_quiet();
	return check_report("api_consume");
}
