/* SPDX-License-Identifier: BSD-2-Clause */
/* All machines, made from the list in machines.def, and how they are found. */
#include "machine/machine.h"

#include <stddef.h>
#include <stdio.h>

static const struct dt_machine *const machines[] = {
#define X(name) &dt_machine_##name,
#include "machine/machines.def"
#undef X
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

const char *dt_machine_names(char *buf, size_t len)
{
	size_t n = 0;

	buf[0] = '\0';
	for (const struct dt_machine *const *m = machines; *m != NULL && n < len; m++)
		n += (size_t)snprintf(buf + n, len - n, "%s%s", n == 0 ? "" : m[1] != NULL ? ", " : " and ",
		    (*m)->name);
	return buf;
}
