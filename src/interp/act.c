/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One clause of one firing: predicate, then its actions, then what they recorded is told, kept by a speculation, or
 * lost by a fault. Tuple actions before an aggregating action are evaluated and handed to it.
 */
#include "interp/state.h"

#include <stdlib.h>

struct run {				/* a clause while it runs */
	struct dt_interp *ip;
	const struct dt_ecb *ecb;
	struct dt_clause *clause;
	struct dt_tuplekey *tuple;	/* evaluated tuple actions, the newest last */
	uint32_t ntuple;
	uint32_t act;			/* the running action */
	uint64_t skip;			/* actions that a SKIPZ left out */
	uint32_t spec;			/* speculating into it, 0 no */
	bool dropped;			/* speculate() had nowhere to go, exit() came too late: nothing is recorded, nothing else runs */
	bool exited;			/* by this clause: no further arm of an if runs */
};

void dt_interp_clause_free(struct dt_clause *c)
{
	struct dt_rec *next;

	if (!c)
		return;
	for (struct dt_rec *r = c->first; r; r = next) {
		next = r->next;
		free(r);
	}
	free(c->context);
	free(c);
}

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

struct bytes { const uint8_t *p; uint32_t len; };

static uint8_t *room(struct run *run, uint64_t len)
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

static struct bytes words(struct run *run, const uint64_t *w, uint32_t n)
{
	uint8_t *p = room(run, n * 8ull);

	if (!p)
		return (struct bytes){ 0 };
	memcpy(p, w, n * 8ull);
	return (struct bytes){ p, n * 8 };
}

/* The object at `addr`; a null string is an empty one. */
static struct bytes object(struct run *run, const struct dt_diftype *t, uint64_t addr)
{
	bool string = t->kind == DT_DT_STRING, user = t->flags & DT_DTF_USERREF;
	uint64_t size = string ? t->size + 1ull : t->size, len;	/* a string of full length has its NUL behind it */
	uint8_t *p;

	if (!t->size)
		size = run->ip->opts.strsize;
	len = size;
	p = room(run, size);

	if (!p)
		return (struct bytes){ 0 };
	if (string) {
		len = 0;
		if (addr && !dt_interp_strlen(run->ip, addr, size - 1, user, &len))
			return (struct bytes){ 0 };
	}
	if (!dt_interp_read(run->ip, addr, p, len, user))
		return (struct bytes){ 0 };
	return (struct bytes){ p, (uint32_t)size };
}

static struct bytes by_type(struct run *run, const struct dt_diftype *t, uint64_t value)
{
	uint8_t *p;

	if (t->kind == DT_DT_STRING || (t->flags & (DT_DTF_REF | DT_DTF_USERREF) && t->size))
		return object(run, t, value);
	if (t->size > 8) {
		dt_interp_fault(run->ip, DT_FLT_BADSIZE, t->size);
		return (struct bytes){ 0 };
	}
	p = room(run, 8);
	if (!p)
		return (struct bytes){ 0 };
	memcpy(p, &value, 8);		/* little-endian: the low bytes are the value in its own size */
	return (struct bytes){ p, t->size };
}

/* Frames that are missing are 0; user stacks begin with the pid and end with room for `strsize` bytes of names. */
static struct bytes stack(struct run *run, const struct dt_act *act, bool user)
{
	const struct dt_context *c = run->ip->context;
	uint64_t frames = user ? act->arg & 0xffffffff : act->arg;
	uint64_t strsize = user ? act->arg >> 32 : 0, head = user ? 8 : 0, pid = c->pid;
	uint32_t have = user ? c->nustack : c->nstack;
	uint8_t *p;

	if (frames > DT_INTERP_RECMAX / 8) {
		dt_interp_fault(run->ip, DT_FLT_BADSIZE, frames);
		return (struct bytes){ 0 };
	}
	p = room(run, head + frames * 8 + strsize);
	if (!p)
		return (struct bytes){ 0 };
	memcpy(p, &pid, head);
	if (have > frames)
		have = (uint32_t)frames;
	if (have)
		memcpy(p + head, user ? c->ustack : c->stack, have * 8ull);
	return (struct bytes){ p, (uint32_t)(head + frames * 8 + strsize) };
}

/* `arg` bytes at the value, whatever its type says; without `arg` the type says how many. */
static struct bytes tracemem(struct run *run, const struct dt_act *act, uint64_t addr)
{
	struct dt_diftype t = act->difo->rtype;

	t.kind = DT_DT_CTF;
	if (act->arg)
		t.size = act->arg > UINT32_MAX ? UINT32_MAX : (uint32_t)act->arg;
	return object(run, &t, addr);
}

/* printm(): how many bytes, then `arg` bytes of room for them; the value is what memref() made. */
static struct bytes printm(struct run *run, const struct dt_act *act, uint64_t value)
{
	uint64_t ref[2], len;
	uint8_t *p;

	if (!dt_interp_read(run->ip, value, ref, sizeof(ref), false))
		return (struct bytes){ 0 };
	p = room(run, act->arg > DT_INTERP_RECMAX ? act->arg : act->arg + 8);
	if (!p)
		return (struct bytes){ 0 };
	len = ref[1] < act->arg ? ref[1] : act->arg;
	memcpy(p, &len, 8);
	if (!dt_interp_read(run->ip, ref[0], p + 8, len, false))
		return (struct bytes){ 0 };
	return (struct bytes){ p, (uint32_t)act->arg + 8 };
}

/* What the action records, or the key it makes. */
static struct bytes value_bytes(struct run *run, const struct dt_act *act, uint64_t value)
{
	uint64_t pair[2] = { run->ip->context->pid, value };

	switch (act->kind) {
	case DT_ACT_STACK: return stack(run, act, false);
	case DT_ACT_USTACK: case DT_ACT_JSTACK: return stack(run, act, true);
	case DT_ACT_SYM: case DT_ACT_MOD: return words(run, &value, 1);
	case DT_ACT_USYM: case DT_ACT_UMOD: case DT_ACT_UADDR: return words(run, pair, 2);
	}
	if (!act->difo)
		return (struct bytes){ 0 };
	switch (act->kind) {
	case DT_ACT_TRACEMEM: return tracemem(run, act, value);
	case DT_ACT_PRINTM: return printm(run, act, value);
	default: return by_type(run, &act->difo->rtype, value);
	}
}

static void record(struct run *run, struct bytes b)
{
	struct dt_rec *r;

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

static void act_tuple(struct run *run, const struct dt_act *act, uint64_t value)
{
	struct bytes b = value_bytes(run, act, value);

	if (!run->ip->fault)
		run->tuple[run->ntuple++] = (struct dt_tuplekey){ .act = act, .value = value, .bytes = b.p, .len = b.len };
}

static void act_aggregate(struct run *run, const struct dt_act *act)
{
	if (act->ntuple > run->ntuple)
		dt_interp_fault(run->ip, DT_FLT_ILLOP, 0);
	else
		dt_interp_aggregate(run->ip, act, run->tuple + run->ntuple - act->ntuple, act->ntuple);
	run->ntuple = 0;
}

static void act_skipz(struct run *run, const struct dt_act *act, uint64_t value)
{
	uint8_t byte = value != 0;

	record(run, (struct bytes){ &byte, 1 });
	if (!value)
		run->skip = act->arg;
}

static void act_exit(struct run *run, uint64_t value)
{
	int32_t status = (int32_t)value;

	if (run->ip->exited && !run->ip->in_end) {
		run->dropped = true;
		return;
	}
	run->ip->exited = true;
	run->ip->exit_status = status;
	run->exited = !run->ip->in_end && !run->ip->in_error;
	record(run, (struct bytes){ (const uint8_t *)&status, 4 });
}

/* Where there is no room the clause ends too, but how much it would record is not known here: finish() finds that out. */
static void act_speculate(struct run *run, uint32_t id)
{
	if (dt_interp_spec_active(run->ip, id))
		run->spec = id;
	else
		run->dropped = true;
}

static void act_plain(struct run *run, const struct dt_act *act, uint64_t value)
{
	struct bytes b = value_bytes(run, act, value);

	/* an expression without value leaves nothing; of other actions the fact itself is news */
	if (act->kind != DT_ACT_DIFEXPR || b.len)
		record(run, b);
}

static void act_do(struct run *run, const struct dt_act *act)
{
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
	switch (act->kind) {
	case DT_ACT_NONE: break;
	case DT_ACT_SKIPZ: act_skipz(run, act, value); break;
	case DT_ACT_EXIT: act_exit(run, value); break;
	case DT_ACT_SPECULATE: act_speculate(run, (uint32_t)value); break;
	case DT_ACT_COMMIT: dt_interp_spec_commit(run->ip, (uint32_t)value); break;
	case DT_ACT_DISCARD: dt_interp_spec_discard(run->ip, (uint32_t)value); break;
	default: act_plain(run, act, value); break;
	}
}

/* ---- the clause ---- */

static void finish(struct run *run)
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

void dt_interp_clause(struct dt_interp *ip, const struct dt_ecb *ecb, uint32_t epid, int *act)
{
	struct run run = { .ip = ip, .ecb = ecb };

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
	finish(&run);
	if (ip->fault)
		fault_tell(ip, ecb, *act);
}
