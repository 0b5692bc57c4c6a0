/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * exact_ids KIND ID…: prints those of the kernel's eBPF objects (KIND: prog, map, link) that are still
 * there. Status 2: it may not ask.
 */
#include <errno.h>
#include <linux/bpf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	int cmd = argc < 2 ? -1 : strcmp(argv[1], "prog") == 0 ? BPF_PROG_GET_FD_BY_ID :
	    strcmp(argv[1], "map") == 0 ?
	    BPF_MAP_GET_FD_BY_ID : BPF_LINK_GET_FD_BY_ID;

	if (cmd < 0)
		return 2;
	for (int i = 2; i < argc; i++) {
		union bpf_attr attr;
		long fd;

		memset(&attr, 0, sizeof(attr));
		/* the other ids are in the same place */
		attr.prog_id = (unsigned)strtoul(argv[i], NULL, 10);
		fd = syscall(SYS_bpf, cmd, &attr, sizeof(attr));
		if (fd >= 0) {
			printf("%s %s\n", argv[1], argv[i]);
			close((int)fd);
		} else if (errno != ENOENT && errno != EAGAIN) {
			return 2;
		}
	}
	return 0;
}
