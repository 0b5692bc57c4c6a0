/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * JSON: values and events in, one object a line out. doc/JSON.md is the schema; src/sink/sink_json.c reports
 * the events. Every line is valid JSON in valid UTF-8, whatever was recorded.
 */
#ifndef DT_OUTPUT_JSON_H
#define DT_OUTPUT_JSON_H

#include "output/statement.h"

#define DT_JSON_SCHEMA 1

/* ---- the writer (json.c): puts commas where they belong, checks nothing else ---- */

struct dt_json {
	struct dt_out *o;
	bool comma;			/* a value comes before, at this level */
};

void dt_json_open(struct dt_json *, char bracket);	/* { or [ */
void dt_json_close(struct dt_json *, char bracket);
void dt_json_key(struct dt_json *, const char *name);
void dt_json_int(struct dt_json *, int64_t);
void dt_json_uint(struct dt_json *, uint64_t);
void dt_json_bool(struct dt_json *, bool);
void dt_json_null(struct dt_json *);
void dt_json_double(struct dt_json *, double);		/* or "nan", "inf", "-inf" */
void dt_json_str(struct dt_json *, const char *);
void dt_json_text(struct dt_json *, const void *, size_t);	/* bytes that are not UTF-8 become U+FFFD */
void dt_json_hex(struct dt_json *, const void *, size_t);	/* "0a0b…" */
void dt_json_address(struct dt_json *, uint64_t);	/* "0x…" */
/* Text as a string. When it is not all UTF-8, it is an object that has the exact bytes too. */
void dt_json_string(struct dt_json *, const void *, size_t);
bool dt_json_is_utf8(const void *, size_t);
/*
 * Text as it is, except that bytes that are not UTF-8 become U+FFFD: readers refuse a whole file for
 * one such byte.
 */
void dt_json_valid(struct dt_out *, const void *, size_t);

/* ---- values (json_value.c, json_object.c) ---- */

void dt_json_value(struct dt_json *, const struct dt_value *);
/* For the rows of aggregating functions that give one number, several, or buckets. */
void dt_agg_number_json(struct dt_json *, const struct dt_value *);
void dt_agg_parts_json(struct dt_json *, const struct dt_value *);
void dt_agg_buckets_json(struct dt_json *, const struct dt_value *);
/* By v->type where it is known: a struct has its members' names. */
void dt_json_object(struct dt_json *, const struct dt_value *);

/* ---- lines (json_line.c, json_statement.c) ---- */

struct dt_json_probe { uint32_t epid, id; const char *prov, *mod, *func, *name; };

struct dt_json_event {
	struct dt_json_probe probe;
	uint64_t time;
	uint32_t cpu;
	const char *flow;		/* with -F "entry", "return" or ""; without, NULL */
	int indent;
};

struct dt_json_error {
	struct dt_json_probe probe;
	const char *fault, *message;	/* the message is that of the text sink */
	int32_t action, offset;		/* from 0; an action of -1 is the predicate, an offset of -1 none */
	const uint64_t *addr;		/* NULL: the fault has none */
	bool library;			/* the library failed to do an action; `action` means nothing */
};

struct dt_json_drop { const char *kind, *message; int cpu; uint64_t count, total; };

struct dt_json_sink {
	struct dt_out *out;		/* where lines go */
	struct dt_statements *statements;
	const char *(*aggname)(void *ctx, int64_t id);
	void *ctx;
	struct dt_out line, after;	/* the line in hand, and lines to write after it */
};

void dt_json_sink_init(struct dt_json_sink *, struct dt_out *, struct dt_statements *,
    const char *(*aggname)(void *ctx, int64_t id), void *ctx);
void dt_json_sink_free(struct dt_json_sink *);

/* A line is made between begin and end, and end writes it. There is one line at a time. */
struct dt_json dt_json_begin(struct dt_json_sink *, const char *type);
void dt_json_end(struct dt_json_sink *, struct dt_json *);

void dt_json_put_event(struct dt_json_sink *, const struct dt_json_event *, const struct dt_rec *, size_t n);
void dt_json_put_error(struct dt_json_sink *, const struct dt_json_error *);
void dt_json_put_drop(struct dt_json_sink *, const struct dt_json_drop *);
void dt_json_put_exit(struct dt_json_sink *, int status, bool called);
/* Aggregations that are printed together, outside of any firing. */
void dt_json_put_agg(struct dt_json_sink *, const int64_t *ids, uint32_t nids, const struct dt_aggrow *,
    size_t n);

/* The statements of a firing, as the array "output". Aggregations go to sink->after (json_statement.c). */
void dt_json_output(struct dt_json_sink *, struct dt_json *, const struct dt_json_probe *,
    const struct dt_rec *, size_t n);

/* For the rows of actions. The object of a statement is made between open and close. */
struct dt_json_firing {
	struct dt_json_sink *sink;
	struct dt_json *j;
	const struct dt_json_probe *probe;
};
void dt_json_action_open(struct dt_json_firing *, const char *name);
void dt_json_action_close(struct dt_json_firing *);
void dt_json_action_args(struct dt_json_firing *, const struct dt_rec *, size_t n);
/* Does what the text sink does for these records, printing included. */
void dt_json_action_do(struct dt_json_firing *, const struct dt_rec *, size_t n);
/* For `json` of the rows: one object for each value; one object for all, and then something to do. */
void dt_json_action_values(struct dt_json_firing *, const char *name, const struct dt_rec *, size_t n);
void dt_json_action_plain(struct dt_json_firing *, const char *name, const struct dt_rec *, size_t n);

/* The members of an "aggregation" line (json_line.c). */
void dt_json_agg(struct dt_json_sink *, struct dt_json *, const struct dt_format *, const int64_t *ids,
    uint32_t nids, const struct dt_aggrow *, size_t n);
void dt_json_probe(struct dt_json *, const struct dt_json_probe *);

#endif
