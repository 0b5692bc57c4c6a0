/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * layoutgen SEED COUNT D-FILE C-FILE: writes the same random structs and unions as D and as C. Both
 * programs print every type's size, every member's offset, and where the bits of every member lie: its
 * bytes' sum after writing all ones.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_MEMBERS 8
#define MAX_WORDS 64

static const struct basic { const char *name; unsigned bits; } basics[] = {
	{ "char", 8 }, { "unsigned char", 8 }, { "short", 16 }, { "unsigned short", 16 }, { "int", 32 },
	{ "unsigned", 32 }, { "long", 64 }, { "unsigned long", 64 }, { "long long", 64 }, { "_Bool", 1 },
	{ "enum e", 32 }, { "uint16_t", 16 },
};
#define NBASICS (sizeof(basics) / sizeof(basics[0]))

struct gen {
	uint64_t seed;
	FILE *d, *c;		/* the clauses; the body of main */
	FILE *types;		/* both read the same declarations */
	int nscalars;
	struct { char path[32]; bool bits; } scalar[MAX_MEMBERS * 3];
};

static uint32_t next(struct gen *g, uint32_t below)
{
	g->seed = g->seed * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(g->seed >> 33) % below;
}

static void scalar(struct gen *g, bool bits, const char *form, int a, int b)
{
	snprintf(g->scalar[g->nscalars].path, sizeof(g->scalar[0].path), form, a, b);
	g->scalar[g->nscalars++].bits = bits;
}

static void bit_field(struct gen *g, int m)
{
	const struct basic *t = &basics[next(g, NBASICS)];

	fprintf(g->types, "\t%s m%d:%u;\n", t->name, m,
	    1 + next(g, strcmp(t->name, "enum e") == 0 ? 8 : t->bits));
	scalar(g, true, "m%d", m, 0);
}

/* Anonymous: its members are the outer type's. */
static void anonymous(struct gen *g, int m)
{
	fprintf(g->types, "\t%s { %s m%d; %s m%d_2; };\n", next(g, 2) ? "struct" : "union",
	    basics[next(g, NBASICS)].name, m, basics[next(g, NBASICS)].name, m);
	scalar(g, false, "m%d", m, 0);
	scalar(g, false, "m%d_2", m, 0);
}

static void member(struct gen *g, int type, int m)
{
	const char *basic = basics[next(g, NBASICS)].name;
	int n = 1 + (int)next(g, 5), inner;

	switch (next(g, 8)) {
	case 0: case 1: case 2:
		bit_field(g, m);
		break;
	case 3:
		fprintf(g->types, "\t%s m%d[%d];\n", basic, m, n);
		scalar(g, false, "m%d[%d]", m, (int)next(g, (uint32_t)n));
		break;
	case 4:
		inner = type > 0 ? (int)next(g, (uint32_t)type) : -1;
		if (inner < 0 || type - inner > 3) {	/* keeps the nesting, and so the size, small */
			fprintf(g->types, "\tvoid *m%d;\n", m);
			break;
		}
		fprintf(g->types, "\tt%d m%d;\n", inner, m);
		break;
	case 5:
		anonymous(g, m);
		break;
	default:
		fprintf(g->types, "\t%s m%d;\n", basic, m);
		scalar(g, false, "m%d", m, 0);
	}
}

static void show(struct gen *g, int type)
{
	fprintf(g->d, "BEGIN { printf(\"t%d %%d\\n\", (int)sizeof (t%d)); }\n", type, type);
	fprintf(g->c, "\tprintf(\"t%d %%d\\n\", (int)sizeof (t%d));\n", type, type);
	for (int i = 0; i < g->nscalars; i++) {
		const char *path = g->scalar[i].path;

		if (!g->scalar[i].bits && strchr(path, '[') == NULL) {
			fprintf(g->d, "BEGIN { printf(\"%s at %%d\\n\", (int)offsetof(t%d, %s)); }\n", path,
			    type, path);
			fprintf(g->c, "\tprintf(\"%s at %%d\\n\", (int)offsetof(t%d, %s));\n", path, type,
			    path);
		}
		fprintf(g->d,
		    "BEGIN\n{\n\tthis->w = (unsigned long *)alloca(%d); ((t%d *)this->w)->%s = -1;\n"
		    "\tprintf(\"%s %%d %%u\\n\", (long)((t%d *)this->w)->%s, ", 8 * MAX_WORDS, type, path,
		    path, type, path);
		fprintf(g->c, "\tmemset(w, 0, sizeof (w)); ((t%d *)w)->%s = -1;\n"
		    "\tprintf(\"%s %%ld %%lu\\n\", (long)((t%d *)w)->%s, ", type, path, path, type, path);
		for (int k = 0; k < MAX_WORDS; k++) {
			fprintf(g->d, "%sthis->w[%d] * %d", k ? " + " : "", k, 2 * k + 1);
			fprintf(g->c, "%sw[%d] * %d", k ? " + " : "", k, 2 * k + 1);
		}
		fprintf(g->d, ");\n}\n");
		fprintf(g->c, ");\n");
	}
}

static void type(struct gen *g, int t)
{
	int n = 1 + (int)next(g, MAX_MEMBERS);

	g->nscalars = 0;
	fprintf(g->types, "typedef %s s%d {\n", next(g, 5) == 0 ? "union" : "struct", t);
	for (int m = 0; m < n; m++)
		member(g, t, m);
	fprintf(g->types, "} t%d;\n", t);
	show(g, t);
}

int main(int argc, char **argv)
{
	struct gen g = { 0 };
	char *types = NULL, *d = NULL, *c = NULL;
	size_t len[3];
	FILE *out;

	if (argc != 5) {
		fprintf(stderr, "usage: layoutgen SEED COUNT D-FILE C-FILE\n");
		return 2;
	}
	g.seed = strtoull(argv[1], NULL, 0);
	g.types = open_memstream(&types, &len[0]);
	g.d = open_memstream(&d, &len[1]);
	g.c = open_memstream(&c, &len[2]);
	if (!g.types || !g.d || !g.c)
		return 2;
	for (int t = 0; t < atoi(argv[2]); t++)
		type(&g, t);
	fclose(g.types);
	fclose(g.d);
	fclose(g.c);
	if (!(out = fopen(argv[3], "w")))
		return 2;
	fprintf(out, "/* @quiet */\nenum e { NONE, ONE, LAST = 255 };\n%s%s", types, d);
	fclose(out);
	if (!(out = fopen(argv[4], "w")))
		return 2;
	fprintf(out,
	    "#include <stddef.h>\n#include <stdint.h>\n#include <stdio.h>\n#include <string.h>\n"
	    "enum e { NONE, ONE, LAST = 255 };\n"
	    "%sint main(void)\n{\n\tstatic unsigned long w[%d];\n%s\treturn 0;\n}\n", types, MAX_WORDS, c);
	fclose(out);
	free(types);
	free(d);
	free(c);
	return 0;
}
