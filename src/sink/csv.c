/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * CSV for spreadsheets and data frames (doc/CSV.md). All firings are rows of one table: the columns are the
 * probe and every value that some clause records, under the name the program has for it; cells of other
 * clauses stay empty. Aggregations are tables of their own, a row for each element, or for each bucket of a
 * histogram. A table begins with its header; an empty line stands before each but the first. Errors and drops
 * are no rows: the caller tells them.
 */
#include "sink/sink.h"

#include "dif/action.h"
#include "output/buckets.h"
#include "output/hist.h"
#include "output/json.h"
#include "value/record.h"

#include <stdlib.h>

static const char *const probe_columns[] = { "time", "cpu", "provider", "module", "function", "name" };

struct clause { const struct dt_ecb *ecb; uint32_t *column; };	/* by action: 1 + its column, 0 none */

struct csv {
	struct dt_sink sink;
	DT_VEC(const char *) columns;	/* of firings, behind those of the probe */
	struct clause *clauses;
	size_t nclauses;
	/* of the firing in hand, by column; how many records the cell is made of */
	const struct dt_rec **cells;
	size_t *ncells;
	const struct clause *last;	/* of the firing before */
	struct dt_out text;		/* the cell in hand */
	struct dt_out header;		/* the header in hand */
	enum { NO_TABLE, FIRINGS, AGGREGATIONS } table;	/* that was written last, and its header */
	struct dt_out table_header;
};

/* ---- cells ---- */

/* RFC 4180: a cell with a separator, a quote or the end of a line stands in quotes, quotes in it twice. */
static void put_cell(struct dt_out *o, const char *p, size_t n)
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

static void put_value(struct csv *c, const struct dt_value *v)
{
	dt_out_clear(&c->text);
	value_text(&c->text, v);
	put_cell(c->sink.env.out, dt_out_text(&c->text), c->text.len);
}

/* ---- tables ---- */

/* What the program calls it, on one line; false: it is a constant, or the program's text is not known. */
static bool source_text(struct dt_out *to, struct dt_loc loc)
{
	const char *from = loc.src != NULL ? loc.src->text + loc.off : NULL;
	bool space = true;

	dt_out_clear(to);
	if (from == NULL || loc.len == 0 || strchr("\"'-0123456789", from[0]) != NULL)
		return false;
	for (uint32_t i = 0; i < loc.len; i++) {
		bool another = strchr(" \t\r\n", from[i]) != NULL;

		if (!another || !space)
			dt_out_put(to, another ? " " : &from[i], 1);
		space = another;
	}
	return true;
}

static void head(struct csv *c, const char *name)
{
	if (c->header.len > 0)
		dt_out_str(&c->header, ",");
	put_cell(&c->header, name, strlen(name));
}

/* Rows of the table whose header was made follow. */
static void begin_table(struct csv *c, int table)
{
	struct dt_out *o = c->sink.env.out;

	if (c->table != NO_TABLE)
		dt_out_str(o, "\n");
	c->table = table;
	dt_out_put(o, dt_out_text(&c->header), c->header.len);
	dt_out_str(o, "\n");
	dt_out_clear(&c->table_header);
	dt_out_put(&c->table_header, dt_out_text(&c->header), c->header.len);
}

/*
 * The same aggregation printed again by a firing goes on with its table; outside of firings nothing tells the
 * two apart.
 */
static void begin_aggregations(struct csv *c, const dtrace_probedata_t *firing)
{
	if (firing == NULL || c->table != AGGREGATIONS ||
	    strcmp(dt_out_text(&c->table_header), dt_out_text(&c->header)) != 0)
		begin_table(c, AGGREGATIONS);
}

/* ---- aggregations ---- */

static bool is_histogram(const struct dt_value *v)
{
	return dt_aggfunc_of(v->aggkind)->buckets != NULL;
}

static const char *value_name(const struct csv *c, int64_t id, const struct dt_value *v)
{
	const char *name = c->sink.env.aggname != NULL ? c->sink.env.aggname(c->sink.env.ctx, id) : NULL;

	return name != NULL && strcmp(name, "_") != 0 ? name : dt_actrule_of(v->aggkind)->name;
}

static void head_value(struct csv *c, int64_t id, const struct dt_value *v) { head(c, value_name(c, id, v)); }

/* One column, or one for each of several numbers: "latency", "latency p99". */
static void head_numbers(struct csv *c, int64_t id, const struct dt_value *v)
{
	const struct dt_aggfunc *f = dt_aggfunc_of(v->aggkind);
	struct dt_aggpart part[DT_AGGPARTS];
	uint32_t n = f->parts != NULL ? f->parts(v, part) : 0;

	if (n == 0)
		head_value(c, id, v);
	for (uint32_t i = 0; i < n; i++) {
		dt_out_clear(&c->text);
		dt_out_printf(&c->text, "%s %s", value_name(c, id, v), part[i].name);
		head(c, dt_out_text(&c->text));
	}
}

static void put_number(struct csv *c, const struct dt_value *v)
{
	const struct dt_aggfunc *f = dt_aggfunc_of(v->aggkind);
	struct dt_aggpart part[DT_AGGPARTS];
	struct dt_value number;
	uint32_t n = f->parts != NULL ? f->parts(v, part) : 0;

	for (uint32_t i = 0; i < n; i++) {
		dt_out_str(c->sink.env.out, i > 0 ? "," : "");
		dt_out_int(c->sink.env.out, part[i].value, 0, false);
	}
	if (n == 0 && dt_agg_scalar(v, &number))
		put_value(c, &number);
}

/* The columns before the values: in a firing its time, then the keys. */
static void head_keys(struct csv *c, const dtrace_probedata_t *firing, const struct dt_sink_aggs *a)
{
	dt_out_clear(&c->header);
	if (firing != NULL)
		head(c, "time");
	for (uint32_t k = 0; k < a->rows[0].nkeys; k++) {
		if (!source_text(&c->text, c->sink.env.aggkey(c->sink.env.ctx, a->ids[0], k)))
			dt_out_printf(&c->text, "key%u", k + 1);
		head(c, dt_out_text(&c->text));
	}
}

/* True: something stands before, and the next cell wants a comma. */
static bool put_keys(struct csv *c, const dtrace_probedata_t *firing, const struct dt_aggrow *row)
{
	struct dt_out *o = c->sink.env.out;

	if (firing != NULL)
		dt_out_uint(o, firing->dtpda_timestamp, 0, false);
	for (uint32_t k = 0; k < row->nkeys; k++) {
		if (firing != NULL || k > 0)
			dt_out_str(o, ",");
		put_value(c, &row->keys[k]);
	}
	return firing != NULL || row->nkeys > 0;
}

static void put_numbers(struct csv *c, const dtrace_probedata_t *firing, const struct dt_sink_aggs *a)
{
	head_keys(c, firing, a);
	for (uint32_t i = 0; i < a->nids; i++)
		head_numbers(c, a->ids[i], &a->rows[0].vals[i]);
	begin_aggregations(c, firing);
	for (size_t r = 0; r < a->n; r++) {
		bool comma = put_keys(c, firing, &a->rows[r]);

		for (uint32_t i = 0; i < a->nids; i++, comma = true) {
			dt_out_str(c->sink.env.out, comma ? "," : "");
			put_number(c, &a->rows[r].vals[i]);
		}
		dt_out_str(c->sink.env.out, "\n");
	}
}

static void put_bucket(struct csv *c, const dtrace_probedata_t *firing, const struct dt_aggrow *row,
    const struct dt_buckets *b,
    uint32_t i, int64_t normal)
{
	struct dt_bucket_bounds bounds = dt_buckets_bounds(b, i);
	struct dt_out *o = c->sink.env.out;

	if (put_keys(c, firing, row))
		dt_out_str(o, ",");
	if (bounds.has_min)
		dt_out_int(o, bounds.min, 0, false);
	dt_out_str(o, ",");
	if (bounds.has_max)
		dt_out_int(o, bounds.max, 0, false);
	dt_out_str(o, ",");
	dt_out_int(o, dt_agg_normalize(b->count[i], normal), 0, false);
	dt_out_str(o, "\n");
}

/* From the first bucket that counts anything to the last. */
static void put_histograms(struct csv *c, const dtrace_probedata_t *firing, const struct dt_sink_aggs *a)
{
	head_keys(c, firing, a);
	head(c, "min");
	head(c, "max");
	head_value(c, a->ids[0], &a->rows[0].vals[0]);
	begin_aggregations(c, firing);
	for (size_t r = 0; r < a->n; r++) {
		const struct dt_value *v = &a->rows[r].vals[0];
		struct dt_buckets b;
		uint32_t first, last;

		if (!dt_buckets_open(&b, v))
			continue;
		dt_buckets_range(&b, &first, &last);
		for (uint32_t i = first; i < b.n && i <= last; i++)
			put_bucket(c, firing, &a->rows[r], &b, i, v->normal);
	}
}

/* Joined ones that have a histogram among them share no rows: each gets its own table. */
static void put_aggregations(struct csv *c, const dtrace_probedata_t *firing, const struct dt_sink_aggs *a)
{
	bool histogram = false;

	if (a->n == 0)
		return;
	for (uint32_t i = 0; i < a->nids; i++)
		histogram |= is_histogram(&a->rows[0].vals[i]);
	if (!histogram) {
		put_numbers(c, firing, a);
		return;
	}
	for (uint32_t i = 0; i < a->nids; i++) {
		struct dt_aggrow *rows = calloc(a->n, sizeof(*rows));
		struct dt_sink_aggs one = { &a->ids[i], 1, rows, a->n };

		for (size_t r = 0; rows != NULL && r < a->n; r++)
			rows[r] = (struct dt_aggrow){ a->rows[r].keys, a->rows[r].nkeys, &a->rows[r].vals[i],
				1, NULL };
		c->sink.env.out->failed |= rows == NULL;
		if (rows != NULL && is_histogram(&rows[0].vals[0]))
			put_histograms(c, firing, &one);
		else if (rows != NULL)
			put_numbers(c, firing, &one);
		free(rows);
	}
}

static int csv_aggregation(struct dt_sink *s, const struct dt_sink_aggs *a)
{
	put_aggregations((struct csv *)s, NULL, a);
	return 0;
}

static void put_printa(struct csv *c, const struct dt_sink_event *e, const struct dt_rec *recs, size_t n)
{
	const struct dt_statement_ops *ops = &c->sink.env.statements->ops;
	const int64_t *ids = dt_statement_ids(c->sink.env.statements, recs, n);
	struct dt_sink_aggs a = { ids, (uint32_t)n, NULL, 0 };

	if (ops->rows != NULL)
		a.rows = ops->rows(ops->ctx, ids, (uint32_t)n, &a.n);
	if (a.rows != NULL)
		put_aggregations(c, e->data, &a);
}

/* ---- firings ---- */

static enum dt_actshape shape_of(const struct dt_act *a) { return dt_action_of(a)->shape; }

/* Whether the action is the one whose column its statement's value, or this value of several, stands in. */
static bool has_column(const struct dt_ecb *ecb, uint32_t i)
{
	const struct dt_act *a = &ecb->acts[i];
	bool first = i == 0 || a[-1].stmt != a->stmt, last = i + 1 == ecb->nacts || a[1].stmt != a->stmt;

	if (!dt_statement_tells(a))
		return false;
	switch (shape_of(a)) {
	case DT_SHAPE_VALUES: return a->difo == NULL || a->difo->rtype.size != 0;
	case DT_SHAPE_OBJECT: return first;
	case DT_SHAPE_MEMORY: return last;
	default: return false;
	}
}

/* The column of that name which this clause does not fill yet; a new one when there is none. */
static uint32_t column_named(struct csv *c, const struct clause *clause, uint32_t upto, const char *name)
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

static void plan_clause(struct csv *c, struct clause *clause, const struct dt_ecb *ecb)
{
	unsigned number = 0;

	clause->ecb = ecb;
	clause->column = DT_NEWN(c->sink.env.arena, uint32_t, ecb->nacts + 1);
	for (uint32_t i = 0; i < ecb->nacts; i++) {
		if (!has_column(ecb, i))
			continue;
		number++;
		if (!source_text(&c->text, ecb->acts[i].loc))
			dt_out_printf(&c->text, "value%u", number);
		clause->column[i] = column_named(c, clause, i,
		    dt_arena_strdup(c->sink.env.arena, dt_out_text(&c->text)));
	}
}

static void csv_start(struct dt_sink *s, const struct dt_sink_start *start)
{
	struct csv *c = (struct csv *)s;

	c->clauses = DT_NEWN(c->sink.env.arena, struct clause, start->nclauses + 1);
	for (size_t i = 0; i < start->nclauses; i++)
		plan_clause(c, &c->clauses[c->nclauses++], start->clauses[i].ecb);
	c->cells = DT_NEWN(c->sink.env.arena, const struct dt_rec *, c->columns.n + 1);
	c->ncells = DT_NEWN(c->sink.env.arena, size_t, c->columns.n + 1);
}

static void do_effect(struct csv *c, const struct dt_rec *recs, size_t n)
{
	dt_statement_do(c->sink.env.statements, recs, n);
	if (recs[0].act->kind == DT_ACT_FREOPEN)
		c->table = NO_TABLE;	/* another file begins with a header */
}

static void fill_cells(struct csv *c, const struct clause *clause, const struct dt_rec *recs, size_t n)
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

static void put_object(struct csv *c, const struct dt_rec *recs, size_t n)
{
	const struct dt_statement_ops *o = &c->sink.env.statements->ops;
	struct dt_json j = { .o = &c->text };
	struct dt_value v;

	dt_record_value(recs[0].act, recs[0].data, recs[0].len, &v);
	v.type = recs[0].act->type;
	if (v.type == NULL && recs[0].act->fmt != NULL && o->type != NULL)
		v.type = o->type(o->ctx, recs[0].act->fmt);
	if (n > 1 && v.type != NULL && dt_type_base(v.type)->kind == DT_T_PTR)
		v = (struct dt_value){ .kind = DT_V_BYTES, .bytes = recs[1].data, .len = recs[1].len,
			.type = dt_type_base(v.type)->ref };
	dt_out_clear(&c->text);
	dt_json_object(&j, &v);
	put_cell(c->sink.env.out, dt_out_text(&c->text), c->text.len);
}

static void put_recorded(struct csv *c, const struct dt_rec *recs, size_t n)
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
		put_value(c, &v);
	}
}

static void begin_firings(struct csv *c)
{
	dt_out_clear(&c->header);
	for (size_t i = 0; i < sizeof(probe_columns) / sizeof(probe_columns[0]); i++)
		head(c, probe_columns[i]);
	for (size_t i = 0; i < c->columns.n; i++)
		head(c, c->columns.v[i]);
	begin_table(c, FIRINGS);
}

static void put_row(struct csv *c, const dtrace_probedata_t *d)
{
	const dtrace_probedesc_t *p = d->dtpda_pdesc;
	const char *const parts[] = { p->dtpd_provider, p->dtpd_mod, p->dtpd_func, p->dtpd_name };
	struct dt_out *o = c->sink.env.out;

	if (c->table != FIRINGS)
		begin_firings(c);
	dt_out_uint(o, d->dtpda_timestamp, 0, false);
	dt_out_str(o, ",");
	dt_out_int(o, d->dtpda_cpu, 0, false);
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		dt_out_str(o, ",");
		put_cell(o, parts[i], strlen(parts[i]));
	}
	for (size_t i = 0; i < c->columns.n; i++) {
		dt_out_str(o, ",");
		if (c->cells[i] != NULL)
			put_recorded(c, c->cells[i], c->ncells[i]);
	}
	dt_out_str(o, "\n");
}

static const struct clause *clause_of(struct csv *c, const struct dt_ecb *ecb)
{
	if (c->last != NULL && c->last->ecb == ecb)
		return c->last;
	for (size_t i = 0; i < c->nclauses; i++)
		if (c->clauses[i].ecb == ecb)
			return c->last = &c->clauses[i];
	return NULL;
}

/*
 * Where the last statement that has values begins, or n: the row is written there, so that what is done
 * before is done before.
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

static int csv_event(struct dt_sink *s, const struct dt_sink_event *e)
{
	struct csv *c = (struct csv *)s;
	const struct clause *clause = clause_of(c, e->ecb);
	size_t last = last_values(e);

	if (clause == NULL)
		return EDT_DMISMATCH;
	memset(c->cells, 0, c->columns.n * sizeof(*c->cells));
	if (dt_ecb_is_default(e->ecb))
		put_row(c, e->data);
	for (size_t at = 0, len; (len = dt_statement_next(e->recs, e->n, &at)) > 0; at += len) {
		switch (shape_of(e->recs[at].act)) {
		case DT_SHAPE_EFFECT: do_effect(c, e->recs + at, len); break;
		case DT_SHAPE_AGGREGATION: put_printa(c, e, e->recs + at, len); break;
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
	struct csv *c = (struct csv *)s;

	dt_out_init(&c->text, NULL, s->env.out->opts);
	dt_out_init(&c->header, NULL, s->env.out->opts);
	dt_out_init(&c->table_header, NULL, s->env.out->opts);
	return 0;
}

static void csv_close(struct dt_sink *s)
{
	struct csv *c = (struct csv *)s;

	dt_out_free(&c->text);
	dt_out_free(&c->header);
	dt_out_free(&c->table_header);
}

const struct dt_sink_type dt_sink_csv = {
	.oformat = DTRACE_OFORMAT_TABLE,
	.size = sizeof(struct csv),
	.open = csv_open,
	.close = csv_close,
	.start = csv_start,
	.event = csv_event,
	.aggregation = csv_aggregation,
};
