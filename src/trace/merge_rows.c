/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * -x mergestacks, the default: rows of an aggregation that look the same are one row. A key that is a stack
 * or an address is compared by its text; the bytes of the first key with a text stand for all of them. The
 * same code is at other addresses in each process, and different functions can have one name. What `by_text`
 * holds must be there as long as an element has these bytes. Memory is bounded by a share of -x namesize:
 * past it, only the keys of the elements that are left are kept (trunc() may have removed the others).
 */
#include "dif/action.h"
#include "trace/trace.h"

#include <string.h>

enum { SHARE = 8 };		/* of -x namesize */

/* `known` saves looking up names: the bytes of a key, as text -> the bytes that stand for it. */
struct dt_merger {
	struct dt_arena *arena;
	struct dt_map by_text, known;
	uint64_t bytes, most, room;
	struct dt_out raw, text;	/* kept here: an arena without memory jumps past the frames */
};

static void begin(struct dt_trace *t, struct dt_merger *m)
{
	m->arena = dt_arena_under(t->arena);
	m->bytes = 0;
	dt_map_init(&m->by_text, m->arena);
	dt_map_init(&m->known, m->arena);
}

struct dt_merger *dt_merger_new(struct dt_trace *t, uint64_t namesize)
{
	struct dt_merger *m = DT_NEW(t->arena, struct dt_merger);

	m->room = namesize / SHARE;
	m->most = m->room;
	dt_out_init(&m->raw, NULL, &dt_print_defaults);
	dt_out_init(&m->text, NULL, &dt_print_defaults);
	begin(t, m);
	return m;
}

void dt_merger_free(struct dt_merger *m)
{
	if (m == NULL)
		return;
	dt_out_free(&m->raw);
	dt_out_free(&m->text);
}

/* What is named later (a perf map that is not written yet) must not be remembered without its name. */
struct naming { struct dtrace_hdl *h; bool unnamed; };

static bool symbolize(void *ctx, enum dt_symkind kind, uint32_t pid, uint64_t addr, char *buf, size_t len)
{
	struct naming *n = ctx;
	bool found = dt_trace_symbolize(n->h, kind, pid, addr, buf, len);

	n->unnamed |= !found;
	return found;
}

/* Keys of another size are of another layout and stay apart. */
static void put_text(struct dt_out *text, const struct dt_value *v, uint32_t size)
{
	dt_out_printf(text, "%u,%d,", size, v->kind);
	dt_value_bare(text, v);
}

/* Any bytes as a text without NULs; a stack ends with zeros, which need no place. */
static void put_bytes(struct dt_out *text, const struct dt_value *v, const uint8_t *bytes, uint32_t size)
{
	dt_out_printf(text, "%u,%d,", size, v->kind);
	while (size > 0 && bytes[size - 1] == 0)
		size--;
	for (uint32_t i = 0; i < size; i++) {
		char two[2] = { 1, (char)(bytes[i] + 1) };

		if (bytes[i] <= 1)
			dt_out_put(text, two, 2);
		else
			dt_out_put(text, &bytes[i], 1);
	}
}

static void put(struct dt_merger *m, struct dt_map *map, const struct dt_out *text, void *bytes)
{
	m->bytes += text->len + sizeof(struct dt_map_entry);
	dt_map_put(map, dt_out_text((struct dt_out *)text), bytes);
}

static void *copy(struct dt_merger *m, const void *bytes, uint32_t size)
{
	m->bytes += size;
	return dt_arena_memdup(m->arena, bytes, size);
}

/* The bytes that stand for the key; the key's own if it is the first with its text. */
static void *find_first(struct dtrace_hdl *h, struct dt_merger *m, const struct dt_value *v,
    const void *bytes, uint32_t size, bool *unnamed)
{
	struct naming naming = { h, false };
	struct dt_print_opts opts = dt_print_defaults;
	struct dt_out *text = &m->text;
	void *first;

	opts.symbolize = symbolize;
	opts.symctx = &naming;
	dt_out_clear(text);
	text->opts = &opts;
	put_text(text, v, size);
	text->opts = &dt_print_defaults;
	first = dt_map_get(&m->by_text, dt_out_text(text));
	if (first == NULL && !text->failed)
		put(m, &m->by_text, text, first = copy(m, bytes, size));
	*unnamed = naming.unnamed;
	return first;
}

/* ---- memory ---- */

static void keep_elem(struct dtrace_hdl *h, struct dt_merger *m, const struct dt_agg_elem *e)
{
	const struct dt_agglayout *l = e->layout;
	struct dt_value v;
	bool unnamed;

	for (uint32_t k = 0; k < l->nkeys; k++)
		if (dt_act_is(l->key_act[k], DT_AF_NAMED)) {
			dt_agg_key(e, k, &v);
			(void)find_first(h, m, &v, e->key + l->key[k].off, l->key[k].size, &unnamed);
		}
}

static void keep_elements_only(struct dtrace_hdl *h, struct dt_merger *m)
{
	struct dt_consumer *c = h->trace->consumer;

	dt_arena_free(m->arena);
	begin(h->trace, m);
	for (uint32_t i = 0; i < dt_consumer_naggs(c); i++) {
		const struct dt_agg *agg = dt_consumer_agg_at(c, i);

		for (uint32_t k = 0; k < agg->n; k++)
			keep_elem(h, m, agg->elem[k]);
	}
	m->most = m->bytes + m->room;
}

/* For the consumer, with each element of a snapshot. */
void dt_trace_merge(void *ctx, const struct dt_value *v, void *bytes, uint32_t size)
{
	struct dtrace_hdl *h = ctx;
	struct dt_merger *m = h->trace->merger;
	struct dt_out *raw = &m->raw;
	void *first;
	bool unnamed;

	if (m->bytes > m->most)
		keep_elements_only(h, m);
	dt_out_clear(raw);
	put_bytes(raw, v, bytes, size);
	first = dt_map_get(&m->known, dt_out_text(raw));
	if (first == NULL && (first = find_first(h, m, v, bytes, size, &unnamed)) != NULL && !unnamed &&
	    !raw->failed)
		put(m, &m->known, raw, first);
	if (first != NULL)
		memcpy(bytes, first, size);
}
