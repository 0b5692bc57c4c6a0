/* SPDX-License-Identifier: BSD-2-Clause */
/* Where text goes: numbers as C's printf would print them, and what waits for a file. */
#include "output/out.h"
#include "output/unit.h"

#include "check.h"

#include "dif/dif.h"

#include <errno.h>
#include <stdlib.h>

static void check_number(struct dt_out *o, uint64_t v, int width, bool left)
{
	char want[128];

	dt_out_clear(o);
	dt_out_int(o, (int64_t)v, (size_t)width, left);
	dt_out_put(o, "|", 1);
	dt_out_uint(o, v, (size_t)width, left);
	snprintf(want, sizeof(want), left ? "%-*lld|%-*llu" : "%*lld|%*llu", width, (long long)v, width,
	    (unsigned long long)v);
	CHECK_STR(dt_out_text(o), want);
}

static void test_numbers(void)
{
	static const int widths[] = { 0, 1, 2, 8, 19, 20, 21, 40 };
	struct dt_out o;

	dt_out_init(&o, NULL, NULL);
	for (size_t w = 0; w < sizeof(widths) / sizeof(widths[0]); w++) {
		uint64_t power = 1;

		for (int digits = 1; digits <= 20; digits++, power *= 10)
			for (int by = -1; by <= 1; by++) {
				check_number(&o, power + (uint64_t)by, widths[w], false);
				check_number(&o, power + (uint64_t)by, widths[w], true);
				check_number(&o, -(power + (uint64_t)by), widths[w], false);
			}
		check_number(&o, 1ull << 63, widths[w], true);
		check_number(&o, (1ull << 63) - 1, widths[w], true);
	}
	dt_out_free(&o);
}

/*
 * However much room the buffer has left, a number has its place in it, and what comes next stands behind
 * it.
 */
static void test_room(void)
{
	for (size_t before = 200; before < 300; before++) {
		struct dt_out o;
		char want[512];

		dt_out_init(&o, NULL, NULL);
		dt_out_pad(&o, 'x', before);
		dt_out_int(&o, INT64_MIN, 0, false);
		dt_out_int(&o, 7, 0, false);
		memset(want, 'x', before);
		strcpy(want + before, "-92233720368547758087");
		CHECK_STR(dt_out_text(&o), want);
		CHECK_INT(o.len, strlen(want));
		dt_out_free(&o);
	}
}

/* Text in memory has a limit, and what is over it is not there in part. */
static void test_max(void)
{
	struct dt_out o;

	dt_out_init(&o, NULL, NULL);
	o.max = 300;
	dt_out_pad(&o, 'x', 295);
	dt_out_int(&o, 12345, 0, false);
	CHECK(!o.failed);
	dt_out_int(&o, 6, 0, false);
	CHECK(o.failed);
	CHECK_INT(strlen(dt_out_text(&o)), 300);
	dt_out_free(&o);
}

static void test_file(void)
{
	static char big[100000];
	struct dt_out o;
	char *text = NULL;
	size_t len = 0;
	FILE *f = open_memstream(&text, &len);

	dt_out_init(&o, f, NULL);
	dt_out_str(&o, "one ");
	dt_out_int(&o, 2, 0, false);
	fflush(f);
	CHECK_INT(len, 0);	/* it waits … */
	dt_out_flush(&o);
	fputs(" three ", f);	/* … and stands before what others write then */
	dt_out_str(&o, "four");
	dt_out_flush(&o);
	dt_out_flush(&o);
	fflush(f);
	CHECK_STR(text, "one 2 three four");

	memset(big, 'y', sizeof(big));
	for (int i = 0; i < 100; i++)
		dt_out_put(&o, big, sizeof(big));
	CHECK(o.cap < 4 * sizeof(big));		/* much text does not wait */
	dt_out_flush(&o);
	fflush(f);
	CHECK_INT(len, 16 + 100 * sizeof(big));
	CHECK(!o.failed);
	dt_out_free(&o);
	fclose(f);
	free(text);
}

static void test_full(void)
{
	FILE *f = fopen("/dev/full", "w");
	struct dt_out o;

	if (f == NULL)
		return;
	setvbuf(f, NULL, _IONBF, 0);
	dt_out_init(&o, f, NULL);
	dt_out_str(&o, "text");
	CHECK(!o.failed);
	dt_out_flush(&o);
	CHECK(o.failed);
	CHECK_INT(o.err, ENOSPC);
	dt_out_str(&o, "more");
	dt_out_int(&o, 1, 0, false);
	CHECK_INT(o.len, 0);
	dt_out_free(&o);
	fclose(f);
}

/* P10: times and sizes as people write them; what would be rounded up to the next unit is written in that. */
static void test_units(void)
{
	static const struct { enum dt_aggunit unit; long double value; const char *want; } rows[] = {
		{ DT_UNIT_NS, 0, "0" }, { DT_UNIT_NS, 1, "1ns" }, { DT_UNIT_NS, 999, "999ns" },
		{ DT_UNIT_NS, 1000, "1us" }, { DT_UNIT_NS, 1024, "1.02us" }, { DT_UNIT_NS, 1500, "1.5us" },
		{ DT_UNIT_NS, 9994, "9.99us" }, { DT_UNIT_NS, 9996, "10us" },
		{ DT_UNIT_NS, 16384, "16.4us" }, { DT_UNIT_NS, 999400, "999us" },
		{ DT_UNIT_NS, 999999, "1ms" }, { DT_UNIT_NS, 1048576, "1.05ms" },
		{ DT_UNIT_NS, 61e9L, "61s" }, { DT_UNIT_NS, 5e12L, "5000s" },
		{ DT_UNIT_NS, -2048, "-2.05us" },
		{ DT_UNIT_US, 7, "7us" }, { DT_UNIT_US, 2500, "2.5ms" }, { DT_UNIT_MS, 61500, "61.5s" },
		{ DT_UNIT_S, 3, "3s" }, { DT_UNIT_BYTES, 1, "1B" }, { DT_UNIT_BYTES, 1023, "1023B" },
		{ DT_UNIT_BYTES, 1024, "1KiB" }, { DT_UNIT_BYTES, 1500, "1.46KiB" },
		{ DT_UNIT_BYTES, 1048575, "1MiB" }, { DT_UNIT_BYTES, 0x1p63L, "8EiB" },
		{ DT_UNIT_BYTES, -0x1p63L, "-8EiB" }, { DT_UNIT_NS, -0x1p63L, "-9223372037s" },
		{ DT_UNIT_NONE, -12345, "-12345" },
	};
	char text[DT_UNIT_TEXT];

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		dt_unit_text(rows[i].unit, rows[i].value, text);
		CHECK_STR(text, rows[i].want);
	}
}

static void test_unit_words(void)
{
	char word[16];

	CHECK(dt_aggunit_of(NULL, "ns", DT_ACT_SUM) == DT_UNIT_NONE);
	CHECK(dt_aggunit_of("", "ns", DT_ACT_SUM) == DT_UNIT_NS);
	CHECK(dt_aggunit_of("", "wait_ns", DT_ACT_QUANTIZE) == DT_UNIT_NS);
	CHECK(dt_aggunit_of("", "read_bytes", DT_ACT_SUM) == DT_UNIT_BYTES);
	CHECK(dt_aggunit_of("", "returns", DT_ACT_SUM) == DT_UNIT_NONE);
	CHECK(dt_aggunit_of("", "_", DT_ACT_SUM) == DT_UNIT_NONE);
	CHECK(dt_aggunit_of("ms", "_", DT_ACT_SUM) == DT_UNIT_MS);
	CHECK(dt_aggunit_of("ms", "ns", DT_ACT_COUNT) == DT_UNIT_NONE);
	CHECK(dt_aggunit_of("ms", "ns", DT_ACT_AVG) == DT_UNIT_NS);
	CHECK(dt_aggunit_of("ms,ns:us,@b:bytes", "ns", DT_ACT_AVG) == DT_UNIT_US);
	CHECK(dt_aggunit_of("ms,ns:us,@b:bytes", "b", DT_ACT_AVG) == DT_UNIT_BYTES);
	CHECK(dt_unit_wrong("ms,lat:s,@b:bytes", word, sizeof(word)) == NULL);
	CHECK_STR(dt_unit_wrong("ms,lat:hours,s", word, sizeof(word)), "lat:hours");
	CHECK_STR(dt_unit_wrong("@:ns", word, sizeof(word)), "@:ns");
	CHECK_STR(dt_unit_wrong(":ns", word, sizeof(word)), ":ns");
	CHECK_STR(dt_unit_wrong("@", word, sizeof(word)), "@");
	CHECK_STR(dt_unit_wrong("a-long-word-without-any-meaning", word, sizeof(word)), "a-long-word-wit");
}

int main(void)
{
	test_units();
	test_unit_words();
	test_numbers();
	test_room();
	test_max();
	test_file();
	test_full();
	return check_report("out");
}
