/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Aggregations of a recording that is played: what they are, elements that are shown, and the state that
 * snapshots make when each holds only what has changed. See sink_play.c.
 */
#include "sink/play_impl.h"

#include "base/count.h"
#include "dif/action.h"
#include "output/unit.h"

enum { MAX_WORDS = 64 << 20 };		/* of elements, expanded: 512 MiB */

/* ---- aggregations ---- */

static struct dt_play_agg *agg_of(const struct dt_player *p, int64_t id)
{
	char key[32];

	snprintf(key, sizeof(key), "%lld", (long long)id);
	return dt_map_get(&p->aggs, key);
}

/* By name; 0: there is no such function, or it cannot have the parameters. */
static uint16_t function_named(const char *name, uint64_t arg)
{
	for (size_t i = 0; i < DT_COUNT(dt_aggfuncs); i++) {
		const struct dt_aggfunc *f = dt_aggfuncs[i];

		if (f != NULL && strcmp(f->names->name, name) == 0)
			return f->good == NULL || f->good(arg) ? (uint16_t)f->names->id : 0;
	}
	return 0;
}

/* How many numbers are shown of an element. */
static uint32_t count_numbers(const struct dt_aggfunc *f, uint64_t arg)
{
	const struct dt_value none = { .kind = DT_V_AGG, .aggkind = (uint16_t)f->names->id, .aggarg = arg };
	struct dt_aggpart part[DT_AGGPARTS];

	return f->number != NULL ? 1 : f->parts != NULL ? f->parts(&none, part) : 0;
}

int dt_play_aggname(struct dt_player *p, struct dt_play_in *in)
{
	struct dt_play_agg *a = DT_NEW(p->arena, struct dt_play_agg);
	const char *function;
	char key[32];

	a->id = (int64_t)dt_play_u64(in);
	a->name = dt_play_name(in, p->arena);
	function = dt_play_name(in, p->spare);
	a->arg = dt_play_u64(in);
	a->kind = function_named(function, a->arg);
	(void)dt_play_u32(in);			/* words: the function knows */
	a->nkeys = dt_play_count(in, 4);
	a->keys = DT_NEWN(p->arena, struct dt_loc, a->nkeys + 1);
	for (uint32_t k = 0; k < a->nkeys; k++)
		a->keys[k] = dt_play_place(p, dt_play_text(in, p->arena));
	a->nnumbers = dt_play_u32(in);
	if (a->kind == 0)
		return dt_play_bad(p, "@%s has an aggregating function that is not known here (%s)", a->name,
		    function);
	if (in->bad || agg_of(p, a->id) != NULL ||
	    a->nnumbers != count_numbers(dt_aggfunc_of(a->kind), a->arg))
		return dt_play_bad(p, "an aggregation that cannot be");
	snprintf(key, sizeof(key), "%lld", (long long)a->id);
	dt_map_put(&p->aggs, key, a);
	return 0;
}

const char *dt_play_aggtitle(void *ctx, int64_t id)
{
	const struct dt_play_agg *a = agg_of(ctx, id);

	return a != NULL ? a->name : NULL;
}

struct dt_loc dt_play_aggkey(void *ctx, int64_t id, uint32_t k)
{
	const struct dt_play_agg *a = agg_of(ctx, id);

	return a != NULL && k < a->nkeys ? a->keys[k] : (struct dt_loc){ 0 };
}

/* ---- elements ---- */

static void read_value(struct dt_play_in *in, struct dt_arena *arena, struct dt_value *v)
{
	size_t n;

	*v = (struct dt_value){ .kind = dt_play_u32(in) };
	switch (v->kind) {
	case DT_V_STRING:
	case DT_V_BYTES:
		v->bytes = dt_play_aligned(in, arena, &v->len);
		break;
	case DT_V_STACK:
	case DT_V_USTACK:
		v->pid = dt_play_u32(in);
		v->pcs = dt_play_aligned(in, arena, &n);
		v->npcs = (uint32_t)(n / sizeof(*v->pcs));
		break;
	case DT_V_INT:
	case DT_V_SYM:
	case DT_V_MOD:
	case DT_V_USYM:
	case DT_V_UMOD:
	case DT_V_UADDR:
		v->pid = dt_play_u32(in);
		v->size = (uint8_t)dt_play_u32(in);
		v->is_signed = dt_play_u32(in) != 0;
		v->i = dt_play_u64(in);
		in->bad |= v->size > 8;
		break;
	default:
		in->bad = true;
	}
}

/*
 * Memory for words that few bytes may stand for: a stream that asks for more than MAX_WORDS in one block, or
 * for the state of its snapshots, is refused. The words have to be as many as the function says; a recording
 * may be older than the last ones.
 */
static bool read_words(struct dt_play_in *in, int64_t *words, uint32_t n)
{
	uint32_t set = dt_play_u32(in);

	if (set > n)
		return false;
	for (uint32_t i = 0; i < set && !in->bad; i++) {
		uint32_t at = set < n ? dt_play_u32(in) : i;

		if (at >= n)
			return false;
		words[at] = (int64_t)dt_play_u64(in);
	}
	return !in->bad;
}

/* The head of an element: its divisor, its numbers (which are made again from the words), how many words. */
static uint32_t read_head(struct dt_play_in *in, const struct dt_play_agg *a, struct dt_value *v)
{
	const struct dt_aggfunc *f = dt_aggfunc_of(a->kind);
	uint32_t n;

	*v = (struct dt_value){ .kind = DT_V_AGG, .aggkind = a->kind, .aggarg = a->arg };
	v->normal = (int64_t)dt_play_u64(in);
	for (uint32_t i = 0; i < a->nnumbers; i++)
		(void)dt_play_u64(in);
	n = dt_play_u32(in);
	in->bad |= n > f->nwords(a->arg) || n + f->optional < f->nwords(a->arg);
	return in->bad ? 0 : n;
}

static void read_number(struct dt_player *p, struct dt_play_in *in, struct dt_arena *arena,
    const struct dt_play_agg *a, struct dt_value *v)
{
	uint32_t n = read_head(in, a, v);
	int64_t *words;

	v->unit = (uint8_t)dt_aggunit_of(p->play->opts->units, a->name, a->kind);
	p->nwords += n;
	in->bad |= p->nwords > MAX_WORDS;
	if (in->bad)
		return;
	words = DT_NEWN(arena, int64_t, n + 1);
	in->bad |= !read_words(in, words, n);
	v->words = words;
	v->nwords = n;
}

static bool read_row(struct dt_player *p, struct dt_play_in *in, struct dt_arena *arena,
    const struct dt_sink_aggs *a, struct dt_aggrow *row)
{
	uint32_t nkeys = dt_play_count(in, 8);
	struct dt_value *keys = DT_NEWN(arena, struct dt_value, nkeys + 1);
	struct dt_value *vals = DT_NEWN(arena, struct dt_value, a->nids + 1);

	for (uint32_t k = 0; k < nkeys && !in->bad; k++)
		read_value(in, arena, &keys[k]);
	for (uint32_t i = 0; i < a->nids && !in->bad; i++)
		read_number(p, in, arena, agg_of(p, a->ids[i]), &vals[i]);
	*row = (struct dt_aggrow){ keys, nkeys, vals, a->nids, NULL };
	return !in->bad && nkeys == agg_of(p, a->ids[0])->nkeys;
}

static int read_rows(struct dt_player *p, struct dt_play_in *in, struct dt_arena *arena,
    struct dt_sink_aggs *a)
{
	int64_t *ids;
	uint32_t n;

	p->now = dt_play_u64(in);
	a->nids = dt_play_count(in, 8);
	ids = DT_NEWN(arena, int64_t, a->nids + 1);
	for (uint32_t i = 0; i < a->nids; i++)
		ids[i] = (int64_t)dt_play_u64(in);
	a->ids = ids;
	n = dt_play_count(in, 4 + 16 * (size_t)a->nids);
	for (uint32_t i = 0; i < a->nids && n > 0; i++)
		if (agg_of(p, ids[i]) == NULL)
			return dt_play_bad(p, "elements of an aggregation that is not there");
	if (a->nids == 0 && n > 0)
		return dt_play_bad(p, "elements of no aggregation");
	a->rows = DT_NEWN(arena, struct dt_aggrow, n + 1);
	for (a->n = 0; a->n < n; a->n++)
		if (!read_row(p, in, arena, a, &a->rows[a->n]))
			return dt_play_bad(p, "an element that its aggregation cannot have");
	return 0;
}

/* They wait for the firing that prints them, in an arena that is emptied only then. */
int dt_play_shown(struct dt_player *p, struct dt_play_in *in)
{
	struct dt_sink_aggs a = { 0 };

	if (read_rows(p, in, p->once, &a) != 0)
		return -1;
	dt_vec_push(p->arena, &p->rows, a);
	return 0;
}

/* dt_statement_ops.rows: in the order in which they were asked for. Formats may ask for less. */
struct dt_aggrow *dt_play_rows(void *ctx, const int64_t *ids, uint32_t nids, size_t *n)
{
	struct dt_player *p = ctx;

	*n = 0;
	for (; p->nextrows < p->rows.n; p->nextrows++) {
		const struct dt_sink_aggs *a = &p->rows.v[p->nextrows];

		if (a->nids == nids && memcmp(a->ids, ids, nids * sizeof(*ids)) == 0) {
			p->nextrows++;
			*n = a->n;
			return a->rows;
		}
	}
	return DT_NEWN(p->spare, struct dt_aggrow, 1);
}

int dt_play_aggregation(struct dt_player *p, struct dt_play_in *in)
{
	struct dt_sink_aggs a = { 0 };

	if (read_rows(p, in, p->spare, &a) != 0)
		return -1;
	return a.n > 0 ? p->sink->type->aggregation(p->sink, &a) : 0;
}

/* ---- snapshots ---- */

static bool wants_snapshots(const struct dt_player *p) { return p->sink->type->snapshot != NULL; }

int dt_play_key(struct dt_player *p, struct dt_play_in *in)
{
	struct dt_play_agg *a = agg_of(p, (int64_t)dt_play_u64(in));
	uint32_t number = dt_play_u32(in), n = dt_play_count(in, 8);
	struct dt_play_key *k;
	struct dt_value *keys;

	if (a == NULL || n != a->nkeys)
		return dt_play_bad(p, "a key that its aggregation cannot have");
	if (!wants_snapshots(p))
		return 0;
	if (a->elems.n > 0 && number <= a->elems.v[a->elems.n - 1]->number)
		return dt_play_bad(p, "keys that are not in the order of their numbers");
	keys = DT_NEWN(p->arena, struct dt_value, n + 1);
	for (uint32_t i = 0; i < n && !in->bad; i++)
		read_value(in, p->arena, &keys[i]);
	k = DT_NEW(p->arena, struct dt_play_key);
	k->number = number;
	k->keys = keys;
	dt_vec_push(p->arena, &a->elems, k);
	return 0;
}

/* NULL: the stream has left it out. */
static struct dt_play_key *key_numbered(const struct dt_play_agg *a, uint32_t number)
{
	size_t low = 0, high = a->elems.n;

	while (low < high) {
		size_t mid = (low + high) / 2;

		if (a->elems.v[mid]->number < number)
			low = mid + 1;
		else
			high = mid;
	}
	return low < a->elems.n && a->elems.v[low]->number == number ? a->elems.v[low] : NULL;
}

static int read_change(struct dt_player *p, struct dt_play_in *in, struct dt_play_agg *a)
{
	struct dt_play_key *k = key_numbered(a, dt_play_u32(in));
	struct dt_value v;
	uint32_t n = read_head(in, a, &v);
	int64_t *words = k != NULL ? k->words : NULL;

	if (words == NULL || k->val.nwords != n) {
		p->nkept += n;
		if (in->bad || p->nkept > MAX_WORDS)
			return -1;
		words = DT_NEWN(k != NULL ? p->arena : p->spare, int64_t, n + 1);
	}
	memset(words, 0, n * sizeof(*words));
	if (!read_words(in, words, n))
		return -1;
	if (k == NULL)
		return 0;
	v.unit = (uint8_t)dt_aggunit_of(p->play->opts->units, a->name, a->kind);
	v.words = k->words = words;
	v.nwords = n;
	k->val = v;
	k->present = true;
	return 0;
}

static void read_gone(struct dt_play_in *in, struct dt_play_agg *a)
{
	for (uint32_t i = 0, n = dt_play_count(in, 4); i < n; i++) {
		struct dt_play_key *k = key_numbered(a, dt_play_u32(in));

		if (k != NULL)
			k->present = false;
	}
}

static void show_snapshot(struct dt_player *p, const struct dt_play_agg *a)
{
	struct dt_aggrow *rows = DT_NEWN(p->spare, struct dt_aggrow, a->elems.n + 1);
	struct dt_sink_aggs all = { &a->id, 1, rows, 0 };

	for (size_t i = 0; i < a->elems.n; i++) {
		const struct dt_play_key *k = a->elems.v[i];

		if (k->present)
			rows[all.n++] = (struct dt_aggrow){ k->keys, a->nkeys, &k->val, 1, NULL };
	}
	if (all.n > 0)
		p->sink->type->snapshot(p->sink, &all);
}

/* Sinks get the regular ones, whole; those of a printa() come as its elements. */
int dt_play_snapshot(struct dt_player *p, struct dt_play_in *in)
{
	uint64_t time = dt_play_u64(in);
	struct dt_play_agg *a = agg_of(p, (int64_t)dt_play_u64(in));
	uint32_t flags = dt_play_u32(in), n;

	p->now = time;
	if (a == NULL)
		return dt_play_bad(p, "a snapshot of an aggregation that is not there");
	if (!wants_snapshots(p))
		return 0;
	(void)dt_play_u64(in);
	n = dt_play_count(in, 20);
	for (size_t i = 0; i < a->elems.n && (flags & DT_SNAP_COMPLETE) != 0; i++)
		a->elems.v[i]->present = false;
	for (uint32_t i = 0; i < n; i++)
		if (read_change(p, in, a) != 0)
			return dt_play_bad(p, "an element that its aggregation cannot have");
	read_gone(in, a);
	if (!in->bad && (flags & DT_SNAP_SHOWN) == 0)
		show_snapshot(p, a);
	return 0;
}

int dt_play_walk(struct dt_player *p, dt_play_elem_f *f, void *ctx)
{
	int rv = 0;

	for (uint32_t i = 0; i < p->aggs.n && rv == 0; i++) {
		const struct dt_play_agg *a = p->aggs.v[i].value;

		for (size_t k = 0; k < a->elems.n && rv == 0; k++) {
			const struct dt_play_key *e = a->elems.v[k];
			struct dt_aggrow row = { e->keys, a->nkeys, &e->val, 1, NULL };

			if (e->present)
				rv = f(ctx, a->id, a->name, &row);
		}
	}
	return rv;
}
