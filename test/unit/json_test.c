/* SPDX-License-Identifier: BSD-2-Clause */
/* JSON: escaping, numbers at the edges, values of every kind, nested objects, bounds of buckets, lines. */
#include "builtin/agg_common.h"
#include "output/buckets.h"
#include "output/json.h"
#include "types/type.h"

#include "check.h"

#include <math.h>
#include <stdlib.h>

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

static const struct dt_print_opts opts = { .symbolize = symbolize };

static const char *json(struct dt_out *o, const struct dt_value *v)
{
	struct dt_json j = { .o = o };

	dt_out_clear(o);
	dt_json_value(&j, v);
	return dt_out_text(o);
}

static const char *text(struct dt_out *o, const char *bytes, size_t n)
{
	return json(o, &(struct dt_value){ .kind = DT_V_STRING, .bytes = bytes, .len = n });
}

static const char *num(struct dt_out *o, uint64_t v, unsigned size, bool is_signed)
{
	return json(o, &(struct dt_value){ .kind = DT_V_INT, .i = v, .size = (uint8_t)size,
		.is_signed = is_signed });
}

static const char *real(struct dt_out *o, double v)
{
	struct dt_json j = { .o = o };

	dt_out_clear(o);
	dt_json_double(&j, v);
	return dt_out_text(o);
}

static void test_strings(void)
{
	struct dt_out o;

	dt_out_init(&o, NULL, &opts);
	CHECK_STR(text(&o, "", 0), "\"\"");
	CHECK_STR(text(&o, NULL, 0), "\"\"");
	CHECK_STR(text(&o, "plain", 5), "\"plain\"");
	CHECK_STR(text(&o, "cut\0here", 8), "\"cut\"");
	CHECK_STR(text(&o, "\"\\/", 3), "\"\\\"\\\\/\"");
	CHECK_STR(text(&o, "\b\f\n\r\t\x01\x1f\x7f", 8), "\"\\b\\f\\n\\r\\t\\u0001\\u001f\\u007f\"");
	CHECK_STR(text(&o, "\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80", 9),
	    "\"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\"");
	CHECK_STR(text(&o, "a\xff" "b", 3), "{\"string\":\"a\xef\xbf\xbd" "b\",\"bytes\":\"61ff62\"}");
	CHECK_STR(text(&o, "\xc3", 1), "{\"string\":\"\xef\xbf\xbd\",\"bytes\":\"c3\"}");
	CHECK_STR(text(&o, "\xc0\x80", 2), "{\"string\":\"\xef\xbf\xbd\xef\xbf\xbd\",\"bytes\":\"c080\"}");
	CHECK(dt_json_is_utf8("\xf4\x8f\xbf\xbf", 4));
	CHECK(!dt_json_is_utf8("\xf4\x90\x80\x80", 4));	/* beyond the last code point */
	CHECK(!dt_json_is_utf8("\xed\xa0\x80", 3));	/* a surrogate */
	CHECK(!dt_json_is_utf8("\xe0\x80\xaf", 3));	/* longer than it need be */
	CHECK(!dt_json_is_utf8("\xe2\x82", 2));
	CHECK(!dt_json_is_utf8("\x80", 1));
	dt_out_free(&o);
}

static void test_numbers(void)
{
	struct dt_out o;

	dt_out_init(&o, NULL, &opts);
	CHECK_STR(num(&o, 0, 8, true), "0");
	CHECK_STR(num(&o, UINT64_MAX, 8, true), "-1");
	CHECK_STR(num(&o, UINT64_MAX, 8, false), "18446744073709551615");
	CHECK_STR(num(&o, (uint64_t)INT64_MIN, 8, true), "-9223372036854775808");
	CHECK_STR(num(&o, (uint64_t)INT64_MAX, 8, true), "9223372036854775807");
	CHECK_STR(num(&o, (1ull << 53) + 1, 8, false), "9007199254740993");
	CHECK_STR(num(&o, 0xff, 1, true), "-1");
	CHECK_STR(num(&o, 0xff, 1, false), "255");
	CHECK_STR(num(&o, 0xffff8000, 2, true), "-32768");
	CHECK_STR(real(&o, 0.5), "0.5");
	CHECK_STR(real(&o, -1e300), "-1.0000000000000001e+300");
	CHECK_STR(real(&o, (double)NAN), "\"nan\"");
	CHECK_STR(real(&o, -(double)INFINITY), "\"-inf\"");
	dt_out_free(&o);
}

static void test_values(void)
{
	struct dt_out o;
	const uint64_t pcs[] = { 0xffffffff81000010, 0x20, 0, 5 };

	dt_out_init(&o, NULL, &opts);
	CHECK_STR(json(&o, &(struct dt_value){ .kind = DT_V_BYTES, .bytes = "\x01\x02\xff", .len = 3 }),
	    "{\"bytes\":\"0102ff\"}");
	CHECK_STR(json(&o, &(struct dt_value){ .kind = DT_V_BYTES, .bytes = "hi\0", .len = 3 }),
	    "{\"string\":\"hi\",\"bytes\":\"686900\"}");
	CHECK_STR(json(&o, &(struct dt_value){ .kind = DT_V_BYTES }), "{\"bytes\":\"\"}");
	CHECK_STR(json(&o, &(struct dt_value){ .kind = DT_V_STACK, .pcs = pcs, .npcs = 4 }),
	    "{\"frames\":[{\"address\":\"0xffffffff81000010\",\"symbol\":\"vmlinux`f+0x10\"},"
	    "{\"address\":\"0x20\"}]}");
	CHECK_STR(json(&o, &(struct dt_value){ .kind = DT_V_USTACK, .pcs = pcs + 1, .npcs = 1, .pid = 7 }),
	    "{\"pid\":7,\"frames\":[{\"address\":\"0x20\"}]}");
	CHECK_STR(json(&o, &(struct dt_value){ .kind = DT_V_USTACK, .pid = 7 }), "{\"pid\":7,\"frames\":[]}");
	CHECK_STR(json(&o, &(struct dt_value){ .kind = DT_V_SYM, .i = 0x1004 }),
	    "{\"address\":\"0x1004\",\"symbol\":\"vmlinux`f+0x4\"}");
	CHECK_STR(json(&o, &(struct dt_value){ .kind = DT_V_MOD, .i = 0x1004 }),
	    "{\"address\":\"0x1004\",\"module\":\"vmlinux\"}");
	CHECK_STR(json(&o, &(struct dt_value){ .kind = DT_V_UADDR, .i = 0x1004, .pid = 3 }),
	    "{\"pid\":3,\"address\":\"0x1004\",\"symbol\":\"a.out`g+0x4\"}");
	dt_out_free(&o);
}

/* ---- aggregations ---- */

static struct dt_value agg(uint16_t kind, uint64_t arg, const int64_t *w, uint32_t n)
{
	return (struct dt_value){ .kind = DT_V_AGG, .aggkind = kind, .aggarg = arg, .words = w, .nwords = n,
		.normal = 1 };
}

static void test_aggs(void)
{
	int64_t q[127] = { [0] = 1 }, l[4] = { 3, 0, 4, 5 };
	const uint64_t larg = 10ull << 48 | 2ull << 32;		/* 0, 20, 10 */
	struct dt_value v = agg(DT_ACT_SUM, 0, (const int64_t[]){ INT64_MIN }, 1);
	struct dt_out o;

	dt_out_init(&o, NULL, &opts);
	CHECK_STR(json(&o, &v), "-9223372036854775808");
	v = agg(DT_ACT_AVG, 0, (const int64_t[]){ 2, 10 }, 2);
	CHECK_STR(json(&o, &v), "5");
	v = agg(DT_ACT_LQUANTIZE, larg, l, 4);
	CHECK_STR(json(&o, &v),
	    "[{\"max\":-1,\"count\":3},{\"min\":0,\"max\":9,\"count\":0},{\"min\":10,\"max\":19,\"count\":4},"
	    "{\"min\":20,\"count\":5}]");
	v.normal = 2;
	CHECK(strstr(json(&o, &v), "{\"min\":20,\"count\":2}") != NULL);
	v = agg(DT_ACT_QUANTIZE, 0, q, 127);
	CHECK_STR(json(&o, &v), "[{\"max\":-4611686018427387904,\"count\":1}]");
	q[0] = 0;
	CHECK_STR(json(&o, &v), "[]");
	v = agg(DT_ACT_QUANTIZE, 0, q, 5);	/* damaged: too few words */
	CHECK_STR(json(&o, &v), "[]");
	dt_out_free(&o);
}

/* Both ends of a bucket fall into it, and what is next to them does not. */
static void check_bounds(uint16_t kind, uint64_t arg, uint32_t n, uint32_t (*where)(uint64_t, int64_t))
{
	int64_t *words = calloc(n, sizeof(*words));
	struct dt_value v = agg(kind, arg, words, n);
	struct dt_buckets b;

	words[0] = 1;	/* negative buckets of llquantize are there when they count */
	CHECK(dt_buckets_open(&b, &v));
	for (uint32_t i = 0; i < b.n; i++) {
		struct dt_bucket_bounds x = dt_buckets_bounds(&b, i);

		CHECK(x.has_min || x.has_max);
		CHECK(!x.has_min || (where(arg, x.min) == i && where(arg, x.min - 1) == i - 1));
		CHECK(!x.has_max || (where(arg, x.max) == i && where(arg, x.max + 1) == i + 1));
	}
	free(words);
}

static uint32_t quantize_where(uint64_t arg, int64_t v)
{
	(void)arg;
	return dt_quantize_bucket(v);
}

static void test_bounds(void)
{
	const uint64_t l = 7ull << 48 | 9ull << 32 | (uint32_t)-20,
	    ll = 10ull << 48 | 0ull << 32 | 3ull << 16 | 20;
	const uint64_t far = 2ull << 48 | 2ull << 32 | 20ull << 16 | 4;

	check_bounds(DT_ACT_QUANTIZE, 0, dt_quantize_nbuckets(), quantize_where);
	check_bounds(DT_ACT_LQUANTIZE, l, dt_lquantize_nbuckets(l), dt_lquantize_bucket);
	check_bounds(DT_ACT_LLQUANTIZE, ll, dt_llquantize_nbuckets(ll), dt_llquantize_bucket);
	check_bounds(DT_ACT_LLQUANTIZE, far, dt_llquantize_nbuckets(far), dt_llquantize_bucket);
}

/* ---- objects by type ---- */

static struct dt_member member(const char *name, const struct dt_type *t, uint16_t bits)
{
	return (struct dt_member){ .name = name, .type = t, .bit_size = bits };
}

static const struct dt_type *make_struct(struct dt_types *types, const char *tag, enum dt_tkind kind,
    struct dt_member *m, uint32_t n)
{
	struct dt_type *t = dt_type_shell(types, "D", kind, tag);

	CHECK_INT(dt_type_complete_sou(types, t, m, n), 0);
	return t;
}

static const char *object(struct dt_out *o, const struct dt_type *t, const void *bytes, size_t len)
{
	struct dt_value v = { .kind = DT_V_BYTES, .bytes = bytes, .len = len, .type = t };
	struct dt_json j = { .o = o };

	dt_out_clear(o);
	dt_json_object(&j, &v);
	return dt_out_text(o);
}

static void test_objects(void)
{
	struct dt_types *types = dt_types_new();
	struct dt_print_opts typed = opts;
	struct dt_out o;
	const struct dt_type *i = dt_types_basic(types, "int"), *c = dt_types_basic(types, "char");
	struct dt_member um[] = { member("u1", i, 0),
		member("u2", dt_types_basic(types, "unsigned short"), 0) };
	const struct dt_type *u = make_struct(types, NULL, DT_T_UNION, um, 2);
	struct dt_type *e = dt_type_shell(types, "D", DT_T_ENUM, "colour");

	dt_type_complete_enum(types, e, (const struct dt_enumconst[]){ { "RED", 0 }, { "GREEN", 7 } }, 2);
	struct dt_member m[] = { member("a", i, 3), member("b", i, 5),
		member("s", dt_type_array(types, c, 4), 0), member(NULL, u, 0),
		member("v", dt_type_array(types, i, 2), 0), member("e", e, 0),
		    member("p", dt_type_ptr(types, i), 0),
		member("ok", dt_types_basic(types, "_Bool"), 0),
		    member("d", dt_types_basic(types, "double"), 0) };
	const struct dt_type *t = make_struct(types, "all", DT_T_STRUCT, m, 9);
	struct { int a : 3, b : 5; char s[4]; int un; int v[2]; int e; void *p; _Bool ok; double d; } x = {
		-1, 9, "a\"", -2, { 1, -1 }, 7, (void *)0x10, true, 0.25 };
	const char *whole =
	    "{\"a\":-1,\"b\":9,\"s\":\"a\\\"\",\"u1\":-2,\"u2\":65534,\"v\":[1,-1],"
	    "\"e\":\"GREEN\",\"p\":\"0x10\","
	    "\"ok\":true,\"d\":0.25}";

	typed.types = types;
	dt_out_init(&o, NULL, &typed);
	CHECK_INT(dt_type_size(types, t), sizeof(x));
	CHECK_STR(object(&o, t, &x, sizeof(x)), whole);
	CHECK_STR(object(&o, t, &x, 16),
	    "{\"a\":-1,\"b\":9,\"s\":\"a\\\"\",\"u1\":-2,\"u2\":65534,\"v\":[1],\"e\":null,\"p\":null,"
	    "\"ok\":null,\"d\":null}");
	CHECK_STR(object(&o, t, NULL, 0),
	    "{\"a\":null,\"b\":null,\"s\":\"\",\"u1\":null,\"u2\":null,\"v\":[],\"e\":null,\"p\":null,"
	    "\"ok\":null,\"d\":null}");
	CHECK_STR(object(&o, dt_type_array(types, dt_type_array(types, i, 1), 2), x.v, 8), "[[1],[-1]]");
	x.e = 3;
	CHECK(strstr(object(&o, t, &x, sizeof(x)), "\"e\":3,") != NULL);
	CHECK_STR(object(&o, NULL, "\x01", 1), "{\"bytes\":\"01\"}");
	/* a hostile count of elements ends with the record */
	CHECK_STR(object(&o, dt_type_array(types, i, UINT64_MAX / 4), x.v, 8), "[1,-1]");
	dt_out_free(&o);
	dt_types_free(types);
}

static void test_depth(void)
{
	struct dt_types *types = dt_types_new();
	struct dt_print_opts typed = opts;
	const struct dt_type *t = dt_types_basic(types, "int");
	struct dt_out o;

	for (int i = 0; i < 100; i++)
		t = dt_type_array(types, t, 1);
	typed.types = types;
	dt_out_init(&o, NULL, &typed);
	CHECK(strstr(object(&o, t, "\1\0\0\0", 4), "[null]") != NULL);
	dt_out_free(&o);
	dt_types_free(types);
}

/* ---- lines ---- */

static const char *aggname(void *ctx, int64_t id)
{
	(void)ctx;
	return id == 1 ? "one" : NULL;
}

static void test_lines(void)
{
	struct dt_out o;
	struct dt_json_sink s;
	struct dt_value key = { .kind = DT_V_STRING, .bytes = "k", .len = 2 };
	struct dt_value vals[2] = { agg(DT_ACT_COUNT, 0, (const int64_t[]){ 4 }, 1),
		agg(DT_ACT_MAX, 0, (const int64_t[]){ -4 }, 1) };
	struct dt_aggrow row = { &key, 1, vals, 2, NULL };
	uint64_t addr = UINT64_MAX;
	struct dt_json_error e = { { 2, 9, "p", "m", "f", "n\"" }, "invalid address", "text\n", -1, -1, &addr,
		false };

	dt_out_init(&o, NULL, &opts);
	dt_json_sink_init(&s, &o, NULL, aggname, NULL);
	dt_json_put_exit(&s, -1, false);
	CHECK_STR(dt_out_text(&o), "{\"type\":\"exit\",\"status\":-1,\"called\":false}\n");
	dt_out_clear(&o);
	dt_json_put_drop(&s, &(struct dt_json_drop){ "PRINCIPAL", "3 drops on CPU 1\n", 1, 3, UINT64_MAX });
	CHECK_STR(dt_out_text(&o),
	    "{\"type\":\"drop\",\"kind\":\"PRINCIPAL\",\"cpu\":1,\"count\":3,\"total\":18446744073709551615,"
	    "\"message\":\"3 drops on CPU 1\"}\n");
	dt_out_clear(&o);
	dt_json_put_error(&s, &e);
	CHECK_STR(dt_out_text(&o),
	    "{\"type\":\"error\",\"epid\":2,\"id\":9,\"provider\":\"p\",\"module\":\"m\",\"function\":\"f\","
	    "\"name\":\"n\\\"\",\"fault\":\"invalid "
	    "address\",\"address\":\"0xffffffffffffffff\",\"action\":\"predicate\",\"message\":\"text\"}\n");
	dt_out_clear(&o);
	dt_json_put_agg(&s, (const int64_t[]){ 1, 2 }, 2, &row, 1);
	CHECK_STR(dt_out_text(&o),
	    "{\"type\":\"aggregation\",\"aggregations\":[\"one\",\"\"],\"functions\":[\"count\",\"max\"],"
	    "\"elements\":[{\"keys\":[\"k\"],\"values\":[4,-4]}]}\n");
	dt_out_clear(&o);
	dt_json_sink_free(&s);
	dt_json_sink_init(&s, &o, NULL, aggname, NULL);
	s.line.max = 20;	/* a line that does not fit is not written in part */
	dt_json_put_exit(&s, 0, true);
	CHECK_STR(dt_out_text(&o), "");
	CHECK(o.failed);
	dt_json_sink_free(&s);
	dt_out_free(&o);
}

int main(void)
{
	test_strings();
	test_numbers();
	test_values();
	test_aggs();
	test_bounds();
	test_objects();
	test_depth();
	test_lines();
	return CHECK_DONE("json_test");
}
