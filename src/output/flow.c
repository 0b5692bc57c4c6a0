/* SPDX-License-Identifier: BSD-2-Clause */
/* See flow.h. An entry steps in after its line, and a return steps out before it. */
#include "output/flow.h"

#include <stdlib.h>
#include <string.h>

struct dt_flow { int indent; uint32_t probe, epid; };	/* probe and epid: of the last record */

void dt_flows_free(struct dt_flows *f)
{
	free(f->cpu);
	*f = (struct dt_flows){ 0 };
}

/*
 * The flow of a CPU, made when its first record comes. A pointer into the array is valid until the next
 * call.
 */
static struct dt_flow *flow_of(struct dt_flows *f, uint32_t cpu)
{
	if (cpu >= f->n) {
		struct dt_flow *more = reallocarray(f->cpu, (size_t)cpu + 1, sizeof(*more));

		if (more == NULL)
			return NULL;
		memset(more + f->n, 0, (cpu + 1 - f->n) * sizeof(*more));
		f->cpu = more;
		f->n = cpu + 1;
	}
	return &f->cpu[cpu];
}

/*
 * Whether the name is the word, or ends with a dash and the word: "method-entry" is an entry,
 * "carpentry" is not.
 */
static bool ends_with_word(const char *name, const char *word)
{
	size_t n = strlen(name), m = strlen(word);

	return n >= m && strcmp(name + n - m, word) == 0 && (n == m || name[n - m - 1] == '-');
}

bool dt_flow_looks_ahead(const char *name)
{
	return ends_with_word(name, "return");
}

/*
 * The clauses of one firing are one step: the first clause of an entry steps in, the last clause of a
 * return steps out. Two records are of one firing when they have the same probe and different epids;
 * the same epid means that the probe fired again.
 */
static enum dt_flowkind flow_kind(const struct dt_flow *last, const struct dt_flowrec *r)
{
	if (ends_with_word(r->name, "entry"))
		return last->probe == r->probe && last->epid != r->epid ? DT_FLOW_NONE : DT_FLOW_ENTRY;
	if (ends_with_word(r->name, "return"))
		return r->next_probe == r->probe && r->next_epid != r->epid ? DT_FLOW_NONE : DT_FLOW_RETURN;
	return DT_FLOW_NONE;
}

/* System calls have arrows of their own; the second column of prefixes is theirs. */
bool dt_flow_step(struct dt_flows *flows, const struct dt_flowrec *r, struct dt_flowline *line)
{
	static const char *const prefixes[][2] = {
		[DT_FLOW_NONE] = { "| ", "| " },
		[DT_FLOW_ENTRY] = { " -> ", " => " },
		[DT_FLOW_RETURN] = { " <- ", " <= " },
	};
	struct dt_flow *f = flow_of(flows, r->cpu);

	*line = (struct dt_flowline){ DT_FLOW_NONE, 0, prefixes[DT_FLOW_NONE][0] };
	if (f == NULL)
		return false;
	line->kind = flow_kind(f, r);
	line->prefix = prefixes[line->kind][strcmp(r->provider, "syscall") == 0];
	/* A trace that begins in the middle of calls has returns without entries. */
	if (line->kind == DT_FLOW_RETURN && f->indent > 0)
		f->indent -= 2;
	line->indent = f->indent;
	if (line->kind == DT_FLOW_ENTRY)
		f->indent += 2;
	f->probe = r->probe;
	f->epid = r->epid;
	return true;
}
