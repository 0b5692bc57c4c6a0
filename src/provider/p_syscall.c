/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * syscall: entry and return of every system call, by the names of <asm/unistd.h>. In a few cases the
 * kernel's own function has another name (newuname is uname): a script may use that name too.
 */
#include "provider/probe.h"
#include "base/count.h"
#include "base/diag.h"
#include "provider/stability.h"
#include "provider/syscalls.h"

static const struct {
	const char *kernel, *name;
} kernel_names[] = {
	{ "newstat", "stat" },
	{ "newlstat", "lstat" },
	{ "newfstat", "fstat" },
	{ "newuname", "uname" },
	{ "umount", "umount2" },
	{ "sendfile64", "sendfile" },
	{ "fadvise64_64", "fadvise64" },
};

/* Calls that newer machines lack, and the calls that replace them. */
static const struct {
	const char *old, *now;
} successors[] = {
	{ "open", "openat" },
	{ "creat", "openat" },
	{ "stat", "newfstatat" },
	{ "lstat", "newfstatat" },
	{ "access", "faccessat" },
	{ "mkdir", "mkdirat" },
	{ "rmdir", "unlinkat" },
	{ "unlink", "unlinkat" },
	{ "rename", "renameat2" },
	{ "renameat", "renameat2" },
	{ "link", "linkat" },
	{ "symlink", "symlinkat" },
	{ "readlink", "readlinkat" },
	{ "mknod", "mknodat" },
	{ "chmod", "fchmodat" },
	{ "chown", "fchownat" },
	{ "lchown", "fchownat" },
	{ "pipe", "pipe2" },
	{ "dup2", "dup3" },
	{ "poll", "ppoll" },
	{ "select", "pselect6" },
	{ "fork", "clone" },
	{ "vfork", "clone" },
	{ "epoll_create", "epoll_create1" },
	{ "epoll_wait", "epoll_pwait" },
	{ "inotify_init", "inotify_init1" },
	{ "eventfd", "eventfd2" },
	{ "signalfd", "signalfd4" },
	{ "alarm", "setitimer" },
	{ "pause", "rt_sigsuspend" },
	{ "utime", "utimensat" },
	{ "utimes", "utimensat" },
	{ "futimesat", "utimensat" },
	{ "getdents", "getdents64" },
	{ "time", "gettimeofday" },
	{ "getpgrp", "getpgid" },
	{ "fstatat", "newfstatat" },
	{ "pread", "pread64" },
	{ "pwrite", "pwrite64" },
	{ "nice", "setpriority" },
	{ "_exit", "exit_group" },
	{ "mmap2", "mmap" },
	{ "waitpid", "wait4" },
	{ "sigaction", "rt_sigaction" },
	{ "fstat64", "fstat" },
	{ "stat64", "newfstatat" },
};

static const struct dt_syscall *find_syscall(const char *name)
{
	for (const struct dt_syscall *s = dt_syscalls; s->name[0] != '\0'; s++)
		if (strcmp(s->name, name) == 0)
			return s;
	return NULL;
}

/* A call that does not return has no return probe: it would never fire. */
static bool call_returns(const struct dt_syscall *s) { return !(s->flags & DT_SYSCALL_NO_RETURN); }

/*
 * The hook has the number of the call: one program serves all calls, and looks up which clauses they
 * have.
 */
static void syscall_add_probe(struct dt_probes *p, const struct dt_provider *row, const char *name,
    uint32_t number, bool has_return)
{
	struct dt_hook hook = { .kind = DT_HOOK_SYS_ENTER, .number = number };

	dt_probes_add(p, row, "vmlinux", name, "entry", &hook);
	hook.kind = DT_HOOK_SYS_EXIT;
	if (has_return)
		dt_probes_add(p, row, "vmlinux", name, "return", &hook);
}

/*
 * A call with a successor on this machine is answered by that; otherwise by the name that is spelled
 * most like it.
 */
static const char *nearest(const char *name)
{
	struct dt_near near;

	for (size_t i = 0; i < DT_COUNT(successors); i++)
		if (strcmp(successors[i].old, name) == 0 && find_syscall(successors[i].now) != NULL)
			return successors[i].now;
	dt_near_init(&near, name);
	for (const struct dt_syscall *s = dt_syscalls; s->name[0] != '\0'; s++)
		dt_near_offer(&near, s->name);
	for (size_t i = 0; i < DT_COUNT(successors); i++)
		dt_near_offer(&near, successors[i].old);
	for (size_t i = 0; i < DT_COUNT(successors) && near.best != NULL && find_syscall(near.best) == NULL;
	     i++)
		if (strcmp(successors[i].old, near.best) == 0)
			near.best = successors[i].now;
	return near.best;
}

/* Says which part of the description is wrong: the call, its module, or the name of the probe. */
static const char *syscall_missing(struct dt_probes *p, const struct dt_probedesc *want)
{
	const struct dt_syscall *s = find_syscall(want->func);
	const char *best;

	if (s != NULL && !call_returns(s) && strcmp(want->name, "return") == 0)
		return dt_arena_printf(p->arena, "the system call %s never returns", s->name);
	if (s != NULL)
		return dt_part_matches_empty(want->mod) || strcmp(want->mod, "vmlinux") == 0 ?
		    "the probes of a system call are entry and return" :
		    "the module of system calls is vmlinux";
	best = nearest(want->func);
	if (best == NULL)
		return dt_arena_printf(p->arena, "there is no system call %s on this machine", want->func);
	return dt_arena_printf(p->arena, "there is no system call %s on this machine; did you mean %s?",
	    want->func, best);
}

/* The name in the table for the kernel's own name of a call. */
static const char *our_name(const char *name)
{
	for (size_t i = 0; i < DT_COUNT(kernel_names); i++)
		if (strcmp(kernel_names[i].kernel, name) == 0)
			return kernel_names[i].name;
	return name;
}

/* The other way round. NULL: the kernel has no other name for it. */
const char *dt_syscall_kernel_name(const char *name)
{
	for (size_t i = 0; i < DT_COUNT(kernel_names); i++)
		if (strcmp(kernel_names[i].name, name) == 0)
			return kernel_names[i].kernel;
	return NULL;
}

/* At return args[0] and args[1] are the value, for every call. At entry the call must be named. */
static struct dt_probe_sig *syscall_signature(struct dt_arena *arena, struct dt_types *types,
    const struct dt_probedesc *d)
{
	struct dt_probe_sig *sig;

	if (strcmp(d->name, "return") == 0) {
		sig = dt_sig_new(arena, 2);
		sig->in[0] = sig->in[1] = dt_types_basic(types, "long");
		return sig;
	}
	if (strcmp(d->name, "entry") != 0 || !dt_part_literal(d->func))
		return NULL;
	return dt_syscall_arguments(arena, types, our_name(d->func));
}

static bool syscall_may_match(const struct dt_provider *row, const struct dt_probedesc *d)
{
	(void)row;
	return !dt_part_literal(d->name) || strcmp(d->name, "entry") == 0 || strcmp(d->name, "return") == 0;
}

/*
 * All calls are in the list from the start. A description that matched none may use the kernel's own
 * name, and gets a probe of that name.
 */
static int syscall_provide(struct dt_probes *p, const struct dt_provider *row,
    const struct dt_probedesc *want, const char **why)
{
	if (want == NULL) {
		for (const struct dt_syscall *s = dt_syscalls; s->name[0] != '\0'; s++)
			syscall_add_probe(p, row, s->name, s->number, call_returns(s));
		return 0;
	}
	if (!dt_part_literal(want->func) || !dt_part_literal(want->prov))
		return 0;
	for (size_t i = 0; i < DT_COUNT(kernel_names); i++) {
		const struct dt_syscall *s = find_syscall(kernel_names[i].name);

		if (strcmp(kernel_names[i].kernel, want->func) == 0 && find_syscall(want->func) == NULL &&
		    s != NULL)
			syscall_add_probe(p, row, want->func, s->number, true);
	}
	*why = syscall_missing(p, want);
	return 0;
}

const struct dt_provider dt_provider_syscall = {
	.name = "syscall",
	.form = "syscall::CALL:entry, return",
	.doc = "System calls.",
	.attrs = { { EEC, PPU, PPI, EEC, PPI } },
	.signature = syscall_signature,
	.provide = syscall_provide,
	.may_match = syscall_may_match,
};
