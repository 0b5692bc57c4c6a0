/* SPDX-License-Identifier: BSD-2-Clause */
/* The variables of a program at its end, as text: what `@show: vars` prints, and what --kernel compares. */
#include "run.h"

#include <inttypes.h>
#include <stdlib.h>

/* [1,"text"]: each key is its length and its bytes; eight bytes are a number. */
static void show_keys(struct run *r, const struct dt_interp_var *iv)
{
	const char *p = iv->key, *end = p + iv->keylen;
	uint64_t len, value;

	if (!iv->keylen)
		return;
	for (char c = '['; end - p >= 8; c = ',') {
		memcpy(&len, p, 8);
		p += 8;
		if (len > (uint64_t)(end - p))
			break;
		dt_out_put(&r->out, &c, 1);
		if (len == 8) {
			memcpy(&value, p, 8);
			dt_out_printf(&r->out, "%" PRId64, (int64_t)value);
		} else {
			dt_out_str(&r->out, "\"");
			dt_out_escaped(&r->out, p, strnlen(p, len));
			dt_out_str(&r->out, "\"");
		}
		p += len;
	}
	dt_out_str(&r->out, "]");
}

static bool is_zero(const struct dt_interp_var *iv)
{
	/* behind a string's end is what was there */
	for (size_t i = 0; iv->bytes && i < (iv->var->type.kind == DT_DT_STRING ? 1 : iv->len); i++)
		if (((const char *)iv->bytes)[i])
			return false;
	return !iv->null && (iv->bytes || iv->value == 0);
}

static void show_var(void *ctx, const struct dt_interp_var *iv)
{
	static const char *const scopes[] = { "", "self->", "this->" };
	struct run *r = ctx;
	struct dt_print_opts quiet = r->popts;
	const struct dt_diftype *t = &iv->var->type;
	uint64_t word = iv->value;
	struct dt_value v;

	if (iv->bytes)
		dt_record_plain(t, iv->bytes, iv->len, &v);
	else
		dt_record_plain(t, &word, t->size && t->size <= 8 ? t->size : 8, &v);
	dt_out_printf(&r->out, "%s%s", scopes[iv->var->scope < 3 ? iv->var->scope : 0], iv->var->name);
	show_keys(r, iv);
	if (iv->var->scope == DT_DIFV_THREAD)
		dt_out_printf(&r->out, " (thread %u)", iv->tid);
	dt_out_str(&r->out, " = ");
	quiet.quiet = true;
	r->out.opts = &quiet;
	if (iv->null)
		dt_out_str(&r->out, "NULL");
	else if (r->places && t->ckind == DT_CK_POINTER && iv->value >> 47)
		dt_out_str(&r->out, "an address");
	else
		dt_value_trace(&r->out, &v);
	r->out.opts = &r->popts;
	dt_out_str(&r->out, "\n");
}

/* Both executors' in one order; globals that nothing has been put in are not there in the kernel. */
static void collect_var(void *ctx, const struct dt_interp_var *iv)
{
	struct run *r = ctx;
	size_t before = r->out.len;

	if (iv->var->scope == DT_DIFV_GLOBAL && !iv->keylen && is_zero(iv))
		return;
	show_var(r, iv);
	dt_vec_push(r->arena, &r->lines, dt_arena_strndup(r->arena, dt_out_text(&r->out) + before,
	    r->out.len - before));
	r->out.len = before;
}

static int by_text(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

void run_put_lines(struct run *r)
{
	if (r->lines.n)
		qsort(r->lines.v, r->lines.n, sizeof(r->lines.v[0]), by_text);
	for (size_t i = 0; i < r->lines.n; i++)
		dt_out_str(&r->out, r->lines.v[i]);
	r->lines.n = 0;
}

void run_put_vars(struct run *r)
{
	if (r->kernel)
		kernel_vars(r->kernel, collect_var, r);
	else if (r->places)
		dt_interp_vars(r->interp, collect_var, r);
	else
		dt_interp_vars(r->interp, show_var, r);
	run_put_lines(r);
}
