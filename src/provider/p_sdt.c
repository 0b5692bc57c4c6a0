/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sdt and rawtp: the kernel's tracepoints, sdt:GROUP::NAME. Names come from type data, in which each
 * tracepoint has a typedef btf_trace_NAME with its prototype; groups and the tracepoints of modules
 * come from tracefs.
 */
#include "provider/probe.h"
#include "base/count.h"
#include "base/diag.h"
#include "kernel/tracefs.h"
#include "provider/stability.h"

#include <ctype.h>

/* Groups of events that are not tracepoints of their own name. */
static const char *const not_tracepoints[] = { "syscalls", "ftrace", "kprobes", "uprobes", "eprobes",
	"synthetic", "fprobes" };

/*
 * Names are C identifiers and there is no function part. So descriptions such as BEGIN, tick-1s and
 * read:entry do not cause the kernel's type data to be read.
 */
static bool sdt_may_match(const struct dt_provider *row, const struct dt_probedesc *d)
{
	(void)row;
	if (!dt_part_matches_empty(d->func))
		return false;
	if (!dt_part_literal(d->name) || dt_part_literal(d->prov))
		return true;
	for (const char *c = d->name; *c != '\0'; c++)
		if (!isalnum((unsigned char)*c) && *c != '_')
			return false;
	return strcmp(d->name, "BEGIN") != 0 && strcmp(d->name, "END") != 0 && strcmp(d->name, "ERROR") != 0;
}

static int note_group(void *ctx, const char *group, const char *event)
{
	struct dt_probes *p = ctx;
	char *known;

	for (size_t i = 0; i < DT_COUNT(not_tracepoints); i++)
		if (strcmp(group, not_tracepoints[i]) == 0)
			return 0;
	/* events of one group come in a row */
	known = p->groups->n > 0 ? p->groups->v[p->groups->n - 1].value : NULL;
	if (known == NULL || strcmp(known, group) != 0)
		known = dt_arena_strdup(p->arena, group);
	dt_map_put(p->groups, event, known);
	return 0;
}

/* Without tracefs the groups are empty; otherwise only the tracepoints of modules are missing. */
static void read_groups(struct dt_probes *p)
{
	if (p->groups != NULL)
		return;
	p->groups = DT_NEW(p->arena, struct dt_map);
	dt_map_init(p->groups, p->arena);
	dt_tracefs_each(note_group, p);
}

struct making {
	struct dt_probes *probes;
	const struct dt_provider *row;
};

static void sdt_add_probe(struct making *m, const char *group, const char *name)
{
	struct dt_hook hook = { .kind = DT_HOOK_RAWTP };
	struct dt_probe *probe = dt_probes_add(m->probes, m->row, group, "", name, &hook);

	probe->hook.target = probe->name;
}

static int add_typed(void *ctx, const char *name)
{
	struct making *m = ctx;
	const char *group;

	name += strlen(DT_TRACEPOINT_TYPE);
	group = dt_map_get(m->probes->groups, name);
	sdt_add_probe(m, group != NULL ? group : "", name);
	return 0;
}

static void make_all(struct making *m)
{
	struct dt_probes *p = m->probes;

	read_groups(p);
	dt_types_each(p->types, "vmlinux", DT_T_TYPEDEF, DT_TRACEPOINT_TYPE, add_typed, m);
	/* Adding an existing one changes nothing: the rest are those of modules. */
	for (uint32_t i = 0; i < p->groups->n; i++)
		sdt_add_probe(m, p->groups->v[i].value, p->groups->v[i].key);
}

static const char *sdt_missing(struct dt_probes *p, const struct dt_probedesc *want)
{
	const char *untyped = dt_types_kernel_missing(p->types, p->arena);
	struct dt_near near;

	if (untyped != NULL)
		return untyped;
	if (p->groups != NULL && p->groups->n == 0 && want->mod[0] != '\0')
		return "tracefs cannot be read, so that the groups of tracepoints are not known: run as "
		       "root, mount it (mount -t tracefs tracefs /sys/kernel/tracing), or leave the group "
		       "out";
	if (!dt_part_literal(want->name))
		return NULL;
	dt_near_init(&near, want->name);
	for (size_t i = 0; i < p->list.n; i++)
		if (p->list.v[i]->hook.kind == DT_HOOK_RAWTP)
			dt_near_offer(&near, p->list.v[i]->name);
	if (near.best == NULL)
		return dt_arena_printf(p->arena, "this kernel has no tracepoint %s", want->name);
	if (strcmp(near.best, want->name) == 0)
		return dt_arena_printf(p->arena, "the tracepoint %s is in another group", want->name);
	return dt_arena_printf(p->arena, "this kernel has no tracepoint %s; did you mean %s?", want->name,
	    near.best);
}

static int sdt_provide(struct dt_probes *p, const struct dt_provider *row, const struct dt_probedesc *want,
    const char **why)
{
	struct making m = { p, row };

	if (p->types == NULL)
		return 0;
	if (want == NULL)
		make_all(&m);
	else if (dt_part_literal(want->prov))
		*why = sdt_missing(p, want);
	return 0;
}

const struct dt_provider dt_provider_sdt = {
	.name = "sdt",
	.form = "sdt:SYSTEM::TRACEPOINT",
	.doc = "Every tracepoint of the kernel, with types.",
	.attrs = { { EEI, PPU, PPU, PPI, PPI } },
	.signature = dt_tracepoint_signature,
	.provide = sdt_provide,
	.may_match = sdt_may_match,
};

const struct dt_provider dt_provider_rawtp = {
	.name = "rawtp",
	.form = "rawtp:SYSTEM::TRACEPOINT",
	.doc = "The same by the raw way, with the arguments of the tracepoint itself.",
	.attrs = { { EEI, PPU, PPU, PPI, PPI } },
	.signature = dt_tracepoint_signature,
	.provide = sdt_provide,
	.may_match = sdt_may_match,
};
