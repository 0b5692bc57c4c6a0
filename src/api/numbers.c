/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The numbers that dtrace.h promises are those of our own lists (dif/acts.def): the public header repeats
 * them so that it stands alone, and a difference does not compile.
 */
#include "dif/action.h"
#include "dtrace.h"

#define SAME(name) _Static_assert((int)DTRACEACT_##name == (int)DT_ACT_##name, "DTRACEACT_" #name)

SAME(NONE);
SAME(DIFEXPR);
SAME(EXIT);
SAME(PRINTF);
SAME(PRINTA);
SAME(LIBACT);
SAME(TRACEMEM);
SAME(TRACEMEM_DYNSIZE);
SAME(PRINTM);
SAME(PRINT);
SAME(USTACK);
SAME(JSTACK);
SAME(USYM);
SAME(UMOD);
SAME(UADDR);
SAME(STOP);
SAME(RAISE);
SAME(SYSTEM);
SAME(FREOPEN);
SAME(STACK);
SAME(SYM);
SAME(MOD);
SAME(CHILL);
