/* SPDX-License-Identifier: BSD-2-Clause */
/* Sizes and rates that dtrace_go() has lowered, reported in the historic words. */
#include "sizes.h"

#include "base.h"

/*
 * The historic words for each; struct sizes has one value for each row. Many scripts set switchrate=10, which
 * means nanoseconds: that it is not read as often as that was never reported.
 */
static const struct { const char *option, *text; int rate; } rows[] = {
	{ "bufsize", "buffer size", 0 }, { "aggsize", "aggregation size", 0 },
	{ "specsize", "speculation size", 0 },
	{ "dynvarsize", "dynamic variable size", 0 }, { "cleanrate", "cleaning rate", 1 },
	{ "statusrate", "status rate", 1 }, { "aggrate", "aggregation rate", 1 },
};

void sizes_read(struct sizes *s, dtrace_hdl_t *dtp)
{
	for (size_t i = 0; i < COUNT(rows); i++)
		if (dtrace_getopt(dtp, rows[i].option, &s->value[i]) != 0)
			s->value[i] = DTRACEOPT_UNSET;
}

/* In the largest unit that divides it, as users write sizes. */
static void size_notice(const char *what, dtrace_optval_t now)
{
	const char *suffix = "kmgt";
	int n = 0;

	while (now != 0 && now % 1024 == 0 && n < 4) {
		now /= 1024;
		n++;
	}
	if (n > 0)
		fprintf(stderr, "dtrace: %s lowered to %lld%c\n", what, (long long)now, suffix[n - 1]);
	else
		fprintf(stderr, "dtrace: %s lowered to %lld bytes\n", what, (long long)now);
}

/* Rates are kept as the time between two events: more of it is a lower rate. */
static void rate_notice(const char *what, dtrace_optval_t before, dtrace_optval_t now)
{
	const dtrace_optval_t second = 1000000000;

	fprintf(stderr, "dtrace: %s %s to ", what, now > before ? "reduced" : "increased");
	if (now > 0 && now < second)
		fprintf(stderr, "%lld hz\n", (long long)(second / now));
	else if (now % second == 0)
		fprintf(stderr, "once every %lld seconds\n", (long long)(now / second));
	else
		fprintf(stderr, "once every %lld nanoseconds\n", (long long)now);
}

void sizes_notice(const struct sizes *before, dtrace_hdl_t *dtp)
{
	dtrace_optval_t quiet;
	struct sizes now;

	if (dtrace_getopt(dtp, "quietresize", &quiet) == 0 && quiet != DTRACEOPT_UNSET)
		return;
	sizes_read(&now, dtp);
	for (size_t i = 0; i < COUNT(rows); i++) {
		if (before->value[i] == now.value[i])
			continue;
		if (rows[i].rate)
			rate_notice(rows[i].text, before->value[i], now.value[i]);
		else
			size_notice(rows[i].text, now.value[i]);
	}
}
