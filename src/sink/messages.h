/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A firing taken apart for formats that are not text: its values, the aggregations it shows, and what it
 * does, in the order of its statements.
 */
#ifndef DT_SINK_MESSAGES_H
#define DT_SINK_MESSAGES_H

#include "sink/sink.h"

/* Any may be NULL. */
struct dt_message_ops {
	/* of tracemem() the bytes; of print() what dt_message_object() makes of it */
	void (*value)(struct dt_sink *, const struct dt_sink_event *, const struct dt_act *,
	    const struct dt_value *);
	void (*aggs)(struct dt_sink *, const struct dt_sink_event *, const struct dt_sink_aggs *);
	/* before it is done: clear(), trunc() and the like */
	void (*effect)(struct dt_sink *, const struct dt_sink_event *, const struct dt_rec *);
	/* after trunc(): the elements that are left */
	void (*truncated)(struct dt_sink *, const struct dt_sink_aggs *);
};

/* The current elements of an aggregation; none if they are unknown. */
struct dt_sink_aggs dt_message_elements(struct dt_sink *, const int64_t *id);

void dt_message_event(struct dt_sink *, const struct dt_message_ops *, const struct dt_sink_event *);

/*
 * print(): the value of its records, whose type is that of the action, or found by the name the action
 * carries; of a pointer the second record holds what it points to.
 */
void dt_message_object(struct dt_sink *, const struct dt_rec *recs, size_t n, struct dt_value *);

/*
 * A format that has no place for an aggregation says so, once: "@name is left out: why". Without a value it
 * is about what firings record.
 */
void dt_message_leave(struct dt_sink *, int64_t id, const struct dt_value *, const char *why);

/* The aggregation's name, or its function's when it has none (@). */
const char *dt_message_aggname(const struct dt_sink *, int64_t id, const struct dt_value *);
/* One number for any value of an aggregation: of a histogram how many it counted. */
int64_t dt_message_number(const struct dt_value *);
/* A key as text, without padding: of a stack its frames, the innermost first, with ; between them. */
void dt_message_key(struct dt_out *, const struct dt_value *);
/*
 * Text in valid UTF-8 on one line: control characters become a question mark, `sep` and `sep2` (0: none) a
 * colon.
 */
void dt_message_clean(struct dt_out *, const char *, size_t n, char sep, char sep2);
/*
 * What the program calls a value, on one line. False: the text is not known, or it is a constant, which is no
 * name; then `to` is empty.
 */
bool dt_message_source(struct dt_out *to, struct dt_loc);

#endif
