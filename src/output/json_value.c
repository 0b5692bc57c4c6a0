/* SPDX-License-Identifier: BSD-2-Clause */
/* Plain values as JSON, by their kind: numbers, strings, bytes, stacks, symbols, aggregations. */
#include "output/json.h"

#include "dif/action.h"
#include "output/buckets.h"
#include "output/hist.h"

#include <stdlib.h>

static void put_int(struct dt_json *j, const struct dt_value *v)
{
	if (v->is_signed)
		dt_json_int(j, (int64_t)dt_value_signed(v));
	else
		dt_json_uint(j, dt_value_unsigned(v));
}

static void put_string(struct dt_json *j, const struct dt_value *v)
{
	size_t n = dt_value_textlen(v);

	dt_json_string(j, n > 0 ? v->bytes : "", n);
}

/* What the text sink would show as text has it here too, beside the bytes. */
static void put_bytes(struct dt_json *j, const struct dt_value *v)
{
	size_t n = v->bytes != NULL ? v->len : 0;

	dt_json_open(j, '{');
	if (n > 0 && !j->o->opts->rawbytes && dt_value_looks_text(v->bytes, n)) {
		dt_json_key(j, "string");
		dt_json_text(j, v->bytes, dt_value_textlen(v));
	}
	dt_json_key(j, "bytes");
	dt_json_hex(j, v->bytes, n);
	dt_json_close(j, '}');
}

/* ---- addresses ---- */

/* The members; an address nobody knows has no name. */
static void put_place(struct dt_json *j, const struct dt_value *v)
{
	char text[512], plain[32];
	bool module = v->kind == DT_V_MOD || v->kind == DT_V_UMOD;

	dt_symbol_text(j->o->opts, v, text, sizeof(text));
	snprintf(plain, sizeof(plain), "0x%llx", (unsigned long long)v->i);
	dt_json_key(j, "address");
	dt_json_address(j, v->i);
	if (strcmp(text, plain) != 0) {
		dt_json_key(j, module ? "module" : "symbol");
		dt_json_str(j, text);
	}
}

static void put_pid(struct dt_json *j, const struct dt_value *v)
{
	if (v->kind == DT_V_USTACK || v->kind >= DT_V_USYM) {
		dt_json_key(j, "pid");
		dt_json_uint(j, v->pid);
	}
}

static void put_symbol(struct dt_json *j, const struct dt_value *v)
{
	dt_json_open(j, '{');
	put_pid(j, v);
	put_place(j, v);
	dt_json_close(j, '}');
}

static void put_stack(struct dt_json *j, const struct dt_value *v)
{
	struct dt_value pc = {
		.kind = v->kind == DT_V_USTACK ? DT_V_UADDR : DT_V_SYM, .pid = v->pid, .size = 8
	};

	dt_json_open(j, '{');
	put_pid(j, v);
	dt_json_key(j, "frames");
	dt_json_open(j, '[');
	for (uint32_t i = 0; i < v->npcs && v->pcs[i] != 0 && !j->o->failed; i++) {
		pc.i = v->pcs[i];
		dt_json_open(j, '{');
		put_place(j, &pc);
		dt_json_close(j, '}');
	}
	dt_json_close(j, ']');
	dt_json_close(j, '}');
}

/* ---- aggregations ---- */

static void put_bucket(struct dt_json *j, const struct dt_buckets *b, uint32_t i, int64_t normal)
{
	struct dt_bucket_bounds bounds = dt_buckets_bounds(b, i);

	dt_json_open(j, '{');
	if (bounds.has_min) {
		dt_json_key(j, "min");
		dt_json_int(j, bounds.min);
	}
	if (bounds.has_max) {
		dt_json_key(j, "max");
		dt_json_int(j, bounds.max);
	}
	dt_json_key(j, "count");
	dt_json_int(j, dt_agg_normalize(b->count[i], normal));
	dt_json_close(j, '}');
}

void dt_agg_buckets_json(struct dt_json *j, const struct dt_value *v)
{
	struct dt_buckets b;
	uint32_t first = 0, last = 0;

	dt_json_open(j, '[');
	if (dt_buckets_open(&b, v)) {
		dt_buckets_range(&b, &first, &last);
		for (uint32_t i = first; i < b.n && i <= last && !j->o->failed; i++)
			put_bucket(j, &b, i, v->normal);
	}
	dt_json_close(j, ']');
}

void dt_agg_number_json(struct dt_json *j, const struct dt_value *v)
{
	struct dt_value number;

	if (dt_agg_scalar(v, &number))
		put_int(j, &number);
}

void dt_agg_parts_json(struct dt_json *j, const struct dt_value *v)
{
	struct dt_aggpart part[DT_AGGPARTS];
	uint32_t n = dt_aggfunc_of(v->aggkind)->parts(v, part);

	dt_json_open(j, '{');
	for (uint32_t i = 0; i < n; i++) {
		dt_json_key(j, part[i].name);
		dt_json_int(j, part[i].value);
	}
	dt_json_close(j, '}');
}

void dt_json_value(struct dt_json *j, const struct dt_value *v)
{
	switch (v->kind) {
	case DT_V_INT: put_int(j, v); break;
	case DT_V_STRING: put_string(j, v); break;
	case DT_V_BYTES: put_bytes(j, v); break;
	case DT_V_STACK:
	case DT_V_USTACK: put_stack(j, v); break;
	case DT_V_SYM:
	case DT_V_MOD:
	case DT_V_USYM:
	case DT_V_UMOD:
	case DT_V_UADDR: put_symbol(j, v); break;
	case DT_V_AGG: dt_aggfunc_of(v->aggkind)->json(j, v); break;
	}
}
