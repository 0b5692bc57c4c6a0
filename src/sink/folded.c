/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Collapsed stacks (doc/FORMATS.md): one line for each, root first, frames joined by semicolons, a blank and
 * the count. All of them are written at the end, sorted as text, so that two files can be compared.
 */
#include "sink/stacks.h"

#include <stdlib.h>

static int by_path(const void *a, const void *b)
{
	const struct dt_stack *x = *(struct dt_stack *const *)a, *y = *(struct dt_stack *const *)b;
	int c = strcmp(x->path, y->path);

	return c != 0 ? c : (int)x->source - (int)y->source;
}

void dt_stacks_sort(struct dt_stacks *s)
{
	if (s->list.n > 0)
		qsort(s->list.v, s->list.n, sizeof(*s->list.v), by_path);
}

/* Readers take positive numbers only: a stack that counted nothing has no line. */
void dt_stacks_fold(struct dt_stacks *s, struct dt_out *o)
{
	uint32_t line = 0;

	dt_stacks_sort(s);
	for (size_t i = 0; i < s->list.n; i++) {
		struct dt_stack *stack = s->list.v[i];

		if (dt_stack_count(stack) <= 0)
			continue;
		stack->line = line++;
		if (s->sources.n > 1)
			dt_out_printf(o, "@%s;", s->sources.v[stack->source].name);
		dt_out_str(o, stack->path);
		dt_out_str(o, " ");
		dt_out_int(o, dt_stack_count(stack), 0, false);
		dt_out_str(o, "\n");
	}
}

static void put_end(struct dt_sink *s, int status, bool exited)
{
	(void)status, (void)exited;
	dt_stacks_fold((struct dt_stacks *)s, s->env.out);
}

const struct dt_sink_type dt_sink_folded = {
	.oformat = DTRACE_OFORMAT_TABLE,
	.size = sizeof(struct dt_stacks),
	.open = dt_stacks_open,
	.close = dt_stacks_close,
	.event = dt_stacks_event,
	.aggregation = dt_stacks_aggregation,
	.end = put_end,
};
