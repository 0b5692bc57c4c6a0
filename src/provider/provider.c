/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The table of providers: the stability of each part of their probes, and argument types from kernel
 * type data.
 */
#include "provider/provider.h"

#include "dif/builtin.h"
#include "provider/derived.h"

#define A(n, d, c) { DT_STAB_##n, DT_STAB_##d, DT_CLS_##c }

#define PPU A(PRIVATE, PRIVATE, UNKNOWN)
#define PPI A(PRIVATE, PRIVATE, ISA)
#define EEC A(EVOLVING, EVOLVING, COMMON)
#define EEI A(EVOLVING, EVOLVING, ISA)
#define SSC A(STABLE, STABLE, COMMON)
#define DERIVED(table) .provide = dt_derived_provide, .may_match = dt_derived_may_match, .derived = table

/* Inputs and outputs are the same list, in the same order: no translator. */
struct dt_probe_sig *dt_sig_new(struct dt_arena *arena, uint32_t n)
{
	struct dt_probe_sig *sig = DT_NEW(arena, struct dt_probe_sig);

	sig->nin = sig->nout = n;
	sig->in = sig->out = DT_NEWN(arena, const struct dt_type *, n + 1);
	sig->map = DT_NEWN(arena, uint8_t, n + 1);
	for (uint32_t i = 0; i < n; i++)
		sig->map[i] = (uint8_t)i;
	return sig;
}

/*
 * In the order in which probes are numbered: those from tables first, those read from the kernel last,
 * so the small providers get their numbers without the others being read.
 */
const struct dt_provider_row dt_providers[] = {
	{ .name = "dtrace",
	    .form = "BEGIN, END, ERROR",
	    .doc = "The beginning and the end of the trace, and faults of clauses.",
	    .attrs = { { SSC, PPU, PPU, SSC, SSC } },
	    .provide = dt_dtrace_provide,
	    .may_match = dt_dtrace_may_match },
	{ .name = "profile",
	    .form = "profile-RATE, tick-RATE",
	    .doc = "Time: at a rate on every CPU, or on one.",
	    .attrs = { { EEC, A(UNSTABLE, UNSTABLE, UNKNOWN), PPU, EEC, EEC } },
	    .provide = dt_profile_provide,
	    .may_match = dt_profile_may_match },
	{ .name = "syscall",
	    .form = "syscall::CALL:entry, return",
	    .doc = "System calls.",
	    .attrs = { { EEC, PPU, PPI, EEC, PPI } },
	    .signature = dt_syscall_signature,
	    .provide = dt_syscall_provide,
	    .may_match = dt_syscall_may_match },
	{ .name = "proc",
	    .form = "proc:::NAME",
	    .doc = "Lives of processes and threads, and signals.",
	    .attrs = { { EEI, PPU, PPU, EEI, EEI } }, DERIVED(dt_proc_probes) },
	{ .name = "sched",
	    .form = "sched:::NAME",
	    .doc = "Who runs on which CPU, and who waits for one.",
	    .attrs = { { EEI, PPU, PPU, EEI, EEI } }, DERIVED(dt_sched_probes) },
	{ .name = "io",
	    .form = "io:::start, done, wait-start, wait-done",
	    .doc = "Requests to disks.",
	    .attrs = { { EEI, PPU, PPU, EEI, EEI } }, DERIVED(dt_io_probes) },
	{ .name = "ip",
	    .form = "ip:::send, receive",
	    .doc = "Packets of IPv4 and IPv6.",
	    .attrs = { { EEI, PPU, PPU, EEI, EEI } }, DERIVED(dt_ip_probes) },
	{ .name = "tcp",
	    .form = "tcp:::NAME",
	    .doc = "Connections and segments of TCP.",
	    .attrs = { { EEI, PPU, PPU, EEI, EEI } }, DERIVED(dt_tcp_probes) },
	{ .name = "udp",
	    .form = "udp:::send, receive",
	    .doc = "Datagrams of UDP.",
	    .attrs = { { EEI, PPU, PPU, EEI, EEI } }, DERIVED(dt_udp_probes) },
	{ .name = "udplite",
	    .form = "udplite:::send, receive",
	    .doc = "Datagrams of UDP-Lite.",
	    .attrs = { { EEI, PPU, PPU, EEI, EEI } }, DERIVED(dt_udplite_probes) },
	{ .name = "sctp",
	    .form = "sctp:::send, receive",
	    .doc = "Packets of SCTP.",
	    .attrs = { { EEI, PPU, PPU, EEI, EEI } }, DERIVED(dt_sctp_probes) },
	{ .name = "lockstat",
	    .form = "lockstat:::NAME",
	    .doc = "Locks of the kernel: waiting, taking, giving back.",
	    .attrs = { { EEC, PPU, PPU, EEC, EEC } }, DERIVED(dt_lockstat_probes) },
	{ .name = "mib",
	    .form = "mib:::COUNTER",
	    .doc = "Counters of the network, where they are counted.",
	    .attrs = { { EEI, PPU, PPU, EEI, EEI } }, DERIVED(dt_mib_probes) },
	{ .name = "sysinfo",
	    .form = "sysinfo:::COUNTER",
	    .doc = "Counters of CPUs: system calls, bytes, switches.",
	    .attrs = { { EEI, PPU, PPU, EEI, PPI } }, DERIVED(dt_sysinfo_probes) },
	{ .name = "vminfo",
	    .form = "vminfo:::COUNTER",
	    .doc = "Counters of memory: faults, pages in and out.",
	    .attrs = { { EEI, PPU, PPU, EEI, PPI } }, DERIVED(dt_vminfo_probes) },
	{ .name = "fsinfo",
	    .form = "fsinfo:::OPERATION",
	    .doc = "Operations on files, with the file.",
	    .attrs = { { EEI, PPU, PPU, EEI, EEI } }, DERIVED(dt_fsinfo_probes) },
	{ .name = "vfs",
	    .form = "vfs:vop:vop_NAME:entry, return",
	    .doc = "Operations on files, with the names of FreeBSD.",
	    .attrs = { { EEI, PPU, PPU, EEI, EEI } },
	    .signature = dt_vfs_signature,
	    DERIVED(dt_vfs_probes) },
	{ .name = "cpc",
	    .form = "cpc:::EVENT-MODE-COUNT",
	    .doc = "Counters of the processor: cycles, misses, branches.",
	    .attrs = { { EEC, PPU, PPU, A(EVOLVING, EVOLVING, CPU), EEC } },
	    .provide = dt_cpc_provide,
	    .may_match = dt_cpc_may_match },
	{ .name = "dtmalloc",
	    .form = "dtmalloc::CACHE:malloc, free",
	    .doc = "Memory of the kernel, by cache.",
	    .attrs = { { SSC, PPU, PPU, SSC, SSC } },
	    .provide = dt_dtmalloc_provide,
	    .may_match = dt_dtmalloc_may_match },
	{ .name = "mac_framework",
	    .form = "mac_framework::HOOK:mac-check-ok, mac-check-err",
	    .doc = "What security modules are asked and answer.",
	    .attrs = { { EEI, PPU, PPU, EEI, EEI } },
	    .signature = dt_mac_signature,
	    .provide = dt_mac_provide,
	    .may_match = dt_mac_may_match },
	{ .name = "mac",
	    .form = "mac:kernel:policy:NAME",
	    .doc = "Security modules that come and go: never on Linux.",
	    .attrs = { { EEI, PPU, PPU, EEI, EEI } }, DERIVED(dt_mac_probes) },
	{ .name = "priv",
	    .form = "priv:kernel:priv_check:priv-ok, priv-err",
	    .doc = "Capabilities that are asked for.",
	    .attrs = { { EEI, PPU, PPU, EEI, EEI } }, DERIVED(dt_priv_probes) },
	{ .name = "audit",
	    .form = "audit:event:CALL:commit, bsm",
	    .doc = "Records of audit.",
	    .attrs = { { EEI, PPU, PPU, EEI, EEI } },
	    .provide = dt_audit_provide,
	    .may_match = dt_audit_may_match },
	{ .name = "sdt",
	    .form = "sdt:SYSTEM::TRACEPOINT",
	    .doc = "Every tracepoint of the kernel, with types.",
	    .attrs = { { EEI, PPU, PPU, PPI, PPI } },
	    .signature = dt_tracepoint_signature,
	    .provide = dt_sdt_provide,
	    .may_match = dt_sdt_may_match },
	{ .name = "rawtp",
	    .form = "rawtp:SYSTEM::TRACEPOINT",
	    .doc = "The same by the raw way, with the arguments of the tracepoint itself.",
	    .attrs = { { EEI, PPU, PPU, PPI, PPI } },
	    .signature = dt_tracepoint_signature,
	    .provide = dt_sdt_provide,
	    .may_match = dt_sdt_may_match },
	{ .name = "fbt",
	    .form = "fbt:MODULE:FUNCTION:entry, return",
	    .doc = "Functions of the kernel, with types.",
	    .attrs = { { EEC, PPU, PPI, EEC, PPI } },
	    .signature = dt_fbt_signature,
	    .provide = dt_fbt_provide,
	    .may_match = dt_fbt_may_match },
	{ .name = "rawfbt",
	    .form = "rawfbt:MODULE:FUNCTION:entry, return",
	    .doc = "The same by kprobes, without types.",
	    .attrs = { { EEC, PPU, PPI, EEC, PPI } },
	    .provide = dt_rawfbt_provide,
	    .may_match = dt_fbt_may_match,
	    .wants = dt_rawfbt_wants },
	{ .name = "kinst",
	    .form = "kinst::FUNCTION:OFFSET",
	    .doc = "Instructions of the kernel.",
	    .attrs = { { PPI, PPI, PPI, PPI, PPI } },
	    .provide = dt_kinst_provide,
	    .may_match = dt_kinst_may_match },
	{ .name = "pid",
	    .form = "pidPID:MODULE:FUNCTION:entry, return, OFFSET",
	    .doc = "Functions and instructions of processes; pid$target, pid*.",
	    .attrs = { { EEI, PPU, PPU, EEI, PPU } },
	    .per_process = true,
	    .provide = dt_pid_provide,
	    .wants = dt_pid_wants,
	    .look = dt_pid_look,
	    .grows = dt_pid_grows,
	    .typed = dt_pid_typed,
	    .nameless = { "entry and return of each function (the name * is every instruction)",
		"entry, return and every instruction of the function (the names entry and return are "
		"those alone)" } },
	{ .name = "plockstat",
	    .form = "plockstatPID:::NAME",
	    .doc = "Locks of a process: pthread mutexes and read-write locks.",
	    .attrs = { { EEI, PPU, PPU, EEI, EEI } },
	    .per_process = true,
	    .provide = dt_plockstat_provide,
	    .wants = dt_plockstat_wants },
	/*
	 * static probes of programs: any other provider name; this name itself cannot be written in D
	 */
	{ .name = "(usdt)",
	    .form = "PROVIDERPID:MODULE:FUNCTION:NAME",
	    .doc = "Static probes of programs (USDT), under names of their own.",
	    .attrs = { { PPU, PPU, PPU, PPU, PPU } },
	    .provide = dt_usdt_provide,
	    .wants = dt_usdt_wants,
	    .look = dt_usdt_look },
	{ 0 },
};

/* The row of "pid123" is that of "pid". NULL: the name may still be that of static probes. */
const struct dt_provider_row *dt_provider_find(const char *name)
{
	for (const struct dt_provider_row *row = dt_providers; row->name != NULL; row++) {
		size_t len = strlen(row->name);

		if (strcmp(row->name, name) == 0)
			return row;
		if (row->per_process && strncmp(row->name, name, len) == 0 && name[len] != '\0' &&
		    name[len + strspn(name + len, "0123456789")] == '\0')
			return row;
	}
	return NULL;
}
