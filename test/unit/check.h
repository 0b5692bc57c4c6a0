/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Checks for the unit tests: each one counts, a failed one says where and goes on. main() ends with
 * `return check_report("name");`, which prints the last line and gives the exit status.
 */
#ifndef DT_CHECK_H
#define DT_CHECK_H

#include <stdio.h>
#include <string.h>

/* of the one test program this is included in */
static unsigned check_passed, check_failed, check_skipped;

static inline int check_that(int good, const char *file, int line, const char *what)
{
	if (good) {
		check_passed++;
		return 1;
	}
	check_failed++;
	fprintf(stderr, "%s:%d: not true: %s\n", file, line, what);
	return 0;
}

static inline int check_same(const char *got, const char *want, const char *file, int line)
{
	if (got && want && strcmp(got, want) == 0) {
		check_passed++;
		return 1;
	}
	check_failed++;
	fprintf(stderr, "%s:%d: got:\n%s\nexpected:\n%s\n", file, line, got ? got : "(null)",
	    want ? want : "(null)");
	return 0;
}

static inline int check_equal(long long got, long long want, const char *file, int line, const char *what)
{
	if (got == want) {
		check_passed++;
		return 1;
	}
	check_failed++;
	fprintf(stderr, "%s:%d: %s is %lld, expected %lld\n", file, line, what, got, want);
	return 0;
}

/* What cannot be tried here is counted and told, never silently left out. */
static inline void check_skip(const char *why, const char *file, int line)
{
	check_skipped++;
	fprintf(stderr, "%s:%d: skipped: %s\n", file, line, why);
}

/* A test that has checked nothing has shown nothing: it fails, unless it said what it skipped. */
static inline int check_report(const char *name)
{
	printf("%s: %u passed, %u failed", name, check_passed, check_failed);
	if (check_skipped > 0)
		printf(", %u skipped", check_skipped);
	putchar('\n');
	if (check_passed + check_failed + check_skipped == 0)
		fprintf(stderr, "%s: nothing was checked\n", name);
	return check_failed != 0 || check_passed + check_skipped == 0;
}

#define CHECK(cond) check_that(!!(cond), __FILE__, __LINE__, #cond)
#define CHECK_STR(a, b) check_same((a), (b), __FILE__, __LINE__)
#define CHECK_INT(a, b) check_equal((long long)(a), (long long)(b), __FILE__, __LINE__, #a)
#define CHECK_SKIP(why) check_skip((why), __FILE__, __LINE__)
#define CHECK_DONE(name) check_report(name)

#endif
