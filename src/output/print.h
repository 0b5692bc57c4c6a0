/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Values as text, in the layouts of DTrace when no format is given: trace(), the keys and values of
 * aggregations, histograms, stacks, dumps, print(). Everything is bounded by the value's own size.
 */
#ifndef DT_OUTPUT_PRINT_H
#define DT_OUTPUT_PRINT_H

#include "value/value.h"
#include "output/out.h"

/* ---- plain values (value.c) ---- */

uint64_t dt_value_unsigned(const struct dt_value *);	/* masked to the value's size */
uint64_t dt_value_signed(const struct dt_value *);	/* sign-extended from its size */
size_t dt_value_textlen(const struct dt_value *);	/* bytes before the first NUL */
bool dt_value_looks_text(const void *, size_t len);	/* printable, NULs only at the end */

/* trace(): padded columns, or bare text with opts->quiet. Symbols are padded in either case. */
void dt_value_trace(struct dt_out *, const struct dt_value *);
/* The value alone, without padding. */
void dt_value_bare(struct dt_out *, const struct dt_value *);
/* A key of an aggregation. */
void dt_value_key(struct dt_out *, const struct dt_value *);
void dt_hexdump_print(struct dt_out *, const void *, size_t len);
/* A newline, then each frame on a line of its own. */
void dt_stack_print(struct dt_out *, const struct dt_value *, uint32_t indent);
/*
 * A frame of a stack may stand for several calls, which the compiler has made one of: its text has a line
 * for each, innermost first. Bytes for such a text:
 */
enum { DT_FRAME_TEXT = 32768 };
/* The text of the i-th frame of a stack, and what the symbolizer is asked for. */
void dt_frame_text(const struct dt_print_opts *, const struct dt_value *stack, uint32_t i, char *buf,
    size_t len);
enum dt_symkind dt_frame_kind(const struct dt_value *stack, uint32_t i);
/*
 * A line of a native frame taken apart, in place: "object`function [inlined] (file:line)", of which the last
 * two may be missing (file NULL) and are cut off. A frame of a language stays whole.
 */
#define DT_FRAME_INLINED " [inlined]"
struct dt_frame_parts { const char *file; uint32_t line; bool inlined; };
void dt_frame_split(char *text, struct dt_frame_parts *);
/* The text of an address value (SYM … UADDR); 0x… when it is unknown. */
void dt_symbol_text(const struct dt_print_opts *, const struct dt_value *, char *buf, size_t len);
/* How many characters at the start of such a text are the module; 0: it has none */
size_t dt_symbol_module(const char *text);
/* print(): the value by its type. A newline ends it, except after a struct or union (pretty.c). */
void dt_pretty_print(struct dt_out *, const struct dt_value *);
/* The same for the object at an address: "0x… = *", then the object (print_object.c). */
void dt_pretty_pointer(struct dt_out *, uint64_t addr, const struct dt_value *object);

/* ---- aggregations (hist.c, aggprint.c) ---- */

/*
 * The one number of a count, sum, min, max, avg or stddev, normalized. False: the function makes more
 * than one number of its data.
 */
bool dt_agg_scalar(const struct dt_value *, struct dt_value *number);
/*
 * For the rows of aggregating functions that give one number, several, or buckets. json.h has those for
 * JSON.
 */
int dt_agg_cmp_number(const struct dt_value *, const struct dt_value *);
int dt_agg_cmp_buckets(const struct dt_value *, const struct dt_value *);
void dt_agg_number_text(struct dt_out *, const struct dt_value *);
/* On one line: name, number, name, number … */
void dt_agg_parts_text(struct dt_out *, const struct dt_value *);
void dt_hist_print(struct dt_out *, const struct dt_value *);

/* One element: its keys, and a value for each of the aggregations that are printed together. */
struct dt_aggrow {
	const struct dt_value *keys;
	uint32_t nkeys;
	const struct dt_value *vals;
	uint32_t nvals;
	/* for the caller that made the row: the element of each value, NULL where it has none; may be NULL */
	void **from;
};

/* The options that order elements. */
struct dt_aggorder {
	bool reverse;		/* aggsortrev */
	bool bykey;		/* aggsortkey */
	uint32_t keypos;	/* aggsortkeypos */
	uint32_t pos;		/* aggsortpos */
};

int dt_agg_cmp_value(const struct dt_value *, const struct dt_value *);
int dt_agg_cmp_key(const struct dt_value *, const struct dt_value *);
void dt_agg_sort(struct dt_aggrow *, size_t n, const struct dt_aggorder *);
/* All elements of one aggregation, or of several joined, in the order given, without a format. */
void dt_agg_print(struct dt_out *, const struct dt_aggrow *, size_t n);
struct dt_format;
void dt_agg_printf(struct dt_out *, const struct dt_format *, const struct dt_aggrow *, size_t n);

#endif
