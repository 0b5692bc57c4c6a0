/* SPDX-License-Identifier: BSD-2-Clause */
/* The one way to open a file that output goes to. */
#ifndef DT_BASE_OUTFILE_H
#define DT_BASE_OUTFILE_H

#include <stdbool.h>
#include <stdio.h>

/*
 * Opens it for writing, at its end or empty; makes it when it is not there, never writable for others. In a
 * folder where everybody may make files (sticky, as /tmp) a link, file or FIFO of somebody else is refused,
 * as the kernel does it where fs.protected_symlinks and its siblings say so. A descriptor or -errno.
 */
int dt_outfile_open(const char *path, bool append);
FILE *dt_outfile(const char *path, bool append);	/* NULL: errno tells why */

#endif
