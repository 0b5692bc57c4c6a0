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
	    .attrs = { { SSC, PPU, PPU, SSC, SSC } },
	    .provide = dt_dtrace_provide,
	    .may_match = dt_dtrace_may_match },
	{ .name = "profile",
	    .attrs = { { EEC, A(UNSTABLE, UNSTABLE, UNKNOWN), PPU, EEC, EEC } },
	    .provide = dt_profile_provide,
	    .may_match = dt_profile_may_match },
	{ .name = "syscall",
	    .attrs = { { EEC, PPU, PPI, EEC, PPI } },
	    .signature = dt_syscall_signature,
	    .provide = dt_syscall_provide,
	    .may_match = dt_syscall_may_match },
	{ .name = "proc", .attrs = { { EEI, PPU, PPU, EEI, EEI } }, DERIVED(dt_proc_probes) },
	{ .name = "sched", .attrs = { { EEI, PPU, PPU, EEI, EEI } }, DERIVED(dt_sched_probes) },
	{ .name = "io", .attrs = { { EEI, PPU, PPU, EEI, EEI } }, DERIVED(dt_io_probes) },
	{ .name = "ip", .attrs = { { EEI, PPU, PPU, EEI, EEI } }, DERIVED(dt_ip_probes) },
	{ .name = "tcp", .attrs = { { EEI, PPU, PPU, EEI, EEI } }, DERIVED(dt_tcp_probes) },
	{ .name = "udp", .attrs = { { EEI, PPU, PPU, EEI, EEI } }, DERIVED(dt_udp_probes) },
	{ .name = "udplite", .attrs = { { EEI, PPU, PPU, EEI, EEI } }, DERIVED(dt_udplite_probes) },
	{ .name = "sctp", .attrs = { { EEI, PPU, PPU, EEI, EEI } }, DERIVED(dt_sctp_probes) },
	{ .name = "lockstat", .attrs = { { EEC, PPU, PPU, EEC, EEC } }, DERIVED(dt_lockstat_probes) },
	{ .name = "mib", .attrs = { { EEI, PPU, PPU, EEI, EEI } }, DERIVED(dt_mib_probes) },
	{ .name = "sysinfo", .attrs = { { EEI, PPU, PPU, EEI, PPI } }, DERIVED(dt_sysinfo_probes) },
	{ .name = "vminfo", .attrs = { { EEI, PPU, PPU, EEI, PPI } }, DERIVED(dt_vminfo_probes) },
	{ .name = "fsinfo", .attrs = { { EEI, PPU, PPU, EEI, EEI } }, DERIVED(dt_fsinfo_probes) },
	{ .name = "vfs",
	    .attrs = { { EEI, PPU, PPU, EEI, EEI } },
	    .signature = dt_vfs_signature,
	    DERIVED(dt_vfs_probes) },
	{ .name = "cpc",
	    .attrs = { { EEC, PPU, PPU, A(EVOLVING, EVOLVING, CPU), EEC } },
	    .provide = dt_cpc_provide,
	    .may_match = dt_cpc_may_match },
	{ .name = "dtmalloc",
	    .attrs = { { SSC, PPU, PPU, SSC, SSC } },
	    .provide = dt_dtmalloc_provide,
	    .may_match = dt_dtmalloc_may_match },
	{ .name = "mac_framework",
	    .attrs = { { EEI, PPU, PPU, EEI, EEI } },
	    .signature = dt_mac_signature,
	    .provide = dt_mac_provide,
	    .may_match = dt_mac_may_match },
	{ .name = "mac", .attrs = { { EEI, PPU, PPU, EEI, EEI } }, DERIVED(dt_mac_probes) },
	{ .name = "priv", .attrs = { { EEI, PPU, PPU, EEI, EEI } }, DERIVED(dt_priv_probes) },
	{ .name = "audit",
	    .attrs = { { EEI, PPU, PPU, EEI, EEI } },
	    .provide = dt_audit_provide,
	    .may_match = dt_audit_may_match },
	{ .name = "sdt",
	    .attrs = { { EEI, PPU, PPU, PPI, PPI } },
	    .signature = dt_tracepoint_signature,
	    .provide = dt_sdt_provide,
	    .may_match = dt_sdt_may_match },
	{ .name = "rawtp",
	    .attrs = { { EEI, PPU, PPU, PPI, PPI } },
	    .signature = dt_tracepoint_signature,
	    .provide = dt_sdt_provide,
	    .may_match = dt_sdt_may_match },
	{ .name = "fbt",
	    .attrs = { { EEC, PPU, PPI, EEC, PPI } },
	    .signature = dt_fbt_signature,
	    .provide = dt_fbt_provide,
	    .may_match = dt_fbt_may_match },
	{ .name = "rawfbt",
	    .attrs = { { EEC, PPU, PPI, EEC, PPI } },
	    .provide = dt_rawfbt_provide,
	    .may_match = dt_fbt_may_match,
	    .wants = dt_rawfbt_wants },
	{ .name = "kinst",
	    .attrs = { { PPI, PPI, PPI, PPI, PPI } },
	    .provide = dt_kinst_provide,
	    .may_match = dt_kinst_may_match },
	{ .name = "pid",
	    .attrs = { { EEI, PPU, PPU, EEI, PPU } },
	    .per_process = true,
	    .provide = dt_pid_provide,
	    .wants = dt_pid_wants,
	    .typed = dt_pid_typed },
	{ .name = "plockstat",
	    .attrs = { { EEI, PPU, PPU, EEI, EEI } },
	    .per_process = true,
	    .provide = dt_plockstat_provide,
	    .wants = dt_plockstat_wants },
	/*
	 * static probes of programs: any other provider name; this name itself cannot be written in D
	 */
	{ .name = "(usdt)",
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
