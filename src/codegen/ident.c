/* SPDX-License-Identifier: BSD-2-Clause */
/* A name as DIF sees it: an ident comes in, an entry for a DIFO's variable table goes out. */
#include "codegen/ident.h"

#include "codegen/codegen.h"

struct dt_difv dt_ident_difv(struct dt_types *types, const struct dt_ident *id, unsigned flags)
{
	struct dt_difv v = {
		.name = id->name,
		.id = id->id,
		.kind = id->kind == DT_ID_ARRAY ? DT_DIFV_ARRAY : DT_DIFV_SCALAR,
		.scope = id->scope,	/* the two enumerations agree */
		.flags = (uint16_t)flags,
		.type = dt_cg_diftype(types, id->type),
	};

	return v;
}
