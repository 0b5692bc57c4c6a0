/* SPDX-License-Identifier: BSD-2-Clause */
/* The entries of a unit: which calls were inlined, into which of the calls around them, and where. */
#include "file/dwarf_impl.h"

enum { DEPTH = 1024 };			/* of entries; more is damage */

struct adding { struct dt_lines_maker *m; uint32_t call; };

static void add_range(void *ctx, uint64_t low, uint64_t high)
{
	const struct adding *a = ctx;
	struct dt_lines_range r = { low, high, a->call, 0 };

	if (low < high && dt_lines_code(a->m, low))
		dt_lines_put(a->m, &a->m->ranges, &r, sizeof(r));
}

/* Returns its number. Most have code; one that has none may be around others that have. */
static uint32_t add_call(struct dt_lines_maker *m, const struct dt_debug_unit *u,
    const struct dt_debug_die *die, uint32_t parent)
{
	struct dt_lines_call c = { .origin = dt_debug_reference(u, &die->a[DT_DEBUG_AT_abstract_origin]),
		.call = { .parent = parent, .line = (uint32_t)die->a[DT_DEBUG_AT_call_line].v,
			.file = dt_lines_file(m, die->a[DT_DEBUG_AT_call_file].v) } };
	struct adding a = { m, (uint32_t)(m->calls.len / sizeof(c)) + 1 };

	dt_lines_put(m, &m->calls, &c, sizeof(c));
	dt_debug_ranges(&m->dwarf, u, die, add_range, &a);
	return a.call;
}

/* A function inside of another one is inlined in nothing. */
void dt_lines_calls(struct dt_lines_maker *m, const struct dt_debug_unit *u, struct dt_debug_cursor c)
{
	uint32_t around[DEPTH] = { 0 }, depth = 0;
	struct dt_debug_die die;

	while (c.at < c.end && m->err == 0) {
		uint32_t here = around[depth];

		if (!dt_debug_die(&m->dwarf, u, &c, &die)) {
			if (c.bad || depth == 0)
				return;
			depth--;
			continue;
		}
		if (die.tag == DW_TAG_inlined_subroutine)
			here = add_call(m, u, &die, here);
		else if (die.tag == DW_TAG_subprogram)
			here = 0;
		if (!die.children)
			continue;
		if (++depth == DEPTH)
			return;
		around[depth] = here;
	}
}
