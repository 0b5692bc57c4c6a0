/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Stacks as profiles of OTLP (doc/FORMATS.md): one profile for each aggregation keyed by a stack, and one for
 * firings that record a stack, with what was counted since the last document. Field numbers are those of
 * opentelemetry-proto 1.8 to 1.10, which differ only in Sample. The first entry of each table is empty, as
 * index 0 means none.
 */
#include "sink/otlp.h"
#include "sink/profile_tables.h"

#include "base/count.h"

enum {
	DICTIONARY = 2,					/* of the request */
	TABLE_LINK = 4, TABLE_ATTRIBUTE = 6, TABLE_STACK = 7, STACK_LOCATIONS = 1,
	PROFILE_TYPE = 1, PROFILE_SAMPLE = 2, PROFILE_TIME = 3, PROFILE_DURATION = 4,
	SAMPLE_STACK = 1, SAMPLE_VALUES_10 = 4, SAMPLE_VALUES = 2,
};

static const struct dt_profile_fields fields = {
	.mapping = 1, .location = 2, .function = 3, .string = 5,
	.mapping_file = 4, .location_mapping = 1, .location_line = 3, .line_function = 1,
	.function_name = 1, .function_system_name = 2, .function_file = 3,
};

struct profiles {
	struct dt_stacks stacks;		/* first: it is the sink */
	struct dt_arena *above;			/* parent of the arena of the stacks */
	uint64_t skew, since;			/* wall time less monotonic; wall time of the last document */
};

/* A request under construction. */
struct request {
	struct dt_out items, profile, part, values, dictionary;
	struct dt_profile_tables tables;
	struct dt_map paths;			/* path → index in the table of stacks */
	bool ten;
};

/* ---- a request ---- */

static uint64_t stack_number(struct request *q, const char *path)
{
	uintptr_t number = (uintptr_t)dt_map_get(&q->paths, path);

	if (number != 0)
		return number;
	number = q->paths.n + 1u;
	dt_map_put(&q->paths, path, (void *)number);
	dt_profile_path(&q->tables, path, &q->values);
	dt_proto_message(&q->part, STACK_LOCATIONS, &q->values);
	dt_proto_message(&q->dictionary, TABLE_STACK, &q->part);
	return number;
}

static void put_sample(struct request *q, const struct dt_stack *stack)
{
	uint64_t number = stack_number(q, stack->path);

	dt_proto_number(&q->part, SAMPLE_STACK, number);
	dt_proto_varint(&q->values, (uint64_t)dt_stack_count(stack));
	dt_proto_message(&q->part, q->ten ? SAMPLE_VALUES_10 : SAMPLE_VALUES, &q->values);
	dt_proto_message(&q->profile, PROFILE_SAMPLE, &q->part);
}

/* One profile per source, as a profile has one type of values. */
static void put_profile(struct request *q, const struct profiles *p, uint32_t source, uint64_t now)
{
	const struct dt_stacks *s = &p->stacks;

	for (size_t i = 0; i < s->list.n; i++)
		if (s->list.v[i]->source == source && dt_stack_count(s->list.v[i]) != 0)
			put_sample(q, s->list.v[i]);
	if (q->profile.len == 0)
		return;
	dt_profile_type(&q->tables, &s->sources.v[source], &q->part);
	dt_proto_message(&q->profile, PROFILE_TYPE, &q->part);
	dt_proto_fixed(&q->profile, PROFILE_TIME, p->since);
	dt_proto_number(&q->profile, PROFILE_DURATION, now > p->since ? now - p->since : 0);
	dt_proto_message(&q->items, OTLP_ITEM, &q->profile);
}

static void open_request(struct request *q, struct dt_arena *arena, bool ten)
{
	struct dt_out *all[] = { &q->items, &q->profile, &q->part, &q->values, &q->dictionary };

	for (size_t i = 0; i < DT_COUNT(all); i++)
		dt_out_init(all[i], NULL, NULL);
	q->ten = ten;
	dt_map_init(&q->paths, arena);
	dt_profile_open(&q->tables, &fields, arena, &q->dictionary);
	dt_proto_bytes(&q->dictionary, fields.mapping, "", 0);
	dt_proto_bytes(&q->dictionary, fields.location, "", 0);
	dt_proto_bytes(&q->dictionary, fields.function, "", 0);
	dt_proto_bytes(&q->dictionary, TABLE_LINK, "", 0);
	dt_proto_bytes(&q->dictionary, TABLE_ATTRIBUTE, "", 0);
	dt_proto_bytes(&q->dictionary, TABLE_STACK, "", 0);
}

static void close_request(struct request *q)
{
	dt_profile_close(&q->tables);
	dt_out_free(&q->items);
	dt_out_free(&q->profile);
	dt_out_free(&q->part);
	dt_out_free(&q->values);
	dt_out_free(&q->dictionary);
}

void dt_otlp_profiles_put(struct dt_sink *sink, bool ten, struct dt_out *o)
{
	struct profiles *p = (struct profiles *)sink;
	struct dt_arena *old = sink->env.arena;
	uint64_t now = sink->env.now(sink->env.ctx) + p->skew;
	struct request q;

	open_request(&q, old, ten);
	for (uint32_t i = 0; i < p->stacks.sources.n; i++)
		put_profile(&q, p, i, now);
	dt_otlp_request(o, &sink->env, &q.items);
	q.dictionary.failed |= q.profile.failed || q.part.failed || q.values.failed;
	if (q.items.len > 0)
		dt_proto_message(o, DICTIONARY, &q.dictionary);
	close_request(&q);
	dt_stacks_renew(&p->stacks, dt_arena_under(p->above));
	dt_arena_free(old);
	p->since = now;
}

/* ---- the sink ---- */

static const struct dt_sink_type type = {
	.size = sizeof(struct profiles),
	.open = dt_stacks_open,
	.close = dt_stacks_close,
};

struct dt_sink *dt_otlp_profiles_open(const struct dt_sink_env *env, uint64_t skew)
{
	struct profiles *p = (struct profiles *)dt_sink_make(&type, env);

	if (p == NULL)
		return NULL;
	p->above = env->arena;
	p->skew = skew;
	p->since = env->now(env->ctx) + p->skew;
	p->stacks.quiet = true;
	dt_stacks_renew(&p->stacks, dt_arena_under(p->above));
	return &p->stacks.sink;
}
