/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A process that reads what enemies wrote gives up what it has: identity, capabilities, the ways to regain
 * them, memory without end, all files (Landlock) and all system calls but those that read a descriptor,
 * talk to the tracer and manage its own memory (seccomp). The last two are used where the kernel has them.
 * The order matters: groups can be given up only while there is a right to, the two locks need
 * PR_SET_NO_NEW_PRIVS once that right is gone, and nothing can be opened or asked for after them.
 */
#include "file/reader_impl.h"
#include "base/box.h"
#include "base/count.h"
#include "base/child.h"
#include "machine/machine.h"

#include <linux/audit.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

/*
 * Beyond what the process has when it begins: a sixteenth of the machine's memory, within these bounds. The
 * rows of a .eh_frame of 100 MB take 450 MB.
 */
#define MEMORY_MIN (256ull << 20)
#define MEMORY_MAX (1024ull << 20)
enum { MEMORY_SHARE = 16 };
#define FILES_MAX (16ull << 30)		/* mapped files do not count against the memory limit */

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

static uint64_t memory_more(void)
{
	long pages = sysconf(_SC_PHYS_PAGES);
	uint64_t share = pages > 0 ? (uint64_t)pages * (uint64_t)sysconf(_SC_PAGESIZE) / MEMORY_SHARE : 0;

	return share < MEMORY_MIN ? MEMORY_MIN : share > MEMORY_MAX ? MEMORY_MAX : share;
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
	return (SANITIZED || (limit(RLIMIT_AS, memory_now(false) + memory_more() + (maps ? FILES_MAX : 0)) &&
	    limit(RLIMIT_DATA, memory_now(true) + memory_more()))) && limit(RLIMIT_CORE, 0) &&
	    limit(RLIMIT_FSIZE, 0) && limit(RLIMIT_NPROC, 0) && limit(RLIMIT_NOFILE, 64);
}

/* setrlimit is for limit_cpu(), and cannot undo the limits above. */
static void leave_calls(void)
{
	static const int calls[] = {
		SYS_read, SYS_pread64, SYS_lseek, SYS_close, SYS_fstat, SYS_newfstatat, SYS_recvmsg,
		SYS_sendmsg, SYS_sendto, SYS_write, SYS_futex, SYS_getrandom, SYS_clock_gettime,
		SYS_setrlimit, SYS_rt_sigreturn, SYS_exit, SYS_exit_group,
		SYS_sysinfo,		/* for qsort(3), which chooses how to sort by it */
	};

	dt_box_calls(dt_machine_here()->elf | __AUDIT_ARCH_64BIT | __AUDIT_ARCH_LE, calls, DT_COUNT(calls));
}

bool dt_reader_box(int parent, bool maps)
{
	if (!dt_child_drop_rights() || !limit_all(maps))
		return false;
	prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);	/* a change of identity clears it */
	if (getppid() != parent)
		return false;
	dt_box_files();
	leave_calls();
	return true;
}
