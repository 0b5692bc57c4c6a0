/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The interpreter's way to the functions of src/runtime: it gives them what a slot of the kernel would,
 * buffers of strsize with room after them and the words of struct dt_work, and answers what they ask of their
 * executor. Memory that a function cannot read is no fault of the clause here: the function decides.
 */
#include "builtin/row.h"

static int read_image(void *ctx, void *to, dt_word size, dt_word addr, int user)
{
	return dt_interp_peek(ctx, addr, to, size, user);
}

static unsigned int random_number(void *ctx) { return (unsigned int)dt_interp_context(ctx)->random; }
static dt_word time_of_firing(void *ctx) { return dt_interp_context(ctx)->timestamp; }

/* One piece for all three buffers; bytes that are no string may be more than strsize (dt_rt_bytes()). */
bool dt_rt_begin(struct dt_interp *ip, struct dt_rt_call *c)
{
	size_t strsize = dt_interp_options(ip)->strsize;
	size_t size = ((strsize > DT_RT_BYTES ? strsize : DT_RT_BYTES) + DT_RT_AFTER + 7) & ~7ull;

	memset(c, 0, sizeof(*c));
	c->a = dt_interp_buffer(ip, 4 * size);
	if (!c->a)
		return false;
	memset(c->a, 0, 4 * size);
	c->b = c->a + size;
	c->d = c->b + size;
	return true;
}

/* Strings are cut to strsize when they are read, so they fit. */
bool dt_rt_strings(struct dt_interp *ip, const struct dt_subr_call *call, uint32_t n, struct dt_rt_call *c)
{
	if (!dt_rt_begin(ip, c))
		return false;
	for (uint32_t i = 0; i < n; i++) {
		const char *text = dt_subr_string(ip, call, i);
		size_t len = text ? strlen(text) : 0;

		if (!text)
			return false;
		memcpy(i ? c->b : c->a, text, len);
		if (i)
			c->w.lb = len;
		else
			c->w.la = len;
	}
	return true;
}

bool dt_rt_bytes(struct dt_interp *ip, uint64_t addr, size_t size, struct dt_rt_call *c)
{
	return dt_rt_begin(ip, c) && dt_interp_read(ip, addr, c->a, size, false);
}

uint64_t dt_rt_run(struct dt_interp *ip, struct dt_rt_call *c, dt_rt_fn *f)
{
	const struct dt_rt_env env = { .ctx = ip, .read = read_image, .random = random_number,
		.now = time_of_firing };

	return f(c->a, c->b, c->d, &c->w, dt_interp_options(ip)->strsize, &env);
}

uint64_t dt_rt_text(struct dt_interp *ip, struct dt_rt_call *c, dt_rt_fn *f)
{
	uint64_t len = dt_rt_run(ip, c, f);

	return len ? dt_interp_put(ip, (const char *)c->d, len - 1) : 0;
}
