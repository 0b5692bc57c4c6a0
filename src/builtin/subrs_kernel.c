/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Subroutines that ask the system: locks, processes, devices, files, chance. Locks are read as Linux lays them out:
 * struct mutex begins with its owner, whose low three bits are flags; an rwlock_t begins with a counter, whose low
 * byte is 0xff while written, bit 8 says that a writer waits, and the bits above count readers.
 */
#include "builtin/subr.h"

#define MUTEX_FLAGS 7u
#define RW_WRITER 0xffu
#define RW_WAITING 0x1ffu
#define RW_READER_SHIFT 9

static uint64_t mutex_owner(struct dt_interp *ip, const struct dt_subr_call *call)
{
	uint64_t owner = 0;

	dt_interp_read(ip, call->arg[0].value, &owner, sizeof(owner), false);
	return owner & ~(uint64_t)MUTEX_FLAGS;
}

static uint64_t call_mutex_owned(struct dt_interp *ip, const struct dt_subr_call *call)
{
	uint64_t owner = mutex_owner(ip, call);

	return owner && owner == dt_interp_context(ip)->curthread;
}

/* Every struct mutex is adaptive: it spins while its owner runs, then sleeps. */
static uint64_t call_mutex_type_adaptive(struct dt_interp *ip, const struct dt_subr_call *call)
{
	mutex_owner(ip, call);
	return 1;
}

static uint64_t call_mutex_type_spin(struct dt_interp *ip, const struct dt_subr_call *call)
{
	mutex_owner(ip, call);
	return 0;
}

static uint32_t rw_count(struct dt_interp *ip, const struct dt_subr_call *call)
{
	uint32_t count = 0;

	dt_interp_read(ip, call->arg[0].value, &count, sizeof(count), false);
	return count;
}

static uint64_t call_rw_read_held(struct dt_interp *ip, const struct dt_subr_call *call)
{
	return rw_count(ip, call) >> RW_READER_SHIFT != 0;
}
static uint64_t call_rw_write_held(struct dt_interp *ip, const struct dt_subr_call *call)
{
	return (rw_count(ip, call) & RW_WRITER) == RW_WRITER;
}
/* A writer has it or waits for it. */
static uint64_t call_rw_iswriter(struct dt_interp *ip, const struct dt_subr_call *call)
{
	return (rw_count(ip, call) & RW_WAITING) != 0;
}

static uint64_t call_rand(struct dt_interp *ip, const struct dt_subr_call *call)
{
	(void)call;
	return (dt_interp_context(ip)->random * 2416 + 374441) % 1771875;
}

static uint64_t call_random(struct dt_interp *ip, const struct dt_subr_call *call)
{
	(void)call;
	return dt_interp_context(ip)->random;
}

static uint64_t call_speculation(struct dt_interp *ip, const struct dt_subr_call *call)
{
	(void)call;
	return (uint64_t)dt_interp_speculation(ip);
}

/* The process itself is its own progeny. */
static uint64_t call_progenyof(struct dt_interp *ip, const struct dt_subr_call *call)
{
	const struct dt_context *c = dt_interp_context(ip);
	uint32_t pid = (uint32_t)call->arg[0].value;

	if (pid == c->pid || pid == c->ppid)
		return 1;
	for (uint32_t i = 0; i < c->nancestors; i++) {
		if (c->ancestors[i] == pid)
			return 1;
	}
	return 0;
}

static uint64_t call_getmajor(struct dt_interp *ip, const struct dt_subr_call *call)
{
	(void)ip;
	return (uint32_t)call->arg[0].value >> 20;
}
static uint64_t call_getminor(struct dt_interp *ip, const struct dt_subr_call *call)
{
	(void)ip;
	return (uint32_t)call->arg[0].value & 0xfffff;
}

static uint64_t call_getf(struct dt_interp *ip, const struct dt_subr_call *call)
{
	const struct dt_context *c = dt_interp_context(ip);
	int64_t fd = dt_subr_int(call, 0);

	return fd >= 0 && fd < c->nfiles ? c->files[fd] : 0;
}

static uint64_t call_d_path(struct dt_interp *ip, const struct dt_subr_call *call)
{
	const struct dt_context *c = dt_interp_context(ip);

	for (uint32_t i = 0; i < c->npaths; i++) {
		if (c->paths[i].addr == call->arg[0].value)
			return dt_interp_put(ip, c->paths[i].path, strlen(c->paths[i].path));
	}
	return dt_interp_fault(ip, DT_FLT_BADADDR, call->arg[0].value);
}

#define V1_0 DT_VERS(1, 0, 0)
#define EVOLVING DT_ATTR_EVOLVING_COMMON
#define STABLE DT_ATTR_STABLE_COMMON
#define STREAMS "it measures STREAMS messages, which Linux does not have; a socket buffer's length is its member len"
#define SX "it asks about FreeBSD's sx locks, which Linux does not have; see mutex_owned() and rw_read_held()"

const struct dt_builtin dt_builtin_subrs_kernel[] = {
	DT_SUBR(rand, "int()", V1_0, STABLE, call_rand),
	DT_SUBR(mutex_owned, "int(struct mutex *)", V1_0, EVOLVING, call_mutex_owned),
	DT_SUBR(mutex_owner, "struct task_struct *(struct mutex *)", V1_0, EVOLVING, mutex_owner),
	DT_SUBR(mutex_type_adaptive, "int(struct mutex *)", V1_0, EVOLVING, call_mutex_type_adaptive),
	DT_SUBR(mutex_type_spin, "int(struct mutex *)", V1_0, EVOLVING, call_mutex_type_spin),
	DT_SUBR(rw_read_held, "int(rwlock_t *)", V1_0, EVOLVING, call_rw_read_held),
	DT_SUBR(rw_write_held, "int(rwlock_t *)", V1_0, EVOLVING, call_rw_write_held),
	DT_SUBR(rw_iswriter, "int(rwlock_t *)", V1_0, EVOLVING, call_rw_iswriter),
	DT_SUBR(speculation, "int()", V1_0, STABLE, call_speculation),
	DT_SUBR(progenyof, "int(pid_t)", V1_0, STABLE, call_progenyof),
	DT_SUBR_NONE(msgdsize, "size_t(void *)", V1_0, STREAMS),
	DT_SUBR_NONE(msgsize, "size_t(void *)", V1_0, STREAMS),
	DT_SUBR(getmajor, "uint32_t(uint32_t)", V1_0, EVOLVING, call_getmajor),
	DT_SUBR(getminor, "uint32_t(uint32_t)", V1_0, EVOLVING, call_getminor),
	DT_SUBR_NONE(ddi_pathname, "string(void *, int64_t)", V1_0,
	    "it walks the Solaris device tree, which Linux does not have; see getmajor() and getminor()"),
	DT_SUBR(getf, "struct file *(int)", DT_VERS(1, 10, 0), STABLE, call_getf),
	DT_SUBR(d_path, "string(struct path *)", DT_VERS(1, 5, 0), EVOLVING, call_d_path),
	DT_SUBR(dentry_path, "string(struct dentry *)", V1_0, EVOLVING, call_d_path),
	DT_SUBR_NONE(sx_shared_held, "int(void *)", V1_0, SX),
	DT_SUBR_NONE(sx_exclusive_held, "int(void *)", V1_0, SX),
	DT_SUBR_NONE(sx_isexclusive, "int(void *)", V1_0, SX),
	DT_SUBR(random, "uint64_t()", V1_0, EVOLVING, call_random),
	DT_SUBR_NONE(copyoutmbuf, "void(void *, void *, size_t)", V1_0, "it writes macOS network buffers, which Linux does not have"),
	DT_SUBR_NONE(strip, "void *(void *)", V1_0, "pointers are not signed here: use the pointer itself"),
	{ .name = NULL },
};
