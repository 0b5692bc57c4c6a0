/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What dtrace-fleet --page gives the live page (cmd/web/hosts_worker.c) beside the merged recording:
 *
 *	PAGE_LOG	a line for each change of a host, and for a pattern that no host matches:
 *			host NUMBER STATE RESTARTS AGAIN DOUBLED OFFSET BOUND OWN NAME VIA
 *			REASON, to the end of the line. OFFSET and BOUND are ns; OWN: its own
 *			recording is on PAGE_STREAMS; VIA: its relay, or -
 *	PAGE_STREAMS	the recording of each host as it came: u32 number of the host, u32 length,
 *			bytes; length 0: the recording of that host begins (again)
 *
 * Numbers are those of hosts from 0; those of patterns are -1, -2 …
 */
#ifndef DT_CMD_FLEET_PAGE_H
#define DT_CMD_FLEET_PAGE_H

#include "asker.h"

enum { PAGE_LOG = 3, PAGE_STREAMS = 4 };
enum { PAGE_HOSTS = 256 };		/* that have recordings of their own there */

/* Without --page they do nothing. */
void page_log(struct asker *, bool all);	/* what has changed; all: also what may wait */
void page_begin(struct asker *, struct host *);
void page_feed(struct asker *, const struct host *, const void *, size_t len);

#endif
