/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Records and elements of aggregations as values with a type, for callers that cannot know what the program
 * recorded: bindings of other languages. Nothing is copied: pointers in a dtrace_val_t lead into the record
 * or the element and are valid as long as that is.
 */
#include "handle/entry.h"
#include "trace/trace.h"

#include "output/buckets.h"
#include "output/hist.h"
#include "output/print.h"
#include "value/value_record.h"

#include <errno.h>

/* The sign is kept in the kind, so that a caller can print the number right. */
static void as_int(const struct dt_value *v, dtrace_val_t *out)
{
	out->dtv_kind = v->is_signed ? DTRACE_VAL_INT : DTRACE_VAL_UINT;
	out->dtv_int = (int64_t)(v->is_signed ? dt_value_signed(v) : dt_value_unsigned(v));
}

/* A stack that is not as deep as its record ends with zeros. */
static size_t stack_depth(const struct dt_value *v)
{
	size_t n = 0;

	while (n < v->npcs && v->pcs[n] != 0)
		n++;
	return n;
}

/*
 * One of our values as a caller sees it. Kinds that differ only in how they are printed are one kind here:
 * names of symbols and modules are asked for by their addresses.
 */
static void as_value(const struct dt_value *v, dtrace_val_t *out)
{
	*out = (dtrace_val_t){ .dtv_pid = (pid_t)v->pid };
	switch (v->kind) {
	case DT_V_INT:
		as_int(v, out);
		break;
	case DT_V_STRING:
		*out = (dtrace_val_t){ .dtv_kind = DTRACE_VAL_STRING, .dtv_bytes = v->bytes,
			.dtv_len = dt_value_textlen(v) };
		break;
	case DT_V_BYTES:
		*out = (dtrace_val_t){ .dtv_kind = DTRACE_VAL_BYTES, .dtv_bytes = v->bytes,
			.dtv_len = v->len };
		break;
	case DT_V_STACK:
	case DT_V_USTACK:
		out->dtv_kind = DTRACE_VAL_STACK;
		out->dtv_frames = v->pcs;
		out->dtv_nframes = stack_depth(v);
		break;
	case DT_V_SYM:
	case DT_V_MOD:
	case DT_V_USYM:
	case DT_V_UMOD:
	case DT_V_UADDR:
		out->dtv_kind = DTRACE_VAL_ADDRESS;
		out->dtv_int = (int64_t)v->i;
		break;
	case DT_V_AGG:
		out->dtv_kind = DTRACE_VAL_BUCKETS;
		break;
	}
}

/* ---- firings ---- */

/* How many values a statement has. Actions that steer the trace have none: exit(), clear(), printa(). */
static size_t statement_nvalues(const struct dt_rec *recs, size_t n)
{
	size_t count = 0;

	switch (dt_action_of(recs[0].act)->shape) {
	case DT_SHAPE_MEMORY:
		return 1;
	case DT_SHAPE_OBJECT:
	case DT_SHAPE_VALUES:
		for (size_t i = 0; i < n; i++)
			count += recs[i].len > 0;
		return count;
	default:
		return 0;
	}
}

/* Value k of the statement; k is less than values_of() says. */
static void statement_value(const struct dt_rec *recs, size_t n, size_t k, dtrace_val_t *out)
{
	struct dt_value v = { 0 };
	const void *bytes;
	size_t i = 0, len;

	if (dt_action_of(recs[0].act)->shape == DT_SHAPE_MEMORY) {
		*out = (dtrace_val_t){ .dtv_kind = DTRACE_VAL_BYTES };
		if (dt_rec_memory(recs, n, &bytes, &len)) {
			out->dtv_bytes = bytes;
			out->dtv_len = len;
		}
		return;
	}
	while (recs[i].len == 0 || k-- > 0)
		i++;
	dt_record_value(recs[i].act, recs[i].data, recs[i].len, &v);
	as_value(&v, out);
}

/* Values are counted through all statements of the firing. Only valid during the callback for the firing. */
int dtrace_probedata_value(const dtrace_probedata_t *d, int n, dtrace_val_t *out)
{
	struct dt_trace *t = d->dtpda_handle->trace;
	const struct dt_sink_event *event = t != NULL ? t->h->doing.event : NULL;
	size_t before = 0;

	if (event == NULL || n < 0)
		return dt_handle_error(d->dtpda_handle, EINVAL);
	for (size_t at = 0, len; (len = dt_statement_next(event->recs, event->n, &at)) > 0; at += len) {
		size_t count = statement_nvalues(event->recs + at, len);

		if ((size_t)n < before + count) {
			statement_value(event->recs + at, len, (size_t)n - before, out);
			return 0;
		}
		before += count;
	}
	return dt_handle_error(d->dtpda_handle, ESRCH);
}

/* ---- elements ---- */

/* The public struct is the first member of ours. */
static const struct dt_aggdata *element_of(const dtrace_aggdata_t *d)
{
	return (const struct dt_aggdata *)d;
}

const char *dtrace_aggdata_function(const dtrace_aggdata_t *d)
{
	return dt_aggfunc_of(element_of(d)->val.aggkind)->names->name;
}

/* As snprintf(): a stack is a line for each frame, the innermost first. */
static int key_text(const struct dt_aggdata *e, int n, char *to, size_t len)
{
	const struct dt_print_opts *opts = e->opts != NULL ? e->opts : &e->d.dtada_handle->trace->popts;
	struct dt_out text;
	int all;

	if (n < 0 || (uint32_t)n >= e->row.nkeys)
		return dt_handle_error(e->d.dtada_handle, EINVAL);
	if (e->texts != NULL)
		return snprintf(to, len, "%s", e->texts[n]);
	dt_out_init(&text, NULL, opts);
	if (e->row.keys[n].kind == DT_V_STACK || e->row.keys[n].kind == DT_V_USTACK)
		dt_stack_print(&text, &e->row.keys[n], 0);
	else
		dt_value_bare(&text, &e->row.keys[n]);
	all = snprintf(to, len, "%s", dt_out_text(&text) + (dt_out_text(&text)[0] == '\n'));
	dt_out_free(&text);
	return all;
}

int dtrace_aggdata_keystr(const dtrace_aggdata_t *d, int n, char *to, size_t len)
{
	DT_PUBLIC(d->dtada_handle, -1, key_text(element_of(d), n, to, len));
}

int dtrace_aggdata_nkeys(const dtrace_aggdata_t *d)
{
	return (int)element_of(d)->row.nkeys;
}

int dtrace_aggdata_key(const dtrace_aggdata_t *d, int n, dtrace_val_t *out)
{
	if (n < 0 || (uint32_t)n >= element_of(d)->row.nkeys)
		return dt_handle_error(d->dtada_handle, EINVAL);
	as_value(&element_of(d)->row.keys[n], out);
	return 0;
}

/* A distribution has no single value: its buckets are asked for with dtrace_aggdata_buckets(). */
int dtrace_aggdata_value(const dtrace_aggdata_t *d, dtrace_val_t *out)
{
	struct dt_value number;

	if (dt_agg_scalar(&element_of(d)->val, &number))
		as_value(&number, out);
	else
		*out = (dtrace_val_t){ .dtv_kind = DTRACE_VAL_BUCKETS };
	return 0;
}

/* Calls f for each bucket that is not empty, lowest first, until it returns something else than 0. */
int dtrace_aggdata_buckets(const dtrace_aggdata_t *d, dtrace_bucket_f *f, void *arg)
{
	struct dt_buckets b;
	int rv = 0;

	if (!dt_buckets_open(&b, &element_of(d)->val))
		return dt_handle_error(d->dtada_handle, EINVAL);
	for (uint32_t i = 0; i < b.n && rv == 0; i++) {
		struct dt_bucket_bounds has = dt_buckets_bounds(&b, i);
		dtrace_bucket_t one = { .dtbk_low = has.min, .dtbk_high = has.max,
			.dtbk_has_low = has.has_min,
			.dtbk_has_high = has.has_max };

		one.dtbk_count = dt_agg_normalize(b.count[i], element_of(d)->val.normal);
		if (b.count[i] != 0)
			rv = f(&one, arg);
	}
	return rv;
}

int dtrace_aggdata_parts(const dtrace_aggdata_t *d, dtrace_part_f *f, void *arg)
{
	const struct dt_value *v = &element_of(d)->val;
	const struct dt_aggfunc *of = dt_aggfunc_of(v->aggkind);
	struct dt_aggpart part[DT_AGGPARTS];
	uint32_t n = of != NULL && of->parts != NULL ? of->parts(v, part) : 0;
	int rv = 0;

	if (n == 0)
		return dt_handle_error(d->dtada_handle, EINVAL);
	for (uint32_t i = 0; i < n && rv == 0; i++)
		rv = f(part[i].name, part[i].value, arg);
	return rv;
}
