/* SPDX-License-Identifier: BSD-2-Clause */
/* The machine this process runs on, as a recording names it. */
#ifndef DT_BASE_HOST_H
#define DT_BASE_HOST_H

#include <stdint.h>
#include <sys/utsname.h>

struct dt_hostinfo {
	struct utsname uname;		/* name, machine, kernel release */
	char boot[64];			/* id of the boot; "" unknown */
	uint32_t ncpus;			/* configured */
};

void dt_hostinfo_read(struct dt_hostinfo *);

#endif
