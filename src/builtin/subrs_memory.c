/* SPDX-License-Identifier: BSD-2-Clause */
/* Subroutines that move bytes between user memory, kernel memory and scratch. Only scratch and variables can be written. */
#include "builtin/subr.h"

static uint64_t call_copyin(struct dt_interp *ip, const struct dt_subr_call *call)
{
	uint64_t len = call->arg[1].value, to = dt_interp_scratch(ip, len);
	void *bytes = to ? dt_interp_temp(ip, len) : NULL;

	if (!bytes || !dt_interp_read(ip, call->arg[0].value, bytes, len, true) || !dt_interp_write(ip, to, bytes, len, false))
		return 0;
	return to;
}

static uint64_t call_copyinstr(struct dt_interp *ip, const struct dt_subr_call *call)
{
	uint64_t max = dt_interp_options(ip)->strsize - 1, len;
	char *text;

	if (call->nargs > 1 && call->arg[1].value < max)
		max = call->arg[1].value;
	if (!dt_interp_strlen(ip, call->arg[0].value, max, true, &len))
		return 0;
	text = dt_interp_temp(ip, len);
	if (!text || !dt_interp_read(ip, call->arg[0].value, text, len, true))
		return 0;
	return dt_interp_put(ip, text, len);
}

/* To scratch, from kernel or user memory. The destination is checked first: its size bounds the copy. */
static uint64_t copy_to(struct dt_interp *ip, uint64_t from, bool user, uint64_t to, uint64_t len)
{
	void *bytes;

	if (!dt_interp_storable(ip, to, len))
		return dt_interp_fault(ip, DT_FLT_BADADDR, to);
	bytes = dt_interp_temp(ip, len);
	if (bytes && dt_interp_read(ip, from, bytes, len, user))
		dt_interp_write(ip, to, bytes, len, false);
	return 0;
}

static uint64_t call_copyinto(struct dt_interp *ip, const struct dt_subr_call *call)
{
	return copy_to(ip, call->arg[0].value, true, call->arg[2].value, call->arg[1].value);
}

static uint64_t call_bcopy(struct dt_interp *ip, const struct dt_subr_call *call)
{
	return copy_to(ip, call->arg[0].value, false, call->arg[1].value, call->arg[2].value);
}

/* In pieces: the size is the program's, and may be any number. */
static uint64_t copy_out(struct dt_interp *ip, uint64_t from, uint64_t to, uint64_t len)
{
	uint8_t piece[1024];

	for (uint64_t done = 0; done < len;) {
		size_t n = len - done < sizeof(piece) ? (size_t)(len - done) : sizeof(piece);

		if (!dt_interp_read(ip, from + done, piece, n, false) || !dt_interp_write(ip, to + done, piece, n, true))
			return 0;
		done += n;
	}
	return 0;
}

static uint64_t call_copyout(struct dt_interp *ip, const struct dt_subr_call *call)
{
	return copy_out(ip, call->arg[0].value, call->arg[1].value, call->arg[2].value);
}

static uint64_t call_copyoutstr(struct dt_interp *ip, const struct dt_subr_call *call)
{
	const char *s = dt_subr_string(ip, call, 0);
	uint64_t len = s ? strlen(s) + 1 : 0;

	if (s && len > call->arg[2].value)
		len = call->arg[2].value;
	if (s)
		dt_interp_write(ip, call->arg[1].value, s, len, true);
	return 0;
}

static uint64_t call_alloca(struct dt_interp *ip, const struct dt_subr_call *call)
{
	return dt_interp_scratch(ip, call->arg[0].value);
}

/* Address and length side by side, for printm(). */
static uint64_t call_memref(struct dt_interp *ip, const struct dt_subr_call *call)
{
	uint64_t ref[2] = { call->arg[0].value, call->arg[1].value }, to = dt_interp_scratch(ip, sizeof(ref));

	return to && dt_interp_write(ip, to, ref, sizeof(ref), false) ? to : 0;
}

/* Bytes as a string: a NUL inside becomes the given character. */
static uint64_t call_memstr(struct dt_interp *ip, const struct dt_subr_call *call)
{
	uint64_t len = call->arg[2].value;
	char *text;

	if (len > dt_interp_options(ip)->strsize - 1)
		len = dt_interp_options(ip)->strsize - 1;
	text = dt_interp_temp(ip, len);
	if (!text || !dt_interp_read(ip, call->arg[0].value, text, len, false))
		return 0;
	for (uint64_t i = 0; i < len; i++) {
		if (!text[i])
			text[i] = (char)call->arg[1].value;
	}
	return dt_interp_put(ip, text, len);
}

#define V1_0 DT_VERS(1, 0, 0)
#define STABLE DT_ATTR_STABLE_COMMON

const struct dt_builtin dt_builtin_subrs_memory[] = {
	DT_SUBR_FLAGS(copyin, "void *(uintptr_t, size_t)", V1_0, STABLE, DT_BF_ALLOCA, call_copyin),
	DT_SUBR(copyinstr, "string(uintptr_t, [size_t])", V1_0, STABLE, call_copyinstr),
	DT_SUBR_FLAGS(copyout, "void(void *, uintptr_t, size_t)", V1_0, STABLE, DT_BF_DESTRUCTIVE, call_copyout),
	DT_SUBR_FLAGS(copyoutstr, "void(char *, uintptr_t, size_t)", V1_0, STABLE, DT_BF_DESTRUCTIVE, call_copyoutstr),
	DT_SUBR_FLAGS(alloca, "void *(size_t)", V1_0, STABLE, DT_BF_ALLOCA, call_alloca),
	DT_SUBR(bcopy, "void(void *, void *, size_t)", V1_0, STABLE, call_bcopy),
	DT_SUBR(copyinto, "void(uintptr_t, size_t, void *)", V1_0, STABLE, call_copyinto),
	DT_SUBR_FLAGS(memref, "uintptr_t *(void *, size_t)", V1_0, DT_ATTR_EVOLVING_COMMON, DT_BF_ALLOCA, call_memref),
	DT_SUBR(memstr, "string(void *, char, size_t)", V1_0, DT_ATTR_EVOLVING_COMMON, call_memstr),
	{ .name = NULL },
};
