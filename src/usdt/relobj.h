/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Object files given to `dtrace -G`: checked once, then read for their symbols. The bytes are hostile.
 */
#ifndef DT_USDT_RELOBJ_H
#define DT_USDT_RELOBJ_H

#include "usdt/usdt.h"

struct dt_relobj {
	const unsigned char *data;
	size_t len;
	uint16_t machine;
	uint64_t shoff;
	uint32_t nsecs, names;		/* names: the section of their names */
};

/*
 * 0; 1: a file of a compiler that links later (LLVM bitcode), which tells us nothing; -EINVAL: msg says
 * why.
 */
int dt_relobj_open(struct dt_relobj *, const void *data, size_t len, char *msg, size_t msglen);
/* Calls f for each symbol; f ends the walk with a non-zero value, which is returned. */
typedef int dt_relobj_symbol_f(void *ctx, const char *object, const char *symbol, bool undefined);
int dt_relobj_symbols(const struct dt_relobj *, const char *object, dt_relobj_symbol_f *, void *ctx);
/* Calls f for each section that has a name and a content. */
typedef void dt_relobj_section_f(void *ctx, const char *name, const void *data, size_t len);
void dt_relobj_sections(const struct dt_relobj *, dt_relobj_section_f *, void *ctx);

#endif
