/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds rows: by name, by DIF variable id, by subroutine number, by kind of action. */
#include "dif/action.h"

static const struct dt_builtin *const tables[] = {
	dt_builtin_vars,
};

static const struct dt_builtin *const subrs[] = {
#define X(name, number) [number] = &dt_subr_##name,
#include "dif/subrs.def"
#undef X
};
enum { NSUBRS = sizeof(subrs) / sizeof(subrs[0]) };

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

enum { NTABLES = sizeof(tables) / sizeof(tables[0]), NLISTS = NTABLES + DT_ACT_INDICES + 16 };

/* Lists of rows, numbered: tables, actions, aggregating functions; NULL where a number has none. */
static const struct dt_builtin *list(size_t i)
{
	if (i < NTABLES)
		return tables[i];
	i -= NTABLES;
	if (i < DT_ACT_INDICES)
		return dt_actions[i] ? dt_actions[i]->names : NULL;
	i -= DT_ACT_INDICES;
	return dt_aggfuncs[i] ? dt_aggfuncs[i]->names : NULL;
}

/* *at: the list above the lowest 16 bits, the row in it below them; list 0 is that of the subroutines. */
const struct dt_builtin *dt_builtin_next(size_t *at)
{
	while (*at < NSUBRS) {
		const struct dt_builtin *row = subrs[(*at)++];

		if (row)
			return row;
	}
	if (*at >> 16 == 0)
		*at = 1 << 16;
	for (; *at >> 16 <= NLISTS; *at = ((*at >> 16) + 1) << 16) {
		const struct dt_builtin *rows = list((*at >> 16) - 1);

		if (rows && rows[*at & 0xffff].name)
			return &rows[(*at)++ & 0xffff];
	}
	return NULL;
}

static const struct dt_builtin *by_id(const struct dt_builtin *row, uint32_t id)
{
	for (; row->name; row++) {
		if (row->id == id)
			return row;
	}
	return NULL;
}

const struct dt_builtin *dt_builtin_var(uint32_t id) { return by_id(dt_builtin_vars, id); }

const struct dt_builtin *dt_builtin_subr(uint32_t number)
{
	return number < NSUBRS ? subrs[number] : NULL;
}

const struct dt_builtin *dt_builtin_find(const char *name)
{
	const struct dt_builtin *row;

	for (size_t at = 0; (row = dt_builtin_next(&at)) != NULL; ) {
		if (strcmp(row->name, name) == 0)
			return row;
	}
	return NULL;
}
