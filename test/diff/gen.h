/* SPDX-License-Identifier: BSD-2-Clause */
/* A seed in, a typed D program out: it always compiles, and what it does depends on its arguments alone. */
#ifndef DT_GEN_H
#define DT_GEN_H

#include <stdint.h>

/* A program records this text if a value is not what the integer rule makes of it. */
#define GEN_BROKEN "the integer rule is broken"

/* The caller frees it. The same seed gives the same program everywhere. */
char *dt_gen_program(uint64_t seed);

#endif
