/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * json(): finds one element of a JSON text by a path of member names and array numbers, "a.b[2].c". The text
 * is read from its beginning and only as far as needed; what is read must be right, or the result is NULL.
 * Strings keep their escapes (runtime/rt_json.c).
 */
#include "builtin/row.h"

static uint64_t call_json(struct dt_interp *ip, const struct dt_subr_call *call)
{
	struct dt_rt_call c;

	return dt_rt_strings(ip, call, 2, &c) ? dt_rt_text(ip, &c, dt_rt_json) : 0;
}

/* r0 0 from the runtime is no string: there is no such element. */
static void lower_json(struct dt_lower *l)
{
	uint32_t none = dt_label(dt_code(l));

	dt_tuple_strings(l, 2);
	dt_runtime(l, "rt_json");
	dt_jmpi(dt_code(l), BPF_JEQ, R0, 0, none);
	dt_runtime_take(l);
	dt_put(dt_code(l), none);
}

const struct dt_builtin dt_subr_json = {
	DT_SUBR(json, "string(const char *, const char *)", V(1, 11), STABLE),
	.call = call_json, .lower = lower_json, .scratch = DT_SCRATCH_STRING,
	.doc = "The element of a JSON text that a path such as \"a.b[2]\" names, as text; NULL if it is not "
	    "found.",
};
