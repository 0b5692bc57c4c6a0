/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Programs made by hand. History lets a caller put statements together from actions and DIF objects of its
 * own, but nothing except a compiler of D ever did. Here programs are made by the compiler alone, which
 * checks them; these functions exist so that callers link, and they say what to do instead.
 */
#include "handle/handle.h"

/* One sentence for all of them, and -1. */
static int refuse_statement(dtrace_hdl_t *h)
{
	return dt_handle_errorf(h, EDT_UNSUPPORTED, "only the compiler makes statements: give the D text to "
	    "dtrace_program_strcompile(), or saved programs to dtrace_program_load()");
}

dtrace_stmtdesc_t *dtrace_stmt_create(dtrace_hdl_t *h, dtrace_ecbdesc_t *ecb)
{
	(void)ecb;
	refuse_statement(h);
	return NULL;
}

dtrace_actdesc_t *dtrace_stmt_action(dtrace_hdl_t *h, dtrace_stmtdesc_t *stmt)
{
	(void)stmt;
	refuse_statement(h);
	return NULL;
}

int dtrace_stmt_add(dtrace_hdl_t *h, dtrace_prog_t *p, dtrace_stmtdesc_t *stmt)
{
	(void)p, (void)stmt;
	return refuse_statement(h);
}

void dtrace_stmt_destroy(dtrace_hdl_t *h, dtrace_stmtdesc_t *stmt)
{
	(void)h, (void)stmt;
}
