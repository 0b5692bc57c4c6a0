/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Elements of aggregations for a terminal: each column is as wide as the widest of what stands in it. If
 * the lines are wider than the terminal then the widest columns of text get narrower, and a text that is
 * longer than its column moves what follows on its line. No text is ever cut. Stacks, dumps and
 * histograms have lines of their own.
 */
#include "output/hist.h"
#include "output/print.h"

#include <errno.h>
#include <stdlib.h>

enum { GAP = 2, NARROW = 12 };	/* before each column; the least that a column of text is made narrow to */

struct cell { size_t off, len, columns; };	/* of the text; many lines have no columns */

struct column { size_t width, end; bool left; };	/* end: where it ends on a line */

struct fit {
	struct dt_out text;		/* of all cells, one after the other */
	struct cell *cell;		/* row by row */
	struct column *column;
	uint32_t n;			/* of columns: keys, then values */
};

/* The value of a cell; NULL: the row has none there. */
static const struct dt_value *value_at(const struct dt_aggrow *row, uint32_t i)
{
	if (i < row->nkeys)
		return &row->keys[i];
	return i - row->nkeys < row->nvals ? &row->vals[i - row->nkeys] : NULL;
}

static bool is_number(const struct dt_value *v)
{
	struct dt_value number;

	return v->kind == DT_V_INT || (v->kind == DT_V_AGG && dt_agg_scalar(v, &number));
}

/* Puts the text of a value without the padding of the historic layout. */
static void measure_cell(struct fit *f, const struct dt_value *v, struct cell *c, struct column *col,
    uint32_t indent)
{
	c->off = f->text.len;
	dt_value_bare(&f->text, v);
	while (c->off < f->text.len && f->text.buf[c->off] == ' ')
		c->off++;
	c->len = f->text.len - c->off;
	if (c->len > 0 && memchr(f->text.buf + c->off, '\n', c->len) != NULL) {
		f->text.len = c->off;
		c->len = 0;
		c->columns = SIZE_MAX;
		col->width = col->width < indent ? indent : col->width;	/* what follows stands below it */
		return;
	}
	c->columns = dt_columns(dt_out_text(&f->text) + c->off, c->len);
	col->left |= !is_number(v);
	col->width = c->columns > col->width ? c->columns : col->width;
}

/* Takes from the widest columns of text what the terminal does not have; then says where each column ends. */
static void settle_columns(struct fit *f, size_t limit)
{
	size_t total = 0;

	for (uint32_t i = 0; i < f->n; i++)
		total += f->column[i].width + GAP;
	while (limit > 0 && total > limit) {
		struct column *widest = NULL;

		for (uint32_t i = 0; i < f->n; i++)
			if (f->column[i].left && (widest == NULL || f->column[i].width > widest->width))
				widest = &f->column[i];
		if (widest == NULL || widest->width <= NARROW)
			break;
		widest->width--;
		total--;
	}
	total = 0;
	for (uint32_t i = 0; i < f->n; i++)
		f->column[i].end = total += f->column[i].width + GAP;
}

/*
 * One row. `at` is the column that the line has reached: a text that was too long is caught up with where
 * possible.
 */
static void put_row(struct dt_out *o, const struct fit *f, const struct dt_aggrow *row,
    const struct cell *cell)
{
	size_t at = 0;

	for (uint32_t i = 0; i < f->n && value_at(row, i) != NULL; i++) {
		const struct column *col = &f->column[i];
		size_t want = col->left ? col->end - col->width : col->end - cell[i].columns;

		if (cell[i].columns == SIZE_MAX) {
			if (i < row->nkeys)
				dt_value_key(o, value_at(row, i));
			else
				dt_value_trace(o, value_at(row, i));
			at = 0;
			continue;
		}
		if (want < at + GAP)
			want = at + GAP;
		dt_out_pad(o, ' ', want - at);
		dt_out_put(o, dt_out_text(&f->text) + cell[i].off, cell[i].len);
		at = want + cell[i].columns;
	}
	dt_out_str(o, "\n");
}

void dt_fit_print(struct dt_out *o, const struct dt_aggrow *rows, size_t n)
{
	struct fit f = { .n = rows[0].nkeys + rows[0].nvals };

	f.cell = calloc(n * f.n + 1, sizeof(*f.cell));
	f.column = calloc(f.n + 1, sizeof(*f.column));
	dt_out_init(&f.text, NULL, o->opts);
	if (f.cell != NULL && f.column != NULL) {
		for (size_t i = 0; i < n; i++)
			for (uint32_t k = 0; k < f.n && value_at(&rows[i], k) != NULL; k++)
				measure_cell(&f, value_at(&rows[i], k), &f.cell[i * f.n + k], &f.column[k],
				    o->opts->stackindent);
		settle_columns(&f, o->opts->columns);
		for (size_t i = 0; i < n && !o->failed && !f.text.failed; i++)
			put_row(o, &f, &rows[i], &f.cell[i * f.n]);
	}
	if (f.cell == NULL || f.column == NULL || f.text.failed)
		dt_out_fail(o, ENOMEM);
	dt_out_free(&f.text);
	free(f.cell);
	free(f.column);
}
