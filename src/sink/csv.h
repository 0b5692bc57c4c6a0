/* SPDX-License-Identifier: BSD-2-Clause */
/* What the files of the CSV sink share: csv.c has cells, tables and firings, csv_aggs.c the aggregations. */
#ifndef DT_SINK_CSV_H
#define DT_SINK_CSV_H

#include "sink/messages.h"

/* column: by action, 1 + its column; 0: it has none */
struct dt_csv_clause { const struct dt_ecb *ecb; uint32_t *column; };

struct dt_csv {
	struct dt_sink sink;
	DT_VEC(const char *) columns;	/* of firings, after those of the probe */
	struct dt_csv_clause *clauses;
	size_t nclauses;
	/* of the firing in hand, by column; how many records the cell is made of */
	const struct dt_rec **cells;
	size_t *ncells;
	const struct dt_csv_clause *last;	/* of the firing before */
	struct dt_out text;		/* the cell in hand */
	struct dt_out header;		/* the header in hand */
	/* the table that was written last, and its header */
	enum { DT_CSV_NO_TABLE, DT_CSV_FIRINGS, DT_CSV_AGGREGATIONS } table;
	struct dt_out table_header;
	bool copy;			/* of another sink: the cells are malloc()ed */
};

/* csv.c */
void dt_csv_put_value(struct dt_csv *, const struct dt_value *);	/* one cell; c->text changes */
void dt_csv_add_column(struct dt_csv *, const char *name);	/* one cell more in the header in hand */
void dt_csv_begin_table(struct dt_csv *, int table);		/* writes that header: rows follow */

/* csv_aggs.c */
int dt_csv_aggregation(struct dt_sink *, const struct dt_sink_aggs *);
void dt_csv_put_printa(struct dt_csv *, const struct dt_sink_event *, const struct dt_rec *, size_t n);

#endif
