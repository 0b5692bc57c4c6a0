/* SPDX-License-Identifier: BSD-2-Clause */
/* The one way to open a file that output goes to. */
#ifndef DT_BASE_OUTFILE_H
#define DT_BASE_OUTFILE_H

#include <stdbool.h>
#include <stdio.h>

/*
 * Opens it for writing, at its end or empty; makes it when it is not there, never writable for others, and
 * not readable for them if it is `secret`. A descriptor or -errno. Other users must not decide where output
 * goes, so in addition to what the kernel permits:
 *
 * - In a folder where everybody may make files (sticky, as /tmp) a link, at any place of the path, and a file
 *   or FIFO at its end are refused (EACCES) if they are of another user, but for the folder's owner. The
 *   kernel does the same where fs.protected_symlinks and its siblings say so.
 * - Anywhere else a link of a user who is neither root nor this process's is followed only to what belongs to
 *   that user: the file, or the folder that a new one is made in. Links of two such users are refused.
 * - A file with several names is refused in a folder of such a user, unless the file is that user's too.
 */
int dt_outfile_open(const char *path, bool append, bool secret);
FILE *dt_outfile(const char *path, bool append, bool secret);	/* NULL: errno tells why */

/* A file of its own for a descriptor, which stays the caller's. NULL with errno. */
FILE *dt_outfile_of(int fd);

#endif
