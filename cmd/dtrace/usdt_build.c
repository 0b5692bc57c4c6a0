/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * -h and -G: compiled declarations in, the header or the object out, under the name that -o or the script's
 * name gives.
 */
#include "usdt_build.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/*
 * dir/probes.d becomes probes.h in the current folder; "" unless there is exactly one script with such a
 * name.
 */
static void default_name(const struct args *a, const char *suffix, char *buf, size_t len)
{
	const char *base, *slash;
	size_t n;

	buf[0] = '\0';
	if (a->nprograms != 1 || !a->programs[0].file)
		return;
	slash = strrchr(a->programs[0].text, '/');
	base = slash != NULL ? slash + 1 : a->programs[0].text;
	n = strlen(base);
	if (n > 2 && n < len && strcmp(base + n - 2, ".d") == 0)
		snprintf(buf, len, "%.*s%s", (int)n - 2, base, suffix);
}

/* 0, or 2 after a message: without a script there is nothing to declare. */
static int no_programs(const struct args *a, const char *flag)
{
	if (a->nprograms > 0)
		return 0;
	fprintf(stderr, "dtrace: %s needs a script that declares providers: -s file.d\n", flag);
	return 2;
}

/* Writes the header, or nothing: half a file is removed. */
static int header_to(dtrace_hdl_t *dtp, const char *name)
{
	FILE *f = dtrace_outfile(name, 0);
	int status, err;

	if (f == NULL) {
		fprintf(stderr, "dtrace: failed to open header file '%s': %s\n", name, strerror(errno));
		return 1;
	}
	status = dtrace_program_header(dtp, f, name);
	err = dtrace_errno(dtp);
	if (status == 0 && fclose(f) == 0)
		return 0;
	if (status == 0)
		fprintf(stderr, "dtrace: failed to write header file '%s': %s\n", name, strerror(errno));
	else
		fprintf(stderr, "dtrace: failed to create header file %s: %s\n", name,
		    dtrace_errmsg(dtp, err));
	if (status != 0)
		fclose(f);
	unlink(name);			/* make(1) must not take half a header for a whole one */
	return 1;
}

int usdt_header(dtrace_hdl_t *dtp, const struct args *a)
{
	char name[NAME_MAX + 1];
	int status = no_programs(a, "-h");

	if (status != 0)
		return status;
	if (a->output != NULL)
		return header_to(dtp, a->output);
	default_name(a, ".h", name, sizeof(name));
	if (name[0] == '\0') {
		fprintf(stderr, "dtrace: -h needs an output file (-o) unless there is one script, named "
		    "file.d\n");
		return 2;
	}
	return header_to(dtp, name);
}

/* dtrace_stmt_iter() calls this only if there are clauses. */
static int has_clauses(dtrace_hdl_t *dtp, dtrace_prog_t *prog, dtrace_stmtdesc_t *stmt, void *arg)
{
	(void)dtp;
	(void)prog;
	(void)stmt;
	(void)arg;
	return 1;
}

/*
 * Declarations of all programs go into one object. The library looks for clauses in the program it is given,
 * so it gets one that has some, to refuse them.
 */
int usdt_link(dtrace_hdl_t *dtp, const struct args *a, dtrace_prog_t *const *programs)
{
	char name[NAME_MAX + 1];
	const char *out = a->output;
	int which = 0, status = no_programs(a, "-G");

	if (status != 0)
		return status;
	default_name(a, ".o", name, sizeof(name));
	if (out == NULL)
		out = name[0] != '\0' ? name : "d.out";
	while (which < a->nprograms - 1 && dtrace_stmt_iter(dtp, programs[which], has_clauses, NULL) == 0)
		which++;
	if (dtrace_program_link(dtp, programs[which], DTRACE_D_PROBES, out, a->noperands - 1,
	    a->operands + 1) == 0)
		return 0;
	fprintf(stderr, "dtrace: failed to link script %s: %s\n", a->programs[which].text,
	    dtrace_errmsg(dtp, dtrace_errno(dtp)));
	return 1;
}
