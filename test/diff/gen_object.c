/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Structs in variables of every storage and in arrays, memory from alloca() that is copied about,
 * translators and inlines. What is read has been written or is zero: memory behind an allocation is
 * nobody's.
 */
#include "gen_impl.h"

#define pick gen_pick
#define put gen_put
#define number gen_number
#define string gen_string

const char *const gen_object_declarations =
	"struct s { char c; short h; unsigned u; long l; int b3:3; unsigned b5:5; int b20:20; unsigned "
	    "b31:31; uint64_t w40:40; int a[4];\n"
	"\tstruct { unsigned char x; int y; } in; };\n"
	"struct t { int a; short b; unsigned char c; uint64_t d; char text[12]; int f3:3; unsigned f9:9; };\n"
	"struct t gst; struct t gst2; self struct t sst; this struct t tst; struct t ast[int, string]; self "
	    "struct t sast[int];\n"
	"struct w { int n; string s; struct { char c; string t; } in; string l[2]; };\n"
	"struct w gw; self struct w sw; this struct w tw; struct w aw[int]; self struct w saw[string];\n"
	"this struct s *p; this char *q;\n"
	"struct out { int a; short b; unsigned char c; long d; char t[8]; };\n"
	"translator struct out < int x > { a = x; b = x + 1; c = x * 3; d = x; t = \"seven\"; };\n"
	"struct two { long sum; char low; };\n"
	"translator struct two < struct t v > { sum = v.a + v.d; low = v.b; };\n"
	"struct out gout;\n"
	"inline int twice[int n] = n + n;\n"
	"inline long mix[int a, long b] = twice[a] ^ (b >> 3);\n"
	"inline int largest[int a, int b, int c] = a > b ? (a > c ? a : c) : (b > c ? b : c);\n";

static const char *const members[] = { "c", "h", "u", "l", "b3", "b5", "b20", "b31", "w40", "a[0]", "a[3]",
	"in.x", "in.y" };
static const char *const fields[] = { "a", "b", "c", "d", "f3", "f9", "text[0]", "text[5]" };
static const char *const structs[] = { "gst", "gst2", "self->sst", "this->tst" };
static const char *const texts[] = { "s", "in.t", "l[0]", "l[1]" };
static const char *const texts_of[] = { "gw", "self->sw", "this->tw", "aw[1]", "self->saw[\"a\"]" };
static const char *const values[] = { "0", "1", "-1", "127", "255", "0x8000", "0x7fffffff", "-5", "1000",
	"'a'" };

static void element(struct gen *g)
{
	if (pick(g, 2)) {
		put(g, "ast[");
		gen_small(g, "int", 1);
		put(g, ", %s]", gen_text(g));
	} else {
		put(g, "self->sast[");
		gen_small(g, "int", 3);
		put(g, "]");
	}
}

void gen_member(struct gen *g)
{
	uint32_t k = pick(g, 6);

	if (k < 2 && g->memory) {
		put(g, "this->p->%s", ONE(g, members));
		return;
	}
	if (k == 2)
		element(g);
	else
		put(g, "%s", ONE(g, structs));
	put(g, ".%s", ONE(g, fields));
}

void gen_string_member(struct gen *g)
{
	put(g, "%s.%s", ONE(g, texts_of), ONE(g, texts));
}

void gen_of_object(struct gen *g)
{
	static const char *const of_out[] = { "a", "b", "c", "d", "t[1]" };

	switch (pick(g, 5)) {
	case 0: put(g, "xlate <struct out>((int)("); number(g); put(g, ")).%s", of_out[pick(g, 4)]); break;
	case 1: put(g, "xlate <struct two>(%s).%s", ONE(g, structs), pick(g, 2) ? "sum" : "low"); break;
	case 2: put(g, pick(g, 2) ? "mix[(int)(" : "mix[("); number(g); put(g, "), (long)("); number(g);
	    put(g, ")]"); break;
	case 3: put(g, "largest[(int)("); number(g); put(g, "), twice[(int)("); number(g); put(g, ")], 7]");
	    break;
	default: put(g, "gout.%s", ONE(g, of_out)); break;
	}
}

void gen_memory(struct gen *g)
{
	g->memory = pick(g, 3) == 0;
	g->bytes = pick(g, 3) == 0;
	if (g->memory) {
		put(g, "this->p = (struct s *)alloca(sizeof (struct s)); ");
		for (size_t i = 0; i < COUNT(members); i++)
			put(g, "this->p->%s = %s; ", members[i], pick(g, 2) ? ONE(g, values) : "arg2");
		put(g, "this->p->a[1] = this->p->a[2] = 0; ");
	}
	if (g->bytes) {
		put(g, "this->q = (char *)alloca(32); bcopy(\"0123456789abcdef\", this->q, %u); ",
		    1 + pick(g, 16));
		if (pick(g, 2))
			put(g, "copyinto(arg9, %u, this->q + %u); ", 1 + pick(g, 8), pick(g, 16));
	}
}

/* A struct as a whole, and bytes moved within what was allocated. */
void gen_object_statement(struct gen *g)
{
	uint32_t k = pick(g, 10);

	if (k < 2) {
		put(g, "%s = %s;", ONE(g, structs), ONE(g, structs));
	} else if (k == 2) {
		element(g);
		put(g, " = %s;", ONE(g, structs));
	} else if (k == 3) {
		put(g, "%s = ", ONE(g, structs));
		element(g);
		put(g, ";");
	} else if (k == 4) {
		put(g, "gout = xlate <struct out>((int)(");
		number(g);
		put(g, "));");
	} else if (k == 5 && g->bytes) {
		put(g, "bcopy(this->q + %u, this->q + %u, %u);", pick(g, 8), 8 + pick(g, 8), 1 + pick(g, 7));
	} else if (k == 6 && g->bytes) {
		put(g, "this->q[%u] = (char)(", pick(g, 31));
		number(g);
		put(g, "); tracemem(this->q, 32);");
	} else if (k == 7 && g->bytes) {		/* behind what was allocated, but inside scratch */
		uint32_t at = 32 + pick(g, 200);

		put(g, "this->q[%u] = ", at);
		number(g);
		put(g, "; trace(this->q[%u]);", at);
	} else if (k > 7) {
		gen_string_member(g);
		put(g, " = ");
		string(g);
		put(g, "; trace(");
		gen_string_member(g);
		put(g, "); %s.n = ", ONE(g, texts_of));
		number(g);
		put(g, ";");
	} else {
		put(g, "trace(%s); trace(stringof(gout.t));", ONE(g, structs));
	}
}

void gen_object_words(struct gen *g)
{
	for (size_t i = 0; i < COUNT(structs); i++)
		put(g, "trace(%s); ", structs[i]);
	for (int i = 0; i < 4; i++)
		put(g, "trace(self->sast[%d].a); trace(self->sast[%d].d); ", i, i);
	for (size_t i = 0; i < 3; i++)
		put(g, "trace(%s.n); trace(%s.s); trace(%s.l[1]); ", texts_of[i], texts_of[i], texts_of[i]);
	put(g, "trace(gout); trace(ast[1, \"a\"].a); trace(ast[0, \"\"].f9); ");
}
