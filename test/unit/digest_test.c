/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a worker that an enemy's file has taken over may answer: names that a terminal would obey, and rows
 * that would lead a program astray, are refused; what is made of a real file is accepted.
 */
#include "check.h"

#include "file/digest.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- names ---- */

/* As src/file/digest.c writes them: two symbols, of which the second has its text at an offset. */
static int names(const char *texts, size_t len, uint32_t second)
{
	struct { uint64_t vaddr, size, offset; uint32_t text; uint8_t type, bind, zero[2]; } r[2] = {
		{ .vaddr = 0x1000, .size = 16 }, { .vaddr = 0x2000, .size = 16, .text = second } };
	uint8_t bytes[256];
	uint64_t count = 2;
	struct dt_elf_names n = { 0 };
	int err;

	memcpy(bytes, &count, sizeof(count));
	memcpy(bytes + sizeof(count), r, sizeof(r));
	memcpy(bytes + sizeof(count) + sizeof(r), texts, len);
	err = dt_digest_names(bytes, sizeof(count) + sizeof(r) + len, &n);
	free(n.func);
	return err;
}

#define NAMES(texts, second) names(texts, sizeof(texts), second)

static void test_names(void)
{
	CHECK_INT(NAMES("main\0put", 5), 0);
	CHECK_INT(NAMES("main\0caf\xc3\xa9", 5), 0);
	CHECK_INT(NAMES("main\0a\033[2Jb", 5), -EBADMSG);
	CHECK_INT(NAMES("main\0a\nb", 5), -EBADMSG);
	CHECK_INT(NAMES("main\0a\x7f" "b", 5), -EBADMSG);
	CHECK_INT(NAMES("main\0a\xc2\x9b" "2J", 5), -EBADMSG);		/* C1: another ESC [ */
	CHECK_INT(NAMES("main\0a\xe2\x80\xae" "b", 5), -EBADMSG);	/* from right to left */
	CHECK_INT(NAMES("main\0a\xe2\x80\xa8" "b", 5), -EBADMSG);	/* a new line */
	CHECK_INT(NAMES("main\0a\xff" "b", 5), -EBADMSG);		/* no UTF-8 */
	CHECK_INT(NAMES("main\0a\xc3", 5), -EBADMSG);			/* cut off */
	CHECK_INT(NAMES("main\0\xc3\xa9", 6), -EBADMSG);		/* the middle of a character */
	CHECK_INT(NAMES("main\0put", 6), -EBADMSG);			/* of a text */
	CHECK_INT(NAMES("main\0put", 8), -EBADMSG);			/* nothing */
	CHECK_INT(NAMES("main\0put", 9), -EBADMSG);			/* behind it */
	CHECK_INT(names("main\0put", 8, 5), -EBADMSG);			/* does not end */
}

/* ---- rows ---- */

struct rows {
	uint64_t base;
	uint32_t nrules, nrows;
	struct dt_unwind_rule rule[2];
	struct dt_unwind_row row[3];
};

static const struct rows good = { .base = 0x1000, .nrules = 2, .nrows = 3,
	.rule = { { .cfa = DT_CFA_NONE }, { .cfa = DT_CFA_SP, .cfa_off = 16, .ra = DT_REG_CFA } },
	.row = { { 0, 1 }, { 4, 0 }, { 8, 1 } } };

static int take(const struct rows *r, size_t len)
{
	struct rows copy = *r;
	struct dt_cfi c = { 0 };
	int err = dt_digest_rows(&copy, len, &c);

	CHECK(err == 0 || c.n == 0);
	if (err == 0 && c.n == 3)
		CHECK(dt_cfi_at(&c, r->base + 5) == &c.row[1]);
	dt_cfi_free(&c);
	return err;
}

static void test_rows(void)
{
	struct rows r = good;

	CHECK_INT(take(&good, sizeof(good)), 0);
	CHECK_INT(take(&good, sizeof(good) - 1), -EBADMSG);
	CHECK_INT(take(&good, 8), -EBADMSG);
	r.nrows = UINT32_MAX;
	CHECK_INT(take(&r, sizeof(r)), -EBADMSG);
	r = good;
	r.nrules = DT_UNWIND_RULES + 1;
	CHECK_INT(take(&r, sizeof(r)), -EBADMSG);
	r = good;
	r.rule[1].cfa = DT_CFA_END + 1;
	CHECK_INT(take(&r, sizeof(r)), -EBADMSG);
	r = good;
	r.rule[1].fp = DT_REG_LOST + 1;
	CHECK_INT(take(&r, sizeof(r)), -EBADMSG);
	r = good;
	r.row[2].rule = 2;		/* there is none */
	CHECK_INT(take(&r, sizeof(r)), -EBADMSG);
	r = good;
	r.row[1].pc = 8;		/* twice */
	CHECK_INT(take(&r, sizeof(r)), -EBADMSG);
	r = good;
	r.base = UINT64_MAX - 6;	/* the last one wraps */
	CHECK_INT(take(&r, sizeof(r)), -EBADMSG);
}

/* ---- a head with its rows ---- */

struct both { int n; size_t rows; bool stop; };

static bool each(void *ctx, int err, const struct dt_digest *d)
{
	struct both *b = ctx;
	struct dt_elf *e = calloc(1, sizeof(*e));
	struct dt_cfi c = { 0 };

	CHECK_INT(err, 0);
	if (e != NULL && b->n == 0) {
		e->fd = -1;
		CHECK_INT(dt_digest_head(d->bytes, d->len, e), 0);
	} else {
		CHECK_INT(dt_digest_rows(d->bytes, d->len, &c), 0);
		b->rows = c.n;
		dt_cfi_free(&c);
	}
	dt_elf_close(e);
	b->n++;
	return !b->stop;
}

static void test_both(void)
{
	struct both b = { 0 }, first = { .stop = true };

	CHECK(dt_digest_both(dt_elf_open_regular("/proc/self/exe", true), each, &b));
	CHECK_INT(b.n, 2);
	CHECK(b.rows > 100);
	CHECK(!dt_digest_both(dt_elf_open_regular("/proc/self/exe", true), each, &first));
	CHECK_INT(first.n, 1);
}

int main(void)
{
	test_names();
	test_rows();
	test_both();
	return check_report("digest");
}
