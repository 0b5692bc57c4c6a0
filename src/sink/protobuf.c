/* SPDX-License-Identifier: BSD-2-Clause */
#include "sink/protobuf.h"

#include <endian.h>

enum { VARINT = 0, FIXED64 = 1, BYTES = 2 };

void dt_proto_varint(struct dt_out *o, uint64_t v)
{
	uint8_t bytes[10];
	size_t n = 0;

	do {
		bytes[n++] = (uint8_t)((v & 0x7f) | (v > 0x7f ? 0x80 : 0));
		v >>= 7;
	} while (v != 0);
	dt_out_put(o, bytes, n);
}

void dt_proto_word(struct dt_out *o, uint64_t v)
{
	v = htole64(v);
	dt_out_put(o, &v, sizeof(v));
}

void dt_proto_number(struct dt_out *o, unsigned field, uint64_t v)
{
	dt_proto_varint(o, field << 3 | VARINT);
	dt_proto_varint(o, v);
}

void dt_proto_fixed(struct dt_out *o, unsigned field, uint64_t v)
{
	dt_proto_varint(o, field << 3 | FIXED64);
	dt_proto_word(o, v);
}

uint64_t dt_proto_bits(double d)
{
	uint64_t v;

	memcpy(&v, &d, sizeof(v));
	return v;
}

void dt_proto_double(struct dt_out *o, unsigned field, double d)
{
	dt_proto_fixed(o, field, dt_proto_bits(d));
}

void dt_proto_bytes(struct dt_out *o, unsigned field, const void *p, size_t n)
{
	dt_proto_varint(o, field << 3 | BYTES);
	dt_proto_varint(o, n);
	dt_out_put(o, p, n);
}

void dt_proto_text(struct dt_out *o, unsigned field, const char *text)
{
	dt_proto_bytes(o, field, text, strlen(text));
}

void dt_proto_message(struct dt_out *o, unsigned field, struct dt_out *message)
{
	dt_proto_bytes(o, field, dt_out_text(message), message->len);
	o->failed |= message->failed;
	dt_out_clear(message);
}
