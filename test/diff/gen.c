/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Programs of a few clauses on dtrace:::BEGIN: assignments to variables of every integer type and storage,
 * strings, structs, arrays, bit-fields of memory from alloca, branches, records, aggregations, speculations
 * and faults. The first clauses check the integer rule against what the generator computes; the last ones
 * record all variables, so that what they hold is compared too. Only what every executor must agree on is
 * written: no clocks, no random numbers, no addresses as values.
 */
#include "gen_impl.h"

#include <stdarg.h>
#include <stdlib.h>

#define pick gen_pick
#define put gen_put
#define number gen_number
#define string gen_string

uint32_t gen_pick(struct gen *g, uint32_t below)
{
	g->seed = g->seed * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)((g->seed >> 33) % below);
}

void gen_put(struct gen *g, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vfprintf(g->f, fmt, ap);
	va_end(ap);
}

static void statements(struct gen *, uint32_t n);

/* ---- variables ---- */

static const char *const declarations =
	"enum e { MINUS = -1, NONE, ONE, MANY = 1000 };\n"
	"char gc; signed char gsc; unsigned char guc; short gs; unsigned short gus; int gi; unsigned gu; "
	    "long gl; unsigned long gul;\n"
	"_Bool gb; enum e ge; signed long long gi64; unsigned int gu32;\n"
	"self int8_t si8; self short ss; self int si; self unsigned su; self long sl; self uint64_t su64; "
	    "self uint8_t su8; self int16_t si16;\n"
	"this unsigned char tuc; this uint16_t tus; this int ti; this unsigned tu; this unsigned long tul; "
	    "this int8_t ti8; this short ts; this long tl;\n"
	"int ai[int]; unsigned long au[int, string]; short ah[string, int, long]; char ac[char, unsigned "
	    "short, string, string];\n"
	"self int sa[int]; self unsigned char sab[string];\n"
	"BEGIN /arg0 == -77/ { small = 0; self->small = 0; this->small = 0; uns = 0u; elem[0] = 0; "
	    "self->elem[0, \"\"] = 0; }\n";

static const char *const scalars[] = { "gc", "gsc", "guc", "gs", "gus", "gi", "gu", "gl", "gul", "gb", "ge",
	"gi64", "gu32", "self->si8", "self->ss", "self->si", "self->su", "self->sl", "self->su64",
	"this->tuc", "this->tus", "this->ti", "this->tu", "this->tul", "self->su8", "self->si16", "this->ti8",
	/* int by the first value they get */
	"this->ts", "this->tl", "small", "self->small", "this->small", "uns" };
static const char *const casts[] = { "char", "signed char", "unsigned char", "short", "unsigned short", "int",
	"unsigned", "long", "unsigned long", "int8_t", "uint16_t", "int32_t", "uint64_t", "enum e" };
static const char *const literals[] = { "0", "1", "2", "7", "63", "64", "0177", "128", "255", "32767",
	"0x8000", "65535", "2147483647", "0x80000000", "0xffffffff", "4294967296", "9223372036854775807",
	"0x8000000000000000", "0xffffffffffffffff", "'a'", "'\\n'", "MINUS", "ONE", "MANY", "-1", "-128",
	"-2147483648", "3u", "5ul", "100", "1000", "1000000", "1000000000", "1000000007u", "0x123456789",
	"-4294967297", "0xffffffff00000000" };

void gen_small(struct gen *g, const char *type, unsigned mask)
{
	put(g, pick(g, 3) ? "(%s)(" : "(", type);
	number(g);
	put(g, ") & %u", mask);
}

static void array(struct gen *g)
{
	switch (pick(g, 8)) {
	case 0: put(g, "ai["); gen_small(g, "int", 3); put(g, "]"); break;
	case 1: put(g, "au["); gen_small(g, "int", 1); put(g, ", "); string(g); put(g, "]"); break;
	case 2: put(g, "ah[%s, %u, ", gen_text(g), pick(g, 2)); gen_small(g, "long", 1); put(g, "]"); break;
	case 3: put(g, "ac["); gen_small(g, "char", 1);
	    put(g, ", %u, %s, %s]", pick(g, 2), gen_string_var(g), gen_text(g)); break;
	case 4: put(g, "self->sab[%s]", gen_string_var(g)); break;
	case 5: put(g, "elem["); gen_small(g, "int", 1); put(g, "]"); break;
	case 6: put(g, "self->elem["); gen_small(g, "int", 1); put(g, ", %s]", gen_text(g)); break;
	default: put(g, "self->sa["); gen_small(g, "int", 3); put(g, "]"); break;
	}
}

static void lvalue(struct gen *g)
{
	uint32_t k = pick(g, 10);

	if (k < 2)
		gen_member(g);
	else if (k < 4)
		array(g);
	else
		put(g, "%s", ONE(g, scalars));
}

/* ---- numbers ---- */

static void fault(struct gen *g)
{
	static const char *const faults[] = { "*(int *)0", "*(char *)8", "((struct s *)16)->h",
		"((struct s *)0)->b5", "strlen((string)8)", "*(long *)arg6", "strlen(copyinstr(16))",
		"*(int *)copyin(8, 4)" };

	put(g, "%s", ONE(g, faults));
}

static void binary(struct gen *g)
{
	static const char *const ops[] = { "+", "-", "*", "&", "|", "^", "<<", ">>", "<", "<=", ">", ">=",
		"==", "!=", "&&", "||", "^^" };

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

static void swapped(struct gen *g)
{
	static const char *const subrs[] = { "htons", "htonl", "htonll", "ntohs", "ntohl", "ntohll",
		"getmajor", "getminor" };

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

void gen_number(struct gen *g)
{
	static void (*const kinds[])(struct gen *) = { binary, binary, binary, binary, division, unary, cast,
		cast, conditional, step, inner_assign, comparison, gen_of_string, gen_of_string,
		    gen_of_object, swapped, lvalue, lvalue, leaf };

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
		gen_string_array(g);
	else
		put(g, "%s", gen_string_var(g));
	put(g, " = ");
	if (pick(g, 12))
		string(g);
	else
		put(g, "NULL");
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

/* Up to a dozen values, of every size. */
static void printed(struct gen *g)
{
	static const char *const formats[] = { "%s", "%d", "%x", "%u", "%o", "%i", "%5d", "%-8s", "%X",
		"%#x" };
	uint32_t n = pick(g, 8) ? pick(g, 4) : pick(g, 13), kind[12];

	put(g, "printf(\"");
	for (uint32_t i = 0; i < n; i++)
		put(g, "%s ", formats[kind[i] = pick(g, COUNT(formats))]);
	put(g, "\\n\"");
	g->depth += n > 4;
	for (uint32_t i = 0; i < n; i++) {
		put(g, ", ");
		if (kind[i] == 0 || kind[i] == 7) {
			string(g);
		} else {
			if (pick(g, 2))
				put(g, "(%s)", ONE(g, casts));
			put(g, "(");
			number(g);
			put(g, ")");
		}
	}
	g->depth -= n > 4;
	put(g, ");");
}

/* One shape for each name: function and keys of an aggregation may not change. */
static void aggregated(struct gen *g)
{
	static const char *const func[] = { "count(", "sum(", "avg(", "min(", "max(", "stddev(",
		"percentiles(", "quantize(", "lquantize(", "llquantize(" };
	static const char *const tail[] = { "", "", "", "", "", "", "", "", ", -10, 100, 7",
		", 10, 0, 6, 20" };
	uint32_t f = pick(g, COUNT(func)), keys = pick(g, 7);

	put(g, "@a%u_%u", f, keys);
	switch (keys) {
	case 1: put(g, "["); gen_small(g, "int", 3); put(g, "]"); break;
	case 2: put(g, "["); string(g); put(g, ", "); gen_small(g, "char", 1); put(g, "]"); break;
	case 3: put(g, pick(g, 2) ? "[execname, probename, (long)(" : "[execname, probename, ("); number(g);
	    put(g, ")]"); break;
	case 4: put(g, "[%s]", gen_string_var(g)); break;
	case 5: put(g, "["); gen_small(g, "short", 1); put(g, ", %s, ", gen_text(g));
	    gen_small(g, "unsigned char", 1); put(g, ", pid, "); string(g); put(g, "]"); break;
	case 6: put(g, "[probefunc, probename]"); break;
	}
	put(g, " = %s", func[f]);
	if (f > 0)
		number(g);
	put(g, "%s", tail[f]);
	if (f >= 7 && pick(g, 4) == 0)
		put(g, ", (int)arg%u", pick(g, 4));
	put(g, ");");
}

/* What the consumer does with it is not compared, but its records are. */
static void shown(struct gen *g)
{
	static const char *const acts[] = { "printa(@a0_0)", "clear(@a0_0)", "trunc(@a0_0, 2)",
		"normalize(@a0_0, 3)", "printa(\"%@d\", @a0_0)", "denormalize(@a0_0)" };

	put(g, "@a0_0 = count(); %s;", ONE(g, acts));
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
	static void (*const kinds[])(struct gen *) = { assign, assign, assign, assign, assign_string,
		assign_string, free_element, traced, traced, printed, aggregated, aggregated, branch,
		    gen_object_statement, gen_object_statement, shown };
	void (*f)(struct gen *) = ONE(g, kinds);

	if ((f == branch && g->depth > 1) || ((f == aggregated || f == shown) && !g->plain))
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
	if (g->faults && pick(g, 4) == 0)
		fault(g);
	else
		number(g);
	put(g, ")/ ");
}

static void clause(struct gen *g)
{
	put(g, "BEGIN ");
	g->memory = g->bytes = false;
	predicate(g);
	put(g, "{ ");
	gen_memory(g);
	g->depth = 0;
	statements(g, 1 + pick(g, 5));
	put(g, "}\n");
}

/* One or two at a time; those not ended hold the buffers, so that later ones get none. */
static void speculation(struct gen *g)
{
	const char *of = pick(g, 2) ? "self->spec" : "self->spec2";

	put(g, "BEGIN { %s = speculation(); }\nBEGIN ", of);
	g->memory = g->bytes = g->plain = false;
	predicate(g);
	put(g, "{ speculate(%s); trace(", of);
	number(g);
	put(g, "); printf(\"%%s\", ");
	string(g);
	put(g, "); ");
	statements(g, pick(g, 3));
	put(g, "}\n");
	if (pick(g, 3) == 0)
		put(g, "BEGIN { speculate(%s); }\n", of);
	if (pick(g, 3) == 0) {		/* a number that is no speculation, most often */
		static const char *const any[] = { "speculate", "speculate", "commit", "discard" };

		put(g, "BEGIN { %s(", ONE(g, any));
		number(g);
		put(g, "); gi = 9; }\n");
	}
	put(g, "BEGIN /(");
	number(g);
	put(g, ")/ { commit(%s); %s = 0; }\n", of, of);
	if (pick(g, 4))
		put(g, "BEGIN /%s/ { discard(%s); }\n", of, of);
	g->plain = true;
}

/* What every variable holds at the end of a firing. */
static void last_words(struct gen *g)
{
	put(g, "BEGIN { ");
	for (size_t i = 0; i < COUNT(scalars); i++)
		put(g, i % 4 ? "trace(%s); " : "trace(%s); trace(0UL + %s); ", scalars[i], scalars[i]);
	put(g, "}\nBEGIN { ");
	for (size_t i = 0; i < COUNT(scalars); i++)
		if (i % 4 != 0)
			put(g, "trace(0L + %s); ", scalars[i]);
	put(g, "}\nBEGIN { ");
	gen_string_words(g);
	for (int i = 0; i < 4; i++)
		put(g,
		    "trace(ai[%d]); trace(self->sa[%d]); trace(0L + ai[%d]); trace(elem[%d]); trace(0UL + "
		    "elem[%d]); ", i, i, i, i, i);
	put(g, "}\nBEGIN { ");
	gen_object_words(g);
	put(g, "}\n");
}

/*
 * exit() before, in and behind the arms of an if, late ones too: what runs after it, and which of them
 * counts.
 */
static void exits(struct gen *g)
{
	static const char *const calls[] = { "", "", "exit(1); ", "exit((int)arg0); ", "exit(3); " };

	put(g, "BEGIN /arg1 != %u/ { trace(1); %s", pick(g, 3), ONE(g, calls));
	put(g, "if (arg0 & %u) { trace(2); %strace(3); } else { %s", 1 + pick(g, 3), ONE(g, calls),
	    ONE(g, calls));
	put(g, "if (arg1) { gi = 5; %s} trace(gi++); } trace(4); %s}\n", ONE(g, calls), ONE(g, calls));
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
	put(&g, "%s%s%s%s", declarations, gen_object_declarations, gen_string_declarations,
	    gen_integer_declarations);
	gen_integer_clause(&g);
	for (uint32_t i = 0; i < n; i++)
		clause(&g);
	for (int i = 0; i < 2 && pick(&g, 6) == 0; i++)
		speculation(&g);
	last_words(&g);
	if (g.faults && pick(&g, 2))
		put(&g, "ERROR { trace(arg1); trace(arg2); trace(arg3); trace(arg4); }\n");
	if (pick(&g, 10) == 0)
		put(&g, "BEGIN /arg0 == 0/ { exit(%u); }\n", pick(&g, 5));
	for (uint32_t i = pick(&g, 12) == 0 ? 3 : 0; i-- > 0;)
		exits(&g);
	fclose(g.f);
	return text;
}
