/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * DWARF of a file comes in, a digest of lines and inlined calls goes out (lines.h): in the worker. Steps of
 * line programs are sorted into rows; ranges of calls, which lie within each other, become spans that do not.
 */
#include "file/dwarf_impl.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- names ---- */

/* Sorted by where they lead, entries of a unit are read together, and each once. */
static int by_origin(const void *a, const void *b)
{
	const struct dt_lines_call *const *x = a, *const *y = b;

	return ((*x)->origin > (*y)->origin) - ((*x)->origin < (*y)->origin);
}

static void name_calls(struct dt_lines_maker *m)
{
	struct dt_lines_call *call = (struct dt_lines_call *)(void *)m->calls.bytes, **sorted;
	size_t n = m->calls.len / sizeof(*call);

	sorted = n > 0 && m->err == 0 ? malloc(n * sizeof(struct dt_lines_call *)) : NULL;
	if (sorted == NULL) {
		m->err = n > 0 && m->err == 0 ? -ENOMEM : m->err;
		return;
	}
	for (size_t i = 0; i < n; i++)
		sorted[i] = &call[i];
	qsort(sorted, n, sizeof(struct dt_lines_call *), by_origin);
	for (size_t i = 0; i < n; i++) {
		const char *name;

		if (i > 0 && sorted[i]->origin == sorted[i - 1]->origin) {
			sorted[i]->call.name = sorted[i - 1]->call.name;
			continue;
		}
		name = dt_debug_name(&m->dwarf, sorted[i]->origin);
		sorted[i]->call.name = dt_lines_text(m, NULL, name != NULL && name[0] != '\0' ? name : "?");
	}
	free(sorted);
}

/* ---- rows ---- */

/* The end of a sequence comes before what begins there; of others at an address the last one counts. */
static int by_address(const void *a, const void *b)
{
	const struct dt_lines_step *x = a, *y = b;

	if (x->at != y->at)
		return x->at > y->at ? 1 : -1;
	return x->end != y->end ? (int)y->end - (int)x->end : x->order > y->order ? 1 : -1;
}

/* In place: a row is shorter than a step. Returns how many there are. */
static uint32_t make_rows(struct dt_lines_maker *m)
{
	struct dt_lines_step *step = (struct dt_lines_step *)(void *)m->rows.bytes;
	struct dt_line_row last = { 0 };
	size_t n = m->rows.len / sizeof(*step);
	uint32_t to = 0;

	if (n > 0)
		qsort(step, n, sizeof(*step), by_address);
	for (size_t i = 0; i < n; i++) {
		struct dt_line_row r = { step[i].at, step[i].file, step[i].line };

		if (i + 1 < n && step[i + 1].at == r.at)
			continue;
		if (to > 0 && last.file == r.file && last.line == r.line)
			continue;
		last = r;
		memcpy(m->rows.bytes + to++ * sizeof(r), &r, sizeof(r));
	}
	return to;
}

/* ---- spans ---- */

/* A call comes before those inside of it, which have higher numbers. */
static int by_low(const void *a, const void *b)
{
	const struct dt_lines_range *x = a, *y = b;

	if (x->low != y->low)
		return x->low > y->low ? 1 : -1;
	return (x->call > y->call) - (x->call < y->call);
}

static void add_span(struct dt_lines_maker *m, struct dt_digest *spans, uint64_t at, uint32_t call)
{
	struct dt_line_span s = { at, call, 0 }, *last;

	if (spans->len > 0) {
		last = (struct dt_line_span *)(void *)(spans->bytes + spans->len) - 1;
		if (last->at == at) {
			last->call = call;
			return;
		}
	}
	dt_lines_put(m, spans, &s, sizeof(s));
}

/*
 * Ranges that are open lie on a stack, the innermost on top; the stack is the part of the array that was
 * read. Each change of the innermost is a span. Those of a damaged file, which overlap otherwise, become some
 * spans that ascend all the same.
 */
static void make_spans(struct dt_lines_maker *m, struct dt_digest *spans)
{
	struct dt_lines_range *r = (struct dt_lines_range *)(void *)m->ranges.bytes;
	size_t n = m->ranges.len / sizeof(*r), open = 0;

	if (n > 0)
		qsort(r, n, sizeof(*r), by_low);
	for (size_t i = 0; i <= n && m->err == 0; i++) {
		struct dt_lines_range next = { .low = UINT64_MAX, .high = 0 };

		if (i < n)
			next = r[i];
		while (open > 0 && r[open - 1].high <= next.low) {
			uint64_t at = r[open - 1].high;

			while (open > 0 && r[open - 1].high <= at)
				open--;
			add_span(m, spans, at, open > 0 ? r[open - 1].call : 0);
		}
		if (i == n)
			break;
		add_span(m, spans, next.low, next.call);
		r[open++] = next;
	}
}

/* ---- all of it ---- */

static void read_units(struct dt_lines_maker *m)
{
	for (size_t i = 0; i < dt_debug_nunits(&m->dwarf) && m->err == 0; i++) {
		struct dt_debug_unit *u = dt_debug_unit(&m->dwarf, i);
		struct dt_debug_cursor c = dt_debug_cursor(&m->dwarf, DT_DEBUG_info, u->die, u->end);
		struct dt_debug_die root;

		if (!dt_debug_die(&m->dwarf, u, &c, &root))
			continue;
		dt_debug_root(&m->dwarf, u, &root);
		if (u->type == DW_UT_partial || root.tag == DW_TAG_partial_unit)
			continue;
		dt_lines_program(m, u, &root);
		if (root.children)
			dt_lines_calls(m, u, c);
	}
}

static int put_all(struct dt_lines_maker *m, struct dt_digest *out, uint64_t most)
{
	struct dt_digest spans = { 0 };
	struct dt_lines_head h = { .nrows = make_rows(m), .ncalls = (uint32_t)(m->calls.len /
	    sizeof(struct dt_lines_call)) };

	make_spans(m, &spans);
	h.nspans = (uint32_t)(spans.len / sizeof(struct dt_line_span));
	if (m->err == 0 && h.nrows * sizeof(struct dt_line_row) + spans.len + h.ncalls *
	    sizeof(struct dt_line_call) + m->text.len > most)
		m->err = -EFBIG;
	dt_lines_put(m, out, &h, sizeof(h));
	dt_lines_put(m, out, m->rows.bytes, h.nrows * sizeof(struct dt_line_row));
	dt_lines_put(m, out, spans.bytes, spans.len);
	for (uint32_t i = 0; i < h.ncalls && m->err == 0; i++)
		dt_lines_put(m, out, &((struct dt_lines_call *)(void *)m->calls.bytes)[i].call,
		    sizeof(struct dt_line_call));
	dt_lines_put(m, out, m->text.bytes, m->text.len);
	free(spans.bytes);
	return m->err;
}

int dt_lines_make(struct dt_digest *out, struct dt_elf *e, uint64_t most)
{
	struct dt_lines_maker m = { .elf = e };
	struct dt_digest *const all[] = { &m.dirs, &m.files, &m.rows, &m.ranges, &m.calls, &m.text, &m.hash };
	struct dt_elf *debug = NULL;

	m.err = dt_debug_open(&m.dwarf, e);
	if (m.err == -ENOENT && dt_elf_find_debug(e, &debug) == 0) {
		dt_debug_close(&m.dwarf);
		m.err = dt_debug_open(&m.dwarf, debug);
	}
	dt_lines_put(&m, &m.text, "", 1);
	if (m.err == 0)
		read_units(&m);
	name_calls(&m);
	m.err = m.err != 0 ? m.err : put_all(&m, out, most);
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		free(all[i]->bytes);
	dt_debug_close(&m.dwarf);
	dt_elf_close(debug);
	return m.err;
}
