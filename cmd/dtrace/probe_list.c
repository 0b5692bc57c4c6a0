/* SPDX-License-Identifier: BSD-2-Clause */
/* -l: probes as a table, each once for each description that matches it; with -v what they promise. */
#include "probe_list.h"

#include "report.h"

#include <errno.h>
#include <string.h>

/* One listing, for the callbacks. */
struct listing {
	const struct args *a;
	FILE *out;
	dtrace_probedesc_t last;	/* description listed last */
	int *why;			/* errno of a write that failed */
};

/* -v: the types of args[], as the provider declares them. */
static void put_arguments(dtrace_hdl_t *dtp, const dtrace_probeinfo_t *info, FILE *f)
{
	char name[256];

	fprintf(f, "\n\tArgument Types\n");
	if (info->dtp_argc == 0)
		fprintf(f, "\t\tNone\n");
	for (int i = 0; i < info->dtp_argc; i++)
		fprintf(f, "\t\targs[%d]: %s\n", i, dtrace_type_name(dtp, &info->dtp_argv[i], name,
		    sizeof(name)));
	fputc('\n', f);
}

/* -v: stability and arguments; a probe about which nothing is known says so in its place. */
static void put_details(dtrace_hdl_t *dtp, const dtrace_probedesc_t *d, FILE *f)
{
	dtrace_probeinfo_t info;

	if (dtrace_probe_info(dtp, d, &info) != 0) {
		fprintf(f, "\n\t%s\n\n", dtrace_errmsg(dtp, dtrace_errno(dtp)));
		return;
	}
	if (dtrace_probe_never(dtp, d) != NULL)
		fprintf(f, "\n\tNever fires here: %s\n", dtrace_probe_never(dtp, d));
	report_attributes(f, "Probe Description Attributes", info.dtp_attr);
	report_attributes(f, "Argument Attributes", info.dtp_arga);
	put_arguments(dtp, &info, f);
}

/* One line of the table. -1 ends the listing, because its output is closed. */
static int put_probe(dtrace_hdl_t *dtp, const dtrace_probedesc_t *d, void *arg)
{
	struct listing *l = arg;

	fprintf(l->out, "%5u %10s %17s %33s %s\n", d->dtpd_id, d->dtpd_provider, d->dtpd_mod, d->dtpd_func,
	    d->dtpd_name);
	if (l->a->verbose)
		put_details(dtp, d, l->out);
	if (!ferror(l->out))
		return 0;
	*l->why = errno;
	return -1;
}

/*
 * A clause is listed once, however many statements it has. A description that matches nothing is reported,
 * and the listing goes on.
 */
static int put_statement(dtrace_hdl_t *dtp, dtrace_prog_t *prog, dtrace_stmtdesc_t *s, void *arg)
{
	const dtrace_probedesc_t *d = &s->dtsd_ecbdesc->dted_probe;
	struct listing *l = arg;
	char text[DTRACE_DESC2STR_MAX];

	(void)prog;
	if (memcmp(d, &l->last, sizeof(*d)) == 0)
		return 0;	/* another statement of the same clause */
	l->last = *d;
	if (dtrace_probe_iter(dtp, d, put_probe, l) == 0 || ferror(l->out))
		return ferror(l->out) ? -1 : 0;
	fprintf(stderr, "dtrace: failed to match %s: %s\n", dtrace_desc2str(d, text, sizeof(text)),
	    dtrace_errmsg(dtp, dtrace_errno(dtp)));
	return 0;
}

/* What the library has to say about the list; its first `shown` characters were printed before. */
static void put_notice(dtrace_hdl_t *dtp, size_t shown)
{
	const char *text = dtrace_notice(dtp);

	if (strlen(text) > shown)
		fprintf(stderr, "%s%s\n", shown == 0 ? "dtrace: " : "", text + shown + (shown > 0));
}

int list_probes(dtrace_hdl_t *dtp, const struct args *a, dtrace_prog_t *const *programs, FILE *out, int *why)
{
	struct listing l = { .a = a, .out = out, .why = why };
	size_t shown = strlen(dtrace_notice(dtp));

	fprintf(out, "%5s %10s %17s %33s %s\n", "ID", "PROVIDER", "MODULE", "FUNCTION", "NAME");
	if (a->nprograms == 0 && dtrace_probe_iter(dtp, NULL, put_probe, &l) != 0 && !ferror(out)) {
		fprintf(stderr, "dtrace: failed to list probes: %s\n", dtrace_errmsg(dtp, dtrace_errno(dtp)));
		return 1;
	}
	for (int i = 0; i < a->nprograms; i++) {
		l.last = (dtrace_probedesc_t){ 0 };
		(void)dtrace_stmt_iter(dtp, programs[i], put_statement, &l);
	}
	put_notice(dtp, shown);
	return 0;	/* what matches nothing was reported, and is no failure of a list */
}
