/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The table of providers, made from the list in providers.def: a name in the list that no file defines does
 * not link. The only file that knows all of them.
 */
#include "provider/provider.h"

const struct dt_provider *const dt_providers[] = {
#define X(name) &dt_provider_##name,
#include "provider/providers.def"
#undef X
	NULL,
};

/* The row of "pid123" is that of "pid". NULL: the name may still be that of static probes. */
const struct dt_provider *dt_provider_find(const char *name)
{
	name = dt_history_provider(name);
	for (const struct dt_provider *const *at = dt_providers, *row; (row = *at) != NULL; at++) {
		size_t len = strlen(row->name);

		if (strcmp(row->name, name) == 0)
			return row;
		if (row->per_process && strncmp(row->name, name, len) == 0 && name[len] != '\0' &&
		    name[len + strspn(name + len, "0123456789")] == '\0')
			return row;
	}
	return NULL;
}
