/* SPDX-License-Identifier: BSD-2-Clause */
/* Two helpers that several files of the commands need: commands know no header of src/. */
#ifndef DTRACE_BASE_H
#define DTRACE_BASE_H

#include <stdint.h>
#include <time.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* The clock that never goes back. It may be read in a signal handler. */
static inline uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

#endif
