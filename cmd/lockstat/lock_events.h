/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The events that lockstat knows: one row each, from its number on the command line to the D that
 * counts it.
 */
#ifndef DT_CMD_LOCKSTAT_LOCK_EVENTS_H
#define DT_CMD_LOCKSTAT_LOCK_EVENTS_H

#include <stdint.h>

struct lock_event {
	uint32_t number;		/* of -e */
	char class;			/* the option that asks for it: C, H, E or I; - none but -e does */
	const char *title;
	const char *needs;		/* a probe without which there is no such event */
	/*
	 * D, with %s twice: the condition of the filters, with a leading "&& ", then what is counted.
	 * The lock is this->lock and the time this->ns, set before the condition.
	 */
	const char *program;
};

extern const struct lock_event lock_events[];	/* ends with a row without title */

const struct lock_event *lock_event_find(uint32_t number);	/* NULL: there is none */

#endif
