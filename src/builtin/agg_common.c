/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Aggregating functions while they are compiled: the right sides of @name[keys] = f(...). A use becomes a
 * tuple of actions: the aggregation's number, its keys, the value (and the increment), then the aggregating
 * action, which counts them. The first use of a name fixes its function, keys and parameters; later uses must
 * agree.
 */
#include "builtin/agg_common.h"

/* ---- the aggregation itself ---- */

/* One aggregation has one function, whatever clause uses it. */
static void check_function(struct dt_sema *s, struct dt_ident *id, const struct dt_builtin *row,
    const struct dt_node *call)
{
	struct dt_place at;

	if (id->aggfunc == NULL) {
		id->aggfunc = row;
		id->aggloc = call->loc;
		return;
	}
	if (id->aggfunc == row)
		return;
	at = dt_loc_place(id->aggloc);
	dt_fail(s->diag, D_AGG_REDEF, call->loc,
	    "aggregation redefined: @%s\n\t current: @%s = %s( )\n\tprevious: @%s = %s( ) : line %u",
	    id->name, id->name, row->name, id->name, id->aggfunc->name, at.line);
}

/* The program lists each aggregation once, for printing. */
static bool known_to_program(const struct dt_sema *s, uint32_t id)
{
	for (size_t i = 0; i < s->aggvars.n; i++)
		if (s->aggvars.v[i].id == id)
			return true;
	return false;
}

/* What the program keeps of an aggregation: its name, number, function, parameters and number of keys. */
static void list_aggregation(struct dt_sema *s, const struct dt_ident *id)
{
	struct dt_aggvar v = { id->name, id->id, id->aggfunc->id, id->aggarg, id->nkeys };

	if (!known_to_program(s, id->id))
		dt_vec_push(s->keep, &s->aggvars, v);
}

/* ---- keys ---- */

/*
 * A key with its type. A string of the process is copied into the kernel; actions that may be keys (stack(),
 * usym()) stay calls, everything else becomes a value. Returns the node that takes its place in the list.
 */
static struct dt_node *type_key(struct dt_sema *s, struct dt_node *key, const char *name)
{
	struct dt_node *next = key->next;

	if (key->kind == DT_N_AGG || (key->kind == DT_N_INDEX && key->a->kind == DT_N_AGG))
		dt_fail(s->diag, D_KEY_TYPE, key->loc, "@%s[ ]: a key may not be an aggregation", name);
	key = dt_expr(s, key);
	if (key->kind == DT_N_XLATE && !dt_type_is_pointer(key->type))
		key = dt_expr_xwhole(s, key);
	if (key->kind == DT_N_XLATE || dt_type_is_void(key->type))
		dt_fail(s->diag, D_KEY_TYPE, key->loc, "@%s[ ]: a key may not be %s", name,
		    key->kind == DT_N_XLATE ? "a translated pointer: name one of its members" : "void");
	if (!(key->kind == DT_N_CALL && dt_call_keytype(s, key->ident->row) != NULL))
		key = dt_expr_no_action(s, dt_expr_value(s, key));
	if (dt_type_is_stringlike(key->type) && (key->nflags & DT_NF_USER))
		key = dt_expr_copyinstr(s, key);
	key->next = next;
	return key;
}

/* How many keys the list has. */
static uint32_t count_nodes(const struct dt_node *list)
{
	uint32_t n = 0;

	for (; list != NULL; list = list->next)
		n++;
	return n;
}

/* The first use fixes the number and kinds of the keys; an integer keeps its own size at each use. */
static void check_keys(struct dt_sema *s, struct dt_ident *id, struct dt_node *agg, struct dt_node **keys)
{
	uint32_t i = 0, n;

	for (struct dt_node **k = keys; *k != NULL; k = &(*k)->next)
		*k = type_key(s, *k, id->name);
	n = count_nodes(*keys);
	if (!id->keyed) {
		id->keyed = true;
		id->nkeys = n;
		id->keys = DT_NEWN(s->cc->arena, const struct dt_type *, n + 1);
		for (const struct dt_node *k = *keys; k != NULL; k = k->next)
			id->keys[i++] = dt_type_base(k->type)->kind == DT_T_ARRAY &&
				dt_type_is_stringlike(k->type) ?
			    dt_types_string(s->types) :
			    k->type;
	}
	if (n != id->nkeys)
		dt_fail(s->diag, D_PROTO_LEN, agg->loc,
		    "@%s[ ] prototype mismatch: %u key%s passed, %u expected", id->name, n, n == 1 ? "" : "s",
		    id->nkeys);
	i = 0;
	for (struct dt_node **k = keys; *k != NULL; k = &(*k)->next, i++) {
		if (!dt_compat_arg(s, id->keys[i], *k))
			dt_fail(s->diag, D_PROTO_ARG, (*k)->loc,
			    "@%s[ ] key #%u is incompatible with prototype:\n\tprototype: %s\n\t      key: "
			    "%s",
			    id->name, i + 1, dt_type_str(s->arena, id->keys[i]),
			    dt_type_str(s->arena, (*k)->type));
	}
}

/* ---- the tuple ---- */

static void tuple_value(struct dt_sema *s, struct dt_node *n)
{
	dt_act_value(s, DT_ACT_DIFEXPR, n);
}

/*
 * The order of the actions is the layout of the tuple: number, keys, value, increment. All but the last are
 * marked as inside of it, so that they are not taken for records.
 */
void dt_agg_use(struct dt_sema *s, const struct dt_builtin *row, struct dt_node *target, struct dt_node *call,
    struct dt_node *value, struct dt_node *incr, uint64_t arg)
{
	struct dt_node *agg = target->kind == DT_N_INDEX ? target->a : target;
	struct dt_ident *id = dt_names_agg(s, agg->name, true, agg->loc);
	size_t first = s->acts.n, last;
	struct dt_act *act;

	check_function(s, id, row, call);
	if (target->kind == DT_N_INDEX && target->list == NULL)
		dt_fail(s->diag, D_SYNTAX, target->loc, "@%s[ ] needs a key", id->name);
	check_keys(s, id, target, target->kind == DT_N_INDEX ? &target->list : &(struct dt_node *){ NULL });
	id->aggarg = arg;
	dt_act_const(s, DT_ACT_DIFEXPR, id->id, 8, agg->loc);
	if (target->kind == DT_N_INDEX)
		for (struct dt_node *k = target->list; k != NULL; k = k->next)
			tuple_value(s, k);
	if (value != NULL)
		tuple_value(s, value);
	if (incr != NULL)
		tuple_value(s, incr);
	last = s->acts.n;
	for (size_t i = first; i < last; i++)
		s->acts.v[i].in_tuple = true;
	act = dt_act_add(s, row->id, call->loc);
	act->ntuple = (uint16_t)(last - first);
	act->arg = arg;
	list_aggregation(s, id);
}

/* ---- arguments ---- */

struct dt_node *dt_agg_nth(const struct dt_node *call, unsigned n)
{
	struct dt_node *a = call->list;

	while (n-- > 0 && a != NULL)
		a = a->next;
	return a;
}

/* "at least" and "at most" only where the number may vary. */
void dt_agg_nargs(struct dt_sema *s, const struct dt_builtin *row, const struct dt_node *call, unsigned least,
    unsigned most)
{
	unsigned n = dt_call_nargs(call);

	if (n < least || n > most)
		dt_fail(s->diag, D_PROTO_LEN, call->loc,
		    "%s( ) prototype mismatch: %u arg%s passed, %s%u expected", row->name, n,
		    n == 1 ? "" : "s",
		    least == most ? "" :
			n < least ? "at least " :
				    "at most ",
		    n < least ? least : most);
}

/* A copy without its neighbours, since the argument list is still walked. */
static struct dt_node *detached_copy(struct dt_sema *s, struct dt_node *n)
{
	struct dt_node *copy = dt_arena_memdup(s->arena, n, sizeof(*n));

	copy->next = NULL;
	return copy;
}

/* All 64 bits are aggregated, whatever the type of the value. */
struct dt_node *dt_agg_argument(struct dt_sema *s, const struct dt_builtin *row, struct dt_node *call,
    unsigned n, enum dt_tag tag)
{
	struct dt_node *v = dt_agg_nth(call, n);

	if (v == NULL)
		return NULL;
	if (v->kind == DT_N_AGG || v->kind == DT_N_XLATE ||
	    (v->kind == DT_N_INDEX && v->a->kind == DT_N_AGG) || !dt_type_is_scalar(v->type))
		dt_fail(s->diag, tag, v->loc, "%s( ) argument #%u must be of scalar type", row->name, n + 1);
	return dt_expr_whole(s, detached_copy(s, v), dt_types_sized(s->types, 8, true));
}

/* There are three errors, as in history: not an integer, not a constant, out of range. */
int64_t dt_agg_parameter(struct dt_sema *s, const struct dt_builtin *row, const struct dt_node *call,
    struct dt_aggparam p)
{
	struct dt_node *n = dt_agg_nth(call, p.n);

	if (n->kind != DT_N_AGG && n->type != NULL && !dt_type_is_integer(n->type))
		dt_fail(s->diag, D_PROTO_ARG, n->loc,
		    "%s( ) argument #%u is incompatible with prototype:\n\tprototype: int\n\t argument: %s",
		    row->name, p.n + 1, dt_type_str(s->arena, n->type));
	if (n->kind == DT_N_AGG || !dt_node_is_const(n))
		dt_fail(s->diag, p.type, n->loc, "%s( ) argument #%u (%s) must be %s integer constant",
		    row->name, p.n + 1, p.what, p.least == 1 ? "a positive" : "an");
	if (p.least == 1 && dt_node_int(n) < 1)
		dt_fail(s->diag, p.type, n->loc,
		    "%s( ) argument #%u (%s) must be a positive integer constant", row->name, p.n + 1,
		    p.what);
	if (dt_node_int(n) < p.least || dt_node_int(n) > p.most)
		dt_fail(s->diag, p.value, n->loc, "%s( ) argument #%u (%s) must be from %lld to %lld",
		    row->name, p.n + 1, p.what, (long long)p.least, (long long)p.most);
	return dt_node_int(n);
}

/*
 * NULL if this is the first use, or if an earlier one had another function (check_function() reports that).
 */
const struct dt_ident *dt_agg_earlier(struct dt_sema *s, const struct dt_builtin *row,
    const struct dt_node *target)
{
	const struct dt_node *agg = target->kind == DT_N_INDEX ? target->a : target;
	const struct dt_ident *id = dt_names_agg(s, agg->name, false, agg->loc);

	return id != NULL && id->aggfunc == row ? id : NULL;
}

/* A parameter that differs from an earlier use would give the buckets another meaning. */
void dt_agg_same(struct dt_sema *s, const struct dt_node *call, unsigned n, const char *what, int64_t now,
    int64_t before, enum dt_tag tag)
{
	if (now != before)
		dt_fail(s->diag, tag, dt_agg_nth(call, n) != NULL ? dt_agg_nth(call, n)->loc : call->loc,
		    "%s( ) %s (%lld) does not match an earlier use of the aggregation (%lld)",
		    call->ident->name, what, (long long)now, (long long)before);
}

void dt_agg_compile_value(struct dt_sema *s, const struct dt_builtin *row, struct dt_node *agg,
    struct dt_node *call)
{
	dt_act_args(s, call, false);
	dt_agg_nargs(s, row, call, 1, 1);
	dt_agg_use(s, row, agg, call, dt_agg_argument(s, row, call, 0, D_AGG_SCALAR), NULL, 0);
}

void dt_agg_compile_incr(struct dt_sema *s, const struct dt_builtin *row, struct dt_node *agg,
    struct dt_node *call)
{
	dt_act_args(s, call, false);
	dt_agg_nargs(s, row, call, 1, 2);
	dt_agg_use(s, row, agg, call, dt_agg_argument(s, row, call, 0, D_AGG_SCALAR),
	    dt_agg_argument(s, row, call, 1, D_PROTO_ARG), 0);
}
