/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The functions of src/runtime on strings and numbers: what each gives, written down by hand. The interpreter
 * and the kernel run the same C, so comparing these two would not find a mistake in it.
 */
#include "rt_call.h"

#include "base/count.h"

#define NONE UINT64_MAX
#define S(...) (&(const struct in){ __VA_ARGS__ })

/* ---- searches ---- */

static void test_chars(void)
{
	static const struct { dt_rt_fn *f; const char *a; int c; size_t size; uint64_t want; } cases[] = {
		{ dt_rt_strchr, "foobar", 'o', 0, 1 }, { dt_rt_strrchr, "foobar", 'o', 0, 2 },
		{ dt_rt_strchr, "foobar", 'f', 0, 0 }, { dt_rt_strrchr, "foobar", 'r', 0, 5 },
		{ dt_rt_strchr, "foobar", 'x', 0, NONE }, { dt_rt_strrchr, "foobar", 'x', 0, NONE },
		{ dt_rt_strchr, "foobar", 0, 0, 6 }, { dt_rt_strrchr, "foobar", 0, 0, 6 },
		{ dt_rt_strchr, "", 'x', 0, NONE }, { dt_rt_strchr, "", 0, 0, 0 },
		{ dt_rt_strrchr, "", 0, 0, 0 }, { dt_rt_strchr, "a\xff", 0xff, 0, 1 },
		{ dt_rt_strchr, "foobar", 0x100 + 'b', 0, 3 },	/* a char: the rest does not count */
		/* cut at strsize: what is beyond is not there */
		{ dt_rt_strchr, "1234567x", 'x', 8, NONE }, { dt_rt_strrchr, "1234567x", 'x', 8, NONE },
		{ dt_rt_strchr, "123456x8", 'x', 8, 6 }, { dt_rt_strrchr, "12345678", 0, 8, 7 },
	};

	for (size_t i = 0; i < DT_COUNT(cases); i++)
		if (!CHECK_INT(value_of(cases[i].f, S(.a = cases[i].a, .n = (uint64_t)cases[i].c,
		    .size = cases[i].size)), cases[i].want))
			fprintf(stderr, "\tcase %zu: \"%s\"\n", i, cases[i].a);
}

static void test_texts(void)
{
	static const struct { dt_rt_fn *f; const char *a, *b; int64_t from; uint64_t want; } cases[] = {
		{ dt_rt_strstr, "foobar", "ob", 0, 2 }, { dt_rt_strstr, "foobar", "", 0, 0 },
		{ dt_rt_strstr, "", "", 0, 0 }, { dt_rt_strstr, "", "a", 0, NONE },
		{ dt_rt_strstr, "foobar", "foobar", 0, 0 }, { dt_rt_strstr, "foobar", "foobars", 0, NONE },
		{ dt_rt_strstr, "aaaaaaaab", "aab", 0, 6 },
		{ dt_rt_strstr, "abcdefghabcdefghi", "abcdefghi", 0, 8 },
		{ dt_rt_strstr, "abcdefghabcdefgh", "abcdefghi", 0, NONE },
		{ dt_rt_index, "foobarbaz", "ba", INT64_MIN, 3 }, { dt_rt_index, "foobarbaz", "ba", 4, 6 },
		{ dt_rt_index, "foobarbaz", "ba", 7, NONE }, { dt_rt_index, "foobarbaz", "ba", -9, 3 },
		{ dt_rt_index, "foo", "", 2, 2 }, { dt_rt_index, "foo", "", 3, 3 },
		{ dt_rt_index, "foo", "", 9, 3 }, { dt_rt_index, "foo", "o", 3, NONE },
		{ dt_rt_index, "", "", 5, 0 }, { dt_rt_index, "", "a", -1, NONE },
		{ dt_rt_rindex, "foobarbaz", "ba", INT64_MIN, 6 },
		{ dt_rt_rindex, "foobarbaz", "ba", 5, 3 }, { dt_rt_rindex, "foobarbaz", "ba", 3, 3 },
		{ dt_rt_rindex, "foobarbaz", "ba", 2, NONE }, { dt_rt_rindex, "foobarbaz", "ba", 99, 6 },
		{ dt_rt_rindex, "foo", "", INT64_MIN, 3 }, { dt_rt_rindex, "foo", "", 1, 1 },
		{ dt_rt_rindex, "foo", "", -1, 0 }, { dt_rt_rindex, "foo", "f", -1, NONE },
		{ dt_rt_rindex, "foo", "foot", INT64_MIN, NONE }, { dt_rt_rindex, "", "a", 0, NONE },
		{ dt_rt_rindex, "", "", INT64_MIN, 0 },
	};

	for (size_t i = 0; i < DT_COUNT(cases); i++)
		if (!CHECK_INT(value_of(cases[i].f, S(.a = cases[i].a, .b = cases[i].b,
		    .n = (uint64_t)cases[i].from, .m = cases[i].from != INT64_MIN)), cases[i].want))
			fprintf(stderr, "\tcase %zu: \"%s\" \"%s\"\n", i, cases[i].a, cases[i].b);
}

/* Strings that are much alike: the plain search gives up, and the other one goes on. */
static void test_alike(void)
{
	enum { LONG = 4000, PART = 1500 };
	static char a[LONG + 2], b[PART + 2];

	memset(a, 'a', LONG);
	memset(b, 'a', PART);
	a[LONG] = b[PART] = 'b';
	CHECK_INT(value_of(dt_rt_strstr, S(.a = a, .b = b, .size = 4096)), LONG - PART);
	CHECK_INT(value_of(dt_rt_rindex, S(.a = a, .b = b, .size = 4096)), LONG - PART);
	a[0] = b[0] = 'b';
	b[PART] = '\0';
	CHECK_INT(value_of(dt_rt_rindex, S(.a = a, .b = b, .size = 4096)), 0);
	b[PART / 2] = 'c';
	CHECK_INT(value_of(dt_rt_strstr, S(.a = a, .b = b, .size = 4096)), NONE);
	CHECK_INT(value_of(dt_rt_rindex, S(.a = a, .b = b, .size = 4096)), NONE);
}

static void test_strmatch(void)
{
	static const struct { const char *a, *pattern; int want; } cases[] = {
		{ "", "", 1 }, { "", "*", 1 }, { "", "?", 0 }, { "a", "", 0 }, { "abc", "a*c", 1 },
		{ "abc", "a?c", 1 }, { "abc", "a?", 0 }, { "aXbXc", "*X*c", 1 }, { "b", "[a-c]", 1 },
		{ "b", "[!a-c]", 0 }, { "]", "[]]", 1 }, { "-", "[a-]", 1 }, { "*", "\\*", 1 },
		{ "a", "\\*", 0 }, { "[a", "[a", 1 }, { "a\\", "a\\", 1 }, { "a/b.c", "*", 1 },
		{ "\xff", "[\x80-\xff]", 1 }, { "aaaaaaaaaaaaaaab", "*a*a*a*a*b", 1 },
		{ "aaaaaaaaaaaaaaac", "*a*a*a*a*b", 0 },
	};
	static char a[65000], b[32000];

	for (size_t i = 0; i < DT_COUNT(cases); i++)
		if (!CHECK_INT(value_of(dt_rt_strmatch, S(.a = cases[i].a, .b = cases[i].pattern)),
		    cases[i].want))
			fprintf(stderr, "\tcase %zu: \"%s\" \"%s\"\n", i, cases[i].a, cases[i].pattern);
	/* more steps than there are is an answer of its own */
	memset(a, 'a', sizeof(a) - 1);
	memset(b, 'a', sizeof(b) - 1);
	b[0] = '*';
	b[sizeof(b) - 2] = 'b';
	CHECK_INT(value_of(dt_rt_strmatch, S(.a = a, .b = b, .size = 65536)), 2);
}

/* ---- strings of strings ---- */

static void test_substr(void)
{
	static const struct { const char *a; int64_t at, n; size_t size; const char *want; } cases[] = {
		{ "abcdef", 0, INT32_MAX, 0, "abcdef" }, { "abcdef", 2, 2, 0, "cd" },
		{ "abcdef", -2, INT32_MAX, 0, "ef" }, { "abcdef", -3, 1, 0, "d" },
		{ "abcdef", 5, 1, 0, "f" }, { "abcdef", 6, 1, 0, "" }, { "abcdef", 99, 3, 0, "" },
		{ "abcdef", 1, -2, 0, "bcd" }, { "abcdef", 1, -5, 0, "" }, { "abcdef", 1, -9, 0, "" },
		{ "abcdef", -9, 5, 0, "ab" }, { "abcdef", -9, 3, 0, "" }, { "abcdef", -6, 0, 0, "" },
		{ "", 0, 5, 0, "" }, { "", -1, 5, 0, "" }, { "abcdef", INT32_MIN, INT32_MAX, 0, "abcde" },
		{ "abcdef", INT32_MAX, INT32_MAX, 0, "" }, { "abcdef", 0, INT32_MIN, 0, "" },
		{ "abcdef", INT32_MIN, INT32_MIN, 0, "" },
		{ "12345678", 0, INT32_MAX, 8, "1234567" }, { "12345678", -1, 9, 8, "7" },
	};

	for (size_t i = 0; i < DT_COUNT(cases); i++)
		if (!CHECK_STR(text_of(dt_rt_substr, S(.a = cases[i].a, .n = (uint64_t)cases[i].at,
		    .m = (uint64_t)cases[i].n, .size = cases[i].size)), cases[i].want))
			fprintf(stderr, "\tcase %zu\n", i);
}

/* Each token and where the next call goes on. */
static void test_strtok(void)
{
	static const struct { const char *a, *b; uint64_t pos; const char *want; uint64_t next; } cases[] = {
		{ "a,b;;c", ",;", 0, "a", 1 }, { "a,b;;c", ",;", 1, "b", 3 }, { "a,b;;c", ",;", 3, "c", 6 },
		{ "a,b;;c", ",;", 6, "(none)", 6 }, { ",,", ",", 0, "(none)", 2 },
		{ "", ",", 0, "(none)", 0 },
		{ "ab", "", 0, "ab", 2 }, { "  ab  ", " ", 0, "ab", 4 },
		{ "a\xff\x80z", "\x80\xff", 0, "a", 1 },
		{ "abc", "abc", 0, "(none)", 3 }, { "1234567890", ",", 0, "1234567", 7 },
	};

	for (size_t i = 0; i < DT_COUNT(cases); i++) {
		const struct in in = { .a = cases[i].a, .b = cases[i].b, .pos = cases[i].pos,
			.size = strlen(cases[i].a) > 8 ? 8 : 0 };

		if (!CHECK_STR(text_of(dt_rt_strtok, &in), cases[i].want) ||
		    !CHECK_INT(result_words.w.pos, cases[i].next))
			fprintf(stderr, "\tcase %zu\n", i);
	}
}

static void test_case(void)
{
	CHECK_STR(text_of(dt_rt_case, S(.a = "aBc-z9\xe9`{", .n = 'a')), "ABC-Z9\xe9`{");
	CHECK_STR(text_of(dt_rt_case, S(.a = "aBC-Z[@\xc9", .n = 'A')), "abc-z[@\xc9");
	CHECK_STR(text_of(dt_rt_case, S(.a = "", .n = 'A')), "");
	CHECK_STR(text_of(dt_rt_case, S(.a = "abcdefgh", .n = 'a', .size = 8)), "ABCDEFG");
}

/* The caller has put the bytes into d. */
static void test_memstr(void)
{
	static const struct { uint64_t la; const char *want; uint64_t len; } cases[] = {
		{ 0, "", 1 }, { 4, "a.b.", 5 }, { 7, "a.b..cd", 8 },
	};

	for (size_t i = 0; i < DT_COUNT(cases); i++) {
		uint8_t *d = malloc(8);
		struct dt_work w = { .la = cases[i].la, .n = '.' };

		memcpy(d, "a\0b\0\0cdX", 8);
		CHECK_INT(dt_rt_memstr(NULL, NULL, d, &w, 8, env()), cases[i].len);
		CHECK_STR((const char *)d, cases[i].want);
		free(d);
	}
}

static const char *argv_of(uint64_t at, size_t size, bool *bad)
{
	const char *text = text_of(dt_rt_argv, S(.pos = at, .n = 8, .size = size, .twice = true));

	*bad = result_words.w.out != 0;
	return text;
}

static void test_argv(void)
{
	uint64_t array = USER + 0x100, strings = USER + 0x800, end = USER + MEMORY;
	bool bad;

	memcpy(world.user + 0x800, "one\0two\0\0three", 15);
	put_user(array, strings);
	put_user(array + 8, strings + 4);
	put_user(array + 16, strings + 8);
	put_user(array + 24, strings + 9);
	put_user(array + 32, 0);
	CHECK_STR(argv_of(array, 256, &bad), "one two  three");
	CHECK(!bad);
	CHECK_STR(argv_of(array, 8, &bad), "one two");
	CHECK_STR(argv_of(array, 12, &bad), "one two  th");
	CHECK_STR(argv_of(array + 32, 256, &bad), "");
	put_user(array + 8, 1);			/* not there */
	CHECK_STR(argv_of(array, 256, &bad), "one ?  three");
	CHECK(!bad);
	world.user[MEMORY - 3] = world.user[MEMORY - 2] = world.user[MEMORY - 1] = 'x';
	put_user(array + 8, end - 3);		/* memory ends before the string does */
	CHECK_STR(argv_of(array, 256, &bad), "one ?  three");
	CHECK_STR(argv_of(array, 5, &bad), "one ");	/* no room for the question mark */
	CHECK_STR(argv_of(array, 6, &bad), "one ?");
	CHECK(!bad);
	CHECK_STR(argv_of(7, 256, &bad), "");	/* the array is not there */
	CHECK(bad);
	put_user(end - 8, strings);		/* the array ends without a null pointer */
	argv_of(end - 8, 256, &bad);
	CHECK(bad);
	CHECK_INT(result_words.w.pos, end);
	put_user(array, (strings + 4) << 32 | strings);	/* of a 32-bit program */
	put_user(array + 8, 0);
	CHECK_STR(text_of(dt_rt_argv, S(.pos = array, .n = 4, .twice = true)), "one two");
}

/* ---- numbers ---- */

static void test_numbers(void)
{
	static const struct { int64_t v; uint64_t base; size_t size; const char *want; } cases[] = {
		{ 0, 10, 0, "0" }, { -1, 10, 0, "-1" }, { INT64_MIN, 10, 0, "-9223372036854775808" },
		{ INT64_MAX, 10, 0, "9223372036854775807" }, { 8, 8, 0, "010" }, { 0, 8, 0, "0" },
		{ 255, 16, 0, "0xff" }, { 0, 16, 0, "0x0" }, { -1, 16, 0, "0xffffffffffffffff" },
		{ 5, 2, 0, "101" }, { 35, 36, 0, "z" }, { -1, 36, 0, "3w5e11264sgsf" },
		{ -1, 2, 0, "1111111111111111111111111111111111111111111111111111111111111111" },
		{ 123456789, 10, 8, "1234567" }, { 1, 1, 0, "(none)" }, { 1, 0, 0, "(none)" },
	};
	static const struct { const char *a; uint64_t base; int64_t want; } tolls[] = {
		{ "", 10, 0 }, { "0", 10, 0 }, { "  -12x", 10, -12 }, { "\t\n\v\f\r +7", 10, 7 },
		{ "ff", 16, 255 }, { "0xFf", 16, 255 }, { "0x", 16, 0 }, { "0xg", 16, 0 },
		{ "-0x10", 16, -16 },
		{ "0x1f", 10, 0 }, { "zZ", 36, 1295 }, { "12", 2, 1 }, { "--1", 10, 0 }, { "+-1", 10, 0 },
		{ "- 1", 10, 0 }, { "9223372036854775807", 10, INT64_MAX },
		{ "-9223372036854775808", 10, INT64_MIN }, { "18446744073709551616", 10, 0 },
		{ "18446744073709551617", 10, 1 },
	};

	for (size_t i = 0; i < DT_COUNT(cases); i++)
		if (!CHECK_STR(text_of(dt_rt_lltostr, S(.n = (uint64_t)cases[i].v, .m = cases[i].base,
		    .size = cases[i].size)), cases[i].want))
			fprintf(stderr, "\tcase %zu\n", i);
	for (size_t i = 0; i < DT_COUNT(tolls); i++)
		if (!CHECK_INT(value_of(dt_rt_strtoll, S(.a = tolls[i].a, .n = tolls[i].base)),
		    tolls[i].want))
			fprintf(stderr, "\t\"%s\" in base %d\n", tolls[i].a, (int)tolls[i].base);
	CHECK_INT(value_of(dt_rt_strtoll, S(.a = "12345678", .n = 10, .size = 8)), 1234567);
	CHECK_INT(value_of(dt_rt_strtoll, S(.a = "000000x1", .n = 16, .size = 8)), 0);
	CHECK_INT(value_of(dt_rt_strtoll, S(.a = "    0x1f", .n = 16, .size = 8)), 1);
}

/* A clock that goes on by 1000 at each look: the first look is the start. */
static void test_chill(void)
{
	struct dt_work w = { .n = 5000 };

	world.clock = 0;
	CHECK_INT(dt_rt_chill(NULL, NULL, NULL, &w, 256, env()), 0);
	CHECK(world.clock >= 6000 && world.clock < 20000);
}

static void test_addresses(void)
{
	static const struct { dt_rt_fn *f; const char *bytes; uint64_t strict; const char *want; } cases[] = {
		{ dt_rt_inet4, "\0\0\0\0", 0, "0.0.0.0" }, { dt_rt_inet4, "\x7f\0\0\1", 0, "127.0.0.1" },
		{ dt_rt_inet4, "\xff\xff\xff\xff", 0, "255.255.255.255" },
		{ dt_rt_inet4, "\x0a\x63\x64\xc8", 0, "10.99.100.200" },
		{ dt_rt_inet6, "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 0, "::" },
		{ dt_rt_inet6, "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\1", 0, "::1" },
		{ dt_rt_inet6, "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\2", 1, "::0.0.0.2" },
		{ dt_rt_inet6, "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\2", 0, "0.0.0.2" },
		{ dt_rt_inet6, "\0\0\0\0\0\0\0\0\0\0\xff\xff\1\2\3\4", 1, "::ffff:1.2.3.4" },
		{ dt_rt_inet6, "\0\0\0\0\0\0\0\0\0\0\xff\xff\1\2\3\4", 0, "1.2.3.4" },
		{ dt_rt_inet6, "\x20\1\x0d\xb8\0\0\0\0\0\1\0\0\0\0\0\1", 0, "2001:db8::1:0:0:1" },
		{ dt_rt_inet6, "\x20\1\0\0\0\0\0\1\0\0\0\0\0\0\0\1", 0, "2001:0:0:1::1" },
		{ dt_rt_inet6, "\0\1\0\2\0\3\0\4\0\5\0\6\0\0\0\x08", 0, "1:2:3:4:5:6:0:8" },
		{ dt_rt_inet6, "\xfe\x80\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 0, "fe80::" },
		{ dt_rt_inet6, "\x12\x34\x0a\xbc\0\xff\0\x0f\xff\xff\xff\xff\xff\xff\xff\xff", 0,
		    "1234:abc:ff:f:ffff:ffff:ffff:ffff" },
	};
	static const char bytes[] =
	    "\x00\x01\x0a\xa0\xff\x10\x11\x12\x13\x14\x15\x16\x17\x18\x19\x1a\x1b\x1c\x1d";

	for (size_t i = 0; i < DT_COUNT(cases); i++)
		if (!CHECK_STR(text_of(cases[i].f, S(.a = cases[i].bytes,
		    .la = cases[i].f == dt_rt_inet4 ? 4 : 16, .m = cases[i].strict)), cases[i].want))
			fprintf(stderr, "\tcase %zu\n", i);
	CHECK_STR(text_of(dt_rt_inet4, S(.a = "\xff\xff\xff\xff", .la = 4, .size = 8)), "255.255");
	CHECK_STR(text_of(dt_rt_hexbytes, S(.a = bytes, .la = 6, .n = ':', .m = 0x3e, .y = 'a')),
	    "00:01:0a:a0:ff:10");
	CHECK_STR(text_of(dt_rt_hexbytes, S(.a = bytes, .la = 20, .n = ':', .m = 0xffffe, .y = 'a')),
	    "00:01:0a:a0:ff:10:11:12:13:14:15:16:17:18:19:1a:1b:1c:1d:00");
	CHECK_STR(text_of(dt_rt_hexbytes, S(.a = bytes, .la = 16, .n = '-', .m = 0x550, .y = 'A')),
	    "00010AA0-FF10-1112-1314-15161718191A");
	CHECK_STR(text_of(dt_rt_hexbytes, S(.a = bytes, .la = 6, .n = ':', .m = 0x3e, .y = 'a', .size = 8)),
	    "00:01:0");
}

/* ---- paths ---- */

static void test_paths(void)
{
	static const struct { const char *a, *base, *dir, *clean; } cases[] = {
		{ "", ".", ".", "" }, { "/", "/", "/", "/" }, { "//", "/", "/", "/" }, { ".", ".", ".", "." },
		{ "..", "..", ".", ".." }, { "a", "a", ".", "a" }, { "a/", "a", ".", "a/" },
		{ "/a", "a", "/", "/a" }, { "//a", "a", "/", "/a" }, { "/a/b/", "b", "/a", "/a/b/" },
		{ "a//b", "b", "a", "a/b" }, { "/a//b//", "b", "/a", "/a/b/" },
		{ "a/../b", "b", "a/..", "b" },
		{ "../../a", "a", "../..", "../../a" }, { "a/../../b", "b", "a/../..", "../b" },
		{ "/..", "..", "/", "/" }, { "/../../a", "a", "/../..", "/a" }, { "/./.", ".", "/.", "/" },
		{ "./a", "a", ".", "./a" }, { "/a/b/..", "..", "/a/b", "/a/" },
		{ "/a/b/../../../../", "..", "/a/b/../../..", "/" }, { "a/.../b", "b", "a/...", "a/.../b" },
		{ "/..a/.b", ".b", "/..a", "/..a/.b" },
		{ "/usr/lib/../bin//x/.", ".", "/usr/lib/../bin//x", "/usr/bin/x/" },
	};

	for (size_t i = 0; i < DT_COUNT(cases); i++) {
		const struct in *in = S(.a = cases[i].a);

		if (!CHECK_STR(text_of(dt_rt_basename, in), cases[i].base) ||
		    !CHECK_STR(text_of(dt_rt_dirname, in), cases[i].dir) ||
		    !CHECK_STR(text_of(dt_rt_cleanpath, in), cases[i].clean))
			fprintf(stderr, "\t\"%s\"\n", cases[i].a);
	}
	CHECK_STR(text_of(dt_rt_basename, S(.a = "/a/bcdefgh", .size = 8)), "bcde");
	CHECK_STR(text_of(dt_rt_dirname, S(.a = "/abcdef/gh", .size = 8)), "/");
	CHECK_STR(text_of(dt_rt_cleanpath, S(.a = "//////////", .size = 8)), "/");
	CHECK_STR(text_of(dt_rt_cleanpath, S(.a = "/a/bb/../c", .size = 8)), "/a/bb/");
}

/* ---- json ---- */

static void test_json(void)
{
	static const struct { const char *text, *path, *want; } cases[] = {
		{ "", "a", "(none)" }, { "{", "a", "(none)" }, { "{}", "a", "(none)" },
		{ "[]", "[0]", "(none)" },
		{ "{\"a\":1}", "a", "1" }, { "{\"a\":1}", "", "(none)" }, { "{\"\":1}", "", "1" },
		{ "[1,5,10]", "[2]", "10" }, { "[1,5,10]", "2", "10" }, { "[1,5,10]", "[3]", "(none)" },
		{ "[1]", "[-1]", "(none)" }, { "[1]", "[01]", "(none)" }, { "[1]", "[00]", "1" },
		{ "[1]", "[12345678901]", "(none)" }, { "[1]", "[00000000000]", "(none)" },
		{ "[1]", "[0000000000]", "1" }, { "{\"a\":+1}", "a", "(none)" },
		{ "[[1,2],[3,4]]", "[1][0]", "3" },
		{ "{\"a\":[1,{\"b\":\"x\"}]}", "a[1].b", "x" },
		{ "{\"a\":[1,{\"b\":\"x\"}]}", "a[1].b.c", "(none)" },
		{ "{\"a\":\"q\\\"\\u00e9\\n\"}", "a", "q\\\"\\u00e9\\n" },
		{ "{\"a\":\"\\x\"}", "a", "(none)" },
		{ "{\"a\":\"\\u12g4\"}", "a", "(none)" }, { "{\"a\":-1.5e+3}", "a", "-1.5e+3" },
		{ "{\"a\":1.}", "a", "(none)" }, { "{\"a\":0x10 }", "a", "(none)" },
		{ "{\"a\":tru}", "a", "(none)" },
		{ "{\"a\":true}", "a", "true" }, { "{\"a\":null }", "a", "null" },
		{ "{\"a\":1", "a", "(none)" },
		{ "{\"a\":\"cut", "a", "(none)" }, { "{\"a\":{\"b\":[]} }", "a", "{\"b\":[]}" },
		{ "{\"b\":[[}],\"a\":1}", "a", "(none)" }, { "{\"b\":[[[[]]]],\"a\":false }", "a", "false" },
		{ " [ 1 , 2 ] ", "[1]", "2" }, { "{\"aa\":1,\"a\":2}", "a", "2" },
		{ "{\"a.b\":6}", "a.b", "(none)" },
		{ "{\"a\":1}", "a[", "(none)" }, { "{\"a\":1}", "a.", "(none)" }, { "[1]", "[0]x", "(none)" },
		{ "[fine, 1]", "[1]", "(none)" }, { "{\"a\" 1}", "a", "(none)" },
		{ "{\"a\":1,}", "b", "(none)" },
	};
	char deep[400];

	for (size_t i = 0; i < DT_COUNT(cases); i++)
		if (!CHECK_STR(text_of(dt_rt_json, S(.a = cases[i].text, .b = cases[i].path)), cases[i].want))
			fprintf(stderr, "\t%s of %s\n", cases[i].path, cases[i].text);
	CHECK_STR(text_of(dt_rt_json, S(.a = "{\"a\":1}", .b = "a", .size = 8)), "1");
	/* a number that may have been cut off is none */
	CHECK_STR(text_of(dt_rt_json, S(.a = "{\"a\":12}", .b = "a", .size = 8)), "(none)");
	for (int depth = 128; depth <= 129; depth++) {	/* the groups inside the element's one */
		memset(deep, 0, sizeof(deep));
		deep[0] = '[';
		memset(deep + 1, '[', (size_t)depth);
		memset(deep + 1 + depth, ']', (size_t)depth);
		strcat(deep, ",7]");
		CHECK_STR(text_of(dt_rt_json, S(.a = deep, .b = "[1]", .size = 400)), depth == 128 ? "7" :
		    "(none)");
	}
}

/* ---- buffers that keep no promise ---- */

/*
 * No NUL anywhere, and any words: in the kernel the verifier proves that a function stays in its buffers,
 * here the sanitizer watches. A string that comes out has its limit, and an offset lies inside.
 */
static void test_hostile(void)
{
	static dt_rt_fn *const functions[] = { dt_rt_strchr, dt_rt_strrchr, dt_rt_strstr, dt_rt_index,
		dt_rt_rindex, dt_rt_strmatch, dt_rt_substr, dt_rt_strtok, dt_rt_case, dt_rt_lltostr,
		dt_rt_basename, dt_rt_dirname, dt_rt_cleanpath, dt_rt_json, dt_rt_strtoll };
	static const uint8_t letters[] = "a/.{[\",:1\\*?]-";
	uint64_t seed = 1;

	for (int round = 0; round < 20000; round++) {
		size_t size = 32, len = (seed >> 33) % size;
		uint8_t *a = malloc(size + DT_RT_AFTER), *b = malloc(size + DT_RT_AFTER), *d = malloc(size);
		union words w;
		uint64_t v;

		for (size_t i = 0; i < size + DT_RT_AFTER; i++) {
			seed = seed * 6364136223846793005u + 1442695040888963407u;
			a[i] = letters[(seed >> 33) % (sizeof(letters) - 1)];
			b[i] = letters[(seed >> 43) % (sizeof(letters) - 1)];
		}
		memset(&w, 0, sizeof(w));
		w.w = (struct dt_work){ .la = len, .lb = (seed >> 40) % size, .n = (seed >> 50) % 40,
			.m = (seed >> 35) % 37, .pos = (seed >> 45) % size };
		v = functions[round % DT_COUNT(functions)](a, b, d, &w.w, size, env());
		CHECK(v <= size || v == NONE || functions[round % DT_COUNT(functions)] == dt_rt_strtoll);
		free(a);
		free(b);
		free(d);
	}
}

int main(void)
{
	test_chars();
	test_texts();
	test_alike();
	test_strmatch();
	test_substr();
	test_strtok();
	test_case();
	test_memstr();
	test_argv();
	test_numbers();
	test_chill();
	test_addresses();
	test_paths();
	test_json();
	test_hostile();
	return CHECK_DONE("rt_test");
}
