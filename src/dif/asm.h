/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The assembler: instructions and labels come in, a finished DIFO goes out. Integer constants and
 * strings are pooled (equal ones share an entry, relocated ones never do), labels become instruction
 * numbers, branches to the next instruction and unreachable instructions are dropped, and the variable
 * table is collected from the variables used.
 */
#ifndef DT_DIF_ASM_H
#define DT_DIF_ASM_H

#include "dif/dif.h"
#include "base/diag.h"

struct dt_asm;

/*
 * The DIFO is built in the first arena; the second holds what is only needed until dt_asm_finish().
 * Limits fail the compile through diag (D_UNKNOWN).
 */
struct dt_asm *dt_asm_new(struct dt_arena *, struct dt_arena *tmp, struct dt_diag *);
void dt_asm_at(struct dt_asm *, struct dt_loc);			/* where the next instructions come from */
void dt_asm_emit(struct dt_asm *, uint32_t instr);
unsigned dt_asm_label(struct dt_asm *);				/* a new label, not placed yet */
/* Places the label here; only branches emitted before may refer to it */
void dt_asm_place(struct dt_asm *, unsigned label);
void dt_asm_branch(struct dt_asm *, unsigned op, unsigned label);
void dt_asm_setx(struct dt_asm *, uint64_t value, unsigned rd);
void dt_asm_setx_sym(struct dt_asm *, const char *symbol, uint64_t addr, unsigned rd);
void dt_asm_sets(struct dt_asm *, const char *str, uint32_t len, unsigned rd);
/* Records that a variable is used: DT_DIFV_REF and DT_DIFV_MOD are or'ed into its entry. */
void dt_asm_var(struct dt_asm *, const struct dt_difv *);
struct dt_difo *dt_asm_finish(struct dt_asm *, struct dt_diftype rtype);

#endif
