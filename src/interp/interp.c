/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The interpreter from the outside: created for a checked program, fired with contexts, then asked for
 * what is left. It keeps no pointer into a context after the call.
 */
#include "interp/state.h"

#include <stdlib.h>

/* Limits for options of hostile test input. */
#define STRSIZE_MAX (1u << 20)
#define SCRATCH_MAX (1u << 28)
#define NSPEC_MAX 65536u
#define ERROR_PROBE_ID 3		/* BEGIN, END and ERROR are 1, 2, 3 */

const struct dt_context *dt_interp_context(const struct dt_interp *ip) { return ip->context; }
const struct dt_interp_opts *dt_interp_options(const struct dt_interp *ip) { return &ip->opts; }
uint32_t dt_interp_epid(const struct dt_interp *ip) { return ip->epid; }

/* ---- making: an interpreter that was only half made can be freed ---- */

/* 0 means the default; too much is cut to the maximum. */
static uint64_t option_value(uint64_t value, uint64_t standard, uint64_t max)
{
	if (!value)
		value = standard;
	return value > max ? max : value;
}

static struct dt_interp_opts option_values(const struct dt_interp_opts *o)
{
	struct dt_interp_opts r = o ? *o : (struct dt_interp_opts){ 0 };

	r.strsize = (uint32_t)option_value(r.strsize, 256, STRSIZE_MAX);
	r.scratchsize = (uint32_t)option_value(r.scratchsize, 16ull * r.strsize, SCRATCH_MAX);
	r.strsize++;	/* inside, it counts the NUL */
	r.scratchsize = (r.scratchsize + 7) & ~7u;
	r.dynvarsize = option_value(r.dynvarsize, 1u << 20, UINT64_MAX);
	r.nspec = r.nspec == DT_INTERP_NSPEC_NONE ? 0 : (uint32_t)option_value(r.nspec, 1, NSPEC_MAX);
	r.specsize = option_value(r.specsize, 32u << 10, UINT64_MAX);
	return r;
}

/* Sorted, so that dt_interp_difo_index() can search. */
static int by_pointer(const void *a, const void *b)
{
	uintptr_t x = (uintptr_t) * (const struct dt_difo *const *)a,
		  y = (uintptr_t) * (const struct dt_difo *const *)b;

	return x < y ? -1 : x > y;
}

/* Calls f for every DIFO of the program. */
static bool each_difo(struct dt_interp *ip, bool (*f)(struct dt_interp *, const struct dt_difo *))
{
	for (uint32_t i = 0; i < ip->prog->necbs; i++) {
		const struct dt_ecb *e = &ip->prog->ecbs[i];

		if (e->pred && !f(ip, e->pred))
			return false;
		for (uint32_t j = 0; j < e->nacts; j++) {
			if (e->acts[j].difo && !f(ip, e->acts[j].difo))
				return false;
		}
	}
	return true;
}

static bool difo_count(struct dt_interp *ip, const struct dt_difo *difo)
{
	(void)difo;
	return ++ip->ndifos < 1u << 24;		/* the index is 24 bits of a string's address */
}

/*
 * One DIFO may be noted several times, as clauses share them: any of its places serves, and declaring it
 * again changes nothing.
 */
static bool difo_note(struct dt_interp *ip, const struct dt_difo *difo)
{
	ip->difos[ip->ndifos++] = difo;
	return dt_interp_declare(ip, difo);
}

/* Two passes over the program: the first counts its DIFOs, the second enters them and their variables. */
static bool init_program(struct dt_interp *ip)
{
	ip->scratch = calloc(1, ip->opts.scratchsize);
	ip->specs = calloc(ip->opts.nspec + 1u, sizeof(*ip->specs));
	if (!ip->scratch || !ip->specs)
		return false;
	if (!ip->prog)
		return true;
	if (!each_difo(ip, difo_count))
		return false;
	ip->difos = calloc(ip->ndifos + 1ull, sizeof(*ip->difos));
	ip->ndifos = 0;
	if (!ip->difos || !each_difo(ip, difo_note))
		return false;
	qsort(ip->difos, ip->ndifos, sizeof(*ip->difos), by_pointer);
	return true;
}

struct dt_interp *dt_interp_new(const struct dt_prog *prog, const struct dt_interp_opts *opts,
    const struct dt_interp_sink *sink)
{
	struct dt_interp *ip = calloc(1, sizeof(*ip));

	if (!ip)
		return NULL;
	ip->prog = prog;
	ip->opts = option_values(opts);
	if (sink)
		ip->sink = *sink;
	if (!init_program(ip)) {
		dt_interp_free(ip);
		return NULL;
	}
	return ip;
}

/* Speculations need the options and specs, so these go last. Discarding reports nothing. */
void dt_interp_free(struct dt_interp *ip)
{
	if (!ip)
		return;
	dt_interp_mem_reset(ip);
	dt_interp_mem_fire(ip);
	dt_interp_vars_free(ip);
	dt_tab_clear(&ip->aggs);
	for (uint32_t i = 0; ip->specs && i < ip->opts.nspec; i++)
		dt_interp_spec_discard(ip, i + 1);
	free(ip->specs);
	free(ip->difos);
	free(ip->buffer);
	free(ip->scratch);
	free(ip);
}

/* ---- firing ---- */

/* What belongs to the firing that a fault interrupts, saved while ERROR fires. */
struct firing {
	const struct dt_context *context;
	char *texts[DT_INTERP_TEXTS];
	struct dt_strtok tok;
	bool uregs_changed;
	uint64_t uregs[DT_INTERP_UREGS];
	void *locals;
};

/*
 * Starts a firing inside a firing. What lives as long as the outer one is set aside; scratch is not, since
 * the clause that faulted needs it no more.
 */
static void firing_push(struct dt_interp *ip, struct firing *f, const struct dt_context *context)
{
	f->context = ip->context;
	memcpy(f->texts, ip->texts, sizeof(f->texts));
	f->tok = ip->tok;
	f->uregs_changed = ip->uregs_changed;
	memcpy(f->uregs, ip->uregs, sizeof(f->uregs));
	f->locals = dt_interp_locals_save(ip);
	memset(ip->texts, 0, sizeof(ip->texts));
	ip->tok = (struct dt_strtok){ 0 };
	ip->uregs_changed = false;
	ip->context = context;
	dt_interp_locals_zero(ip);
}

/* The texts and tokens of the inner firing are freed before those of the outer one come back. */
static void firing_pop(struct dt_interp *ip, struct firing *f)
{
	dt_interp_mem_fire(ip);
	memcpy(ip->texts, f->texts, sizeof(f->texts));
	ip->tok = f->tok;
	ip->uregs_changed = f->uregs_changed;
	memcpy(ip->uregs, f->uregs, sizeof(f->uregs));
	ip->context = f->context;
	dt_interp_locals_restore(ip, f->locals);
}

static void run_clauses(struct dt_interp *);

/* Fires dtrace:::ERROR for the fault in the clause that ran last; faults inside ERROR fire nothing. */
static void fire_error(struct dt_interp *ip, int act)
{
	struct dt_context context = *ip->context;
	struct firing outer;

	if (ip->in_error)
		return;
	context.probe = (struct dt_probedesc){
		.prov = "dtrace", .mod = "", .func = "", .name = "ERROR", .id = ERROR_PROBE_ID
	};
	context.probe_id = ERROR_PROBE_ID;
	memset(context.arg, 0, sizeof(context.arg));
	context.arg[1] = ip->epid;
	context.arg[2] = (uint64_t)(act + 1);	/* actions count from 1; 0 is the predicate */
	context.arg[3] = (uint64_t)(int64_t)ip->fault_offset;
	context.arg[4] = ip->fault;
	context.arg[5] = ip->fault_addr;
	ip->in_error = true;
	firing_push(ip, &outer, &context);
	run_clauses(ip);
	firing_pop(ip, &outer);
	ip->in_error = false;
}

/* Runs the matching clauses in program order. After exit() only END and ERROR go on. */
static void run_clauses(struct dt_interp *ip)
{
	struct dt_probedesc probe = ip->context->probe;

	if (!probe.id)
		probe.id = ip->context->probe_id;
	for (uint32_t i = 0; ip->prog && i < ip->prog->necbs; i++) {
		int act = -1;

		if (ip->exited && !ip->in_end && !ip->in_error)
			break;
		if (!dt_probe_match(&ip->prog->ecbs[i].probe, &probe))
			continue;
		dt_interp_clause(ip, &ip->prog->ecbs[i], i + 1, &act);
		if (ip->fault)
			fire_error(ip, act);
	}
}

/* Texts, strtok()'s state and clause-locals live for one firing, scratch for one clause. */
int dt_interp_fire(struct dt_interp *ip, const struct dt_context *context)
{
	ip->context = context;
	ip->in_end = context->probe.prov && context->probe.name &&
	    strcmp(context->probe.prov, "dtrace") == 0 && strcmp(context->probe.name, "END") == 0;
	dt_interp_mem_fire(ip);
	dt_interp_locals_zero(ip);
	run_clauses(ip);
	dt_interp_mem_reset(ip);
	dt_interp_mem_fire(ip);
	ip->context = NULL;
	ip->difo = NULL;
	return ip->exited ? ip->exit_status : -1;
}

/* Nothing is freed at the end: the caller may read what the value points to. */
uint64_t dt_interp_run(struct dt_interp *ip, const struct dt_context *context, const struct dt_difo *difo,
    enum dt_fault *fault, int *offset, uint64_t *addr)
{
	uint64_t value = 0;

	ip->context = context;
	ip->epid = 0;
	ip->fault = DT_FLT_NONE;
	ip->fault_addr = 0;
	ip->fault_offset = -1;
	dt_interp_mem_reset(ip);
	dt_interp_mem_fire(ip);
	if (dt_interp_declare(ip, difo)) {
		dt_interp_locals_zero(ip);
		value = dt_interp_exec(ip, difo);
	} else {
		dt_interp_fault(ip, DT_FLT_NOSCRATCH, 0);
	}
	if (fault)
		*fault = ip->fault;
	if (offset)
		*offset = ip->fault_offset;
	if (addr)
		*addr = ip->fault_addr;
	return value;
}
