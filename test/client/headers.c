/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What historic clients find in the headers (L6, L7): <sys/dtrace.h>, names of classes, options and numbers
 * with their values, structs of the device, the variables. With an argument it compiles that program as the
 * historic dtrace -S does.
 */
#include <sys/dtrace.h>
#include <string.h>

_Static_assert(DTRACEACT_PROC == 0x100 && DTRACEACT_PROC_DESTRUCTIVE == 0x200 &&
    DTRACEACT_PROC_CONTROL == 0x300 && DTRACEACT_KERNEL == 0x400 &&
    DTRACEACT_KERNEL_DESTRUCTIVE == 0x500 && DTRACEACT_SPECULATIVE == 0x600, "classes");
_Static_assert(DTRACEACT_CLASS(DTRACEACT_STACK) == DTRACEACT_KERNEL &&
    DTRACEACT_ISDESTRUCTIVE(DTRACEACT_SYSTEM) && !DTRACEACT_ISDESTRUCTIVE(DTRACEACT_USTACK) &&
    DTRACEACT_ISSPECULATIVE(DTRACEACT_COMMIT), "what is of a class");
_Static_assert(DTRACE_CPUALL == -1 && DTRACE_IDNONE == 0 && DTRACE_EPIDNONE == 0 && DTRACE_AGGIDNONE == 0 &&
    DTRACE_AGGVARIDNONE == 0, "no number");
_Static_assert(DTRACEOPT_BUFSIZE == 0 && DTRACEOPT_STRSIZE == 6 && DTRACEOPT_SWITCHRATE == 16 &&
    DTRACEOPT_AGGSORTKEYPOS == 26 && DTRACEOPT_ZONE == 31 && DTRACEOPT_MAX == 32, "options");

int main(int argc, char **argv)
{
	dtrace_bufdesc_t buffer = { .dtbd_cpu = 1, .dtbd_size = 2, .dtbd_data = NULL, .dtbd_drops = 0 };
	dtrace_status_t status = { .dtst_exiting = 0, .dtst_filled = 0, .dtst_specdrops = 0 };
	dtrace_hdl_t *h = dtrace_open(DTRACE_VERSION, DTRACE_O_NODEV, NULL);
	dtrace_proginfo_t info;
	dtrace_prog_t *p;

	if (h == NULL || buffer.dtbd_drops != status.dtst_filled || DTRACE_AGGZOOM_MAX > 1)
		return 1;
	if (argc < 2) {
		printf("%s, debug %d\n", _dtrace_version, _dtrace_debug);
		_dtrace_debug = 1;
		(void)dtrace_setopt(h, "no-such-option", NULL);
		dtrace_close(h);
		return 0;
	}
	p = dtrace_program_strcompile(h, argv[1], DTRACE_PROBESPEC_NAME, DTRACE_C_DIFV, 0, NULL);
	if (p == NULL)
		return fprintf(stderr, "%s\n", dtrace_errmsg(h, dtrace_errno(h))), 1;
	dtrace_program_info(h, p, &info);
	printf("%u records, %u aggregates\n", info.dpi_recgens, info.dpi_aggregates);
	dtrace_close(h);
	return 0;
}
