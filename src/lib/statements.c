/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Programs made by hand. History lets a caller put statements together out of actions and DIF objects of its
 * own; nothing but a compiler of D ever did. Here programs are made by the compiler alone, which checks them:
 * the functions are there to be linked with, and say so.
 */
#include "lib/handle.h"

static int refuse(dtrace_hdl_t *h)
{
	return dt_handle_errorf(h, EDT_UNSUPPORTED, "statements are made by the compiler: give the D text to "
	    "dtrace_program_strcompile(), or saved programs to dtrace_program_load()");
}

dtrace_stmtdesc_t *dtrace_stmt_create(dtrace_hdl_t *h, dtrace_ecbdesc_t *ecb)
{
	(void)ecb;
	refuse(h);
	return NULL;
}

dtrace_actdesc_t *dtrace_stmt_action(dtrace_hdl_t *h, dtrace_stmtdesc_t *stmt)
{
	(void)stmt;
	refuse(h);
	return NULL;
}

int dtrace_stmt_add(dtrace_hdl_t *h, dtrace_prog_t *p, dtrace_stmtdesc_t *stmt)
{
	(void)p, (void)stmt;
	return refuse(h);
}

void dtrace_stmt_destroy(dtrace_hdl_t *h, dtrace_stmtdesc_t *stmt)
{
	(void)h, (void)stmt;
}
