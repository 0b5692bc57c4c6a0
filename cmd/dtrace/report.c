/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The stability report of -v: a compiled program in, its lowest attributes as text out. The layout is
 * historic.
 */
#include "report.h"

#include <string.h>

void report_attributes(FILE *f, const char *title, dtrace_attribute_t attr)
{
	fprintf(f, "\n\t%s\n\t\tIdentifier Names: %s\n\t\tData Semantics:   %s\n\t\tDependency Class: %s\n",
	    title,
	    dtrace_stability_name(attr.dtat_name), dtrace_stability_name(attr.dtat_data),
	    dtrace_class_name(attr.dtat_class));
}

/* A description is named by its text up to the predicate or the body. */
static int name_len(const struct program *p)
{
	return (int)(p->file ? strlen(p->text) : strcspn(p->text, "{/;"));
}

void report_stability(dtrace_hdl_t *dtp, const struct program *p, dtrace_prog_t *prog, FILE *f)
{
	dtrace_proginfo_t info;
	dtrace_program_info(dtp, prog, &info);
	fprintf(f, "\nStability attributes for %s %.*s:\n", p->file ? "script" : "description", name_len(p),
	    p->text);
	report_attributes(f, "Minimum Probe Description Attributes", info.dpi_descattr);
	report_attributes(f, "Minimum Statement Attributes", info.dpi_stmtattr);
	fputc('\n', f);
}
