/* SPDX-License-Identifier: BSD-2-Clause */
/* Protocol buffers on the wire, for formats of others: pprof, OTLP. */
#ifndef DT_SINK_PROTOBUF_H
#define DT_SINK_PROTOBUF_H

#include "output/out.h"

void dt_proto_varint(struct dt_out *, uint64_t);		/* without a field */
void dt_proto_word(struct dt_out *, uint64_t);		/* the same: eight bytes of a packed field */
void dt_proto_number(struct dt_out *, unsigned field, uint64_t);
void dt_proto_fixed(struct dt_out *, unsigned field, uint64_t);
void dt_proto_double(struct dt_out *, unsigned field, double);
void dt_proto_bytes(struct dt_out *, unsigned field, const void *, size_t n);
void dt_proto_text(struct dt_out *, unsigned field, const char *);
/* A message that is finished becomes a field of another, and is empty again. */
void dt_proto_message(struct dt_out *, unsigned field, struct dt_out *message);
uint64_t dt_proto_bits(double);

#endif
