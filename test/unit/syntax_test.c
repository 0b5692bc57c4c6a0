/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * D text against its tree, for each rule of the grammar, and wrong text against its tag and message.
 * Trees are written on one line: node(operand, operand).
 */
#include "syntax/parser.h"

#include "check.h"
#include "syntax_cases.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* ---- one line for a tree ---- */

struct text {
	char *s;
	size_t n, cap;
	int level;
};

static void add(struct text *t, const char *s)
{
	size_t n = strlen(s);

	if (t->n + n + 1 > t->cap) {
		t->cap = 2 * (t->n + n) + 64;
		t->s = realloc(t->s, t->cap);
		if (!t->s)
			abort();
	}
	memcpy(t->s + t->n, s, n + 1);
	t->n += n;
}

static void put(void *ctx, const char *line)
{
	struct text *t = ctx;
	int level = (int)strspn(line, " ") / 2;

	if (level == 0)
		return;		/* "program", "expression", "type" */
	if (t->level == 0)
		;
	else if (level > t->level)
		add(t, "(");
	else
		for (; t->level > level; t->level--)
			add(t, ")");
	if (t->n && t->s[t->n - 1] != '(')
		add(t, ", ");
	t->level = level;
	add(t, line + 2 * level);
}

/* ---- one compile ---- */

struct job {
	struct dt_arena *arena;
	struct dt_diag diag;
	struct dt_parse parse;
	bool used[8];
	char options[64];
};

static char *const arguments[] = { "script.d", "12", "-7", "name", "two words", "99999999999999999999",
	"\"q\\n\"", "0x1F" };

static bool macro(void *ctx, const char *name, int64_t *value)
{
	(void)ctx;
	*value = strcmp(name, "uid") == 0 ? -1 : 42;
	return strcmp(name, "target") == 0 || strcmp(name, "uid") == 0;
}

static bool is_type(void *ctx, const char *name)
{
	(void)ctx;
	return strcmp(name, "known_t") == 0;
}

static void option(void *ctx, struct dt_parse *p, struct dt_loc loc, const char *word)
{
	struct job *j = ctx;

	if (strcmp(word, "bad") == 0)
		dt_fail(p->diag, D_PRAGMA_OPTSET, loc, "failed to set option '%s'", word);
	if (strcmp(word, "defaultargs") == 0)
		p->defaultargs = true;
	snprintf(j->options + strlen(j->options), sizeof(j->options) - strlen(j->options), "%s;", word);
}

static void job_open(struct job *j, enum dt_parse_context context, const char *text, size_t len)
{
	memset(j, 0, sizeof(*j));
	j->arena = dt_arena_new();
	if (!j->arena)
		abort();
	j->diag.arena = j->arena;
	j->parse = (struct dt_parse){
		.arena = j->arena, .diag = &j->diag, .context = context, .spec = DT_PART_NAME, .argref = true,
		.argc = 8, .argv = arguments, .argused = j->used, .ctx = j,
		.macro = macro, .is_type = is_type, .option = option,
	};
	j->parse.src = dt_source_new(j->arena, DT_SRC_FILE, "t.d", text, len);
}

/* The tree, or the message with its tag; to be freed. */
static char *job_run(struct job *j)
{
	struct text *t = dt_arena_alloc(j->arena, sizeof(*t));

	add(t, "");
	if (setjmp(j->diag.env) == 0) {
		dt_ast_dump(dt_parse(&j->parse), put, t);
		for (; t->level > 1; t->level--)
			add(t, ")");
		return t->s;
	}
	add(t, dt_diag_line(&j->diag, j->arena, true));
	return t->s;
}

static void expect(enum dt_parse_context context, const char *text, const char *want)
{
	struct job j;
	char *got;

	job_open(&j, context, text, strlen(text));
	got = job_run(&j);
	if (!CHECK_STR(got, want))
		fprintf(stderr, "in: %s\n", text);
	free(got);
	dt_arena_free(j.arena);
}

static void expect_all(enum dt_parse_context context, const struct pair *p)
{
	for (; p->text; p++)
		expect(context, p->text, p->want);
}

/* ---- what the tables cannot say ---- */

/* As expect(), with flags set by the caller between job_open() and here. */
static void expect_job(struct job *j, const char *want)
{
	char *got = job_run(j);

	CHECK_STR(got, want);
	free(got);
	dt_arena_free(j->arena);
}

static void test_command_line(void)
{
	struct job j;

	job_open(&j, DT_CTX_PROGRAM, "a:b, c", 6);
	j.parse.bare = j.parse.pspec = true;
	expect_job(&j, "clause without body(probe ::a:b, probe :::c)");
	job_open(&j, DT_CTX_PROGRAM, "foo bar", 7);
	j.parse.bare = j.parse.pspec = true;
	expect_job(&j, "clause without body(probe :::foo), clause without body(probe :::bar)");
	job_open(&j, DT_CTX_PROGRAM, "a /x/", 5);
	j.parse.bare = true;
	expect_job(&j, "[D_SYNTAX] line 1: syntax error near end of input");
	job_open(&j, DT_CTX_PROGRAM, "int x; foo { }", 14);
	j.parse.bare = j.parse.pspec = true;
	expect_job(&j, "declaration x(type int), clause(probe :::foo)");
	job_open(&j, DT_CTX_PROGRAM, "5x {", 4);
	j.parse.src->kind = DT_SRC_STRING;
	expect_job(&j, "[D_SYNTAX] syntax error near \"x\"");
}

static void test_spec(void)
{
	static const struct {
		int spec;
		const char *text, *want;
	} cases[] = {
		{ DT_PART_PROV, "a", "clause without body(probe a:::)" },
		{ DT_PART_MOD, "a:b", "clause without body(probe a:b::)" },
		{ DT_PART_MOD, "b", "clause without body(probe :b::)" },
		{ DT_PART_FUNC, "a:b:c", "clause without body(probe a:b:c:)" },
		{ DT_PART_FUNC, "c", "clause without body(probe ::c:)" },
		{ DT_PART_PROV, "a:b",
		    "[D_PDESC_INVAL] line 1: invalid probe description \"a:b\": Overspecified probe "
		    "description" },
		{ DT_PART_FUNC, "7",
		    "[D_PDESC_INVAL] line 1: probe identifier 7 not permitted when specifying functions" },
		{ -1, "7", "clause without body(probe 7)" },
		{ -1, "x",
		    "[D_PDESC_INVAL] line 1: invalid probe description \"x\": only a probe identifier is "
		    "permitted here" },
	};
	struct job j;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		job_open(&j, DT_CTX_PROGRAM, cases[i].text, strlen(cases[i].text));
		j.parse.bare = true;
		j.parse.spec = cases[i].spec;
		expect_job(&j, cases[i].want);
	}
}

static void test_arguments(void)
{
	struct job j;

	job_open(&j, DT_CTX_PROGRAM, "BEGIN { $1 }", 12);
	j.parse.argref = false;
	expect_job(&j, "[D_MACRO_UNUSED] line 1: extraneous argument '0x1F' ($7 is not referenced)");
	CHECK(j.used[1] && !j.used[7]);
	job_open(&j, DT_CTX_PROGRAM, "a$7 { }", 7);
	j.parse.argref = false;
	expect_job(&j, "clause(probe :::a0x1F)");
	CHECK(j.used[7]);
}

static void test_option(void)
{
	const char text[] =
	    "#pragma D option quiet\n#pragma D option bufsize=4m // c\nBEGIN { }\n"
	    "#pragma\tD option x /* c */\n";
	struct job j;

	job_open(&j, DT_CTX_PROGRAM, text, strlen(text));
	expect_job(&j, "clause(probe :::BEGIN)");
	CHECK_STR(j.options, "quiet;bufsize=4m;x;");
}

static void test_hint(void)
{
	static const struct pair hints[] = {
		{ "BEGIN { while (1) ; }",
		    "  t.d:1:9 | BEGIN { while (1) ; }\n          |         ^~~~~ D has no loops\n" },
		{ "BEGIN {\n", "  t.d:2:1 | \n          | ^ the { of line 1 is never closed\n" },
		{ "int x = 1;", "  t.d:1:7 | int x = 1;\n"
		  "          |       ^ declarations have no initial values: assign in a BEGIN clause\n" },
		{ NULL, NULL },
	};
	struct job j;

	for (const struct pair *p = hints; p->text; p++) {
		job_open(&j, DT_CTX_PROGRAM, p->text, strlen(p->text));
		free(job_run(&j));
		CHECK_STR(dt_diag_excerpt(&j.diag, j.arena), p->want);
		dt_arena_free(j.arena);
	}
}

/* Names kept by the scan, with blanks between. */
static void test_scan(void)
{
	const char text[] = "#pragma D depends_on library a.d\n#pragma D depends_on module m\n"
	    "#pragma D depends_on library b.d\ntypedef struct s { struct in { int x; } i; } s_t;\n"
	    "enum e { A, B };\nstruct fwd;\ninline int I = $99;\nprovider io { probe p(); };\n"
	    "translator s_t < struct q *Q > { i = 1; };\ntranslator struct s < int Q > { i = 1; };\n"
	    "#pragma D option bad\nint wrong = 1;\n";
	struct dt_lib_scan scan = { 0 };
	char names[256] = "";
	struct job j;

	job_open(&j, DT_CTX_PROGRAM, text, strlen(text));
	if (setjmp(j.diag.env) == 0)
		dt_parse_scan(&j.parse, &scan);
	else
		CHECK(0);
	for (size_t i = 0; i < scan.names.n; i++)
		snprintf(names + strlen(names), sizeof(names) - strlen(names), "%s,", scan.names.v[i]);
	CHECK_STR(names,
	    "struct s,struct in,s_t,enum e,A,B,I,provider io,translator s_t,translator struct s,wrong,");
	CHECK(scan.libraries.n == 2);
	CHECK_STR(scan.libraries.v[0], "a.d");
	CHECK_STR(scan.libraries.v[1], "b.d");
	CHECK(j.diag.msg == NULL);
	dt_arena_free(j.arena);
}

static void test_clone(void)
{
	const char text[] = "@a[x, (int)y ? 1 : \"s\"] = f(a->b, this->c++)";
	struct text first = { 0 }, second = { 0 };
	struct dt_unit *u, copy = { 0 };
	struct job j;

	job_open(&j, DT_CTX_EXPR, text, strlen(text));
	if (setjmp(j.diag.env) == 0) {
		u = dt_parse(&j.parse);
		dt_ast_dump(u, put, &first);
		u->expr->a->nflags = DT_NF_LVAL;
		copy.expr = dt_node_clone(j.arena, u->expr);
		dt_ast_dump(&copy, put, &second);
		CHECK(copy.expr != u->expr && copy.expr->a->nflags == 0);
	}
	CHECK_STR(first.s, second.s);
	free(first.s);
	free(second.s);
	dt_arena_free(j.arena);
}

/* before, n times; then the middle; then n times after */
static char *repeated(const char *head, const char *before, const char *middle, const char *after, unsigned n)
{
	struct text t = { 0 };

	add(&t, head);
	for (unsigned i = 0; i < n; i++)
		add(&t, before);
	add(&t, middle);
	for (unsigned i = 0; i < n; i++)
		add(&t, after);
	return t.s;
}

static void test_depth(void)
{
	static const char *const deep[][4] = {
		{ "BEGIN { trace", "(", "1", ")" }, { "BEGIN { ", "!", "1", "" },
		{ "BEGIN { ", "if (1) { ", "", "} " }, { "BEGIN { x", "+1", ";", "" },
		{ "BEGIN { ", "1 ? 1 : ", "1", "" }, { "BEGIN { ", "x = ", "1", "" },
		{ "BEGIN { ", "if (1) ; else ", ";", "" }, { "BEGIN { ", "(int)", "x", "" },
		{ "BEGIN { x", ".a", ";", "" }, { "BEGIN { ", "a[", "", "" },
		{ "BEGIN { ", "sizeof ", "x", "" }, { "BEGIN { ", "(int[(int[", "x", "" },
		{ "int ", "*", "x", "" }, { "int ", "(", "x", ")" }, { "", "struct {", "int x;", "} y;" },
		{ "int x", "[3]", ";", "" }, { "int ", "f(int ", ";", "" }, { "BEGIN { ", "a, ", "a", "" },
	};

	for (size_t i = 0; i < sizeof(deep) / sizeof(deep[0]); i++) {
		char *text = repeated(deep[i][0], deep[i][1], deep[i][2], deep[i][3], 100000), *got;
		struct job j;

		job_open(&j, DT_CTX_PROGRAM, text, strlen(text));
		got = job_run(&j);
		CHECK(strstr(got, "[D_SYNTAX]") && strstr(got, "nested too deeply"));
		free(got);
		free(text);
		dt_arena_free(j.arena);
	}
}

/* Time grows with the text and not with its square: all of these finish at once. */
static void test_size(void)
{
	static const char *const large[][4] = {
		{ "", "syscall::x*:entry /execname == \"foo\"/ { @a[pid] = count(); }\n", "", "" },
		{ "BEGIN { f(", "1, ", "1)", "" }, { "", "a* ", "", "" }, { "", "a*, ", "", "" },
		{ "#error ", "a ", "", "" }, { "BEGIN /a ", "/ /* c */ 1 ", "", "" }, { "", "\n", "\"", "" },
		{ "", "# 1 \"x\"\n", "", "" },
	};
	clock_t start = clock();

	for (size_t i = 0; i < sizeof(large) / sizeof(large[0]); i++) {
		char *text = repeated(large[i][0], large[i][1], large[i][2], large[i][3], 10000);
		struct job j;

		job_open(&j, DT_CTX_PROGRAM, text, strlen(text));
		j.parse.bare = i != 0;
		free(job_run(&j));
		free(text);
		dt_arena_free(j.arena);
	}
	CHECK((double)(clock() - start) / CLOCKS_PER_SEC < 10);
}

static void test_words(void)
{
	char *text = repeated("BEGIN { ", "x", " ", "", 1023), *got;
	struct job j;

	text[strlen(text) - 1] = '}';
	job_open(&j, DT_CTX_PROGRAM, text, strlen(text));
	got = job_run(&j);
	CHECK(strncmp(got, "clause", 6) == 0);
	free(got);
	free(text);
	dt_arena_free(j.arena);
	text = repeated("BEGIN { @", "x", " ", "", 1024);
	expect(DT_CTX_PROGRAM, text, "[D_SYNTAX] line 1: identifier is longer than 1023 characters");
	free(text);
	job_open(&j, DT_CTX_EXPR, "a \0 b", 5);
	expect_job(&j, "[D_SYNTAX] line 1: syntax error near \"?\"");
}

int main(void)
{
	expect_all(DT_CTX_EXPR, expressions);
	expect_all(DT_CTX_TYPE, type_names);
	expect_all(DT_CTX_PROGRAM, programs);
	test_command_line();
	test_spec();
	test_arguments();
	test_option();
	test_hint();
	test_scan();
	test_clone();
	test_depth();
	test_size();
	test_words();
	return check_report("syntax_test");
}
