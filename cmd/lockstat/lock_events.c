/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The events of lockstat (lock_events.h). Numbers and titles are the historic ones where Linux has the
 * event. Linux does not say for whom a reader or writer waits, so 5 and 7 are not there; 8 and 9 are
 * its spinning readers and writers.
 */
#include "lock_events.h"

#include <stddef.h>

/* A wait is reported when it is over, with its time. */
#define WAIT(probe, condition) \
	"lockstat:::" probe " /" condition "/ { this->lock = arg0; this->ns = arg1; }\n" \
	"lockstat:::" probe " /" condition " %s/ { %s }\n"
/* A lock that is held has the time at which it was taken; who gives it back is the one who took it. */
#define HOLD(acquire, release, condition, since) \
	"lockstat:::" acquire " /" condition "/ { self->" since "[arg0] = timestamp; }\n" \
	"lockstat:::" release " /" condition "/ " \
	"{ this->lock = arg0; this->ns = timestamp - self->" since "[arg0]; }\n" \
	"lockstat:::" release " /" condition " && self->" since "[arg0] %s/ { %s }\n" \
	"lockstat:::" release " /" condition "/ { self->" since "[arg0] = 0; }\n"

const struct lock_event lock_events[] = {
	{ 0, 'C', "Adaptive mutex spin", "adaptive-spin", WAIT("adaptive-spin", "1") },
	{ 1, 'C', "Adaptive mutex block", "adaptive-block", WAIT("adaptive-block", "1") },
	{ 2, 'C', "Spin lock spin", "spin-spin", WAIT("spin-spin", "1") },
	{ 3, '-', "Thread lock spin", "thread-spin", WAIT("thread-spin", "1") },
	{ 4, 'C', "R/W writer block", "rw-block", WAIT("rw-block", "arg2 == 0") },
	{ 6, 'C', "R/W reader block", "rw-block", WAIT("rw-block", "arg2 == 1") },
	{ 8, 'C', "R/W writer spin", "rw-spin", WAIT("rw-spin", "arg2 == 0") },
	{ 9, 'C', "R/W reader spin", "rw-spin", WAIT("rw-spin", "arg2 == 1") },
	{ 32, 'H', "Adaptive mutex hold", "adaptive-acquire",
	    HOLD("adaptive-acquire", "adaptive-release", "1", "mutex") },
	{ 33, 'H', "Spin lock hold", "spin-acquire", HOLD("spin-acquire", "spin-release", "1", "spin") },
	{ 34, 'H', "R/W writer hold", "rw-acquire", HOLD("rw-acquire", "rw-release", "arg1 == 0", "writer") },
	{ 35, 'H', "R/W reader hold", "rw-acquire", HOLD("rw-acquire", "rw-release", "arg1 == 1", "reader") },
	{ 40, 'E', "Adaptive mutex not taken", "adaptive-acquire-error",
	    "lockstat:::adaptive-acquire-error { this->lock = arg0; this->ns = 0; }\n"
	    "lockstat:::adaptive-acquire-error /1 %s/ { %s }\n" },
	/* the probe's name has the rate: lock_program.c makes this one */
	{ 56, 'I', "Profiling interrupt", NULL, NULL },
	{ 0 },
};

/* Numbers have gaps, so they are searched. */
const struct lock_event *lock_event_find(uint32_t number)
{
	for (const struct lock_event *e = lock_events; e->title != NULL; e++)
		if (e->number == number)
			return e;
	return NULL;
}
