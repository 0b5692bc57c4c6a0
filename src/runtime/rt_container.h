/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which directories below the root of the control groups are those of containers. Programs in the kernel and
 * the reader of the runtimes' files (process/container.c) use the same function, so that they agree. There
 * are no strings in it: code for eBPF has no data.
 */
#ifndef DT_RUNTIME_RT_CONTAINER_H
#define DT_RUNTIME_RT_CONTAINER_H

#include "runtime/rt_types.h"

enum { DT_CONTAINER_ID = 64 };		/* hexadecimal digits that Docker, containerd, CRI-O and podman use */

INLINE u64 is_hex(u8 c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
}

/* DT_CONTAINER_ID digits from `at` on */
INLINE u64 is_id(const u8 *a, u64 at, u64 size)
{
	for (u64 i = 0; i < DT_CONTAINER_ID; i++)
		if (at + i >= size || !is_hex(a[at + i]))
			return 0;
	return 1;
}

/* The last characters of a[0 … n) are ".scope", which systemd gives to groups made by others. */
INLINE u64 ends_with_scope(const u8 *a, u64 n, u64 size)
{
	const u8 *p = a + n - 6;

	if (n < 6 || n > size)
		return 0;
	return p[0] == '.' && p[1] == 's' && p[2] == 'c' && p[3] == 'o' && p[4] == 'p' && p[5] == 'e';
}

/* "…conmon-": what watches a container is not in it. */
INLINE u64 is_monitor(const u8 *a, u64 at, u64 size)
{
	const u8 *p = a + at - 7;

	if (at < 7 || at > size)
		return 0;
	return p[0] == 'c' && p[1] == 'o' && p[2] == 'n' && p[3] == 'm' && p[4] == 'o' && p[5] == 'n';
}

INLINE u64 is_lxc(const u8 *a)
{
	return a[0] == 'l' && a[1] == 'x' && a[2] == 'c' && a[3] == '.' && a[4] == 'p' && a[5] == 'a' &&
	    a[6] == 'y' && a[7] == 'l' && a[8] == 'o' && a[9] == 'a' && a[10] == 'd' && a[11] == '.';
}

INLINE u64 is_machine(const u8 *a)
{
	return a[0] == 'm' && a[1] == 'a' && a[2] == 'c' && a[3] == 'h' && a[4] == 'i' && a[5] == 'n' &&
	    a[6] == 'e' && a[7] == '-';
}

/*
 * a[0 … n) is the name of a directory: how many characters of it name a container; 0: it has no container.
 * They begin at *from; *id: they are an id, and its runtime has a name for it.
 *	RUNTIME-ID.scope	Docker, containerd, CRI-O, podman with systemd
 *	ID, RUNTIME-ID		the same without
 *	lxc.payload.NAME	LXC, LXD, Incus
 *	machine-NAME.scope	systemd-nspawn, libvirt
 */
INLINE u64 container_in(const u8 *a, u64 n, u64 size, u64 *from, u64 *id)
{
	u64 scope = ends_with_scope(a, n, size), at;

	*id = 0;
	if (scope)
		n -= 6;
	at = n - DT_CONTAINER_ID;
	if (n >= DT_CONTAINER_ID && n < size && (at == 0 || a[at - 1] == '-') && !is_monitor(a, at, size) &&
	    is_id(a, at, size)) {
		*from = at;
		*id = 1;
		return DT_CONTAINER_ID;
	}
	if (n > 12 && is_lxc(a)) {
		*from = 12;
		return n - 12;
	}
	if (scope && n > 8 && is_machine(a)) {
		*from = 8;
		return n - 8;
	}
	return 0;
}

#endif
