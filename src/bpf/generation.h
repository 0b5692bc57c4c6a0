/* SPDX-License-Identifier: BSD-2-Clause */
/* The generation of aggregations that a firing adds to, and how a clause closes it: generation.c. */
#ifndef DT_BPF_GENERATION_H
#define DT_BPF_GENERATION_H

#include <stdbool.h>
#include <stdint.h>

struct dt_ecb;
struct dt_hookcode;
struct dt_lower;

/* kept: the firing keeps its generation; shows: a clause of it shows or empties aggregations */
struct dt_gen_use { bool kept, shows; };

struct dt_gen_use dt_gen_uses(struct dt_hookcode *);	/* and struct dt_hookgroup.fresh */
/* The action before which the clause closes its generation: what is added from there on is in the next. */
uint32_t dt_gen_place(const struct dt_ecb *);
void dt_gen_begin(struct dt_hookcode *);
void dt_gen_load(struct dt_lower *, int dst);		/* the word; no other register changes */
/* Stores at r8 + off which generation the record of this clause means. r0 to r4 change. */
void dt_gen_moment(struct dt_lower *, int off);

#endif
