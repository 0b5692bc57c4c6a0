/* SPDX-License-Identifier: BSD-2-Clause */
/* What the files of subroutines share: rows, arguments, and text helpers that know no interpreter. */
#ifndef DT_BUILTIN_SUBR_H
#define DT_BUILTIN_SUBR_H

#include "dif/builtin.h"
#include "interp/interp.h"

#include <stdlib.h>

#define DT_SUBR(n, p, vers, a, f) \
	{ .name = #n, .kind = DT_BI_SUBR, .id = DT_SUBR_##n, .proto = p, .version = vers, .attr = a, .call = f }
#define DT_SUBR_FLAGS(n, p, vers, a, fl, f) \
	{ .name = #n, .kind = DT_BI_SUBR, .flags = fl, .id = DT_SUBR_##n, .proto = p, .version = vers, .attr = a, .call = f }
#define DT_SUBR_NONE(n, p, vers, why) \
	{ .name = #n, .kind = DT_BI_SUBR, .id = DT_SUBR_##n, .proto = p, .version = vers, .attr = DT_ATTR_EVOLVING_COMMON, .unsupported = why }

/* The string argument number i; NULL after a fault, which a null string is too. */
static inline const char *dt_subr_string(struct dt_interp *ip, const struct dt_subr_call *call, uint32_t i)
{
	bool null;
	const char *s = dt_interp_string(ip, call->arg[i].value, &null);

	if (s && null) {
		dt_interp_fault(ip, DT_FLT_BADADDR, 0);
		return NULL;
	}
	return s;
}

/* An `int` argument, whatever stands in the upper half. */
static inline int64_t dt_subr_int(const struct dt_subr_call *call, uint32_t i)
{
	return (int32_t)(uint32_t)call->arg[i].value;
}

/* path.c. The result is text and length; it points into `path` or is constant. */
const char *dt_path_basename(const char *path, size_t *len);
const char *dt_path_dirname(const char *path, size_t *len);
size_t dt_path_clean(const char *path, char *to);	/* `to` has room for strlen(path) + 1; returns the length */

/* json.c: the element of `text` that the path names ("a.b[2]"), strings without their quotes; NULL: none, or bad text. */
const char *dt_json_find(const char *text, const char *path, size_t *len);

#endif
