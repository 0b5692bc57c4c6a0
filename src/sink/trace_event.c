/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The Trace Event format of Perfetto and chrome://tracing (doc/FORMATS.md): an array of objects, one a line.
 * A firing of an entry probe and that of the return of the same function, on the same track, are a span;
 * every other firing is an instant; elements of aggregations that are numbers are counters.
 *
 * A track is a thread where the program records `tid` (and `pid`), else a CPU. It keeps its open spans: a
 * return closes the innermost of its function, and those inside it, whose returns never came, are written as
 * instants. Several clauses of one firing are one entry or return.
 */
#include "base/map.h"
#include "sink/messages.h"

#include "dif/action.h"
#include "output/json.h"

#include <stdlib.h>

#define DEEPEST 1000	/* open spans of a track; deeper entries are instants */

struct span { uint32_t epid; char *func, *cat, *args; uint64_t time; };

struct track {
	uint64_t pid, tid;
	struct span *open;
	size_t n, cap;
	uint32_t probe, epid;		/* of the firing before */
};

struct trace_event {
	struct dt_sink sink;
	struct dt_map tracks;		/* "pid tid" → struct track */
	struct dt_map named;		/* tracks and processes → the names they have */
	bool any, returns;		/* something is written; some clause is for returns */
	struct dt_out args, name, key;	/* members of the firing in hand */
	unsigned nvalues;
	uint64_t pid, tid;
	bool has_pid, has_tid;
	char comm[64];
};

/* ---- one object ---- */

/* Opens an object: how it begins is the same for all. Times are microseconds with three decimals. */
static struct dt_json begin(struct trace_event *t, const char *phase, const char *name, uint64_t pid,
    uint64_t tid)
{
	struct dt_json j = { .o = t->sink.env.out };

	dt_out_str(j.o, t->any ? ",\n" : "[\n");
	t->any = true;
	dt_json_open(&j, '{');
	dt_json_key(&j, "ph");
	dt_json_str(&j, phase);
	dt_json_key(&j, "name");
	dt_json_str(&j, name);
	dt_json_key(&j, "pid");
	dt_json_uint(&j, pid);
	dt_json_key(&j, "tid");
	dt_json_uint(&j, tid);
	return j;
}

static void put_time(struct dt_json *j, const char *key, uint64_t ns)
{
	dt_json_key(j, key);
	dt_out_printf(j->o, "%llu.%03llu", (unsigned long long)(ns / 1000), (unsigned long long)(ns % 1000));
	j->comma = true;
}

/* Members that are JSON already. */
static void put_args(struct dt_json *j, const char *args, const char *at_return)
{
	dt_json_key(j, "args");
	dt_json_open(j, '{');
	dt_out_str(j->o, args);
	j->comma = args[0] != '\0';
	if (at_return != NULL && at_return[0] != '\0') {
		dt_json_key(j, "return");
		dt_json_open(j, '{');
		dt_out_str(j->o, at_return);
		dt_json_close(j, '}');
	}
	dt_json_close(j, '}');
}

static void put_instant(struct trace_event *t, const struct track *track, const char *name, const char *cat,
    uint64_t time, const char *args)
{
	struct dt_json j = begin(t, "i", name, track->pid, track->tid);

	dt_json_key(&j, "cat");
	dt_json_str(&j, cat);
	dt_json_key(&j, "s");
	dt_json_str(&j, "t");
	put_time(&j, "ts", time);
	put_args(&j, args, NULL);
	dt_json_close(&j, '}');
}

/* With its end; without one (the trace ended first) viewers draw it up to their end. */
static void put_span(struct trace_event *t, const struct track *track, const struct span *s,
    const uint64_t *end, const char *at_return)
{
	struct dt_json j = begin(t, end != NULL ? "X" : "B", s->func, track->pid, track->tid);

	dt_json_key(&j, "cat");
	dt_json_str(&j, s->cat);
	put_time(&j, "ts", s->time);
	if (end != NULL)
		put_time(&j, "dur", *end > s->time ? *end - s->time : 0);
	put_args(&j, s->args, at_return);
	dt_json_close(&j, '}');
}

/*
 * Names a process or a thread, and again when exec() gives it another name: the last one counts. A process is
 * named by its first thread, or by whichever comes until that one does. What is no process, but has its place
 * at 0, keeps its first name.
 */
static void put_label(struct trace_event *t, const char *what, const struct track *track, const char *label)
{
	bool process = what[0] == 'p';
	const char *known;
	struct dt_json j;

	dt_out_clear(&t->key);
	dt_out_printf(&t->key, "%s %llu %llu", what, (unsigned long long)track->pid,
	    (unsigned long long)(process ? 0 : track->tid));
	known = dt_map_get(&t->named, dt_out_text(&t->key));
	if (label[0] == '\0' || (known != NULL && (strcmp(known, label) == 0 ||
	    (process && (track->tid != track->pid || track->pid == 0)))))
		return;
	dt_map_put(&t->named, dt_out_text(&t->key), dt_arena_strdup(t->sink.env.arena, label));
	j = begin(t, "M", what, track->pid, track->tid);
	dt_json_key(&j, "args");
	dt_json_open(&j, '{');
	dt_json_key(&j, "name");
	dt_json_str(&j, label);
	dt_json_close(&j, '}');
	dt_json_close(&j, '}');
}

/* ---- the values of a firing ---- */

/* pid, tid and execname say where the firing belongs. True: the value was one of them. */
static bool take_place(struct trace_event *t, const char *name, const struct dt_value *v)
{
	if (v->kind == DT_V_INT && strcmp(name, "pid") == 0) {
		t->pid = dt_value_unsigned(v);
		t->has_pid = true;
	} else if (v->kind == DT_V_INT && strcmp(name, "tid") == 0) {
		t->tid = dt_value_unsigned(v);
		t->has_tid = true;
	} else if (v->kind == DT_V_STRING && strcmp(name, "execname") == 0) {
		snprintf(t->comm, sizeof(t->comm), "%.*s", (int)dt_value_textlen(v), (const char *)v->bytes);
	} else {
		return false;
	}
	return true;
}

/* Whether the firing has an argument of that name already: the name stands there as a member. */
static bool is_taken(struct trace_event *t, const char *name)
{
	struct dt_json j = { .o = &t->key };

	dt_out_clear(&t->key);
	dt_json_key(&j, name);
	return strstr(dt_out_text(&t->args), dt_out_text(&t->key)) != NULL;
}

static void take_value(struct dt_sink *s, const struct dt_sink_event *e, const struct dt_act *act,
    const struct dt_value *v)
{
	struct trace_event *t = (struct trace_event *)s;
	struct dt_json j = { .o = &t->args, .comma = t->args.len > 0 };

	(void)e;
	t->nvalues++;
	if (!dt_message_source(&t->name, act->loc))
		dt_out_printf(&t->name, "value%u", t->nvalues);
	if (take_place(t, dt_out_text(&t->name), v))
		return;
	if (is_taken(t, dt_out_text(&t->name)))
		dt_out_printf(&t->name, " (%u)", t->nvalues);
	dt_json_key(&j, dt_out_text(&t->name));
	if (dt_action_of(act)->shape == DT_SHAPE_OBJECT)
		dt_json_object(&j, v);
	else
		dt_json_value(&j, v);
}

/* ---- aggregations ---- */

/* What a counter cannot be. NULL: it can. */
static const char *not_counted(const struct dt_aggrow *row, const struct dt_value *v)
{
	for (uint32_t k = 0; k < row->nkeys; k++)
		if (row->keys[k].kind == DT_V_STACK || row->keys[k].kind == DT_V_USTACK)
			return "a stack is no name of a counter; -O flame and -O pprof show it";
	return dt_aggfunc_of(v->aggkind)->buckets != NULL ?
	    "a histogram is no counter; -O heatmap shows it" : NULL;
}

/* "@name[key, key]". chrome://tracing knows only those series of a counter that its first event has. */
static const char *counter_name(struct trace_event *t, const char *name, const struct dt_aggrow *row)
{
	dt_out_clear(&t->key);
	dt_out_printf(&t->key, "@%s%s", name, row->nkeys > 0 ? "[" : "");
	for (uint32_t k = 0; k < row->nkeys; k++) {
		dt_out_str(&t->key, k > 0 ? ", " : "");
		dt_out_clear(&t->name);
		dt_message_key(&t->name, &row->keys[k]);
		dt_message_clean(&t->key, dt_out_text(&t->name), t->name.len, '\0', 0);
	}
	dt_out_str(&t->key, row->nkeys > 0 ? "]" : "");
	return dt_out_text(&t->key);
}

/* Each element is a counter of its own, whose series are the numbers that the function has. */
static void put_counter(struct trace_event *t, const char *name, const struct dt_aggrow *row,
    const struct dt_value *v, uint64_t time)
{
	const struct dt_aggfunc *f = dt_aggfunc_of(v->aggkind);
	struct dt_aggpart part[DT_AGGPARTS] = { { dt_actrule_of(v->aggkind)->name, 0 } };
	uint32_t n = f->parts != NULL ? f->parts(v, part) : 1;
	struct dt_value number;
	struct dt_json j;

	if (f->parts == NULL && !dt_agg_scalar(v, &number))
		return;
	if (f->parts == NULL)
		part[0].value = (int64_t)dt_value_signed(&number);
	put_label(t, "process_name", &(struct track){ 0 }, "aggregations");
	j = begin(t, "C", counter_name(t, name, row), 0, 0);
	put_time(&j, "ts", time);
	dt_json_key(&j, "args");
	dt_json_open(&j, '{');
	for (uint32_t i = 0; i < n; i++) {
		dt_json_key(&j, part[i].name);
		dt_json_int(&j, part[i].value);
	}
	dt_json_close(&j, '}');
	dt_json_close(&j, '}');
}

static void take_aggs(struct dt_sink *s, const struct dt_sink_event *e, const struct dt_sink_aggs *a)
{
	struct trace_event *t = (struct trace_event *)s;
	uint64_t time = e != NULL ? e->data->dtpda_timestamp : s->env.now(s->env.ctx);

	for (size_t r = 0; r < a->n; r++)
		for (uint32_t i = 0; i < a->nids; i++) {
			const struct dt_value *v = &a->rows[r].vals[i];
			const char *why = not_counted(&a->rows[r], v);

			if (why != NULL)
				dt_message_leave(s, a->ids[i], v, why);
			else
				put_counter(t, dt_message_aggname(s, a->ids[i], v), &a->rows[r], v, time);
		}
}

static int put_aggregation(struct dt_sink *s, const struct dt_sink_aggs *a)
{
	take_aggs(s, NULL, a);
	return 0;
}

/* ---- spans ---- */

static struct track *track_of(struct trace_event *t, int cpu)
{
	uint64_t pid = t->has_tid ? t->has_pid ? t->pid : 0 : 0;
	uint64_t tid = t->has_tid ? t->tid : (uint64_t)cpu;
	struct track *track;
	char label[32];

	dt_out_clear(&t->key);
	dt_out_printf(&t->key, "%d %llu %llu", t->has_tid, (unsigned long long)pid, (unsigned long long)tid);
	track = dt_map_get(&t->tracks, dt_out_text(&t->key));
	if (track == NULL) {
		track = DT_NEW(t->sink.env.arena, struct track);
		track->pid = pid;
		track->tid = tid;
		dt_map_put(&t->tracks, dt_out_text(&t->key), track);
	}
	snprintf(label, sizeof(label), "CPU %d", cpu);
	put_label(t, "thread_name", track, t->has_tid ? t->comm : label);
	put_label(t, "process_name", track, t->has_tid && t->has_pid ? t->comm : t->has_tid ? "" : "CPUs");
	return track;
}

static void free_span(struct span *s)
{
	free(s->func);
	free(s->cat);
	free(s->args);
}

/* False: it is too deep, or there is no memory. */
static bool push_span(struct trace_event *t, struct track *track, const struct dt_sink_event *e)
{
	const dtrace_probedesc_t *p = e->data->dtpda_pdesc;
	struct span s = { e->data->dtpda_edesc->dtepd_epid, strdup(p->dtpd_func), strdup(p->dtpd_provider),
		strdup(dt_out_text(&t->args)), e->data->dtpda_timestamp };

	if (track->n == track->cap && track->n < DEEPEST) {
		size_t cap = track->cap > 0 ? 2 * track->cap : 16;
		struct span *more = realloc(track->open, cap * sizeof(*more));

		track->cap = more != NULL ? cap : track->cap;
		track->open = more != NULL ? more : track->open;
	}
	if (track->n == track->cap || track->n >= DEEPEST || s.func == NULL || s.cat == NULL ||
	    s.args == NULL) {
		free_span(&s);
		return false;
	}
	track->open[track->n++] = s;
	return true;
}

/* Forgets the innermost one, which has no return. */
static void drop_span(struct trace_event *t, struct track *track)
{
	struct span *s = &track->open[--track->n];

	put_instant(t, track, s->func, s->cat, s->time, s->args);
	free_span(s);
}

/* False: no span of that function is open. */
static bool close_span(struct trace_event *t, struct track *track, const struct dt_sink_event *e)
{
	const dtrace_probedesc_t *p = e->data->dtpda_pdesc;
	size_t i = track->n;

	while (i > 0 && (strcmp(track->open[i - 1].func, p->dtpd_func) != 0 ||
	    strcmp(track->open[i - 1].cat, p->dtpd_provider) != 0))
		i--;
	if (i == 0)
		return false;
	while (track->n > i)
		drop_span(t, track);
	track->n--;
	put_span(t, track, &track->open[i - 1], &e->data->dtpda_timestamp, dt_out_text(&t->args));
	free_span(&track->open[i - 1]);
	return true;
}

/*
 * What somebody would write to ask for the probe: where entry, return or a place in code is what fired, the
 * function says which; other probes are named by their provider, and their function is where the kernel or a
 * program happens to have them.
 */
static void put_probe_name(struct dt_out *o, const dtrace_probedesc_t *p)
{
	bool process = strncmp(p->dtpd_provider, "pid", 3) == 0 && p->dtpd_provider[3] >= '0' &&
	    p->dtpd_provider[3] <= '9';
	bool place = process || strcmp(p->dtpd_name, "entry") == 0 || strcmp(p->dtpd_name, "return") == 0;

	dt_out_clear(o);
	if (p->dtpd_func[0] != '\0')
		dt_out_printf(o, "%s%s", place ? p->dtpd_func : p->dtpd_provider, place ? ":" : ":::");
	dt_out_str(o, p->dtpd_name);
}

static void put_firing(struct trace_event *t, const struct dt_sink_event *e)
{
	const dtrace_probedesc_t *p = e->data->dtpda_pdesc;
	struct track *track = track_of(t, e->data->dtpda_cpu);
	uint32_t epid = e->data->dtpda_edesc->dtepd_epid;
	bool again = track->probe == p->dtpd_id && epid > track->epid;
	bool entry = strcmp(p->dtpd_name, "entry") == 0, back = strcmp(p->dtpd_name, "return") == 0;

	track->probe = p->dtpd_id;
	track->epid = epid;
	if (!again && ((entry && t->returns && push_span(t, track, e)) || (back && close_span(t, track, e))))
		return;
	if (again && entry && t->args.len == 0)
		return;
	put_probe_name(&t->name, p);
	put_instant(t, track, dt_out_text(&t->name), p->dtpd_provider, e->data->dtpda_timestamp,
	    dt_out_text(&t->args));
}

/* A firing that only shows aggregations, or does something, is not an event of its own. */
static int take_event(struct dt_sink *s, const struct dt_sink_event *e)
{
	static const struct dt_message_ops ops = { take_value, take_aggs, NULL, NULL };
	struct trace_event *t = (struct trace_event *)s;

	dt_out_clear(&t->args);
	t->nvalues = 0;
	t->has_pid = t->has_tid = false;
	t->comm[0] = '\0';
	dt_message_event(s, &ops, e);
	if (t->nvalues > 0 || dt_ecb_is_default(e->ecb))
		put_firing(t, e);
	return 0;
}

/* ---- the sink ---- */

/* Without a clause that may be for returns, entries are instants. */
static void take_start(struct dt_sink *s, const struct dt_sink_start *start)
{
	for (size_t i = 0; i < start->nclauses; i++) {
		const char *name = strrchr(start->clauses[i].description, ':');

		if (name == NULL || name[1] == '\0' || strpbrk(name, "*?[") != NULL ||
		    strcmp(name, ":return") == 0)
			((struct trace_event *)s)->returns = true;
	}
}

static void put_end(struct dt_sink *s, int status, bool exited)
{
	struct trace_event *t = (struct trace_event *)s;

	(void)status, (void)exited;
	for (uint32_t i = 0; i < t->tracks.n; i++) {
		const struct track *track = t->tracks.v[i].value;

		for (size_t k = 0; k < track->n; k++)
			put_span(t, track, &track->open[k], NULL, NULL);
	}
	dt_out_str(s->env.out, t->any ? "\n]\n" : "[]\n");
}

static int open_trace(struct dt_sink *s)
{
	struct trace_event *t = (struct trace_event *)s;

	dt_map_init(&t->tracks, s->env.arena);
	dt_map_init(&t->named, s->env.arena);
	dt_out_init(&t->args, NULL, s->env.out->opts);
	dt_out_init(&t->name, NULL, s->env.out->opts);
	dt_out_init(&t->key, NULL, s->env.out->opts);
	return 0;
}

static void close_trace(struct dt_sink *s)
{
	struct trace_event *t = (struct trace_event *)s;

	for (uint32_t i = 0; i < t->tracks.n; i++) {
		struct track *track = t->tracks.v[i].value;

		for (size_t k = 0; k < track->n; k++)
			free_span(&track->open[k]);
		free(track->open);
	}
	dt_out_free(&t->args);
	dt_out_free(&t->name);
	dt_out_free(&t->key);
}

const struct dt_sink_type dt_sink_trace_event = {
	.oformat = DTRACE_OFORMAT_FILE,
	.size = sizeof(struct trace_event),
	.open = open_trace,
	.close = close_trace,
	.start = take_start,
	.event = take_event,
	.aggregation = put_aggregation,
	.end = put_end,
};
