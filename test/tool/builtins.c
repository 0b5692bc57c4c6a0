/* SPDX-License-Identifier: BSD-2-Clause */
/* Prints doc/BUILTINS.md from the rows of everything D knows by name (tools/builtins-doc). */
#include "dif/builtin.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROWS_MAX = 1024 };

static int by_name(const void *a, const void *b)
{
	return strcmp((*(const struct dt_builtin *const *)a)->name,
	    (*(const struct dt_builtin *const *)b)->name);
}

/* A sentence in a cell of a table, where | would end it. */
static void sentence(const char *text)
{
	size_t len = strlen(text);

	for (size_t i = 0; i < len; i++)
		printf(text[i] == '|' ? "\\|" : "%c", i == 0 ? toupper((unsigned char)text[i]) : text[i]);
	if (len > 0 && text[len - 1] != '.')
		putchar('.');
}

/* How it is written: `name`, `name[]`, or `result name(parameters)`. */
static void written(const struct dt_builtin *row)
{
	const char *open = row->proto ? strchr(row->proto, '(') : NULL;

	if (open && row->kind == DT_BI_SUBR)
		printf("`%.*s%s%s%s`", (int)(open - row->proto), row->proto, open[-1] == '*' ? "" : " ",
		    row->name, open);
	else if (row->kind == DT_BI_ACTION || row->kind == DT_BI_AGGFUNC)
		printf("`%s%s`", row->name, open ? open : "()");
	else
		printf("`%s %s%s`", row->proto, row->name, row->kind == DT_BI_ARRAY ? "[]" : "");
}

static void line(const struct dt_builtin *row)
{
	printf("| ");
	written(row);
	printf(" | %u.%u | ", row->version >> 16, row->version >> 8 & 0xff);
	sentence(row->unsupported ? row->unsupported : row->doc ? row->doc : "");
	printf("%s |\n", row->flags & DT_BF_DESTRUCTIVE && !row->unsupported ? " Needs `-w`." : "");
}

static bool belongs(const struct dt_builtin *row, unsigned kinds, bool supported)
{
	return (kinds >> row->kind & 1) && !row->unsupported == supported;
}

static void table(const char *title, const char *last, const struct dt_builtin *const *rows, size_t n,
    unsigned kinds, bool supported)
{
	printf("\n## %s\n\n| | since | %s |\n|---|---|---|\n", title, last);
	for (size_t i = 0; i < n; i++)
		if (belongs(rows[i], kinds, supported))
			line(rows[i]);
}

int main(void)
{
	static const struct dt_builtin *rows[ROWS_MAX];
	const struct dt_builtin *row;
	unsigned vars = 1u << DT_BI_SCALAR | 1u << DT_BI_ARRAY, subrs = 1u << DT_BI_SUBR;
	size_t n = 0;

	for (size_t at = 0; n < ROWS_MAX && (row = dt_builtin_next(&at)) != NULL; )
		rows[n++] = row;
	qsort(rows, n, sizeof(rows[0]), by_name);
	printf("# Variables, subroutines, actions, aggregating functions\n\n"
	    "Everything D has by name, without what the libraries in `dlib/` declare. This file is made by "
	    "`tools/builtins-doc` from\n"
	    "the rows in `src/builtin/`. `[x]` may be left out; `...` is any number of values; `since` is "
	    "the first version of D\n"
	    "that has the name (`-x version`).\n");
	table("Variables", "what it is", rows, n, vars, true);
	table("Subroutines", "what it gives", rows, n, subrs, true);
	table("Actions", "what it does", rows, n, 1u << DT_BI_ACTION, true);
	table("Aggregating functions", "what it keeps", rows, n, 1u << DT_BI_AGGFUNC, true);
	table("Not on Linux", "why it is refused", rows, n,
	    vars | subrs | 1u << DT_BI_ACTION | 1u << DT_BI_AGGFUNC, false);
	return fflush(stdout) == 0 && !ferror(stdout) ? 0 : 1;
}
