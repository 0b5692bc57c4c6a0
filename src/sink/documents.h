/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A trace as documents for backends of others, several formats at once: the state of its aggregations, the
 * spans since the last time (dtrace_documents()). It is a sink whose parts are those of the formats: each
 * firing is taken apart once here, because what it does (clear()) may be done only once.
 */
#ifndef DT_SINK_DOCUMENTS_H
#define DT_SINK_DOCUMENTS_H

#include "sink/sink.h"

extern const struct dt_sink_type dt_sink_documents;

/*
 * A recording beside the documents, of what happens from now on; and its end: the bytes go to `o`. In between
 * come the aggregations that it ends with. False: there is none, or no memory for it.
 */
bool dt_document_record(struct dt_sink *, const struct dt_sink_start *);
void dt_document_recorded(struct dt_sink *, const struct dt_sink_aggs *);
bool dt_document_recording(const struct dt_sink *);
bool dt_document_take(struct dt_sink *, struct dt_out *);

/*
 * Profiles: stacks are counted from now on; then, with the aggregations as they are, a document of what was
 * counted since the one before (OTLP 1.10, or 1.8 and 1.9).
 */
bool dt_document_profile(struct dt_sink *);
bool dt_document_profiling(const struct dt_sink *);
void dt_document_profiled(struct dt_sink *, const struct dt_sink_aggs *);
void dt_document_put_profile(struct dt_sink *, bool ten, struct dt_out *);

/*
 * kind: DTRACE_DOCUMENT_* but for recordings and profiles. What was left out since the last time is added to
 * *left. False: no such part.
 */
bool dt_document_put(struct dt_sink *, int kind, struct dt_out *, uint64_t *left);

#endif
