/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A whole format: a parsed format and the values of one firing, or of one element of an aggregation,
 * in; text out. Programs may come from a file, so there may be fewer values than conversions, and
 * values of the wrong kind.
 */
#include "dif/action.h"
#include "output/format.h"
#include "output/print.h"

/* The values that plain conversions and * take, from left to right. */
struct feed {
	const struct dt_value *v;
	uint32_t n, next;
};

static const struct dt_value *feed_next(struct feed *f)
{
	return f->next < f->n ? &f->v[f->next++] : NULL;
}

/* The number for a *. Nothing is wider than a format could say, so that no * can ask for gigabytes. */
static int feed_star(struct feed *f)
{
	const struct dt_value *v = feed_next(f);
	int64_t i = v && v->kind == DT_V_INT ? (int64_t)dt_value_signed(v) : 0;
	int max = (int)DT_FORMAT_WIDTH_MAX;

	return i > max ? max : i < -max ? -max : (int)i;
}

/*
 * A conversion whose * have become numbers. A negative width means left-aligned and a negative
 * precision means none, as in C.
 */
static struct dt_conv resolve_stars(const struct dt_conv *c, struct feed *f)
{
	struct dt_conv s = *c;

	if (c->flags & DT_CF_STARWIDTH) {
		int w = feed_star(f);
		if (w < 0)
			s.flags = (uint16_t)((s.flags & ~DT_CF_ZERO) | DT_CF_LEFT);
		s.width = (uint32_t)(w < 0 ? -w : w);
	}
	if (c->flags & DT_CF_STARPREC) {
		int p = feed_star(f);
		if (p < 0)
			s.flags &= (uint16_t)~DT_CF_PREC;
		s.prec = p < 0 ? 0 : (uint32_t)p;
	}
	return s;
}

/*
 * A value by its conversion. An aggregation that stands for one number is printed as that number; a
 * histogram ignores the conversion and has its own layout.
 */
static void print_one(struct dt_out *o, const struct dt_conv *c, const struct dt_value *v)
{
	struct dt_value plain;

	if (v->kind != DT_V_AGG)
		c->row->print(o, c, v);
	else if (dt_agg_scalar(v, &plain))
		c->row->print(o, c, &plain);
	else
		dt_aggfunc_of(v->aggkind)->text(o, v);
}

/*
 * The * are resolved before the value is taken, as they come before it in the argument list. Where
 * printa() names one aggregation and the format has several %@, each of them shows that one.
 */
void dt_format_printa(struct dt_out *o, const struct dt_format *f, const struct dt_value *keys,
    uint32_t nkeys, const struct dt_value *aggs, uint32_t naggs)
{
	struct feed values = { keys, nkeys, 0 };
	uint32_t agg = 0;

	for (uint32_t i = 0; i < f->nconv && !o->failed; i++) {
		const struct dt_value *v = NULL;

		dt_out_put(o, f->conv[i].prefix, f->conv[i].prefixlen);
		if (!f->conv[i].row)
			continue;
		const struct dt_conv *c = &f->conv[i];
		struct dt_conv settled;
		if (c->flags & (DT_CF_STARWIDTH | DT_CF_STARPREC)) {
			settled = resolve_stars(c, &values);
			c = &settled;
		}
		if (!(c->flags & DT_CF_AGG))
			v = feed_next(&values);
		else if (naggs > 0)
			v = &aggs[agg < naggs ? agg++ : naggs - 1];
		if (v)
			print_one(o, c, v);
	}
}

void dt_format_print(struct dt_out *o, const struct dt_format *f, const struct dt_value *values, uint32_t n)
{
	dt_format_printa(o, f, values, n, NULL, 0);
}
