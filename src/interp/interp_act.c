/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One clause of one firing: its predicate, then its actions; then what they recorded is reported, kept by a
 * speculation, or lost by a fault. Tuple actions before an aggregating action are evaluated and handed to it.
 * Bytes that actions make live until the clause ends; records own copies of them.
 */
#include "interp/run.h"

#include <stdlib.h>

void dt_interp_clause_free(struct dt_clause *c)
{
	struct dt_irec *next;

	if (!c)
		return;
	for (struct dt_irec *r = c->first; r; r = next) {
		next = r->next;
		free(r);
	}
	free(c->context);
	free(c);
}

/* Who has the clause frees it: finish_clause(), or the speculation that took it over. */
static struct dt_clause *clause_new(const struct dt_ecb *ecb, uint32_t epid)
{
	struct dt_clause *c = calloc(1, sizeof(*c));

	if (c) {
		c->ecb = ecb;
		c->epid = epid;
		c->last = &c->first;
	}
	return c;
}

/* ---- values of actions as bytes ---- */

/* The size comes from the type in the program, or from a value of it: too much of either is a fault. */
uint8_t *dt_run_room(struct dt_run *run, uint64_t len)
{
	uint8_t *p;

	if (len > DT_INTERP_RECMAX) {
		dt_interp_fault(run->ip, DT_FLT_BADSIZE, len);
		return NULL;
	}
	p = dt_interp_temp(run->ip, len);
	if (p)
		memset(p, 0, len);
	return p;
}

struct dt_bytes dt_run_words(struct dt_run *run, const uint64_t *w, uint32_t n)
{
	uint8_t *p = dt_run_room(run, n * 8ull);

	if (!p)
		return (struct dt_bytes){ 0 };
	memcpy(p, w, n * 8ull);
	return (struct dt_bytes){ p, n * 8 };
}

/*
 * A record of a string always has its full size; zeros follow the NUL. A null object of another type faults.
 */
struct dt_bytes dt_run_object(struct dt_run *run, const struct dt_diftype *t, uint64_t addr)
{
	bool string = t->kind == DT_DT_STRING, user = t->flags & DT_DTF_USERREF;
	/* a string of full length has its NUL after it */
	uint64_t size = string ? t->size + 1ull : t->size, len;
	uint8_t *p;

	if (!t->size)
		size = run->ip->opts.strsize;
	len = size;
	p = dt_run_room(run, size);

	if (!p)
		return (struct dt_bytes){ 0 };
	if (string) {
		len = 0;
		if (addr && !dt_interp_strlen(run->ip, addr, size - 1, user, &len))
			return (struct dt_bytes){ 0 };
	}
	if (!dt_interp_read(run->ip, addr, p, len, user))
		return (struct dt_bytes){ 0 };
	return (struct dt_bytes){ p, (uint32_t)size };
}

struct dt_bytes dt_bytes_by_type(struct dt_run *run, const struct dt_act *act, uint64_t value)
{
	const struct dt_diftype *t = act->difo ? &act->difo->rtype : NULL;
	uint8_t *p;

	if (!t)
		return (struct dt_bytes){ 0 };
	if (t->kind == DT_DT_STRING || (t->flags & (DT_DTF_REF | DT_DTF_USERREF) && t->size))
		return dt_run_object(run, t, value);
	if (t->size > 8) {
		dt_interp_fault(run->ip, DT_FLT_BADSIZE, t->size);
		return (struct dt_bytes){ 0 };
	}
	p = dt_run_room(run, 8);
	if (!p)
		return (struct dt_bytes){ 0 };
	memcpy(p, &value, 8);		/* little-endian: the low bytes are the value in its own size */
	return (struct dt_bytes){ p, t->size };
}

void dt_run_record(struct dt_run *run, struct dt_bytes b)
{
	struct dt_irec *r;

	if (run->ip->fault || run->dropped)
		return;
	r = calloc(1, sizeof(*r) + b.len);
	if (!r) {
		dt_interp_fault(run->ip, DT_FLT_NOSCRATCH, 0);
		return;
	}
	r->act = run->act;
	r->len = b.len;
	if (b.len)
		memcpy(r->data, b.p, b.len);
	*run->clause->last = r;
	run->clause->last = &r->next;
	run->clause->size += b.len;
}

/* ---- actions ---- */

static void act_tuple(struct dt_run *run, const struct dt_act *act, uint64_t value)
{
	struct dt_bytes b = dt_action_of(act)->bytes(run, act, value);

	if (!run->ip->fault)
		run->tuple[run->ntuple++] = (struct dt_tuplekey){
			.act = act, .value = value, .bytes = b.p, .len = b.len
		};
}

/* A checked program has a complete tuple. The tuple is used up, also after a fault. */
static void act_aggregate(struct dt_run *run, const struct dt_act *act)
{
	if (act->ntuple > run->ntuple)
		dt_interp_fault(run->ip, DT_FLT_ILLOP, 0);
	else
		dt_interp_aggregate(run->ip, act, run->tuple + run->ntuple - act->ntuple, act->ntuple);
	run->ntuple = 0;
}

static void act_plain(struct dt_run *run, const struct dt_act *act, uint64_t value)
{
	struct dt_bytes b = dt_action_of(act)->bytes(run, act, value);

	/* an expression without a value leaves nothing; other actions tell at least that they ran */
	if (!dt_act_is(act, DT_AF_IFVALUE) || b.len)
		dt_run_record(run, b);
}

/* The row of the action decides, except for entries of tuples and aggregating functions. */
static void act_do(struct dt_run *run, const struct dt_act *act)
{
	const struct dt_action *action = dt_action_of(act);
	uint64_t value = 0;

	if (act->difo) {
		value = dt_interp_exec(run->ip, act->difo);
		if (run->ip->fault)
			return;
	}
	if (act->in_tuple) {
		act_tuple(run, act, value);
		return;
	}
	if (DT_ACT_IS_AGG(act->kind)) {
		act_aggregate(run, act);
		return;
	}
	if (action->run)
		action->run(run, act, value);
	else
		act_plain(run, act, value);
}

/* ---- the clause ---- */

/* A speculation takes the clause over; else it is freed here. */
static void finish_clause(struct dt_run *run)
{
	struct dt_interp *ip = run->ip;
	struct dt_clause *c = run->clause;

	if (ip->fault || run->dropped) {
		if (ip->fault)
			dt_interp_clause_tell(ip, c, ip->context, true);
	} else if (run->spec) {
		dt_interp_spec_keep(ip, run->spec, c);
		return;
	} else {
		dt_interp_clause_tell(ip, c, ip->context, false);
	}
	dt_interp_clause_free(c);
}

/* A fault in a clause of ERROR is only counted: it must not make another one. */
static void fault_tell(struct dt_interp *ip, const struct dt_ecb *ecb, int act)
{
	if (ip->in_error)
		dt_interp_drop(ip, "error in ERROR probe enabling");
	else if (ip->sink.fault)
		ip->sink.fault(ip->sink.ctx, ecb, ip->epid, act, ip->fault_offset, ip->fault, ip->fault_addr);
}

static bool predicate_holds(struct dt_interp *ip, const struct dt_ecb *ecb)
{
	bool holds;

	if (!ecb->pred)
		return true;
	holds = dt_interp_exec(ip, ecb->pred) != 0;
	if (ip->fault)
		fault_tell(ip, ecb, -1);
	return holds;
}

/*
 * *act is the action that ran last. After exit() the clause ends where an arm of an if begins or ends, unless
 * that arm is skipped anyway.
 */
void dt_interp_clause(struct dt_interp *ip, const struct dt_ecb *ecb, uint32_t epid, int *act)
{
	struct dt_run run = { .ip = ip, .ecb = ecb };

	*act = -1;
	ip->epid = epid;
	ip->fault = DT_FLT_NONE;
	ip->fault_addr = 0;
	ip->fault_offset = -1;
	dt_interp_mem_reset(ip);
	if (!predicate_holds(ip, ecb))
		return;
	run.clause = clause_new(ecb, epid);
	run.tuple = calloc(ecb->nacts + 1ull, sizeof(*run.tuple));
	if (!run.clause || !run.tuple) {
		dt_interp_clause_free(run.clause);
		free(run.tuple);
		dt_interp_drop(ip, "principal");
		return;
	}
	for (run.act = 0; run.act < ecb->nacts && !ip->fault && !run.dropped; run.act++) {
		if (run.exited && !run.skip && dt_ecb_part(ecb, run.act))
			break;
		*act = (int)run.act;
		if (run.skip)
			run.skip--;
		else
			act_do(&run, &ecb->acts[run.act]);
	}
	free(run.tuple);
	finish_clause(&run);
	if (ip->fault)
		fault_tell(ip, ecb, *act);
}
