/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The maps of an image: made when code first asks for them, given their sizes when all code is there. Code
 * that is made to be counted and thrown away makes maps too: those stay, and are the ones that the code which
 * is kept asks for.
 */
#include "bpf/image_maps.h"

uint32_t dt_build_map(struct dt_build *b, enum dt_map_role role, uint32_t type, uint32_t key, uint32_t value,
    uint32_t n, uint32_t flags)
{
	static const char *const names[] = {
		[DT_MAP_CONST] = "const",
		[DT_MAP_SLOTS] = "slots",
		[DT_MAP_GLOBALS] = "globals",
		[DT_MAP_TLS] = "self",
		[DT_MAP_DYN] = "dyn",
		[DT_MAP_OWNED] = "owned",
		[DT_MAP_AGGS] = "agg",
		[DT_MAP_AGG_A] = "agg_a",
		[DT_MAP_AGG_B] = "agg_b",
		[DT_MAP_RINGS] = "rings",
		[DT_MAP_RING] = "ring",
		[DT_MAP_CONTROL] = "control",
		[DT_MAP_DROPS] = "drops",
		[DT_MAP_SPEC_USED] = "specused",
		[DT_MAP_VTIME] = "vtime",
		[DT_MAP_VTIME_CPU] = "vtimecpu",
		[DT_MAP_STACKS] = "stacks",
		[DT_MAP_CHILL] = "chill",
		[DT_MAP_OVER] = "over",
		[DT_MAP_CHAIN] = "chain",
		[DT_MAP_UNWIND_ROWS] = "unwind_rows",
		[DT_MAP_UNWIND_RULES] = "unwind_rules",
		[DT_MAP_UNWIND_MAPS] = "unwind_maps",
		[DT_MAP_UNWIND_KEYS] = "unwind_keys",
		[DT_MAP_UNWIND_CHUNK] = "unwind_chunk",
		[DT_MAP_ROOTS] = "roots",
		[DT_MAP_FAMILY] = "family",
		[DT_MAP_CONTAINERS] = "containers",
		[DT_MAP_CGROUPS] = "cgroups",
	};
	struct dt_image_map m = { .role = role,
		.type = type,
		.key_size = key,
		.value_size = value,
		.max_entries = n,
		.flags = flags,
		.inner = UINT32_MAX };

	strcpy(m.name, "dt_");
	strcat(m.name, names[role]);
	dt_vec_push(b->arena, &b->maps, m);
	return (uint32_t)b->maps.n - 1;
}

/* An array map of one element can be addressed directly, without a lookup. `index` is the map's, plus 1. */
static uint32_t one_element(struct dt_build *b, uint32_t *index, enum dt_map_role role, uint32_t size,
    uint32_t flags)
{
	if (!*index)
		*index = dt_build_map(b, role, BPF_MAP_TYPE_ARRAY, 4, size, 1, flags) + 1;
	return *index - 1;
}

uint32_t dt_constants(struct dt_build *b)
{
	return one_element(b, &b->constants, DT_MAP_CONST, 0, BPF_F_RDONLY_PROG);
}
uint32_t dt_globals(struct dt_build *b) { return one_element(b, &b->globals, DT_MAP_GLOBALS, 0, 0); }
uint32_t dt_control_map(struct dt_build *b)
{
	b->image->wants = DT_CONTROL_SPECS + 8 * b->opts->nspec + 8;
	return one_element(b, &b->control, DT_MAP_CONTROL, b->image->wants + (b->opts->ncpus + 7) / 8 * 8,
	    BPF_F_MMAPABLE);
}
/* For each CPU: how much room each speculation has taken there. */
uint32_t dt_spec_used_map(struct dt_build *b)
{
	if (!b->spec_used)
		b->spec_used = 1 + dt_build_map(b, DT_MAP_SPEC_USED, BPF_MAP_TYPE_ARRAY, 4,
		    8 * (b->opts->nspec ? b->opts->nspec : 1), b->opts->ncpus, 0);
	return b->spec_used - 1;
}

/*
 * A plain array, not a per-CPU one: its lookup is inlined on every kernel, and its values may be larger
 * than 32 KiB.
 */
uint32_t dt_slots(struct dt_build *b)
{
	if (!b->slots)
		b->slots = 1 + dt_build_map(b, DT_MAP_SLOTS, BPF_MAP_TYPE_ARRAY, 4, 0,
		    DT_NSLOTS * (b->opts->slots ? b->opts->slots : b->opts->ncpus), 0);
	return b->slots - 1;
}

uint32_t dt_tls(struct dt_build *b)
{
	if (!b->tls)
		b->tls = 1 + dt_build_map(b, DT_MAP_TLS, BPF_MAP_TYPE_TASK_STORAGE, 4, 0, 0,
		    BPF_F_NO_PREALLOC);
	return b->tls - 1;
}

uint32_t dt_drops_map(struct dt_build *b)
{
	if (!b->drops)
		b->drops = 1 + dt_build_map(b, DT_MAP_DROPS, BPF_MAP_TYPE_PERCPU_ARRAY, 4,
		    sizeof(struct dt_drops), 1, 0);
	return b->drops - 1;
}

uint32_t dt_chill_map(struct dt_build *b)
{
	if (!b->chill)
		b->chill = 1 + dt_build_map(b, DT_MAP_CHILL, BPF_MAP_TYPE_PERCPU_ARRAY, 4,
		    sizeof(struct dt_chill), 1, 0);
	return b->chill - 1;
}

/* A power of two. The session makes it a page at least: pages are larger on some machines. */
static uint32_t ring_size(uint64_t want, uint32_t most)
{
	uint32_t size = 4096;

	while (size < want && size < most)
		size *= 2;
	return size;
}

uint32_t dt_ring_map(struct dt_build *b)
{
	if (!b->ring)
		b->ring = 1 + dt_build_map(b, DT_MAP_RING, BPF_MAP_TYPE_RINGBUF, 0, 0,
		    ring_size(b->opts->bufsize, 1u << 30), 0);
	return b->ring - 1;
}

uint32_t dt_rings(struct dt_build *b)
{
	uint32_t ring = dt_ring_map(b);

	if (!b->rings) {
		b->rings = 1 + dt_build_map(b, DT_MAP_RINGS, BPF_MAP_TYPE_ARRAY_OF_MAPS, 4, 4, b->opts->ncpus,
		    0);
		b->maps.v[b->rings - 1].inner = ring;
	}
	return b->rings - 1;
}

/* The verifier follows variable offsets up to 2^29. */
uint32_t dt_over_size(const struct dt_build *b) { return ring_size(b->opts->bufsize, 1u << 28); }

uint32_t dt_over_map(struct dt_build *b)
{
	if (!b->over)
		b->over = 1 + dt_build_map(b, DT_MAP_OVER, BPF_MAP_TYPE_ARRAY, 4, 0,
		    b->opts->only_cpu ? 1 : b->opts->ncpus, 0);
	return b->over - 1;
}

/* Behind the part that wraps is room for the longest record, a fault's included. */
static void finish_over(struct dt_build *b)
{
	uint32_t longest = sizeof(struct dt_recfault), over;

	for (uint32_t i = 0; i < b->image->layouts.nrecs; i++)
		longest = b->image->layouts.recs[i].size > longest ? b->image->layouts.recs[i].size : longest;
	over = dt_over_map(b);		/* may move the table */
	b->maps.v[over].value_size = (uint32_t)sizeof(struct dt_over) + dt_over_size(b) +
	    dt_over_total((uint32_t)sizeof(struct dt_rechdr) + longest);
	b->image->layouts.room = dt_over_size(b);
}

/* ---- constants ---- */

/* The pool only grows, so offsets into it stay. Equal texts are there once, other bytes are not compared. */
static void pool_put(struct dt_build *b, const void *p, size_t len)
{
	for (size_t i = 0; i < len; i++)
		dt_vec_push(b->arena, &b->pool, ((const char *)p)[i]);
}

uint32_t dt_pool_bytes(struct dt_build *b, const void *p, size_t len)
{
	uint32_t at;

	dt_constants(b);
	while (b->pool.n % 8)
		dt_vec_push(b->arena, &b->pool, 0);
	at = (uint32_t)b->pool.n;
	pool_put(b, p, len);
	return at;
}

uint32_t dt_pool_text(struct dt_build *b, const char *text)
{
	uintptr_t at = (uintptr_t)dt_map_get(&b->texts, text);

	dt_constants(b);
	if (!at) {
		at = b->pool.n + 1;
		pool_put(b, text, strlen(text) + 1);
		dt_map_put(&b->texts, text, (void *)at);
	}
	return (uint32_t)(at - 1);
}

/* ---- when all code is there ---- */

/* b->zeros changes its meaning here: before, the longest run that was asked for; after, where it begins. */
static void finish_constants(struct dt_build *b)
{
	struct dt_image_map *m = &b->maps.v[dt_constants(b)];
	uint32_t zeros;

	while (b->pool.n % 8 || b->pool.n == 0)
		dt_vec_push(b->arena, &b->pool, 0);
	zeros = (uint32_t)b->pool.n;
	m->value_size = (uint32_t)b->pool.n + b->zeros;
	m->data = dt_arena_alloc(b->arena, m->value_size);
	memcpy((void *)m->data, b->pool.v, b->pool.n);
	m->len = m->value_size;
	b->zeros = zeros;
}

static void finish_ring(struct dt_build *b)
{
	uint32_t ring = dt_ring_map(b);		/* may move the table */

	b->image->layouts.room = b->maps.v[ring].max_entries;
	b->image->grows = b->opts->grows;
}

void dt_maps_finish(struct dt_build *b)
{
	static const struct dt_control control = { .gen = DT_GEN_FIRST, .taken = DT_GEN_FIRST / DT_GEN_NEXT };

	dt_control_map(b);
	dt_drops_map(b);
	if (b->opts->policy == DT_POLICY_RING)
		finish_over(b);
	else
		finish_ring(b);
	if (b->constants)
		finish_constants(b);
	if (b->slots)
		b->maps.v[b->slots - 1].value_size = b->slot_key + ((b->keymax + 7) & ~7u);
	if (b->globals)
		b->maps.v[b->globals - 1].value_size = b->globals_size ? b->globals_size + b->tail : 8;
	if (b->tls_size + b->tail > DT_TLS_MAX)
		dt_refuse(b, (struct dt_loc){ 0 },
		    "self-> variables have %u bytes and copies into them strsize more; the kernel takes at "
		    "most %u",
		    b->tls_size, DT_TLS_MAX);
	if (b->tls)
		b->maps.v[b->tls - 1].value_size = b->tls_size ? b->tls_size + b->tail : 8;
	b->maps.v[b->control - 1].data = &control;
	b->maps.v[b->control - 1].len = sizeof(control);
}
