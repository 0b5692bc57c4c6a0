/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * prctl(2) with every operation and kind of argument that strace(1) of 2022 knows, whether or not this
 * kernel does it (P9): dtruss_strace.sh compares what both tracers show. prctls new: those that came
 * later.
 */
#include <linux/filter.h>
#include <linux/prctl.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/prctl.h>

#define CALL(op, ...) (void)prctl(op, __VA_ARGS__)
#define BARE(op) (void)prctl(op)

static void processes(void)
{
	int i = 0;
	char name[16];
	void *p = NULL;

	CALL(PR_SET_PDEATHSIG, SIGTERM);
	CALL(PR_GET_PDEATHSIG, &i);
	CALL(PR_SET_PDEATHSIG, 0);
	BARE(PR_GET_DUMPABLE);
	CALL(PR_SET_DUMPABLE, 1);
	CALL(PR_SET_DUMPABLE, 7);
	CALL(PR_SET_NAME, "na\"me");
	CALL(PR_GET_NAME, name);
	BARE(PR_GET_TIMERSLACK);
	CALL(PR_SET_TIMERSLACK, 50000);
	CALL(PR_MCE_KILL, PR_MCE_KILL_CLEAR, 0, 0, 0);
	CALL(PR_MCE_KILL, PR_MCE_KILL_SET, PR_MCE_KILL_EARLY, 0, 0);
	CALL(PR_MCE_KILL_GET, 0, 0, 0, 0);
	CALL(PR_SET_MM, PR_SET_MM_BRK, 0x1000, 0, 0);
	CALL(PR_SET_PTRACER, PR_SET_PTRACER_ANY);
	CALL(PR_SET_PTRACER, 1);
	CALL(PR_SET_CHILD_SUBREAPER, 1);
	CALL(PR_GET_CHILD_SUBREAPER, &i);
	CALL(PR_GET_TID_ADDRESS, &p);
	CALL(PR_GET_THP_DISABLE, 0, 0, 0, 0);
	CALL(PR_SET_THP_DISABLE, 0, 0, 0, 0);
	CALL(PR_SET_IO_FLUSHER, 0, 0, 0, 0);
	CALL(PR_GET_IO_FLUSHER, 0, 0, 0, 0);
	BARE(PR_TASK_PERF_EVENTS_DISABLE);
	BARE(PR_TASK_PERF_EVENTS_ENABLE);
	BARE(PR_GET_TIMING);
	CALL(PR_SET_TIMING, 0);
}

static void rights(void)
{
	struct sock_filter allow[] = { BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW) };
	struct sock_fprog filter = { 1, allow };

	CALL(PR_CAPBSET_READ, 32);
	CALL(PR_CAPBSET_READ, 63);
	CALL(PR_CAPBSET_DROP, 99);
	BARE(PR_GET_KEEPCAPS);
	CALL(PR_SET_KEEPCAPS, 0);
	BARE(PR_GET_SECUREBITS);
	CALL(PR_SET_SECUREBITS, 0x1000 | 0x2f);
	CALL(PR_CAP_AMBIENT, PR_CAP_AMBIENT_IS_SET, 10, 0, 0);
	CALL(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
	CALL(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0);
	CALL(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	BARE(PR_GET_SECCOMP);
	CALL(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter);
	CALL(PR_SET_SECCOMP, 9, 0, 0, 0);
}

static void machine(void)
{
	int i = 0;
	void *p = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	CALL(PR_GET_SPECULATION_CTRL, PR_SPEC_STORE_BYPASS, 0, 0, 0);
	CALL(PR_SET_SPECULATION_CTRL, PR_SPEC_INDIRECT_BRANCH, PR_SPEC_DISABLE, 0, 0);
	CALL(PR_SET_TAGGED_ADDR_CTRL, PR_TAGGED_ADDR_ENABLE, 0, 0, 0);
	CALL(PR_GET_TAGGED_ADDR_CTRL, 0, 0, 0, 0);
	CALL(PR_SET_SYSCALL_USER_DISPATCH, PR_SYS_DISPATCH_OFF, 0, 0, NULL);
	CALL(PR_SVE_SET_VL, 16 | PR_SVE_VL_INHERIT);
	CALL(PR_PAC_RESET_KEYS, PR_PAC_APIAKEY, 0, 0, 0);
	CALL(PR_SCHED_CORE, PR_SCHED_CORE_GET, 0, 0, &p);
	CALL(PR_GET_TSC, &i);
	CALL(PR_SET_TSC, PR_TSC_ENABLE);
	CALL(PR_GET_UNALIGN, &i);
	CALL(PR_GET_ENDIAN, &i);
	CALL(PR_GET_FPEXC, &i);
	CALL(PR_SET_FPEXC, 0x30000);
	CALL(PR_SET_VMA, PR_SET_VMA_ANON_NAME, p, 4096, "a name");
	CALL(4711, 1, 2, 0, 4);
}

int main(int argc, char **argv)
{
	(void)argv;
	if (argc > 1) {
		CALL(65, 1, 0, 0, 0);
		CALL(66, 0, 0, 0, 0);
		CALL(67, 0, 0, 0, 0);
		CALL(75, 3, 0, 0, 0);
		return 0;
	}
	processes();
	rights();
	machine();
	return 0;
}
