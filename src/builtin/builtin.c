/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Finds rows: by name, by DIF variable id, by subroutine number, by kind of action. The tables are made from
 * the lists in src/dif (*.def): a name in a list that has no row does not link.
 */
#include "base/count.h"
#include "dif/action.h"

/* Indexed by the number that DIF uses; an unused number is NULL. */
static const struct dt_builtin *const vars[] = {
#define X(name, id) [id] = &dt_var_##name,
#include "dif/vars.def"
#undef X
};

static const struct dt_builtin *const subrs[] = {
#define X(name, number) [number] = &dt_subr_##name,
#include "dif/subrs.def"
#undef X
};

const struct dt_action *const dt_actions[DT_ACT_INDICES] = {
#define X(kind, number, ...) [DT_ACT_INDEX(number)] = &dt_action_##kind,
#define L(kind, number, ...) [DT_ACT_INDEX(DT_LIB_KIND(number))] = &dt_action_LIB_##kind,
#include "dif/acts.def"
#undef X
#undef L
};

const struct dt_aggfunc *const dt_aggfuncs[16] = {
#define X(kind, number, name, ...) [(number) & 0xf] = &dt_aggfunc_##name,
#include "dif/aggs.def"
#undef X
};

enum {
	NVARS = DT_COUNT(vars), NSUBRS = DT_COUNT(subrs),
	NSINGLE = NVARS + NSUBRS, NLISTS = DT_ACT_INDICES + 16,
};

/* Actions and aggregating functions may have several names: each has a list of rows. NULL: no such number. */
static const struct dt_builtin *names_of(size_t i)
{
	if (i < DT_ACT_INDICES)
		return dt_actions[i] ? dt_actions[i]->names : NULL;
	i -= DT_ACT_INDICES;
	return dt_aggfuncs[i] ? dt_aggfuncs[i]->names : NULL;
}

/*
 * Walks all rows; *at begins with 0. It counts variables and subroutines by number; from then on the bits
 * above the lowest 16 are the number of a list, from 1, and the lowest 16 the row in it.
 */
const struct dt_builtin *dt_builtin_next(size_t *at)
{
	while (*at < NSINGLE) {
		const struct dt_builtin *row = *at < NVARS ? vars[*at] : subrs[*at - NVARS];

		++*at;
		if (row)
			return row;
	}
	if (*at >> 16 == 0)
		*at = 1 << 16;
	for (; *at >> 16 <= NLISTS; *at = ((*at >> 16) + 1) << 16) {
		const struct dt_builtin *rows = names_of((*at >> 16) - 1);

		if (rows && rows[*at & 0xffff].name)
			return &rows[(*at)++ & 0xffff];
	}
	return NULL;
}

/* NULL: no variable or subroutine has that number, which a saved program may well say. */
const struct dt_builtin *dt_builtin_var(uint32_t id) { return id < NVARS ? vars[id] : NULL; }
const struct dt_builtin *dt_builtin_subr(uint32_t number) { return number < NSUBRS ? subrs[number] : NULL; }

/* A search through all rows: names are looked up while compiling only. */
const struct dt_builtin *dt_builtin_find(const char *name)
{
	const struct dt_builtin *row;

	for (size_t at = 0; (row = dt_builtin_next(&at)) != NULL; ) {
		if (strcmp(row->name, name) == 0)
			return row;
	}
	return NULL;
}
