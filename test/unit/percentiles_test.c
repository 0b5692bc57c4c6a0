/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * percentiles() against the exact percentiles of data that are known: within 1/32 of the number for
 * values of every size, exact below 32, at the ends, and for a single value; the same in whatever order
 * parts are merged; as text, JSON and number by number; of words that do not fit.
 */
#include "check.h"

#include "builtin/agg_common.h"
#include "output/json.h"
#include "output/print.h"

#include <stdio.h>
#include <stdlib.h>

#define F dt_aggfunc_percentiles
enum { MOST = 20000 };

static uint64_t seed = 88172645463325252ull;

static uint64_t some(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed;
}

static int by_value(const void *x, const void *y)
{
	int64_t a = *(const int64_t *)x, b = *(const int64_t *)y;

	return a < b ? -1 : a > b;
}

static struct dt_value value_of(const int64_t *words, int64_t normal)
{
	return (struct dt_value){ .kind = DT_V_AGG,
		.aggkind = DT_ACT_PERCENTILES,
		.words = words,
		.nwords = F.nwords(0),
		.normal = normal };
}

static int64_t part(const int64_t *words, const char *name, int64_t normal)
{
	struct dt_value v = value_of(words, normal);
	struct dt_aggpart parts[DT_AGGPARTS];
	uint32_t n = F.parts(&v, parts);

	for (uint32_t i = 0; i < n; i++)
		if (strcmp(parts[i].name, name) == 0)
			return parts[i].value;
	CHECK(false);
	return 0;
}

/* The bound that is promised: 1/32 of the exact number, and nothing where that is below 32. */
static bool near(int64_t got, int64_t exact)
{
	uint64_t size = exact < 0 ? -(uint64_t)exact : (uint64_t)exact;
	uint64_t off = got > exact ? (uint64_t)got - (uint64_t)exact : (uint64_t)exact - (uint64_t)got;

	if ((got < 0) != (exact < 0) && exact != 0)
		return false;
	return off <= size / 32;
}

static void against_exact(int64_t *values, size_t n)
{
	static const struct { const char *name; unsigned permille; } rows[] = {
		{ "p50", 500 }, { "p90", 900 }, { "p99", 990 }, { "p99.9", 999 },
	};
	int64_t *words = calloc(F.nwords(0), sizeof(*words));

	F.init(words, 0);
	for (size_t i = 0; i < n; i++)
		F.add(words, 0, values[i], 1);
	qsort(values, n, sizeof(*values), by_value);
	CHECK_INT(part(words, "count", 0), n);
	CHECK_INT(part(words, "min", 0), values[0]);
	CHECK_INT(part(words, "max", 0), values[n - 1]);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		int64_t exact = values[(n * rows[i].permille + 999) / 1000 - 1],
			got = part(words, rows[i].name, 0);

		if (!CHECK(near(got, exact)))
			fprintf(stderr, "%s of %zu values: %lld, exactly %lld\n", rows[i].name, n,
			    (long long)got, (long long)exact);
	}
	free(words);
}

static void distributions(void)
{
	static int64_t v[MOST];
	static const size_t sizes[] = { 1, 2, 3, 10, 99, 100, 101, 999, 1000, 1001, MOST };

	for (size_t s = 0; s < sizeof(sizes) / sizeof(sizes[0]); s++) {
		size_t n = sizes[s];

		for (size_t i = 0; i < n; i++)
			v[i] = (int64_t)(some() % 100);
		against_exact(v, n);
		for (size_t i = 0; i < n; i++)	/* latencies: most of them short, some very long */
			v[i] = (int64_t)(1000 + some() % 5000 + (some() % 100 == 0 ? some() % 100000000 : 0));
		against_exact(v, n);
		for (size_t i = 0; i < n; i++)	/* every order of magnitude, of both signs */
			v[i] = (int64_t)(some() >> some() % 64) * (some() % 2 ? 1 : -1);
		against_exact(v, n);
	}
}

/* Each number around each power of two, alone: least and greatest are exact, so is all between. */
static void alone(void)
{
	for (int order = 0; order < 64; order++) {
		for (int64_t d = -2; d <= 2; d++) {
			int64_t v = (int64_t)((1ull << order) + (uint64_t)d);

			against_exact(&v, 1);
			v = (int64_t)-(uint64_t)v;
			against_exact(&v, 1);
		}
	}
}

static void merging(void)
{
	int64_t *part_of[4], *one = calloc(F.nwords(0), sizeof(*one)),
			     *other = calloc(F.nwords(0), sizeof(*other));

	for (int i = 0; i < 4; i++)
		F.init(part_of[i] = calloc(F.nwords(0), sizeof(*one)), 0);
	for (int i = 0; i < MOST; i++)
		F.add(part_of[i % 3], 0, (int64_t)(some() >> some() % 64), 1);	/* the last one stays empty */
	F.init(one, 0);
	F.init(other, 0);
	for (int i = 0; i < 4; i++) {
		F.merge(one, 0, part_of[i]);
		F.merge(other, 0, part_of[3 - i]);
	}
	CHECK(memcmp(one, other, F.nwords(0) * sizeof(*one)) == 0);
	CHECK_INT(one[0], MOST);
	for (int i = 0; i < 4; i++)
		free(part_of[i]);
	free(one);
	free(other);
}

static void shown(void)
{
	int64_t *words = calloc(F.nwords(0), sizeof(*words)), *more = calloc(F.nwords(0), sizeof(*more));
	struct dt_value v = value_of(words, 0), w = value_of(more, 0);
	struct dt_print_opts opts = { 0 };
	struct dt_out o;
	struct dt_json j = { .o = &o };

	F.init(words, 0);
	F.init(more, 0);
	dt_out_init(&o, NULL, &opts);
	F.text(&o, &v);		/* nothing was seen: after clear() */
	CHECK_STR(dt_out_text(&o),
	    "  count 0          avg 0          min 0          p50 0          p90 0          p99 0          "
	    "p99.9 0          max 0");
	for (int64_t i = 1; i <= 10; i++)
		F.add(words, 0, 1000 * i, 1);
	CHECK_INT(part(words, "avg", 0), 5500);
	CHECK_INT(part(words, "max", 1000), 10);
	CHECK_INT(part(words, "count", 1000), 10);	/* a unit of the values, not of their number */
	dt_out_clear(&o);
	F.json(&j, &v);
	CHECK_STR(dt_out_text(&o),
	    "{\"count\":10,\"avg\":5500,\"min\":1000,\"p50\":4991,\"p90\":8959,\"p99\":10000,\"p99.9\":10000,"
	    "\"max\":10000}");
	CHECK(F.compare(&v, &w) > 0 && F.compare(&w, &v) < 0 && F.compare(&v, &v) == 0);
	v.nwords = 3;		/* a damaged file */
	dt_out_clear(&o);
	F.text(&o, &v);
	CHECK(strncmp(dt_out_text(&o), "  count 0 ", 10) == 0 && F.compare(&v, &w) == 0);
	dt_out_free(&o);
	free(words);
	free(more);
}

int main(void)
{
	distributions();
	alone();
	merging();
	shown();
	return CHECK_DONE("percentiles_test");
}
