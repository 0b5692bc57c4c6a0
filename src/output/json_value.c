/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Plain values as JSON, by their kind: numbers, strings, bytes, stacks, symbols, aggregations.
 * doc/JSON.md promises these shapes to readers.
 */
#include "lang/lang.h"
#include "output/json.h"

#include "dif/action.h"
#include "output/buckets.h"
#include "output/hist.h"

#include <stdlib.h>

static void json_put_int(struct dt_json *j, const struct dt_value *v)
{
	if (v->is_signed)
		dt_json_int(j, (int64_t)dt_value_signed(v));
	else
		dt_json_uint(j, dt_value_unsigned(v));
}

static void json_put_string(struct dt_json *j, const struct dt_value *v)
{
	size_t n = dt_value_textlen(v);

	dt_json_string(j, n > 0 ? v->bytes : "", n);
}

/* Bytes that the text sink would show as text have the text here too, beside the bytes. */
static void json_put_bytes(struct dt_json *j, const struct dt_value *v)
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

/*
 * The members of an address. A name that is only the number again means that the address is unknown,
 * and it is left out.
 */
static void json_put_name(struct dt_json *j, const struct dt_value *v, char *text)
{
	bool module = v->kind == DT_V_MOD || v->kind == DT_V_UMOD;
	struct dt_frame_parts parts = { 0 };
	char plain[32];

	if (v->kind == DT_V_UADDR && dt_lang_is_frame(v->i)) {
		dt_json_key(j, "language");
		dt_json_str(j, dt_lang_name(dt_lang_of(DT_FRAME_LANG(v->i))));
	} else if (v->kind == DT_V_UADDR) {
		dt_frame_split(text, &parts);
	}
	snprintf(plain, sizeof(plain), "0x%llx", (unsigned long long)v->i);
	dt_json_key(j, "address");
	dt_json_address(j, v->i);
	if (strcmp(text, plain) != 0) {
		dt_json_key(j, module ? "module" : "symbol");
		dt_json_str(j, text);
	}
	if (parts.inlined) {
		dt_json_key(j, "inlined");
		dt_json_bool(j, true);
	}
	if (parts.file != NULL) {
		dt_json_key(j, "file");
		dt_json_str(j, parts.file);
		dt_json_key(j, "line");
		dt_json_uint(j, parts.line);
	}
}

static void json_put_place(struct dt_json *j, const struct dt_value *v)
{
	char text[512];

	dt_symbol_text(j->o->opts, v, text, sizeof(text));
	json_put_name(j, v, text);
}

/* Addresses of a process mean nothing without it. The kinds from DT_V_USYM on are such addresses. */
static void json_put_pid(struct dt_json *j, const struct dt_value *v)
{
	if (v->kind == DT_V_USTACK || v->kind >= DT_V_USYM) {
		dt_json_key(j, "pid");
		dt_json_uint(j, v->pid);
	}
}

static void json_put_symbol(struct dt_json *j, const struct dt_value *v)
{
	dt_json_open(j, '{');
	json_put_pid(j, v);
	json_put_place(j, v);
	dt_json_close(j, '}');
}

/* A pc of 0 ends a stack, as in dt_stack_print(). */
static void json_put_stack(struct dt_json *j, const struct dt_value *v)
{
	struct dt_value pc = {
		.kind = v->kind == DT_V_USTACK ? DT_V_UADDR : DT_V_SYM, .pid = v->pid, .size = 8
	};

	char text[DT_FRAME_TEXT], *line, *rest;

	dt_json_open(j, '{');
	json_put_pid(j, v);
	dt_json_key(j, "frames");
	dt_json_open(j, '[');
	for (uint32_t i = 0; i < v->npcs && v->pcs[i] != 0 && !j->o->failed; i++) {
		pc.i = v->pcs[i];
		dt_frame_text(j->o->opts, v, i, text, sizeof(text));
		for (rest = text; (line = strsep(&rest, "\n")) != NULL; ) {
			dt_json_open(j, '{');
			json_put_name(j, &pc, line);
			dt_json_close(j, '}');
		}
	}
	dt_json_close(j, ']');
	dt_json_close(j, '}');
}

/* ---- aggregations ---- */

static void json_put_bucket(struct dt_json *j, const struct dt_buckets *b, uint32_t i, int64_t normal)
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

/*
 * Only the buckets between the first and the last that count: the empty ones around them are a
 * picture's.
 */
void dt_agg_buckets_json(struct dt_json *j, const struct dt_value *v)
{
	struct dt_buckets b;
	uint32_t first = 0, last = 0;

	dt_json_open(j, '[');
	if (dt_buckets_open(&b, v)) {
		dt_buckets_range(&b, &first, &last);
		for (uint32_t i = first; i < b.n && i <= last && !j->o->failed; i++)
			json_put_bucket(j, &b, i, v->normal);
	}
	dt_json_close(j, ']');
}

void dt_agg_number_json(struct dt_json *j, const struct dt_value *v)
{
	struct dt_value number;

	if (dt_agg_scalar(v, &number))
		json_put_int(j, &number);
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
	case DT_V_INT: json_put_int(j, v); break;
	case DT_V_STRING: json_put_string(j, v); break;
	case DT_V_BYTES: json_put_bytes(j, v); break;
	case DT_V_STACK:
	case DT_V_USTACK: json_put_stack(j, v); break;
	case DT_V_SYM:
	case DT_V_MOD:
	case DT_V_USYM:
	case DT_V_UMOD:
	case DT_V_UADDR: json_put_symbol(j, v); break;
	case DT_V_AGG: dt_aggfunc_of(v->aggkind)->json(j, v); break;
	}
}
