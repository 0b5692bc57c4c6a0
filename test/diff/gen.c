/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Programs of a few clauses on dtrace:::BEGIN: assignments to variables of every integer type and storage, strings, arrays,
 * bit-fields of memory from alloca, branches, records, aggregations, speculations and faults. The last clauses record all
 * variables, so that what they hold is compared too. Only what every executor must agree on is written: no clocks,
 * no random numbers, no addresses as values.
 */
#include "gen.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define MAX_DEPTH 4

struct gen {
	uint64_t seed;
	FILE *f;
	int depth;
	bool memory;		/* this->p is good in this clause */
	bool faults;		/* this program may fault often */
	unsigned aggs;		/* shapes of aggregations in use, a bit each */
	bool plain;		/* the clause may aggregate: it does not speculate */
};

static uint32_t pick(struct gen *g, uint32_t below)
{
	g->seed = g->seed * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)((g->seed >> 33) % below);
}

#define ONE(g, list) list[pick(g, COUNT(list))]

static void put(struct gen *g, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static void put(struct gen *g, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vfprintf(g->f, fmt, ap);
	va_end(ap);
}

static void number(struct gen *);
static void string(struct gen *);
static void statements(struct gen *, uint32_t n);

/* ---- variables ---- */

static const char *const declarations =
	"enum e { MINUS = -1, NONE, ONE, MANY = 1000 };\n"
	"struct s { char c; short h; unsigned u; long l; int b3:3; unsigned b5:5; int b20:20; unsigned b31:31; uint64_t w40:40; int a[4];\n"
	"\tstruct { unsigned char x; int y; } in; };\n"
	"char gc; signed char gsc; unsigned char guc; short gs; unsigned short gus; int gi; unsigned gu; long gl; unsigned long gul;\n"
	"_Bool gb; enum e ge; signed long long gi64; unsigned int gu32; string gstr; string gstr2;\n"
	"self int8_t si8; self short ss; self int si; self unsigned su; self long sl; self uint64_t su64; self string sstr;\n"
	"this unsigned char tuc; this uint16_t tus; this int ti; this unsigned tu; this unsigned long tul; this string tstr; this struct s *p;\n"
	"int ai[int]; unsigned long au[int, string]; string as[int]; short ah[string, int, long];\n"
	"self int sa[int]; self string sas[string, int];\n";

static const char *const scalars[] = { "gc", "gsc", "guc", "gs", "gus", "gi", "gu", "gl", "gul", "gb", "ge", "gi64", "gu32",
	"self->si8", "self->ss", "self->si", "self->su", "self->sl", "self->su64", "this->tuc", "this->tus", "this->ti",
	"this->tu", "this->tul" };
static const char *const members[] = { "c", "h", "u", "l", "b3", "b5", "b20", "b31", "w40", "a[0]", "a[3]", "in.x", "in.y" };
static const char *const strings[] = { "gstr", "gstr2", "self->sstr", "this->tstr" };
static const char *const casts[] = { "char", "signed char", "unsigned char", "short", "unsigned short", "int", "unsigned", "long",
	"unsigned long", "int8_t", "uint16_t", "int32_t", "uint64_t", "enum e" };
static const char *const literals[] = { "0", "1", "2", "7", "63", "64", "0177", "128", "255", "32767", "0x8000", "65535", "2147483647",
	"0x80000000", "0xffffffff", "4294967296", "9223372036854775807", "0x8000000000000000", "0xffffffffffffffff", "'a'", "'\\n'",
	"MINUS", "ONE", "MANY", "-1", "-128", "-2147483648", "3u", "5ul", "100", "1000", "1000000" };
static const char *const texts[] = { "\"\"", "\"a\"", "\"abc\"", "\"user\"", "\"a longer text of more than sixteen bytes\"", "\"x/y/z\"",
	"\"12\"", "\"-7\"", "\"AbC\"", "\"a\\tb\"", "\"0x1f\"", "\"../a//b/./c\"", "\"text\"" };

/* Keys are small, so that they meet again. */
static void array(struct gen *g)
{
	switch (pick(g, 4)) {
	case 0: put(g, "ai[(int)("); number(g); put(g, ") & 3]"); break;
	case 1: put(g, "au[(int)("); number(g); put(g, ") & 1, "); string(g); put(g, "]"); break;
	case 2: put(g, "ah[%s, %u, (long)(", ONE(g, texts), pick(g, 2)); number(g); put(g, ") & 1]"); break;
	default: put(g, "self->sa[(int)("); number(g); put(g, ") & 3]"); break;
	}
}

static void string_array(struct gen *g)
{
	if (pick(g, 2)) {
		put(g, "as[(int)(");
		number(g);
		put(g, ") & 3]");
	} else {
		put(g, "self->sas[%s, %u]", ONE(g, texts), pick(g, 3));
	}
}

static void lvalue(struct gen *g)
{
	uint32_t k = pick(g, 10);

	if (k < 2 && g->memory)
		put(g, "this->p->%s", ONE(g, members));
	else if (k < 4)
		array(g);
	else
		put(g, "%s", ONE(g, scalars));
}

/* ---- numbers ---- */

static void fault(struct gen *g)
{
	static const char *const faults[] = { "*(int *)0", "*(char *)8", "((struct s *)16)->h", "((struct s *)0)->b5",
		"strlen((string)8)", "*(long *)arg6", "strlen(copyinstr(16))", "*(int *)copyin(8, 4)" };

	put(g, "%s", ONE(g, faults));
}

static void binary(struct gen *g)
{
	static const char *const ops[] = { "+", "-", "*", "&", "|", "^", "<<", ">>", "<", "<=", ">", ">=", "==", "!=", "&&", "||", "^^" };

	put(g, "(");
	number(g);
	put(g, " %s ", ONE(g, ops));
	number(g);
	put(g, ")");
}

static void division(struct gen *g)
{
	put(g, "(");
	number(g);
	put(g, pick(g, 2) ? " / ((" : " %% ((");
	number(g);
	/* a zero the compiler knows is an error; arg1 is 0 in one of the firings */
	put(g, g->faults && pick(g, 4) == 0 ? ") & arg1))" : ") | 1))");
}

static void unary(struct gen *g)
{
	static const char *const ops[] = { "-", "~", "!", "+" };

	put(g, "%s(", ONE(g, ops));
	number(g);
	put(g, ")");
}

static void cast(struct gen *g)
{
	put(g, "(%s)(", ONE(g, casts));
	number(g);
	put(g, ")");
}

static void conditional(struct gen *g)
{
	put(g, "(");
	number(g);
	put(g, " ? ");
	number(g);
	put(g, " : ");
	number(g);
	put(g, ")");
}

static void step(struct gen *g)
{
	static const char *const before[] = { "++", "--", "" };
	const char *b = ONE(g, before), *v = ONE(g, scalars);

	put(g, "(%s%s%s)", b, v, *b ? "" : pick(g, 2) ? "++" : "--");
}

static void inner_assign(struct gen *g)
{
	put(g, "(%s = ", ONE(g, scalars));
	number(g);
	put(g, ")");
}

static void comparison(struct gen *g)
{
	static const char *const ops[] = { "==", "!=", "<", "<=", ">", ">=" };

	put(g, "(");
	string(g);
	put(g, " %s ", ONE(g, ops));
	string(g);
	put(g, ")");
}

static void of_string(struct gen *g)
{
	uint32_t k = pick(g, 5);

	put(g, k == 0 ? "strlen(" : k == 1 ? "index(" : k == 2 ? "rindex(" : k == 3 ? "strtoll(" : "(strstr(");
	string(g);
	if (k == 1 || k == 2 || k == 4)
		put(g, ", %s", ONE(g, texts));
	put(g, k == 4 ? ") != NULL)" : ")");
}

static void swapped(struct gen *g)
{
	static const char *const subrs[] = { "htons", "htonl", "htonll", "ntohs", "ntohl", "ntohll" };

	put(g, "%s(", ONE(g, subrs));
	number(g);
	put(g, ")");
}

static void leaf(struct gen *g)
{
	switch (pick(g, 8)) {
	case 0: case 1: put(g, "%s", ONE(g, literals)); break;
	case 2: case 3: put(g, "arg%u", pick(g, 8)); break;
	case 4: put(g, "%s", pick(g, 2) ? "pid" : "uid"); break;
	default: put(g, "%s", ONE(g, scalars)); break;
	}
}

static void number(struct gen *g)
{
	static void (*const kinds[])(struct gen *) = { binary, binary, binary, binary, division, unary, cast, cast, conditional, step,
		inner_assign, comparison, of_string, swapped, lvalue, lvalue, leaf };

	if (g->faults && pick(g, 60) == 0) {
		fault(g);
		return;
	}
	if (g->depth >= MAX_DEPTH || pick(g, 4) == 0) {
		leaf(g);
		return;
	}
	g->depth++;
	ONE(g, kinds)(g);
	g->depth--;
}

/* ---- strings ---- */

static void string_leaf(struct gen *g)
{
	switch (pick(g, 7)) {
	case 0: put(g, "execname"); break;
	case 1: put(g, "probename"); break;
	case 2: put(g, "copyinstr(arg9)"); break;
	case 3: case 4: put(g, "%s", ONE(g, strings)); break;
	default: put(g, "%s", ONE(g, texts)); break;
	}
}

static void of_one(struct gen *g)
{
	static const char *const subrs[] = { "basename", "dirname", "toupper", "tolower", "cleanpath" };

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
	put(g, ", (int)(");
	number(g);
	put(g, ") %% 8");
	if (pick(g, 2))
		put(g, ", %d", (int)pick(g, 9) - 2);
	put(g, ")");
}

static void joined(struct gen *g)
{
	put(g, "strjoin(");
	string(g);
	put(g, ", ");
	string(g);
	put(g, ")");
}

static void string_conditional(struct gen *g)
{
	put(g, "(");
	number(g);
	put(g, " ? ");
	string(g);
	put(g, " : ");
	string(g);
	put(g, ")");
}

static void string(struct gen *g)
{
	static void (*const kinds[])(struct gen *) = { string_leaf, string_leaf, of_one, of_number, part, joined, string_conditional,
		string_array };

	if (g->depth >= MAX_DEPTH || pick(g, 2)) {
		string_leaf(g);
		return;
	}
	g->depth++;
	ONE(g, kinds)(g);
	g->depth--;
}

/* ---- statements ---- */

static void assign(struct gen *g)
{
	static const char *const ops[] = { "=", "=", "=", "+=", "-=", "*=", "&=", "|=", "^=", "<<=", ">>=" };

	lvalue(g);
	put(g, " %s ", ONE(g, ops));
	number(g);
	put(g, ";");
}

static void assign_string(struct gen *g)
{
	if (pick(g, 3) == 0)
		string_array(g);
	else
		put(g, "%s", ONE(g, strings));
	put(g, " = ");
	string(g);
	put(g, ";");
}

static void free_element(struct gen *g)
{
	if (pick(g, 2))
		array(g);
	else
		put(g, "ai[%u]", pick(g, 4));
	put(g, " = 0;");
}

static void traced(struct gen *g)
{
	put(g, "trace(");
	if (pick(g, 3))
		number(g);
	else
		string(g);
	put(g, ");");
}

static void printed(struct gen *g)
{
	uint32_t n = pick(g, 4), kind[4];

	put(g, "printf(\"");
	for (uint32_t i = 0; i < n; i++)
		put(g, "%s ", (kind[i] = pick(g, 3)) ? kind[i] == 1 ? "%d" : "%x" : "%s");
	put(g, "\\n\"");
	for (uint32_t i = 0; i < n; i++) {
		put(g, ", ");
		if (kind[i])
			number(g);
		else
			string(g);
	}
	put(g, ");");
}

/* One shape for each name: function and keys of an aggregation may not change. */
static void aggregated(struct gen *g)
{
	static const char *const func[] = { "count(", "sum(", "avg(", "min(", "max(", "stddev(", "quantize(", "lquantize(", "llquantize(" };
	static const char *const tail[] = { "", "", "", "", "", "", "", ", -10, 100, 7", ", 10, 0, 6, 20" };
	uint32_t f = pick(g, COUNT(func)), keys = pick(g, 4);

	put(g, "@a%u_%u", f, keys);
	if (keys == 1)
		put(g, "[(int)("), number(g), put(g, ") & 3]");
	else if (keys == 2)
		put(g, "["), string(g), put(g, ", (char)("), number(g), put(g, ") & 1]");
	else if (keys == 3)
		put(g, "[execname, probename, (long)("), number(g), put(g, ")]");
	put(g, " = %s", func[f]);
	if (f > 0)
		number(g);
	put(g, "%s);", tail[f]);
}

static void branch(struct gen *g)
{
	put(g, "if (");
	number(g);
	put(g, ") { ");
	statements(g, 1 + pick(g, 2));
	put(g, "}");
	if (pick(g, 2)) {
		put(g, " else { ");
		statements(g, 1);
		put(g, "}");
	}
}

static void statement(struct gen *g)
{
	static void (*const kinds[])(struct gen *) = { assign, assign, assign, assign, assign_string, assign_string, free_element, traced,
		traced, printed, aggregated, branch };
	void (*f)(struct gen *) = ONE(g, kinds);

	if ((f == branch && g->depth > 1) || (f == aggregated && !g->plain))
		f = assign;
	f(g);
	put(g, " ");
}

static void statements(struct gen *g, uint32_t n)
{
	g->depth++;
	while (n-- > 0)
		statement(g);
	g->depth--;
}

/* ---- clauses ---- */

static void predicate(struct gen *g)
{
	if (pick(g, 3))
		return;
	put(g, "/(");		/* not a comment, whatever follows */
	number(g);
	put(g, ")/ ");
}

static void memory(struct gen *g)
{
	g->memory = pick(g, 3) == 0;
	if (!g->memory)
		return;
	put(g, "this->p = (struct s *)alloca(sizeof (struct s)); ");
	for (size_t i = 0; i < COUNT(members); i++)
		put(g, "this->p->%s = %s; ", members[i], pick(g, 2) ? ONE(g, literals) : "arg2");
	put(g, "this->p->a[1] = this->p->a[2] = 0; ");
}

static void clause(struct gen *g)
{
	put(g, "BEGIN ");
	g->memory = false;
	predicate(g);
	put(g, "{ ");
	memory(g);
	g->depth = 0;
	statements(g, 1 + pick(g, 5));
	put(g, "}\n");
}

static void speculation(struct gen *g)
{
	put(g, "BEGIN { self->spec = speculation(); }\nBEGIN ");
	g->memory = false;
	predicate(g);
	put(g, "{ speculate(self->spec); trace(");
	number(g);
	put(g, "); printf(\"%%s\", ");
	string(g);
	put(g, "); }\nBEGIN /(");
	number(g);
	put(g, ")/ { commit(self->spec); self->spec = 0; }\nBEGIN /self->spec/ { discard(self->spec); }\n");
}

/* What every variable holds at the end of a firing. */
static void last_words(struct gen *g)
{
	put(g, "BEGIN { ");
	for (size_t i = 0; i < COUNT(scalars); i++)
		put(g, "trace(%s); ", scalars[i]);
	put(g, "}\nBEGIN { ");
	for (size_t i = 0; i < COUNT(strings); i++)
		put(g, "trace(%s); ", strings[i]);
	for (int i = 0; i < 4; i++)
		put(g, "trace(ai[%d]); trace(self->sa[%d]); trace(as[%d]); ", i, i, i);
	put(g, "}\n");
}

char *dt_gen_program(uint64_t seed)
{
	struct gen g = { .seed = seed * 0x9e3779b97f4a7c15u + 1, .plain = true };
	char *text = NULL;
	size_t len;
	uint32_t n;

	g.f = open_memstream(&text, &len);
	if (g.f == NULL)
		return NULL;
	for (int i = 0; i < 4; i++)
		pick(&g, 2);
	g.faults = pick(&g, 3) == 0;
	n = 1 + pick(&g, 4);
	put(&g, "%s", declarations);
	for (uint32_t i = 0; i < n; i++)
		clause(&g);
	if (pick(&g, 8) == 0)
		speculation(&g);
	last_words(&g);
	if (g.faults && pick(&g, 2))
		put(&g, "ERROR { trace(arg1); trace(arg2); trace(arg3); trace(arg4); }\n");
	if (pick(&g, 10) == 0)
		put(&g, "BEGIN /arg0 == 0/ { exit(%u); }\n", pick(&g, 5));
	fclose(g.f);
	return text;
}
