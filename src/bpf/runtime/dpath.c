/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The name of a path in the file system: from a dentry up to the root, over mount points. b holds the offsets of the
 * members, n and m the dentry and the vfsmount, x and y those of the root; the text grows down from the end of a.
 */
#include "runtime.h"

enum { PARENT, NAME, LEN, MNT, MNT_PARENT, MOUNTPOINT, MNT_ROOT };
#define DEPTH 128

static __attribute__((always_inline)) u64 word_at(u64 addr)
{
	u64 v = 0;

	bpf_probe_read_kernel(&v, 8, (void *)addr);
	return v;
}

/* One component before the others. */
static FN long component(struct rt *r, u64 dentry)
{
	u64 *off = (u64 *)r->b;
	u64 name = word_at(dentry + off[NAME]), pos = r->w->pos, len = 0;

	bpf_probe_read_kernel(&len, 4, (void *)(dentry + off[LEN]));
	len &= 255;
	if (pos >= r->size || len + 1 > pos)
		return 1;
	pos -= len + 1;
	if (pos >= r->size)
		return 1;
	r->a[pos] = '/';
	bpf_probe_read_kernel(r->a + pos + 1, (u32)len, (void *)name);
	r->w->pos = pos;
	return 0;
}

static long step_path(u32 i, struct rt *r)
{
	u64 *off = (u64 *)r->b;
	struct work *w = r->w;
	u64 dentry = w->n, vfs = w->m, mount = vfs - off[MNT], parent, up;

	if (!dentry || !vfs || (dentry == w->x && vfs == w->y))
		return 1;
	parent = word_at(dentry + off[PARENT]);
	if (dentry == word_at(vfs + off[MNT_ROOT]) || dentry == parent) {
		up = word_at(mount + off[MNT_PARENT]);
		if (!up || up == mount)
			return 1;
		w->n = word_at(mount + off[MOUNTPOINT]);
		w->m = up + off[MNT];
		return 0;
	}
	w->n = parent;
	return component(r, dentry);
}

RT(rt_dpath)
{
	CONTEXT;

	w->pos = size - 1;
	LOOP(DEPTH, step_path);
	if (w->pos >= size - 1) {
		d[0] = '/';
		d[1] = 0;
		return 2;
	}
	return result(d, a + w->pos, size - 1 - w->pos, size);
}
