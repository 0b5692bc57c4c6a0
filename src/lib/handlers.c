/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Registering the functions a caller wants to have called. There is one of each kind, and a second one is
 * refused (EALREADY), as in history. The buffered handler is in buffered.c, that of processes in proc.c.
 */
#include "lib/trace.h"

#include <errno.h>

/* -1 with the error set if there is a handler already. */
static int only_once(struct dtrace_hdl *h, bool taken)
{
	return taken ? dt_handle_error(h, EALREADY) : 0;
}

int dtrace_handle_err(dtrace_hdl_t *h, dtrace_handle_err_f *f, void *arg)
{
	struct dt_trace *t = h->trace;

	if (t == NULL || only_once(h, t->err_f != NULL) != 0)
		return -1;
	t->err_f = f;
	t->err_arg = arg;
	return 0;
}

int dtrace_handle_drop(dtrace_hdl_t *h, dtrace_handle_drop_f *f, void *arg)
{
	struct dt_trace *t = h->trace;

	if (t == NULL || only_once(h, t->drop_f != NULL) != 0)
		return -1;
	t->drop_f = f;
	t->drop_arg = arg;
	return 0;
}

int dtrace_handle_setopt(dtrace_hdl_t *h, dtrace_handle_setopt_f *f, void *arg)
{
	struct dt_trace *t = h->trace;

	if (t == NULL || only_once(h, t->setopt_f != NULL) != 0)
		return -1;
	t->setopt_f = f;
	t->setopt_arg = arg;
	return 0;
}
