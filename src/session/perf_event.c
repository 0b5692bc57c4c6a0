/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Events that the processor and the kernel count, by name. The names are those of perf with _ for -,
 * since - separates the parts of a cpc probe. PAPI names with a counterpart are known too, and rHEX is
 * an event of this processor by its number.
 */
#include "session/perf_event.h"

#include "session/impl.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <strings.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define HW(name, alias, config) { name, alias, PERF_TYPE_HARDWARE, PERF_COUNT_HW_##config }
#define SW(name, config) { name, NULL, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_##config }
#define CACHE(name, alias, cache, op, result) { name, alias, PERF_TYPE_HW_CACHE, \
	PERF_COUNT_HW_CACHE_##cache | \
	PERF_COUNT_HW_CACHE_OP_##op << 8 | PERF_COUNT_HW_CACHE_RESULT_##result << 16 }

/* Names and PAPI aliases compare without regard to case. The last row has no name. */
const struct dt_perf_row dt_perf_rows[] = {
	HW("cycles", "PAPI_tot_cyc", CPU_CYCLES),
	HW("instructions", "PAPI_tot_ins", INSTRUCTIONS),
	HW("cache_references", "PAPI_l3_tca", CACHE_REFERENCES),
	HW("cache_misses", "PAPI_l3_tcm", CACHE_MISSES),
	HW("branches", "PAPI_br_ins", BRANCH_INSTRUCTIONS),
	HW("branch_misses", "PAPI_br_msp", BRANCH_MISSES),
	HW("bus_cycles", NULL, BUS_CYCLES),
	HW("stalled_cycles_frontend", NULL, STALLED_CYCLES_FRONTEND),
	HW("stalled_cycles_backend", "PAPI_res_stl", STALLED_CYCLES_BACKEND),
	HW("ref_cycles", "PAPI_ref_cyc", REF_CPU_CYCLES),
	CACHE("l1_dcache_loads", "PAPI_l1_dca", L1D, READ, ACCESS),
	CACHE("l1_dcache_load_misses", "PAPI_l1_dcm", L1D, READ, MISS),
	CACHE("l1_dcache_stores", NULL, L1D, WRITE, ACCESS),
	CACHE("l1_icache_load_misses", "PAPI_l1_icm", L1I, READ, MISS),
	CACHE("llc_loads", NULL, LL, READ, ACCESS),
	CACHE("llc_load_misses", NULL, LL, READ, MISS),
	CACHE("dtlb_loads", NULL, DTLB, READ, ACCESS),
	CACHE("dtlb_load_misses", "PAPI_tlb_dm", DTLB, READ, MISS),
	CACHE("itlb_load_misses", "PAPI_tlb_im", ITLB, READ, MISS),
	CACHE("node_loads", NULL, NODE, READ, ACCESS),
	SW("cpu_clock", CPU_CLOCK),
	SW("task_clock", TASK_CLOCK),
	SW("page_faults", PAGE_FAULTS),
	SW("context_switches", CONTEXT_SWITCHES),
	SW("cpu_migrations", CPU_MIGRATIONS),
	SW("minor_faults", PAGE_FAULTS_MIN),
	SW("major_faults", PAGE_FAULTS_MAJ),
	SW("alignment_faults", ALIGNMENT_FAULTS),
	SW("emulation_faults", EMULATION_FAULTS),
	{ NULL, NULL, 0, 0 },
};

bool dt_perf_event_is_software(const struct dt_perf_row *row) { return row->type == PERF_TYPE_SOFTWARE; }

/* False: no such name. That this processor has the event is not known until it is opened. */
bool dt_perf_event_find(const char *name, size_t len, struct dt_perf_row *out)
{
	char text[64], *end;

	if (len == 0 || len >= sizeof(text))
		return false;
	memcpy(text, name, len);
	text[len] = '\0';
	for (const struct dt_perf_row *r = dt_perf_rows; r->name; r++)
		if (strcasecmp(r->name, text) == 0 || (r->alias && strcasecmp(r->alias, text) == 0)) {
			*out = *r;
			return true;
		}
	*out = (struct dt_perf_row){ .type = PERF_TYPE_RAW,
		.config = text[0] == 'r' ? strtoull(text + 1, &end, 16) : 0 };
	return text[0] == 'r' && text[1] != '\0' && *end == '\0';
}

/* mode is "u", "k" or empty: what is counted. EACCES is only a word for rights here, as EPERM is. */
static int open_event(const struct dt_perf_row *row, const char *mode, int pid, int cpu, uint64_t every)
{
	struct perf_event_attr attr = { .type = row->type,
		.size = sizeof(attr),
		.config = row->config,
		.sample_period = every,
		.disabled = 1,
		.exclude_user = mode[0] == 'k',
		.exclude_kernel = mode[0] == 'u',
		.exclude_hv = mode[0] == 'u' };
	int fd = (int)syscall(SYS_perf_event_open, &attr, pid, cpu, -1, PERF_FLAG_FD_CLOEXEC);

	return fd >= 0 ? fd : errno == EACCES ? -EPERM : -errno;
}

/* Whether the event can be opened here, with a period so long that it does not fire. */
int dt_perf_event_try(const struct dt_perf_row *row)
{
	int fd = open_event(row, "", 0, -1, row->type == PERF_TYPE_SOFTWARE ? 1000000 : 1000000000);

	if (fd < 0)
		return fd;
	close(fd);
	return 0;
}

int dt_perf_count(uint32_t cpu, const char *event, uint64_t every, int prog)
{
	const char *colon = strchr(event, ':');
	struct dt_perf_row row;
	int fd;

	if (!dt_perf_event_find(event, colon ? (size_t)(colon - event) : strlen(event), &row))
		return -ENOENT;
	fd = open_event(&row, colon ? colon + 1 : "", -1, (int)cpu, every);
	if (fd >= 0 && ioctl(fd, PERF_EVENT_IOC_SET_BPF, prog) < 0) {
		int err = -errno;

		close(fd);
		return err;
	}
	return fd;
}
