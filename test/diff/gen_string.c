/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Strings: every subroutine that makes, takes apart or measures one, variables of every storage, NULL now
 * and then.
 */
#include "gen_impl.h"

#define pick gen_pick
#define put gen_put
#define number gen_number
#define string gen_string

const char *const gen_string_declarations =
	"string gstr; string gstr2; self string sstr; self string sstr2; this string tstr; this string "
	    "tstr2;\n"
	"string as[int]; self string sas[string, int]; string ass[string, short, string];\n"
	"inline string both[string a, string b] = strjoin(a, strjoin(\"-\", b));\n"
	"inline string named[int n] = both[n & 1 ? \"odd\" : \"even\", lltostr(n & 7)];\n";

static const char *const vars[] = { "gstr", "gstr2", "self->sstr", "self->sstr2", "this->tstr",
	"this->tstr2" };
static const char *const texts[] = { "\"\"", "\"a\"", "\"abc\"", "\"user\"",
	"\"a longer text of more than sixteen bytes\"", "\"x/y/z\"", "\"12\"", "\"-7\"", "\"AbC\"",
	"\"a\\tb\"", "\"0x1f\"", "\"../a//b/./c\"", "\"text\"", "\"/\"", "\"a,b;;c\"", "\"  9z\"", "\"zz9\"",
	"\"\\xff\\x80\"", "\"exactly sixteen.\"" };
static const char *const marks[] = { "'a'", "'/'", "'t'", "'.'", "' '", "'c'" };
static const char *const delimiters[] = { "\"/\"", "\",;\"", "\" \"", "\"a\"", "\"\"" };
static const char *const paths[] = { "a", "b.c", "l[0]", "l[1]", "l[7]", "b", "none", "", "l[1].x", "s" };
static const char *const objects[] = {
	("{\\\"a\\\": 1, \\\"b\\\": {\\\"c\\\": \\\"deep\\\"}, \\\"l\\\": [10, {\\\"x\\\": true}], "
	 "\\\"s\\\": \\\"q\\\\\\\"t\\\"}"),
	"{\\\"a\\\":-5.5,\\\"l\\\":[]}", "[1,2]", "{\\\"a\\\":", "",
};

const char *gen_text(struct gen *g) { return ONE(g, texts); }
const char *gen_string_var(struct gen *g) { return ONE(g, vars); }

void gen_string_array(struct gen *g)
{
	switch (pick(g, 3)) {
	case 0: put(g, "as["); gen_small(g, "int", 3); put(g, "]"); break;
	case 1: put(g, "self->sas[%s, %u]", ONE(g, texts), pick(g, 3)); break;
	default: put(g, "ass[%s, ", ONE(g, vars)); gen_small(g, "short", 1); put(g, ", %s]", ONE(g, texts));
	    break;
	}
}

static void leaf(struct gen *g)
{
	switch (pick(g, 9)) {
	case 8: gen_string_member(g); break;
	case 0: put(g, "execname"); break;
	case 1: put(g, "probename"); break;
	case 2: put(g, "copyinstr(arg9)"); break;
	case 3: case 4: put(g, "%s", ONE(g, vars)); break;
	case 5: put(g, "%s", g->bytes ? "stringof(this->q)" : "probeprov"); break;
	default: put(g, "%s", ONE(g, texts)); break;
	}
}

static void of_one(struct gen *g)
{
	static const char *const subrs[] = { "basename", "dirname", "toupper", "tolower", "cleanpath",
		"stringof" };

	put(g, "%s(", ONE(g, subrs));
	string(g);
	put(g, ")");
}

static void of_number(struct gen *g)
{
	put(g, "lltostr(");
	number(g);
	put(g, pick(g, 2) ? ", %u)" : ")", 2 + pick(g, 35));
}

static void part(struct gen *g)
{
	put(g, "substr(");
	string(g);
	put(g, pick(g, 2) ? ", (int)(" : ", (");
	number(g);
	put(g, ") %% 8");
	if (pick(g, 2))
		put(g, ", %d", (int)pick(g, 9) - 2);
	put(g, ")");
}

/* NULL when it is not there: the empty string where it is read, a fault in some subroutines. */
static void found(struct gen *g)
{
	uint32_t k = pick(g, 3);

	put(g, k == 0 ? "strchr(" : k == 1 ? "strrchr(" : "strstr(");
	string(g);
	put(g, ", %s)", k == 2 ? ONE(g, texts) : ONE(g, marks));
}

static void token(struct gen *g)
{
	put(g, "strtok(");
	if (pick(g, 2))
		string(g);
	else
		put(g, "NULL");
	put(g, ", %s)", ONE(g, delimiters));
}

static void copied(struct gen *g) { put(g, "copyinstr(arg9, %u)", 1 + pick(g, 20)); }
static void member(struct gen *g) { put(g, "json(\"%s\", \"%s\")", ONE(g, objects), ONE(g, paths)); }

static void address(struct gen *g)
{
	static const char *const calls[] = { "inet_ntoa((void *)this->q)", "inet_ntop(2, (void *)this->q)",
		"inet_ntop(10, (void *)this->q)", "inet_ntoa6((void *)this->q)", "memstr(this->q, '.', 9)",
		"memstr(this->q, '-', 1)", "uuidstr((void *)this->q)",
		"link_ntop(1, (void *)this->q)" };

	if (g->bytes)
		put(g, "%s", ONE(g, calls));
	else
		leaf(g);
}

static void joined(struct gen *g)
{
	put(g, "strjoin(");
	string(g);
	put(g, ", ");
	string(g);
	put(g, ")");
}

static void inlined(struct gen *g)
{
	if (pick(g, 2)) {
		put(g, "both[");
		string(g);
		put(g, ", %s]", ONE(g, texts));
	} else {
		put(g, "named[(int)(");
		number(g);
		put(g, ")]");
	}
}

static void conditional(struct gen *g)
{
	put(g, "(");
	number(g);
	put(g, " ? ");
	string(g);
	put(g, " : ");
	string(g);
	put(g, ")");
}

void gen_string(struct gen *g)
{
	static void (*const kinds[])(struct gen *) = { leaf, leaf, of_one, of_one, of_number, part, joined,
		conditional, gen_string_array, found, token, copied, member, address, inlined };

	if (g->depth >= MAX_DEPTH || pick(g, 2)) {
		leaf(g);
		return;
	}
	g->depth++;
	ONE(g, kinds)(g);
	g->depth--;
}

void gen_of_string(struct gen *g)
{
	uint32_t k = pick(g, 8);
	static const char *const heads[] = { "strlen(", "index(", "rindex(", "strtoll(", "(strstr(", "index(",
		"rindex(", "strtoll(" };

	put(g, "%s", heads[k]);
	string(g);
	if (k == 1 || k == 2 || k == 4 || k == 5 || k == 6)
		put(g, ", %s", ONE(g, texts));
	if (k == 5 || k == 6)
		put(g, ", %d", (int)pick(g, 12) - 2);
	if (k == 7)
		put(g, ", %u", 2 + pick(g, 35));
	put(g, k == 4 ? ") != NULL)" : ")");
}

void gen_string_words(struct gen *g)
{
	for (size_t i = 0; i < COUNT(vars); i++)
		put(g, "trace(%s); ", vars[i]);
	for (int i = 0; i < 4; i++)
		put(g, "trace(as[%d]); ", i);
}
