/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Registering the functions a caller wants to have called. There is one of each kind, and a second one is
 * refused (EALREADY), as in history. The buffered handler is in buffered.c, that of processes in proc.c.
 */
#include "trace/trace.h"

#include <errno.h>

/* -1 with the error set if there is a handler already. */
static int only_once(struct dtrace_hdl *h, bool taken)
{
	return taken ? dt_handle_error(h, EALREADY) : 0;
}

int dtrace_handle_err(dtrace_hdl_t *h, dtrace_handle_err_f *f, void *arg)
{
	struct dt_trace *t = h->trace;

	if (t == NULL || only_once(h, t->h->on.err_f != NULL) != 0)
		return -1;
	t->h->on.err_f = f;
	t->h->on.err_arg = arg;
	return 0;
}

int dtrace_handle_drop(dtrace_hdl_t *h, dtrace_handle_drop_f *f, void *arg)
{
	struct dt_trace *t = h->trace;

	if (t == NULL || only_once(h, t->h->on.drop_f != NULL) != 0)
		return -1;
	t->h->on.drop_f = f;
	t->h->on.drop_arg = arg;
	return 0;
}

/* Ours, so history has no say: options may change what a line looks like. */
int dtrace_handle_line(dtrace_hdl_t *h, dtrace_handle_line_f *f, void *arg)
{
	h->on.line_f = f;
	h->on.line_arg = arg;
	return 0;
}

int dtrace_handle_setopt(dtrace_hdl_t *h, dtrace_handle_setopt_f *f, void *arg)
{
	struct dt_trace *t = h->trace;

	if (t == NULL || only_once(h, t->h->on.setopt_f != NULL) != 0)
		return -1;
	t->h->on.setopt_f = f;
	t->h->on.setopt_arg = arg;
	return 0;
}
