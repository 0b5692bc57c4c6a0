/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * System calls that headers and kernels may lack, by number, and flags that came late: dtruss.sh
 * compares what dtruss(1) shows. Their arguments are shown whether or not this kernel has the call.
 */
#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>
#include <unistd.h>

enum {
	MSEAL = 462, GETXATTRAT = 464, REMOVEXATTRAT = 466, FILE_GETATTR = 468, LISTNS = 470,
	RSEQ_SLICE_YIELD = 471,
};

int main(void)
{
	struct { uint64_t value; uint32_t size, flags; } args = { 0, 0, 0 };
	struct { uint64_t xflags; uint32_t extsize, nextents, projid, cowextsize; } attr = { 0, 0, 0, 0, 0 };
	char byte;
	struct iovec part = { &byte, 1 };
	int zero = open("/dev/zero", O_RDONLY);

	(void)preadv2(zero, &part, 1, 5, 2);	/* RWF_DSYNC */
	(void)preadv(zero, &part, 1, 7);
	(void)syscall(MSEAL, 0, 0, 0);
	(void)syscall(GETXATTRAT, AT_FDCWD, "/dev/zero", AT_SYMLINK_NOFOLLOW, "user.none", &args,
	    sizeof(args));
	(void)syscall(REMOVEXATTRAT, AT_FDCWD, "/nosuch/file", 0, "user.none");
	(void)syscall(FILE_GETATTR, AT_FDCWD, "/dev/zero", &attr, sizeof(attr), AT_SYMLINK_NOFOLLOW);
	(void)syscall(LISTNS, NULL, NULL, 3, 1);
	(void)syscall(RSEQ_SLICE_YIELD);
	return 0;
}
