/* SPDX-License-Identifier: BSD-2-Clause */
/* See box.h. */
#include "base/box.h"

#include "base/count.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/landlock.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

/*
 * A set of rules without a single rule: every access that it handles is refused. Descriptors that are
 * passed in later still work, as they were opened elsewhere.
 */
void dt_box_files(void)
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
/* memory that is never code */
#define ALLOW_MEMORY(name) \
	UNLESS(JEQ, SYS_##name, 4), LOAD(args[2]), UNLESS(JSET, PROT_EXEC, 1), RETURN(DENY), \
	RETURN(SECCOMP_RET_ALLOW)

/*
 * Numbers are compared only after the architecture: those of another one mean other calls. Numbers of x32,
 * which shares the architecture, have a bit of their own and equal none of these.
 */
void dt_box_calls(uint32_t arch, const int *calls, size_t n)
{
	static const int memory[] = { SYS_brk, SYS_munmap, SYS_mremap, SYS_madvise };
	const struct sock_filter head[] = {
		LOAD(arch),
		UNLESS(JEQ, arch, 1),
		BPF_JUMP(BPF_JMP | BPF_JA, 1, 0, 0),
		RETURN(SECCOMP_RET_KILL_PROCESS),
		LOAD(nr),
	};
	static const struct sock_filter tail[] = { ALLOW_MEMORY(mmap), ALLOW_MEMORY(mprotect), RETURN(DENY) };
	struct sock_filter rules[DT_COUNT(head) + 2 * (DT_BOX_CALLS_MAX + DT_COUNT(memory)) + DT_COUNT(tail)];
	struct sock_fprog program = { DT_COUNT(head), rules };

	memcpy(rules, head, sizeof(head));
	for (size_t i = 0; i < n + DT_COUNT(memory) && i < DT_BOX_CALLS_MAX + DT_COUNT(memory); i++) {
		uint32_t call = (uint32_t)(i < n ? calls[i] : memory[i - n]);

		rules[program.len++] = (struct sock_filter)UNLESS(JEQ, call, 1);
		rules[program.len++] = (struct sock_filter)RETURN(SECCOMP_RET_ALLOW);
	}
	memcpy(rules + program.len, tail, sizeof(tail));
	program.len = (unsigned short)(program.len + DT_COUNT(tail));
	(void)prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0);
}
