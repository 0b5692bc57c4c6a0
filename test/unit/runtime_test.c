/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The functions of src/bpf/runtime against the interpreter: each subroutine with a loop is called in the
 * kernel and in the interpreter on the same edge cases and random strings, in several sizes of strings and
 * scratch. Without the right to use bpf(2) all is skipped. Arguments: a seed; then a subroutine, whose
 * times are shown.
 */
#include "bpfrun.h"

/* a program and size: some hundred random strings for each subroutine */
#define FIRINGS 160
#define TEXT_MAX 5000

static uint64_t seed = 1;

static uint32_t chance(uint32_t n)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(seed >> 33) % n;
}

/* ---- what they are called on ---- */

enum alphabet { WORDS, PATHS, NUMBERS, JSON, GLOBS, ANY };

static const char *const edges[][32] = {
	[WORDS] = { "", "a", "foobarbaz", "barbar", "aaaaaaaab", "aab", "b", "hello, world", ",",
		"  a,,b  c,", "oo", "o", "z", "fo", "abcdefgh", "abcdefghi", "abcdefghabcdefgh", "gha",
		"UPPER lower 123 [`{@", "foobarbazfoobarbaz" },
	[PATHS] = { "", "/", "//", "///", ".", "..", "/.", "/..", "a", "a/", "a//", "/a", "//a", "/a/b",
		"a/b/", "a/../b", "../a", "../../a", "a/../..", "/a/../..", "a/./b", "./a", "a/b/../../c",
		"/usr/local/lib/../bin//x/.", "a/b/..", "...", "a/.../b", "/../../a", "..a/../b" },
	[NUMBERS] = { "", "0", "1", "-1", "+7", "  42", "\t\n\v\f\r 9", "0x1f", "0X1F", "0x", "0xg", "-0x10",
		"9223372036854775807", "18446744073709551616", "-9223372036854775808", "12z", "zz", "ZZ",
		"--1", "+-1", "- 1", "0x0x1", "1e5", "077", "08" },
	[JSON] = { "{\"a\":1}", "{ \"a\" : [ 1, 2, { \"b\" : null } ] , \"c\" : \"x\" }", "[1,2,3]",
		"{\"a\":{\"a\":{\"a\":true}}}", "{}", "[]", "", "{\"a\":\"q\\\"\\u00e9\\n\"}",
		"{\"a\":\"\\x\"}", "{\"a\":\"\\u12g4\"}", "{\"a\":-1.5e+3}", "{\"a\":1.}", "{\"a\":0x10 }",
		"{\"a\":tru}", "{\"b\":[[[[]]]],\"a\":false }", "{\"b\":[[}],\"a\":1}", "[\"x\",\"y\"",
		"[1,]", "{\"a\":1", "{\"a\" 1}", "[{\"a\":[10,20]}]", "  [ true ]",
		"{\"b\":\"\\\\\",\"a\":\"v\"}", "{\"\":5 }", "{\"a.b\":6 }", "{\"a\":12", "{\"a\":\"cut",
		"nul", "[[1,2],[3,4]]", "{\"aa\":1,\"a\":2}" },
};
static const char *const globs[] = { "*", "?", "a*", "*b", "a?c", "[a-c]", "[!a-c]*", "[]a]", "[!]a]", "[a",
	"\\*", "\\", "*a*b*", "[a-]", "[\\]]", "[a-\\]]*", "**", "*[ab]*[!c]" };
static const char *const paths[] = { "a", "c", "[0]", "[1]", "a[2].b", "a.a.a", "a.a", "[0].a[1]", "", "[",
	"[]", "[x]", "a.", "a[", "[0]x", "b[0]", "[00]", "[01]", "[12345678901]", "[0][1]", "[1][0]", ".a",
	"aa", "a..a", "b" };

static const char *const letters[] = {
	[WORDS] = "abc ,", [PATHS] = "/.a", [NUMBERS] = " -+0x19aFz", [JSON] = "{}[]\",:a1\\ t-.eun",
	    [GLOBS] = "abc]*?[!-\\", [ANY] = NULL,
};

static void random_text(char *to, size_t max, enum alphabet kind)
{
	size_t n = chance(4) ? chance(24) : chance((uint32_t)max),
	    len = letters[kind] ? strlen(letters[kind]) : 0;

	for (size_t i = 0; i < n; i++)
		to[i] = len ? letters[kind][chance((uint32_t)len)] : (char)(1 + chance(255));
	to[n] = '\0';
}

/* JSON that is right, but for what chance adds. */
static void random_json(char *to, size_t max, int depth, size_t *n)
{
	static const char *const leaf[] = { "1", "-2.5", "true", "null", "\"s\"", "\"\\u0041\\\"\"", "\"\"",
		"false", "7e3", "01" };
	static const char *const name[] = { "\"a\"", "\"b\"", "\"aa\"", "\"\"" };
	bool object = chance(2);
	uint32_t members = 1 + chance(3) - (chance(8) == 0);

	if (depth == 0 || (depth < 4 && chance(3) == 0) || *n + 64 > max) {
		*n += (size_t)sprintf(to + *n, "%s", leaf[chance(10)]);
		return;
	}
	to[(*n)++] = object ? '{' : '[';
	for (uint32_t i = 0; i < members && *n + 64 < max; i++) {
		*n += (size_t)sprintf(to + *n, "%s%s%s%s", i ? "," : "", chance(3) ? "" : " ",
		    object ? name[(i + chance(8) / 7) % 4] : "", object ? ": " : "");
		random_json(to, max, depth - 1, n);
	}
	*n += (size_t)sprintf(to + *n, "%s%c", chance(3) ? "" : "\n", object ? '}' : ']');
}

/* One that follows the text down: at each group a member that is there, most of the time. */
static void random_path(char *to, const char *text)
{
	size_t n = 0;
	const char *p = text;

	for (uint32_t i = 0, steps = 1 + chance(3); i < steps; i++) {
		p += strcspn(p, "{[");
		if (*p == '{' || (!*p && chance(2)))
			n += (size_t)sprintf(to + n, "%s%s", i ? "." : "",
			    chance(4) ? "a" : chance(2) ? "b" : "aa");
		else
			n += (size_t)sprintf(to + n, "[%u]", chance(4) ? 0 : chance(3));
		p += *p != '\0';
	}
}

static char texts[FIRINGS][2][TEXT_MAX];
static uint8_t bytes[FIRINGS][32];
static struct firing firings[FIRINGS];

static size_t count(const char *const *list, size_t max)
{
	size_t n = 0;

	while (n < max && list[n])
		n++;
	return n;
}

/* First every edge case, then chance. The second text is often part of the first. */
static void choose_texts(uint32_t i, enum alphabet kind)
{
	size_t nedges = kind == ANY || kind == GLOBS ? 0 : count(edges[kind], 32), n = 0,
	    max = strsize + 20 < TEXT_MAX ? strsize + 20 : TEXT_MAX - 1;
	char *a = texts[i][0], *b = texts[i][1];

	if (i < 2 * nedges)
		strcpy(a, edges[kind][i % nedges]);
	else if (kind == JSON && chance(4))
		random_json(a, max, 4, &n);
	else
		random_text(a, max, kind);
	if (kind == JSON) {
		if (i < 2 * nedges || chance(4) == 0)
			strcpy(b, paths[chance(sizeof(paths) / sizeof(paths[0]))]);
		else
			random_path(b, a);
	} else if (kind == GLOBS && chance(2)) {
		strcpy(b, globs[chance(sizeof(globs) / sizeof(globs[0]))]);
	} else if (chance(2) && *a) {
		size_t len = strlen(a), at = chance((uint32_t)len);

		snprintf(b, TEXT_MAX, "%.*s", (int)(1 + chance((uint32_t)(len - at))), a + at);
	} else if (chance(2) && nedges) {
		strcpy(b, edges[kind][chance((uint32_t)nedges)]);
	} else {
		random_text(b, 8, kind);
	}
}

static const int64_t numbers[] = { 0, 1, 2, -1, -2, 3, 8, 10, 16, 36, 37, 255, -255, 256, INT32_MAX,
	INT32_MIN, INT64_MAX, INT64_MIN, 1LL << 32, 97, 47 };

static uint64_t choose_number(void)
{
	uint32_t how = chance(4);

	if (how == 0)
		return (uint64_t)numbers[chance(sizeof(numbers) / sizeof(numbers[0]))];
	if (how == 1)
		return (uint64_t)chance(1u << 31) << chance(33);
	return (uint64_t)((int64_t)chance(24) - 8);
}

static void choose_bytes(uint32_t i)
{
	for (int k = 0; k < 32; k++)
		bytes[i][k] = (uint8_t)(chance(3) ? 0 : chance(256));
	if (chance(4) == 0)
		memset(bytes[i], 0, 10 + chance(6));
	if (chance(6) == 0)
		bytes[i][10] = bytes[i][11] = 0xff;
}

static void choose(enum alphabet kind, bool binary)
{
	for (uint32_t i = 0; i < FIRINGS; i++) {
		struct firing *f = &firings[i];

		choose_texts(i, kind);
		choose_bytes(i);
		*f = (struct firing){ .text = { texts[i][0], texts[i][1] },
			.bytes = binary ? bytes[i] : NULL };
		for (int k = 0; k < 8; k++)
			f->arg[k] = choose_number();
		f->arg[8] = (uint64_t)(uintptr_t)user_text[0];
		f->arg[9] = (uint64_t)(uintptr_t)user_text[1];
	}
}

/* ---- the subroutines ---- */

#define A "copyinstr(arg8)"
#define B "copyinstr(arg9)"
#define T(call) "BEGIN { trace(" call "); }"

static const struct { const char *name; enum alphabet kind; bool binary; const char *program; } calls[] = {
	{ "strlen", ANY, false, T("strlen(" A ")") },
	{ "strjoin", ANY, false, T("strjoin(" A ", " B ")") },
	{ "strchr", WORDS, false, T("strchr(" A ", arg0)") T("strchr(" A ", 'b')") T("strchr(" A ", 0)") },
	{ "strrchr", PATHS, false,
	    T("strrchr(" A ", arg0)") T("strrchr(" A ", '/')") T("strrchr(" A ", 0)") },
	{ "strchr", ANY, false, T("strchr(" A ", arg0)") T("strrchr(" A ", arg0)") },
	{ "strstr", WORDS, false, T("strstr(" A ", " B ")") T("strstr(\"a,b,c,,ab\", " B ")") },
	{ "index", WORDS, false,
	    T("index(" A ", " B ")") T("index(" A ", " B ", arg0)") T("index(" A ", \"b\", arg1)") },
	{ "rindex", WORDS, false,
	    T("rindex(" A ", " B ")") T("rindex(" A ", " B ", arg0)") T("rindex(" A ", \"b\", arg1)") },
	{ "strmatch", GLOBS, false, T("strmatch(" A ", " B ")") T("strmatch(" A ", \"*a[!b-c]?*\")")
	    T("strmatch(\"aabaac\", " B ")") },
	{ "strmatch", ANY, false, T("strmatch(" A ", " B ")") T("strmatch(" A ", \"[\\200-\\377]*\")") },
	{ "substr", ANY, false,
	    T("substr(" A ", arg0)") T("substr(" A ", arg0, arg1)") T("substr(" A ", -3, 2)") },
	{ "strtok", WORDS, false,
	    "BEGIN { this->t = strtok(" A ", \", \"); } BEGIN { trace(this->t); } BEGIN { "
	    "trace(strtok(NULL, " B ")); trace(strtok(NULL, \"a\")); }"
	    "BEGIN { trace(strtok(NULL, \"b \")); }" },
	{ "strtok", WORDS, false, "BEGIN { trace(strtok(NULL, \",\")); } "
	    "BEGIN { trace(strtok(" A ", " B ")); trace(strtok(NULL, " B ")); }" },
	{ "basename", PATHS, false, T("basename(" A ")") },
	{ "dirname", PATHS, false, T("dirname(" A ")") },
	{ "cleanpath", PATHS, false, T("cleanpath(" A ")") },
	{ "toupper", ANY, false, T("toupper(" A ")") },
	{ "tolower", ANY, false, T("tolower(" A ")") },
	{ "lltostr", WORDS, false, T("lltostr(arg0)") T("lltostr(arg1, arg2)") T("lltostr(arg3, 16)")
	    T("lltostr(arg4, 8)") T("lltostr(arg5, 2)") },
	{ "strtoll", NUMBERS, false,
	    T("strtoll(" A ")") T("strtoll(" A ", arg0)") T("strtoll(" A ", 16)") T("strtoll(" A ", 36)") },
	{ "json", JSON, false, T("json(" A ", " B ")") T("json(" A ", \"a\")") T("json(" A ", \"[1]\")") },
	{ "json", JSON, false, T("json(" A ", " B ")") T("json(" A ", \"[0].a\")") },
	{ "inet_ntoa", ANY, true, T("inet_ntoa(copyin(arg8, 4))") },
	{ "inet_ntoa6", ANY, true, T("inet_ntoa6(copyin(arg8, 16))") T("inet_ntoa6(copyin(arg8, 16), 1)") },
	{ "inet_ntop", ANY, true,
	    T("inet_ntop(2, copyin(arg8, 4))") T("inet_ntop(10, copyin(arg8, 16))")
	    T("inet_ntop(arg0, copyin(arg8, 16))") },
	{ "link_ntop", ANY, true,
	    T("link_ntop(1, copyin(arg8, 6))") T("link_ntop(32, copyin(arg8, 20))")
	    T("link_ntop(arg0, copyin(arg8, 20))") },
	{ "uuidstr", ANY, true, T("uuidstr(copyin(arg8, 16))") },
	{ "memstr", ANY, true, T("memstr(copyin(arg8, 32), '.', 9)") T("memstr(copyin(arg8, 32), 'x', 0)")
	    T("memstr(copyin(arg8, 32), arg0, 32)") },
	/* null strings and bad addresses; one call's result in another's argument */
	{ "faults", WORDS, false, T("strstr(NULL, " A ")") T("strstr(" A ", NULL)")
	    T("index((string)arg0, " A ")") T("json(" A ", NULL)")
	    T("basename(NULL)") T("strtok(" A ", NULL)") T("toupper(stringof(16))") T("strtoll(NULL)")
	    T("strtoll(NULL, 1)") },
	{ "nested", PATHS, false,
	    T("toupper(basename(dirname(cleanpath(" A "))))") T("substr(" A ", index(" A ", \"/\") + 1)")
	    T("strjoin(lltostr(strlen(" A ")), strjoin(\":\", substr(" A ", 1, 3)))")
	    T("strstr(strchr(" A ", '/'), \".\")") },
	/* scratch runs out: sixteen strings are all there is */
	{ "scratch", ANY, false, "BEGIN { trace(toupper(strjoin(" A ", " B "))); trace(tolower(" A ")); "
	    "trace(substr(" A ", 1)); trace(toupper(" B "));"
	    "trace(tolower(" A ")); trace(substr(" A ", 0)); trace(toupper(" B ")); "
	    "trace(toupper(" A ")); trace(toupper(" A ")); trace(toupper(" A ")); }" },
};
#define NCALLS (sizeof(calls) / sizeof(calls[0]))

/* Scratch is never less than four strings. */
static const struct { uint32_t str, scratch; } sizes[] = {
	{ 256, 0 }, { 8, 0 }, { 9, 0 }, { 15, 0 }, { 64, 0 }, { 1000, 0 }, { 4096, 0 }, { 256, 1024 },
	{ 64, 256 }, { 64, 300 }, { 8, 33 },
};

static void run(size_t i, bool show)
{
	choose(calls[i].kind, calls[i].binary);
	compare(calls[i].program, firings, FIRINGS, false);
	if (show)
		printf("%-12s strsize %4u: %6.2f ms to load\n", calls[i].name, strsize,
		    (double)open_ns / 1e6);
}

int main(int argc, char **argv)
{
	const char *only = argc > 2 ? argv[2] : NULL;
	char msg[512];
	if (argc > 1)
		seed = strtoull(argv[1], NULL, 0);
	if (dt_features_probe(&feat, msg, sizeof(msg)) != 0) {
		printf("runtime_test: %s\nruntime_test: 0 passed, 0 failed, 1 skipped\n", msg);
		return 0;
	}
	pin();
	for (size_t s = 0; s < sizeof(sizes) / sizeof(sizes[0]); s++) {
		strsize = sizes[s].str;
		scratchsize = sizes[s].scratch;
		for (size_t i = 0; i < NCALLS; i++) {
			if (!only || strcmp(only, "all") == 0 || strcmp(only, calls[i].name) == 0)
				run(i, only != NULL);
		}
	}
	return CHECK_DONE("runtime_test");
}
