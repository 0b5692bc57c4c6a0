/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Relays, from both sides. A relay is an agent whose worker is an asker: what it merges goes up as the
 * recording of one host, and beside it a log of its hosts, lines of
 *
 *	host STATE NAME REASON		each change: asked, live, ended, refused, failed, lost, elsewhere
 *	back NAME			it was lost and takes part again
 *	found N				a host matches the pattern of that number
 *	counts LATE MISSING CUT		at the end: as dtrace_merge_counts(); hosts there was no room for
 *
 * by which who asked knows each host behind any number of relays by its name.
 */
#ifndef DT_CMD_FLEET_RELAY_H
#define DT_CMD_FLEET_RELAY_H

#include "asker.h"

/* Words of states in the log; NULL: it is not told. */
extern const char *const relay_states[];

/* As the worker of a relay (relay.c); elsewhere they do nothing. */
void relay_live(struct asker *);
void relay_tell(struct asker *);	/* what has changed since */
int relay_report(struct asker *);

/* Above a relay (asker_relays.c). */
void relay_log(struct asker *, struct host *relay, uint64_t from, const char *text, size_t len);
void relay_lost(struct asker *, const struct host *relay);	/* and with it what its hosts had counted */

#endif
