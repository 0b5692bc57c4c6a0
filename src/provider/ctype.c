/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Types of arguments from the C text of a program's declaration: "const char *", "struct req *",
 * "uint32_t". Names mean what D text declared, or C itself, never a kernel type that happens to have
 * the same name. What pointers lead to is in the process.
 */
#include "provider/provider.h"
#include "base/count.h"

#include <ctype.h>

/*
 * The words with single blanks, without qualifiers; *stars counts the pointers, including an array's
 * first dimension.
 */
static char *words_of(struct dt_arena *arena, const char *text, unsigned *stars)
{
	static const char *const left_out[] = { "const", "volatile", "restrict", "userland" };
	char *out = dt_arena_alloc(arena, strlen(text) + 1), *to = out;

	*stars = 0;
	while (*text != '\0') {
		size_t n = strcspn(text, " \t\n*[");
		bool keep = n > 0;

		for (size_t i = 0; i < DT_COUNT(left_out); i++)
			keep = keep && !(strlen(left_out[i]) == n && strncmp(left_out[i], text, n) == 0);
		if (keep) {
			if (to != out)
				*to++ = ' ';
			memcpy(to, text, n);
			to += n;
		}
		text += n;
		*stars += *text == '*' || *text == '[';
		if (*text == '[')
			break;
		text += *text != '\0';
	}
	*to = '\0';
	return out;
}

static const struct dt_type *find_named_type(struct dt_types *types, const char *name)
{
	static const struct { const char *word; enum dt_tkind kind; } tags[] = {
		{ "struct ", DT_T_STRUCT }, { "union ", DT_T_UNION }, { "enum ", DT_T_ENUM } };
	const struct dt_type *t;

	for (size_t i = 0; i < DT_COUNT(tags); i++)
		if (strncmp(name, tags[i].word, strlen(tags[i].word)) == 0)
			return dt_types_declared(types, NULL, tags[i].kind, name + strlen(tags[i].word));
	if (strcmp(name, "void") == 0)
		return dt_types_void(types);
	if (strcmp(name, "string") == 0)	/* of a declaration in D: an address */
		return dt_type_ptr(types, dt_type_qual(types, dt_types_basic(types, "char"), DT_TQ_USERLAND));
	t = dt_types_basic(types, name);
	return t != NULL ? t : dt_types_declared(types, NULL, DT_T_TYPEDEF, name);
}

const struct dt_type *dt_ctype_read(struct dt_arena *arena, struct dt_types *types, const char *text)
{
	unsigned stars;
	const struct dt_type *t;

	if (strchr(text, '(') != NULL)		/* of functions an address is left */
		return dt_types_sized(types, 8, false);
	t = find_named_type(types, words_of(arena, text, &stars));
	if (t == NULL && stars > 0)
		t = dt_types_void(types);
	for (; t != NULL && stars > 0; stars--)
		t = dt_type_ptr(types, dt_type_qual(types, t, DT_TQ_USERLAND));
	return t;
}
