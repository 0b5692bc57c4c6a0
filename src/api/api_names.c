/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Names of stability levels, classes, faults, subroutines and probes as text, and back. Nothing here needs a
 * handle; where the API has one, it is not looked at.
 */
#include "dif/dif.h"
#include "handle/handle.h"

#include <errno.h>

/* The order of both is that of the numbers in dtrace.h. */
static const char *const stability[] = { "Internal", "Private", "Obsolete", "External", "Unstable",
	"Evolving", "Stable", "Standard" };
static const char *const classes[] = { "Unknown", "CPU", "Platform", "Group", "ISA", "Common" };

const char *dtrace_stability_name(dtrace_stability_t s)
{
	return s <= DTRACE_STABILITY_MAX ? stability[s] : NULL;
}

const char *dtrace_class_name(dtrace_class_t c)
{
	return c <= DTRACE_CLASS_MAX ? classes[c] : NULL;
}

/* NULL for numbers that no level or class has; otherwise buf. */
char *dtrace_attr2str(dtrace_attribute_t a, char *buf, size_t len)
{
	if (a.dtat_name > DTRACE_STABILITY_MAX || a.dtat_data > DTRACE_STABILITY_MAX ||
	    a.dtat_class > DTRACE_CLASS_MAX)
		return NULL;
	dt_attr_str((struct dt_attr){ a.dtat_name, a.dtat_data, a.dtat_class }, buf, len);
	return buf;
}

/* "Evolving/Evolving/Common"; -1 and *a untouched if the text is not of that form. */
int dtrace_str2attr(const char *text, dtrace_attribute_t *a)
{
	struct dt_attr attr;

	if (text == NULL || a == NULL || !dt_attr_parse(text, &attr))
		return -1;
	*a = (dtrace_attribute_t){ attr.name, attr.data, attr.cls };
	return 0;
}

/* A description by number is just the number. */
char *dtrace_desc2str(const dtrace_probedesc_t *d, char *buf, size_t len)
{
	if (d->dtpd_id != 0)
		snprintf(buf, len, "%u", d->dtpd_id);
	else
		snprintf(buf, len, "%s:%s:%s:%s", d->dtpd_provider, d->dtpd_mod, d->dtpd_func, d->dtpd_name);
	return buf;
}

const char *dtrace_faultstr(dtrace_hdl_t *h, int fault)
{
	(void)h;
	return fault == DTRACEFLT_LIBRARY ? "library-level fault" : dt_fault_text(fault);
}

const char *dtrace_subrstr(dtrace_hdl_t *h, int subr)
{
	const struct dt_builtin *row = subr >= 0 ? dt_builtin_subr((uint32_t)subr) : NULL;

	(void)h;
	return row != NULL ? row->name : "unknown subroutine";
}
