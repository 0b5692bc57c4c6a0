/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What an executor tells while a program runs, as the text that dtrace would print: records, faults, drops.
 * What a statement would do to the system is only told.
 */
#include "run.h"

#include <inttypes.h>

static void op_setopt(void *ctx, const char *name, const char *value)
{
	struct run *r = ctx;

	if (strcmp(name, "quiet") == 0)
		r->popts.quiet = true;
	if (dtrace_setopt(r->hdl, name, value) != 0)
		dt_out_printf(&r->out, "dtrace: couldn't set option \"%s\" to \"%s\": %s\n", name,
		    value ? value : "1", dtrace_errmsg(r->hdl, dtrace_errno(r->hdl)));
}

static void op_system(void *ctx, const char *command)
{
	dt_out_printf(&((struct run *)ctx)->out, "system: %s\n", command);
}

static void op_freopen(void *ctx, const char *name)
{
	dt_out_printf(&((struct run *)ctx)->out, "freopen: %s\n", name);
}

static void op_exit(void *ctx, int status)
{
	((struct run *)ctx)->status = status;
}

static const struct dt_type *op_type(void *ctx, const char *name)
{
	dtrace_typeinfo_t info;

	return dtrace_type_strcompile(((struct run *)ctx)->hdl, name, &info) == 0 ? info.dtt_type : NULL;
}

/* Destructive actions are only told. */
static void op_other(void *ctx, const struct dt_rec *rec)
{
	struct dt_out *out = &((struct run *)ctx)->out;

	switch (rec->act->kind) {
	case DT_ACT_STOP: dt_out_str(out, "stop"); return;
	case DT_ACT_RAISE: dt_out_printf(out, "raise %" PRId64, dt_rec_int(rec)); return;
	case DT_ACT_CHILL: dt_out_printf(out, "chill %" PRId64, dt_rec_int(rec)); return;
	case DT_ACT_PANIC: dt_out_str(out, "panic"); return;
	case DT_ACT_BREAKPOINT: dt_out_str(out, "breakpoint"); return;
	}
}

static void tell_begin(void *ctx, const struct dt_ecb *ecb, uint32_t epid, const struct dt_context *c)
{
	struct run *r = ctx;

	(void)ecb;
	(void)epid;
	r->recs.n = 0;
	r->clause = c;
}

static void tell_record(void *ctx, const struct dt_ecb *ecb, uint32_t act, const void *data, size_t len)
{
	struct run *r = ctx;
	struct dt_rec rec = { &ecb->acts[act], dt_arena_alloc(r->arena, len + 1), len };

	if (rec.act->kind == DT_ACT_SKIPZ)
		return;
	memcpy((void *)rec.data, data, len);
	if (r->places && (rec.act->kind == DT_ACT_STACK || rec.act->kind == DT_ACT_USTACK ||
	    rec.act->kind == DT_ACT_JSTACK))
		/* a told stack is not ours: only that one is there counts */
		memset((void *)rec.data, 0, len);
	dt_vec_push(r->arena, &r->recs, rec);
}

static void tell_end(void *ctx, const struct dt_ecb *ecb, bool faulted)
{
	struct run *r = ctx;
	const struct dt_probedesc *p = &r->clause->probe;
	char name[512];

	if (faulted || (r->recs.n == 0 && !dt_ecb_is_default(ecb)))
		return;
	snprintf(name, sizeof(name), "%s:%s", p->func, p->name);
	if (!r->popts.quiet)
		dt_out_printf(&r->out, "%32s ", name);
	dt_statements_print(&r->statements, r->recs.v, r->recs.n);
	if (!r->popts.quiet)
		dt_out_str(&r->out, "\n");
}

static void tell_fault(void *ctx, const struct dt_ecb *ecb, uint32_t epid, int act, int offset,
    enum dt_fault fault, uint64_t addr)
{
	struct run *r = ctx;
	const struct dt_context *c = r->firing;

	(void)ecb;
	dt_out_printf(&r->out, "dtrace: error on enabled probe ID %u (ID %u: %s:%s:%s:%s): %s", epid,
	    c->probe_id, c->probe.prov, c->probe.mod, c->probe.func, c->probe.name, dt_fault_text(fault));
	/* where executors keep their own things differs */
	if ((fault == DT_FLT_BADADDR || fault == DT_FLT_BADALIGN || fault == DT_FLT_BADSTACK) &&
	    (!r->places || addr >> 47 == 0))
		dt_out_printf(&r->out, " (0x%" PRIx64 ")", addr);
	if (act < 0)
		dt_out_str(&r->out, " in predicate");
	else
		dt_out_printf(&r->out, " in action #%d", act + 1);
	if (offset >= 0)
		dt_out_printf(&r->out, " at DIF offset %d", offset);
	dt_out_str(&r->out, "\n");
}

static void tell_drop(void *ctx, const char *kind)
{
	struct run *r = ctx;
	bool spec = strcmp(kind, "failed speculation") == 0;
	const char *tail = spec ? " (no speculative buffer available)" : strstr(kind, "error") ? "" : " drop";
	char *line = dt_arena_printf(r->arena, "dtrace: 1 %s%s\n", kind, tail);

	if (r->places)			/* the kernel counts them: they are told when the firing is over */
		dt_vec_push(r->arena, &r->lines, line);
	else
		dt_out_str(&r->out, line);
}

struct dt_interp_sink run_sink(struct run *r)
{
	return (struct dt_interp_sink){ r, tell_begin, tell_record, tell_end, tell_fault, tell_drop };
}

struct dt_statement_ops run_statement_ops(struct run *r)
{
	return (struct dt_statement_ops){ .ctx = r, .rows = run_rows, .clear = run_clear, .trunc = run_trunc,
		.normalize = run_normalize, .setopt = op_setopt, .system = op_system, .freopen = op_freopen,
		.exit = op_exit, .type = op_type, .other = op_other };
}
