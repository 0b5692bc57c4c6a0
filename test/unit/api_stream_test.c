/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A recording read as a stream, in pieces of any size, and aggregations of two of them merged. The
 * recording is a seed of the fuzzer, which made it from a trace: its first byte is not part of it.
 */
#include "check.h"

#include <dtrace.h>
#include <errno.h>
#include <stdlib.h>

#define RECORDING "test/fuzz/seeds/record/stream.json"

struct got {
	int hosts, firings, snapshots, errors, ends, status;
	char text[4096];
	char values[256];
	int stop;			/* at the first firing */
};

static int on_host(const dtrace_host_t *h, void *arg)
{
	((struct got *)arg)->hosts++;
	CHECK(h->dth_name[0] != '\0' && h->dth_machine[0] != '\0' && h->dth_release[0] != '\0');
	CHECK(h->dth_monotonic != 0 && h->dth_wall > h->dth_monotonic && h->dth_cpus > 0);
	return 0;
}

static int on_firing(const dtrace_probedata_t *d, void *arg)
{
	struct got *g = arg;
	dtrace_val_t v;

	g->firings++;
	CHECK_STR(d->dtpda_pdesc->dtpd_name, "BEGIN");
	for (int i = 0; dtrace_probedata_value(d, i, &v) == 0; i++) {
		size_t n = strlen(g->values);

		if (v.dtv_kind == DTRACE_VAL_STRING)
			snprintf(g->values + n, sizeof(g->values) - n, "%.*s ", (int)v.dtv_len, v.dtv_bytes);
		else if (v.dtv_kind == DTRACE_VAL_STACK)
			snprintf(g->values + n, sizeof(g->values) - n, "stack of %zu ", v.dtv_nframes);
		else
			snprintf(g->values + n, sizeof(g->values) - n, "%lld ", (long long)v.dtv_int);
	}
	return g->stop;
}

static int on_text(const char *text, size_t n, void *arg)
{
	struct got *g = arg;
	size_t at = strlen(g->text);

	snprintf(g->text + at, sizeof(g->text) - at, "%.*s", (int)n, text);
	return 0;
}

static int on_snapshot(int64_t id, uint64_t time, void *arg)
{
	CHECK(id > 0 && time > 0);
	((struct got *)arg)->snapshots++;
	return 0;
}

static int on_error(const dtrace_errdata_t *e, void *arg)
{
	CHECK_INT(e->dteda_fault, DTRACEFLT_BADADDR);
	((struct got *)arg)->errors++;
	return 0;
}

static int on_end(int status, void *arg)
{
	((struct got *)arg)->ends++;
	((struct got *)arg)->status = status;
	return 0;
}

static const dtrace_stream_ops_t ops = { .dts_size = sizeof(ops), .dts_host = on_host,
	.dts_firing = on_firing, .dts_text = on_text, .dts_snapshot = on_snapshot, .dts_error = on_error,
	.dts_end = on_end };

/* ---- elements as one text ---- */

static int add_bucket(const dtrace_bucket_t *b, void *arg)
{
	char *to = arg;

	snprintf(to + strlen(to), 64, "%lld..%lld:%lld", (long long)b->dtbk_low, (long long)b->dtbk_high,
	    (long long)b->dtbk_count);
	return 0;
}

static int add_part(const char *name, int64_t value, void *arg)
{
	char *to = arg;

	if (strcmp(name, "count") == 0 || strcmp(name, "p50") == 0)
		snprintf(to + strlen(to), 64, "%s=%lld ", name, (long long)value);
	return 0;
}

static int by_text(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

struct lines { char *v[64]; int n; };

static int add_element(const dtrace_aggdata_t *d, void *arg)
{
	struct lines *l = arg;
	char line[2048], key[1024];
	dtrace_val_t v;

	snprintf(line, sizeof(line), "%s(@%s", dtrace_aggdata_function(d), d->dtada_desc->dtagd_name);
	for (int i = 0; i < dtrace_aggdata_nkeys(d); i++) {
		CHECK(dtrace_aggdata_keystr(d, i, key, sizeof(key)) == (int)strlen(key));
		snprintf(line + strlen(line), sizeof(line) - strlen(line), " %s", key);
		CHECK_INT(dtrace_aggdata_key(d, i, &v), 0);
	}
	CHECK_INT(dtrace_aggdata_keystr(d, 9, key, sizeof(key)), -1);
	snprintf(line + strlen(line), sizeof(line) - strlen(line), ") ");
	CHECK_INT(dtrace_aggdata_value(d, &v), 0);
	if (v.dtv_kind != DTRACE_VAL_BUCKETS)
		snprintf(line + strlen(line), sizeof(line) - strlen(line), "%lld", (long long)v.dtv_int);
	else if (dtrace_aggdata_parts(d, add_part, line) != 0)
		(void)dtrace_aggdata_buckets(d, add_bucket, line);
	if (l->n < 64)
		l->v[l->n++] = strdup(line);
	return DTRACE_AGGWALK_NEXT;
}

static void check_lines(struct lines *l, const char *const *want, int n)
{
	qsort(l->v, (size_t)l->n, sizeof(l->v[0]), by_text);
	CHECK_INT(l->n, n);
	for (int i = 0; i < l->n; i++) {
		if (i < n && strncmp(l->v[i], want[i], strlen(want[i])) != 0)
			CHECK_STR(l->v[i], want[i]);
		free(l->v[i]);
	}
	l->n = 0;
}

/* ---- the tests ---- */

static dtrace_stream_t *read_stream(dtrace_hdl_t *h, struct got *g, const char *bytes, size_t n, size_t piece)
{
	dtrace_stream_t *s = dtrace_stream_open(h, &ops, g);

	if (!CHECK(s != NULL))
		return NULL;
	for (size_t at = 0; at < n; at += piece)
		if (dtrace_stream_feed(s, bytes + at, n - at < piece ? n - at : piece) != 0) {
			CHECK_STR(dtrace_errmsg(h, dtrace_errno(h)), "");
			break;
		}
	return s;
}

static void test_pieces(dtrace_hdl_t *h, const char *bytes, size_t n)
{
	static const size_t pieces[] = { 1, 7, 4096, 1 << 20 };

	for (size_t i = 0; i < sizeof(pieces) / sizeof(pieces[0]); i++) {
		struct got g = { 0 };
		dtrace_stream_t *s = read_stream(h, &g, bytes, n, pieces[i]);

		CHECK_INT(dtrace_stream_close(s), 0);
		CHECK(g.hosts == 1 && g.firings == 2 && g.snapshots == 7 && g.errors == 1);
		CHECK(g.ends == 1 && g.status == 3);
		CHECK(strncmp(g.text, "hello 42 text\n", 14) == 0);
		CHECK(strncmp(g.values, "42 text stack of 1 ", 19) == 0);
	}
}

static void test_merge(dtrace_hdl_t *h, const char *bytes, size_t n)
{
	static const char *const one[] = { "avg(@v) 4", "count(@c a) 2", "count(@c b) 1",
		"count(@st vmlinux`", "min(@m) 3", "percentiles(@p) count=1 p50=7 ", "quantize(@q) 4..7:1",
		"sum(@s x 1) 5" };
	static const char *const two[] = { "avg(@v) 4", "count(@c a) 4", "count(@c b) 2",
		"count(@st vmlinux`", "min(@m) 3", "percentiles(@p) count=2 p50=7 ", "quantize(@q) 4..7:2",
		"sum(@s x 1) 10" };
	struct got g = { 0 };
	struct lines l = { .n = 0 };
	dtrace_aggset_t *set = dtrace_aggset_create(h);
	dtrace_stream_t *a = read_stream(h, &g, bytes, n, n), *b = read_stream(h, &g, bytes, n, 100);

	if (!CHECK(a != NULL && b != NULL && set != NULL))
		return;
	CHECK_INT(dtrace_stream_walk(a, add_element, &l), 0);
	check_lines(&l, one, 8);
	CHECK_INT(dtrace_stream_walk(a, dtrace_aggset_merge, set), 0);
	CHECK_INT(dtrace_aggset_walk(set, add_element, &l), 0);
	check_lines(&l, one, 8);
	CHECK_INT(dtrace_stream_walk(b, dtrace_aggset_merge, set), 0);
	CHECK_INT(dtrace_stream_close(a), 0);		/* what is merged does not need it any more */
	CHECK_INT(dtrace_stream_close(b), 0);
	CHECK_INT(dtrace_aggset_walk(set, add_element, &l), 0);
	check_lines(&l, two, 8);
	CHECK_INT(dtrace_aggset_walk(set, NULL, NULL), -1);
	dtrace_aggset_destroy(set);
}

static void test_refused(dtrace_hdl_t *h, const char *bytes, size_t n)
{
	dtrace_stream_ops_t old = { .dts_size = sizeof(old) + 8 };
	struct got g = { .stop = 1 };
	dtrace_stream_t *s;

	CHECK(dtrace_stream_open(h, NULL, NULL) == NULL);
	CHECK(dtrace_stream_open(h, &old, NULL) == NULL);
	s = dtrace_stream_open(h, &ops, &g);
	CHECK_INT(dtrace_stream_feed(s, bytes, n), -1);
	CHECK_INT(dtrace_errno(h), EDT_DIRABORT);
	CHECK_INT(g.firings, 1);
	CHECK_INT(dtrace_stream_close(s), -1);
	g = (struct got){ 0 };
	s = dtrace_stream_open(h, &ops, &g);
	CHECK_INT(dtrace_stream_feed(s, "dtrace recording 1\n", 19), -1);
	CHECK(strstr(dtrace_errmsg(h, dtrace_errno(h)), "format 1, this one reads 2") != NULL);
	CHECK_INT(dtrace_stream_close(s), -1);
	s = read_stream(h, &g, bytes, n / 2, n);	/* it has not ended, and that is no error */
	CHECK_INT(dtrace_stream_close(s), 0);
	CHECK_INT(g.ends, 0);
}

int main(void)
{
	static char bytes[1 << 20];
	int err;
	dtrace_hdl_t *h = dtrace_open(DTRACE_VERSION, DTRACE_O_NODEV, &err);
	FILE *f = fopen(RECORDING, "r");
	size_t n = f != NULL && fgetc(f) != EOF ? fread(bytes, 1, sizeof(bytes), f) : 0;

	if (CHECK(h != NULL && n > 0 && n < sizeof(bytes))) {
		test_pieces(h, bytes, n);
		test_merge(h, bytes, n);
		test_refused(h, bytes, n);
	}
	if (f != NULL)
		fclose(f);
	if (h != NULL)
		dtrace_close(h);
	return check_report("api_stream");
}
