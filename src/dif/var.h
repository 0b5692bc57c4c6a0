/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Variables of a DIFO: the order of its table, and the scope that an instruction refers to. Private to
 * src/dif.
 */
#ifndef DT_DIF_VAR_H
#define DT_DIF_VAR_H

#include "dif/dif.h"

unsigned dt_difop_scope(unsigned op);		/* DT_DIFV_*; global for instructions without a variable */
/* <0, 0, >0: thread-local, global, clause-local; then by id. Names are not compared. */
int dt_difv_order(unsigned scope, uint32_t id, const struct dt_difv *);
/* The entry in a sorted table, or NULL. */
const struct dt_difv *dt_difv_find(const struct dt_difo *, unsigned scope, uint32_t id);

/* copyout(), copyoutstr() and stga change other processes or the system: they need -w. */
bool dt_dif_is_destructive(uint32_t instr);

#endif
