/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The assembler: instructions and labels in, a finished DIFO out. Integer constants and strings are
 * pooled (equal ones share an entry; relocated ones never), labels become instruction numbers, a branch
 * to the next instruction and instructions nothing can reach are dropped, the variable table is
 * collected from what was used.
 */
#ifndef DT_DIF_ASM_H
#define DT_DIF_ASM_H

#include "dif/dif.h"
#include "base/diag.h"

struct dt_asm;

/* The DIFO is made in the first arena, what is only needed on the way in the second. */
/* diag: limits (D_UNKNOWN …) fail the compile */
struct dt_asm *dt_asm_new(struct dt_arena *, struct dt_arena *tmp, struct dt_diag *);
void dt_asm_at(struct dt_asm *, struct dt_loc);			/* place of the instructions that follow */
void dt_asm_emit(struct dt_asm *, uint32_t instr);
unsigned dt_asm_label(struct dt_asm *);				/* a new label, not placed yet */
/* here; only forward branches may refer to it */
void dt_asm_place(struct dt_asm *, unsigned label);
void dt_asm_branch(struct dt_asm *, unsigned op, unsigned label);
void dt_asm_setx(struct dt_asm *, uint64_t value, unsigned rd);
void dt_asm_setx_sym(struct dt_asm *, const char *symbol, uint64_t addr, unsigned rd);
void dt_asm_sets(struct dt_asm *, const char *str, uint32_t len, unsigned rd);
/* Notes that a variable is used: flags DT_DIFV_REF and/or _MOD are or'ed into its entry. */
void dt_asm_var(struct dt_asm *, const struct dt_difv *);
struct dt_difo *dt_asm_finish(struct dt_asm *, struct dt_diftype rtype);

#endif
