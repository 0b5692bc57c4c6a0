/* SPDX-License-Identifier: BSD-2-Clause */
/* dtrace_work() and the records that it hands to the caller's function. */
#include "check.h"
#include "dtrace.h"

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

int main(void)
{
	test_records();
	return check_report("api_work");
}
