/* SPDX-License-Identifier: BSD-2-Clause */
/* Formats, default layouts, histograms, dumps and print(): the text a user sees, to the last blank. */
#include "dif/dif.h"
#include "output/flow.h"
#include "output/format.h"
#include "output/print.h"

#include "check.h"

#include <stdlib.h>
#include <time.h>

static bool symbolize(void *ctx, enum dt_symkind kind, uint32_t pid, uint64_t addr, char *buf, size_t len)
{
	(void)ctx;
	(void)pid;
	if (addr < 0x1000)
		return false;
	snprintf(buf, len, kind == DT_SYM_MODULE ? "vmlinux" : kind == DT_SYM_KERNEL ? "vmlinux`f+0x%x" :
	    "a.out`g+0x%x", (unsigned)(addr & 0xfff));
	return true;
}

static const struct dt_print_opts opts = { .symbolize = symbolize, .stackindent = 14, .numeric = true };
static const struct dt_print_opts quiet_opts = { .symbolize = symbolize, .stackindent = 14, .quiet = true };

static struct dt_value num(int64_t v, unsigned size, bool is_signed)
{
	return (struct dt_value){ .kind = DT_V_INT, .i = (uint64_t)v, .size = (uint8_t)size,
		.is_signed = is_signed };
}

static struct dt_value str(const char *s)
{
	return (struct dt_value){ .kind = DT_V_STRING, .bytes = s, .len = strlen(s) + 1 };
}

static struct dt_value agg(uint16_t kind, uint64_t arg, const int64_t *w, uint32_t n)
{
	return (struct dt_value){ .kind = DT_V_AGG, .aggkind = kind, .aggarg = arg, .words = w, .nwords = n,
		.normal = 1 };
}

/* Formats values; the text stays valid until the next call with the same out. */
static const char *fmt(struct dt_out *o, const char *format, const struct dt_value *v, uint32_t n)
{
	struct dt_arena *a = dt_arena_new();
	struct dt_format_error err;
	struct dt_format *f = dt_format_parse(a, format, strlen(format), &err);

	dt_out_clear(o);
	if (f)
		dt_format_print(o, f, v, n);
	else
		dt_out_str(o, err.msg);
	dt_arena_free(a);
	return dt_out_text(o);
}

#define F(want, format, ...) do { \
	struct dt_value v_[] = { __VA_ARGS__ }; \
	CHECK_STR(fmt(&o, format, v_, sizeof(v_) / sizeof(v_[0])), want); \
} while (0)

static void test_numbers(void)
{
	struct dt_out o;

	dt_out_init(&o, NULL, &opts);
	F("-1 4294967295", "%d %d", num(-1, 4, true), num(-1, 4, false));
	F("-1", "%i", num(0xff, 1, false));
	F("ffff", "%x", num(-1, 2, true));
	F("18446744073709551615", "%u", num(-1, 8, true));
	F("0xff 377 FF", "%#x %o %X", num(255, 4, true), num(255, 4, true), num(255, 4, true));
	F("[    7][7    ][00007][+7][ 7]", "[%5d][%-5d][%05d][%+d][% d]", num(7, 4, true), num(7, 4, true),
	    num(7, 4, true), num(7, 4, true), num(7, 4, true));
	F("[   7]", "[%*d]", num(4, 4, true), num(7, 4, true));
	F("[7   ]", "[%*d]", num(-4, 4, true), num(7, 4, true));
	F("[ 007]", "[%4.*d]", num(3, 4, true), num(7, 4, true));
	F("00000000deadbeef", "%0?x", num(0xdeadbeef, 8, false));
	F("deadbeef 0xdeadbeef", "%p %#p", num(0xdeadbeef, 8, false), num(0xdeadbeef, 8, false));
	F("100% 5", "100%% %lld", num(5, 8, true));
	F("1", "%hd%d", num(1, 2, true));
	dt_out_free(&o);
}

static void test_text(void)
{
	struct dt_out o;
	static const uint32_t wide[] = { 'h', 0xe9, 0 };
	double d = 1.5;
	uint64_t pcs[] = { 0xf001, 0xf002, 0, 0xf003 };

	dt_out_init(&o, NULL, &opts);
	F("[abc][  abc][abc  ][ab]", "[%s][%5s][%-5s][%.2s]", str("abc"), str("abc"), str("abc"), str("abc"));
	F("a\\n\\t\\001\\\"", "%S", str("a\n\t\001\""));
	F("x \\n [  x]", "%c %C [%3c]", num('x', 4, true), num('\n', 1, true), num('x', 1, true));
	F("h\xc3\xa9 \xe2\x82\xac", "%ls %wc", { .kind = DT_V_BYTES, .bytes = wide, .len = sizeof(wide) },
	    num(0x20ac, 4, true));
	F("1.50 1.500000e+00", "%.2f %e", { .kind = DT_V_BYTES, .bytes = &d, .len = sizeof(d) },
	    { .kind = DT_V_BYTES, .bytes = &d, .len = sizeof(d) });
	F("vmlinux`f+0x5 a.out`g+0x6 0x10", "%a %A %a", num(0xf005, 8, false), num(0xf006, 8, false),
	    num(16, 8, false));
	F("\n    vmlinux`f+0x1\n    vmlinux`f+0x2\n", "%-4k", { .kind = DT_V_STACK, .pcs = pcs, .npcs = 4 });
	F("127.0.0.1 80", "%I %P", str("127.0.0.1"), num(80, 2, false));
	F("abc", "%d", str("abc"));
	F("5", "%s", num(5, 4, true));
	F("", "%s");
	dt_out_free(&o);
}

static void test_time(void)
{
	struct dt_out o;

	dt_out_init(&o, NULL, &opts);
	setenv("TZ", "PST8PDT,M3.2.0,M11.1.0", 1);
	tzset();
	F("2007 Jul  3 15:47:52", "%Y", num(1183502872ll * 1000000000 + 5, 8, true));
	F("Tue, 03 Jul 2007 15:47:52 PDT", "%T", num(1183502872ll * 1000000000, 8, true));
	setenv("TZ", "UTC0", 1);
	tzset();
	F("1969 Dec 31 23:59:59", "%Y", num(-1, 8, true));
	dt_out_free(&o);
}

static void test_errors(void)
{
	struct dt_out o;

	dt_out_init(&o, NULL, &opts);
	F("format conversion #2 is undefined: %z", "%d %z");
	F("format conversion #1 is undefined: %hs", "%hs");
	F("format conversion #1 is incomplete: %", "%");
	F("format conversion #1 is incomplete: %5l", "%5l");
	F("format conversion #1: width is larger than 16777216", "%16777217d");
	F("format conversion #1: positional arguments (%n$) are not supported", "%1$d");
	F("format conversion #1: precision is larger than 16777216", "%.99999999999999999999d");
	dt_out_free(&o);
}

static void check_one(struct dt_types *t, const char *format, const char *type, int want)
{
	struct dt_arena *a = dt_arena_new();
	struct dt_format_error err;
	struct dt_format *f = dt_format_parse(a, format, strlen(format), &err);
	const struct dt_type *ty = strcmp(type, "string") == 0 ? dt_types_string(t) :
	    strcmp(type, "char *") == 0 ? dt_type_ptr(t, dt_types_basic(t, "char")) :
	    strcmp(type, "char []") == 0 ? dt_type_array(t, dt_types_basic(t, "char"), 8) :
	    strcmp(type, "stack") == 0 ? dt_types_special(t, DT_T_STACK) : dt_types_basic(t, type);
	bool ok = CHECK(f) && dt_format_check(f, "printf", t, &ty, 1, false, &err);

	if (!CHECK(want < 0 ? ok : !ok && err.tag == (enum dt_tag)want))
		fprintf(stderr, "  %s of %s\n", format, type);
	dt_arena_free(a);
}

static void test_check(void)
{
	static const struct { const char *format, *type; int want; } rows[] = {
		{ "%d", "int", -1 }, { "%d", "unsigned long", -1 }, { "%d", "char *", D_PRINTF_ARG_TYPE },
		{ "%d", "string", D_PRINTF_ARG_TYPE }, { "%s", "string", -1 }, { "%s", "char []", -1 },
		{ "%s", "char *", D_PRINTF_ARG_TYPE }, { "%s", "int", D_PRINTF_ARG_TYPE },
		{ "%hd", "short", -1 }, { "%hd", "int", D_PRINTF_ARG_TYPE }, { "%ld", "long", -1 },
		{ "%ld", "int", D_PRINTF_ARG_TYPE }, { "%lld", "long long", -1 }, { "%c", "char", -1 },
		{ "%c", "long", D_PRINTF_ARG_TYPE }, { "%p", "char *", -1 }, { "%a", "long", -1 },
		{ "%k", "stack", -1 }, { "%k", "int", D_PRINTF_ARG_TYPE },
		{ "%Y", "long", -1 }, { "%Y", "int", D_PRINTF_ARG_TYPE }, { "%f", "double", -1 },
		{ "%f", "int", D_PRINTF_ARG_TYPE }, { "%d %d", "int", D_PRINTF_ARG_PROTO },
		{ "%*d", "string", D_PRINTF_DYN_TYPE }, { "%*d", "int", D_PRINTF_ARG_PROTO },
		{ "x", "int", D_PRINTF_ARG_EXTRA }, { "%@d", "int", D_PRINTF_AGG_CONV },
		{ "%P", "unsigned short", -1 },
	};
	struct dt_types *t = dt_types_new();

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		check_one(t, rows[i].format, rows[i].type, rows[i].want);
	dt_types_free(t);
}

static void test_trace(void)
{
	struct dt_out o, q;
	uint64_t pcs[] = { 0xf001, 0 };
	struct dt_value v[] = {
		num(-5, 8, true), num(-5, 4, true), num(-5, 2, true), num(-5, 1, true), num(-1, 8, false),
		    str("hello"),
	};
	struct dt_value stack = { .kind = DT_V_STACK, .pcs = pcs, .npcs = 2 };
	struct dt_value sh = { .kind = DT_V_BYTES, .bytes = "/bin/sh\0\1", .len = 9 };
	struct dt_value text = { .kind = DT_V_BYTES, .bytes = "ab\0\0", .len = 4 };

	dt_out_init(&o, NULL, &opts);
	dt_out_init(&q, NULL, &quiet_opts);
	for (size_t i = 0; i < 6; i++) {
		dt_value_trace(&o, &v[i]);
		dt_value_trace(&q, &v[i]);
	}
	CHECK_STR(dt_out_text(&o),
	    "               -5       -5    -5  -5 18446744073709551615  hello                            ");
	CHECK_STR(dt_out_text(&q), "-5-5-5-518446744073709551615hello");
	dt_out_clear(&o);
	dt_value_trace(&o, &stack);
	CHECK_STR(dt_out_text(&o), "\n              vmlinux`f+0x1\n");
	dt_out_clear(&o);
	dt_value_trace(&o, &sh);
	CHECK_STR(dt_out_text(&o),
	    "\n             0  1  2  3  4  5  6  7  8  9  a  b  c  d  e  f  0123456789abcdef\n"
	    "         0: 2f 62 69 6e 2f 73 68 00 01                       /bin/sh..\n");
	dt_out_clear(&q);
	dt_value_trace(&q, &text);
	CHECK_STR(dt_out_text(&q), "ab");
	dt_out_free(&o);
	dt_out_free(&q);
}

static void test_quantize(void)
{
	int64_t w[127] = { 0 };
	struct dt_out o;
	struct dt_value v = agg(DT_ACT_QUANTIZE, 0, w, 127);
	static const int counts[] = { 23, 41, 1, 19, 4, 2, 6, 9, 12, 20, 9, 12, 4, 4, 3 };

	for (unsigned i = 0; i < 15; i++)
		w[63 + i] = counts[i];
	dt_out_init(&o, NULL, &opts);
	dt_hist_print(&o, &v);
	CHECK_STR(dt_out_text(&o),
	    "\n           value  ------------- Distribution ------------- count    \n"
	    "              -1 |                                         0        \n"
	    "               0 |@@@@@                                    23       \n"
	    "               1 |@@@@@@@@@@                               41       \n"
	    "               2 |                                         1        \n"
	    "               4 |@@@@                                     19       \n"
	    "               8 |@                                        4        \n"
	    "              16 |                                         2        \n"
	    "              32 |@                                        6        \n"
	    "              64 |@@                                       9        \n"
	    "             128 |@@@                                      12       \n"
	    "             256 |@@@@@                                    20       \n"
	    "             512 |@@                                       9        \n"
	    "            1024 |@@@                                      12       \n"
	    "            2048 |@                                        4        \n"
	    "            4096 |@                                        4        \n"
	    "            8192 |@                                        3        \n"
	    "           16384 |                                         0        \n");
	memset(w, 0, sizeof(w));
	dt_out_clear(&o);
	dt_hist_print(&o, &v);
	CHECK_STR(dt_out_text(&o),
	    "\n           value  ------------- Distribution ------------- count    \n"
	    "              -1 |                                         0        \n"
	    "               0 |                                         0        \n"
	    "               1 |                                         0        \n");
	w[62] = -1;
	w[64] = 3;
	dt_out_clear(&o);
	dt_hist_print(&o, &v);
	CHECK_STR(dt_out_text(&o),
	    "\n           value  ------------- Distribution ------------- count    \n"
	    "              -2                     |                     0        \n"
	    "              -1                @@@@@|                     -1       \n"
	    "               0                     |                     0        \n"
	    "               1                     |@@@@@@@@@@@@@@@      3        \n"
	    "               2                     |                     0        \n");
	dt_out_free(&o);
}

static void test_linear(void)
{
	int64_t w[8] = { 0 }, l[64] = { 0 };
	enum { MIDDLE = 19 };	/* 18 buckets on each side */
	struct dt_out o;
	struct dt_value v = agg(DT_ACT_LQUANTIZE, 10ull << 48 | 3ull << 32 | (uint32_t)-10, w, 5);
	struct dt_value ll = agg(DT_ACT_LLQUANTIZE, 10ull << 48 | 0ull << 32 | 1ull << 16 | 10, l, 39);

	w[0] = 1;
	w[2] = 2;
	w[4] = 4;
	v.normal = 2;
	dt_out_init(&o, NULL, &opts);
	dt_hist_print(&o, &v);
	CHECK_STR(dt_out_text(&o),
	    "\n           value  ------------- Distribution ------------- count    \n"
	    "           < -10 |@@@@@@                                   0        \n"
	    "             -10 |                                         0        \n"
	    "               0 |@@@@@@@@@@@                              1        \n"
	    "              10 |                                         0        \n"
	    "           >= 20 |@@@@@@@@@@@@@@@@@@@@@@@                  2        \n");
	l[MIDDLE + 1] = 1;
	l[MIDDLE + 19] = 1;
	dt_out_clear(&o);
	dt_hist_print(&o, &ll);
	CHECK(strstr(dt_out_text(&o), "count    \n             < 1 |  "));
	CHECK(strstr(dt_out_text(&o),
	    "               1 |@@@@@@@@@@@@@@@@@@@@                     1        \n"));
	CHECK(strstr(dt_out_text(&o), "              90 |  "));
	CHECK(strstr(dt_out_text(&o),
	    "          >= 100 |@@@@@@@@@@@@@@@@@@@@                     1        \n"));
	l[0] = 1;
	dt_out_clear(&o);
	dt_hist_print(&o, &ll);
	CHECK(strstr(dt_out_text(&o),
	    "count    \n         <= -100 |@@@@@@@@@@@@@                            1        \n"));
	CHECK(strstr(dt_out_text(&o), "              -1 |  "));
	CHECK(strstr(dt_out_text(&o), "               0 |  "));
	dt_out_free(&o);
}

static void test_aggs(void)
{
	struct dt_out o;
	int64_t five = 5, nine = 9, two = 2, avg[] = { 2, -7 }, dev[] = { 2, 30, 500, 0 };
	struct dt_value a = agg(DT_ACT_COUNT, 0, &five, 1), b = agg(DT_ACT_COUNT, 0, &nine, 1);
	struct dt_value c = agg(DT_ACT_COUNT, 0, &two, 1), m = agg(DT_ACT_AVG, 0, avg, 2);
	struct dt_value s = agg(DT_ACT_STDDEV, 0, dev, 4), n;
	struct dt_value keys[] = { str("bash"), str("sh"), str("cat") };
	struct dt_aggrow rows[] = {
		{ &keys[0], 1, &b, 1, NULL }, { &keys[1], 1, &a, 1, NULL }, { &keys[2], 1, &a, 1, NULL },
		{ &keys[2], 1, &c, 1, NULL },
	};
	struct dt_print_opts hist = opts;
	struct dt_aggorder rev = { .reverse = true };

	CHECK(dt_agg_scalar(&m, &n) && (int64_t)n.i == -3);
	CHECK(dt_agg_scalar(&s, &n) && n.i == 5);
	dt_out_init(&o, NULL, &opts);
	dt_agg_sort(rows, 4, NULL);
	dt_agg_print(&o, rows, 4);
	CHECK_STR(dt_out_text(&o),
	    "  cat                                                               2\n"
	    "  cat                                                               5\n"
	    "  sh                                                                5\n"
	    "  bash                                                              9\n");
	dt_agg_sort(rows, 4, &rev);
	CHECK(rows[0].vals[0].words[0] == 9);
	dt_out_clear(&o);
	hist.agghist = true;
	o.opts = &hist;
	dt_agg_print(&o, rows, 2);
	CHECK_STR(dt_out_text(&o),
	    "\n              key  ------------- Distribution ------------- count    \n"
	    "             bash |@@@@@@@@@@@@@@@@@@@@@@@@@@               9        \n"
	    "               sh |@@@@@@@@@@@@@@                           5        \n");
	dt_out_free(&o);
}

static void test_pack(void)
{
	int64_t w[127] = { 0 };
	struct dt_out o;
	struct dt_print_opts pack = opts;
	struct dt_value v = agg(DT_ACT_QUANTIZE, 0, w, 127), key = str("read");
	struct dt_aggrow row = { &key, 1, &v, 1, NULL };

	w[64] = 1;
	w[66] = 7;
	pack.aggpack = true;
	dt_out_init(&o, NULL, &pack);
	dt_agg_print(&o, &row, 1);
	CHECK_STR(dt_out_text(&o),
	    "\n              key  min .-----. max  | count\n"
	    "             read    0 : _ X : 8    | 8\n");
	dt_out_free(&o);
}

static void test_printa(void)
{
	struct dt_arena *ar = dt_arena_new();
	struct dt_out o;
	int64_t five = 5, w[127] = { 0 };
	struct dt_value key = str("k"), v[2] = { agg(DT_ACT_SUM, 0, &five, 1),
		agg(DT_ACT_QUANTIZE, 0, w, 127) };
	struct dt_aggrow row = { &key, 1, v, 1, NULL };
	struct dt_format_error err;
	struct dt_format *f = dt_format_parse(ar, "%s=%@3d %@u\n", 12, &err);

	w[64] = 3;
	dt_out_init(&o, NULL, &opts);
	if (CHECK(f)) {
		dt_agg_printf(&o, f, &row, 1);
		CHECK_STR(dt_out_text(&o), "k=  5 5\n");
		CHECK(f->nargs == 1 && f->naggs == 2);
		row.nvals = 2;
		dt_out_clear(&o);
		dt_agg_printf(&o, f, &row, 1);
		CHECK(strstr(dt_out_text(&o), "k=  5 \n           value"));
	}
	dt_out_free(&o);
	dt_arena_free(ar);
}

static void test_pretty(void)
{
	struct dt_types *t = dt_types_new();
	struct dt_type *s = dt_type_shell(t, "D", DT_T_STRUCT, "foo");
	struct dt_member m[] = {
		{ .name = "a", .type = dt_types_basic(t, "int") },
		{ .name = "p", .type = dt_type_ptr(t, dt_types_void(t)) },
		{ .name = "d", .type = dt_type_array(t, dt_types_basic(t, "int"), 3) },
		{ .name = "c", .type = dt_types_basic(t, "char") },
		{ .name = "n", .type = dt_type_array(t, dt_types_basic(t, "char"), 4) },
		{ .name = "f", .type = dt_types_basic(t, "int"), .bit_size = 4 },
	};
	struct { int a; void *p; int d[3]; char c; char n[4]; int f : 4; } x =
	    { 1, (void *)2, { 1, 2, 3 }, 'c', "ab", 1 };
	struct dt_print_opts po = opts;
	struct dt_value v = { .kind = DT_V_BYTES, .bytes = &x, .len = sizeof(x), .type = s };
	struct dt_out o;

	CHECK(dt_type_complete_sou(t, s, m, 6) == 0);
	CHECK(s->size == sizeof(x));
	po.types = t;
	dt_out_init(&o, NULL, &po);
	dt_pretty_print(&o, &v);
	CHECK_STR(dt_out_text(&o),
	    "struct foo {\n"
	    "    int a = 0x1\n"
	    "    void *p = 0x2\n"
	    "    int [3] d = [ 0x1, 0x2, 0x3 ]\n"
	    "    char c = 'c'\n"
	    "    char [4] n = [ \"ab\" ]\n"
	    "    int f :4 = 0x1\n"
	    "}");
	dt_out_clear(&o);
	dt_pretty_pointer(&o, 0xabc, &v);
	CHECK(strstr(dt_out_text(&o),
	    "0xabc = *\n                                            (struct foo) {\n"
	    "                                             .a = (int)1,\n"));
	dt_out_free(&o);
	dt_types_free(t);
}

/* Columns, not bytes (N B11). */
static void test_columns(void)
{
	struct dt_arena *ar = dt_arena_new();
	struct dt_format_error err;
	struct dt_format *f = dt_format_parse(ar, "%-10s|%5s|%3s|", 14, &err);
	struct dt_value v[] = { str("\u65e5\u672c"), str("h\u00e9"), str("\xff\xfe") },
	    key = str("\u65e5\u672c"), ae = str("e\u0301");
	int64_t one = 1;
	struct dt_value n = agg(DT_ACT_COUNT, 0, &one, 1);
	struct dt_aggrow row = { &key, 1, &n, 1, NULL };
	struct dt_out o;

	CHECK_INT(dt_columns("abc", 3), 3);
	CHECK_INT(dt_columns("h\u00e9", 3), 2);
	CHECK_INT(dt_columns("\u65e5\u672c", 6), 4);
	CHECK_INT(dt_columns("e\u0301", 3), 1);			/* a letter and an accent on it */
	CHECK_INT(dt_columns("\U0001f600\u200d", 7), 2);
	CHECK_INT(dt_columns("\xff\xfe", 2), 2);		/* no UTF-8: bytes */
	CHECK_INT(dt_columns("\xe6\x97", 2), 2);		/* one that is cut */
	CHECK_INT(dt_columns("\xc0\x80", 2), 2);		/* longer than it need be */
	CHECK_INT(dt_columns("\xed\xa0\x80", 3), 3);		/* half of a pair */
	CHECK_INT(dt_columns("\xf8\x88\x80\x80", 4), 4);
	dt_out_init(&o, NULL, &opts);
	if (CHECK(f)) {
		dt_format_print(&o, f, v, 3);
		CHECK_STR(dt_out_text(&o), "\u65e5\u672c      |   h\u00e9| \xff\xfe|");
	}
	dt_out_clear(&o);
	dt_agg_print(&o, &row, 1);
	CHECK_STR(dt_out_text(&o),
	    "  \u65e5\u672c                                                              1\n");
	dt_out_clear(&o);
	dt_value_trace(&o, &ae);
	CHECK_STR(dt_out_text(&o), "  e\u0301                                ");
	dt_out_free(&o);
	dt_arena_free(ar);
}

/*
 * Under -q names of addresses keep their column, so that two of them do not run together; rawbytes dumps
 * strings too (P 4.14).
 */
static void test_quiet_names(void)
{
	struct dt_print_opts raw = opts;
	struct dt_value mod = { .kind = DT_V_MOD, .i = 0x2000, .size = 8 },
	    sym = { .kind = DT_V_SYM, .i = 0x2004, .size = 8 }, text = str("ab");
	struct dt_out o;

	dt_out_init(&o, NULL, &quiet_opts);
	dt_value_trace(&o, &mod);
	dt_value_trace(&o, &sym);
	CHECK_STR(dt_out_text(&o),
	    "  vmlinux                                             vmlinux`f+0x4                             "
	    "        ");
	dt_out_clear(&o);
	raw.rawbytes = true;
	o.opts = &raw;
	dt_value_key(&o, &text);
	CHECK(strstr(dt_out_text(&o), "\n         0: 61 62 00     "));
	dt_out_free(&o);
}

/* -F: records of two CPUs that come interleaved, each with its own depth (R 4.1 #3). */
static void test_flow(void)
{
	static const struct { uint32_t cpu, probe, epid, next; const char *prov, *name, *want; } recs[] = {
		{ 1, 10, 1, 2, "syscall", "entry", "=>" },
		{ 0, 10, 1, 3, "syscall", "entry", "=>" },
		{ 1, 11, 2, 4, "fbt", "entry", "   ->" },
		/* CPU 0 is at its top, whatever CPU 1 does */
		{ 0, 20, 3, 1, "syscall", "return", "<=" },
		{ 1, 21, 4, 5, "fbt", "return", "   <-" },
		{ 0, 10, 1, 6, "syscall", "entry", "=>" },
		{ 1, 30, 5, 7, "sched", "on-cpu", "  |" },
		/* a second clause of the same firing */
		{ 0, 10, 6, 7, "syscall", "entry", "  |" },
		/* of two clauses at a return the last steps out */
		{ 1, 20, 7, 8, "syscall", "return", "  |" },
		{ 1, 20, 8, 0, "syscall", "return", "<=" },
		{ 1, 20, 8, 0, "syscall", "return", "<=" },		/* not below the left edge */
		{ 0, 40, 9, 0, "x1", "method-return", " <-" },
		{ 0, 41, 9, 0, "x1", "carpentry", "|" },
	};
	static const uint32_t probe_of[] = { 0, 10, 11, 20, 21, 30, 10, 20, 20, 40 };
	struct dt_flows flows = { 0 };

	for (size_t i = 0; i < sizeof(recs) / sizeof(recs[0]); i++) {
		struct dt_flowrec r = { recs[i].cpu, recs[i].probe, recs[i].epid, probe_of[recs[i].next],
			recs[i].next, recs[i].prov, recs[i].name };
		struct dt_flowline line;
		char text[32];

		CHECK(dt_flow_step(&flows, &r, &line));
		snprintf(text, sizeof(text), "%*s%s", line.indent, "", line.prefix);
		text[strlen(text) - 1] = '\0';
		CHECK_STR(text + strspn(text, " "), recs[i].want + strspn(recs[i].want, " "));
		CHECK_INT(line.indent, strspn(recs[i].want, " ") / 2 * 2);
	}
	CHECK(dt_flow_looks_ahead("return") && !dt_flow_looks_ahead("entry"));
	dt_flows_free(&flows);
}

int main(void)
{
	test_flow();
	test_columns();
	test_quiet_names();
	test_numbers();
	test_text();
	test_time();
	test_errors();
	test_check();
	test_trace();
	test_quantize();
	test_linear();
	test_aggs();
	test_pack();
	test_printa();
	test_pretty();
	return check_report("output");
}
