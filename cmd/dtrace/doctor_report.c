/* SPDX-License-Identifier: BSD-2-Clause */
/* dtrace --doctor: what this kernel and these rights allow, as a table. The library finds out by trying. */
#include "doctor_report.h"

/* The table under way, for the callback. */
struct table {
	FILE *out;
	int missing;			/* rows that all tracing needs and that are not there */
	int kernel;			/* … that all needs but that of the user's own processes */
};

static const char *found_word(int found)
{
	return found == DTRACE_ABLE_YES ? "yes" : found == DTRACE_ABLE_NO ? "no" : "unknown";
}

/* One thing: whether it is here, what it gives, and what to change if it is not. */
static int put_row(dtrace_hdl_t *dtp, const dtrace_ability_t *row, void *arg)
{
	struct table *t = arg;

	(void)dtp;
	fprintf(t->out, "%-30s %-8s %s\n", row->dta_name, found_word(row->dta_found), row->dta_gives);
	if (row->dta_change)
		fprintf(t->out, "%-30s %-8s -> %s\n", "", "", row->dta_change);
	t->missing += row->dta_needed == 1 && row->dta_found != DTRACE_ABLE_YES;
	t->kernel += row->dta_needed == 2 && row->dta_found != DTRACE_ABLE_YES;
	return 0;
}

/* The status is 1 if nothing can be traced here. No right is needed to ask. */
int doctor(FILE *out)
{
	struct table t = { .out = out };
	int err;
	dtrace_hdl_t *dtp = dtrace_open(DTRACE_VERSION, DTRACE_O_NODEV, &err);

	if (!dtp) {
		fprintf(stderr, "dtrace: failed to initialize dtrace: %s\n", dtrace_errmsg(NULL, err));
		return 1;
	}
	fprintf(out, "%-30s %-8s %s\n", "WHAT", "HERE", "WHAT IT GIVES, -> WHAT TO CHANGE");
	if (dtrace_ability_iter(dtp, put_row, &t) != 0) {
		fprintf(stderr, "dtrace: %s\n", dtrace_errmsg(dtp, dtrace_errno(dtp)));
		t.missing++;
	} else {
		fprintf(out, "\n%s\n", t.missing ? "Nothing can be traced here, with these rights." :
		    t.kernel ? "The user's own processes can be traced (engine process), the kernel cannot." :
		    "Tracing works; each \"no\" limits what it is for.");
	}
	dtrace_close(dtp);
	return t.missing != 0;
}
