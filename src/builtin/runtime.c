/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The interpreter's way to functions that are written once, in src/bpf/runtime/both: it gives them what a
 * slot of the kernel would, buffers of strsize with room behind them and the words of struct dt_work.
 */
#include "builtin/row.h"

#define BEHIND 8			/* bytes behind each string that may be read, as in a slot */

/*
 * A string in a buffer like a slot's: zeros behind the text, cut to strsize. NULL: the interpreter has
 * faulted.
 */
static unsigned char *slot_buffer(struct dt_interp *ip, const char *text)
{
	size_t size = dt_interp_options(ip)->strsize + BEHIND, len = strlen(text);
	unsigned char *b = dt_interp_temp(ip, size);

	if (b) {
		memset(b, 0, size);
		memcpy(b, text, len < size - BEHIND ? len : size - BEHIND - 1);
	}
	return b;
}

/* A missing second string is empty. The functions expect the lengths in the words. */
uint64_t dt_subr_runtime(struct dt_interp *ip, const struct dt_subr_call *call, uint32_t n, dt_rt_fn *f)
{
	union { struct dt_work work; unsigned char words[DT_WORK_SIZE]; } w = { .words = { 0 } };
	unsigned char *b[2];

	for (uint32_t i = 0; i < 2; i++) {
		const char *text = i < n ? dt_subr_string(ip, call, i) : "";

		b[i] = text ? slot_buffer(ip, text) : NULL;
		if (!b[i])
			return 0;
	}
	w.work.la = strlen((const char *)b[0]);
	w.work.lb = strlen((const char *)b[1]);
	return f(b[0], b[1], NULL, &w.work, dt_interp_options(ip)->strsize);
}
