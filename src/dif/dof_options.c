/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads the options that a saved program sets: by historic number, or by name as we write them. */
#include "dif/dof_reader.h"

#include "base/count.h"

enum { OPTION_MAX = 64 };	/* longer than the name of any option */

/* Programs of other systems set options by these numbers: the index is the number. */
static const char *const option_names[] = {
	"bufsize",
	"bufpolicy",
	"dynvarsize",
	"aggsize",
	"specsize",
	"nspec",
	"strsize",
	"cleanrate",
	"cpu",
	"bufresize",
	"grabanon",
	"flowindent",
	"quiet",
	"stackframes",
	"ustackframes",
	"aggrate",
	"switchrate",
	"statusrate",
	"destructive",
	"stackindent",
	"rawbytes",
	"jstackframes",
	"jstackstrsize",
	"aggsortkey",
	"aggsortrev",
	"aggsortpos",
	"aggsortkeypos",
	"temporal",
	"agghist",
	"aggpack",
	"aggzoom",
};

/* Bytes before the first c or the end, but at most max: many options may refer to one long text. */
static size_t strcspn_max(const char *s, char c, size_t max)
{
	size_t n = 0;

	while (n < max && s[n] && s[n] != c)
		n++;
	return n;
}

static void read_option(struct dt_dof_in *r, const struct dt_dof_opt *o, const char **name,
    const char **value)
{
	const char *text;
	size_t n;

	if (o->option == DT_DOF_NONE) {
		text = dt_dof_string(r, o->strtab, o->value, "option");
		n = strcspn_max(text, '=', OPTION_MAX);
		if (n == OPTION_MAX)
			dt_dof_fail(r, "option with a name of more than %d bytes", OPTION_MAX);
		*name = dt_arena_strndup(r->arena, text, n);
		*value = text[n] ? text + n + 1 : "";
		return;
	}
	if (o->option >= DT_COUNT(option_names) || o->strtab != DT_DOF_NONE)
		dt_dof_fail(r, "there is no option %u", (unsigned)o->option);
	*name = option_names[o->option];
	*value = dt_arena_printf(r->arena, "%llu", (unsigned long long)o->value);
}

void dt_dof_options(struct dt_dof_in *r)
{
	const struct dt_dof_sec *s = NULL;
	const struct dt_dof_opt *from;
	const char **out;
	uint32_t n;

	for (uint32_t i = 0; i < r->hdr.secnum; i++) {
		if (r->secs[i].type == DT_DS_OPTDESC && s)
			dt_dof_fail(r, "two sections of options");
		if (r->secs[i].type == DT_DS_OPTDESC)
			s = &r->secs[i];
	}
	if (!s)
		return;
	from = dt_dof_bytes(r, s);
	n = (uint32_t)(s->size / sizeof(*from));
	out = DT_NEWN(r->arena, const char *, 2 * (size_t)n);
	for (uint32_t i = 0; i < n; i++)
		read_option(r, &from[i], &out[2 * i], &out[2 * i + 1]);
	r->p->options = out;
	r->p->noptions = n;
}
