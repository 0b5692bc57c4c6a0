/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * provider_syscall: system calls with known arguments and results, made without the C library's help. All
 * of one kind come together; what the trace must show of them is in provider_syscall.sh.
 */
#include <fcntl.h>
#include <linux/time_types.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(void)
{
	struct __kernel_timespec nap = { 0, 123 };
	char *argv[] = { "zero", "one", NULL };
	long fd = syscall(SYS_openat, AT_FDCWD, "/dev/null", O_RDWR, 0);

	for (int i = 0; i < 5; i++)
		syscall(SYS_openat, AT_FDCWD, "/nonexistent/file", O_RDONLY, 0);
	for (int i = 0; i < 3; i++)
		syscall(SYS_write, fd, "some text", (size_t)10);
	syscall(SYS_write, -1, "nowhere", (size_t)8);
	/* the kernel looks at 32 bits of it, though the register has more */
	syscall(SYS_getpgid, INT64_C(0x1234567800000000));
	syscall(SYS_getpgid, INT64_C(0x12345678ffffffff));
	syscall(SYS_nanosleep, &nap, NULL);
	syscall(SYS_execve, "/nonexistent/program", argv, NULL);
	syscall(SYS_execve, (char *)16, NULL, NULL);
	syscall(1023);			/* no such call */
	_exit(0);
}
