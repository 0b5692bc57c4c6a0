/* SPDX-License-Identifier: BSD-2-Clause */
/* Subroutines: the tuple in, a value in a DIF register out. Those without a row here are refused by name. */
#include "bpf/build.h"
#include "builtin/builtin.h"

void dt_lower_call(struct dt_lower *l, uint32_t in)
{
	const struct dt_builtin *row = dt_builtin_subr(dt_dif_v16(in));

	REFUSE(l, "%s( ) is not available for tracing yet", row ? row->name : "this subroutine");
}
