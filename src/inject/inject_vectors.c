/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A system call clears what the scalable vector registers of aarch64 have above 128 bits, the predicates, and
 * streaming mode: programs count on none of them across a call. A thread that was interrupted elsewhere does.
 */
#include "inject/inject_impl.h"
#include "machine/machine.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/uio.h>

enum { SET_MAX = 64 << 10, IN_USE = 1 };

/* As struct user_sve_header begins the set; flags: IN_USE when the registers are wider than 128 bits now. */
struct header { uint32_t size, max_size; uint16_t vl, max_vl, flags, reserved; };
struct kept { size_t len; _Alignas(16) char bytes[]; };

static struct kept *read_set(pid_t tid, uint16_t set)
{
	struct header h = { 0 };
	struct iovec io = { &h, sizeof(h) };
	struct kept *k;

	if (ptrace(PTRACE_GETREGSET, tid, (void *)(uintptr_t)set, &io) != 0 || io.iov_len < sizeof(h) ||
	    (h.flags & IN_USE) == 0 || h.size > SET_MAX || (k = malloc(sizeof(*k) + h.size)) == NULL)
		return NULL;
	io = (struct iovec){ k->bytes, h.size };
	if (ptrace(PTRACE_GETREGSET, tid, (void *)(uintptr_t)set, &io) == 0) {
		k->len = io.iov_len;
		return k;
	}
	free(k);
	return NULL;
}

void dt_inject_save_vectors(struct dt_inject_victim *v)
{
	const uint16_t *sets = dt_machine_here()->inject.vectors;

	for (int i = 0; i < 2 && sets[i] != 0; i++)
		v->vectors[i] = read_set(v->thread->tid, sets[i]);
}

void dt_inject_restore_vectors(struct dt_inject_victim *v)
{
	const uint16_t *sets = dt_machine_here()->inject.vectors;

	for (int i = 0; i < 2; i++) {
		struct kept *k = v->vectors[i];
		struct iovec io;

		if (k == NULL)
			continue;
		io = (struct iovec){ k->bytes, k->len };
		if (v->thread != NULL)
			(void)ptrace(PTRACE_SETREGSET, v->thread->tid, (void *)(uintptr_t)sets[i], &io);
		free(k);
		v->vectors[i] = NULL;
	}
}
