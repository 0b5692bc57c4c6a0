/* SPDX-License-Identifier: BSD-2-Clause */
/* Every subroutine, by tables of arguments and results, called through DIF. */
#include "base/count.h"
#include "check.h"
#include "dif/builtin.h"
#include "interp/interp.h"

#include <fnmatch.h>
#include <inttypes.h>
#include <stdlib.h>

#define U 0x1000u		/* user memory */
#define K 0xffff0000u		/* kernel memory */
#define NONE INT32_MIN		/* no third argument */

static uint8_t user_bytes[64], kernel_bytes[256], readonly_bytes[8];
static struct dt_region regions[] = {
	{ .addr = U, .len = sizeof(user_bytes), .bytes = user_bytes, .user = true, .writable = true },
	{ .addr = 0x2000, .len = 8, .bytes = readonly_bytes, .user = true },
	{ .addr = K, .len = sizeof(kernel_bytes), .bytes = kernel_bytes },
};
static const uint32_t ancestors[] = { 50, 7, 1 };
static const uint64_t files[] = { K + 8, 0, K + 16 };
static const struct dt_image_path paths[] = { { K + 32, "/etc/passwd" } };

/* A call under construction: strings go to the string table, numbers to the integers. */
struct call {
	char strs[1024];
	uint32_t strlen;
	uint64_t ints[16];
	uint32_t nints;
	uint32_t text[64];
	uint32_t ntext;
};

static struct call start(void)
{
	struct call c = { .strlen = 1 };

	c.ints[c.nints++] = 0;
	c.text[c.ntext++] = dt_dif_fmt(DT_DIF_FLUSHTS, 0, 0, 0);
	return c;
}

static void arg_int(struct call *c, uint64_t v)
{
	c->ints[c->nints] = v;
	c->text[c->ntext++] = dt_dif_fmt16(DT_DIF_SETX, c->nints++, 1);
	c->text[c->ntext++] = dt_dif_fmt(DT_DIF_PUSHTV, 0, 0, 1);
}

static void arg_str(struct call *c, const char *s)
{
	if (s) {
		c->text[c->ntext++] = dt_dif_fmt16(DT_DIF_SETS, c->strlen, 1);
		strcpy(c->strs + c->strlen, s);
		c->strlen += (uint32_t)strlen(s) + 1;
	}
	c->text[c->ntext++] = dt_dif_fmt16(DT_DIF_SETX, 0, 2);
	c->text[c->ntext++] = dt_dif_fmt(DT_DIF_PUSHTR, 1, 2, s ? 1 : 0);
}

static struct dt_interp *machine;
static enum dt_fault fault;
static uint64_t fault_addr;
static struct dt_context context = { .probe = { "p", "m", "f", "n", 0 }, .pid = 100, .ppid = 50,
	.ancestors = ancestors, .nancestors = 3, .regions = regions, .nregions = 3, .curthread = K + 64,
	.random = 12345, .files = files, .nfiles = 3, .paths = paths, .npaths = 1 };
static struct dt_difo last;
static struct call kept;		/* what `last` points to: results may point into it */

static uint64_t finish(struct call *c, const char *name)
{
	const struct dt_builtin *row = dt_builtin_find(name);
	char msg[200] = "";

	kept = *c;
	if (!CHECK(row && row->kind == DT_BI_SUBR))
		return 0;
	kept.text[kept.ntext++] = dt_dif_fmt16(DT_DIF_CALL, row->id, 1);
	kept.text[kept.ntext++] = dt_dif_fmt(DT_DIF_RET, 0, 0, 1);
	last = (struct dt_difo){ .text = kept.text, .ntext = kept.ntext, .ints = kept.ints,
		.nints = kept.nints, .strs = kept.strs, .strlen = kept.strlen, .rtype = { .size = 8 },
		.destructive = row->flags & DT_BF_DESTRUCTIVE };
	if (!CHECK(dt_difo_check(&last, msg, sizeof(msg)) == 0))
		fprintf(stderr, "\t%s: %s\n", name, msg);
	return dt_interp_run(machine, &context, &last, &fault, NULL, &fault_addr);
}

static const char *text_of(uint64_t addr)
{
	bool null;
	const char *s = dt_interp_string(machine, addr, &null);

	return fault ? dt_fault_text((int)fault) : null ? "NULL" : s;
}

static uint64_t call_s(const char *name, const char *a)
{
	struct call c = start();

	arg_str(&c, a);
	return finish(&c, name);
}

static uint64_t call_si(const char *name, const char *a, int64_t i)
{
	struct call c = start();

	arg_str(&c, a);
	if (i != NONE)
		arg_int(&c, (uint64_t)i);
	return finish(&c, name);
}

static uint64_t call_ss(const char *name, const char *a, const char *b, int64_t i)
{
	struct call c = start();

	arg_str(&c, a);
	arg_str(&c, b);
	if (i != NONE)
		arg_int(&c, (uint64_t)i);
	return finish(&c, name);
}

static uint64_t call_n(const char *name, unsigned n, uint64_t x, uint64_t y, uint64_t z)
{
	struct call c = start();
	const uint64_t v[] = { x, y, z };

	for (unsigned i = 0; i < n; i++)
		arg_int(&c, v[i]);
	return finish(&c, name);
}

/* ---- strings ---- */

static void test_string_to_string(void)
{
	static const struct { const char *name, *arg, *want; } cases[] = {
		{ "basename", "", "." }, { "basename", "/", "/" }, { "basename", "///", "/" },
		{ "basename", "a", "a" }, { "basename", "/a/b/", "b" },
		{ "basename", "/a//b//", "b" }, { "basename", "a/b", "b" },
		{ "basename", NULL, "invalid address" }, { "dirname", "", "." }, { "dirname", "/", "/" },
		{ "dirname", "//", "/" }, { "dirname", "a", "." }, { "dirname", "a/", "." },
		{ "dirname", "/a", "/" }, { "dirname", "/a/b/", "/a" }, { "dirname", "a//b", "a" },
		{ "dirname", "//a", "/" }, { "cleanpath", "/foo/bar/baz", "/foo/bar/baz" },
		{ "cleanpath", "/foo/bar///baz/", "/foo/bar/baz/" },
		{ "cleanpath", "/foo/bar/baz//", "/foo/bar/baz/" },
		{ "cleanpath", "/foo/bar/baz/.", "/foo/bar/baz/" },
		{ "cleanpath", "/foo/../../baz/.//", "/baz/" }, { "cleanpath", "foo/./././baz/", "foo/baz/" },
		{ "cleanpath", "/a/b/../../../../", "/" }, { "cleanpath", "/..", "/" },
		{ "cleanpath", "./", "./" }, { "cleanpath", "//", "/" }, { "cleanpath", "/./.", "/" },
		{ "cleanpath", ".", "." }, { "cleanpath", "", "" }, { "cleanpath", "/a/b/..", "/a/" },
		{ "cleanpath", "a/../b", "b" }, { "cleanpath", "../../a", "../../a" },
		{ "cleanpath", "a/../../b", "../b" }, { "cleanpath", "/..a/.b/...", "/..a/.b/..." },
		{ "toupper", "aBc-z9\xe9", "ABC-Z9\xe9" }, { "tolower", "aBC-Z[@", "abc-z[@" },
		{ "toupper", "", "" }, { "tolower", NULL, "invalid address" },
	};

	for (size_t i = 0; i < DT_COUNT(cases); i++) {
		if (!CHECK_STR(text_of(call_s(cases[i].name, cases[i].arg)), cases[i].want))
			fprintf(stderr, "\t%s(\"%s\")\n", cases[i].name, cases[i].arg);
	}
	CHECK_INT(call_s("strlen", ""), 0);
	CHECK_INT(call_s("strlen", "abc"), 3);
	call_s("strlen", NULL);
	CHECK_INT(fault, DT_FLT_BADADDR);
}

static void test_numbers(void)
{
	static const struct { int64_t value, base; const char *want; } cases[] = {
		{ 0, NONE, "0" }, { -1, NONE, "-1" }, { INT64_MIN, 10, "-9223372036854775808" },
		{ 8, 8, "010" }, { 0, 8, "0" }, { 255, 16, "0xff" }, { 0, 16, "0x0" },
		{ -1, 16, "0xffffffffffffffff" }, { 5, 2, "101" }, { 35, 36, "z" },
		{ 1, 1, "illegal operation" }, { 1, 37, "illegal operation" },
		{ -1, 2, "1111111111111111111111111111111111111111111111111111111111111111" },
	};
	static const struct { const char *text; int64_t base, want; } tolls[] = {
		{ "0", NONE, 0 }, { "  -12x", NONE, -12 }, { "+7", NONE, 7 }, { "", NONE, 0 },
		{ "ff", 16, 255 }, { "0xFf", 16, 255 }, { "0x", 16, 0 },
		{ "zz", 36, 1295 }, { "12", 2, 1 }, { "9223372036854775807", NONE, INT64_MAX },
		{ "-9223372036854775808", NONE, INT64_MIN }, { "077", 8, 63 },
	};

	for (size_t i = 0; i < DT_COUNT(cases); i++)
		CHECK_STR(text_of(call_n("lltostr", cases[i].base == NONE ? 1 : 2, (uint64_t)cases[i].value,
		    (uint64_t)cases[i].base, 0)), cases[i].want);
	for (size_t i = 0; i < DT_COUNT(tolls); i++)
		CHECK_INT(call_si("strtoll", tolls[i].text, tolls[i].base), tolls[i].want);
	call_si("strtoll", "1", 1);
	CHECK_INT(fault, DT_FLT_ILLOP);
}

static void test_substr(void)
{
	static const struct { const char *s; int64_t at, len; const char *want; } cases[] = {
		{ "abcdef", 0, NONE, "abcdef" }, { "abcdef", 2, NONE, "cdef" }, { "abcdef", 2, 2, "cd" },
		{ "abcdef", -2, NONE, "ef" }, { "abcdef", -3, 1, "d" }, { "abcdef", 6, NONE, "" },
		{ "abcdef", 99, 3, "" }, { "abcdef", 1, -2, "bcd" }, { "abcdef", 1, -9, "" },
		{ "abcdef", -9, 5, "ab" }, { "abcdef", -9, 2, "" }, { "abcdef", -9, NONE, "abcdef" },
		{ "abcdef", 0, 0, "" }, { "", 0, 5, "" }, { "abcdef", 2, INT32_MAX, "cdef" },
		{ "abcdef", -2, -1, "e" }, { NULL, 0, 1, "invalid address" },
	};

	for (size_t i = 0; i < DT_COUNT(cases); i++) {
		struct call c = start();

		arg_str(&c, cases[i].s);
		arg_int(&c, (uint64_t)cases[i].at);
		if (cases[i].len != NONE)
			arg_int(&c, (uint64_t)cases[i].len);
		if (!CHECK_STR(text_of(finish(&c, "substr")), cases[i].want))
			fprintf(stderr, "\tcase %zu\n", i);
	}
}

static void test_find(void)
{
	static const struct { const char *name, *s, *sub; int64_t pos, want; } cases[] = {
		{ "index", "foobarbaz", "ba", NONE, 3 }, { "index", "foobarbaz", "ba", 4, 6 },
		{ "index", "foobarbaz", "x", NONE, -1 }, { "index", "foo", "", NONE, 0 },
		{ "index", "foo", "", 2, 2 }, { "index", "foo", "", 9, 3 }, { "index", "foo", "f", -5, 0 },
		{ "index", "foo", "o", 3, -1 }, { "index", "", "", NONE, 0 }, { "index", "", "", 5, 0 },
		{ "index", "", "a", NONE, -1 }, { "rindex", "foobarbaz", "ba", NONE, 6 },
		{ "rindex", "foobarbaz", "ba", 5, 3 }, { "rindex", "foobarbaz", "ba", 2, -1 },
		{ "rindex", "foo", "", NONE, 3 }, { "rindex", "foo", "", 1, 1 },
		{ "rindex", "foo", "", 99, 3 }, { "rindex", "foo", "", -1, 0 },
		{ "rindex", "foo", "f", -1, -1 }, { "rindex", "", "", NONE, 0 },
		{ "rindex", "", "a", NONE, -1 }, { "rindex", "foo", "foo", 99, 0 },
	};

	for (size_t i = 0; i < DT_COUNT(cases); i++) {
		if (!CHECK_INT(call_ss(cases[i].name, cases[i].s, cases[i].sub, cases[i].pos), cases[i].want))
			fprintf(stderr, "\tcase %zu\n", i);
	}
	CHECK_STR(text_of(call_ss("strstr", "foobar", "ob", NONE)), "obar");
	CHECK_STR(text_of(call_ss("strstr", "foobar", "", NONE)), "foobar");
	CHECK_STR(text_of(call_ss("strstr", "foobar", "x", NONE)), "NULL");
	CHECK_STR(text_of(call_si("strchr", "foobar", 'o')), "oobar");
	CHECK_STR(text_of(call_si("strrchr", "foobar", 'o')), "obar");
	CHECK_STR(text_of(call_si("strchr", "foobar", 'x')), "NULL");
	CHECK_STR(text_of(call_si("strchr", "foobar", 0)), "");
	CHECK_STR(text_of(call_ss("strjoin", "foo", "bar", NONE)), "foobar");
	CHECK_STR(text_of(call_ss("strjoin", "", "", NONE)), "");
	CHECK_STR(text_of(call_ss("strjoin", "a", NULL, NONE)), "invalid address");
}

/* Where POSIX says what a pattern is, strmatch() says what fnmatch(3) says. */
static void test_strmatch(void)
{
	static const char *const pieces[] = { "a", "b", "c", "*", "?", "[ab]", "[!ab]", "[a-c]", "[!b-c]",
		"[]a]", "[a-]", "\\*", "\\a", "[\\]]" };
	uint64_t seed = 7;

	for (int i = 0; i < 20000; i++) {
		char text[16] = "", pattern[64] = "";

		for (unsigned k = 0, n = (unsigned)(seed >> 33) % 9; k < n; k++) {
			seed = seed * 6364136223846793005u + 1442695040888963407u;
			text[k] = "abc]*-\\"[(seed >> 40) % 7];
		}
		for (unsigned k = 0, n = (unsigned)(seed >> 35) % 6; k < n; k++) {
			seed = seed * 6364136223846793005u + 1442695040888963407u;
			strcat(pattern, pieces[(seed >> 40) % DT_COUNT(pieces)]);
		}
		seed = seed * 6364136223846793005u + 1442695040888963407u;
		if (!CHECK_INT(call_ss("strmatch", text, pattern, NONE), fnmatch(pattern, text, 0) == 0))
			fprintf(stderr, "\t\"%s\" \"%s\"\n", text, pattern);
	}
	/* a [ that nothing closes, a backslash that nothing follows: characters */
	CHECK_INT(call_ss("strmatch", "[a", "[a", NONE), 1);
	CHECK_INT(call_ss("strmatch", "a", "[a", NONE), 0);
	CHECK_INT(call_ss("strmatch", "a\\", "a\\", NONE), 1);
	CHECK_INT(call_ss("strmatch", "\xc3\xa9", "[\xc3]?", NONE), 1);
}

/* Strings of at most 16 bytes. */
static void test_strsize(void)
{
	struct dt_interp *big = machine;

	machine = dt_interp_new(NULL, &(struct dt_interp_opts){ .strsize = 16 }, NULL);
	CHECK_STR(text_of(call_ss("strjoin", "12345678", "1234567", NONE)), "123456781234567");
	CHECK_STR(text_of(call_ss("strjoin", "12345678", "12345678", NONE)), "1234567812345678");
	CHECK_STR(text_of(call_ss("strjoin", "12345678", "123456789", NONE)), "out of scratch space");
	CHECK_STR(text_of(call_s("toupper", "abcdefghijklmnopqrst")), "ABCDEFGHIJKLMNOP");
	CHECK_INT(call_s("strlen", "abcdefghijklmnopqrst"), 16);
	dt_interp_free(machine);
	machine = big;
}

/* Several calls in one DIFO: the state is the firing's. */
static const char *tokens(const char *s, const char *seps, unsigned nth)
{
	struct call c = start();
	const struct dt_builtin *row = dt_builtin_find("strtok");

	arg_str(&c, s);
	arg_str(&c, seps);
	for (unsigned i = 0; i < nth; i++) {
		c.text[c.ntext++] = dt_dif_fmt16(DT_DIF_CALL, row->id, 1);
		c.text[c.ntext++] = dt_dif_fmt(DT_DIF_FLUSHTS, 0, 0, 0);
		arg_str(&c, NULL);
		arg_str(&c, seps);
	}
	return text_of(finish(&c, "strtok"));
}

static void test_strtok(void)
{
	CHECK_STR(tokens("a,b;;c", ",;", 0), "a");
	CHECK_STR(tokens("a,b;;c", ",;", 1), "b");
	CHECK_STR(tokens("a,b;;c", ",;", 2), "c");
	CHECK_STR(tokens("a,b;;c", ",;", 3), "NULL");
	CHECK_STR(tokens("a,b;;c", ",;", 4), "NULL");
	CHECK_STR(tokens(",,", ",", 0), "NULL");
	CHECK_STR(tokens("", ",", 0), "NULL");
	CHECK_STR(tokens("ab", "", 0), "ab");
	CHECK_STR(tokens(NULL, ",", 0), "NULL");	/* a firing that has no string yet */
	CHECK_STR(tokens("ab", NULL, 0), "invalid address");
}

static void test_json(void)
{
#define NESTED "{ \"top\": { \"mid\" : {\"legs\":\"feet\"}, \"n\": 9, " \
    "\"array\":[0,1,{\"a\":true,\"bb\":[1,{\"x\":\"yz\"}]}]}}"
	static const struct { const char *text, *path, *want; } cases[] = {
		{ "[]", "0", "NULL" }, { "[1]", "0", "1" }, { "[1]", "1", "NULL" }, { "[1]", "-1", "NULL" },
		{ "[0x1000]", "0", "NULL" }, { "[1.5]", "0", "1.5" }, { "[16.3e10]", "0", "16.3e10" },
		{ "[ \t 16E10 ]", "0", "16E10" }, { "[\"alpha\"]", "0", "alpha" },
		{ "[1,5,10]", "[2]", "10" }, { "[1,5,10]", "[3]", "NULL" },
		{ "[{\"a\":true}]", "0.a", "true" }, { "[\"s\",null]", "1", "null" },
		{ "[\"s\"]", "0.x", "NULL" }, { "[{\"a\":9, \"b\":false}]", "0", "{\"a\":9, \"b\":false}" },
		{ "[\"a \\\" \\\\ \\/ \\n \\u00Fe\", 2]", "0", "a \\\" \\\\ \\/ \\n \\u00Fe" },
		{ "[\"a \\\" \\u00Fe\", 2]", "1", "2" }, { "[\"fine\", \"\\u00AZ\", 3]", "0", "fine" },
		{ "[\"fine\", \"\\u00AZ\", 3]", "1", "NULL" }, { "[\"fine\", \"\\u00AZ\", 3]", "2", "NULL" },
		{ NESTED, "top.mid", "{\"legs\":\"feet\"}" }, { NESTED, "top.mid.legs", "feet" },
		{ NESTED, "top.n", "9" }, { NESTED, "top.array[1]", "1" },
		{ NESTED, "top.array[2].bb[1].x", "yz" }, { NESTED, "top.array[2].bb[1].x.more", "NULL" },
		{ NESTED, "fargo", "NULL" }, { "", "a", "NULL" }, { "{", "a", "NULL" },
		{ "{\"a\":1", "a", "NULL" }, { "{\"a\":\"1", "a", "NULL" }, { "{\"a\":1}", "a[", "NULL" },
		{ "{\"a\" 1}", "a", "NULL" }, { "{\"a\":tru}", "a", "NULL" }, { "{\"a\":-}", "a", "NULL" },
		{ "{\"\":1}", "", "1" }, { "[[[2]]]", "[0][0][0]", "2" },
	};

	for (size_t i = 0; i < DT_COUNT(cases); i++) {
		if (!CHECK_STR(text_of(call_ss("json", cases[i].text, cases[i].path, NONE)), cases[i].want))
			fprintf(stderr, "\tjson(%s, %s)\n", cases[i].text, cases[i].path);
	}
}

/* ---- memory ---- */

static void test_copyin(void)
{
	uint8_t got[4];
	uint64_t at;

	memset(user_bytes, 'u', sizeof(user_bytes));
	memcpy(user_bytes, "hello", 6);
	at = call_n("copyin", 2, U + 1, 4, 0);
	CHECK(dt_interp_read(machine, at, got, 4, false) && memcmp(got, "ello", 4) == 0);
	CHECK_INT(at % 8, 0);
	call_n("copyin", 2, U + 62, 4, 0);
	CHECK_INT(fault, DT_FLT_BADADDR);
	CHECK_INT(fault_addr, U + 62);
	call_n("copyin", 2, U, UINT64_MAX, 0);
	CHECK_INT(fault, DT_FLT_NOSCRATCH);
	CHECK_STR(text_of(call_n("copyinstr", 1, U, 0, 0)), "hello");
	CHECK_STR(text_of(call_n("copyinstr", 2, U, 3, 0)), "hel");
	CHECK_STR(text_of(call_n("copyinstr", 2, U, 0, 0)), "");
	CHECK_STR(text_of(call_n("copyinstr", 2, U, UINT64_MAX, 0)), "hello");
	CHECK_STR(text_of(call_n("copyinstr", 1, 0, 0, 0)), "invalid address");
	/* runs out of memory before a NUL */
	CHECK_STR(text_of(call_n("copyinstr", 1, U + 60, 0, 0)), "invalid address");
	CHECK_STR(text_of(call_n("copyinstr", 1, K, 0, 0)), "invalid address");
	call_n("copyinto", 3, U, 4, K);
	CHECK_INT(fault, DT_FLT_BADADDR);
	CHECK_INT(fault_addr, K);
	call_n("bcopy", 3, K, K + 8, 4);
	CHECK_INT(fault, DT_FLT_BADADDR);
	CHECK(call_n("alloca", 1, 10, 0, 0) != 0);
}

static void test_copyout(void)
{
	memcpy(kernel_bytes, "kernel", 7);
	call_n("copyout", 3, K, U + 8, 7);
	CHECK_INT(fault, DT_FLT_NONE);
	CHECK_STR((const char *)user_bytes + 8, "kernel");
	call_n("copyout", 3, K, 0x2000, 4);	/* read-only */
	CHECK_INT(fault, DT_FLT_BADADDR);
	call_n("copyout", 3, K, U, UINT64_MAX);
	CHECK_INT(fault, DT_FLT_BADADDR);
	call_n("copyoutstr", 3, K, U + 20, 3);
	CHECK(fault == DT_FLT_NONE && memcmp(user_bytes + 20, "keru", 4) == 0);
	call_n("copyoutstr", 3, K, U + 30, 100);
	CHECK_STR((const char *)user_bytes + 30, "kernel");
	memcpy(kernel_bytes, "a\0b\0", 4);
	CHECK_STR(text_of(call_n("memstr", 3, K, '.', 4)), "a.b.");
	CHECK_STR(text_of(call_n("memstr", 3, K + 255, '.', 4)), "invalid address");
	CHECK(call_n("memref", 2, K, 4, 0) != 0);
}

/* alloca then copyinto and bcopy to it, in one DIFO. */
static void test_copyinto(void)
{
	static const unsigned from[] = { U, K };
	uint64_t got = 0, at;

	memcpy(user_bytes, "12345678", 8);
	memcpy(kernel_bytes, "abcdefgh", 8);
	for (unsigned i = 0; i < 2; i++) {
		struct call c = { .ints = { 8, from[i], 5 }, .nints = 3, .strlen = 1 };
		const uint32_t user_text[] = { dt_dif_fmt16(DT_DIF_SETX, 0, 1),
			dt_dif_fmt(DT_DIF_ALLOCS, 1, 0, 3), dt_dif_fmt16(DT_DIF_SETX, 1, 1),
			dt_dif_fmt16(DT_DIF_SETX, 2, 2), dt_dif_fmt(DT_DIF_PUSHTV, 0, 0, 1),
			    dt_dif_fmt(DT_DIF_PUSHTV, 0, 0, i ? 3 : 2),
			dt_dif_fmt(DT_DIF_PUSHTV, 0, 0, i ? 2 : 3), dt_dif_fmt16(DT_DIF_CALL, i ? 16 : 17, 1),
			    dt_dif_fmt(DT_DIF_LDX, 3, 0, 1),
			dt_dif_fmt(DT_DIF_RET, 0, 0, 1) };

		memcpy(c.text, user_text, sizeof(user_text));
		last = (struct dt_difo){ .text = c.text, .ntext = 10, .ints = c.ints, .nints = 3,
			.strs = c.strs, .strlen = 1, .rtype = { .size = 8 } };
		at = dt_interp_run(machine, &context, &last, &fault, NULL, &fault_addr);
		CHECK_INT(fault, DT_FLT_NONE);
		memcpy(&got, i ? "abcde\0\0" : "12345\0\0", 8);
		CHECK_INT(at, got);
	}
}

/* ---- network, system ---- */

static const char *ip6(const char *name, const char *hex, int64_t strict)
{
	for (unsigned i = 0; i < 16; i++)
		sscanf(hex + 2 * i, "%2hhx", &kernel_bytes[64 + i]);
	if (strcmp(name, "inet_ntop") == 0)
		return text_of(call_n(name, 2, 10, K + 64, 0));
	return text_of(call_n(name, strict == NONE ? 1 : 2, K + 64, (uint64_t)strict, 0));
}

static void test_net(void)
{
	CHECK_INT(call_n("htons", 1, 0x1234, 0, 0), 0x3412);
	CHECK_INT(call_n("ntohs", 1, 0xffff1234, 0, 0), 0x3412);
	CHECK_INT(call_n("htonl", 1, 0x12345678, 0, 0), 0x78563412);
	CHECK_INT(call_n("ntohl", 1, 0x12345678, 0, 0), 0x78563412);
	CHECK_INT(call_n("htonll", 1, 0x0102030405060708, 0, 0), 0x0807060504030201);
	CHECK_INT(call_n("ntohll", 1, 1, 0, 0), (uint64_t)1 << 56);
	memcpy(kernel_bytes, (const uint8_t[]){ 192, 168, 0, 255, 1, 2 }, 6);
	CHECK_STR(text_of(call_n("inet_ntoa", 1, K, 0, 0)), "192.168.0.255");
	CHECK_STR(text_of(call_n("inet_ntop", 2, 2, K, 0)), "192.168.0.255");
	CHECK_STR(text_of(call_n("inet_ntop", 2, 26, K, 0)), "illegal operation");
	CHECK_STR(text_of(call_n("inet_ntoa", 1, 0, 0, 0)), "invalid address");
	CHECK_STR(text_of(call_n("link_ntop", 2, 1, K, 0)), "c0:a8:00:ff:01:02");
	CHECK_STR(text_of(call_n("link_ntop", 2, 2, K, 0)), "illegal operation");
	CHECK_STR(ip6("inet_ntoa6", "fe8000000000000002144ffffe0b76c8", NONE), "fe80::214:4fff:fe0b:76c8");
	CHECK_STR(ip6("inet_ntoa6", "1080000000000000000008080000417a", NONE), "1080::808:0:417a");
	CHECK_STR(ip6("inet_ntoa6", "00000000000000000000000000000001", NONE), "::1");
	CHECK_STR(ip6("inet_ntoa6", "00000000000000000000000000000000", NONE), "::");
	CHECK_STR(ip6("inet_ntoa6", "0000000000000000000000007f000001", NONE), "127.0.0.1");
	CHECK_STR(ip6("inet_ntoa6", "00000000000000000000ffff7f000001", NONE), "127.0.0.1");
	CHECK_STR(ip6("inet_ntoa6", "00000000000000000000ffff7f000001", 1), "::ffff:127.0.0.1");
	CHECK_STR(ip6("inet_ntoa6", "00000000000000000000fffe7f000001", NONE), "::fffe:7f00:1");
	CHECK_STR(ip6("inet_ntop", "0000000000000000000000007f000001", NONE), "::127.0.0.1");
	CHECK_STR(ip6("inet_ntop", "20010000000000010000000000000000", NONE), "2001:0:0:1::");
	CHECK_STR(ip6("inet_ntop", "20010db8000000000001000000000001", NONE), "2001:db8::1:0:0:1");
	CHECK_STR(ip6("inet_ntop", "20010db8000100020003000400050000", NONE), "2001:db8:1:2:3:4:5:0");
	CHECK_STR(ip6("uuidstr", "00112233445566778899aabbccddeeff", NONE),
	    "00112233-4455-6677-8899-AABBCCDDEEFF");
}

static void test_kernel(void)
{
	uint64_t owner = (K + 64) | 3;

	memcpy(kernel_bytes + 8, &owner, 8);
	CHECK_INT(call_n("mutex_owned", 1, K + 8, 0, 0), 1);
	CHECK_INT(call_n("mutex_owner", 1, K + 8, 0, 0), K + 64);
	CHECK_INT(call_n("mutex_type_adaptive", 1, K + 8, 0, 0), 1);
	CHECK_INT(call_n("mutex_type_spin", 1, K + 8, 0, 0), 0);
	memset(kernel_bytes + 8, 0, 8);
	CHECK_INT(call_n("mutex_owned", 1, K + 8, 0, 0), 0);
	call_n("mutex_owned", 1, 0, 0, 0);
	CHECK_INT(fault, DT_FLT_BADADDR);
	kernel_bytes[9] = 2;		/* one reader */
	CHECK_INT(call_n("rw_read_held", 1, K + 8, 0, 0), 1);
	CHECK_INT(call_n("rw_write_held", 1, K + 8, 0, 0), 0);
	kernel_bytes[8] = 0xff, kernel_bytes[9] = 0;
	CHECK_INT(call_n("rw_write_held", 1, K + 8, 0, 0), 1);
	CHECK_INT(call_n("rw_iswriter", 1, K + 8, 0, 0), 1);
	CHECK_INT(call_n("rw_read_held", 1, K + 8, 0, 0), 0);
	CHECK_INT(call_n("progenyof", 1, 100, 0, 0) + call_n("progenyof", 1, 50, 0, 0) +
	    call_n("progenyof", 1, 1, 0, 0), 3);
	CHECK_INT(call_n("progenyof", 1, 99, 0, 0), 0);
	CHECK_INT(call_n("getmajor", 1, 0x800003, 0, 0), 8);
	CHECK_INT(call_n("getminor", 1, 0x800003, 0, 0), 3);
	CHECK_INT(call_n("getf", 1, 2, 0, 0), K + 16);
	CHECK_INT(call_n("getf", 1, 1, 0, 0), 0);
	CHECK_INT(call_n("getf", 1, -1ull, 0, 0), 0);
	CHECK_INT(call_n("getf", 1, 3, 0, 0), 0);
	CHECK_STR(text_of(call_n("d_path", 1, K + 32, 0, 0)), "/etc/passwd");
	CHECK_STR(text_of(call_n("d_path", 1, K, 0, 0)), "invalid address");
	CHECK_STR(text_of(call_n("dentry_path", 1, K + 32, 0, 0)), "/etc/passwd");
	CHECK_INT(call_n("rand", 0, 0, 0, 0), (12345 * 2416 + 374441) % 1771875);
	CHECK_INT(call_n("random", 0, 0, 0, 0), 12345);
	CHECK_INT(call_n("speculation", 0, 0, 0, 0), 1);
	CHECK_INT(call_n("speculation", 0, 0, 0, 0), 0);
}

/* Numbers are given once; a row either works or says why not; a call without arguments faults at worst. */
static void test_rows(void)
{
	for (uint32_t i = 0; i < 128; i++) {
		const struct dt_builtin *row = dt_builtin_subr(i);

		if (!row)
			continue;
		CHECK(dt_builtin_find(row->name) == row && row->proto && !row->call == !!row->unsupported);
		if (row->call)
			call_n(row->name, 0, 0, 0, 0);
	}
	CHECK(!dt_builtin_find("no_such_thing") && !dt_builtin_subr(999) && !dt_builtin_var(0x7f));
}

int main(void)
{
	machine = dt_interp_new(NULL, NULL, NULL);
	test_string_to_string();
	test_numbers();
	test_substr();
	test_find();
	test_strmatch();
	test_strsize();
	test_strtok();
	test_json();
	test_copyin();
	test_copyout();
	test_copyinto();
	test_net();
	test_kernel();
	test_rows();
	dt_interp_free(machine);
	return check_report("subr");
}
