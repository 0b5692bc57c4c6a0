/* SPDX-License-Identifier: BSD-2-Clause */
/* Where text goes: numbers as C's printf would print them, and what waits for a file. */
#include "output/out.h"

#include "check.h"

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

int main(void)
{
	test_numbers();
	test_room();
	test_max();
	test_file();
	test_full();
	return check_report("out");
}
