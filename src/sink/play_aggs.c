/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The player of a recording: what sinks ask it for (names of addresses and aggregations, elements of
 * printa()), and how it begins and ends. See play.c.
 */
#include "sink/play_impl.h"

#include "base/count.h"
#include "dif/action.h"
#include "output/unit.h"

/* ---- addresses ---- */

static void symbol_key(char *key, size_t len, uint32_t kind, uint32_t pid, uint64_t addr)
{
	snprintf(key, len, "%u %u %llx", kind, pid, (unsigned long long)addr);
}

int dt_play_symbol(struct dt_player *p, struct dt_play_in *in)
{
	uint32_t kind = dt_play_u32(in), pid = dt_play_u32(in);
	uint64_t addr = dt_play_u64(in);
	char key[64];

	symbol_key(key, sizeof(key), kind, pid, addr);
	dt_map_put(&p->symbols, key, (void *)(uintptr_t)dt_play_name(in, p->arena));
	return 0;
}

static bool symbolize(void *ctx, enum dt_symkind kind, uint32_t pid, uint64_t addr, char *buf, size_t len)
{
	struct dt_player *p = ctx;
	const char *text;
	char key[64];

	symbol_key(key, sizeof(key), kind, pid, addr);
	text = dt_map_get(&p->symbols, key);
	if (text == NULL || text[0] == '\0')
		return false;
	snprintf(buf, len, "%s", text);
	return true;
}

/* ---- aggregations ---- */

static struct dt_play_agg *agg_of(const struct dt_player *p, int64_t id)
{
	char key[32];

	snprintf(key, sizeof(key), "%lld", (long long)id);
	return dt_map_get(&p->aggs, key);
}

/* An aggregating function that there is, with parameters that it may have. */
static bool is_function(uint32_t kind, uint64_t arg)
{
	const struct dt_aggfunc *f;

	if (kind > UINT16_MAX || !DT_ACT_IS_AGG(kind) || dt_actrule_of(kind) == NULL)
		return false;
	f = dt_aggfunc_of((uint16_t)kind);
	return f != NULL && (f->good == NULL || f->good(arg));
}

int dt_play_aggname(struct dt_player *p, struct dt_play_in *in)
{
	struct dt_play_agg *a = DT_NEW(p->arena, struct dt_play_agg);
	uint32_t kind;
	char key[32];

	a->id = (int64_t)dt_play_u64(in);
	a->name = dt_play_name(in, p->arena);
	kind = dt_play_u32(in);
	a->kind = (uint16_t)kind;
	a->arg = dt_play_u64(in);
	a->nkeys = dt_play_count(in, 4);
	a->keys = DT_NEWN(p->arena, struct dt_loc, a->nkeys + 1);
	for (uint32_t k = 0; k < a->nkeys; k++)
		a->keys[k] = dt_play_place(p, dt_play_text(in, p->arena));
	if (!is_function(kind, a->arg) || agg_of(p, a->id) != NULL)
		return dt_play_bad(p, "an aggregation that cannot be");
	snprintf(key, sizeof(key), "%lld", (long long)a->id);
	dt_map_put(&p->aggs, key, a);
	return 0;
}

static const char *agg_name(void *ctx, int64_t id)
{
	const struct dt_play_agg *a = agg_of(ctx, id);

	return a != NULL ? a->name : NULL;
}

static struct dt_loc agg_key(void *ctx, int64_t id, uint32_t k)
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

/* The words have to be as many as the function says; a recording may be older than the last ones. */
static void read_number(const char *units, struct dt_play_in *in, struct dt_arena *arena,
    const struct dt_play_agg *a, struct dt_value *v)
{
	const struct dt_aggfunc *f = dt_aggfunc_of(a->kind);
	size_t n;

	*v = (struct dt_value){ .kind = DT_V_AGG, .aggkind = a->kind, .aggarg = a->arg,
		.unit = (uint8_t)dt_aggunit_of(units, a->name, a->kind) };
	v->normal = (int64_t)dt_play_u64(in);
	v->words = dt_play_aligned(in, arena, &n);
	v->nwords = (uint32_t)(n / sizeof(*v->words));
	in->bad |= v->nwords + f->optional < f->nwords(a->arg);
}

static bool read_row(struct dt_player *p, struct dt_play_in *in, struct dt_arena *arena,
    const struct dt_sink_aggs *a, struct dt_aggrow *row)
{
	uint32_t nkeys = dt_play_count(in, 12);
	struct dt_value *keys = DT_NEWN(arena, struct dt_value, nkeys + 1);
	struct dt_value *vals = DT_NEWN(arena, struct dt_value, a->nids + 1);

	for (uint32_t k = 0; k < nkeys && !in->bad; k++)
		read_value(in, arena, &keys[k]);
	for (uint32_t i = 0; i < a->nids && !in->bad; i++)
		read_number(p->play->opts->units, in, arena, agg_of(p, a->ids[i]), &vals[i]);
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
	n = dt_play_count(in, 4 + 12 * (size_t)a->nids);
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
static struct dt_aggrow *next_rows(void *ctx, const int64_t *ids, uint32_t nids, size_t *n)
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

int dt_play_snapshot(struct dt_player *p, struct dt_play_in *in)
{
	struct dt_sink_aggs a = { 0 };

	if (read_rows(p, in, p->spare, &a) != 0)
		return -1;
	if (a.n > 0 && p->sink->type->snapshot != NULL)
		p->sink->type->snapshot(p->sink, &a);
	return 0;
}

/* ---- a play ---- */

static uint64_t time_now(void *ctx) { return ((struct dt_player *)ctx)->now; }

static void note(void *ctx, const char *text)
{
	struct dt_player *p = ctx;

	if (p->play->note != NULL)
		p->play->note(p->play->ctx, text);
}

static const struct dt_type *type_named(void *ctx, const char *name)
{
	struct dt_player *p = ctx;

	return p->play->type != NULL ? p->play->type(p->play->ctx, name) : NULL;
}

/* Of what statements do, only rows and types are left. */
static void set_up(struct dt_player *p, const struct dt_sink_caller *caller)
{
	struct dt_statement_ops ops = { .ctx = p, .rows = next_rows, .type = type_named };

	dt_map_init(&p->probes, p->arena);
	dt_map_init(&p->aggs, p->arena);
	dt_map_init(&p->symbols, p->arena);
	dt_statements_init(&p->statements, p->arena, p->play->out, &ops);
	p->statements.played = true;
	p->once = dt_arena_under(p->arena);
	p->spare = dt_arena_under(p->arena);
	p->env = (struct dt_sink_env){ .arena = p->arena, .out = p->play->out, .statements = &p->statements,
		.aggname = agg_name, .aggkey = agg_key, .now = time_now, .note = note, .ctx = p,
		.caller = caller, .argument = p->play->argument, .why = p->why };
	p->play->opts->symbolize = symbolize;
	p->play->opts->symctx = p;
}

static void tear_down(struct dt_player *p)
{
	dt_sink_close(p->sink);
	for (size_t i = 0; i < p->programs.n; i++)
		dt_prog_free(p->programs.v[i]);
	p->play->opts->symbolize = NULL;
	p->play->opts->symctx = NULL;
	dt_arena_free(p->arena);
}

int dt_play_run(struct dt_play *play, char *why)
{
	static const struct dt_sink_caller nobody;
	struct dt_player p = { .play = play, .why = why, .arena = dt_arena_new(),
		.text = play->format == DT_OFORMAT_text };
	jmp_buf oom;
	int err;

	why[0] = '\0';
	if (play->format == DT_OFORMAT_record || p.arena == NULL) {
		snprintf(why, DT_SINK_WHY, p.arena == NULL ? "out of memory" :
		    "a recording cannot be recorded: copy the file");
		dt_arena_free(p.arena);
		return -1;
	}
	dt_arena_on_oom(p.arena, &oom);
	if (setjmp(oom) != 0) {
		snprintf(why, DT_SINK_WHY, "out of memory");
		err = -1;
	} else {
		set_up(&p, &nobody);
		err = dt_play_blocks(&p);
	}
	tear_down(&p);
	return err;
}
