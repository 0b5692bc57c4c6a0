/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The functions of src/runtime on random strings, against something else that knows the answer: libc, or a
 * plain function with libc that shares nothing with them. Argument: a seed.
 */
#include "rt_call.h"
#include "rt_json_reference.h"
#include "rt_random.h"

#include "base/count.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <errno.h>
#include <libgen.h>

#define ROUNDS 250
#define NONE UINT64_MAX

static char a[TEXT_MAX], b[TEXT_MAX];
static size_t size;

/* Both are cut to what a string holds, for the references too. */
static struct in choose(uint32_t round, enum alphabet kind)
{
	choose_texts(round, kind, size, a, b);
	a[size - 1] = b[size - 1] = '\0';
	return (struct in){ .a = a, .b = b, .size = size };
}

static int64_t choose_place(void)
{
	static const int64_t far[] = { INT32_MIN, INT32_MAX, 0, -1, 1 };

	return chance(3) ? (int64_t)chance(24) - 8 : far[chance(DT_COUNT(far))];
}

static void is_value(dt_rt_fn *f, const struct in *in, uint64_t want, const char *name)
{
	if (!CHECK_INT(value_of(f, in), want))
		fprintf(stderr, "\t%s(\"%s\", \"%s\", %lld), strsize %zu\n", name, a, b,
		    (long long)in->n, size);
}

static void is_text(dt_rt_fn *f, const struct in *in, const char *want, const char *name)
{
	if (!CHECK_STR(text_of(f, in), want))
		fprintf(stderr, "\t%s(\"%s\", \"%s\", %lld, %lld), strsize %zu\n", name, a, b,
		    (long long)in->n, (long long)in->m, size);
}

/* ---- searches ---- */

static uint64_t place(const char *found) { return found ? (uint64_t)(found - a) : NONE; }

static uint64_t index_reference(int64_t from)
{
	int64_t len = (int64_t)strlen(a);

	if (from < 0)
		from = 0;
	if (from >= len)
		return *b ? NONE : (uint64_t)len;
	return place(strstr(a + from, b));
}

static uint64_t rindex_reference(int64_t from)
{
	int64_t len = (int64_t)strlen(a), sublen = (int64_t)strlen(b);

	if (from < 0)
		return *b ? NONE : 0;
	for (from = from > len - sublen ? len - sublen : from; from >= 0; from--)
		if (memcmp(a + from, b, (size_t)sublen) == 0)
			return (uint64_t)from;
	return NONE;
}

static void test_search(uint32_t round)
{
	struct in in = choose(round, WORDS);
	int64_t from = choose_place();

	is_value(dt_rt_strstr, &in, place(strstr(a, b)), "strstr");
	in.n = (uint8_t)a[chance((uint32_t)size / 2)];
	is_value(dt_rt_strchr, &in, place(strchr(a, (int)in.n)), "strchr");
	is_value(dt_rt_strrchr, &in, place(strrchr(a, (int)in.n)), "strrchr");
	in.n = 0;
	is_value(dt_rt_index, &in, index_reference(0), "index");
	is_value(dt_rt_rindex, &in, rindex_reference((int64_t)strlen(a)), "rindex");
	in.n = (uint64_t)from;
	in.m = 1;
	is_value(dt_rt_index, &in, index_reference(from), "index");
	is_value(dt_rt_rindex, &in, rindex_reference(from), "rindex");
}

/* ---- strings ---- */

/* Characters from `begin` on that are before `end`. */
static void substr_reference(int64_t start, int64_t n, char *to)
{
	int64_t len = (int64_t)strlen(a), begin = start < 0 ? start + len : start;
	int64_t end = n < 0 ? len + n : begin + n;

	*to = '\0';
	if (begin < 0 && n <= 0)
		return;
	for (int64_t i = begin > 0 ? begin : 0; i < end && i < len; i++) {
		*to++ = a[i];
		*to = '\0';
	}
}

static void test_strings(uint32_t round)
{
	struct in in = choose(round, ANY);
	char want[TEXT_MAX];

	in.n = (uint64_t)choose_place();
	in.m = (uint64_t)choose_place();
	substr_reference((int64_t)in.n, (int64_t)in.m, want);
	is_text(dt_rt_substr, &in, want, "substr");
	for (size_t i = 0; i < size; i++)
		want[i] = isascii((unsigned char)a[i]) ? (char)toupper(a[i]) : a[i];
	in.n = 'a';
	is_text(dt_rt_case, &in, want, "toupper");
	for (size_t i = 0; i < size; i++)
		want[i] = isascii((unsigned char)a[i]) ? (char)tolower(a[i]) : a[i];
	in.n = 'A';
	is_text(dt_rt_case, &in, want, "tolower");
}

static void test_tokens(uint32_t round)
{
	struct in in = choose(round, WORDS);
	char copy[TEXT_MAX], *rest = copy, *token;

	strcpy(copy, a);
	do {
		token = strtok_r(NULL, b, &rest);
		is_text(dt_rt_strtok, &in, token ? token : "(none)", "strtok");
		in.pos = result_words.w.pos;
	} while (token);
}

/* ---- numbers ---- */

static void test_numbers(uint32_t round)
{
	static const int bases[] = { 8, 10, 16, 36 };
	struct in in = choose(round, NUMBERS);
	uint64_t v = (uint64_t)chance(1u << 31) << chance(33), want;
	char text[80];

	for (size_t i = 0; i < DT_COUNT(bases); i++) {
		in.n = (uint64_t)bases[i];
		errno = 0;
		want = strtoull(a, NULL, bases[i]);
		if (errno == 0)		/* ours wraps around */
			is_value(dt_rt_strtoll, &in, want, "strtoll");
	}
	in.n = chance(2) ? v : -v;
	in.m = 10;
	snprintf(text, size < sizeof(text) ? size : sizeof(text), "%lld", (long long)in.n);
	is_text(dt_rt_lltostr, &in, text, "lltostr");
	in.m = 8;
	snprintf(text, size < sizeof(text) ? size : sizeof(text), "%#llo", (unsigned long long)in.n);
	is_text(dt_rt_lltostr, &in, text, "lltostr");
	in.m = 16;
	snprintf(text, size < sizeof(text) ? size : sizeof(text), "0x%llx", (unsigned long long)in.n);
	is_text(dt_rt_lltostr, &in, text, "lltostr");
}

/* Where an address is small (::2) libc shows no IPv4 address in it, and we do. */
static void test_addresses(void)
{
	static const uint8_t zero[14];
	uint8_t bytes[16];
	char text[INET6_ADDRSTRLEN], want[INET6_ADDRSTRLEN];

	for (int k = 0; k < 16; k++)
		bytes[k] = (uint8_t)(chance(3) ? 0 : chance(256));
	if (chance(4) == 0)
		memset(bytes, 0, 12);
	if (chance(6) == 0)
		bytes[10] = bytes[11] = 0xff;
	inet_ntop(AF_INET, bytes, text, sizeof(text));
	snprintf(want, size < sizeof(want) ? size : sizeof(want), "%s", text);
	is_text(dt_rt_inet4, &(struct in){ .a = bytes, .la = 4, .size = size }, want, "inet4");
	if (size < 16 + DT_RT_AFTER || memcmp(bytes, zero, sizeof(zero)) == 0)
		return;
	inet_ntop(AF_INET6, bytes, text, sizeof(text));
	snprintf(want, size < sizeof(want) ? size : sizeof(want), "%s", text);
	is_text(dt_rt_inet6, &(struct in){ .a = bytes, .la = 16, .m = 1, .size = size }, want, "inet6");
}

/* ---- paths ---- */

/* The length without the last component of the n bytes written; n: it stays. */
static size_t length_of_parent(const char *to, size_t n)
{
	size_t start = n;

	while (start > 0 && to[start - 1] != '/')
		start--;
	return n - start == 2 && to[start] == '.' && to[start + 1] == '.' ? n : start;
}

/* `to` is empty or ends in a slash before each component. */
static void clean_reference(const char *path, char *to)
{
	size_t n = 0;

	for (bool first = true; *path; first = false) {
		size_t len = strcspn(path, "/");
		bool slash = path[len] == '/';

		if (!first && len == 2 && strncmp(path, "..", 2) == 0) {
			size_t before = n ? length_of_parent(to, n - 1) : 0;

			if (n == 0 || (before == n - 1 && n > 1)) {	/* nothing to take away */
				memcpy(to + n, path, 2 + slash);
				n += 2 + slash;
			} else {
				n = before ? before : to[0] == '/';
			}
		} else if (first || (len && !(len == 1 && path[0] == '.'))) {
			memcpy(to + n, path, len + slash);
			n += len + slash;
		}
		path += len + slash;
	}
	to[n] = '\0';
}

/* libc keeps two slashes at the beginning, as POSIX allows; we do not. */
static void test_paths(uint32_t round)
{
	struct in in = choose(round, PATHS);
	char copy[TEXT_MAX];

	clean_reference(a, copy);
	is_text(dt_rt_cleanpath, &in, copy, "cleanpath");
	if (strncmp(a, "//", 2) == 0 && a[2] != '/')
		return;
	strcpy(copy, a);
	is_text(dt_rt_basename, &in, basename(copy), "basename");
	strcpy(copy, a);
	is_text(dt_rt_dirname, &in, dirname(copy), "dirname");
}

static void test_json(uint32_t round)
{
	struct in in = choose(round, JSON);
	size_t len = 0;
	const char *found = json_reference(a, b, &len);
	char want[TEXT_MAX];

	snprintf(want, sizeof(want), "%.*s", found ? (int)len : 6, found ? found : "(none)");
	is_text(dt_rt_json, &in, want, "json");
}

int main(int argc, char **argv)
{
	static const size_t sizes[] = { 8, 9, 15, 64, 256, 1000, 4096 };

	if (argc > 1)
		seed = strtoull(argv[1], NULL, 0);
	for (size_t s = 0; s < DT_COUNT(sizes); s++) {
		size = sizes[s];
		for (uint32_t round = 0; round < ROUNDS; round++) {
			test_search(round);
			test_strings(round);
			test_tokens(round);
			test_numbers(round);
			test_addresses();
			test_paths(round);
			test_json(round);
		}
	}
	return CHECK_DONE("rt_reference_test");
}
