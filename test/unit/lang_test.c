/* SPDX-License-Identifier: BSD-2-Clause */
/* Tables of lines of Python, of versions that are not installed too; files that have a runtime. */
#include "check.h"
#include "lang/lang_python.h"

#include <string.h>

static uint32_t line(uint32_t format, uint32_t first, const char *table, size_t n, uint32_t pos)
{
	uint8_t bytes[64];
	struct dt_lang_function f = { .first = first, .format = format, .lines = bytes, .nlines = n };

	memcpy(bytes, table, n);
	return dt_python_line(&f, pos);
}

#define LINE(format, first, table, pos) line(format, first, table, sizeof(table) - 1, pos)

/* 3.8: "x = 1\n\n\ny = 2": four bytes of code for the first line; one that goes back */
static void test_lnotab(void)
{
	static const char table[] = "\x04\x03\x08\xfe";

	CHECK_INT(LINE(DT_PY_LNOTAB, 7, table, 0), 7);
	CHECK_INT(LINE(DT_PY_LNOTAB, 7, table, 1), 7);
	CHECK_INT(LINE(DT_PY_LNOTAB, 7, table, 2), 10);
	CHECK_INT(LINE(DT_PY_LNOTAB, 7, table, 5), 10);
	CHECK_INT(LINE(DT_PY_LNOTAB, 7, table, 6), 8);
	CHECK_INT(LINE(DT_PY_LNOTAB, 7, "", 3), 7);
	CHECK_INT(LINE(DT_PY_LNOTAB, 0, table, 3), 0);	/* the table could not be read */
}

/*
 * 3.10: a pair holds for its own bytes; -128: they have no line, and the next counts from the last that has
 */
static void test_linetable(void)
{
	static const char table[] = "\x04\x01\x02\x80\x06\x02";

	CHECK_INT(LINE(DT_PY_LINETABLE, 7, table, 0), 8);
	CHECK_INT(LINE(DT_PY_LINETABLE, 7, table, 1), 8);
	CHECK_INT(LINE(DT_PY_LINETABLE, 7, table, 2), 0);
	CHECK_INT(LINE(DT_PY_LINETABLE, 7, table, 3), 10);
	CHECK_INT(LINE(DT_PY_LINETABLE, 7, table, 5), 10);
	CHECK_INT(LINE(DT_PY_LINETABLE, 7, "", 5), 7);
}

/*
 * 3.11: a short entry of two units, one of a unit on the next line, a long one of three units five lines
 * before (and with its columns), one of one unit without a line.
 */
static void test_locations(void)
{
	static const char table[] = "\x81\x00" "\xd8\x01\x02" "\xf2\x0b\x00\x01\x01" "\xf8";

	CHECK_INT(LINE(DT_PY_LOCATIONS, 7, table, 0), 7);
	CHECK_INT(LINE(DT_PY_LOCATIONS, 7, table, 1), 7);
	CHECK_INT(LINE(DT_PY_LOCATIONS, 7, table, 2), 8);
	CHECK_INT(LINE(DT_PY_LOCATIONS, 7, table, 3), 3);
	CHECK_INT(LINE(DT_PY_LOCATIONS, 7, table, 5), 3);
	CHECK_INT(LINE(DT_PY_LOCATIONS, 7, table, 6), 0);
	/* a number that does not end, and a table that ends inside of an entry */
	CHECK_INT(LINE(DT_PY_LOCATIONS, 7, "\xf0\x7f\x7f\x7f\x7f\x7f\x7f\x7f\x7f", 9), 7);
	(void)LINE(DT_PY_LOCATIONS, 7, "\xe8", 0);
}

/* By the name of the file first: no other is looked into. */
static void test_files(void)
{
	struct dt_lang_file f;

	dt_lang_file_look("libc.so.6", NULL, &f);
	CHECK(f.lang == NULL);
	dt_lang_file_look("python3.11", NULL, &f);
	CHECK(f.lang == NULL);
	CHECK_INT(f.version, 0x030b);
	dt_lang_file_look("libpython3.9.so.1.0", NULL, &f);
	CHECK_INT(f.version, 0x0309);
	for (unsigned i = 1; i < DT_LANGS; i++)
		CHECK(dt_lang_of(i) != NULL && dt_lang_id(dt_lang_of(i)) == i);
	CHECK(dt_lang_of(0) == NULL && dt_lang_of(DT_LANGS) == NULL);
	CHECK(!dt_lang_is_frame(0x7fffffffffff) && !dt_lang_is_frame(0));
	CHECK(dt_lang_is_frame(1ull << DT_FRAME_LANG_SHIFT));
}

int main(void)
{
	test_lnotab();
	test_linetable();
	test_locations();
	test_files();
	return check_report("lang");
}
