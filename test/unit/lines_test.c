/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Lines and inlined calls (file/lines.h): what a worker that an enemy's file has taken over may answer is
 * refused; a small program's DWARF gives frames; the same with any byte changed or cut off is read within its
 * bounds, and what is made of it is accepted.
 */
#include "check.h"

#include "base/file.h"
#include "file/digest.h"
#include "file/lines.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- the digest ---- */

struct digest {
	struct dt_lines_head head;
	struct dt_line_row row[3];
	struct dt_line_span span[3];
	struct dt_line_call call[2];
	char text[16];
};

/* main has inlined f at line 7, and in it f has inlined g at line 3; the code of g is of line 2. */
static const struct digest good = { .head = { 3, 3, 2, 0 },
	.row = { { 0x1000, 1, 6 }, { 0x1010, 1, 2 }, { 0x1020, 0, 0 } },
	.span = { { 0x1008, 1, 0 }, { 0x1010, 2, 0 }, { 0x1018, 0, 0 } },
	.call = { { 0, 5, 1, 7 }, { 1, 7, 1, 3 } },
	.text = "\0a.c\0f\0g" };

static int take(const struct digest *d, size_t len, struct dt_lines *l)
{
	void *bytes = malloc(sizeof(*d));
	int err;

	memcpy(bytes, d, sizeof(*d));
	err = dt_lines_check(bytes, len, l);
	if (err != 0)
		free(bytes);
	return err;
}

static int refused(struct digest d)
{
	struct dt_lines l;
	int err = take(&d, sizeof(d), &l);

	if (err == 0)
		free(l.bytes);
	return err;
}

static void check_frame(const struct dt_lines *l, uint64_t at, unsigned i, const char *function,
    uint32_t line)
{
	struct dt_line f;

	CHECK(dt_lines_at(l, at, i, &f));
	CHECK_STR(f.function != NULL ? f.function : "-", function);
	CHECK_INT(f.line, line);
	CHECK_STR(f.file != NULL ? f.file : "-", line != 0 ? "a.c" : "-");
}

static void test_lookup(void)
{
	struct dt_lines l;
	struct dt_line f;

	CHECK_INT(take(&good, sizeof(good), &l), 0);
	check_frame(&l, 0x1000, 0, "-", 6);
	CHECK(!dt_lines_at(&l, 0x1000, 1, &f));
	check_frame(&l, 0x100f, 0, "f", 6);
	check_frame(&l, 0x100f, 1, "-", 7);
	check_frame(&l, 0x1010, 0, "g", 2);
	check_frame(&l, 0x1010, 1, "f", 3);
	check_frame(&l, 0x1010, 2, "-", 7);
	CHECK(!dt_lines_at(&l, 0x1010, 3, &f));
	check_frame(&l, 0x101f, 0, "-", 2);
	check_frame(&l, 0x1020, 0, "-", 0);
	check_frame(&l, 0xfff, 0, "-", 0);
	free(l.bytes);
}

static void test_refused(void)
{
	struct digest d = good;
	struct dt_lines l;

	CHECK_INT(take(&good, 8, &l), -EBADMSG);
	CHECK_INT(take(&good, offsetof(struct digest, text), &l), -EBADMSG);	/* no texts */
	CHECK_INT(take(&good, offsetof(struct digest, text) + 3, &l), -EBADMSG);
	d.head.nrows = UINT32_MAX;
	CHECK_INT(refused(d), -EBADMSG);
	d = good;
	d.row[1].at = 0x1000;			/* does not ascend */
	CHECK_INT(refused(d), -EBADMSG);
	d = good;
	d.row[1].file = 2;			/* not where a text begins */
	CHECK_INT(refused(d), -EBADMSG);
	d = good;
	d.row[1].file = sizeof(d.text);
	CHECK_INT(refused(d), -EBADMSG);
	d = good;
	d.span[2].at = 0x1008;
	CHECK_INT(refused(d), -EBADMSG);
	d = good;
	d.span[0].call = 3;			/* there is none */
	CHECK_INT(refused(d), -EBADMSG);
	d = good;
	d.call[1].parent = 2;			/* in itself */
	CHECK_INT(refused(d), -EBADMSG);
	d = good;
	d.call[0].name = 6;
	CHECK_INT(refused(d), -EBADMSG);
	d = good;
	memcpy(d.text + 5, "\033", 1);		/* a terminal would obey it */
	CHECK_INT(refused(d), -EBADMSG);
}

/* ---- DWARF ---- */

/* What is made of a file's bytes has to be accepted; returns how many calls were inlined, or an error. */
static long read_bytes(const void *bytes, size_t len)
{
	const struct dt_lines *lines;
	void *copy = malloc(len + 1);
	struct dt_elf *e;
	long n;

	memcpy(copy, bytes, len);
	n = dt_elf_memory(copy, len, &e);
	if (n != 0)
		return n;
	n = dt_elf_lines(e, UINT32_MAX, &lines);
	CHECK(n != -EBADMSG);
	if (n == 0) {
		struct dt_line f;

		n = lines->head.ncalls;
		for (uint32_t i = 0; i < lines->head.nspans; i++)
			for (unsigned k = 0; dt_lines_at(lines, lines->span[i].at, k, &f); k++)
				CHECK(f.line == 0 || f.file != NULL);
	}
	dt_elf_close(e);
	return n;
}

static void test_damaged(const char *path)
{
	uint32_t seed = 1;
	size_t len;
	char *file;

	CHECK_INT(dt_file_read_regular(path, 1 << 20, &file, &len), 0);
	CHECK(read_bytes(file, len) >= 4);
	for (size_t cut = 0; cut < len; cut += 1 + len / 100)
		(void)read_bytes(file, cut);
	for (unsigned i = 0; i < 2000; i++) {
		size_t at = (seed = seed * 1664525 + 1013904223) % (len - 64) + 64;
		char was = file[at];

		file[at] = (char)(seed >> 24);
		(void)read_bytes(file, len);
		file[at] = was;
	}
	free(file);
}

int main(void)
{
	test_lookup();
	test_refused();
	test_damaged("test/fuzz/seeds/elf/lines_gcc");
	test_damaged("test/fuzz/seeds/elf/lines_clang");
	return check_report("lines");
}
