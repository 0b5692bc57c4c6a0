/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the parts of OTLP share (opentelemetry-proto 1.x): numbers of fields, attributes, and the resource,
 * which is this host and the program. Metrics and traces are stable there; profiles are not yet.
 */
#ifndef DT_SINK_OTLP_H
#define DT_SINK_OTLP_H

#include "sink/messages.h"
#include "sink/protobuf.h"

enum {
	/* of an attribute */
	OTLP_KEY = 1, OTLP_VALUE = 2, OTLP_STRING = 1, OTLP_INT = 3,
	/* a request, and a Resource…: the same for metrics and spans */
	OTLP_ALL = 1, OTLP_RESOURCE = 1, OTLP_SCOPES = 2, OTLP_ATTRIBUTES = 1, OTLP_SCOPE = 1, OTLP_ITEM = 2,
	OTLP_SCOPE_NAME = 1, OTLP_SCOPE_VERSION = 2,
};

/* An attribute as field number `field` of a message. */
void dt_otlp_text(struct dt_out *, unsigned field, const char *key, const char *text, size_t n);
void dt_otlp_int(struct dt_out *, unsigned field, const char *key, int64_t);
/* A value as it is known best: integers as such, all others as text (`one` is for the caller's use after). */
void dt_otlp_value(struct dt_out *, unsigned field, const char *key, const struct dt_value *,
    struct dt_out *one);

/* The whole request around items that are fields OTLP_ITEM already; nothing if there are none. */
void dt_otlp_request(struct dt_out *, const struct dt_sink_env *, const struct dt_out *items);

/* ---- spans: otlp_spans.c ---- */

extern const struct dt_sink_type dt_sink_otlp_metrics, dt_sink_otlp_spans;

/* For each firing: its begin, its values, its end. */
void dt_otlp_span_begin(struct dt_sink *);
void dt_otlp_span_value(struct dt_sink *, const struct dt_act *, const struct dt_value *);
void dt_otlp_span_end(struct dt_sink *, const struct dt_sink_event *);
/* otlp_metrics.c: before clear() takes away what it has counted */
void dt_otlp_cleared(struct dt_sink *, int64_t id);

/* ---- profiles: otlp_profiles.c ---- */

/* NULL: out of memory. skew: wall time less monotonic. The sink is a struct dt_stacks, filled by stacks.h. */
struct dt_sink *dt_otlp_profiles_open(const struct dt_sink_env *, uint64_t skew);
/* ten: schema 1.10, else 1.8 and 1.9. Empty if nothing was counted since the last request. */
void dt_otlp_profiles_put(struct dt_sink *, bool ten, struct dt_out *);

#endif
