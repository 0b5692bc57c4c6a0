/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The reserved words of D, which of them start a type, and which are reserved at the outer level too.
 * At the outer level every other word may begin a probe description.
 */
#include "syntax/lexer.h"
#include "base/count.h"

enum { TYPE = 1, OUTER = 2 };

static const struct keyword {
	const char *text;
	uint8_t len, flags;
} keywords[] = {	/* sorted, and in the order of enum dt_tok */
#define K(text, flags) { text, sizeof(text) - 1, flags }
	K("_Bool", TYPE | OUTER), K("auto", TYPE | OUTER), K("break", 0), K("case", 0),
	K("char", TYPE | OUTER), K("const", TYPE | OUTER), K("continue", 0), K("counter", OUTER),
	K("default", 0), K("do", 0), K("double", TYPE | OUTER), K("else", 0), K("enum", TYPE | OUTER),
	K("extern", TYPE | OUTER), K("float", TYPE | OUTER), K("for", 0), K("goto", 0), K("if", 0),
	K("import", OUTER), K("inline", OUTER), K("int", TYPE | OUTER), K("long", TYPE | OUTER),
	K("offsetof", 0), K("probe", 0), K("provider", OUTER), K("register", TYPE | OUTER),
	K("restrict", TYPE | OUTER), K("return", 0), K("self", OUTER), K("short", TYPE | OUTER),
	K("signed", TYPE | OUTER), K("sizeof", 0), K("static", TYPE | OUTER), K("string", TYPE | OUTER),
	K("stringof", 0), K("struct", TYPE | OUTER), K("switch", 0), K("this", OUTER),
	K("translator", OUTER), K("typedef", TYPE | OUTER), K("union", TYPE | OUTER),
	K("unsigned", TYPE | OUTER), K("userland", TYPE | OUTER), K("void", TYPE | OUTER),
	K("volatile", TYPE | OUTER), K("while", 0), K("xlate", 0),
#undef K
};
_Static_assert(DT_COUNT(keywords) == DT_NTOKS - DT_T_KEYWORDS, "a keyword without token");

enum { LONGEST = 10 };	/* the length of "translator" */

/* Every word of a program comes through here: searched by halves, and long words not at all. */
enum dt_tok dt_keyword_find(const char *word, size_t len)
{
	size_t lo = 0, hi = DT_COUNT(keywords);

	if (len > LONGEST)
		return DT_T_IDENT;
	while (lo < hi) {
		size_t mid = (lo + hi) / 2;
		const struct keyword *k = &keywords[mid];
		int c = memcmp(word, k->text, len < k->len ? len : k->len);

		if (c == 0 && len == k->len)
			return (enum dt_tok)(DT_T_KEYWORDS + mid);
		if (c < 0 || (c == 0 && len < k->len))
			hi = mid;
		else
			lo = mid + 1;
	}
	return DT_T_IDENT;
}

static bool has_flag(enum dt_tok kind, uint8_t flag)
{
	return kind >= DT_T_KEYWORDS && kind < DT_NTOKS && (keywords[kind - DT_T_KEYWORDS].flags & flag);
}

bool dt_keyword_is_type(enum dt_tok kind)
{
	return has_flag(kind, TYPE);
}

bool dt_keyword_is_outer(enum dt_tok kind)
{
	return has_flag(kind, OUTER);
}
