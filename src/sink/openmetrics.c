/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * OpenMetrics 1.0 for Prometheus and others (doc/FORMATS.md): an aggregation is a family, its keys are
 * labels. count() is a counter, a histogram a histogram, percentiles() a summary, every other function a
 * gauge; drops and errors are counters of ours.
 *
 * A family holds the text of its samples as they were last seen. All of them are written at the end, or
 * served (-O openmetrics=ADDRESS:PORT) and made anew with each snapshot; or they are a part of a document
 * that has those of several programs, each with its own name in the names (sink/documents.h).
 */
#include "base/map.h"
#include "process/serve.h"
#include "sink/messages.h"

#include "base/count.h"
#include "dif/action.h"
#include "output/buckets.h"
#include "output/hist.h"
#include "output/json.h"

#include <ctype.h>
#include <stdlib.h>

#define TYPE "application/openmetrics-text; version=1.0.0; charset=utf-8"

struct family { int64_t id; const char *name, *type, *function; struct dt_out samples; };

struct metrics {
	struct dt_sink sink;
	DT_VEC(struct family *) families;
	struct dt_serve *server;	/* NULL: all goes to `out` */
	struct dt_out labels, one, name, all;	/* of the element in hand; the document */
	uint64_t drops, errors;
	struct dt_map *seen;		/* labels of the family in hand */
};

/* ---- names and numbers ---- */

/* Letters, digits and underscores; all else becomes an underscore, runs of them one. */
static void put_name(struct dt_out *o, const char *text)
{
	char last = '_';

	for (; *text != '\0'; text++) {
		char c = isalnum((unsigned char)*text) && (unsigned char)*text < 128 ? *text : '_';

		if (c != '_' || last != '_')
			dt_out_put(o, &c, 1);
		last = c;
	}
}

/* A limit of a bucket as a floating-point number is written canonically: 7.0, 1.048575e+06. */
static void put_float(struct dt_out *o, int64_t v)
{
	double d = (double)v;
	char text[40];

	if (v > -1000000 && v < 1000000) {
		dt_out_printf(o, "%lld.0", (long long)v);
		return;
	}
	for (int digits = 0; digits < 18; digits++) {
		snprintf(text, sizeof(text), "%.*e", digits, d);
		if (strtod(text, NULL) == d)
			break;
	}
	dt_out_str(o, text);
}

/* A backslash, a quote and the end of a line are escaped, and nothing else may be. */
static void put_escaped(struct dt_out *o, const char *text, size_t n)
{
	struct dt_out valid;

	dt_out_init(&valid, NULL, o->opts);
	dt_json_valid(&valid, text, n);
	for (size_t i = 0; i < valid.len; i++) {
		char c = valid.buf[i];

		if (c == '\\' || c == '"' || c == '\n')
			dt_out_str(o, "\\");
		dt_out_put(o, c == '\n' ? "n" : &c, 1);
	}
	dt_out_free(&valid);
}

/* ---- labels ---- */

/* Is there a label of that name already? Quotes in values are escaped, so a value is never taken for one. */
static bool has_label(struct metrics *m, const char *name)
{
	const char *labels = dt_out_text(&m->labels), *at = labels;

	for (; (at = strstr(at, name)) != NULL; at++)
		if ((at == labels || at[-1] == ',') && strncmp(at + strlen(name), "=\"", 2) == 0)
			return true;
	return false;
}

/*
 * A label's name: what the program calls the key, or its number. `le` and `quantile` have meanings of their
 * own.
 */
static void put_label_name(struct metrics *m, int64_t id, uint32_t k)
{
	static const char *const ours[] = { "", "le", "quantile" };
	bool bad;

	dt_out_clear(&m->name);
	if (dt_message_source(&m->one, m->sink.env.aggkey(m->sink.env.ctx, id, k)))
		put_name(&m->name, dt_out_text(&m->one));
	while (m->name.len > 0 && m->name.buf[m->name.len - 1] == '_')
		m->name.len--;
	bad = m->name.len > 0 && isdigit((unsigned char)m->name.buf[0]);
	for (size_t i = 0; i < DT_COUNT(ours); i++)
		bad |= strcmp(dt_out_text(&m->name), ours[i]) == 0;
	for (; bad || has_label(m, dt_out_text(&m->name)); bad = false) {
		dt_out_clear(&m->name);
		dt_out_printf(&m->name, "key%u", ++k);
	}
	dt_out_put(&m->labels, dt_out_text(&m->name), m->name.len);
	dt_out_str(&m->labels, "=");
}

/*
 * Two elements may look the same: addresses of two processes with mergestacks=no, bytes that are not UTF-8.
 * The former have the process as one label more, of the latter the second has a number.
 */
static void make_distinct(struct metrics *m, const struct dt_aggrow *row)
{
	uint32_t pid = 0;

	for (uint32_t k = 0; k < row->nkeys; k++)
		if (row->keys[k].kind == DT_V_USTACK || row->keys[k].kind >= DT_V_USYM)
			pid = row->keys[k].pid;
	if (pid != 0 && m->sink.env.out->opts->apart && !has_label(m, "pid"))
		dt_out_printf(&m->labels, ",pid=\"%u\"", pid);
	if (dt_map_get(m->seen, dt_out_text(&m->labels)) != NULL)
		dt_out_printf(&m->labels, "%salike=\"%u\"", row->nkeys > 0 ? "," : "", m->seen->n);
	dt_map_put(m->seen, dt_out_text(&m->labels), m);
}

/* "a="x",b="y"", without brackets: histograms add one more. */
static void make_labels(struct metrics *m, int64_t id, const struct dt_aggrow *row)
{
	dt_out_clear(&m->labels);
	for (uint32_t k = 0; k < row->nkeys; k++) {
		dt_out_str(&m->labels, k > 0 ? "," : "");
		put_label_name(m, id, k);
		dt_out_clear(&m->one);
		dt_message_key(&m->one, &row->keys[k]);
		dt_out_str(&m->labels, "\"");
		put_escaped(&m->labels, dt_out_text(&m->one), m->one.len);
		dt_out_str(&m->labels, "\"");
	}
	make_distinct(m, row);
}

static void put_sample(struct metrics *m, struct family *f, const char *suffix, const char *more,
    int64_t value)
{
	bool both = m->labels.len > 0 && more[0] != '\0';

	dt_out_printf(&f->samples, "%s%s", f->name, suffix);
	if (m->labels.len > 0 || more[0] != '\0')
		dt_out_printf(&f->samples, "{%s%s%s}", dt_out_text(&m->labels), both ? "," : "", more);
	dt_out_printf(&f->samples, " %lld\n", (long long)value);
}

/* ---- families ---- */

static const char *type_of(const struct dt_value *v)
{
	const struct dt_aggfunc *f = dt_aggfunc_of(v->aggkind);

	if (f->buckets != NULL)
		return "histogram";
	if (f->parts != NULL)
		return "summary";
	return v->aggkind == DT_ACT_COUNT ? "counter" : "gauge";
}

/*
 * No two families may have one name: @ and @count would. Nor may one look like a sample of another: @a has
 * dtrace_a_total, so @a_total has another name.
 */
static bool is_taken(const struct metrics *m, const char *name)
{
	static const char *const ends[] = { "_total", "_bucket", "_count", "_sum", "_created", "_info" };
	const char *program = m->sink.env.program;
	size_t n = strlen(name), prefix = strlen("dtrace_") + (program != NULL ? strlen(program) + 1 : 0);

	for (size_t i = 0; i < DT_COUNT(ends); i++)
		if (n > prefix + strlen(ends[i]) &&
		    strcmp(name + n - strlen(ends[i]), ends[i]) == 0)
			return true;
	for (size_t i = 0; i < m->families.n; i++)
		if (strcmp(m->families.v[i]->name, name) == 0)
			return true;
	return strcmp(name + prefix, "tracing_drops") == 0 || strcmp(name + prefix, "tracing_errors") == 0;
}

static struct family *known_family(const struct metrics *m, int64_t id)
{
	for (size_t i = 0; i < m->families.n; i++)
		if (m->families.v[i]->id == id)
			return m->families.v[i];
	return NULL;
}

/* "dtrace_", or "dtrace_PROGRAM_", where PROGRAM has no underscore: no two programs share a name. */
static void put_prefix(const struct metrics *m, struct dt_out *o)
{
	dt_out_str(o, "dtrace_");
	if (m->sink.env.program != NULL)
		dt_out_printf(o, "%s_", m->sink.env.program);
}

static struct family *family_of(struct metrics *m, int64_t id, const struct dt_value *v)
{
	struct dt_arena *arena = m->sink.env.arena;
	struct family *f = known_family(m, id);
	const char *name;

	if (f != NULL)
		return f;
	dt_out_clear(&m->name);
	put_prefix(m, &m->name);
	put_name(&m->name, dt_message_aggname(&m->sink, id, v));
	name = dt_arena_strdup(arena, dt_out_text(&m->name));
	for (unsigned again = 2; is_taken(m, name); again++)
		name = dt_arena_printf(arena, "%s_%u", dt_out_text(&m->name), again);
	f = DT_NEW(arena, struct family);
	*f = (struct family){ .id = id, .name = name, .type = type_of(v),
		.function = dt_actrule_of(v->aggkind)->name };
	dt_out_init(&f->samples, NULL, m->sink.env.out->opts);
	dt_vec_push(arena, &m->families, f);
	return f;
}

/* Buckets count all values up to their limit. Nothing keeps the sum of the values, so there is none. */
static void put_histogram(struct metrics *m, struct family *f, const struct dt_value *v)
{
	struct dt_buckets b;
	uint32_t first, last = 0;
	uint64_t sum = 0;

	if (!dt_buckets_open(&b, v))
		return;
	dt_buckets_range(&b, &first, &last);
	for (uint32_t i = first > 0 ? first - 1 : 0; i < b.n && i <= last; i++) {
		struct dt_bucket_bounds bounds = dt_buckets_bounds(&b, i);

		sum += (uint64_t)dt_agg_normalize(b.count[i], v->normal);
		if (!bounds.has_max)
			continue;
		dt_out_clear(&m->one);
		dt_out_str(&m->one, "le=\"");
		put_float(&m->one, bounds.max);
		dt_out_str(&m->one, "\"");
		put_sample(m, f, "_bucket", dt_out_text(&m->one), (int64_t)sum);
	}
	put_sample(m, f, "_bucket", "le=\"+Inf\"", (int64_t)sum);
}

/* percentiles(): least and greatest value are quantiles too. The mean is left to those who have the sum. */
static void put_summary(struct metrics *m, struct family *f, const struct dt_value *v)
{
	struct dt_aggpart part[DT_AGGPARTS];
	uint32_t n = dt_aggfunc_of(v->aggkind)->parts(v, part);

	for (uint32_t i = 0; i < n; i++) {
		const char *name = part[i].name;
		double q = strcmp(name, "min") == 0 ? 0 : strcmp(name, "max") == 0 ? 1 :
		    name[0] == 'p' ? strtod(name + 1, NULL) / 100 : -1;

		if (strcmp(name, "count") == 0)
			put_sample(m, f, "_count", "", part[i].value);
		if (q < 0)
			continue;
		dt_out_clear(&m->one);
		dt_out_printf(&m->one, q == 0 || q == 1 ? "quantile=\"%.1f\"" : "quantile=\"%g\"", q);
		put_sample(m, f, "", dt_out_text(&m->one), part[i].value);
	}
}

static void put_element(struct metrics *m, int64_t id, const struct dt_aggrow *row, const struct dt_value *v)
{
	struct family *f = family_of(m, id, v);

	make_labels(m, id, row);
	if (strcmp(f->type, "histogram") == 0)
		put_histogram(m, f, v);
	else if (strcmp(f->type, "summary") == 0)
		put_summary(m, f, v);
	else
		put_sample(m, f, strcmp(f->type, "counter") == 0 ? "_total" : "", "", dt_message_number(v));
}

/* What is shown replaces what was shown before. */
static void take(struct metrics *m, const struct dt_sink_aggs *a)
{
	for (uint32_t i = 0; i < a->nids && a->n == 0; i++)
		if (known_family(m, a->ids[i]) != NULL)
			dt_out_clear(&known_family(m, a->ids[i])->samples);
	for (uint32_t i = 0; i < a->nids && a->n > 0; i++) {
		struct dt_arena *arena = dt_arena_under(m->sink.env.arena);
		struct dt_map seen;

		dt_map_init(&seen, arena);
		m->seen = &seen;
		dt_out_clear(&family_of(m, a->ids[i], &a->rows[0].vals[i])->samples);
		for (size_t r = 0; r < a->n; r++)
			put_element(m, a->ids[i], &a->rows[r], &a->rows[r].vals[i]);
		m->seen = NULL;
		dt_arena_free(arena);
	}
}

/* ---- the document ---- */

static void put_head(struct dt_out *o, const char *name, const char *type, const char *help)
{
	dt_out_printf(o, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

static void put_counter(struct metrics *m, struct dt_out *o, const char *name, const char *help, uint64_t n)
{
	dt_out_clear(&m->name);
	put_prefix(m, &m->name);
	dt_out_str(&m->name, name);
	put_head(o, dt_out_text(&m->name), "counter", help);
	dt_out_printf(o, "%s_total %llu\n", dt_out_text(&m->name), (unsigned long long)n);
}

static void put_families(struct metrics *m, struct dt_out *o)
{
	for (size_t i = 0; i < m->families.n; i++) {
		const struct family *f = m->families.v[i];
		const char *name = m->sink.env.aggname(m->sink.env.ctx, f->id);

		name = name != NULL && strcmp(name, "_") != 0 ? name : "";
		dt_out_clear(&m->one);
		dt_out_str(&m->one, "@");
		put_escaped(&m->one, name, strlen(name));
		dt_out_printf(&m->one, ", %s()", f->function);
		put_head(o, f->name, f->type, dt_out_text(&m->one));
		dt_out_put(o, dt_out_text(&f->samples), f->samples.len);
	}
	put_counter(m, o, "tracing_drops", "Records and updates that were lost", m->drops);
	put_counter(m, o, "tracing_errors", "Errors of probes", m->errors);
}

static void put_document(struct metrics *m, struct dt_out *o)
{
	put_families(m, o);
	dt_out_str(o, "# EOF\n");
}

/* The end is for whoever puts the parts together. */
static uint64_t put_part(struct dt_sink *s, struct dt_out *o)
{
	put_families((struct metrics *)s, o);
	return 0;
}

static void serve_document(struct metrics *m)
{
	if (m->server == NULL)
		return;
	dt_out_clear(&m->all);
	put_document(m, &m->all);
	dt_serve_put(m->server, dt_out_text(&m->all), m->all.len);
}

/* ---- the sink ---- */

static void take_printa(struct dt_sink *s, const struct dt_sink_event *e, const struct dt_sink_aggs *a)
{
	(void)e;
	take((struct metrics *)s, a);
}

static void leave_value(struct dt_sink *s, const struct dt_sink_event *e, const struct dt_act *act,
    const struct dt_value *v)
{
	(void)e, (void)act, (void)v;
	dt_message_leave(s, 0, NULL, "metrics are made of aggregations");
}

static int take_event(struct dt_sink *s, const struct dt_sink_event *e)
{
	static const struct dt_message_ops ops = { leave_value, take_printa, NULL, NULL };

	dt_message_event(s, &ops, e);
	return 0;
}

static void take_fault(struct dt_sink *s, const dtrace_errdata_t *d, bool has_addr)
{
	(void)d, (void)has_addr;
	((struct metrics *)s)->errors++;
}

static void take_drop(struct dt_sink *s, const dtrace_dropdata_t *d, const char *kind)
{
	(void)kind;
	((struct metrics *)s)->drops += d->dtdda_drops;
}

static void take_snapshot(struct dt_sink *s, const struct dt_sink_aggs *a)
{
	struct metrics *m = (struct metrics *)s;

	if (m->server == NULL)
		return;
	take(m, a);
	serve_document(m);
}

static int take_aggregation(struct dt_sink *s, const struct dt_sink_aggs *a)
{
	take((struct metrics *)s, a);
	return 0;
}

static void put_end(struct dt_sink *s, int status, bool exited)
{
	struct metrics *m = (struct metrics *)s;

	(void)status, (void)exited;
	if (m->server == NULL)
		put_document(m, s->env.out);
}

static void close_metrics(struct dt_sink *s)
{
	struct metrics *m = (struct metrics *)s;

	dt_serve_close(m->server);
	for (size_t i = 0; i < m->families.n; i++)
		dt_out_free(&m->families.v[i]->samples);
	dt_out_free(&m->labels);
	dt_out_free(&m->one);
	dt_out_free(&m->name);
	dt_out_free(&m->all);
}

static int open_metrics(struct dt_sink *s)
{
	struct metrics *m = (struct metrics *)s;
	char note[128];

	dt_out_init(&m->labels, NULL, s->env.out->opts);
	dt_out_init(&m->one, NULL, s->env.out->opts);
	dt_out_init(&m->name, NULL, s->env.out->opts);
	dt_out_init(&m->all, NULL, s->env.out->opts);
	if (s->env.argument == NULL)
		return 0;
	m->server = dt_serve_open(s->env.argument, TYPE, s->env.why, DT_SINK_WHY);
	if (m->server == NULL)
		return -1;
	snprintf(note, sizeof(note), "metrics are at http://%s/metrics", dt_serve_address(m->server));
	s->env.note(s->env.ctx, note);
	serve_document(m);
	return 0;
}

const struct dt_sink_type dt_sink_openmetrics = {
	.oformat = DTRACE_OFORMAT_FILE,
	.size = sizeof(struct metrics),
	.open = open_metrics,
	.close = close_metrics,
	.event = take_event,
	.fault = take_fault,
	.drop = take_drop,
	.snapshot = take_snapshot,
	.aggregation = take_aggregation,
	.end = put_end,
	.document = put_part,
};
