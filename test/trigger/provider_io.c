/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * provider_io FILE N: N blocks of 4096 bytes in a row, read past the cache in one call: the kernel makes
 * few requests of them.
 */
#include <fcntl.h>
#include <linux/aio_abi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { BLOCK = 4096, MOST = 64 };
static char memory[MOST][BLOCK] __attribute__((aligned(4096)));

static void must(int ok, const char *what)
{
	if (!ok) {
		perror(what);
		_exit(2);
	}
}

int main(int argc, char **argv)
{
	struct iocb cb[MOST] = { 0 }, *list[MOST];
	struct io_event event[MOST];
	aio_context_t ctx = 0;
	int n = argc > 2 ? atoi(argv[2]) : 0, fd = argc > 1 ? open(argv[1], O_RDONLY | O_DIRECT) : -1, got;

	must(fd >= 0 && n > 0 && n <= MOST && syscall(SYS_io_setup, MOST, &ctx) == 0, "FILE N");
	for (int i = 0; i < n; i++) {
		cb[i] = (struct iocb){ .aio_lio_opcode = IOCB_CMD_PREAD, .aio_fildes = (uint32_t)fd,
			.aio_buf = (uintptr_t)memory[i], .aio_nbytes = BLOCK,
			.aio_offset = (int64_t)i * BLOCK };
		list[i] = &cb[i];
	}
	must(syscall(SYS_io_submit, ctx, (long)n, list) == n, "io_submit");
	for (int left = n; left > 0; left -= got) {
		must((got = (int)syscall(SYS_io_getevents, ctx, 1L, (long)left, event, NULL)) > 0,
		    "io_getevents");
		for (int i = 0; i < got; i++)
			must(event[i].res == BLOCK, "read");
	}
	return 0;
}
