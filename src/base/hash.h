/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The one hash function: FNV-1a, 32 bits. Start with DT_HASH_START, feed bytes in any number of pieces.
 * It is for tables in memory only: keys are not secret, so a hostile file can make chains long but not wrong.
 */
#ifndef DT_BASE_HASH_H
#define DT_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

#define DT_HASH_START 2166136261u

static inline uint32_t dt_hash_bytes(uint32_t hash, const void *bytes, size_t n)
{
	const unsigned char *p = bytes;

	for (size_t i = 0; i < n; i++)
		hash = (hash ^ p[i]) * 16777619u;
	return hash;
}

static inline uint32_t dt_hash_text(uint32_t hash, const char *text)
{
	for (; *text; text++)
		hash = (hash ^ (unsigned char)*text) * 16777619u;
	return hash;
}

#endif
