/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds rows: by name, by DIF variable id, by subroutine number, by action kind. */
#include "dif/builtin.h"

const struct dt_builtin *const dt_builtin_tables[] = {
	dt_builtin_vars, dt_builtin_subrs_string, dt_builtin_subrs_memory, dt_builtin_subrs_net, dt_builtin_subrs_kernel,
	dt_builtin_actions_data, dt_builtin_actions_control, dt_builtin_actions_agg, dt_builtin_aggs, NULL,
};

static const struct dt_builtin *const subr_tables[] = {
	dt_builtin_subrs_string, dt_builtin_subrs_memory, dt_builtin_subrs_net, dt_builtin_subrs_kernel,
};

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
	for (size_t i = 0; i < sizeof(subr_tables) / sizeof(subr_tables[0]); i++) {
		const struct dt_builtin *row = by_id(subr_tables[i], number);

		if (row)
			return row;
	}
	return NULL;
}

const struct dt_builtin *dt_builtin_agg(uint16_t actkind) { return by_id(dt_builtin_aggs, actkind); }

const struct dt_builtin *dt_builtin_find(const char *name)
{
	for (const struct dt_builtin *const *table = dt_builtin_tables; *table; table++) {
		for (const struct dt_builtin *row = *table; row->name; row++) {
			if (strcmp(row->name, name) == 0)
				return row;
		}
	}
	return NULL;
}
