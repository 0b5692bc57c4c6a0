/* SPDX-License-Identifier: BSD-2-Clause */
/* Records on their way to the reader, and what is counted when there is no room: record.c. */
#ifndef DT_BPF_RECORD_H
#define DT_BPF_RECORD_H

#include "bpf/emit.h"

struct dt_build;
struct dt_lower;

/* at base + off; F_T0 is the CPU; news 0: the clause's own */
void dt_record_header(struct dt_lower *, int base, int off, uint32_t news);
/* r8 = the record; none: counted, and on to `quit` */
void dt_record_reserve(struct dt_lower *, uint32_t size, uint32_t quit);
void dt_record_submit(struct dt_lower *, bool wake);
void dt_record_discard(struct dt_lower *);
/* one made in the frame, which ends at F_NEWS, or on to `none`; r9 changes */
void dt_record_send(struct dt_lower *, uint32_t size, uint32_t none);
void dt_record_lost(struct dt_lower *);			/* there was no room */
void dt_drop(struct dt_lower *, size_t off);			/* counts; off in struct dt_drops */
/* the same, with that word of the frame */
void dt_drop_at(struct dt_build *, struct dt_emit *, int frame, size_t off);

#endif
