/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * basename(), dirname() and cleanpath(): paths as text, nothing is looked up. la is the length
 * of a, the path.
 */
#include "runtime/rt.h"

/*
 * pos goes back over the slashes before it, but not over the first character. A pos of 0 makes `at` the
 * largest number, which the comparison with size ends too.
 */
STEP(step_trim)
{
	u64 at = r->w->pos - 1;

	if (at == 0 || at >= r->size || r->a[at] != '/')
		return 1;
	r->w->pos = at;
	return 0;
}

/* pos goes back to the character after the slash before it. */
STEP(step_component)
{
	u64 at = r->w->pos - 1;

	if (at >= r->size || r->a[at] == '/')
		return 1;
	r->w->pos = at;
	return 0;
}

/* The result is this one character. */
INLINE u64 one_character(u8 *d, u8 c)
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
	LOOP(&r, size, step_trim);
	end = w->pos;
	if (end == 0)
		return one_character(d, '.');
	if (end == 1 && a[0] == '/')
		return one_character(d, '/');
	LOOP(&r, size, step_component);
	if (w->pos >= size)
		return 0;
	return result(d, a + w->pos, end - w->pos, size);
}

RT(rt_dirname)
{
	CONTEXT;

	w->pos = w->la;
	LOOP(&r, size, step_trim);
	LOOP(&r, size, step_component);
	if (w->pos == 0)
		return one_character(d, '.');
	LOOP(&r, size, step_trim);
	return result(d, a, w->pos, size);
}

/*
 * ---- cleanpath ----
 * One step for each character of a. pos is how much of d is written, x where the component in hand begins,
 * n 1 after the first component, y a place in d for drop_component().
 */

/* y goes back to the character after the slash before it, in what is written. */
STEP(step_up)
{
	u64 at = r->w->y - 1;

	if (at >= r->size || r->d[at] == '/')
		return 1;
	r->w->y = at;
	return 0;
}

/* len bytes of a, with the slash after the component where there is one. */
INLINE void append_component(struct rt *r, u64 from, u64 len)
{
	u64 to = r->w->pos;

	if (to >= r->size || from >= r->size || len >= r->size)
		return;
	copy_bytes(r->d + to, r->a + from, len);
	r->w->pos = to + len;
}

/*
 * ".." after other components removes the last one. It stays where there is none, or where the last one is
 * ".." too: what that leads to is not known. At the root it goes away and the root stays.
 */
static FN long drop_component(struct rt *r, u64 from, u64 len)
{
	struct dt_work *w = r->w;
	u64 n = w->pos, before = 0;

	if (n) {
		w->y = n - 1;
		LOOP(r, r->size, step_up);
		before = w->y;
		if (n - 1 - before == 2 && before < r->size - 1 && r->d[before] == '.' &&
		    r->d[before + 1] == '.')
			before = n - 1;
	}
	if (n == 0 || (before == n - 1 && n > 1))
		append_component(r, from, len);
	else
		w->pos = before ? before : r->d[0] == '/';
	return 0;
}

/* Acts where a component ends: at a slash, or at the end of the text. */
STEP(step_clean)
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
		drop_component(r, from, 2 + slash);
	else if (!(w->n && len == 1 && r->a[from] == '.') && (len || !w->n))
		append_component(r, from, len + slash);
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
	LOOP(&r, size, step_clean);
	if (w->pos >= size)
		return 0;
	d[w->pos] = 0;
	return w->pos + 1;
}
