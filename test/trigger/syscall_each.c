/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * syscall_each NAME…: three calls of each, with arguments that make the kernel refuse or do nothing.
 * Without names it lists those it can make. What the kernel calls them inside is different for many of
 * them: that is why they are here.
 */
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define CALL(name, ...) { #name, SYS_##name, { __VA_ARGS__ } }

static const struct { const char *name; long number, arg[4]; } calls[] = {
	CALL(read, -1), CALL(write, -1), CALL(openat, -1), CALL(close, -1), CALL(newfstatat, -1),
	    CALL(fstat, -1), CALL(lseek, -1),
	CALL(ioctl, -1), CALL(pread64, -1), CALL(readv, -1), CALL(fcntl, -1), CALL(ftruncate, -1),
	    CALL(fadvise64, -1),
	CALL(sendfile, -1, -1), CALL(umount2, 0), CALL(statfs, 0), CALL(getrlimit, -1), CALL(getrusage, -1),
	    CALL(times, 0),
	CALL(personality, 0xffffffff), CALL(sysinfo, 0), CALL(prctl, -1), CALL(clock_gettime, -1),
	    CALL(nanosleep, 0), CALL(futex, 0, 127),
	CALL(getcwd, 0, 0), CALL(dup, -1), CALL(epoll_ctl, -1), CALL(mmap, 0, 0), CALL(munmap, 0, 0),
	    CALL(sync_file_range, -1),
	CALL(fallocate, -1), CALL(getrandom, 0, 0), CALL(sched_getaffinity, -1), CALL(getpid, 0),
	    CALL(getppid, 0), CALL(getuid, 0),
	CALL(geteuid, 0), CALL(getgid, 0), CALL(gettid, 0), CALL(getsid, -1), CALL(uname, 0),
	    CALL(sched_yield, 0), CALL(ppoll, 0, 0, -1),
	CALL(pselect6, -1), CALL(setuid, -1), CALL(truncate, 0), CALL(getitimer, -1), CALL(rt_sigaction, -1),
	    CALL(kill, 0, -1),
};

int main(int argc, char **argv)
{
	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
		if (argc == 1)
			puts(calls[i].name);
		for (int k = 1; k < argc; k++)
			for (int n = 0; n < 3 && strcmp(argv[k], calls[i].name) == 0; n++)
				syscall(calls[i].number, calls[i].arg[0], calls[i].arg[1], calls[i].arg[2],
				    calls[i].arg[3]);
	}
	return 0;
}
