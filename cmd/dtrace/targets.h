/* SPDX-License-Identifier: BSD-2-Clause */
/* The processes of -c, -p and -W: from the words of the command line to the last one's end. */
#ifndef DTRACE_TARGETS_H
#define DTRACE_TARGETS_H

#include "args.h"

struct targets {
	dtrace_hdl_t *dtp;
	struct ps_prochandle **list;
	int n, alive;
	bool quiet;		/* no notices */
};

/* Starts and grabs them, before anything is compiled. 0, or the status to exit with after a message. */
int targets_open(struct targets *, dtrace_hdl_t *, const struct args *);
void targets_continue(struct targets *);	/* after dtrace_go(); from here on ends are noticed */
bool targets_gone(const struct targets *);	/* and all that came of them, with -x follow */
/* Tells when only they are traced. */
void targets_notice(struct targets *);
/*
 * The exit status of the first command, as a shell gives it (128 and the signal's number when one killed it);
 * 0 while it runs, and without -c.
 */
int targets_status(const struct targets *, const struct args *);
void targets_free(struct targets *);		/* the processes are the handle's */

#endif
