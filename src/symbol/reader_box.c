/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A process that reads what enemies wrote gives up what it has: identity, capabilities, the ways to regain
 * them, memory without end, all files (Landlock) and all system calls but those that read a descriptor,
 * talk to the tracer and manage its own memory (seccomp). The last two are used where the kernel has them.
 * The order matters: groups can be given up only while there is a right to, the two locks need
 * PR_SET_NO_NEW_PRIVS once that right is gone, and nothing can be opened or asked for behind them.
 */
#include "symbol/reader_impl.h"
#include "base/count.h"
#include "base/pass.h"
#include "machine/machine.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/landlock.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#define MEMORY_MAX (256ull << 20)	/* beyond what the process has when it begins */
#define FILES_MAX (16ull << 30)		/* of files that are mapped, which is nobody's memory */

#if defined(__SANITIZE_ADDRESS__)
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SANITIZED 1
#endif
#endif
#ifndef SANITIZED
#define SANITIZED 0
#endif

/*
 * The process is a copy of the tracer, which may be large: the limit is what it has plus what it may need.
 */
static uint64_t memory_now(bool data)
{
	FILE *f = fopen("/proc/self/statm", "re");
	unsigned long pages = 0;

	if (f != NULL && fscanf(f, data ? "%*u %*u %*u %*u %*u %lu" : "%lu", &pages) != 1)
		pages = 0;
	if (f != NULL)
		fclose(f);
	return (uint64_t)pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

/* A limit that is tighter already stays; it can never be raised again. */
static bool limit(int what, uint64_t most)
{
	struct rlimit r;

	if (getrlimit(what, &r) != 0)
		return false;
	r.rlim_cur = r.rlim_max = most < r.rlim_max ? most : r.rlim_max;
	return setrlimit(what, &r) == 0;
}

/* The sanitizer reserves address space by the terabyte. */
static bool limit_all(bool maps)
{
	return (SANITIZED || (limit(RLIMIT_AS, memory_now(false) + MEMORY_MAX + (maps ? FILES_MAX : 0)) &&
	    limit(RLIMIT_DATA, memory_now(true) + MEMORY_MAX))) && limit(RLIMIT_CORE, 0) &&
	    limit(RLIMIT_FSIZE, 0) && limit(RLIMIT_NPROC, 0) && limit(RLIMIT_NOFILE, 64);
}

/*
 * A set of rules without a single rule: every access that it handles is refused. Descriptors that are
 * passed in later still work, as they were opened elsewhere.
 */
static void leave_files(void)
{
	struct landlock_ruleset_attr all = { .handled_access_fs = (LANDLOCK_ACCESS_FS_MAKE_SYM << 1) - 1 };
	int fd = (int)syscall(SYS_landlock_create_ruleset, &all, sizeof(all), 0);

	if (fd >= 0)
		(void)syscall(SYS_landlock_restrict_self, fd, 0);
	if (fd >= 0)
		close(fd);
}

#define LOAD(field) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
#define UNLESS(op, value, skip) BPF_JUMP(BPF_JMP | BPF_##op | BPF_K, value, 0, skip)
#define RETURN(what) BPF_STMT(BPF_RET | BPF_K, what)
#define DENY (SECCOMP_RET_ERRNO | EPERM)
#define ALLOW(name) UNLESS(JEQ, SYS_##name, 1), RETURN(SECCOMP_RET_ALLOW)
/* memory that is never code */
#define ALLOW_MEMORY(name) \
	UNLESS(JEQ, SYS_##name, 4), LOAD(args[2]), UNLESS(JSET, PROT_EXEC, 1), RETURN(DENY), \
	RETURN(SECCOMP_RET_ALLOW)

/*
 * Numbers are compared only behind the architecture: those of another one mean other calls. Numbers of x32,
 * which shares the architecture, have a bit of their own and equal none of these. setrlimit is for
 * limit_cpu(), and cannot undo the limits above.
 */
static void leave_calls(void)
{
	struct sock_filter rules[] = {
		LOAD(arch),
		UNLESS(JEQ, dt_machine_here()->elf | __AUDIT_ARCH_64BIT | __AUDIT_ARCH_LE, 1),
		BPF_JUMP(BPF_JMP | BPF_JA, 1, 0, 0),
		RETURN(SECCOMP_RET_KILL_PROCESS),
		LOAD(nr),
		ALLOW(read), ALLOW(pread64), ALLOW(lseek), ALLOW(close), ALLOW(fstat), ALLOW(newfstatat),
		ALLOW(recvmsg), ALLOW(sendmsg), ALLOW(sendto), ALLOW(write),
		ALLOW(brk), ALLOW(munmap), ALLOW(mremap), ALLOW(madvise), ALLOW(futex), ALLOW(getrandom),
		ALLOW(clock_gettime), ALLOW(setrlimit), ALLOW(rt_sigreturn), ALLOW(exit), ALLOW(exit_group),
		ALLOW(sysinfo),		/* for qsort(3), which chooses how to sort by it */
		ALLOW_MEMORY(mmap), ALLOW_MEMORY(mprotect),
		RETURN(DENY),
	};
	struct sock_fprog program = { DT_COUNT(rules), rules };

	(void)prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0);
}

bool dt_reader_box(int parent, bool maps)
{
	if (!dt_pass_drop_rights() || !limit_all(maps))
		return false;
	prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);	/* a change of identity clears it */
	if (getppid() != parent)
		return false;
	leave_files();
	leave_calls();
	return true;
}
