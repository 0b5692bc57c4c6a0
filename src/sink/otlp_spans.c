/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Spans of OTLP from records (doc/FORMATS.md): a firing that records a value called span_start
 * (`self->span_start`, `this->span_start`), a timestamp, is a span from there to its own time. span_name
 * names it, span_trace says which trace it is part of, span_error other than 0 that it failed; all other
 * values are attributes.
 *
 * Spans wait for the document, at most SPANS_MAX of them; what comes beyond is counted and left out.
 */
#include "sink/otlp.h"

#include <sys/random.h>

enum {
	SPANS_MAX = 4096,
	SPAN_TRACE = 1, SPAN_ID = 2, SPAN_NAME = 5, SPAN_KIND = 6, SPAN_START = 7, SPAN_END = 8,
	SPAN_ATTRIBUTES = 9, SPAN_STATUS = 15, STATUS_CODE = 3, INTERNAL = 1, ERROR = 2,
};

struct spans {
	struct dt_sink sink;
	uint64_t skew;			/* wall time less monotonic */
	uint64_t random;		/* state of the ids */
	struct dt_out items;		/* finished spans */
	unsigned n;
	uint64_t left;			/* came beyond SPANS_MAX since the last document */
	/* of the firing in hand */
	struct dt_out attributes, name, trace, one, source;
	uint64_t start;
	bool starts, failed;
	unsigned nvalues;
};

/* splitmix64: ids have to differ, not to be secret. */
static uint64_t next_random(struct spans *s)
{
	uint64_t v = s->random += 0x9e3779b97f4a7c15u;

	v = (v ^ v >> 30) * 0xbf58476d1ce4e5b9u;
	v = (v ^ v >> 27) * 0x94d049bb133111ebu;
	return v ^ v >> 31;
}

/* FNV-1a: the same text is the same trace on every host. */
static uint64_t hash(const char *text, size_t n, uint64_t v)
{
	for (size_t i = 0; i < n; i++)
		v = (v ^ (uint8_t)text[i]) * 0x100000001b3u;
	return v;
}

/* What the program calls it, without `self->` and the like. */
static const char *last_part(const char *source)
{
	const char *arrow = strstr(source, "->");

	return arrow != NULL ? last_part(arrow + 2) : source;
}

void dt_otlp_span_begin(struct dt_sink *sink)
{
	struct spans *s = (struct spans *)sink;

	dt_out_clear(&s->attributes);
	dt_out_clear(&s->name);
	dt_out_clear(&s->trace);
	s->starts = s->failed = false;
	s->nvalues = 0;
}

void dt_otlp_span_value(struct dt_sink *sink, const struct dt_act *act, const struct dt_value *v)
{
	struct spans *s = (struct spans *)sink;
	const char *word;

	s->nvalues++;
	if (!dt_message_source(&s->source, act->loc))
		dt_out_printf(&s->source, "value%u", s->nvalues);
	word = last_part(dt_out_text(&s->source));
	if (strcmp(word, "span_start") == 0 && v->kind == DT_V_INT) {
		s->start = dt_value_unsigned(v);
		s->starts = true;
	} else if (strcmp(word, "span_name") == 0) {
		dt_message_key(&s->name, v);
	} else if (strcmp(word, "span_trace") == 0) {
		dt_message_key(&s->trace, v);
	} else if (strcmp(word, "span_error") == 0 && v->kind == DT_V_INT) {
		s->failed = dt_value_unsigned(v) != 0;
	} else {
		dt_otlp_value(&s->attributes, SPAN_ATTRIBUTES, dt_out_text(&s->source), v, &s->one);
	}
}

static void put_id(struct spans *s, unsigned field, uint64_t high, uint64_t low, size_t n)
{
	dt_out_clear(&s->one);
	if (n == 16)
		dt_proto_word(&s->one, high);
	dt_proto_word(&s->one, low != 0 ? low : 1);	/* an id of zeros is none */
	dt_proto_message(&s->source, field, &s->one);
}

static void put_span(struct spans *s, const dtrace_probedata_t *d)
{
	const dtrace_probedesc_t *p = d->dtpda_pdesc;
	const char *trace = dt_out_text(&s->trace);
	uint64_t end = d->dtpda_timestamp, start = s->start < end ? s->start : end;

	if (s->name.len == 0)
		dt_out_printf(&s->name, "%s:%s", p->dtpd_provider,
		    p->dtpd_func[0] != '\0' ? p->dtpd_func : p->dtpd_name);
	dt_out_clear(&s->source);
	if (s->trace.len > 0)
		put_id(s, SPAN_TRACE, hash(trace, s->trace.len, 0xcbf29ce484222325u),
		    hash(trace, s->trace.len, 0x84222325cbf29ce4u), 16);
	else
		put_id(s, SPAN_TRACE, next_random(s), next_random(s), 16);
	put_id(s, SPAN_ID, 0, next_random(s), 8);
	dt_out_clear(&s->one);
	dt_message_clean(&s->one, dt_out_text(&s->name), s->name.len, '\0', 0);
	dt_proto_message(&s->source, SPAN_NAME, &s->one);
	dt_proto_number(&s->source, SPAN_KIND, INTERNAL);
	dt_proto_fixed(&s->source, SPAN_START, start + s->skew);
	dt_proto_fixed(&s->source, SPAN_END, end + s->skew);
	dt_out_put(&s->source, dt_out_text(&s->attributes), s->attributes.len);
	if (s->failed) {
		dt_proto_number(&s->one, STATUS_CODE, ERROR);
		dt_proto_message(&s->source, SPAN_STATUS, &s->one);
	}
	dt_proto_message(&s->items, OTLP_ITEM, &s->source);
	s->n++;
}

/* A start of 0 is that of a thread whose beginning was not seen. */
void dt_otlp_span_end(struct dt_sink *sink, const struct dt_sink_event *e)
{
	struct spans *s = (struct spans *)sink;

	if (!s->starts || s->start == 0)
		return;
	if (s->n == SPANS_MAX)
		s->left++;
	else
		put_span(s, e->data);
}

static uint64_t put_document(struct dt_sink *sink, struct dt_out *o)
{
	struct spans *s = (struct spans *)sink;
	uint64_t left = s->left;

	dt_otlp_request(o, &sink->env, &s->items);
	dt_out_clear(&s->items);
	s->n = 0;
	s->left = 0;
	return left;
}

static void take_start(struct dt_sink *s, const struct dt_sink_start *start)
{
	((struct spans *)s)->skew = start->wall - start->time;
}

static int open_spans(struct dt_sink *sink)
{
	struct spans *s = (struct spans *)sink;
	const struct dt_print_opts *opts = sink->env.out->opts;

	if (getrandom(&s->random, sizeof(s->random), GRND_NONBLOCK) != sizeof(s->random))
		s->random = sink->env.now(sink->env.ctx);
	dt_out_init(&s->items, NULL, opts);
	dt_out_init(&s->attributes, NULL, opts);
	dt_out_init(&s->name, NULL, opts);
	dt_out_init(&s->trace, NULL, opts);
	dt_out_init(&s->one, NULL, opts);
	dt_out_init(&s->source, NULL, opts);
	return 0;
}

static void close_spans(struct dt_sink *sink)
{
	struct spans *s = (struct spans *)sink;

	dt_out_free(&s->items);
	dt_out_free(&s->attributes);
	dt_out_free(&s->name);
	dt_out_free(&s->trace);
	dt_out_free(&s->one);
	dt_out_free(&s->source);
}

const struct dt_sink_type dt_sink_otlp_spans = {
	.size = sizeof(struct spans),
	.open = open_spans,
	.close = close_spans,
	.start = take_start,
	.document = put_document,
};
