/* SPDX-License-Identifier: BSD-2-Clause */
/* See host.h. What cannot be read is empty. */
#include "base/host.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static void read_boot(char *id, size_t len)
{
	FILE *f = fopen("/proc/sys/kernel/random/boot_id", "re");

	if (f == NULL)
		return;
	if (fgets(id, (int)len, f) == NULL)
		id[0] = '\0';
	id[strcspn(id, "\n")] = '\0';
	fclose(f);
}

void dt_hostinfo_read(struct dt_hostinfo *h)
{
	long cpus = sysconf(_SC_NPROCESSORS_CONF);

	memset(h, 0, sizeof(*h));
	if (uname(&h->uname) != 0)
		memset(&h->uname, 0, sizeof(h->uname));
	read_boot(h->boot, sizeof(h->boot));
	h->ncpus = cpus > 0 ? (uint32_t)cpus : 0;
}
