/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Bytes in: values up to the first 0xff, then a format. Whatever they are, parsing ends with a format or an
 * error, and printing ends with a bounded text.
 */
#include "dif/dif.h"
#include "output/format.h"
#include "output/print.h"

#include <stdlib.h>

enum { NVALUES = 12, NWORDS = 140 };

static struct dt_value make_value(const uint8_t *p, size_t n, int64_t *words)
{
	struct dt_value v = { .kind = (enum dt_vkind)(p[0] % (DT_V_AGG + 1)), .is_signed = p[1] & 1 };

	v.size = (uint8_t)(1u << (p[1] >> 1 & 3));
	v.normal = (int8_t)p[2];
	v.aggkind = (uint16_t)(DT_ACT_COUNT + p[3] % 10);
	v.bytes = p + 4;
	v.len = n - 4;
	for (size_t i = 0; i < 8 && i < n - 4; i++)
		v.i |= (uint64_t)p[4 + i] << 8 * i;
	v.aggarg = v.i;
	for (size_t i = 0; i + 4 < n && i < NWORDS; i++)
		words[i] = (int64_t)((uint64_t)(int8_t)p[4 + i] << p[3] % 57);
	v.words = words;
	v.nwords = p[1] & 16 ? NWORDS : (uint32_t)(n % NWORDS);
	v.pcs = (const uint64_t *)words;
	v.npcs = v.nwords;
	return v;
}

static void use(struct dt_format *f, const struct dt_value *v, uint32_t n, const struct dt_print_opts *opts)
{
	struct dt_aggrow row = { .keys = v, .nkeys = n, .vals = v, .nvals = n };
	struct dt_out o;

	dt_out_init(&o, NULL, opts);
	o.max = 8u << 20;
	if (f) {
		dt_format_print(&o, f, v, n);
		dt_agg_printf(&o, f, &row, 1);
	}
	dt_agg_print(&o, &row, 1);
	for (uint32_t i = 0; i < n; i++) {
		dt_value_trace(&o, &v[i]);
		dt_agg_cmp_key(&v[0], &v[i]);
	}
	if (o.len > o.max)
		abort();
	dt_out_free(&o);
}

int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n)
{
	static const struct dt_print_opts plain = { .numeric = true, .stackindent = 14 };
	static const struct dt_print_opts packed = { .numeric = true, .aggpack = true, .agghist = true,
		.utf8 = true, .aggzoom = true, .quiet = true };
	static const struct dt_print_opts fitted = { .numeric = true, .fit = true, .columns = 40,
		.color = true, .utf8 = true, .stackindent = 14 };
	static const struct dt_print_opts fitted_hist = { .numeric = true, .fit = true, .agghist = true,
		.aggpack = true };
	struct dt_value v[NVALUES];
	int64_t words[NVALUES][NWORDS] = { 0 };
	struct dt_format_error err;
	uint32_t nv = 0;
	struct dt_arena *a = dt_arena_new();

	while (nv < NVALUES && n > 6 && p[0] != 0xff) {
		size_t len = 5 + p[0] % 64u;
		if (len + 1 >= n)
			break;
		v[nv] = make_value(p + 1, len, words[nv]);
		nv++;
		p += len + 1;
		n -= len + 1;
	}
	struct dt_format *f = dt_format_parse(a, (const char *)p, n, &err);
	use(f, v, nv, &plain);
	use(f, v, nv, &packed);
	use(f, v, nv, &fitted);
	use(f, v, nv, &fitted_hist);
	dt_arena_free(a);
	return 0;
}
