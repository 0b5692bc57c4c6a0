/* SPDX-License-Identifier: BSD-2-Clause */
/* The C preprocessor, for -C. */
#ifndef DT_PROCESS_CPP_H
#define DT_PROCESS_CPP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct dt_cpp {
	const char *path;		/* NULL: "cpp", searched for in PATH */
	const char *name;		/* of the script: its directory is searched for includes */
	const char *const *args;	/* -D -U -I … as given */
	size_t nargs;
	bool headers;			/* -H: list the headers on stderr */
	bool traditional;
	uint32_t version;		/* of D: major << 16 | minor << 8 | micro */
	const char *text;		/* the script */
	size_t len;
};

/*
 * Runs the preprocessor. Returns malloc'ed output with a NUL after it. -ENOENT: there is no such
 * preprocessor; -ECHILD: it failed and has said why on stderr; -EFBIG: more than max bytes; otherwise
 * -errno of starting it.
 */
int dt_cpp_run(const struct dt_cpp *, size_t max, char **out, size_t *outlen);

#endif
