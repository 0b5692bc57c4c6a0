/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The name of a path in the file system: from a dentry up to the root, over mount points. b holds the offsets
 * of the members (enum dt_path_word), n and m the dentry and the vfsmount, x and y those of the root. The
 * text grows down from the end of a, and is then copied to the result. For a dentry alone m is the namespace
 * of mounts that is preferred.
 *
 * No lock is taken: a rename while we walk may give a name that never was. Reads of memory that is gone give
 * 0, which ends the walk.
 */
#include "runtime/rt.h"

#define DEPTH 128			/* components and mount points; of a deeper path the end is shown */
#define MOUNTS 256			/* looked at, of one file system */

/*
 * The name of the dentry, with a slash before it, in front of the others. 1: there is no room, and the text
 * stays as it is. A name has at most 255 characters (NAME_MAX), which the mask tells the verifier.
 */
static FN long prepend_component(struct rt *r, u64 dentry)
{
	u64 *off = (u64 *)r->b;
	u64 name = kernel_word(r, dentry + off[DT_PATH_NAME]), pos = r->w->pos, len = 0;

	read_kernel(r, &len, 4, dentry + off[DT_PATH_LEN]);
	len &= 255;
	if (pos >= r->size || len + 1 > pos)
		return 1;
	pos -= len + 1;
	if (pos >= r->size)
		return 1;
	r->a[pos] = '/';
	read_kernel(r, r->a + pos + 1, (u32)len, name);
	r->w->pos = pos;
	return 0;
}

/*
 * One component, or one mount point: at the root of a mounted file system the walk goes on where that is
 * mounted. It ends at the root of the process, or where there is nothing above.
 */
STEP(step_path)
{
	u64 *off = (u64 *)r->b;
	struct dt_work *w = r->w;
	u64 dentry = w->n, vfs = w->m, mount = vfs - off[DT_PATH_MNT], parent, up;

	if (!dentry || (dentry == w->x && vfs == w->y))
		return 1;
	parent = kernel_word(r, dentry + off[DT_PATH_PARENT]);
	if (dentry == parent || (vfs && dentry == kernel_word(r, vfs + off[DT_PATH_MNT_ROOT]))) {
		up = vfs ? kernel_word(r, mount + off[DT_PATH_MNT_PARENT]) : 0;
		if (!up || up == mount)
			return 1;
		w->n = kernel_word(r, mount + off[DT_PATH_MOUNTPOINT]);
		w->m = up + off[DT_PATH_MNT];
		return 0;
	}
	w->n = parent;
	return prepend_component(r, dentry);
}

/* The walk from a struct path; the root itself is "/". */
RT(rt_dpath)
{
	CONTEXT;

	w->pos = size - 1;
	LOOP(&r, DEPTH, step_path);
	if (w->pos >= size - 1) {
		d[0] = '/';
		d[1] = 0;
		return 2;
	}
	return result(d, a + w->pos, size - 1 - w->pos, size);
}

/*
 * Looks for a mount that shows the whole file system. pos is the next mount or its link, lb the file system,
 * out the mount found so far: one in the preferred namespace ends the search, else the last one is taken.
 */
STEP(step_mount)
{
	u64 *off = (u64 *)r->b;
	struct dt_work *w = r->w;
	u64 at = w->pos, mount = off[DT_PATH_CHAINED] ? at : at - off[DT_PATH_LINK];

	if (!at || at == w->lb + off[DT_PATH_SB_MOUNTS])
		return 1;
	w->pos = kernel_word(r, off[DT_PATH_CHAINED] ? at + off[DT_PATH_LINK] : at);
	if (kernel_word(r, mount + off[DT_PATH_MNT] + off[DT_PATH_MNT_ROOT]) !=
	    kernel_word(r, w->lb + off[DT_PATH_SB_ROOT]))
		return 0;
	w->out = mount + off[DT_PATH_MNT];
	return kernel_word(r, mount + off[DT_PATH_MNT_NS]) == w->m;
}

/*
 * The walk from a dentry, whose mount is searched for. Without one the name is that inside the file system:
 * the walk ends at its root.
 */
RT(rt_dentrypath)
{
	u64 *off = (u64 *)b;
	CONTEXT;

	w->lb = kernel_word(&r, w->n + off[DT_PATH_SB]);
	w->pos = kernel_word(&r, w->lb + off[DT_PATH_SB_MOUNTS]);
	w->out = 0;
	LOOP(&r, MOUNTS, step_mount);
	w->m = w->out;
	return CALL(rt_dpath);
}
