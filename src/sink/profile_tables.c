/* SPDX-License-Identifier: BSD-2-Clause */
/* See profile_tables.h. */
#include "sink/profile_tables.h"

#include "base/count.h"
#include "dif/action.h"
#include "file/elf.h"
#include "output/unit.h"

/* ---- strings, functions, locations ---- */

/* Index of a string in the table. A new string is appended to the output at once. */
uint64_t dt_profile_string(struct dt_profile_tables *t, const char *text)
{
	uintptr_t number = (uintptr_t)dt_map_get(&t->strings, text);

	if (number == 0) {
		number = t->strings.n + 1u;
		dt_map_put(&t->strings, text, (void *)number);
		dt_proto_bytes(t->to, t->fields->string, text, strlen(text));
	}
	return number - 1;
}

/* Frames of language runtimes are "function (file)". Returns the offset of the file, 0 for other frames. */
static size_t file_at(const char *frame)
{
	const char *at = strstr(frame, " ("), *next;

	while (at != NULL && (next = strstr(at + 2, " (")) != NULL)
		at = next;
	return at != NULL && strchr(frame, '`') == NULL && frame[strlen(frame) - 1] == ')' ?
	    (size_t)(at + 2 - frame) : 0;
}

/* The parts of a frame of a path (stacks.h). */
struct frame { const char *name, *object, *file; bool kernel; };

/*
 * The name is the function without its object, which has separate fields. If the function is unknown, object
 * and address stay in the name, as they distinguish frames. A key that is no frame is a name without object.
 */
static struct frame frame_of(struct dt_profile_tables *t, const char *text)
{
	size_t n = strlen(text), mark = sizeof(DT_STACK_KERNEL) - 1, module, file;
	struct frame f = { .kernel = n > mark && strcmp(text + n - mark, DT_STACK_KERNEL) == 0 };

	f.name = f.kernel ? dt_arena_strndup(t->arena, text, n - mark) : text;
	module = dt_symbol_module(f.name);
	f.object = module > 0 ? dt_arena_strndup(t->arena, f.name, module) : "";
	file = file_at(f.name);
	f.file = file == 0 ? f.object : dt_arena_strndup(t->arena, f.name + file, strlen(f.name + file) - 1);
	if (file > 0)
		f.name = dt_arena_strndup(t->arena, f.name, file - 2);
	if (f.name[module] == '`' && f.name[module + 1] != '\0')
		f.name += module + 1;
	return f;
}

/* A field that only some formats have. */
static void put_id(struct dt_out *o, unsigned field, uint64_t number)
{
	if (field != 0)
		dt_proto_number(o, field, number);
}

/* The kernel is named in brackets: Go's pprof does not look for the binary of such a mapping. */
static uint64_t mapping_of(struct dt_profile_tables *t, const struct frame *f)
{
	const char *file = f->object;
	uintptr_t number;

	if (f->kernel) {
		bool core = file[0] == '\0' || strcmp(file, "vmlinux") == 0;

		dt_out_clear(&t->message);
		dt_out_printf(&t->message, "[%s]", core ? "kernel" : file);
		file = dt_arena_strdup(t->arena, dt_out_text(&t->message));
		dt_out_clear(&t->message);
	}
	if (file[0] == '\0')
		return 0;
	number = (uintptr_t)dt_map_get(&t->mappings, file);
	if (number != 0)
		return number;
	number = t->mappings.n + 1u;
	dt_map_put(&t->mappings, file, (void *)number);
	put_id(&t->message, t->fields->mapping_id, number);
	dt_proto_number(&t->message, t->fields->mapping_file, dt_profile_string(t, file));
	put_id(&t->message, t->fields->mapping_has_functions, 1);
	dt_proto_message(t->to, t->fields->mapping, &t->message);
	return number;
}

/* Names of C++ and Rust are written demangled, beside the symbol: some readers cannot demangle them all. */
static void put_name(struct dt_profile_tables *t, const char *name)
{
	char clear[2048];

	if (!dt_elf_demangle(name, clear, sizeof(clear))) {
		dt_proto_number(&t->inner, t->fields->function_name, dt_profile_string(t, name));
		return;
	}
	dt_proto_number(&t->inner, t->fields->function_name, dt_profile_string(t, clear));
	dt_proto_number(&t->inner, t->fields->function_system_name, dt_profile_string(t, name));
}

/*
 * The file of a function is its source file if the language runtime tells it, else its object. Location and
 * function of a frame have the same number.
 */
static uint64_t location_of(struct dt_profile_tables *t, const char *text)
{
	uintptr_t number = (uintptr_t)dt_map_get(&t->functions, text);
	struct frame f;
	uint64_t mapping;

	if (number != 0)
		return number;
	number = t->functions.n + 1u;
	dt_map_put(&t->functions, text, (void *)number);
	f = frame_of(t, text);
	mapping = mapping_of(t, &f);
	put_id(&t->inner, t->fields->function_id, number);
	put_name(t, f.name);
	if (f.file[0] != '\0')
		dt_proto_number(&t->inner, t->fields->function_file, dt_profile_string(t, f.file));
	dt_proto_message(t->to, t->fields->function, &t->inner);
	dt_proto_number(&t->inner, t->fields->line_function, number);
	put_id(&t->message, t->fields->location_id, number);
	if (mapping > 0)
		dt_proto_number(&t->message, t->fields->location_mapping, mapping);
	dt_proto_message(&t->message, t->fields->location_line, &t->inner);
	dt_proto_message(t->to, t->fields->location, &t->message);
	return number;
}

/* The formats list the leaf first; a path ends with it. */
void dt_profile_path(struct dt_profile_tables *t, const char *path, struct dt_out *locations)
{
	char *text = dt_arena_strdup(t->arena, path), *semicolon;

	do {
		semicolon = strrchr(text, ';');
		dt_proto_varint(locations, location_of(t, semicolon != NULL ? semicolon + 1 : text));
		if (semicolon != NULL)
			*semicolon = '\0';
	} while (semicolon != NULL);
}

/* ---- types of values ---- */

/* The suffix of a name tells the unit: "ns", "read_bytes". */
static const char *unit_of(const struct dt_stack_source *s)
{
	static const char *const units[DT_NUNITS] = { "units", "nanoseconds", "microseconds", "milliseconds",
		"seconds", "bytes" };

	if (s->aggkind == DT_ACT_COUNT || dt_aggfunc_of(s->aggkind)->number == NULL)
		return "count";
	return units[dt_aggunit_of("", s->name, s->aggkind)];
}

void dt_profile_type(struct dt_profile_tables *t, const struct dt_stack_source *s, struct dt_out *o)
{
	enum { TYPE = 1, UNIT = 2 };

	dt_proto_number(o, TYPE, dt_profile_string(t, s->name));
	dt_proto_number(o, UNIT, dt_profile_string(t, unit_of(s)));
}

/* ---- open and close ---- */

void dt_profile_open(struct dt_profile_tables *t, const struct dt_profile_fields *fields,
    struct dt_arena *arena, struct dt_out *to)
{
	*t = (struct dt_profile_tables){ .fields = fields, .arena = arena, .to = to };
	dt_out_init(&t->message, NULL, NULL);
	dt_out_init(&t->inner, NULL, NULL);
	dt_map_init(&t->strings, arena);
	dt_map_init(&t->functions, arena);
	dt_map_init(&t->mappings, arena);
	dt_profile_string(t, "");
}

void dt_profile_close(struct dt_profile_tables *t)
{
	t->to->failed |= t->message.failed || t->inner.failed;
	dt_out_free(&t->message);
	dt_out_free(&t->inner);
}
