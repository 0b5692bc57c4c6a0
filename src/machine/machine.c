/* SPDX-License-Identifier: BSD-2-Clause */
/* All machines, a row each, and how they are found. A new machine is one file and one row here. */
#include "machine/machines.h"

#include <stddef.h>

static const struct dt_machine *const machines[] = {
	&dt_machine_x86_64,
	&dt_machine_aarch64,
	NULL,
};

const struct dt_machine *const *dt_machines(void) { return machines; }

const struct dt_machine *dt_machine_elf(uint16_t elf)
{
	for (const struct dt_machine *const *m = machines; *m != NULL; m++)
		if ((*m)->elf == elf)
			return *m;
	return NULL;
}

const struct dt_machine *dt_machine_here(void)
{
	const struct dt_machine *const *m = machines;

	while (!(*m)->here)		/* one is: test/unit/machine_test.c */
		m++;
	return *m;
}
