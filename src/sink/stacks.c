/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * See stacks.h. An aggregation may be printed many times: what it shows replaces what it showed before, and
 * clear() keeps that apart. So each stack is written once, with all that was counted. A count that became
 * less without a clear() (trunc() removed the element) began again too.
 */
#include "sink/stacks.h"

#include "dif/action.h"

/* ---- a path ---- */

static void begin_path(struct dt_stack_path *p)
{
	dt_out_clear(&p->keys);
	dt_out_clear(&p->user);
	dt_out_clear(&p->kernel);
	p->has_stack = false;
}

/*
 * Names lose their offsets: "libc.so.6`read+0x14" and "…+0x20" are one frame. Without a function the number
 * is what tells frames apart ("dash+0x1a384").
 */
static size_t without_offset(const char *text)
{
	const char *plus = strchr(text, '`') != NULL ? strrchr(text, '+') : NULL;

	if (plus == NULL || strncmp(plus, "+0x", 3) != 0 || plus[3] == '\0' ||
	    plus[3 + strspn(plus + 3, "0123456789abcdef")] != '\0')
		return strlen(text);
	return (size_t)(plus - text);
}

/*
 * Frames of languages are functions too: "name (file:3)" loses its line; native ones lose the file too, and
 * whether they are inlined. Returns the length of what is left.
 */
static size_t without_line(char *text)
{
	struct dt_frame_parts parts;
	size_t n, end, at;

	dt_frame_split(text, &parts);
	n = strlen(text);
	at = end = n > 0 ? n - 1 : 0;

	while (at > 0 && text[at - 1] >= '0' && text[at - 1] <= '9')
		at--;
	if (n < 6 || text[end] != ')' || at == end || text[at - 1] != ':' || strstr(text, " (") == NULL)
		return without_offset(text);
	text[at - 1] = ')';
	return at;
}

static void add_frame(struct dt_out *to, const char *text, size_t n, const char *mark)
{
	dt_out_str(to, to->len > 0 ? ";" : "");
	if (n == 0)
		dt_out_str(to, "-");
	dt_message_clean(to, text, n, ';', 0);
	dt_out_str(to, mark);
}

/* The outermost frame first; D records the innermost first, and a pc of 0 ends them. */
static void add_stack(struct dt_stacks *s, struct dt_stack_path *p, const struct dt_value *v)
{
	bool user = v->kind == DT_V_USTACK;
	struct dt_out *to = user ? &p->user : &p->kernel;
	char text[DT_FRAME_TEXT], *line;
	uint32_t n = 0;

	p->has_stack = true;
	while (n < v->npcs && v->pcs[n] != 0)
		n++;
	while (n-- > 0) {
		dt_frame_text(s->sink.env.out->opts, v, n, text, sizeof(text));
		while ((line = strrchr(text, '\n')) != NULL) {
			add_frame(to, line + 1, user ? without_line(line + 1) : without_offset(line + 1),
			    user ? "" : DT_STACK_KERNEL);
			*line = '\0';
		}
		add_frame(to, text, user ? without_line(text) : without_offset(text),
		    user ? "" : DT_STACK_KERNEL);
	}
}

/* A key, or a value of a firing: a part of the path. */
static void add_value(struct dt_stacks *s, struct dt_stack_path *p, const struct dt_value *v)
{
	if (v->kind == DT_V_STACK || v->kind == DT_V_USTACK) {
		add_stack(s, p, v);
		return;
	}
	dt_out_clear(&s->one);
	dt_value_bare(&s->one, v);
	add_frame(&p->keys, dt_out_text(&s->one), s->one.len, "");
}

static void add_part(struct dt_out *to, const struct dt_out *part)
{
	if (part->len > 0)
		dt_out_printf(to, "%s%s", to->len > 0 ? ";" : "", dt_out_text(part));
}

/* Keys, then the process, then the kernel that it called. */
static const char *finish_path(struct dt_stack_path *p)
{
	add_part(&p->keys, &p->user);
	add_part(&p->keys, &p->kernel);
	if (p->keys.len == 0)
		dt_out_str(&p->keys, "-");
	return dt_out_text(&p->keys);
}

/* ---- what was counted ---- */

static uint32_t source_of(struct dt_stacks *s, int64_t id, const char *name, uint16_t aggkind)
{
	uint32_t i = 0;

	while (i < s->sources.n && s->sources.v[i].id != id)
		i++;
	if (i == s->sources.n)
		dt_vec_push(s->sink.env.arena, &s->sources,
		    ((struct dt_stack_source){ id, dt_arena_strdup(s->sink.env.arena, name), aggkind,
			s->print }));
	return i;
}

static struct dt_stack *stack_of(struct dt_stacks *s, uint32_t source, const char *path)
{
	struct dt_arena *arena = s->sink.env.arena;
	struct dt_stack *stack;

	dt_out_clear(&s->one);
	dt_out_printf(&s->one, "%u %s", source, path);
	stack = dt_map_get(&s->by_path, dt_out_text(&s->one));
	if (stack != NULL)
		return stack;
	stack = DT_NEW(arena, struct dt_stack);
	stack->path = dt_arena_strdup(arena, path);
	stack->source = source;
	dt_map_put(&s->by_path, dt_out_text(&s->one), stack);
	dt_vec_push(arena, &s->list, stack);
	return stack;
}

void dt_stacks_cleared(struct dt_stacks *s, int64_t id)
{
	for (size_t i = 0; i < s->list.n; i++)
		if (s->sources.v[s->list.v[i]->source].id == id) {
			s->list.v[i]->before += s->list.v[i]->now;
			s->list.v[i]->now = 0;
		}
}

/* False: no key of the element is a stack. */
static bool take_keys(struct dt_stacks *s, const struct dt_sink_aggs *a, const struct dt_aggrow *row)
{
	struct dt_stack_path *p = &s->element;

	begin_path(p);
	for (uint32_t k = 0; k < row->nkeys; k++)
		add_value(s, p, &row->keys[k]);
	for (uint32_t i = 0; i < a->nids && !p->has_stack && !s->quiet; i++)
		dt_message_leave(&s->sink, a->ids[i], &row->vals[i], "none of its keys is a stack");
	if (p->has_stack)
		finish_path(p);
	return p->has_stack;
}

/* The stack of the current element, for one of its values. */
static struct dt_stack *element_stack(struct dt_stacks *s, int64_t id, const struct dt_value *v)
{
	uint32_t source = source_of(s, id, dt_message_aggname(&s->sink, id, v), v->aggkind);

	return stack_of(s, source, dt_out_text(&s->element.keys));
}

static void take_row(struct dt_stacks *s, const struct dt_sink_aggs *a, const struct dt_aggrow *row)
{
	if (!take_keys(s, a, row))
		return;
	for (uint32_t i = 0; i < a->nids; i++) {
		const struct dt_value *v = &row->vals[i];
		struct dt_stack *stack = element_stack(s, a->ids[i], v);

		if (stack->print != s->print) {
			stack->last = stack->now;
			stack->now = 0;
			stack->print = s->print;
		}
		stack->now += dt_message_number(v);
	}
}

/* Two elements whose names are the same once offsets are gone are one stack: they add up. */
static void take_aggs(struct dt_sink *sink, const struct dt_sink_event *e, const struct dt_sink_aggs *a)
{
	struct dt_stacks *s = (struct dt_stacks *)sink;

	(void)e;
	s->print++;
	for (size_t i = 0; i < s->sources.n; i++)
		for (uint32_t k = 0; k < a->nids; k++)
			if (s->sources.v[i].id == a->ids[k])
				s->sources.v[i].print = s->print;
	for (size_t r = 0; r < a->n; r++)
		take_row(s, a, &a->rows[r]);
	for (size_t i = 0; i < s->list.n; i++)
		if (s->list.v[i]->print == s->print && s->list.v[i]->now < s->list.v[i]->last)
			s->list.v[i]->before += s->list.v[i]->last;
}

/* An element that trunc() removed counts from 0 if it comes back, so the counts up to now are added up. */
void dt_stacks_truncated(struct dt_stacks *s, const struct dt_sink_aggs *left)
{
	for (size_t i = 0; i < s->list.n; i++)
		s->list.v[i]->kept = 0;
	for (size_t r = 0; r < left->n; r++)
		if (take_keys(s, left, &left->rows[r])) {
			const struct dt_value *v = &left->rows[r].vals[0];

			element_stack(s, left->ids[0], v)->kept += dt_message_number(v);
		}
	for (size_t i = 0; i < s->list.n; i++) {
		struct dt_stack *stack = s->list.v[i];

		if (s->sources.v[stack->source].id == left->ids[0] && stack->kept < stack->now) {
			stack->before += stack->now - stack->kept;
			stack->now = stack->kept;
		}
	}
}

void dt_stacks_renew(struct dt_stacks *s, struct dt_arena *arena)
{
	struct dt_stacks was = *s;

	s->sink.env.arena = arena;
	s->sources.v = NULL;
	s->list.v = NULL;
	s->sources.n = s->sources.cap = s->list.n = s->list.cap = 0;
	dt_map_init(&s->by_path, arena);
	for (size_t i = 0; i < was.sources.n; i++) {
		struct dt_stack_source source = was.sources.v[i];

		source.name = dt_arena_strdup(arena, source.name);
		dt_vec_push(arena, &s->sources, source);
	}
	for (size_t i = 0; i < was.list.n; i++) {
		const struct dt_stack *old = was.list.v[i];
		const struct dt_stack_source *source = &was.sources.v[old->source];

		if (source->id >= 0 && source->print == old->print && old->now != 0) {
			struct dt_stack *stack = stack_of(s, old->source, old->path);

			stack->now = stack->last = old->now;
			stack->before = -old->now;
			stack->print = old->print;
		}
	}
}

/* ---- firings ---- */

void dt_stacks_begin(struct dt_stacks *s) { begin_path(&s->firing); }

void dt_stacks_value(struct dt_stacks *s, const struct dt_act *act, const struct dt_value *v)
{
	if (dt_action_of(act)->shape == DT_SHAPE_VALUES)	/* objects are no frames */
		add_value(s, &s->firing, v);
}

void dt_stacks_end(struct dt_stacks *s, const struct dt_sink_event *e)
{
	struct dt_stack *stack;

	if (!s->firing.has_stack) {
		if (s->firing.keys.len > 0 && !s->quiet)
			dt_message_leave(&s->sink, 0, NULL, "they hold no stack");
		return;
	}
	stack = stack_of(s, source_of(s, -1, "samples", DT_ACT_COUNT), finish_path(&s->firing));
	stack->now++;
	if (s->times && s->samples.n < DT_STACK_SAMPLES)
		dt_vec_push(s->sink.env.arena, &s->samples, ((struct dt_stack_sample){
		    e->data->dtpda_timestamp, stack, (uint32_t)e->data->dtpda_cpu }));
}

static void take_value(struct dt_sink *sink, const struct dt_sink_event *e, const struct dt_act *act,
    const struct dt_value *v)
{
	(void)e;
	dt_stacks_value((struct dt_stacks *)sink, act, v);
}

static void before_effect(struct dt_sink *sink, const struct dt_sink_event *e, const struct dt_rec *rec)
{
	unsigned kind = dt_act_kind(rec->act);

	(void)e;
	if (kind == DT_LIB_KIND(DT_LIB_CLEAR))
		dt_stacks_cleared((struct dt_stacks *)sink, dt_rec_int(rec));
}

static void take_truncated(struct dt_sink *sink, const struct dt_sink_aggs *left)
{
	dt_stacks_truncated((struct dt_stacks *)sink, left);
}

int dt_stacks_event(struct dt_sink *sink, const struct dt_sink_event *e)
{
	static const struct dt_message_ops ops = { take_value, take_aggs, before_effect, take_truncated };

	dt_stacks_begin((struct dt_stacks *)sink);
	dt_message_event(sink, &ops, e);
	dt_stacks_end((struct dt_stacks *)sink, e);
	return 0;
}

int dt_stacks_aggregation(struct dt_sink *sink, const struct dt_sink_aggs *a)
{
	take_aggs(sink, NULL, a);
	return 0;
}

static void open_path(struct dt_stack_path *p, const struct dt_print_opts *opts)
{
	dt_out_init(&p->keys, NULL, opts);
	dt_out_init(&p->user, NULL, opts);
	dt_out_init(&p->kernel, NULL, opts);
}

static void close_path(struct dt_stack_path *p)
{
	dt_out_free(&p->keys);
	dt_out_free(&p->user);
	dt_out_free(&p->kernel);
}

int dt_stacks_open(struct dt_sink *sink)
{
	struct dt_stacks *s = (struct dt_stacks *)sink;

	open_path(&s->firing, sink->env.out->opts);
	open_path(&s->element, sink->env.out->opts);
	dt_out_init(&s->one, NULL, sink->env.out->opts);
	dt_map_init(&s->by_path, sink->env.arena);
	return 0;
}

void dt_stacks_close(struct dt_sink *sink)
{
	struct dt_stacks *s = (struct dt_stacks *)sink;

	close_path(&s->firing);
	close_path(&s->element);
	dt_out_free(&s->one);
}
