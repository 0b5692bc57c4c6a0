/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * profile: profile-n fires on every CPU, tick-n on one, wall-n for every thread; n is a rate or an
 * interval. A few are listed; any other is created when named and keeps that name (profile-997hz is not
 * profile-997).
 */
#include "provider/probe.h"
#include "base/count.h"
#include "provider/stability.h"

#include <strings.h>

/* The historic limits: 5000 firings a second, and more probes than a program would name. */
enum { INTERVAL_MIN = 200000, PROBES_MAX = 1000 };

static const char *const listed[] = {
	"profile-97",
	"profile-199",
	"profile-499",
	"profile-997",
	"profile-1999",
	"profile-4001",
	"profile-4999",
	"tick-1",
	"tick-10",
	"tick-100",
	"tick-500",
	"tick-1000",
	"tick-5000",
};

/* Without a unit, and with hz, the number is a rate. */
static const struct { const char *name; uint64_t ns; } units[] = {
	{ "ns", 1 }, { "nsec", 1 }, { "us", 1000 }, { "usec", 1000 }, { "ms", 1000000 }, { "msec", 1000000 },
	{ "s", 1000000000 }, { "sec", 1000000000 }, { "m", 60000000000 }, { "min", 60000000000 },
	{ "h", 3600000000000 }, { "hour", 3600000000000 }, { "d", 86400000000000 }, { "day", 86400000000000 },
};

/* "997", "10ms" → ns. NULL: good; otherwise what is wrong. */
static const char *parse_rate(const char *s, uint64_t *interval)
{
	const char *unit = s + strspn(s, "0123456789");
	uint64_t n = 0, ns = 0;

	if (unit == s)
		return "profile and tick want a number: profile-997, tick-10ms";
	for (; s < unit; s++)
		if (__builtin_mul_overflow(n, 10, &n) || __builtin_add_overflow(n, (uint64_t)(*s - '0'), &n))
			return "the rate of the probe is too large";
	if (n == 0)
		return "the rate of a profile or tick probe cannot be 0";
	for (size_t i = 0; i < DT_COUNT(units); i++)
		if (strcasecmp(unit, units[i].name) == 0)
			ns = units[i].ns;
	if (ns == 0 && unit[0] != '\0' && strcasecmp(unit, "hz") != 0)
		return "units of profile and tick probes are ns, us, ms, s, m, h, d and hz";
	if (ns == 0)
		*interval = 1000000000 / n;
	else if (__builtin_mul_overflow(n, ns, interval) || *interval > INT64_MAX)
		return "the interval of the probe is too long";
	return *interval < INTERVAL_MIN ?
	    "profile and tick probes fire at most 5000 times a second, every 200us" :
	    NULL;
}

static const struct { const char *prefix; enum dt_hook_kind kind; } kinds[] = {
	{ "profile-", DT_HOOK_PERF }, { "tick-", DT_HOOK_TICK }, { "wall-", DT_HOOK_WALL },
};

/* What follows the prefix, and what it means; NULL: the name has none of them. */
static const char *rate_of(const char *name, enum dt_hook_kind *kind)
{
	for (size_t i = 0; i < DT_COUNT(kinds); i++) {
		size_t n = strlen(kinds[i].prefix);

		if (strncmp(name, kinds[i].prefix, n) == 0) {
			*kind = kinds[i].kind;
			return name + n;
		}
	}
	return NULL;
}

/*
 * wall-n fires for threads that are not on a CPU when the kernel lists them, and for those that are where
 * they run, as profile-n does: only there are their registers. The idle thread of a CPU is none.
 */
static void add_wall(struct dt_probes *p, const struct dt_provider *row, const char *name,
    struct dt_hook hook)
{
	struct dt_probe *probe;

	hook.target = "";
	hook.args[0] = "0";
	probe = dt_probes_add(p, row, "", "", name, &hook);
	hook.kind = DT_HOOK_PERF;
	hook.when = "curthread->pid != 0";
	dt_probe_also(p, probe, &hook);
}

/* NULL: created. */
static const char *profile_make_probe(struct dt_probes *p, const struct dt_provider *row,
    const char *name)
{
	struct dt_hook hook = { .kind = DT_HOOK_NONE };
	const char *rate = rate_of(name, &hook.kind), *why;
	uint32_t made = 0;

	if (rate == NULL)
		return "the probes of provider profile are profile-n, tick-n and wall-n";
	why = parse_rate(rate, &hook.interval);
	if (why != NULL)
		return why;
	for (size_t i = 0; i < p->list.n; i++)
		made += p->list.v[i]->row == row;
	if (made >= PROBES_MAX)
		return "there are 1000 profile and tick probes already";
	if (hook.kind == DT_HOOK_WALL)
		add_wall(p, row, name, hook);
	else
		dt_probes_add(p, row, "", "", name, &hook);
	return NULL;
}

static bool is_ours(const char *name)
{
	enum dt_hook_kind kind;

	return rate_of(name, &kind) != NULL;
}

static bool profile_may_match(const struct dt_provider *row, const struct dt_probedesc *d)
{
	(void)row;
	return dt_part_matches_empty(d->mod) && dt_part_matches_empty(d->func) &&
	    (!dt_part_literal(d->name) || is_ours(d->name));
}

/* A pattern matches the listed ones only; there is no end to the others. */
static int profile_provide(struct dt_probes *p, const struct dt_provider *row,
    const struct dt_probedesc *want, const char **why)
{
	for (size_t i = 0; want == NULL && i < DT_COUNT(listed); i++)
		profile_make_probe(p, row, listed[i]);
	if (want == NULL || !dt_part_literal(want->name) || !dt_part_matches_empty(want->mod) ||
	    !dt_part_matches_empty(want->func))
		return 0;
	*why = profile_make_probe(p, row, want->name);
	return 0;
}

const struct dt_provider dt_provider_profile = {
	.name = "profile",
	.form = "profile-RATE, tick-RATE, wall-RATE",
	.doc = "Time: at a rate on every CPU, on one, or for every thread, on a CPU or not.",
	.attrs = { { EEC, ATTR(UNSTABLE, UNSTABLE, UNKNOWN), PPU, EEC, EEC } },
	.provide = profile_provide,
	.may_match = profile_may_match,
};
