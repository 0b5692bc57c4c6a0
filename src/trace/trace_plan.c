/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The plan that an engine is given: all hooks that were sorted so far (hooks.c). A graft makes a longer one
 * while tracing.
 */
#include "trace/build.h"

#include <errno.h>
#include <stdio.h>

/* Everything that is enabled, for the engine; it lives as long as the trace. */
const struct dt_plan *dt_gobuild_plan(struct dt_gobuild *b)
{
	struct dt_plan *plan = DT_NEW(b->t->arena, struct dt_plan);
	struct dt_plan_hook *hooks = DT_NEWN(b->t->arena, struct dt_plan_hook, b->hooks.n + 1);
	struct dt_attach *attach = DT_NEWN(b->t->arena, struct dt_attach, b->hooks.n + 1);

	for (size_t i = 0; i < b->hooks.n; i++) {
		dt_gobuild_plan_hook(b, b->hooks.v[i], &hooks[i]);
		dt_gobuild_attach(b, b->hooks.v[i], &attach[i]);
	}
	*plan = (struct dt_plan){ .opts = &b->opts, .progs = b->t->progs.v, .nprogs = (uint32_t)b->t->progs.n,
		.hooks = hooks, .attach = attach, .nhooks = (uint32_t)b->hooks.n };
	return plan;
}

/* BEGIN and END are run by their numbers. */
void dt_gobuild_ends(struct dt_gobuild *b)
{
	for (size_t i = 0; i < b->hooks.n; i++) {
		const struct dt_bhook *k = b->hooks.v[i];

		if (k->hook.kind == DT_HOOK_RUN && strcmp(k->en.v[0].name, "BEGIN") == 0)
			b->t->begin = (uint32_t)i;
		if (k->hook.kind == DT_HOOK_RUN && strcmp(k->en.v[0].name, "END") == 0)
			b->t->end = (uint32_t)i;
	}
}

/* The consumer finds a clause by its epid. A graft makes a longer list; the old one stays in the arena. */
void dt_trace_index(struct dt_trace *t)
{
	t->ecbs = DT_NEWN(t->arena, const struct dt_ecb *, t->enabled.n + 1);
	for (size_t i = 0; i < t->enabled.n; i++)
		t->ecbs[i] = t->enabled.v[i].ecb;
}

/*
 * Builds all hooks again, so that everything lies where it did, with the new ones after them; only the
 * programs of the new ones are loaded. A failure leaves the engine as it was.
 */
int dt_trace_graft(struct dt_trace *t, char *msg, size_t len)
{
	struct dt_gobuild *b = t->build;
	uint32_t first = (uint32_t)b->hooks.n;
	int err;

	b->generation++;
	if (dt_gobuild_hooks(b) != 0) {
		b->done = t->enabled.n;
		snprintf(msg, len, "%s", dtrace_errmsg(b->h, dtrace_errno(b->h)));
		return -EINVAL;
	}
	err = t->ops->replan(t->engine, dt_gobuild_plan(b), msg, len);
	if (err != 0)
		return err;
	dt_trace_index(t);
	err = dt_consumer_extend(t->consumer, dt_trace_layouts(t), t->ecbs, (uint32_t)t->enabled.n);
	return err != 0 ? err : t->ops->graft(t->engine, first, msg, len);
}
