/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * CSV for spreadsheets and data frames (doc/CSV.md). All firings are rows of one table: the columns are the
 * probe and every value that some clause records, under the name the program has for it; cells of other
 * clauses stay empty. Aggregations are tables of their own, a row for each element, or for each bucket of a
 * histogram. A table begins with its header; an empty line stands before each but the first. Errors and drops
 * are no rows: the caller shows them.
 *
 * The columns of firings are decided once, when the trace starts, so that a header stays true for all rows
 * below it. Cells point to records of the firing in hand and are dead after it.
 */
#include "sink/csv.h"

#include "base/count.h"
#include "dif/action.h"
#include "output/json.h"
#include "value/value_record.h"

#include <stdlib.h>

static const char *const probe_columns[] = { "time", "cpu", "provider", "module", "function", "name" };

/* ---- cells ---- */

/* RFC 4180: a cell with a separator, a quote or the end of a line stands in quotes, quotes in it twice. */
static void csv_put_cell(struct dt_out *o, const char *p, size_t n)
{
	bool quoted = n > 0 && (p[0] == ' ' || p[n - 1] == ' ');

	for (size_t i = 0; i < n && !quoted; i++)
		quoted = strchr(",\"\r\n", p[i]) != NULL && p[i] != '\0';
	if (quoted)
		dt_out_str(o, "\"");
	while (n > 0) {
		const char *quote = quoted ? memchr(p, '"', n) : NULL;
		size_t len = quote != NULL ? (size_t)(quote - p) + 1 : n;

		dt_json_valid(o, p, len);
		if (quote != NULL)
			dt_out_str(o, "\"");
		p += len;
		n -= len;
	}
	if (quoted)
		dt_out_str(o, "\"");
}

/* Digits need no quotes. */
static void put_hex(struct dt_out *o, const void *bytes, size_t n)
{
	for (size_t i = 0; i < n; i++)
		dt_out_printf(o, "%02x", ((const uint8_t *)bytes)[i]);
}

/* Frames in the order of D, the innermost first, with ; between them. */
static void put_stack(struct dt_out *o, const struct dt_value *v)
{
	struct dt_out lines;
	char *save = NULL;
	bool any = false;

	dt_out_init(&lines, NULL, o->opts);
	dt_stack_print(&lines, v, 0);
	if (dt_out_text(&lines)[0] != '\0')
		for (char *frame = strtok_r(lines.buf, "\n", &save); frame != NULL; frame = strtok_r(NULL,
		    "\n", &save)) {
			dt_out_str(o, any ? ";" : "");
			dt_out_str(o, frame);
			any = true;
		}
	dt_out_free(&lines);
}

/*
 * The value as text, before quoting. Bytes that look like text are shown as text up to the NUL, all others
 * in hexadecimal.
 */
static void value_text(struct dt_out *o, const struct dt_value *v)
{
	char symbol[1024];

	switch (v->kind) {
	case DT_V_INT:
		if (v->is_signed)
			dt_out_int(o, (int64_t)dt_value_signed(v), 0, false);
		else
			dt_out_uint(o, dt_value_unsigned(v), 0, false);
		break;
	case DT_V_STRING:
		dt_out_put(o, v->bytes, dt_value_textlen(v));
		break;
	case DT_V_BYTES:
		if (dt_value_looks_text(v->bytes, v->len))
			dt_out_put(o, v->bytes, strnlen(v->bytes, v->len));
		else
			put_hex(o, v->bytes, v->len);
		break;
	case DT_V_STACK:
	case DT_V_USTACK:
		put_stack(o, v);
		break;
	case DT_V_AGG:
		break;		/* has columns of its own */
	default:
		dt_symbol_text(o->opts, v, symbol, sizeof(symbol));
		dt_out_str(o, symbol);
	}
}

void dt_csv_put_value(struct dt_csv *c, const struct dt_value *v)
{
	dt_out_clear(&c->text);
	value_text(&c->text, v);
	csv_put_cell(c->sink.env.out, dt_out_text(&c->text), c->text.len);
}

/* ---- tables ---- */

void dt_csv_add_column(struct dt_csv *c, const char *name)
{
	if (c->header.len > 0)
		dt_out_str(&c->header, ",");
	csv_put_cell(&c->header, name, strlen(name));
}

void dt_csv_begin_table(struct dt_csv *c, int table)
{
	struct dt_out *o = c->sink.env.out;

	if (c->table != DT_CSV_NO_TABLE)
		dt_out_str(o, "\n");
	c->table = table;
	dt_out_put(o, dt_out_text(&c->header), c->header.len);
	dt_out_str(o, "\n");
	dt_out_clear(&c->table_header);
	dt_out_put(&c->table_header, dt_out_text(&c->header), c->header.len);
}

/* ---- firings ---- */

static enum dt_actshape shape_of(const struct dt_act *a) { return dt_action_of(a)->shape; }

/*
 * Whether the action has a column. A statement of values has one for each of them, print() one at its first
 * action, tracemem() one at its last: those are the actions whose records put_recorded() is given.
 */
static bool has_column(const struct dt_ecb *ecb, uint32_t i)
{
	const struct dt_act *a = &ecb->acts[i];
	bool first = i == 0 || a[-1].stmt != a->stmt, last = i + 1 == ecb->nacts || a[1].stmt != a->stmt;

	if (!dt_statement_visible(a))
		return false;
	switch (shape_of(a)) {
	case DT_SHAPE_VALUES: return a->difo == NULL || a->difo->rtype.size != 0;
	case DT_SHAPE_OBJECT: return first;
	case DT_SHAPE_MEMORY: return last;
	default: return false;
	}
}

/*
 * The column of that name which this clause does not fill yet, from 1; a new one when there is none. A clause
 * that records one name twice gets name_2. Clauses share columns of the same name.
 */
static uint32_t column_named(struct dt_csv *c, const struct dt_csv_clause *clause, uint32_t upto,
    const char *name)
{
	const char *wanted = name;

	for (unsigned again = 2;; again++) {
		uint32_t i = 0;
		bool taken = false;

		while (i < c->columns.n && strcmp(c->columns.v[i], wanted) != 0)
			i++;
		for (uint32_t k = 0; k < upto; k++)
			taken |= clause->column[k] == i + 1;
		if (i == c->columns.n)
			dt_vec_push(c->sink.env.arena, &c->columns, wanted);
		if (!taken)
			return i + 1;
		wanted = dt_arena_printf(c->sink.env.arena, "%s_%u", name, again);
	}
}

static void plan_clause(struct dt_csv *c, struct dt_csv_clause *clause, const struct dt_ecb *ecb)
{
	unsigned number = 0;

	clause->ecb = ecb;
	clause->column = DT_NEWN(c->sink.env.arena, uint32_t, ecb->nacts + 1);
	for (uint32_t i = 0; i < ecb->nacts; i++) {
		if (!has_column(ecb, i))
			continue;
		number++;
		if (!dt_message_source(&c->text, ecb->acts[i].loc))
			dt_out_printf(&c->text, "value%u", number);
		clause->column[i] = column_named(c, clause, i,
		    dt_arena_strdup(c->sink.env.arena, dt_out_text(&c->text)));
	}
}

/* All columns are known after this: cells have room for them. */
static void csv_start(struct dt_sink *s, const struct dt_sink_start *start)
{
	struct dt_csv *c = (struct dt_csv *)s;

	c->clauses = DT_NEWN(c->sink.env.arena, struct dt_csv_clause, start->nclauses + 1);
	for (size_t i = 0; i < start->nclauses; i++)
		plan_clause(c, &c->clauses[c->nclauses++], start->clauses[i].ecb);
	c->cells = DT_NEWN(c->sink.env.arena, const struct dt_rec *, c->columns.n + 1);
	c->ncells = DT_NEWN(c->sink.env.arena, size_t, c->columns.n + 1);
}

/* What a statement does beside recording: exit(), system(), freopen() and the like. */
static void do_effect(struct dt_csv *c, const struct dt_rec *recs, size_t n)
{
	dt_statement_do(c->sink.env.statements, recs, n);
	if (recs[0].act->kind == DT_ACT_FREOPEN)
		c->table = DT_CSV_NO_TABLE;	/* another file begins with a header */
}

/* Notes which records the cells are made of; put_row() writes them. A record of no bytes was not made. */
static void fill_cells(struct dt_csv *c, const struct dt_csv_clause *clause, const struct dt_rec *recs,
    size_t n)
{
	bool values = shape_of(recs[0].act) == DT_SHAPE_VALUES;

	for (size_t i = 0; i < n; i++) {
		uint32_t column = clause->column[recs[i].act - clause->ecb->acts];

		if (column == 0 || recs[i].len == 0)
			continue;
		c->cells[column - 1] = values ? &recs[i] : recs;
		c->ncells[column - 1] = values ? 1 : n;
	}
}

/* print(): the object as JSON in one cell. */
static void put_object(struct dt_csv *c, const struct dt_rec *recs, size_t n)
{
	struct dt_json j = { .o = &c->text };
	struct dt_value v;

	dt_message_object(&c->sink, recs, n, &v);
	dt_out_clear(&c->text);
	dt_json_object(&j, &v);
	csv_put_cell(c->sink.env.out, dt_out_text(&c->text), c->text.len);
}

static void put_recorded(struct dt_csv *c, const struct dt_rec *recs, size_t n)
{
	struct dt_value v;
	const void *bytes;
	size_t len;

	switch (shape_of(recs[0].act)) {
	case DT_SHAPE_OBJECT:
		put_object(c, recs, n);
		break;
	case DT_SHAPE_MEMORY:
		if (dt_rec_memory(recs, n, &bytes, &len))
			put_hex(c->sink.env.out, bytes, len);
		break;
	default:
		dt_record_value(recs[0].act, recs[0].data, recs[0].len, &v);
		dt_csv_put_value(c, &v);
	}
}

static void begin_firings(struct dt_csv *c)
{
	dt_out_clear(&c->header);
	for (size_t i = 0; i < DT_COUNT(probe_columns); i++)
		dt_csv_add_column(c, probe_columns[i]);
	for (size_t i = 0; i < c->columns.n; i++)
		dt_csv_add_column(c, c->columns.v[i]);
	dt_csv_begin_table(c, DT_CSV_FIRINGS);
}

static void put_row(struct dt_csv *c, const dtrace_probedata_t *d)
{
	const dtrace_probedesc_t *p = d->dtpda_pdesc;
	const char *const parts[] = { p->dtpd_provider, p->dtpd_mod, p->dtpd_func, p->dtpd_name };
	struct dt_out *o = c->sink.env.out;

	if (c->table != DT_CSV_FIRINGS)
		begin_firings(c);
	dt_out_uint(o, d->dtpda_timestamp, 0, false);
	dt_out_str(o, ",");
	dt_out_int(o, d->dtpda_cpu, 0, false);
	for (size_t i = 0; i < DT_COUNT(parts); i++) {
		dt_out_str(o, ",");
		csv_put_cell(o, parts[i], strlen(parts[i]));
	}
	for (size_t i = 0; i < c->columns.n; i++) {
		dt_out_str(o, ",");
		if (c->cells[i] != NULL)
			put_recorded(c, c->cells[i], c->ncells[i]);
	}
	dt_out_str(o, "\n");
}

/* Firings of one clause come in a row, so the last one is tried first. */
static const struct dt_csv_clause *clause_of(struct dt_csv *c, const struct dt_ecb *ecb)
{
	if (c->last != NULL && c->last->ecb == ecb)
		return c->last;
	for (size_t i = 0; i < c->nclauses; i++)
		if (c->clauses[i].ecb == ecb)
			return c->last = &c->clauses[i];
	return NULL;
}

/*
 * Where the last statement that has values begins, or n. The row is written there: effects of statements
 * before it come before the row, those that follow it come after.
 */
static size_t last_values(const struct dt_sink_event *e)
{
	size_t last = e->n;

	for (size_t at = 0, len; (len = dt_statement_next(e->recs, e->n, &at)) > 0; at += len)
		for (size_t i = at; i < at + len && shape_of(e->recs[at].act) >= DT_SHAPE_VALUES; i++)
			if (e->recs[i].len > 0)
				last = at;
	return last;
}

/* A firing of the default action is a row without values. */
static int csv_event(struct dt_sink *s, const struct dt_sink_event *e)
{
	struct dt_csv *c = (struct dt_csv *)s;
	const struct dt_csv_clause *clause = clause_of(c, e->ecb);
	size_t last = last_values(e);

	if (clause == NULL)
		return EDT_DMISMATCH;
	memset(c->cells, 0, c->columns.n * sizeof(*c->cells));
	if (dt_ecb_is_default(e->ecb))
		put_row(c, e->data);
	for (size_t at = 0, len; (len = dt_statement_next(e->recs, e->n, &at)) > 0; at += len) {
		switch (shape_of(e->recs[at].act)) {
		case DT_SHAPE_EFFECT: do_effect(c, e->recs + at, len); break;
		case DT_SHAPE_AGGREGATION: dt_csv_put_printa(c, e, e->recs + at, len); break;
		default: fill_cells(c, clause, e->recs + at, len); break;
		}
		if (at == last)
			put_row(c, e->data);
	}
	return 0;
}

/* ---- the sink ---- */

static int csv_open(struct dt_sink *s)
{
	struct dt_csv *c = (struct dt_csv *)s;

	dt_out_init(&c->text, NULL, s->env.out->opts);
	dt_out_init(&c->header, NULL, s->env.out->opts);
	dt_out_init(&c->table_header, NULL, s->env.out->opts);
	return 0;
}

static void csv_close(struct dt_sink *s)
{
	struct dt_csv *c = (struct dt_csv *)s;

	dt_out_free(&c->text);
	dt_out_free(&c->header);
	dt_out_free(&c->table_header);
	if (c->copy) {
		free(c->cells);
		free(c->ncells);
	}
}

/* A copy writes rows alone; their header was written before. */
static bool csv_clonable(const struct dt_sink *s)
{
	return ((const struct dt_csv *)s)->table == DT_CSV_FIRINGS;
}

static bool csv_clone(struct dt_sink *s)
{
	struct dt_csv *c = (struct dt_csv *)s;

	c->copy = true;
	c->cells = calloc(c->columns.n + 1, sizeof(*c->cells));
	c->ncells = calloc(c->columns.n + 1, sizeof(*c->ncells));
	(void)csv_open(s);
	if (c->cells != NULL && c->ncells != NULL)
		return true;
	csv_close(s);
	return false;
}

const struct dt_sink_type dt_sink_csv = {
	.oformat = DTRACE_OFORMAT_TABLE,
	.size = sizeof(struct dt_csv),
	.open = csv_open,
	.close = csv_close,
	.clone = csv_clone,
	.clonable = csv_clonable,
	.start = csv_start,
	.event = csv_event,
	.aggregation = dt_csv_aggregation,
};
