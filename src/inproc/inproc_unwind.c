/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tables for walking user stacks (src/unwind) go to the data that is shared with the traced processes, where
 * the same programs read them as in the kernel. A process can change them, and so lie about its stacks. That
 * is all it can do: the walk trusts no word of them (runtime/rt_unwind.c), and neither does the code that
 * fills them.
 */
#include "inproc/inproc.h"

#include "agent/agent_impl.h"
#include "unwind/unwind.h"

#include <errno.h>
#include <linux/bpf.h>

static void *chunk(void *ctx, enum dt_unwind_table table, uint32_t i)
{
	struct inproc *p = ctx;
	const struct inproc_chunks *c = &p->chunks[table];

	return i < c->n ? inproc_at(p, c->like.at + i * c->like.size) : NULL;
}

/*
 * Place and length of a list are one word, which is written at once. The list of a process that has ended
 * stays: samples of it may not have been looked at yet. Its place is not used again for DT_UNWIND_REUSE_NS.
 */
static int publish(void *ctx, const struct dt_unwind_key *key, const struct dt_unwind_value *v)
{
	struct inproc *p = ctx;
	const struct dt_agent_map *m = &p->chunks[DT_MAP_UNWIND_KEYS - DT_MAP_UNWIND_ROWS].like;
	struct dt_agent_hash *h = inproc_at(p, m->at);

	if (v != NULL)
		return (int)dt_agent_hash_update(m, h, key, v, BPF_ANY, 0);
	if (key->dev != DT_UNWIND_PID)
		(void)dt_agent_hash_delete(m, h, key);
	return 0;
}

/* The tables have as many words as there are chunks, whatever more is allowed. */
int dt_inproc_unwind(struct dt_engine *e, struct dt_usyms *usyms, uint64_t most)
{
	struct inproc *p = inproc_of(e);
	const struct inproc_chunks *words = &p->chunks[DT_UNWIND_WORDS];
	uint64_t room = words->n * words->like.size;
	struct dt_unwind_areas areas = { .chunk = chunk, .publish = publish, .ctx = p,
		.most = most < room ? most : room };

	if (words->n == 0)
		return 0;
	p->unwind = dt_unwind_new(&areas, usyms);
	return p->unwind != NULL ? 0 : -ENOMEM;
}

struct dt_unwind *dt_inproc_unwinder(const struct dt_engine *e) { return inproc_of(e)->unwind; }
