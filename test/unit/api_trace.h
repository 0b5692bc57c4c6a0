/* SPDX-License-Identifier: BSD-2-Clause */
/* Traces for the tests of the library's consumer half: opened, compiled and run through the public header. */
#ifndef DT_API_TRACE_H
#define DT_API_TRACE_H

#include "check.h"
#include "dtrace.h"

static inline dtrace_hdl_t *opened(void)
{
	int err = 0;
	dtrace_hdl_t *h = dtrace_open(DTRACE_VERSION, 0, &err);

	CHECK(h != NULL);
	if (h == NULL)
		fprintf(stderr, "%s\n", dtrace_errmsg(NULL, err));
	return h;
}

static inline int enable(dtrace_hdl_t *h, const char *text)
{
	dtrace_prog_t *p = dtrace_program_strcompile(h, text, DTRACE_PROBESPEC_NAME, 0, 0, NULL);
	int err = p == NULL || dtrace_program_exec(h, p, NULL) != 0;

	if (err)
		fprintf(stderr, "%s: %s\n", text, dtrace_errmsg(h, dtrace_errno(h)));
	return err;
}

static inline void go(dtrace_hdl_t *h, const char *text)
{
	CHECK_INT(enable(h, text), 0);
	if (!CHECK_INT(dtrace_go(h), 0))
		fprintf(stderr, "%s\n", dtrace_errmsg(h, dtrace_errno(h)));
}

static inline int no_drop(const dtrace_dropdata_t *d, void *arg)
{
	(void)d;
	(void)arg;
	return DTRACE_HANDLE_OK;
}

/* A trace of BEGIN and END that has ended, its aggregations taken over; nothing printed. */
static inline dtrace_hdl_t *traced(const char *text)
{
	dtrace_hdl_t *h = opened();

	CHECK_INT(dtrace_handle_drop(h, no_drop, NULL), 0);
	go(h, text);
	CHECK_INT(dtrace_stop(h), 0);
	CHECK_INT(dtrace_work(h, stderr, NULL, NULL, NULL), DTRACE_WORKSTATUS_DONE);
	return h;
}

#endif
