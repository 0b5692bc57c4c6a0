/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * pid123`type_t: searched in the program's debugging data, then in those of the libraries it maps. A
 * definition anywhere is better than a declaration. Types of the language itself are the same in every
 * process, with or without debugging data.
 */
#include "provider/usertype.h"

#include "base/diag.h"
#include "provider/dwarf.h"
#include "provider/provider.h"
#include "types/table.h"

struct looking {
	struct dt_probes *p;
	const struct dt_usertype *want;
	struct dt_near *near;
	const struct dt_type *found;
	uint32_t files;			/* that may have it */
	bool first_bare;		/* the first of them, the program, has no debugging data */
	const char *bare, *cut;		/* the first without any; one with more than is read */
	const char *lost;		/* why those of one are not read */
};

/*
 * A declaration is kept until a definition is found. Names that are similar are collected for the
 * message.
 */
static void in_object(struct looking *l, struct dt_object *o)
{
	struct dt_dwarf *d = dt_dwarf_of(l->p, o);
	const struct dt_type *t;

	l->first_bare |= l->files++ == 0 && d == NULL;
	t = d != NULL ? dt_dwarf_type(d, l->want->kind, l->want->name) : NULL;
	l->lost = l->lost != NULL ? l->lost : dt_dwarf_why(l->p, o);
	if (d == NULL) {
		l->bare = l->bare != NULL ? l->bare : o->name;
		return;
	}
	if (t != NULL && (l->found == NULL || !t->incomplete))
		l->found = t;
	if (t == NULL)
		dt_dwarf_near(d, l->want->kind, l->want->name, l->near);
	if (t == NULL && dt_dwarf_cut(d))
		l->cut = o->name;
}

/* The program comes first, then its libraries in the order of their mappings. */
static void in_process(struct looking *l, struct dt_process *proc)
{
	const char *module = l->want->module;

	for (unsigned pass = 0; pass < 2; pass++)
		for (size_t i = 0; i < proc->list.n && (l->found == NULL || l->found->incomplete); i++)
			if (proc->list.v[i].main == (pass == 0) &&
			    (module == NULL || dt_loaded_named(&proc->list.v[i], module)))
				in_object(l, proc->list.v[i].obj);
}

/* The first reason that explains it: no such file, data that cannot be read, too many, none, no such name. */
static const char *usertype_missing(const struct looking *l)
{
	struct dt_arena *arena = l->p->arena;

	if (l->files == 0)
		return dt_arena_printf(arena, "process %u has not loaded %s", l->want->pid,
		    l->want->module != NULL ? l->want->module : "any file");
	if (l->lost != NULL)
		return l->lost;
	if (l->cut != NULL)
		return dt_arena_printf(arena, "%s has more debugging data than are searched", l->cut);
	if (l->first_bare)
		/* others have similar names, but this one could not be searched */
		l->near->best = NULL;
	if (l->bare != NULL && l->near->best == NULL)
		return dt_arena_printf(arena,
		    "Unknown type name (%s has no debugging data: build it with -g, or install its package "
		    "of them, -dbgsym or -debuginfo)",
		    l->bare);
	return "Unknown type name";
}

/* A library that is named and not loaded yet is looked for in the file system. */
const struct dt_type *dt_usertype_find(struct dt_probes *p, const struct dt_usertype *want, const char **why,
    struct dt_near *near)
{
	struct looking l = { .p = p, .want = want, .near = near };
	const struct dt_type *basic;
	struct dt_process *proc;

	*why = "no types are known here";
	if (p->types == NULL || (proc = dt_process_look(p, want->pid, why)) == NULL)
		return NULL;
	in_process(&l, proc);
	if (l.files == 0 && want->module != NULL && dt_process_later(p, proc, want->module))
		in_process(&l, proc);
	if (l.found != NULL)
		return l.found;
	basic = want->kind == DT_T_TYPEDEF ? dt_types_basic(p->types, want->name) : NULL;
	if (basic != NULL && l.files != 0)
		return dt_dwarf_named(p, basic, basic->name);
	*why = usertype_missing(&l);
	return NULL;
}
