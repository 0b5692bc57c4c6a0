/* SPDX-License-Identifier: BSD-2-Clause */
/* A description and a probe come in; a yes or no goes out. An empty part matches anything. */
#include "dif/dif.h"

#include "base/glob.h"

#include <string.h>

static bool part_match(const char *pattern, const char *text)
{
	return !pattern || !*pattern || dt_glob_match(pattern, text ? text : "");
}

/* `kernel` is the historic name of the core kernel's module. */
static bool module_match(const char *pattern, const char *text)
{
	if (pattern && text && strcmp(pattern, "kernel") == 0 && strcmp(text, "vmlinux") == 0)
		return true;
	return part_match(pattern, text);
}

/* An id stands for the whole description: its parts are not looked at then. */
bool dt_probe_match(const struct dt_probedesc *desc, const struct dt_probedesc *probe)
{
	if (desc->id)
		return desc->id == probe->id;
	return part_match(desc->prov, probe->prov) && module_match(desc->mod, probe->mod) &&
	    part_match(desc->func, probe->func) && part_match(desc->name, probe->name);
}
