/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The tables of a profile: strings, functions, locations, mappings. pprof and OTLP use the same ones with
 * other field numbers. Each entry is written when it is first used. A frame is a function and a location
 * without address in the mapping of its object; the kernel and its modules are mappings with names in
 * brackets.
 */
#ifndef DT_SINK_PROFILE_TABLES_H
#define DT_SINK_PROFILE_TABLES_H

#include "sink/protobuf.h"
#include "sink/stacks.h"

/* Field numbers; 0: the format has no such field. */
struct dt_profile_fields {
	unsigned mapping, location, function, string;		/* the tables */
	unsigned mapping_id, mapping_file, mapping_has_functions;
	unsigned location_id, location_mapping, location_line, line_function;
	unsigned function_id, function_name, function_system_name, function_file;
};

struct dt_profile_tables {
	const struct dt_profile_fields *fields;
	struct dt_arena *arena;
	struct dt_out *to;			/* the message with the tables */
	struct dt_out message, inner;		/* parts of it under construction; else empty */
	struct dt_map strings, functions, mappings;	/* text → index + 1; the others: number, from 1 */
};

/* Writes the string "", which has index 0. */
void dt_profile_open(struct dt_profile_tables *, const struct dt_profile_fields *, struct dt_arena *,
    struct dt_out *to);
void dt_profile_close(struct dt_profile_tables *);

uint64_t dt_profile_string(struct dt_profile_tables *, const char *);
/* Numbers of the locations of a path (stacks.h), leaf first. */
void dt_profile_path(struct dt_profile_tables *, const char *path, struct dt_out *locations);
/* A value type: name and unit, as fields 1 and 2 of a message. */
void dt_profile_type(struct dt_profile_tables *, const struct dt_stack_source *, struct dt_out *);

#endif
