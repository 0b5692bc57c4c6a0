/* SPDX-License-Identifier: BSD-2-Clause */
/* Faults of a running program, in the words that users have always seen. */
#include "dif/dif.h"
#include "base/count.h"

#include <stddef.h>

static const char *const fault_texts[] = {
	[DT_FLT_NONE] = "no fault",
	[DT_FLT_BADADDR] = "invalid address",
	[DT_FLT_BADALIGN] = "invalid alignment",
	[DT_FLT_ILLOP] = "illegal operation",
	[DT_FLT_DIVZERO] = "divide-by-zero",
	[DT_FLT_NOSCRATCH] = "out of scratch space",
	[DT_FLT_KPRIV] = "invalid kernel access",
	[DT_FLT_UPRIV] = "invalid user access",
	[DT_FLT_TUPOFLOW] = "tuple stack overflow",
	[DT_FLT_BADSTACK] = "bad stack",
	[DT_FLT_BADSIZE] = "invalid size",
	[DT_FLT_BADINDEX] = "index out of bounds",
};

const char *dt_fault_text(int fault)
{
	if (fault < 0 || (size_t)fault >= DT_COUNT(fault_texts))
		return "unknown fault";
	return fault_texts[fault];
}
