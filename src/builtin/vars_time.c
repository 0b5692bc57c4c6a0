/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Variables that tell the time. A clause reads the clock once, so that all of them agree throughout it;
 * vtimestamp is read once a firing.
 */
#include "builtin/row.h"

GETTER(timestamp, CONTEXT(ip)->timestamp)

const struct dt_builtin dt_var_timestamp = {
	DT_SCALAR(timestamp, "uint64_t", V(1, 0), STABLE),
	.get = get_timestamp, .lower = dt_time, .scratch = DT_SCRATCH_NONE,
	.doc = "Nanoseconds of a clock that only goes forward; the same throughout a clause.",
};

GETTER(vtimestamp, CONTEXT(ip)->vtimestamp)

const struct dt_builtin dt_var_vtimestamp = {
	DT_SCALAR(vtimestamp, "uint64_t", V(1, 0), STABLE),
	.get = get_vtimestamp, .lower = dt_get_vtimestamp, .needs = DT_NEED_VTIME, .scratch = DT_SCRATCH_NONE,
	.where = DT_IN_KERNEL | DT_IN_PROCESS,
	.doc = "Nanoseconds for which the thread has run on a CPU, without the time in probes; the same "
	    "throughout a firing.",
};

GETTER(walltimestamp, CONTEXT(ip)->walltimestamp)

/*
 * The monotonic clock plus what was added to it when tracing began: a later change of the time of day is not
 * seen.
 */
static void lower_walltimestamp(struct dt_lower *l)
{
	dt_time(l);
	dt_imm(dt_code(l), R1, (uint64_t)dt_opts(l)->wall_offset);
	dt_alu(dt_code(l), BPF_ADD, R0, R1);
}

const struct dt_builtin dt_var_walltimestamp = {
	DT_SCALAR(walltimestamp, "int64_t", V(1, 0), STABLE),
	.get = get_walltimestamp, .lower = lower_walltimestamp, .scratch = DT_SCRATCH_NONE,
	.doc = "Nanoseconds since 1970.",
};
