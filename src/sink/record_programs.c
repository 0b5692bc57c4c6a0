/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The programs of a recording (P, Q), how the records of each clause are read without knowing DOF (C), and
 * which probes they are enabled on: at the start (S), and while the trace runs (B).
 */
#include "sink/record_impl.h"

#include "dif/action.h"
#include "value/value_record.h"

#include <errno.h>
#include <stdlib.h>

/* How the value of a type is read. */
static enum dt_recform form_of_type(const struct dt_act *act)
{
	const uint64_t bytes[2] = { 0 };
	struct dt_value v;

	dt_record_value(act, bytes, act->difo != NULL && act->difo->rtype.size < sizeof(bytes) ?
	    act->difo->rtype.size : sizeof(bytes), &v);
	switch (v.kind) {
	case DT_V_INT: return v.is_signed ? DT_RF_SIGNED : DT_RF_UNSIGNED;
	case DT_V_STRING: return DT_RF_STRING;
	case DT_V_STACK: return DT_RF_STACK;
	case DT_V_USTACK: return DT_RF_USTACK;
	case DT_V_SYM: return DT_RF_SYM;
	case DT_V_MOD: return DT_RF_MOD;
	case DT_V_USYM: return DT_RF_USYM;
	case DT_V_UMOD: return DT_RF_UMOD;
	case DT_V_UADDR: return DT_RF_UADDR;
	default: return DT_RF_BYTES;
	}
}

/* As dt_rec_memory() reads tracemem() and printm(): the last record of the statement has the bytes. */
static enum dt_recform form_of_memory(const struct dt_ecb *e, uint32_t i)
{
	if (i + 1 < e->nacts && e->acts[i + 1].stmt == e->acts[i].stmt)
		return DT_RF_LENGTH;
	return e->acts[i].kind == DT_ACT_PRINTM ? DT_RF_COUNTED : DT_RF_BYTES;
}

static enum dt_recform form_of(const struct dt_ecb *e, uint32_t i)
{
	const struct dt_act *act = &e->acts[i];

	if (DT_ACT_IS_AGG(act->kind) || act->in_tuple)
		return DT_RF_NONE;
	switch (dt_action_of(act)->shape) {
	case DT_SHAPE_VALUES:
	case DT_SHAPE_OBJECT: return form_of_type(act);
	case DT_SHAPE_MEMORY: return form_of_memory(e, i);
	default: return DT_RF_NONE;
	}
}

static void put_layout(struct dt_record *r, uint32_t program, uint32_t clause)
{
	const struct dt_ecb *e = &r->programs[program]->ecbs[clause];
	struct dt_out *o = &r->block;

	dt_put_u32(o, program);
	dt_put_u32(o, clause);
	dt_put_u32(o, e->nacts);
	for (uint32_t i = 0; i < e->nacts; i++) {
		dt_put_u32(o, form_of(e, i));
		dt_put_u32(o, e->acts[i].stmt);
		dt_put_text(o, dt_act_rule(&e->acts[i])->name);
		dt_record_source(r, o, e->acts[i].loc);
	}
	dt_block_end(&r->blocks, 'C', o);
}

static void put_program(struct dt_record *r, uint32_t number)
{
	const struct dt_prog *p = r->programs[number];
	const struct dt_source *src = p->necbs > 0 ? p->ecbs[0].loc.src : NULL;
	void *dof = NULL;
	size_t len = 0;

	if (dt_dof_write(p, &dof, &len) != 0) {
		r->blocks.err = r->blocks.err != 0 ? r->blocks.err : ENOMEM;
		return;
	}
	dt_block_write(&r->blocks, 'P', dof, len);
	free(dof);
	if (src != NULL) {
		dt_put_u32(&r->block, number);
		dt_put_text(&r->block, src->kind == DT_SRC_FILE ? src->name : "");
		dt_put_bytes(&r->block, src->text, src->len);
		dt_block_end(&r->blocks, 'Q', &r->block);
	}
	for (uint32_t i = 0; i < p->necbs; i++)
		put_layout(r, number, i);
}

/* Where the clause stands: number of its program, and its place in it. */
void dt_record_clause(struct dt_record *r, struct dt_out *o, const struct dt_ecb *ecb)
{
	uint32_t i = 0;

	while (i + 1 < r->nprograms && (ecb < r->programs[i]->ecbs ||
	    ecb >= r->programs[i]->ecbs + r->programs[i]->necbs))
		i++;
	dt_put_u32(o, i);
	dt_put_u32(o, (uint32_t)(ecb - r->programs[i]->ecbs));
}

static void put_enabled(struct dt_record *r, const struct dt_sink_clause *c)
{
	struct dt_out *o = &r->block;

	dt_record_clause(r, o, c->ecb);
	dt_put_u32(o, c->line);
	dt_put_u32(o, c->epid);
	dt_put_text(o, c->description);
	dt_put_u32(o, c->nprobes);
	for (uint32_t k = 0; k < c->nprobes; k++)
		dt_put_u32(o, c->probes[k]);
}

void dt_record_start(struct dt_sink *s, const struct dt_sink_start *start)
{
	struct dt_record *r = (struct dt_record *)s;

	r->programs = start->programs;
	r->nprograms = start->nprograms;
	for (uint32_t i = 0; i < start->nprograms; i++)
		put_program(r, i);
	dt_put_u32(&r->block, (uint32_t)start->pid);
	dt_put_u64(&r->block, s->env.now(s->env.ctx));
	dt_put_u32(&r->block, start->nprograms);
	dt_put_u32(&r->block, (uint32_t)start->nclauses);
	for (size_t i = 0; i < start->nclauses; i++)
		put_enabled(r, &start->clauses[i]);
	dt_block_end(&r->blocks, 'S', &r->block);
	dt_blocks_flush(&r->blocks);
}

/* Probes that were enabled while the trace runs. */
void dt_record_enabled(struct dt_sink *s, const struct dt_sink_clause *c)
{
	struct dt_record *r = (struct dt_record *)s;

	dt_put_u64(&r->block, s->env.now(s->env.ctx));
	put_enabled(r, c);
	dt_block_end(&r->blocks, 'B', &r->block);
}

