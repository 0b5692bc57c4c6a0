/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the trace costs the machine: the time of this process, and the time that the kernel spends in probes.
 * The kernel measures the latter only while it is asked to, which itself costs a little in each probe; so it
 * is asked for a fiftieth of the time.
 */
#ifndef DT_CMD_COMMON_COST_H
#define DT_CMD_COMMON_COST_H

#include <stdint.h>

#define COST_PROGRAMS 512

struct cost {
	uint64_t wall, used;		/* ns, when it was taken last */
	int fds[COST_PROGRAMS];		/* our BPF programs */
	int nfds;
};

struct cost_shown {
	double cpu;			/* of one core: 0.01 is 1 % */
	double probes;			/* the same, of probes; -1: not known */
	double runs;			/* programs run a second; -1 */
	long rss_kb;
};

/* After the probes are enabled. */
void cost_begin(struct cost *);
/* Since the last time. */
struct cost_shown cost_take(struct cost *);

#endif
