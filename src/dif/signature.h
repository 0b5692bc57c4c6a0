/* SPDX-License-Identifier: BSD-2-Clause */
/* What a probe promises: the types of its arguments, and the stability of its name and data. */
#ifndef DT_DIF_SIGNATURE_H
#define DT_DIF_SIGNATURE_H

#include "dif/dif.h"
#include "types/type.h"

struct dt_probe_sig {			/* typed arguments */
	uint32_t nin, nout;
	const struct dt_type **in, **out;	/* NULL: the type is not known */
	uint8_t *map;			/* out[k] is made from in[map[k]] */
	/* why[i]: why the type of in[i] is not known; the list or an entry may be NULL */
	const char **why;
};

enum { DT_PA_PROV, DT_PA_MOD, DT_PA_FUNC, DT_PA_NAME, DT_PA_ARGS };
struct dt_provider_attrs { struct dt_attr part[5]; };

#endif
