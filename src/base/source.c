/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Text and offsets come in, lines and columns go out. Marks are in order of their offset; setting a
 * mark again (when the text is read a second time) removes those from there on.
 */
#include "base/source.h"

struct dt_source *dt_source_new(struct dt_arena *arena, enum dt_source_kind kind, const char *name,
    const char *text, size_t len)
{
	struct dt_source *src = DT_NEW(arena, struct dt_source);

	src->name = dt_arena_strdup(arena, name ? name : "");
	src->kind = kind;
	src->text = dt_arena_strndup(arena, text, len);
	src->len = (uint32_t)len;
	src->arena = arena;
	return src;
}

void dt_source_mark(struct dt_source *src, uint32_t offset, uint32_t line, const char *file,
    enum dt_line_flag flag)
{
	struct dt_line_mark mark = { offset, line, file ? dt_arena_strdup(src->arena, file) : NULL, 0 };

	while (src->marks.n && src->marks.v[src->marks.n - 1].offset >= offset)
		src->marks.n--;
	if (src->marks.n)
		mark.depth = src->marks.v[src->marks.n - 1].depth;
	if (flag == DT_LINE_ENTER)
		mark.depth++;
	else if (flag == DT_LINE_LEAVE && mark.depth)
		mark.depth--;
	dt_vec_push(src->arena, &src->marks, mark);
}

/* The number of marks at or before the offset. */
static size_t marks_before(const struct dt_source *src, uint32_t off)
{
	size_t lo = 0, hi = src->marks.n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (src->marks.v[mid].offset <= off)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

bool dt_loc_included(struct dt_loc loc)
{
	size_t m = loc.src ? marks_before(loc.src, loc.off) : 0;

	return m && loc.src->marks.v[m - 1].depth > 0;
}

static uint32_t count_lines(const char *from, const char *to)
{
	uint32_t n = 0;

	while (from < to && (from = memchr(from, '\n', (size_t)(to - from))) != NULL) {
		n++;
		from++;
	}
	return n;
}

struct dt_place dt_loc_place(struct dt_loc loc)
{
	const struct dt_source *src = loc.src;
	struct dt_place p = { .line = 1, .col = 1 };
	const char *at, *start, *end;
	uint32_t from = 0;
	size_t m;

	if (!src)
		return p;
	at = src->text + (loc.off < src->len ? loc.off : src->len);
	m = marks_before(src, (uint32_t)(at - src->text));
	p.file = src->name;
	if (m) {
		p.line = src->marks.v[m - 1].line;
		from = src->marks.v[m - 1].offset;
	}
	while (m > 0 && !src->marks.v[m - 1].file)
		m--;
	if (m) {
		p.file = src->marks.v[m - 1].file;
		p.marked = strcmp(p.file, src->name) != 0;
	}
	p.line += count_lines(src->text + from, at);
	for (start = at; start > src->text && start[-1] != '\n'; start--)
		;
	end = memchr(at, '\n', (size_t)(src->text + src->len - at));
	if (!end)
		end = src->text + src->len;
	p.col = (uint32_t)(at - start) + 1;
	p.text = start;
	p.textlen = (uint32_t)(end - start);
	return p;
}

struct dt_loc dt_loc_span(struct dt_loc from, struct dt_loc to)
{
	uint32_t end = to.off + to.len;

	if (!from.src)
		return to;
	if (from.src == to.src && end > from.off)
		from.len = end - from.off;
	return from;
}
