/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A profile for `go tool pprof`, speedscope and others (doc/FORMATS.md): a message of pprof's profile.proto
 * in gzip. The numbers below are those of its fields. A sample is a path; it has a value for each source of
 * stacks, whose name is the type of the value. A frame is a function, and a location without address in the
 * mapping of its object; the kernel and its modules are mappings in brackets.
 */
#include "sink/gzip.h"
#include "sink/protobuf.h"
#include "sink/stacks.h"

#include "base/count.h"
#include "dif/action.h"
#include "file/elf.h"
#include "output/unit.h"

enum {
	PROFILE_SAMPLE_TYPE = 1, PROFILE_SAMPLE = 2, PROFILE_MAPPING = 3, PROFILE_LOCATION = 4,
	PROFILE_FUNCTION = 5, PROFILE_STRING = 6,
	MAPPING_ID = 1, MAPPING_FILE = 5, MAPPING_HAS_FUNCTIONS = 7, LOCATION_MAPPING = 2,
	VALUE_TYPE = 1, VALUE_UNIT = 2, SAMPLE_LOCATIONS = 1, SAMPLE_VALUES = 2, LOCATION_ID = 1,
	LOCATION_LINE = 4, LINE_FUNCTION = 1, FUNCTION_ID = 1, FUNCTION_NAME = 2, FUNCTION_SYSTEM_NAME = 3,
	FUNCTION_FILE = 4,
};

struct writer {
	struct dt_arena *arena;
	struct dt_out all, message, inner;	/* the profile, and messages in it while they are made */
	struct dt_map strings, functions, mappings;	/* text → its number + 1, or its number from 1 */
};

/* ---- tables ---- */

/* The string's place in the table; a new one is written at once. The first has to be "". */
static uint64_t string_of(struct writer *w, const char *text)
{
	uintptr_t number = (uintptr_t)dt_map_get(&w->strings, text);

	if (number == 0) {
		number = w->strings.n + 1u;
		dt_map_put(&w->strings, text, (void *)number);
		dt_proto_bytes(&w->all, PROFILE_STRING, text, strlen(text));
	}
	return number - 1;
}

/* "name (file)", as frames of languages are: where the file begins; 0: it is none. */
static size_t file_at(const char *frame)
{
	const char *at = strstr(frame, " ("), *next;

	while (at != NULL && (next = strstr(at + 2, " (")) != NULL)
		at = next;
	return at != NULL && strchr(frame, '`') == NULL && frame[strlen(frame) - 1] == ')' ?
	    (size_t)(at + 2 - frame) : 0;
}

/* A frame of a path (stacks.h) taken apart. */
struct frame { const char *name, *object, *file; bool kernel; };

/*
 * The function without its object, which has fields of its own. Where the function is not known the object
 * and the address are what tells frames apart, and stay the name. A key is a name without an object.
 */
static struct frame frame_of(struct writer *w, const char *text)
{
	size_t n = strlen(text), mark = sizeof(DT_STACK_KERNEL) - 1, module, file;
	struct frame f = { .kernel = n > mark && strcmp(text + n - mark, DT_STACK_KERNEL) == 0 };

	f.name = f.kernel ? dt_arena_strndup(w->arena, text, n - mark) : text;
	module = dt_symbol_module(f.name);
	f.object = module > 0 ? dt_arena_strndup(w->arena, f.name, module) : "";
	file = file_at(f.name);
	f.file = file == 0 ? f.object : dt_arena_strndup(w->arena, f.name + file, strlen(f.name + file) - 1);
	if (file > 0)
		f.name = dt_arena_strndup(w->arena, f.name, file - 2);
	if (f.name[module] == '`' && f.name[module + 1] != '\0')
		f.name += module + 1;
	return f;
}

/* Go's pprof takes a file in brackets for no program of its own. */
static uint64_t mapping_of(struct writer *w, const struct frame *f)
{
	const char *file = f->object;
	uintptr_t number;

	if (f->kernel) {
		bool core = file[0] == '\0' || strcmp(file, "vmlinux") == 0;

		dt_out_clear(&w->message);
		dt_out_printf(&w->message, "[%s]", core ? "kernel" : file);
		file = dt_arena_strdup(w->arena, dt_out_text(&w->message));
		dt_out_clear(&w->message);
	}
	if (file[0] == '\0')
		return 0;
	number = (uintptr_t)dt_map_get(&w->mappings, file);
	if (number != 0)
		return number;
	number = w->mappings.n + 1u;
	dt_map_put(&w->mappings, file, (void *)number);
	dt_proto_number(&w->message, MAPPING_ID, number);
	dt_proto_number(&w->message, MAPPING_FILE, string_of(w, file));
	dt_proto_number(&w->message, MAPPING_HAS_FUNCTIONS, 1);
	dt_proto_message(&w->all, PROFILE_MAPPING, &w->message);
	return number;
}

/* A name of C++ or Rust as people write it, and as the object has it: readers that demangle may know less. */
static void put_name(struct writer *w, const char *name)
{
	char clear[2048];

	if (!dt_elf_demangle(name, clear, sizeof(clear))) {
		dt_proto_number(&w->inner, FUNCTION_NAME, string_of(w, name));
		return;
	}
	dt_proto_number(&w->inner, FUNCTION_NAME, string_of(w, clear));
	dt_proto_number(&w->inner, FUNCTION_SYSTEM_NAME, string_of(w, name));
}

/*
 * The file of a function is the object it is in, or what its language says. Location and function of a frame
 * have the same number.
 */
static uint64_t location_of(struct writer *w, const char *text)
{
	uintptr_t number = (uintptr_t)dt_map_get(&w->functions, text);
	struct frame f;
	uint64_t mapping;

	if (number != 0)
		return number;
	number = w->functions.n + 1u;
	dt_map_put(&w->functions, text, (void *)number);
	f = frame_of(w, text);
	mapping = mapping_of(w, &f);
	dt_proto_number(&w->inner, FUNCTION_ID, number);
	put_name(w, f.name);
	if (f.file[0] != '\0')
		dt_proto_number(&w->inner, FUNCTION_FILE, string_of(w, f.file));
	dt_proto_message(&w->all, PROFILE_FUNCTION, &w->inner);
	dt_proto_number(&w->inner, LINE_FUNCTION, number);
	dt_proto_number(&w->message, LOCATION_ID, number);
	if (mapping > 0)
		dt_proto_number(&w->message, LOCATION_MAPPING, mapping);
	dt_proto_message(&w->message, LOCATION_LINE, &w->inner);
	dt_proto_message(&w->all, PROFILE_LOCATION, &w->message);
	return number;
}

/* ---- the profile ---- */

/* What a name ends with says what it counts: "ns", "read_bytes". */
static const char *unit_of(const struct dt_stack_source *s)
{
	static const char *const units[DT_NUNITS] = { "units", "nanoseconds", "microseconds", "milliseconds",
		"seconds", "bytes" };

	if (s->aggkind == DT_ACT_COUNT || dt_aggfunc_of(s->aggkind)->number == NULL)
		return "count";
	return units[dt_aggunit_of("", s->name, s->aggkind)];
}

static void put_type(struct writer *w, unsigned field, const char *name, const char *unit)
{
	uint64_t type = string_of(w, name), number = string_of(w, unit);

	dt_proto_number(&w->message, VALUE_TYPE, type);
	dt_proto_number(&w->message, VALUE_UNIT, number);
	dt_proto_message(&w->all, field, &w->message);
}

/* Leaf first, as the format wants it: from the end of the path to its beginning. */
static void put_path(struct writer *w, const char *path, struct dt_out *locations)
{
	char *text = dt_arena_strdup(w->arena, path), *semicolon;

	do {
		semicolon = strrchr(text, ';');
		dt_proto_varint(locations, location_of(w, semicolon != NULL ? semicolon + 1 : text));
		if (semicolon != NULL)
			*semicolon = '\0';
	} while (semicolon != NULL);
}

/* The stacks from here on that have the same path are one sample. Returns how many. */
static size_t put_sample(struct writer *w, const struct dt_stacks *s, size_t from)
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
	put_path(w, list[0]->path, &locations);
	dt_proto_message(&w->message, SAMPLE_LOCATIONS, &locations);
	dt_proto_message(&w->message, SAMPLE_VALUES, &values);
	if (any)
		dt_proto_message(&w->all, PROFILE_SAMPLE, &w->message);
	dt_out_clear(&w->message);
	w->all.failed |= locations.failed || values.failed || w->message.failed;
	dt_out_free(&locations);
	dt_out_free(&values);
	return n;
}

static void put_profile(struct writer *w, struct dt_stacks *s)
{
	string_of(w, "");
	for (size_t i = 0; i < s->sources.n; i++)
		put_type(w, PROFILE_SAMPLE_TYPE, s->sources.v[i].name, unit_of(&s->sources.v[i]));
	if (s->sources.n == 0)
		put_type(w, PROFILE_SAMPLE_TYPE, "samples", "count");
	dt_stacks_sort(s);
	for (size_t i = 0; i < s->list.n;)
		i += put_sample(w, s, i);
}

static void put_end(struct dt_sink *sink, int status, bool exited)
{
	struct dt_stacks *s = (struct dt_stacks *)sink;
	struct writer w = { .arena = sink->env.arena };

	(void)status, (void)exited;
	dt_out_init(&w.all, NULL, NULL);
	dt_out_init(&w.message, NULL, NULL);
	dt_out_init(&w.inner, NULL, NULL);
	dt_map_init(&w.strings, w.arena);
	dt_map_init(&w.functions, w.arena);
	dt_map_init(&w.mappings, w.arena);
	put_profile(&w, s);
	dt_gzip_put(sink->env.out, dt_out_text(&w.all), w.all.len);
	sink->env.out->failed |= w.all.failed;
	dt_out_free(&w.all);
	dt_out_free(&w.message);
	dt_out_free(&w.inner);
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
