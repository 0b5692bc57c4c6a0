/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Programs meet probes: matching, listing, and the list of what dtrace_go() is to bring to life.
 */
#include "dif/builtin.h"
#include "handle/entry.h"
#include "kernel/rights.h"
#include "trace/trace.h"
#include "trace/trace_procs.h"

#include "provider/provider.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

struct enabling { struct dt_trace *t; const struct dt_ecb *ecb; const struct dt_prog *prog; };

/* Enablings are numbered in the order of the programs: the epid is the place in the list, from 1. */
static int enable_one(void *ctx, const struct dt_probe *p)
{
	struct enabling *e = ctx;
	struct dt_enabled en = { p, e->ecb, e->prog, (uint32_t)e->t->enabled.n + 1, NULL };

	dt_vec_push(e->t->arena, &e->t->enabled, en);
	if (p->never != NULL)
		dt_handle_remark(e->t->h, dt_arena_printf(e->t->arena, "%s:%s:%s:%s never fires: %s", p->prov,
		    p->mod, p->func, p->name, p->never));
	return 0;
}

/* The description as the user wrote it, for messages. */
static const char *description_text(const struct dt_probedesc *d, char *buf, size_t len)
{
	if (d->id != 0)
		snprintf(buf, len, "%u", d->id);
	else
		snprintf(buf, len, "%s:%s:%s:%s", d->prov, d->mod, d->func, d->name);
	return buf;
}

/* A clause that matches nothing is an error, with the provider's reason and the nearest name. */
static int no_match(struct dtrace_hdl *h, const struct dt_probedesc *d, const char *why)
{
	char text[1024];

	why = dt_handle_reason(h, d, why);
	description_text(d, text, sizeof(text));
	return dt_handle_errorf(h, EDT_NOPROBE, "probe description %s does not match any probes%s%s", text,
	    why != NULL ? ": " : "", why != NULL ? why : "");
}

/*
 * A description that names many probes may leave out some that cannot be traced: that is a notice, not an
 * error.
 */
static void note_left_out(struct dt_trace *t, const struct dt_probedesc *d)
{
	const char *text = d->id == 0 ? dt_probes_left_out(&t->h->probes, d) : NULL;

	if (text != NULL)
		dt_handle_note(t->h, text);
}

/* Says what an empty name means where it means two things. */
static void note_nameless(struct dt_trace *t, const struct dt_probedesc *d)
{
	if (d->id != 0 || d->name[0] != '\0')
		return;
	for (const struct dt_provider *const *at = dt_providers, *row; (row = *at) != NULL; at++)
		if (row->nameless[0] != NULL && row->wants(&t->h->probes, d))
			dt_handle_note(t->h, dt_arena_printf(t->arena, "%s:%s:%s: means %s", d->prov, d->mod,
			    d->func, row->nameless[dt_part_literal(d->func)]));
}

/* Says that a module or function of another system was passed over. */
static void remark_history(struct dt_trace *t, const struct dt_probedesc *d)
{
	if (t->h->probes.by_history)
		dt_handle_remark(t->h, dt_arena_printf(t->arena,
		    "%s:%s:%s:%s is where another system has the probe; here it means %s:::%s", d->prov,
		    d->mod, d->func, d->name, d->prov, d->name));
}

/* Enables each clause on all probes it matches. Stops at the first error; the caller takes the rest back. */
static int enable_clauses(dtrace_hdl_t *h, dtrace_prog_t *p, unsigned *matches)
{
	bool zdefs = dt_options_on(&h->options, DT_OPT_zdefs) || (p->cflags & DTRACE_C_ZDEFS);
	struct dt_trace *t = h->trace;

	for (uint32_t i = 0; i < p->prog->necbs; i++) {
		struct enabling e = { t, &p->prog->ecbs[i], p->prog };
		const char *why = NULL;
		int n = dt_handle_match(h, &e.ecb->probe, enable_one, &e, &why);

		if (n < 0)
			return dt_handle_error(h, -n);
		if (n == 0 && !zdefs)
			return no_match(h, &e.ecb->probe, why);
		if (n > 0) {
			remark_history(t, &e.ecb->probe);
			note_left_out(t, &e.ecb->probe);
			note_nameless(t, &e.ecb->probe);
		}
		dt_debug(h, "%s:%s:%s:%s matches %d probes", e.ecb->probe.prov, e.ecb->probe.mod,
		    e.ecb->probe.func, e.ecb->probe.name, n);
		*matches += (unsigned)n;
		dt_later_retain(t, e.ecb, p->prog, zdefs);
	}
	dt_vec_push(t->arena, &t->progs, p->prog);
	return 0;
}

static int try_enable(dtrace_hdl_t *h, dtrace_prog_t *p, unsigned *matches)
{
	DT_PUBLIC(h, -1, enable_clauses(h, p, matches));
}

/* All clauses or none: what was enabled before the one that fails is taken back. */
int dtrace_program_exec(dtrace_hdl_t *h, dtrace_prog_t *p, dtrace_proginfo_t *info)
{
	size_t enabled, retained;
	const char *notice;
	unsigned matches = 0;

	if (p == NULL)
		return dt_handle_error(h, EINVAL);
	if (h->trace->state != DT_TRACE_IDLE)
		return dt_handle_error(h, EDT_ACTIVE);
	enabled = h->trace->enabled.n;
	retained = h->trace->retained.n;
	notice = h->notice;
	if (try_enable(h, p, &matches) != 0) {
		h->trace->enabled.n = enabled;
		h->trace->retained.n = retained;
		h->notice = notice;
		return -1;
	}
	if (info != NULL) {
		dtrace_program_info(h, p, info);
		info->dpi_matches = matches;
	}
	return 0;
}

/* ---- listing ---- */

struct iteration { dtrace_hdl_t *h; dtrace_probe_f *f; void *arg; int rv; bool kernel; };

/* Without rights only the kernel could have it; system calls and samples are those of -p and -c. */
static bool needs_kernel(const dtrace_hdl_t *h, enum dt_hook_kind kind)
{
	if (!(dt_hook_where(kind) & DT_IN_PROCESS))
		return true;
	return (dt_hook_is_syscall(kind) || kind == DT_HOOK_PERF) && dt_procs_pid(h, 0) == 0;
}

/* Callers of dtrace_probe_iter() may stop by returning something else than 0, which the iteration returns. */
static int visit_probe(void *ctx, const struct dt_probe *p)
{
	struct iteration *it = ctx;
	dtrace_probedesc_t d;

	dt_handle_desc(&d, p->id, p->prov, p->mod, p->func, p->name);
	it->kernel |= needs_kernel(it->h, p->hook.kind);
	it->rv = it->f(it->h, &d, it->arg);
	return it->rv != 0 ? -ECANCELED : 0;
}

/* Probes can be listed by those who cannot enable them. */
static void note_rights(dtrace_hdl_t *h)
{
	if (dt_trace_permitted() == -EPERM)
		dt_handle_note(h, dt_arena_printf(h->kept, "probes of the kernel are listed as far as this "
		    "user can read their lists; to enable them, %s", dt_rights_why_refused()));
}

/*
 * The body of dtrace_probe_iter(). `listing` tells providers that probes are shown one by one, not
 * enabled.
 */
static int iterate_probes(dtrace_hdl_t *h, const dtrace_probedesc_t *pat, dtrace_probe_f *f, void *arg)
{
	struct dt_probedesc all = { "", "", "", "", 0 };
	struct iteration it = { h, f, arg, 0, false };
	const char *why = NULL;
	int n;

	if (pat != NULL)
		all = (struct dt_probedesc){ pat->dtpd_provider, pat->dtpd_mod, pat->dtpd_func,
		    pat->dtpd_name, pat->dtpd_id };
	h->probes.listing = true;
	n = dt_handle_match(h, &all, visit_probe, &it, &why);
	h->probes.listing = false;
	if (it.kernel)
		note_rights(h);
	if (it.rv != 0)
		return it.rv;
	if (n < 0)
		return dt_handle_error(h, -n);
	if (n == 0)
		why = dt_handle_reason(h, &all, why);
	if (n == 0 && why != NULL)
		return dt_handle_errorf(h, EDT_NOPROBE, "No probe matches description: %s", why);
	return n == 0 ? dt_handle_error(h, EDT_NOPROBE) : 0;
}

int dtrace_probe_iter(dtrace_hdl_t *h, const dtrace_probedesc_t *pat, dtrace_probe_f *f, void *arg)
{
	DT_PUBLIC(h, -1, iterate_probes(h, pat, f, arg));
}

/* Ids are those given out so far: listing or enabling a probe gives it one. */
int dtrace_id2desc(dtrace_hdl_t *h, dtrace_id_t id, dtrace_probedesc_t *d)
{
	const struct dt_probe *p = dt_probes_by_id(&h->probes, id);

	if (d == NULL)
		return dt_handle_error(h, EINVAL);
	if (p == NULL)
		return dt_handle_error(h, EDT_BADID);
	dt_handle_desc(d, p->id, p->prov, p->mod, p->func, p->name);
	return 0;
}
