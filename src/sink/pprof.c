/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A profile for `go tool pprof`, speedscope and others (doc/FORMATS.md): a message of pprof's profile.proto
 * in gzip. The numbers below are those of its fields. A sample is a path; it has a value for each source of
 * stacks, whose name is the type of the value.
 */
#include "sink/gzip.h"
#include "sink/profile_tables.h"

#include "dif/action.h"

enum { PROFILE_SAMPLE_TYPE = 1, PROFILE_SAMPLE = 2, SAMPLE_LOCATIONS = 1, SAMPLE_VALUES = 2 };

static const struct dt_profile_fields fields = {
	.mapping = 3, .location = 4, .function = 5, .string = 6,
	.mapping_id = 1, .mapping_file = 5, .mapping_has_functions = 7,
	.location_id = 1, .location_mapping = 2, .location_line = 4, .line_function = 1,
	.function_id = 1, .function_name = 2, .function_system_name = 3, .function_file = 4,
};

struct profile {
	struct dt_out all, message;		/* the profile, and messages in it while they are made */
	struct dt_profile_tables tables;
};

static void put_type(struct profile *p, const struct dt_stack_source *s)
{
	dt_profile_type(&p->tables, s, &p->message);
	dt_proto_message(&p->all, PROFILE_SAMPLE_TYPE, &p->message);
}

/* The stacks from here on that have the same path are one sample. Returns how many. */
static size_t put_sample(struct profile *p, const struct dt_stacks *s, size_t from)
{
	struct dt_stack *const *list = s->list.v + from;
	struct dt_out locations, values;
	size_t n = 0;
	bool any = false;

	dt_out_init(&locations, NULL, NULL);
	dt_out_init(&values, NULL, NULL);
	for (uint32_t source = 0; source < s->sources.n; source++) {
		int64_t count = 0;

		if (from + n < s->list.n && strcmp(list[n]->path, list[0]->path) == 0 &&
		    list[n]->source == source)
			count = dt_stack_count(list[n++]);
		any |= count != 0;
		dt_proto_varint(&values, (uint64_t)count);
	}
	dt_profile_path(&p->tables, list[0]->path, &locations);
	dt_proto_message(&p->message, SAMPLE_LOCATIONS, &locations);
	dt_proto_message(&p->message, SAMPLE_VALUES, &values);
	if (any)
		dt_proto_message(&p->all, PROFILE_SAMPLE, &p->message);
	dt_out_clear(&p->message);
	p->all.failed |= locations.failed || values.failed || p->message.failed;
	dt_out_free(&locations);
	dt_out_free(&values);
	return n;
}

static void put_profile(struct profile *p, struct dt_stacks *s)
{
	static const struct dt_stack_source none = { -1, "samples", DT_ACT_COUNT, 0 };

	for (size_t i = 0; i < s->sources.n; i++)
		put_type(p, &s->sources.v[i]);
	if (s->sources.n == 0)
		put_type(p, &none);
	dt_stacks_sort(s);
	for (size_t i = 0; i < s->list.n;)
		i += put_sample(p, s, i);
}

static void put_end(struct dt_sink *sink, int status, bool exited)
{
	struct profile p;

	(void)status, (void)exited;
	dt_out_init(&p.all, NULL, NULL);
	dt_out_init(&p.message, NULL, NULL);
	dt_profile_open(&p.tables, &fields, sink->env.arena, &p.all);
	put_profile(&p, (struct dt_stacks *)sink);
	dt_profile_close(&p.tables);
	dt_gzip_put(sink->env.out, dt_out_text(&p.all), p.all.len);
	sink->env.out->failed |= p.all.failed;
	dt_out_free(&p.all);
	dt_out_free(&p.message);
}

const struct dt_sink_type dt_sink_pprof = {
	.oformat = DTRACE_OFORMAT_FILE,
	.size = sizeof(struct dt_stacks),
	.open = dt_stacks_open,
	.close = dt_stacks_close,
	.event = dt_stacks_event,
	.aggregation = dt_stacks_aggregation,
	.end = put_end,
};
