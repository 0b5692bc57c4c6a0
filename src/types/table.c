/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Types built from others, and the names that text declared. A built type is found by how it is built
 * ("P12": pointer to type 12). Numbers are never reused, so an entry whose parts were cut away can
 * never match. Names are undone by dt_types_cut().
 */
#include "types/table.h"
#include "base/diag.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

void dt_types_free(struct dt_types *ts)
{
	if (!ts)
		return;
	dt_btf_free(ts->btf);
	free(ts->error);
	dt_arena_free(ts->arena);
}

/* ---- built types ---- */

/* Does a pointer to this type lead to user memory? */
static bool in_user_memory(const struct dt_type *t)
{
	for (; t->kind == DT_T_QUAL || t->kind == DT_T_TYPEDEF || t->kind == DT_T_ARRAY; t = t->ref)
		if (t->kind == DT_T_QUAL && t->user)
			return true;
	return false;
}

/*
 * Pointers remember whether they lead to user memory, so that the type need not be walked at each
 * access.
 */
const struct dt_type *dt_type_ptr(struct dt_types *ts, const struct dt_type *to)
{
	struct dt_type *t;
	char key[32];

	/* names of parameters are not part of what a pointer points to */
	if (to->kind == DT_T_FUNC && to->param_names)
		to = dt_type_func(ts, to->ref, to->params, to->nparams, to->varargs);
	snprintf(key, sizeof(key), "P%u", to->id);
	t = dt_map_get(&ts->built, key);
	if (t)
		return t;
	t = dt_type_new(ts, DT_T_PTR);
	t->ref = to;
	t->size = t->align = 8;
	t->user = in_user_memory(to);
	dt_map_put(&ts->built, key, t);
	return t;
}

/* A size that overflows is 0. Structs refuse such an array as a member (layout.c). */
const struct dt_type *dt_type_array(struct dt_types *ts, const struct dt_type *elem, uint64_t n)
{
	struct dt_type *t;
	char key[48];

	snprintf(key, sizeof(key), "A%u,%llu", elem->id, (unsigned long long)n);
	t = dt_map_get(&ts->built, key);
	if (t)
		return t;
	t = dt_type_new(ts, DT_T_ARRAY);
	t->ref = elem;
	t->nelems = n;
	t->align = elem->align;
	if (__builtin_mul_overflow(elem->size, n, &t->size))
		t->size = 0;
	dt_map_put(&ts->built, key, t);
	return t;
}

/* Qualifiers are a set: their order and repetition do not matter, and there is one QUAL for all of them. */
const struct dt_type *dt_type_qual(struct dt_types *ts, const struct dt_type *to, unsigned quals)
{
	struct dt_type *t;
	char key[32];

	if (to->kind == DT_T_ARRAY)	/* qualifies the elements (C17 6.7.3p9) */
		return dt_type_array(ts, dt_type_qual(ts, to->ref, quals), to->nelems);
	if (to->kind == DT_T_QUAL) {
		quals |= to->quals;
		to = to->ref;
	}
	quals &= DT_TQ_CONST | DT_TQ_VOLATILE | DT_TQ_RESTRICT | DT_TQ_USERLAND;
	if (!quals)
		return to;
	snprintf(key, sizeof(key), "Q%u,%u", to->id, quals);
	t = dt_map_get(&ts->built, key);
	if (t)
		return t;
	t = dt_type_new(ts, DT_T_QUAL);
	t->ref = to;
	t->quals = (uint8_t)quals;
	t->user = quals & DT_TQ_USERLAND;
	t->size = to->size;
	t->align = to->align;
	dt_map_put(&ts->built, key, t);
	return t;
}

/* The key lives in the arena, since its length has no bound. */
static char *func_key(struct dt_types *ts, const struct dt_type *ret, const struct dt_type *const *params,
    unsigned n, bool varargs)
{
	size_t room = 32 + (size_t)n * 11, used;
	char *key = dt_arena_alloc(ts->arena, room);

	used = (size_t)snprintf(key, room, "F%u%s", ret->id, varargs ? "v" : "");
	for (unsigned i = 0; i < n; i++)
		used += (size_t)snprintf(key + used, room - used, ",%u", params[i]->id);
	return key;
}

/* Always a new type. The caller enters it in the index of built types, or keeps it out of there. */
static struct dt_type *new_func(struct dt_types *ts, const struct dt_type *ret,
    const struct dt_type *const *params, unsigned n, bool varargs)
{
	struct dt_type *t = dt_type_new(ts, DT_T_FUNC);

	t->ref = ret;
	t->nparams = n;
	t->varargs = varargs;
	t->params = n ? dt_arena_memdup(ts->arena, params, sizeof(*params) * n) : NULL;
	return t;
}

const struct dt_type *dt_type_func(struct dt_types *ts, const struct dt_type *ret,
    const struct dt_type *const *params, unsigned n, bool varargs)
{
	char *key = func_key(ts, ret, params, n, varargs);
	struct dt_type *t = dt_map_get(&ts->built, key);

	if (t)
		return t;
	t = new_func(ts, ret, params, n, varargs);
	dt_map_put(&ts->built, key, t);
	return t;
}

/* Not interned: two functions of one type may name their parameters differently. */
const struct dt_type *dt_type_func_named(struct dt_types *ts, const struct dt_type *func,
    const char *const *names)
{
	struct dt_type *t = new_func(ts, func->ref, func->params, func->nparams, func->varargs);

	t->param_names = names;
	return t;
}

/* ---- names ---- */

/* Tags of structs, unions and enums and the ordinary names are name spaces of their own (C17 6.2.3). */
static char kind_letter(enum dt_tkind kind)
{
	switch (kind) {
	case DT_T_STRUCT:
		return 's';
	case DT_T_UNION:
		return 'u';
	case DT_T_ENUM:
		return 'e';
	default:
		return 't';
	}
}

/* The name space of a declaration: text of D unless C is asked for. */
static const char *name_space(const char *module)
{
	return strcmp(module, "C") == 0 ? "C" : "D";
}

enum { KEY_ROOM = 128 };	/* enough for nearly every name; longer keys go to the arena */

/* The key of a name, in `buf` if it fits: a lookup that finds nothing should leave no memory behind. */
static const char *name_key(struct dt_types *ts, const char *module, enum dt_tkind kind, const char *name,
    char buf[KEY_ROOM])
{
	int n = snprintf(buf, KEY_ROOM, "%c`%s`%s", kind_letter(kind), name_space(module), name);

	if (n >= 0 && n < KEY_ROOM)
		return buf;
	return dt_arena_printf(ts->arena, "%c`%s`%s", kind_letter(kind), name_space(module), name);
}

/* An entry that is replaced goes to the undo list; a new one is removed by cutting the map. */
static void name_put(struct dt_types *ts, const char *module, enum dt_tkind kind, const char *name,
    struct dt_type *t)
{
	char buf[KEY_ROOM];
	const char *key = name_key(ts, module, kind, name, buf);
	void *old = dt_map_get(&ts->names, key);

	if (old) {
		struct dt_undo u = { .key = dt_arena_strdup(ts->arena, key), .old = old };

		dt_vec_push(ts->arena, &ts->undo, u);
	}
	dt_map_put(&ts->names, key, t);
}

/* NULL: nothing of that name was declared. Type data are not searched here. */
static struct dt_type *name_get(struct dt_types *ts, const char *module, enum dt_tkind kind, const char *name)
{
	char buf[KEY_ROOM];

	return dt_map_get(&ts->names, name_key(ts, module, kind, name, buf));
}

/* An incomplete struct, union or enum, which is in no table. Its alignment is 1 until it is completed. */
struct dt_type *dt_type_new_shell(struct dt_types *ts, const char *module, enum dt_tkind kind,
    const char *tag)
{
	struct dt_type *t = dt_type_new(ts, kind);

	t->lazy = DT_NEW(ts->arena, struct dt_type_lazy);
	t->lazy->aligned = true;
	t->module = module;
	t->name = tag;
	t->incomplete = true;
	return t;
}

/*
 * The shell of a tag. While it is incomplete, each mention is the same type; a complete one is hidden
 * by a new shell, as a D program may declare a name again.
 */
struct dt_type *dt_type_shell(struct dt_types *ts, const char *module, enum dt_tkind kind, const char *tag)
{
	struct dt_type *t;

	if (!tag || !*tag)
		return dt_type_new_shell(ts, name_space(module), kind, NULL);
	t = name_get(ts, module, kind, tag);
	if (t && t->incomplete)
		return t;
	t = dt_type_new_shell(ts, name_space(module), kind, dt_arena_strdup(ts->arena, tag));
	name_put(ts, module, kind, tag, t);
	return t;
}

const struct dt_type *dt_type_new_typedef(struct dt_types *ts, const char *module, const char *name,
    const struct dt_type *to)
{
	struct dt_type *t = dt_type_new(ts, DT_T_TYPEDEF);

	t->name = name;
	t->module = module;
	t->ref = to;
	t->size = to->size;
	t->align = to->align;
	return t;
}

/* The same name for the same type is no new declaration. */
const struct dt_type *dt_type_typedef(struct dt_types *ts, const char *module, const char *name,
    const struct dt_type *to)
{
	struct dt_type *t = name_get(ts, module, DT_T_TYPEDEF, name);

	if (t && t->ref == to)
		return t;
	t = dt_type_mutable(dt_type_new_typedef(ts, name_space(module), dt_arena_strdup(ts->arena, name),
	    to));
	name_put(ts, module, DT_T_TYPEDEF, name, t);
	return t;
}

/* ---- undo ---- */

struct dt_types_mark dt_types_mark(const struct dt_types *ts)
{
	return (struct dt_types_mark){ ts->names.n, (uint32_t)ts->undo.n };
}

/*
 * Undoes one step: a name that was replaced gets its old type back, or a type that was completed is a
 * shell again. Steps are undone in reverse order. Memory stays in the arena.
 */
static void undo_step(struct dt_types *ts, const struct dt_undo *u)
{
	struct dt_type *t = u->completed;

	if (!t) {
		dt_map_put(&ts->names, u->key, u->old);
		return;
	}
	t->incomplete = true;
	t->size = 0;
	t->align = 1;
	*t->lazy = (struct dt_type_lazy){ .aligned = true };
}

/*
 * Names that were new since the mark go with the map; only what changed older things is in the undo
 * list.
 */
void dt_types_cut(struct dt_types *ts, struct dt_types_mark mark)
{
	while (ts->undo.n > mark.types)
		undo_step(ts, &ts->undo.v[--ts->undo.n]);
	dt_map_cut(&ts->names, mark.names);
}

/* ---- lookup ---- */

/* Prefers a complete type; of equals the first. Both may be NULL. */
static const struct dt_type *better_type(const struct dt_type *first, const struct dt_type *second)
{
	return !first || (first->incomplete && second && !second->incomplete) ? second : first;
}

const struct dt_type *dt_types_declared(struct dt_types *ts, const char *module, enum dt_tkind kind,
    const char *name)
{
	if (module && strcmp(module, "C") != 0 && strcmp(module, "D") != 0)
		return NULL;
	if (module)
		return name_get(ts, module, kind, name);
	return better_type(name_get(ts, "C", kind, name), name_get(ts, "D", kind, name));
}

/* Names that exist without any declaration. */
static const struct dt_type *predeclared_type(struct dt_types *ts, const char *name)
{
	const struct dt_type *t;

	if (strcmp(name, "string") == 0)
		return ts->string;
	for (unsigned i = 0; i < 3; i++)	/* not <DYN>: it is no name */
		if (strcmp(name, ts->special[i]->name) == 0)
			return ts->special[i];
	t = dt_types_basic(ts, name);
	return t ? t : dt_types_predefined(ts, name);
}

/*
 * Text comes before type data, so that a program may declare its own; but a complete type of the data
 * is better than a declaration without members in the text. Type data are read only when nothing else
 * will do.
 */
const struct dt_type *dt_types_find(struct dt_types *ts, const char *module, enum dt_tkind kind,
    const char *name)
{
	bool text = !module || strcmp(module, "C") == 0 || strcmp(module, "D") == 0;
	const struct dt_type *t = text ? dt_types_declared(ts, module, kind, name) : NULL;

	if (!text)
		return dt_btf_find(ts, strcmp(module, "kernel") == 0 ? "vmlinux" : module, kind, name, true);
	if (!t && kind == DT_T_TYPEDEF)
		t = predeclared_type(ts, name);
	if ((t && !t->incomplete) || module)
		return t;
	return better_type(t, dt_btf_find_any(ts, kind, name));
}

/*
 * The definition of a type of which only a declaration is at hand. First where it was declared (its own
 * module or the text), then elsewhere. A type of a process is completed by its own loader alone: the
 * kernel may well have a struct of the same name. Without a definition it is the type itself.
 */
const struct dt_type *dt_type_complete(struct dt_types *ts, const struct dt_type *type)
{
	const struct dt_type *t = dt_type_base(type), *found = NULL;
	bool text;

	if (t->process && t->incomplete)
		dt_type_load(t);
	if (!t->incomplete || !t->name || t->process)
		return t;
	text = strcmp(t->module, "C") == 0 || strcmp(t->module, "D") == 0;
	if (!text) {
		found = dt_btf_find(ts, t->module, t->kind, t->name, false);
		if (!found || found->incomplete)
			found = dt_btf_find_any(ts, t->kind, t->name);
	}
	if (!found || found->incomplete)
		found = dt_types_declared(ts, NULL, t->kind, t->name);
	if (text && (!found || found->incomplete))
		found = dt_btf_find_any(ts, t->kind, t->name);
	return found && !found->incomplete ? found : t;
}

/* Offers names for "did you mean". Type data that was not read yet is not read for this. */
void dt_types_near(struct dt_types *ts, enum dt_tkind kind, struct dt_near *near)
{
	char letter = kind_letter(kind);

	for (uint32_t i = 0; i < ts->names.n; i++) {
		const struct dt_map_entry *e = &ts->names.v[i];

		if (e->key[0] == letter)
			dt_near_offer(near, ((const struct dt_type *)e->value)->name);
	}
	if (kind == DT_T_TYPEDEF)
		dt_types_predefined_near(near);
	dt_btf_near(ts, kind, near);
}
