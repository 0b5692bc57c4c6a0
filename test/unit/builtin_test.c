/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The rows of variables and subroutines are whole: each that is supported has what every stage asks it for.
 * A name in dif/vars.def or dif/subrs.def without a row does not link; a row without a part fails here (R
 * 3).
 */
#include "check.h"

#include "dif/builtin.h"

static const struct { const char *name; uint16_t id; const struct dt_builtin *row; } vars[] = {
#define X(name, id) { #name, id, &dt_var_##name },
#include "dif/vars.def"
#undef X
}, subrs[] = {
#define X(name, number) { #name, number, &dt_subr_##name },
#include "dif/subrs.def"
#undef X
};

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static void check_part(const struct dt_builtin *row, bool good, const char *part)
{
	if (!good)
		printf("%s: %s\n", row->name, part);
	CHECK(good);
}

/* One line, a sentence. */
static bool is_sentence(const char *doc)
{
	size_t len = doc ? strlen(doc) : 0;

	return len > 8 && doc[len - 1] == '.' && !strchr(doc, '\n') && !strchr(doc, '|');
}

static void check_whole(const struct dt_builtin *row)
{
	bool function = row->kind == DT_BI_SUBR, array = row->kind == DT_BI_ARRAY;

	check_part(row, row->proto && row->proto[0], "no prototype");
	check_part(row, row->version >= DT_VERS(1, 0, 0), "no version");
	if (row->unsupported) {
		check_part(row, !row->get && !row->call && !row->lower && !row->lower_at && !row->known,
		    "a meaning, though unsupported");
		check_part(row, row->unsupported[0] != '\0', "no reason");
		return;
	}
	check_part(row, function ? row->call && !row->get : row->get && !row->call,
	    "not what the interpreter needs: get or call");
	check_part(row, !!row->lower + !!row->lower_at + !!row->known == 1,
	    "not one way to lower it: lower, lower_at or known");
	check_part(row, array == !!row->lower_at, "lower_at is for arrays");
	check_part(row, row->scratch != DT_SCRATCH_UNSAID, "does not say what it takes of scratch");
	check_part(row, is_sentence(row->doc), "no line of documentation that is a sentence");
}

static void variables(void)
{
	for (size_t i = 0; i < COUNT(vars); i++) {
		const struct dt_builtin *row = vars[i].row;

		CHECK_STR(row->name, vars[i].name);
		CHECK_INT(row->id, vars[i].id);
		CHECK(dt_builtin_var(row->id) == row);		/* so that no two have one id */
		CHECK(dt_builtin_find(row->name) == row);	/* nor one name */
		CHECK_INT(row->kind, row->id < DT_VAR_SCALAR_MIN ? DT_BI_ARRAY : DT_BI_SCALAR);
		CHECK(row->id < DT_VAR_USER_MIN);
		check_whole(row);
	}
}

static void subroutines(void)
{
	for (size_t i = 0; i < COUNT(subrs); i++) {
		const struct dt_builtin *row = subrs[i].row;

		CHECK_STR(row->name, subrs[i].name);
		CHECK_INT(row->id, subrs[i].id);
		CHECK(dt_builtin_subr(row->id) == row);
		CHECK(dt_builtin_find(row->name) == row);
		CHECK_INT(row->kind, DT_BI_SUBR);
		check_whole(row);
	}
}

/* All of them are among those that names are looked for in, each once. */
static void walk(void)
{
	const struct dt_builtin *row;
	size_t n = 0;

	for (size_t at = 0; (row = dt_builtin_next(&at)) != NULL; )
		n += row->kind == DT_BI_SCALAR || row->kind == DT_BI_ARRAY || row->kind == DT_BI_SUBR;
	CHECK_INT(n, COUNT(vars) + COUNT(subrs));
}

int main(void)
{
	variables();
	subroutines();
	walk();
	return CHECK_DONE("builtin_test");
}
