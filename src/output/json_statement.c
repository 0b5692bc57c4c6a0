/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The statements of a firing as JSON objects: what was printed, and what was done. Actions that do something (clear,
 * system, setopt …) are told here and done by the owner of the statements.
 */
#include "output/json.h"

#include "value/record.h"

#include <stdlib.h>

struct firing {
	struct dt_json_sink *sink;
	struct dt_json *j;
	const struct dt_json_probe *probe;
};

static struct dt_value value_of(const struct dt_rec *rec)
{
	struct dt_value v;

	dt_record_value(rec->act, rec->data, rec->len, &v);
	return v;
}

static void open_action(struct firing *f, const char *name)
{
	dt_json_open(f->j, '{');
	dt_json_key(f->j, "action");
	dt_json_str(f->j, name);
}

static void close_action(struct firing *f)
{
	dt_json_close(f->j, '}');
}

static void put_args(struct firing *f, const struct dt_rec *recs, size_t n)
{
	dt_json_key(f->j, "args");
	dt_json_open(f->j, '[');
	for (size_t i = 0; i < n; i++) {
		struct dt_value v = value_of(&recs[i]);

		if (recs[i].len > 0 || v.kind != DT_V_BYTES)
			dt_json_value(f->j, &v);
	}
	dt_json_close(f->j, ']');
}

static void do_it(struct firing *f, const struct dt_rec *recs, size_t n)
{
	dt_statement_do(f->sink->statements, recs, n);
}

/* ---- printf and its kin ---- */

static void put_text(struct firing *f, const struct dt_rec *recs, size_t n)
{
	struct dt_out text;

	dt_out_init(&text, NULL, f->j->o->opts);
	dt_statement_text(f->sink->statements, &text, recs, n);
	dt_json_key(f->j, "text");
	dt_json_text(f->j, dt_out_text(&text), text.len);
	dt_out_free(&text);
}

static void put_printf(struct firing *f, const char *name, const struct dt_rec *recs, size_t n)
{
	size_t first = dt_statement_bare(recs);

	open_action(f, name);
	dt_json_key(f->j, "format");
	dt_json_str(f->j, recs[0].act->fmt != NULL ? recs[0].act->fmt : "");
	put_text(f, recs, n);
	put_args(f, recs + first, n - first);
	close_action(f);
}

static void put_command(struct firing *f, const char *name, const struct dt_rec *recs, size_t n)
{
	put_printf(f, name, recs, n);
	do_it(f, recs, n);
}

/* ---- values ---- */

static void put_trace(struct firing *f, const char *name, const struct dt_rec *recs, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct dt_value v = value_of(&recs[i]);

		if (recs[i].len == 0)
			continue;
		open_action(f, name);
		dt_json_key(f->j, "value");
		dt_json_value(f->j, &v);
		close_action(f);
	}
}

static void put_print(struct firing *f, const char *name, const struct dt_rec *recs, size_t n)
{
	const struct dt_statement_ops *o = &f->sink->statements->ops;
	struct dt_value v = value_of(&recs[0]);
	const char *type = recs[0].act->fmt;

	v.type = recs[0].act->type;
	if (v.type == NULL && type != NULL && o->type != NULL)
		v.type = o->type(o->ctx, type);
	open_action(f, name);
	if (type != NULL) {
		dt_json_key(f->j, "type");
		dt_json_str(f->j, type);
	}
	if (n > 1 && v.type != NULL && dt_type_base(v.type)->kind == DT_T_PTR) {
		dt_json_key(f->j, "address");
		dt_json_address(f->j, v.i);
		v = (struct dt_value){ .kind = DT_V_BYTES, .bytes = recs[1].data, .len = recs[1].len,
			.type = dt_type_base(v.type)->ref };
	}
	dt_json_key(f->j, "value");
	dt_json_object(f->j, &v);
	close_action(f);
}

static void put_memory(struct firing *f, const char *name, const struct dt_rec *recs, size_t n)
{
	const void *bytes;
	size_t len;

	if (!dt_rec_memory(recs, n, &bytes, &len))
		return;
	open_action(f, name);
	dt_json_key(f->j, "value");
	dt_json_open(f->j, '{');
	dt_json_key(f->j, "bytes");
	dt_json_hex(f->j, bytes, len);
	dt_json_close(f->j, '}');
	close_action(f);
}

/* ---- aggregations ---- */

/* The elements get a line of their own, after that of the firing. */
static void put_rows(struct firing *f, const struct dt_format *format, const int64_t *ids, uint32_t nids,
    const struct dt_aggrow *rows, size_t n)
{
	struct dt_json j = { .o = &f->sink->after };

	dt_json_open(&j, '{');
	dt_json_key(&j, "type");
	dt_json_str(&j, "aggregation");
	dt_json_probe(&j, f->probe);
	dt_json_agg(f->sink, &j, format, ids, nids, rows, n);
	dt_json_close(&j, '}');
	dt_out_str(j.o, "\n");
}

static void put_printa(struct firing *f, const char *name, const struct dt_rec *recs, size_t n)
{
	struct dt_statements *s = f->sink->statements;
	const char *text = recs[0].act->fmt;
	struct dt_format *format = text != NULL ? dt_statement_format(s, text) : NULL;
	int64_t *ids = calloc(n, sizeof(*ids));
	struct dt_aggrow *rows = NULL;
	size_t nrows = 0;

	open_action(f, name);
	if (text != NULL) {
		dt_json_key(f->j, "format");
		dt_json_str(f->j, text);
	}
	close_action(f);
	for (size_t i = 0; ids != NULL && i < n; i++)
		ids[i] = dt_rec_int(&recs[i]);
	if (ids != NULL && s->ops.rows != NULL)
		rows = s->ops.rows(s->ops.ctx, ids, (uint32_t)n, &nrows);
	if (rows != NULL)
		put_rows(f, format, ids, (uint32_t)n, rows, nrows);
	else
		f->j->o->failed = true;
	free(ids);
}

/* ---- what is done ---- */

static void put_libact(struct firing *f, const char *name, const struct dt_rec *recs, size_t n)
{
	static const struct { const char *name; bool on_agg; } acts[] = {
		[DT_LIB_CLEAR] = { "clear", true }, [DT_LIB_TRUNC] = { "trunc", true }, [DT_LIB_NORMALIZE] = { "normalize", true },
		[DT_LIB_DENORMALIZE] = { "denormalize", true }, [DT_LIB_SETOPT] = { "setopt", false },
		[DT_LIB_FTRUNCATE] = { "ftruncate", false },
	};
	uint64_t which = recs[0].act->arg;
	bool known = which >= DT_LIB_CLEAR && which <= DT_LIB_FTRUNCATE;
	size_t first = known && acts[which].on_agg;

	open_action(f, known ? acts[which].name : name);
	if (first > 0) {
		const char *agg = f->sink->aggname != NULL ? f->sink->aggname(f->sink->ctx, dt_rec_int(&recs[0])) : NULL;

		dt_json_key(f->j, "aggregation");
		dt_json_str(f->j, agg != NULL ? agg : "");
	}
	put_args(f, recs + first, n - first);
	close_action(f);
	do_it(f, recs, n);
}

static void put_exit(struct firing *f, const char *name, const struct dt_rec *recs, size_t n)
{
	open_action(f, name);
	dt_json_key(f->j, "status");
	dt_json_int(f->j, dt_rec_int(&recs[0]));
	close_action(f);
	do_it(f, recs, n);
}

static void put_other(struct firing *f, const char *name, const struct dt_rec *recs, size_t n)
{
	open_action(f, name);
	put_args(f, recs, n);
	close_action(f);
	do_it(f, recs, n);
}

static const struct row {
	uint16_t kind;
	const char *name;
	void (*put)(struct firing *, const char *name, const struct dt_rec *, size_t);
} rows_by_kind[] = {
	{ DT_ACT_DIFEXPR, "trace", put_trace }, { DT_ACT_EXIT, "exit", put_exit }, { DT_ACT_PRINTF, "printf", put_printf },
	{ DT_ACT_PRINTA, "printa", put_printa }, { DT_ACT_LIBACT, "library", put_libact }, { DT_ACT_PRINT, "print", put_print },
	{ DT_ACT_TRACEMEM, "tracemem", put_memory }, { DT_ACT_TRACEMEM_DYNSIZE, "tracemem", put_memory },
	{ DT_ACT_PRINTM, "printm", put_memory }, { DT_ACT_SYSTEM, "system", put_command },
	{ DT_ACT_FREOPEN, "freopen", put_command }, { DT_ACT_STACK, "stack", put_trace }, { DT_ACT_USTACK, "ustack", put_trace },
	{ DT_ACT_JSTACK, "jstack", put_trace }, { DT_ACT_SYM, "sym", put_trace }, { DT_ACT_MOD, "mod", put_trace },
	{ DT_ACT_USYM, "usym", put_trace }, { DT_ACT_UMOD, "umod", put_trace }, { DT_ACT_UADDR, "uaddr", put_trace },
	{ DT_ACT_STOP, "stop", put_other }, { DT_ACT_RAISE, "raise", put_other }, { DT_ACT_BREAKPOINT, "breakpoint", put_other },
	{ DT_ACT_PANIC, "panic", put_other }, { DT_ACT_CHILL, "chill", put_other }, { DT_ACT_PCAP, "pcap", put_other },
};

static void put_statement(struct firing *f, const struct dt_rec *recs, size_t n)
{
	for (size_t i = 0; i < sizeof(rows_by_kind) / sizeof(rows_by_kind[0]); i++)
		if (rows_by_kind[i].kind == recs[0].act->kind) {
			rows_by_kind[i].put(f, rows_by_kind[i].name, recs, n);
			return;
		}
	put_other(f, "other", recs, n);
}

void dt_json_output(struct dt_json_sink *sink, struct dt_json *j, const struct dt_json_probe *probe, const struct dt_rec *recs,
    size_t n)
{
	struct firing f = { sink, j, probe };

	dt_json_open(j, '[');
	for (size_t at = 0, len; (len = dt_statement_next(recs, n, &at)) > 0; at += len)
		put_statement(&f, recs + at, len);
	dt_json_close(j, ']');
}
