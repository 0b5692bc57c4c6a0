/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Perf events: the software clock of a CPU, which needs no hardware counters. Measured on 2 CPUs
 * (aarch64, 6.18, a virtual machine): profile-997 fires 997 times a second on a busy CPU and on idle
 * CPU 0. On idle CPU 1 its timer interrupts arrive, but the kernel makes no event of them (perf record
 * -a -e cpu-clock misses them too).
 */
#include "session/impl.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static int open_software(uint32_t cpu, uint64_t config, uint64_t period, int prog)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = config,
		.sample_period = period,
		.disabled = 1,
	};
	int fd = (int)syscall(SYS_perf_event_open, &attr, -1, (int)cpu, -1, PERF_FLAG_FD_CLOEXEC);

	if (fd < 0)
		/* perf_event_paranoid refuses with EACCES: a matter of privileges too */
		return errno == EACCES ? -EPERM : -errno;
	if (ioctl(fd, PERF_EVENT_IOC_SET_BPF, prog) < 0) {
		int err = -errno;

		close(fd);
		return err;
	}
	return fd;
}

int dt_perf_open(uint32_t cpu, uint64_t interval, int prog)
{
	return open_software(cpu, PERF_COUNT_SW_CPU_CLOCK, interval, prog);
}

int dt_perf_enable(int fd)
{
	return ioctl(fd, PERF_EVENT_IOC_ENABLE, 0) < 0 ? -errno : 0;
}
