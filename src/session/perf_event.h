/* SPDX-License-Identifier: BSD-2-Clause */
/* Events that the processor and the kernel count. */
#ifndef DT_SESSION_PERF_EVENT_H
#define DT_SESSION_PERF_EVENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct dt_perf_row {
	const char *name, *alias;	/* alias: another system's name for it, NULL none */
	uint32_t type;
	uint64_t config;
};

extern const struct dt_perf_row dt_perf_rows[];		/* one without name ends */

/* Finds an event by one of its names, or rHEX. False: there is none. */
bool dt_perf_event_find(const char *name, size_t len, struct dt_perf_row *);
bool dt_perf_event_is_software(const struct dt_perf_row *);
/*
 * Can this machine count it? 0, or -errno: -ENOENT or -EOPNOTSUPP if the processor has no such counter.
 */
int dt_perf_event_try(const struct dt_perf_row *);

#endif
