/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Bytes as a file of gzip (RFC 1952), in blocks that are stored, not compressed (RFC 1951, 3.2.4): readers
 * that want gzip get it, and no library is needed to write it.
 */
#include "sink/gzip.h"

static uint32_t crc32_of(const uint8_t *p, size_t n)
{
	uint32_t crc = UINT32_MAX;

	for (size_t i = 0; i < n; i++) {
		crc ^= p[i];
		for (int bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ (crc & 1 ? 0xedb88320u : 0);
	}
	return ~crc;
}

static void put_le(struct dt_out *o, uint32_t v, int bytes)
{
	for (int i = 0; i < bytes; i++)
		dt_out_put(o, &(uint8_t){ (uint8_t)(v >> 8 * i) }, 1);
}

void dt_gzip_put(struct dt_out *o, const void *bytes, size_t n)
{
	static const uint8_t header[10] = { 0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255 };
	const uint8_t *p = bytes;
	size_t left = n;

	dt_out_put(o, header, sizeof(header));
	do {
		uint32_t len = left < 65535 ? (uint32_t)left : 65535;

		put_le(o, left == len, 1);
		put_le(o, len, 2);
		put_le(o, ~len, 2);
		dt_out_put(o, p, len);
		p += len;
		left -= len;
	} while (left > 0);
	put_le(o, crc32_of(bytes, n), 4);
	put_le(o, (uint32_t)n, 4);
}
