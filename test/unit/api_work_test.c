/* SPDX-License-Identifier: BSD-2-Clause */
/* dtrace_work() and the records that it hands to the caller's function. */
#include "check.h"
#include "dtrace.h"

#include <setjmp.h>
#include <stdbool.h>
#include <stdlib.h>

static int on_record(const dtrace_probedata_t *d, const dtrace_recdesc_t *rec, void *arg)
{
	FILE *f = arg;
	int32_t n = 0;

	if (rec == NULL) {
		fprintf(f, "end\n");
		return DTRACE_CONSUME_NEXT;
	}
	if (rec->dtrd_size == sizeof(n))
		memcpy(&n, d->dtpda_data, sizeof(n));
	fprintf(f, "%d of %u: %d\n", rec->dtrd_action, rec->dtrd_size, n);
	return rec->dtrd_action == DTRACEACT_EXIT ? DTRACE_CONSUME_THIS : DTRACE_CONSUME_NEXT;
}

static int on_record_take(const dtrace_probedata_t *d, const dtrace_recdesc_t *rec, void *arg)
{
	(void)d, (void)rec, (void)arg;
	return DTRACE_CONSUME_THIS;
}

static int on_record_abort(const dtrace_probedata_t *d, const dtrace_recdesc_t *rec, void *arg)
{
	(void)d, (void)rec, (void)arg;
	return DTRACE_CONSUME_ABORT;
}

/* To the end; the last status. False: nobody may trace here. */
static bool traced(dtrace_hdl_t *h, const char *text, FILE *out, dtrace_consume_rec_f *f, void *arg,
    dtrace_workstatus_t *status)
{
	dtrace_prog_t *p = dtrace_program_strcompile(h, text, DTRACE_PROBESPEC_NAME, 0, 0, NULL);

	CHECK(p != NULL);
	if (p == NULL || dtrace_program_exec(h, p, NULL) != 0 || dtrace_go(h) != 0)
		return false;
	for (*status = DTRACE_WORKSTATUS_OKAY; *status == DTRACE_WORKSTATUS_OKAY; )
		*status = dtrace_work(h, out, NULL, f, arg);
	return true;
}

/*
 * The caller's function sees each record and takes it, or leaves it to be printed, for which there must
 * be somewhere.
 */
static void test_records(void)
{
	static const struct { dtrace_consume_rec_f *f; bool out; int err; const char *text; } rows[] = {
		{ on_record, false, 0, "1 of 4: 7\n3 of 4: 8\n3 of 4: 9\n2 of 4: 3\nend\n" },
		{ NULL, false, 0, "" }, { on_record_take, true, 0, "7a 8 9" },
		{ on_record_take, false, EDT_NOBUFFERED, "" }, { on_record_abort, false, EDT_DIRABORT, "" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		dtrace_workstatus_t status;
		int err;
		dtrace_hdl_t *h = dtrace_open(DTRACE_VERSION, 0, &err);
		char *text = NULL;
		size_t len;
		FILE *f = open_memstream(&text, &len);

		CHECK(h != NULL && dtrace_setopt(h, "quiet", NULL) == 0);
		if (traced(h, "BEGIN { trace(7); printf(\"a %d %d\", 8, 9); exit(3); }",
		    rows[i].out ? f : NULL, rows[i].f, f, &status)) {
			CHECK_INT(status, rows[i].err ? DTRACE_WORKSTATUS_ERROR : DTRACE_WORKSTATUS_DONE);
			CHECK_INT(rows[i].err ? dtrace_errno(h) : 0, rows[i].err);
			fflush(f);
			CHECK_STR(text, rows[i].text);
		}
		dtrace_close(h);
		fclose(f);
		free(text);
	}
}

/* ---- text around records, records that nobody is asked about ---- */

struct lines { int n, stop; jmp_buf *out; };

static int on_line(dtrace_linedata_t *l, void *arg)
{
	struct lines *s = arg;

	CHECK(l->dtlda_handle != NULL && l->dtlda_size >= 64 && l->dtlda_probe->dtpda_data == NULL);
	if (++s->n == s->stop && s->out != NULL)
		longjmp(*s->out, 1);
	if (s->n == s->stop)
		return -1;
	l->dtlda_end = s->n % 2 ? "|\n" : NULL;
	return snprintf(l->dtlda_text, l->dtlda_size, "<%s %d> ", l->dtlda_probe->dtpda_pdesc->dtpd_name,
	    s->n);
}

/* With one thread and with several: the same text, up to the line whose function ends the trace. */
static void test_lines(const char *threads, int stop, const char *want, int err)
{
	struct lines s = { .stop = stop };
	dtrace_workstatus_t status;
	int why;
	dtrace_hdl_t *h = dtrace_open(DTRACE_VERSION, 0, &why);
	char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	CHECK(h != NULL && dtrace_setopt(h, "quiet", NULL) == 0);
	CHECK_INT(dtrace_setopt(h, "formatthreads", threads), 0);
	CHECK_INT(dtrace_handle_line(h, on_line, NULL), 0);
	CHECK_INT(dtrace_handle_line(h, on_line, &s), 0);	/* the last one counts */
	if (traced(h, "BEGIN { trace(7); } BEGIN { @ = count(); } BEGIN { printf(\"a %d\", 8); } "
	    "BEGIN { trace(9); exit(3); }", f, dtrace_consume_all, NULL, &status)) {
		CHECK_INT(status, err ? DTRACE_WORKSTATUS_ERROR : DTRACE_WORKSTATUS_DONE);
		CHECK_INT(err ? dtrace_errno(h) : 0, err);
		fflush(f);
		CHECK_STR(text, want);
	}
	dtrace_close(h);
	fclose(f);
	free(text);
}

/* A function that never returns loses its own line; the others are written by the next call. */
static void test_jump(const char *threads)
{
	jmp_buf out;
	struct lines s = { .stop = 3, .out = &out };
	int why;
	dtrace_hdl_t *h = dtrace_open(DTRACE_VERSION, 0, &why);
	char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);
	dtrace_prog_t *p = dtrace_program_strcompile(h,
	    "BEGIN { trace(7); } BEGIN { printf(\"a %d\", 8); } BEGIN { trace(9); } "
	    "BEGIN { trace(10); exit(0); }",
	    DTRACE_PROBESPEC_NAME, 0, 0, NULL);

	CHECK(dtrace_setopt(h, "quiet", NULL) == 0 && dtrace_setopt(h, "formatthreads", threads) == 0);
	CHECK_INT(dtrace_handle_line(h, on_line, &s), 0);
	if (p != NULL && dtrace_program_exec(h, p, NULL) == 0 && dtrace_go(h) == 0) {
		if (setjmp(out) == 0)
			while (dtrace_work(h, f, NULL, dtrace_consume_all, NULL) == DTRACE_WORKSTATUS_OKAY)
				;
		CHECK_INT(s.n, 3);
		CHECK_INT(dtrace_stop(h), 0);
		CHECK_INT(dtrace_work(h, f, NULL, dtrace_consume_all, NULL), DTRACE_WORKSTATUS_DONE);
		fflush(f);
		CHECK_STR(text, "<BEGIN 1> 7|\n<BEGIN 2> a 8<BEGIN 4> 10");
	}
	dtrace_close(h);
	fclose(f);
	free(text);
}

static void test_all(void)
{
	static const char *const threads[] = { "0", "1", "2", "4" };

	CHECK_INT(dtrace_consume_all(NULL, NULL, NULL), DTRACE_CONSUME_NEXT);
	for (size_t i = 0; i < sizeof(threads) / sizeof(threads[0]); i++) {
		test_lines(threads[i], 0, "<BEGIN 1> 7|\n<BEGIN 2> a 8<BEGIN 3> 9|\n", 0);
		test_lines(threads[i], 2, "<BEGIN 1> 7|\n", EDT_DIRABORT);
		test_jump(threads[i]);
	}
}

int main(void)
{
	test_records();
	test_all();
	return check_report("api_work");
}
