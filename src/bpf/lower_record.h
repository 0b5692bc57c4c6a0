/* SPDX-License-Identifier: BSD-2-Clause */
/* Records on their way to the consumer, and what is counted when there is no room: lower_record.c. */
#ifndef DT_BPF_LOWER_RECORD_H
#define DT_BPF_LOWER_RECORD_H

#include "bpf/emit.h"

struct dt_build;
struct dt_lower;

/* Writes a header to base + off; F_T0 must hold the CPU. control: DT_REC_…; 0: a record of the clause. */
void dt_record_header(struct dt_lower *, int base, int off, uint32_t control);
/* r8 = a record of `size` bytes with its header filled in; without room that is counted, and on to `quit`. */
void dt_record_reserve(struct dt_lower *, uint32_t size, uint32_t quit);
void dt_record_submit(struct dt_lower *, bool wake);
void dt_record_discard(struct dt_lower *);
/* Sends a record made in the frame, which ends at F_CONTROL; without room on to `none`. r9 changes. */
void dt_record_send(struct dt_lower *, uint32_t size, uint32_t none);
void dt_record_lost(struct dt_lower *);			/* there was no room */
void dt_drop(struct dt_lower *, size_t off);			/* counts a drop; off in struct dt_drops */
/* The same outside of a clause; `frame` is a free word of the frame. */
void dt_drop_at(struct dt_build *, struct dt_emit *, int frame, size_t off);

#endif
