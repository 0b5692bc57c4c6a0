/* SPDX-License-Identifier: BSD-2-Clause */
/* Paths as text, by the same rules as src/builtin/path.c. */
#include "runtime.h"

/* pos goes back over the slashes before it, but not over the first character. */
static long step_trim(u32 i, struct rt *r)
{
	u64 at = r->w->pos - 1;

	if (at == 0 || at >= r->size || r->a[at] != '/')
		return 1;
	r->w->pos = at;
	return 0;
}

/* pos goes back to behind the slash before it. */
static long step_component(u32 i, struct rt *r)
{
	u64 at = r->w->pos - 1;

	if (at >= r->size || r->a[at] == '/')
		return 1;
	r->w->pos = at;
	return 0;
}

static __attribute__((always_inline)) u64 dot(u8 *d, u8 c)
{
	d[0] = c;
	d[1] = 0;
	return 2;
}

RT(rt_basename)
{
	CONTEXT;
	u64 end;

	w->pos = w->la;
	LOOP(size, step_trim);
	end = w->pos;
	if (end == 0)
		return dot(d, '.');
	if (end == 1 && a[0] == '/')
		return dot(d, '/');
	LOOP(size, step_component);
	if (w->pos >= size)
		return 0;
	return result(d, a + w->pos, end - w->pos, size);
}

RT(rt_dirname)
{
	CONTEXT;

	w->pos = w->la;
	LOOP(size, step_trim);
	LOOP(size, step_component);
	if (w->pos == 0)
		return dot(d, '.');
	LOOP(size, step_trim);
	return result(d, a, w->pos, size);
}

/* ---- cleanpath: pos what is written, x where the component begins, n 1 after the first ---- */

static long step_up(u32 i, struct rt *r)
{
	u64 at = r->w->y - 1;

	if (at >= r->size || r->d[at] == '/')
		return 1;
	r->w->y = at;
	return 0;
}

static __attribute__((always_inline)) void append(struct rt *r, u64 from, u64 len)
{
	u64 to = r->w->pos;

	if (to >= r->size || from >= r->size || len >= r->size)
		return;
	bpf_probe_read_kernel(r->d + to, (u32)len, r->a + from);
	r->w->pos = to + len;
}

/* ".." behind other components: takes the last one away, unless that is ".." too. */
static FN long parent(struct rt *r, u64 from, u64 len)
{
	struct dt_work *w = r->w;
	u64 n = w->pos, before = 0;

	if (n) {
		w->y = n - 1;
		bpf_loop((u32)r->size, (void *)step_up, r, 0);
		before = w->y;
		if (n - 1 - before == 2 && before < r->size - 1 && r->d[before] == '.' && r->d[before + 1] == '.')
			before = n - 1;
	}
	if (n == 0 || (before == n - 1 && n > 1))
		append(r, from, len);
	else
		w->pos = before ? before : r->d[0] == '/';
	return 0;
}

static long step_clean(u32 i, struct rt *r)
{
	struct dt_work *w = r->w;
	u64 from = w->x, len, slash;

	if (i >= r->size || i > w->la)
		return 1;
	slash = i < w->la && r->a[i] == '/';
	if (i < w->la && !slash)
		return 0;
	len = i - from;
	if (i == w->la && len == 0)
		return 1;
	if (from >= r->size - 1)
		return 1;
	if (w->n && len == 2 && r->a[from] == '.' && r->a[from + 1] == '.')
		parent(r, from, 2 + slash);
	else if (!(w->n && len == 1 && r->a[from] == '.') && (len || !w->n))
		append(r, from, len + slash);
	w->n = 1;
	w->x = i + 1;
	return 0;
}

RT(rt_cleanpath)
{
	CONTEXT;

	w->pos = 0;
	w->x = 0;
	w->n = 0;
	LOOP(size, step_clean);
	if (w->pos >= size)
		return 0;
	d[w->pos] = 0;
	return w->pos + 1;
}
