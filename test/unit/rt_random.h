/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Pairs of strings for the tests of src/runtime: edge cases by hand, then random ones of a few letters that
 * mean something to the function (slashes, digits, brackets). The same seed gives the same pairs.
 */
#ifndef RT_RANDOM_H
#define RT_RANDOM_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define TEXT_MAX 5000

static uint64_t seed = 1;

static inline uint32_t chance(uint32_t n)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(seed >> 33) % n;
}

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

static inline size_t count(const char *const *list, size_t max)
{
	size_t n = 0;

	while (n < max && list[n])
		n++;
	return n;
}

/* Pair i: first every edge case, then chance. The second text is often part of the first. */
static inline void choose_texts(uint32_t i, enum alphabet kind, size_t size, char *a, char *b)
{
	size_t nedges = kind == ANY || kind == GLOBS ? 0 : count(edges[kind], 32), n = 0,
	    max = size + 20 < TEXT_MAX ? size + 20 : TEXT_MAX - 1;

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

#endif
