/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the files of actions share. Each action is a struct dt_action (dif/action.h) in the file of its
 * theme, act_*.c; act_common.c has what several of them do while they are compiled. A file reads from top
 * to bottom as an action lives:
 *
 *	NAME_compile	checks the arguments of a call and adds one or more actions to the clause
 *	NAME_size	how many bytes the record has for one of them; a constant of the program
 *	NAME_lower	the code that leaves those bytes in the record, with r0 as the value of the expression
 *	NAME_bytes	the same bytes, made by the interpreter
 *	NAME_run	in its place if there is more to do than to record
 *	NAME_value	the bytes as a value again, for the consumer
 *	NAME_text	prints the records of a statement, or does what they say
 *	NAME_json	shows them as a member of the firing's JSON object
 *
 * Lowered code and interpreter must agree byte for byte: tests run programs on both and compare.
 */
#ifndef DT_BUILTIN_ACT_COMMON_H
#define DT_BUILTIN_ACT_COMMON_H

#include "bpf/field.h"
#include "dif/action.h"
#include "interp/run.h"
#include "output/json.h"
#include "output/statement.h"
#include "sema/sema.h"
#include "value/value_record.h"

/* A name of an action; DT_ACT_NAMES(…) is the array of them that the action points to. */
#define DT_ACT_NAME(n, f, i, p, v, c, d) { .name = n, .kind = DT_BI_ACTION, .flags = f, .id = i, .proto = p, \
	.attr = DT_ATTR_STABLE_COMMON, .version = v, .compile = c, .doc = d }
/* The array of names that an action points to; a row without a name ends it. */
#define DT_ACT_NAMES(...) (const struct dt_builtin[]) { __VA_ARGS__, { 0 } }

/*
 * The stages of an action that records the value of its expression as the type says, in the kernel and
 * out of it.
 */
#define DT_ACT_BY_TYPE .size = dt_field_by_type_size, .lower = dt_field_by_type, .bytes = dt_bytes_by_type, \
	.value = dt_record_by_type
/* The sinks of an action whose values are shown one after the other. */
#define DT_ACT_SHOW .shape = DT_SHAPE_VALUES, .text = dt_statement_values, .json = dt_json_action_values

/* The argument is an aggregation, @name or @name[keys], and not a value. */
bool dt_node_is_agg(const struct dt_node *);
bool dt_node_is_key(struct dt_sema *, const struct dt_node *);	/* a call of an action that may be a key */
/*
 * Types the arguments and checks them against the prototype; aggregations and translated values are
 * refused.
 */
void dt_act_plain_args(struct dt_sema *, const struct dt_builtin *, struct dt_node *call);
/* compile of the rows that take at most one number */
void dt_act_compile_number(struct dt_sema *, const struct dt_builtin *, struct dt_node *call);
/* of printf() and its kin: a format and values; the object of their JSON, which is left open */
void dt_act_compile_printf(struct dt_sema *, const struct dt_builtin *, struct dt_node *call);
void dt_act_json_format(struct dt_json_firing *, const char *name, const struct dt_rec *, size_t n);

#endif
