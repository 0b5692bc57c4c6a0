/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where the probes of stable providers were on other systems. Only their provider and name are stable, and
 * scripts write the rest all the same: io:genunix:bdev_strategy:start. Such a description means the probe of
 * that name, wherever it fires here. Modules and functions are patterns, a space between them.
 */
#include "provider/provider.h"

#include "base/count.h"
#include "base/glob.h"

#include <stdio.h>

#define KERNEL "genunix unix mach_kernel "

static const struct history {
	const char *prov, *mods, *funcs;
} histories[] = {
	{ "proc", KERNEL,
	    "cfork forksys fork1 proc_exit exit1 lwp_exit lwp_create lwp_rtt_initial exec_common gexec "
	    "kern_execve do_execve sigtoproc psig trap stop_on_fault sigtimedwait sigwait* tdsendsignal" },
	{ "sched", KERNEL "TS RT FX FSS SDC IA",
	    "swtch* resume* _resume* preempt cpu_surrender cpucaps_* setfrontdq setbackdq setkpdq dispdeq "
	    "disp_* thread_change_pri thread_transition clock_tick ts_* rt_* fx_* fss_* schedctl_* cv_* "
	    "sleepq_* setrun* swapin swapout* sema_* turnstile_* mi_switch sched_*" },
	{ "io", KERNEL "nfs zfs ufs sd ssd cmdk",
	    "bdev_strategy default_physio aphysio physio biodone biowait nfs_bio nfs3_bio nfs4_bio "
	    "buf_strategy buf_biodone buf_biowait" },
	{ "sysinfo", KERNEL "ip ufs TS specfs",
	    "idle_enter idle swtch* resume* preempt read* write* pread* pwrite* syscall_* post_syscall trap "
	    "intr* av_dispatch_* mutex_vector_* rw_enter* xc_* xt_* x_call bread* bwrite* getblk* "
	    "default_physio lookuppn* exec_common cfork forksys vfork lwp_create mod_* modload* semsys "
	    "semop* msgsnd msgrcv thread_onproc disp_* cpu_* strrput strread ufs_* poll* clock_tick" },
	{ "vminfo", KERNEL "ufs specfs tmpfs swapfs nfs zfs",
	    "as_fault anon_* segvn_* page_* pageio_* pvn_* checkpage pageout* schedpaging swapin swapout* "
	    "swap_* hat_* trap" },
	{ "fsinfo", KERNEL "ufs zfs nfs tmpfs specfs", "fop_* VNOP_*" },
	{ "mib", KERNEL "ip tcp udp icmp sctp arp",
	    "ip_* tcp_* udp_* icmp_* rawip_* sctp_* ire_* ill_* conn_*" },
	{ "ip", KERNEL "ip", "ip_* ire_* ill_* ipif_* nce_* icmp_*" },
	{ "tcp", KERNEL "ip tcp", "tcp_* ip_* ire_* squeue_* conn_*" },
	{ "udp", KERNEL "ip udp", "udp_* ip_* ire_* conn_*" },
	{ "lockstat", KERNEL, "mutex_* lock_* disp_lock_* rw_* thread_lock* lck_*" },
};

static bool one_of(const char *patterns, const char *word)
{
	char pattern[64];

	for (size_t len; *patterns != '\0'; patterns += len) {
		patterns += strspn(patterns, " ");
		len = strcspn(patterns, " ");
		snprintf(pattern, sizeof(pattern), "%.*s", (int)len, patterns);
		if (len > 0 && dt_glob_match(pattern, word))
			return true;
	}
	return false;
}

/* A part that history knows becomes empty. */
static bool drop_part(const char **part, const char *patterns)
{
	if (**part == '\0' || !dt_part_literal(*part) || !one_of(patterns, *part))
		return false;
	*part = "";
	return true;
}

const char *dt_history_provider(const char *name)
{
	return strcmp(name, "dtaudit") == 0 ? "audit" : name;	/* FreeBSD's module for it has that name */
}

bool dt_history_now(const struct dt_probedesc *d, struct dt_probedesc *now)
{
	bool mod, func;

	*now = *d;
	for (size_t i = 0; i < DT_COUNT(histories); i++) {
		if (strcmp(d->prov, histories[i].prov) != 0)
			continue;
		mod = drop_part(&now->mod, histories[i].mods);
		func = drop_part(&now->func, histories[i].funcs);
		return mod || func;
	}
	return false;
}
