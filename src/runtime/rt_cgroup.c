/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The control group of a thread as text: its path, and the container that it belongs to. n is the node of the
 * group's directory (struct kernfs_node), b holds the offsets of the members (enum dt_cgroup_word). The walk
 * goes up to the root, which has no parent. No lock is taken: reads of memory that is gone give 0, which ends
 * the walk.
 */
#include "runtime/rt.h"
#include "runtime/rt_container.h"

#define DEPTH 64			/* directories; of a deeper path the end is shown */

/* Copies the name of the node to d and goes up; its length, 0: it is the root, or there is none. */
INLINE u64 next_name(struct rt *r)
{
	u64 *off = (u64 *)r->b, node = r->w->n, up;
	long len;

	if (!node)
		return 0;
	up = kernel_word(r, node + off[DT_CGROUP_PARENT]);
	if (!up)
		return 0;
	r->w->n = up;
	len = read_kernel_str(r, r->d, r->size, kernel_word(r, node + off[DT_CGROUP_NAME]));
	return len > 1 && (u64)len <= r->size ? (u64)len - 1 : 0;
}

/* Grows down from the end of a; without room the text stays as it is. A name has at most 255 characters. */
STEP(step_up)
{
	u64 len = next_name(r) & 255, pos = r->w->pos;

	if (len == 0 || pos >= r->size || len + 1 > pos)
		return 1;
	pos -= len + 1;
	if (pos >= r->size)
		return 1;
	r->a[pos] = '/';
	copy_bytes(r->a + pos + 1, r->d, len);
	r->w->pos = pos;
	return 0;
}

RT(rt_cgroup)
{
	CONTEXT;

	w->pos = size - 1;
	LOOP(&r, DEPTH, step_up);
	if (w->pos >= size - 1) {
		d[0] = '/';
		d[1] = 0;
		return 2;
	}
	return result(d, a + w->pos, size - 1 - w->pos, size);
}

/* Of containers in containers the innermost. la: how long the text is, which a gets; x: it is an id. */
STEP(step_container)
{
	u64 len = next_name(r) & 255, from = 0, id = 0, n;

	if (len == 0)
		return 1;
	n = container_in(r->d, len, r->size, &from, &id);
	if (n == 0)
		return 0;
	n &= 255;
	from &= 255;
	if (n >= r->size || from >= r->size)
		return 1;
	copy_bytes(r->a, r->d + from, n);
	r->w->la = n;
	r->w->x = id;
	return 1;
}

/* "": it is in none. */
RT(rt_container)
{
	CONTEXT;

	w->la = 0;
	w->x = 0;
	LOOP(&r, DEPTH, step_container);
	return result(d, a, w->la & 255, size);
}
