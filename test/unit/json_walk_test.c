/* SPDX-License-Identifier: BSD-2-Clause */
/* One value of a JSON text by its place, and what its characters are. */
#include "check.h"
#include "wire/json_walk.h"

#include <stdlib.h>
#include <string.h>

static const char text[] = "{\"id\": 7 ,\"params\":{"
    "\"a\":[{\"b\":\"x\"},{\"b\":\"\\u00e9\\ud83d\\ude00\\n\"}],"
    "\"deep\":{\"n\":[ 1, {} ]},\"a\":true},\"last\":null}";

static void finds(const char *where, const char *want)
{
	const char *value;
	size_t n;
	bool found = dt_json_find(text, sizeof(text) - 1, where, &value, &n);

	CHECK_INT(found, want != NULL);
	if (found && want != NULL && !CHECK(n == strlen(want) && memcmp(value, want, n) == 0))
		fprintf(stderr, "  %s: %.*s\n", where, (int)n, value);
}

static void unquotes(const char *value, const char *want)
{
	char *got = dt_json_unquote(value, strlen(value));

	CHECK_INT(got != NULL, want != NULL);
	if (got != NULL && want != NULL)
		CHECK_STR(got, want);
	free(got);
}

int main(void)
{
	char *large = malloc(1 << 20), *got;

	finds("/id", "7");
	finds("/params/a/1/b", "\"\\u00e9\\ud83d\\ude00\\n\"");
	finds("/params/deep", "{\"n\":[ 1, {} ]}");
	finds("/params/deep/n/1", "{}");
	finds("/params/a", "[{\"b\":\"x\"},{\"b\":\"\\u00e9\\ud83d\\ude00\\n\"}]");	/* the first of two */
	finds("/last", "null");
	finds("", text);
	finds("/none", NULL);
	finds("/params/a/2", NULL);
	unquotes("\"\\u00e9\\ud83d\\ude00\\n\"", "\xc3\xa9\xf0\x9f\x98\x80\n");
	unquotes("\"\\ud83dx\\ude00\\u0000\"", "?x??");
	unquotes("\"\\ud83d\\u0041\"", "?A");
	unquotes("\"a\\", NULL);
	unquotes("\"\\u12\"", NULL);
	unquotes("12", NULL);
	if (CHECK(large != NULL)) {
		memset(large, 'x', 1 << 20);
		large[0] = large[(1 << 20) - 1] = '"';
		got = dt_json_unquote(large, 1 << 20);
		CHECK(got != NULL && strlen(got) == (1 << 20) - 2);
		free(got);
	}
	free(large);
	/* cut anywhere, it is not read beyond its end */
	for (size_t i = 0; i < sizeof(text) - 1; i++) {
		char *copy = malloc(i + 1);
		const char *value;
		size_t n;

		if (copy == NULL)
			continue;
		memcpy(copy, text, i);
		(void)dt_json_find(copy, i, "/last", &value, &n);
		CHECK(!dt_json_find(copy, i, "", &value, &n));
		free(copy);
	}
	return CHECK_DONE("json_walk_test");
}
