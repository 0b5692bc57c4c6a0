/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Probes derived from other events of the kernel. A table tells where each fires, when, and what its
 * arguments are, in D texts that see the arguments of that place. dlib/<provider>.d declares the native
 * arguments that the texts give, in the same order. Probes of one place are listed in the order in
 * which they must fire.
 */
#ifndef DT_PROVIDER_DERIVED_H
#define DT_PROVIDER_DERIVED_H

#include "provider/probe.h"
#include "provider/stability.h"

/* Rows name only the fields they need; clang warns about the others if a row names none. */
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"

/* What else the kernel must have for a place to exist. */
enum dt_need {
	DT_NEED_NONE,
	DT_NEED_MEMBER,		/* "bio.bi_bdev": a member of a struct */
	DT_NEED_MODULE,		/* RAWTP: the tracepoint is in this module, which may not be loaded */
	DT_NEED_SYMBOL,		/* a function whose address the texts use */
};

/*
 * Where a probe fires: DT_SITE(). A pointer takes 32 bytes in the file of the program, 8 and a relocation of
 * 24, and there are hundreds of sites: so a site has one text, which begins with its target.
 */
struct dt_site {
	/* RAWTP, KFUNC, KRET, SYS_ENTER, SYS_EXIT, COUNTER */
	enum dt_hook_kind kind : 8;
	enum dt_need need : 8;		/* DT_NEEDS() */
	/* RAWTP: the tracepoint must have this many arguments (kernels differ); 0: any number */
	uint8_t nargs;
	bool each : 1;			/* DT_EACH() */
	/*
	 * the texts may follow bad addresses: such an address gives 0 instead of a fault of the clause
	 */
	bool soft : 1;
	bool otherwise : 1;		/* only if the place before it does not exist */
	/* only if kernel functions cannot be traced: the places before it cannot exist there */
	bool no_functions : 1;
	/* without this place the probe would miss events: there is no such probe then */
	bool required : 1;
	/*
	 * KRET: the texts use arg2 …, arguments of the function; only if programs at return know them
	 */
	bool needs_fexit : 1;
	/* only if they do not: entry remembers the arguments (self->), return uses them */
	bool no_fexit : 1;
	const char *target;		/* then `when` and the arguments, each after a NUL */
	const char *needed;
};

/*
 * A place: the target (tracepoint, kernel function, system call, event of dt_perf_count()), the condition in
 * D, the arguments; then fields of the struct.
 */
#define DT_SITE(hook, where, when, args, ...) \
	{ .kind = DT_HOOK_##hook, .target = where "\0" when "\0" args, ##__VA_ARGS__ }
#define DT_ALWAYS ""
/* Up to eight D texts: each ends with a NUL, an empty one ends them. */
#define DT_ARGS(...) DT_ARGS_(__VA_ARGS__, "", "", "", "", "", "", "", "")
#define DT_ARGS_(a, b, c, d, e, f, g, h, ...) \
	a "\0" b "\0" c "\0" d "\0" e "\0" f "\0" g "\0" h "\0"
#define DT_ARGS_MAX 8
#define DT_NEEDS(kind, name) .need = DT_NEED_##kind, .needed = name
/*
 * A condition of a site with `each`: the probe fires for each of several things, which the texts call arg9.
 * `next` gives the next thing after arg9, and the first after 0.
 */
#define DT_EACH(next, when) next "\0" when

struct dt_derived {
	char name[30];
	bool idle;			/* see `never` */
	uint8_t nplaces;
	const char *func;		/* NULL: the first place that is there */
	/* All that exist fire; if none does, this kernel has no such probe */
	const struct dt_site *place;	/* DT_AT(); none with `never` */
	/*
	 * A sentence: why there is no such probe on Linux at all. With `idle` there is a probe of the name
	 * that does not fire: programs that enable all need it.
	 */
	const char *never;
	const char *mod;		/* NULL: vmlinux */
	const char *with;		/* DT_LIKE() */
};

/* The places of a row, as many as it has. Most have one; room for eight makes a row four times as long. */
#define DT_AT(...) .place = (const struct dt_site[]){ __VA_ARGS__ }, \
	.nplaces = sizeof((const struct dt_site[]){ __VA_ARGS__ }) / sizeof(struct dt_site)

/* The places that several rows share, in an array: `text` takes the place of each $ in their texts. */
#define DT_LIKE(places, text) .place = places, .nplaces = sizeof(places) / sizeof(struct dt_site), \
	.with = text

/* What a provider with a table has in common with others; the table ends with a row without a name. */
#define DT_DERIVED(table) \
	.provide = dt_derived_provide, .may_match = dt_derived_may_match, .derived = table
int dt_derived_provide(struct dt_probes *, const struct dt_provider *, const struct dt_probedesc *want,
    const char **why);
bool dt_derived_may_match(const struct dt_provider *, const struct dt_probedesc *);
/* dt_probes_left_out() of a pattern of one provider */
const char *dt_derived_left_out(struct dt_probes *, const struct dt_provider *,
    const struct dt_probedesc *want);

/* Can functions of this kernel be traced at all? Asked once. */
bool dt_probes_functions(struct dt_probes *);
/*
 * Calls f for every function that can be traced, in the kernel's order; the list is read once. 0, f's
 * first non-zero value, or -errno.
 */
struct dt_kfunc;
typedef int dt_kfunc_f(void *ctx, const struct dt_kfunc *);
int dt_probes_each_function(struct dt_probes *, dt_kfunc_f *, void *ctx);
/* Do programs at their return know the arguments? */
bool dt_probes_fexit(struct dt_probes *);

#endif
