/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Blocks of a recording on their way out (doc/RECORDING.md): numbers, texts, values and words are put into a
 * buffer, and a block goes to the stream whole, letter and length first. The first write that fails is kept
 * in `err`; nothing is written after it.
 */
#ifndef DT_SINK_BLOCK_H
#define DT_SINK_BLOCK_H

#include "output/print.h"

struct dt_blocks {
	FILE *file;
	int err;			/* errno of the first write that failed */
};

void dt_put_u32(struct dt_out *, uint32_t);
void dt_put_u64(struct dt_out *, uint64_t);
void dt_put_bytes(struct dt_out *, const void *, size_t n);
void dt_put_text(struct dt_out *, const char *);
/* A key; what an element of an aggregation shows: divisor, numbers, words. */
void dt_put_value(struct dt_out *, const struct dt_value *);
void dt_put_element(struct dt_out *, const struct dt_value *);

void dt_block_write(struct dt_blocks *, char letter, const void *, size_t n);
/* The buffer as a block; it is empty after it. */
void dt_block_end(struct dt_blocks *, char letter, struct dt_out *);
void dt_blocks_flush(struct dt_blocks *);

#endif
