/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What is decided before any code is made: where variables lie, what aggregations look like, how records and
 * the slot are laid out. Programs in, offsets and sizes out. Code is made more than once, and by then none of
 * these may change.
 */
#include "bpf/build.h"
#include "dif/action.h"

#define AGG_WORDS_MAX 4000		/* a per-CPU value has at most 32 KiB */

static uint32_t round8(uint64_t n) { return (uint32_t)((n + 7) & ~7ull); }

/* ---- variables ---- */

static struct dt_bvar *find_var(struct dt_build *b, unsigned scope, uint32_t id)
{
	for (size_t i = 0; i < b->vars.n; i++) {
		if (b->vars.v[i].v.scope == scope && b->vars.v[i].v.id == id)
			return &b->vars.v[i];
	}
	return NULL;
}

/* Bytes by reference: a string has its NUL after the characters. */
uint32_t dt_bvar_size(const struct dt_difv *v)
{
	return round8(v->type.size + (v->type.kind == DT_DT_STRING));
}

/* A variable by reference has a word after its bytes: variables.c. */
static uint64_t var_room(const struct dt_difv *v)
{
	return v->type.flags & (DT_DTF_REF | DT_DTF_USERREF) ? 8ull + dt_bvar_size(v) : 8;
}

/*
 * What variables of a scope may have together. The kernel's storage of a thread ends at 64 KiB; this-> is in
 * each slot, twice; globals are memory from the start.
 */
static void check_room(struct dt_build *b, const struct dt_difv *v, uint64_t all)
{
	static const struct { const char *text; uint32_t most; } scopes[] = {
		[DT_DIFV_GLOBAL] = { "global", 64u << 20 }, [DT_DIFV_THREAD] = { "self->", DT_TLS_MAX },
		[DT_DIFV_LOCAL] = { "this->", 1u << 20 },
	};

	if (all > scopes[v->scope].most)
		dt_refuse(b, (struct dt_loc){ 0 },
		    "%s variables up to %s have %llu bytes; together they have at most %u",
		    scopes[v->scope].text, v->name, (unsigned long long)all, scopes[v->scope].most);
}

/* Clauses name the same variable again: the first one gives it its place. */
static void plan_var(struct dt_build *b, const struct dt_difv *v)
{
	struct dt_bvar var = { .v = *v };
	uint32_t *size = v->scope == DT_DIFV_GLOBAL ? &b->globals_size :
	    v->scope == DT_DIFV_THREAD ? &b->tls_size : &b->locals_size;

	if (v->id < DT_VAR_USER_MIN || find_var(b, v->scope, v->id))
		return;
	if (v->kind == DT_DIFV_SCALAR || dt_owned(&var)) {
		uint64_t room = v->kind == DT_DIFV_SCALAR ? var_room(v) : 8;

		check_room(b, v, *size + room);
		var.off = *size;
		*size += (uint32_t)room;
	}
	dt_vec_push(b->arena, &b->vars, var);
}

/* Whether the instruction may write a number of bytes that is known only at run time. */
bool dt_dif_copies(uint32_t in)
{
	const struct dt_builtin *row = dt_dif_op(in) == DT_DIF_CALL ? dt_builtin_subr(dt_dif_v16(in)) : NULL;

	return dt_dif_op(in) == DT_DIF_COPYS || (row && (row->flags & DT_BF_COPIES));
}

static void plan_difo(struct dt_build *b, const struct dt_difo *d)
{
	for (uint32_t i = 0; d && i < d->nvars; i++)
		plan_var(b, &d->vars[i]);
	for (uint32_t i = 0; d && i < d->ntext && !b->tail; i++)
		b->tail = dt_dif_copies(d->text[i]) ? round8(b->opts->strsize) : 0;
}

static void plan_enabling(struct dt_build *b, const struct dt_enabling *en)
{
	plan_difo(b, en->each);
	plan_difo(b, en->when);
	for (int i = 0; i < 10; i++)
		plan_difo(b, en->args[i]);
	plan_difo(b, en->ecb->pred);
	for (uint32_t i = 0; i < en->ecb->nacts; i++)
		plan_difo(b, en->ecb->acts[i].difo);
}

void dt_plan_vars(struct dt_build *b, const struct dt_plan_hook *hooks, uint32_t n)
{
	for (uint32_t h = 0; h < n; h++) {
		for (uint32_t i = 0; i < hooks[h].nen; i++)
			plan_enabling(b, &hooks[h].en[i]);
	}
	for (uint32_t i = 0; i < b->opts->nerrors; i++)
		plan_enabling(b, &b->opts->errors[i]);
}

static void use_locals(struct dt_build *b, const struct dt_difo *d)
{
	for (uint32_t i = 0; d && i < d->nvars; i++) {
		struct dt_bvar *v = d->vars[i].scope == DT_DIFV_LOCAL ?
		    find_var(b, DT_DIFV_LOCAL, d->vars[i].id) : NULL;

		if (v)
			v->used = true;
	}
}

void dt_plan_locals(struct dt_build *b, const struct dt_enabling *en, uint32_t n)
{
	for (size_t i = 0; i < b->vars.n; i++)
		b->vars.v[i].used = false;
	for (uint32_t i = 0; i < n; i++) {
		if (i && en[i].ecb == en[i - 1].ecb)
			continue;
		use_locals(b, en[i].ecb->pred);
		for (uint32_t k = 0; k < en[i].ecb->nacts; k++)
			use_locals(b, en[i].ecb->acts[k].difo);
	}
}

struct dt_bvar *dt_bvar_find(struct dt_lower *l, unsigned scope, uint32_t id)
{
	struct dt_bvar *v = find_var(l->b, scope, id);

	if (!v)
		REFUSE(l, "variable %u is not in the variable table", id);
	return v;
}

/* What one instruction takes of scratch, by its row. */
static enum dt_bscratch scratch_of(uint32_t in)
{
	unsigned op = dt_dif_op(in), id = dt_dif_v16(in);
	const struct dt_builtin *row = op == DT_DIF_CALL ? dt_builtin_subr(id) :
	    op == DT_DIF_LDGS ? dt_builtin_var(id) : NULL;

	if (op == DT_DIF_ALLOCS)
		return DT_SCRATCH_ANY;
	return row ? row->scratch : DT_SCRATCH_NONE;
}

/* How much scratch it can use at most: programs have no loops. UINT64_MAX: any amount. */
static uint64_t difo_scratch(const struct dt_build *b, const struct dt_difo *d)
{
	uint64_t need = 0;

	for (uint32_t pc = 0; d && pc < d->ntext; pc++) {
		enum dt_bscratch one = scratch_of(d->text[pc]);

		if (one == DT_SCRATCH_ANY)
			return UINT64_MAX;
		if (one == DT_SCRATCH_STRING)
			need += b->strsize + 8;
	}
	return need;
}

static uint64_t clause_scratch(const struct dt_build *b, const struct dt_enabling *en)
{
	uint64_t need = difo_scratch(b, en->ecb->pred);

	for (uint32_t i = 0; i < en->ecb->nacts && need != UINT64_MAX; i++) {
		uint64_t more = difo_scratch(b, en->ecb->acts[i].difo);

		need = more == UINT64_MAX ? more : need + more;
	}
	for (int i = 0; i < 12; i++) {
		uint64_t more = difo_scratch(b, i < 10 ? en->args[i] : i == 10 ? en->when : en->each);

		need = more == UINT64_MAX || need == UINT64_MAX ? UINT64_MAX : need + more;
	}
	return need;
}

/* What the most demanding clause can use, limited by the option; four strings fit in any case. */
static uint64_t scratch_need(const struct dt_build *b, const struct dt_plan_hook *hooks, uint32_t n)
{
	uint64_t most = 0, limit = b->opts->scratchsize;

	for (uint32_t h = 0; h <= n; h++) {
		const struct dt_enabling *en = h < n ? hooks[h].en : b->opts->errors;
		uint32_t nen = h < n ? hooks[h].nen : b->opts->nerrors;

		for (uint32_t i = 0; i < nen; i++) {
			uint64_t need = i && en[i].ecb == en[i - 1].ecb ? 0 : clause_scratch(b, &en[i]);

			most = need > most ? need : most;
		}
	}
	most = most < limit ? most : limit;
	if (most < 4ull * (b->opts->strsize - 1))
		most = 4ull * (b->opts->strsize - 1);
	return most < 1u << 20 ? most : 1u << 20;
}

/*
 * There are two copies of the locals, and of strtok()'s text: dtrace:::ERROR clauses have their own. Scratch
 * is followed by as much again, so that any offset inside it plus any size up to its own stays inside the
 * slot: the verifier sees the bounds of offset and size, and not their sum. slot_key is last, as its size is
 * known only when all code is there (keymax).
 */
void dt_plan_slot(struct dt_build *b, const struct dt_plan_hook *hooks, uint32_t n)
{
	uint32_t at = S_FIXED;

	b->strsize = round8(b->opts->strsize);
	b->scratch = round8(scratch_need(b, hooks, n));
	b->slot_frames = at;		/* where the runtime expects them: after the words */
	b->ustack_frames = dt_ustack_frames(b, hooks, n);
	if (dt_ustack_tables(b) && dt_ustack_wanted(b, hooks, n))
		at += 8 * b->ustack_frames;
	for (int i = 0; i < 2; i++) {
		b->slot_str[i] = at;
		at += b->strsize + 8;
	}
	b->slot_tok[0] = b->slot_tok[1] = at;
	at += b->strsize + 8;
	if (b->opts->nerrors) {
		b->slot_tok[1] = at;
		at += b->strsize + 8;
	}
	b->slot_locals = at;
	at += 2 * b->locals_size;
	b->slot_scratch = at;
	at += 2 * b->scratch;
	b->slot_stack = at;
	at += dt_stack_room(b, hooks, n);
	b->slot_key = at;
}

/* ---- simple DIFOs ---- */

struct dt_known dt_difo_simple(const struct dt_difo *d)
{
	struct dt_known none = { .kind = V_NUM };
	const struct dt_builtin *row;
	uint32_t in, id;

	if (!d || d->ntext != 2 || dt_dif_op(d->text[1]) != DT_DIF_RET ||
	    dt_dif_rd(d->text[0]) != dt_dif_rd(d->text[1]))
		return none;
	in = d->text[0];
	id = dt_dif_v16(in);
	if (dt_dif_op(in) == DT_DIF_SETS && id < d->strlen)
		return (struct dt_known){ .kind = V_STR, .text = d->strs + id };
	if (dt_dif_op(in) == DT_DIF_SETX && id < d->nints)
		return (struct dt_known){ .kind = V_CONST, .v = d->ints[id] };
	row = dt_dif_op(in) == DT_DIF_LDGS ? dt_builtin_var(id) : NULL;
	return row && row->known ? *row->known : none;
}

/* ---- records ---- */

static uint32_t align_of(uint32_t size) { return size >= 8 ? 8 : size > 2 ? 4 : size ? size : 1; }

/* Fields follow each other in the order of the actions, each aligned by its size. */
void dt_plan_record(struct dt_build *b, const struct dt_ecb *e, struct dt_reclayout *r)
{
	struct dt_recfield *f = DT_NEWN(b->arena, struct dt_recfield, e->nacts + 1);
	uint64_t at = 0;

	r->field = f;
	if (!dt_ecb_records(e))
		return;
	for (uint32_t i = 0; i < e->nacts; i++) {
		if (e->acts[i].kind == DT_ACT_SPECULATE) {	/* its word is first, wherever it stands */
			f[i] = (struct dt_recfield){ 0, 8 };
			at = 8;
		}
	}
	for (uint32_t i = 0; i < e->nacts; i++) {
		uint32_t size = dt_act_recorded(&e->acts[i]) ? dt_field_size(b, &e->acts[i]) : 0;

		if (!size)
			continue;
		at = (at + align_of(size) - 1) & ~(uint64_t)(align_of(size) - 1);
		f[i] = (struct dt_recfield){ (uint32_t)at, size };
		at += size;
		if (at > 1u << 20)
			dt_refuse(b, e->loc, "the clause records more than 1048576 bytes");
	}
	at = round8(at);
	if (dt_ecb_shows_aggs(e)) {
		/* 0 is "none", and a moment is never first: the number of the aggregation stands before it */
		r->moment = (uint32_t)at;
		at += 8;
	}
	r->size = (uint32_t)at;
}

/* ---- aggregations ---- */

struct dt_bagg *dt_bagg_find(struct dt_build *b, uint64_t id)
{
	for (size_t i = 0; i < b->aggs.n; i++) {
		if (b->aggs.v[i].layout->id == id)
			return &b->aggs.v[i];
	}
	return NULL;
}

/*
 * Programs that share an image may declare the same aggregation. Where 0 in all words does not mean "nothing
 * yet" (DT_SEEN_EXTRA) there is a word more that says so.
 */
static void plan_agg(struct dt_build *b, const struct dt_aggvar *v)
{
	const struct dt_aggfunc *func = dt_aggfunc_of(v->kind);
	struct dt_bagg agg = { .layout = DT_NEW(b->arena, struct dt_agglayout) };
	struct dt_agglayout *o = agg.layout;

	if (dt_bagg_find(b, v->id))
		return;
	*o = (struct dt_agglayout){ .id = v->id,
		.kind = v->kind,
		.arg = v->arg,
		.name = v->name,
		.nkeys = v->nkeys,
		.nwords = func->nwords(v->arg) };
	o->cpuwords = o->nwords;
	if (func->seen == DT_SEEN_EXTRA)
		o->seen = o->cpuwords++;
	if (!o->nwords)
		dt_refuse(b, (struct dt_loc){ 0 }, "@%s has no buckets", v->name);
	if (o->cpuwords > AGG_WORDS_MAX)
		dt_refuse(b, (struct dt_loc){ 0 }, "@%s has %u buckets; the kernel holds at most %u", v->name,
		    o->nwords, AGG_WORDS_MAX);
	dt_vec_push(b->arena, &b->aggs, agg);
}

void dt_plan_aggs(struct dt_build *b)
{
	for (uint32_t p = 0; p < b->nprogs; p++) {
		for (uint32_t i = 0; i < b->progs[p]->naggs; i++)
			plan_agg(b, &b->progs[p]->aggs[i]);
	}
}
