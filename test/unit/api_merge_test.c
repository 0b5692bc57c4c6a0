/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Recordings of several sources merged into one: counts add up, a source that leaves does not count, one that
 * is damaged ends alone, and what comes out is a recording. The input is a seed of the fuzzer, as in
 * api_stream_test.c.
 */
#include "check.h"

#include <dtrace.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define RECORDING "test/fuzz/seeds/record/stream.json"

static char *merged(dtrace_hdl_t *h, int fd)
{
	char *text = NULL;
	size_t n = 0;
	FILE *f = open_memstream(&text, &n);

	lseek(fd, 0, SEEK_SET);
	if (dtrace_setopt(h, "oformat", "json") != 0 || dtrace_show_fd(h, fd, f) != 0)
		CHECK_STR(dtrace_errmsg(h, dtrace_errno(h)), "");
	fclose(f);
	return text;
}

static int count_of(const char *text, const char *what)
{
	int n = 0;

	for (const char *p = text; (p = strstr(p, what)) != NULL; p++)
		n++;
	return n;
}

/* The sources, each with the bytes of `len`, in pieces. */
static char *merge(dtrace_hdl_t *h, const char *bytes, const size_t *len, int n, bool *wrong)
{
	int fd = memfd_create("merged", MFD_CLOEXEC);
	dtrace_merge_t *m = dtrace_merge_open(h, fd);
	char *text;

	*wrong = false;
	if (!CHECK(m != NULL))
		return strdup("");
	for (int i = 0; i < n; i++)
		CHECK_INT(dtrace_merge_add(m, i == 0 ? "one" : "two", i * 1000), i);
	for (int i = 0; i < n; i++) {
		for (size_t at = 0, k; at < len[i]; at += k) {
			k = len[i] - at < 1000 ? len[i] - at : 1000;
			if (dtrace_merge_feed(m, i, bytes + at, k) != 0) {
				*wrong = true;
				break;
			}
		}
		if (dtrace_merge_ended(m, i) == 0)
			dtrace_merge_leave(m, i);
	}
	if (dtrace_merge_close(m) != 0)
		*wrong = true;
	text = merged(h, fd);
	close(fd);
	return text;
}

static void test_two(dtrace_hdl_t *h, const char *bytes, size_t n)
{
	bool wrong;
	char *one = merge(h, bytes, (size_t[]){ n }, 1, &wrong), *two, *left;

	CHECK(!wrong);
	CHECK(strstr(one, "{\"keys\":[\"a\"],\"values\":[2]}") != NULL);
	CHECK(strstr(one, "{\"keys\":[\"x\",1],\"values\":[5]}") != NULL);
	two = merge(h, bytes, (size_t[]){ n, n }, 2, &wrong);
	CHECK(!wrong);
	CHECK(strstr(two, "{\"keys\":[\"a\"],\"values\":[4]}") != NULL);
	CHECK(strstr(two, "{\"keys\":[\"x\",1],\"values\":[10]}") != NULL);
	CHECK_INT(count_of(two, "\"type\":\"aggregation\""), count_of(one, "\"type\":\"aggregation\""));
	CHECK_INT(count_of(two, "\"type\":\"exit\""), 1);
	left = merge(h, bytes, (size_t[]){ n, n / 8 }, 2, &wrong);	/* it is gone soon */
	CHECK(strstr(left, "{\"keys\":[\"x\",1],\"values\":[5]}") != NULL);
	free(one);
	free(two);
	free(left);
}

/* A source that is silent holds the others back until it says what time it is. */
static void test_time(dtrace_hdl_t *h, const char *bytes, size_t n)
{
	int fd = memfd_create("merged", MFD_CLOEXEC);
	dtrace_merge_t *m = dtrace_merge_open(h, fd);
	uint64_t late = 7, missing = 7;
	off_t before, after;

	CHECK_INT(dtrace_merge_add(m, "one", 0), 0);
	CHECK_INT(dtrace_merge_add(m, "two", 0), 1);
	CHECK_INT(dtrace_merge_feed(m, 0, bytes, n), 0);
	before = lseek(fd, 0, SEEK_END);
	dtrace_merge_time(m, 1, UINT64_MAX / 4);
	after = lseek(fd, 0, SEEK_END);
	CHECK(after >= before);
	dtrace_merge_counts(m, &late, &missing);
	CHECK(late == 0 && missing == 0);
	dtrace_merge_leave(m, 1);
	CHECK_INT(dtrace_merge_close(m), 0);
	CHECK(lseek(fd, 0, SEEK_END) > before);
	close(fd);
}

/* Pieces of the past: one after the other; what they counted is added up, a damaged one is left out. */
static void test_past(dtrace_hdl_t *h, const char *bytes, size_t n)
{
	int fd = memfd_create("merged", MFD_CLOEXEC), order;
	dtrace_merge_t *m = dtrace_merge_past(h, fd);
	char *text;

	order = dtrace_merge_add(m, "", 0);
	for (int i = 0; i < 20; i++) {
		int source = dtrace_merge_add(m, i % 2 == 0 ? "one" : "two", 0);

		CHECK_INT(source, i + 1);
		CHECK_INT(dtrace_merge_feed(m, source, bytes, i == 7 ? n / 8 : n), 0);
		CHECK_INT(dtrace_merge_ended(m, source) != 0, i != 7);
		dtrace_merge_time(m, order, (uint64_t)i);
		if (i == 7)
			dtrace_merge_leave(m, source);
	}
	CHECK_INT(dtrace_merge_close(m), 0);
	text = merged(h, fd);
	CHECK(strstr(text, "{\"keys\":[\"x\",1],\"values\":[95]}") != NULL);
	CHECK_INT(count_of(text, "\"type\":\"exit\""), 1);
	free(text);
	close(fd);
}

/* Whatever a byte is, the others end as they do without it, or the whole is refused. */
static void test_damaged(dtrace_hdl_t *h, const char *bytes, size_t n)
{
	char *both = malloc(2 * n);

	for (size_t at = 0; at < n; at += 37) {
		int fd = memfd_create("merged", MFD_CLOEXEC);
		dtrace_merge_t *m = at % 2 == 0 ? dtrace_merge_past(h, fd) : dtrace_merge_open(h, fd);

		memcpy(both, bytes, n);
		both[at] ^= 0x41;
		(void)dtrace_merge_add(m, "good", 0);
		(void)dtrace_merge_add(m, "bad", 0);
		(void)dtrace_merge_feed(m, (int)(at & 1), bytes, n);
		(void)dtrace_merge_feed(m, !(at & 1), both, n);
		(void)dtrace_merge_close(m);
		free(merged(h, fd));
		close(fd);
	}
	free(both);
}

int main(void)
{
	static char bytes[1 << 20];
	int err;
	dtrace_hdl_t *h = dtrace_open(DTRACE_VERSION, DTRACE_O_NODEV, &err);
	FILE *f = fopen(RECORDING, "r");
	size_t n = f != NULL && fgetc(f) != EOF ? fread(bytes, 1, sizeof(bytes), f) : 0;

	if (CHECK(h != NULL && n > 0 && n < sizeof(bytes))) {
		test_two(h, bytes, n);
		test_time(h, bytes, n);
		test_past(h, bytes, n);
		test_damaged(h, bytes, n);
	}
	if (f != NULL)
		fclose(f);
	if (h != NULL)
		dtrace_close(h);
	return check_report("api_merge");
}
