/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Speculations: numbered from 1 to nspec, inactive until speculation() returns one. A clause that
 * speculates leaves its records here. commit() reports them as if their probes had fired now, discard()
 * drops them; both free the number, and ignore a number that is not active; one that can never be active is
 * a fault there. speculate() of any number that is not active loses the rest of its clause silently.
 */
#include "interp/state.h"

#include <stdlib.h>

void dt_interp_drop(struct dt_interp *ip, const char *kind)
{
	if (ip->sink.drop)
		ip->sink.drop(ip->sink.ctx, kind);
}

/* A clause that faulted shows that it began and ended, but no records. */
void dt_interp_clause_tell(struct dt_interp *ip, const struct dt_clause *c, const struct dt_context *context,
    bool faulted)
{
	const struct dt_interp_sink *s = &ip->sink;

	if (s->begin)
		s->begin(s->ctx, c->ecb, c->epid, context);
	for (const struct dt_irec *r = faulted ? NULL : c->first; r && s->record; r = r->next)
		s->record(s->ctx, c->ecb, r->act, r->data, r->len);
	if (s->end)
		s->end(s->ctx, c->ecb, faulted);
}

/*
 * The lowest number that is free, as in the kernel. 0 is not a speculation: commit() and discard() ignore it.
 */
int dt_interp_speculation(struct dt_interp *ip)
{
	for (uint32_t i = 0; i < ip->opts.nspec; i++) {
		struct dt_spec *s = &ip->specs[i];

		if (!s->active) {
			*s = (struct dt_spec){ .active = true };
			s->last = &s->first;
			return (int)i + 1;
		}
	}
	dt_interp_drop(ip, "failed speculation");
	return 0;
}

bool dt_interp_spec_active(struct dt_interp *ip, uint32_t id)
{
	return id > 0 && id <= ip->opts.nspec && ip->specs[id - 1].active;
}

/*
 * A copy that outlives the firing, in one allocation: names of the probe, numbers and times. Nothing in it
 * points anywhere else: each member that is a pointer must be cleared here.
 */
static struct dt_context *context_copy(const struct dt_context *c)
{
	const char *part[4] = { c->probe.prov, c->probe.mod, c->probe.func, c->probe.name }, *copy[4];
	size_t len = 0;
	struct dt_context *to;
	char *p;

	for (int i = 0; i < 4; i++)
		len += part[i] ? strlen(part[i]) + 1 : 1;
	to = calloc(1, sizeof(*to) + len);
	if (!to)
		return NULL;
	*to = *c;
	p = (char *)(to + 1);
	for (int i = 0; i < 4; i++) {
		copy[i] = p;
		p = stpcpy(p, part[i] ? part[i] : "") + 1;
	}
	to->probe.prov = copy[0];
	to->probe.mod = copy[1];
	to->probe.func = copy[2];
	to->probe.name = copy[3];
	to->cwd = to->root = to->zonename = to->threadname = to->execargs = NULL;
	to->stack = to->ustack = to->uregs = to->files = NULL;
	to->nstack = to->nustack = to->nuregs = to->nfiles = to->nancestors = to->npaths = to->nregions = 0;
	to->ancestors = NULL;
	to->paths = NULL;
	to->regions = NULL;
	to->given = NULL;
	to->ngiven = 0;
	return to;
}

/* Takes over the clause; it is freed if the speculation has no room for it. */
void dt_interp_spec_keep(struct dt_interp *ip, uint32_t id, struct dt_clause *c)
{
	struct dt_spec *s = &ip->specs[id - 1];

	if (s->active && c->size <= ip->opts.specsize - s->size)
		c->context = context_copy(ip->context);
	if (!c->context) {
		if (s->active)
			dt_interp_drop(ip, "speculative");
		dt_interp_clause_free(c);
		return;
	}
	s->size += c->size;
	*s->last = c;
	s->last = &c->next;
}

/* The clauses are reported in the order in which they ran; then the number is free. */
static void finish_speculation(struct dt_interp *ip, uint32_t id, bool report)
{
	struct dt_clause *next;
	struct dt_spec *s;

	if (id > ip->opts.nspec)
		dt_interp_fault(ip, DT_FLT_ILLOP, 0);
	if (!dt_interp_spec_active(ip, id))
		return;
	s = &ip->specs[id - 1];
	for (struct dt_clause *c = s->first; c; c = next) {
		next = c->next;
		if (report)
			dt_interp_clause_tell(ip, c, c->context, false);
		dt_interp_clause_free(c);
	}
	*s = (struct dt_spec){ 0 };
}

void dt_interp_spec_commit(struct dt_interp *ip, uint32_t id) { finish_speculation(ip, id, true); }
void dt_interp_spec_discard(struct dt_interp *ip, uint32_t id) { finish_speculation(ip, id, false); }
