/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * -F: where each record is in the flow of calls. Records come in, in the order in which they are shown;
 * a kind, a depth and a prefix come out. Records of several CPUs are interleaved, so every CPU has a
 * flow of its own.
 */
#ifndef DT_OUTPUT_FLOW_H
#define DT_OUTPUT_FLOW_H

#include <stdbool.h>
#include <stdint.h>

enum dt_flowkind { DT_FLOW_NONE, DT_FLOW_ENTRY, DT_FLOW_RETURN };

/* One record, and the one that follows it on its CPU (0 where that is not known). */
struct dt_flowrec {
	uint32_t cpu, probe, epid;
	uint32_t next_probe, next_epid;
	const char *provider, *name;	/* of the probe */
};

struct dt_flowline { enum dt_flowkind kind; int indent; const char *prefix; };

struct dt_flows { struct dt_flow *cpu; uint32_t n; };	/* starts as zeros */
void dt_flows_free(struct dt_flows *);
/*
 * Whether the record that follows decides what this one is: a return that is followed by another clause
 * of the same probe does not step out yet.
 */
bool dt_flow_looks_ahead(const char *name);
/*
 * The line of the next record. False: there is no memory for this CPU's flow; the line then starts at
 * the left, and later lines do not know of it.
 */
bool dt_flow_step(struct dt_flows *, const struct dt_flowrec *, struct dt_flowline *);

#endif
