/* SPDX-License-Identifier: BSD-2-Clause */
/* The processes of -c, -p and -W: from the words of the command line to the last one's end. */
#ifndef DTRACE_VICTIMS_H
#define DTRACE_VICTIMS_H

#include "args.h"

struct victims {
	dtrace_hdl_t *dtp;
	struct ps_prochandle **list;
	int n, alive;
	bool quiet;		/* no notices */
};

/* Starts and grabs them, before anything is compiled. 0, or the status to exit with after a message. */
int victims_open(struct victims *, dtrace_hdl_t *, const struct args *);
void victims_continue(struct victims *);	/* after dtrace_go(); from here on ends are noticed */
bool victims_gone(const struct victims *);	/* and all that came of them, with -x follow */
/* Tells when only they are traced. */
void victims_notice(struct victims *);
/*
 * The exit status of the first command, as a shell gives it (128 and the signal's number when one killed it);
 * 0 while it runs, and without -c.
 */
int victims_status(const struct victims *, const struct args *);
void victims_free(struct victims *);		/* the processes are the handle's */

#endif
