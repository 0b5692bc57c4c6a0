/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Anonymous tracing (-A, -a): compiled programs and the options they are to run with in one file, to be claimed later,
 * after a boot of the same kernel too. The file is text up to the first program, so that head(1) shows what it is.
 */
#ifndef DT_LIB_ANON_H
#define DT_LIB_ANON_H

#include "dtrace.h"

#include <stdbool.h>

#define DT_ANON_DIR "/var/lib/dtrace"	/* unless -x dofstashpath */
#define DT_ANON_FILE "anonymous.dof"

struct dt_anon_prog {
	dtrace_prog_t *prog;
	bool file;		/* name is that of a script, else a description */
	const char *name;	/* one line of it is kept */
};

/*
 * All of it or nothing: an older file is replaced by a whole new one. options are words of -x. 0, or -1 with the handle's error:
 * programs that hold addresses of the kernel are refused, because the next boot has others.
 */
int dt_anon_save(dtrace_hdl_t *, const char *path, const struct dt_anon_prog *, size_t n, const char *const *options,
    size_t noptions);
/* Sets the options and gives the programs, which are the handle's. A file that others could have written is refused. */
int dt_anon_load(dtrace_hdl_t *, const char *path, struct dt_anon_prog **, size_t *n);

#endif
