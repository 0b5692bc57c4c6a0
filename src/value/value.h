/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A traced value on its way to a person: what the sinks (text, JSON, CSV) print. It has no memory of its own:
 * pointers lead into the record, and the value lives as long as that. Which members hold something is said
 * by `kind`; the others are 0.
 */
#ifndef DT_VALUE_VALUE_H
#define DT_VALUE_VALUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum dt_vkind {
	DT_V_INT,	/* i, size 1 2 4 8, is_signed */
	DT_V_STRING,	/* bytes up to len or the first NUL */
	DT_V_BYTES,	/* bytes, len: struct, union, array, float … (type tells, when known) */
	DT_V_STACK,	/* pcs, npcs: kernel */
	DT_V_USTACK,	/* pcs, npcs, pid */
	DT_V_SYM, DT_V_MOD,		/* i: kernel address */
	DT_V_USYM, DT_V_UMOD, DT_V_UADDR,	/* i: address, pid */
	DT_V_AGG,	/* words, nwords, aggkind (DT_ACT_COUNT …), aggarg, normal, unit */
};

struct dt_type;

struct dt_value {
	enum dt_vkind kind;
	uint8_t size;
	bool is_signed;
	uint64_t i;
	const void *bytes;
	size_t len;
	const uint64_t *pcs;
	uint32_t npcs;
	uint32_t pid;
	const int64_t *words;
	uint32_t nwords;
	uint16_t aggkind;
	uint8_t unit;			/* enum dt_aggunit (output/unit.h) */
	uint64_t aggarg;
	int64_t normal;			/* divisor, 0 means 1 */
	const struct dt_type *type;	/* or NULL */
};

#endif
