/* SPDX-License-Identifier: BSD-2-Clause */
/* What each workload costs at the least: BPF programs written by hand, instruction by instruction. */
#ifndef FLOOR_H
#define FLOOR_H

struct floor { int map, prog[2], link[2]; struct ring_buffer *ring; };	/* enter and exit; -1 none */

enum floor_kind { FLOOR_COUNT, FLOOR_COMM, FLOOR_NUMBER, FLOOR_ONE, FLOOR_LATENCY, FLOOR_RECORD };

/* number: the system call looked at; 0 or -errno */
int floor_load(struct floor *, enum floor_kind, int number);
int floor_attach(struct floor *);
void floor_detach(struct floor *);				/* what was recorded is read and forgotten */
void floor_free(struct floor *);

#endif
