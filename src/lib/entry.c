/* SPDX-License-Identifier: BSD-2-Clause */
/* Entering the library and leaving it; entry.h says what the door is for. */
#include "lib/entry.h"

#include "lib/trace.h"

/* Called behind setjmp(), so that the jump never leads to a frame that has not set it yet. */
void dt_entry_begin(struct dtrace_hdl *h, struct dt_entry *e)
{
	e->diag = h->diag;
	e->firing = h->trace->firing;
	e->walking = h->trace->walking;
	e->outer = dt_arena_on_oom(h->arena, &e->env);
}

void dt_entry_end(struct dtrace_hdl *h, struct dt_entry *e)
{
	dt_arena_on_oom(h->arena, e->outer);
}

/*
 * Memory has run out somewhere below. The state the call found is put back; when no outer call is under way,
 * the handle is also in the middle of nothing.
 */
void dt_entry_failed(struct dtrace_hdl *h, struct dt_entry *e)
{
	dt_entry_end(h, e);
	h->diag = e->diag;
	h->trace->firing = e->firing;
	h->trace->walking = e->walking;
	/* nobody is being told of a record or an element any more */
	if (e->outer == NULL && h->trace != NULL) {
		h->trace->firing = NULL;
		h->trace->walking = 0;
	}
	dt_handle_error(h, EDT_NOMEM);
}
