/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Paths as text: basename(), dirname(), cleanpath(). Nothing is looked up, and links are not followed
 * (runtime/rt_path.c).
 */
#include "builtin/row.h"

static uint64_t call_text(struct dt_interp *ip, const struct dt_subr_call *call, dt_rt_fn *f)
{
	struct dt_rt_call c;

	return dt_rt_strings(ip, call, 1, &c) ? dt_rt_text(ip, &c, f) : 0;
}

/* As basename(1): "" is ".", and "/" is "/". */
static uint64_t call_basename(struct dt_interp *ip, const struct dt_subr_call *call)
{
	return call_text(ip, call, dt_rt_basename);
}

/* As dirname(1): a path without a slash is in ".". */
static uint64_t call_dirname(struct dt_interp *ip, const struct dt_subr_call *call)
{
	return call_text(ip, call, dt_rt_dirname);
}

/*
 * // and /./ become /, and /../ takes the component before it away. The first component of a relative path
 * and a slash at the end stay; /.. at the root is the root.
 */
static uint64_t call_cleanpath(struct dt_interp *ip, const struct dt_subr_call *call)
{
	return call_text(ip, call, dt_rt_cleanpath);
}

/* All three take one string and leave one: the runtime does the rest. */
static void text_to_text(struct dt_lower *l, const char *name)
{
	dt_tuple_strings(l, 1);
	dt_runtime(l, name);
	dt_runtime_take(l);
}
static void lower_basename(struct dt_lower *l) { text_to_text(l, "rt_basename"); }
static void lower_dirname(struct dt_lower *l) { text_to_text(l, "rt_dirname"); }
static void lower_cleanpath(struct dt_lower *l) { text_to_text(l, "rt_cleanpath"); }

const struct dt_builtin dt_subr_basename = {
	DT_SUBR(basename, "string(const char *)", V(1, 0), STABLE),
	.call = call_basename, .lower = lower_basename, .scratch = DT_SCRATCH_STRING,
	.doc = "The last component of a path.",
};

const struct dt_builtin dt_subr_dirname = {
	DT_SUBR(dirname, "string(const char *)", V(1, 0), STABLE),
	.call = call_dirname, .lower = lower_dirname, .scratch = DT_SCRATCH_STRING,
	.doc = "A path without its last component.",
};

const struct dt_builtin dt_subr_cleanpath = {
	DT_SUBR(cleanpath, "string(const char *)", V(1, 0), STABLE),
	.call = call_cleanpath, .lower = lower_cleanpath, .scratch = DT_SCRATCH_STRING,
	.doc = "A path without //, /./ and /../. Links are not followed.",
};
