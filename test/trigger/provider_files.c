/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * provider_files DIR: between two calls of times(2) a known number of every operation on files, in DIR,
 * which is empty. The tests know the figures.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/times.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

static char buf[4096];

static void must(int ok, const char *what)
{
	if (!ok) {
		perror(what);
		_exit(2);
	}
}

/* 6 writes, 600 bytes; 4 reads, 256 bytes; 4 seeks, 3 syncs */
static void transfers(int fd)
{
	struct iovec w[2] = { { buf, 50 }, { buf, 50 } }, r[2] = { { buf, 32 }, { buf, 32 } };

	for (int i = 0; i < 5; i++)
		must(write(fd, buf, 100) == 100, "write");
	must(writev(fd, w, 2) == 100, "writev");
	for (int i = 0; i < 4; i++)
		must(lseek(fd, i, SEEK_SET) == i, "lseek");
	for (int i = 0; i < 3; i++)
		must(read(fd, buf, 64) == 64, "read");
	must(readv(fd, r, 2) == 64, "readv");
	must(fsync(fd) == 0 && fsync(fd) == 0 && fdatasync(fd) == 0, "fsync");
}

/*
 * 4 times attributes are read, 3 times set; 2 of fcntl's flags, 2 locks, 2 controls in vain, 1 mapping, 1
 * handle
 */
static void attributes(int fd, const char *file)
{
	struct flock lock = { .l_type = F_WRLCK };
	struct { struct file_handle h; char room[128]; } handle = { .h.handle_bytes = 128 };
	struct stat st;
	int mount;
	volatile char *p;

	for (int i = 0; i < 2; i++) {
		must(fstat(fd, &st) == 0 && stat(file, &st) == 0, "stat");
		must(fchmod(fd, 0600 + (mode_t)i) == 0, "fchmod");
		must(fcntl(fd, F_SETFL, O_NONBLOCK) == 0, "F_SETFL");
		lock.l_type = i == 0 ? F_WRLCK : F_UNLCK;
		must(fcntl(fd, F_SETLK, &lock) == 0, "F_SETLK");
		must(ioctl(fd, 0x5401, buf) < 0, "ioctl");
	}
	must(ftruncate(fd, 1 << 20) == 0 && fallocate(fd, 0, 0, 8192) == 0, "ftruncate");
	p = mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 1 << 19);	/* not in memory yet */
	must(p != MAP_FAILED && p[0] == 0 && munmap((void *)p, 4096) == 0, "mmap");
	must(name_to_handle_at(AT_FDCWD, file, &handle.h, &mount, 0) == 0, "name_to_handle_at");
}

/* 2 extended attributes written (1 of them removed), 2 read */
static void extended(const char *file)
{
	must(setxattr(file, "trusted.one", "value", 5, 0) == 0, "setxattr");
	for (int i = 0; i < 2; i++)
		must(getxattr(file, "trusted.one", buf, 100) == 5, "getxattr");
	must(listxattr(file, buf, 100) > 0, "listxattr");
	must(removexattr(file, "trusted.one") == 0, "removexattr");
}

/*
 * 1 link, 1 symbolic link, 4 of those read, 1 renamed, 5 removed; 2 folders made, 3 times removed (once
 * in vain), 2 times read
 */
static void names(void)
{
	struct stat st;
	int fd;

	must(link("a", "b2") == 0 && symlink("a", "s") == 0 && rename("b", "b1") == 0, "link");
	for (int i = 0; i < 2; i++)
		must(readlink("s", buf, 99) == 1 && readlink("/proc/self/exe", buf, 99) > 0, "readlink");
	must(mkdir("d1", 0700) == 0 && mkdir("d1/d2", 0711) == 0, "mkdir");
	must((fd = open(".", O_RDONLY | O_DIRECTORY)) >= 0, "open .");
	must(syscall(SYS_getdents64, fd, buf, sizeof(buf)) > 0 &&
	    syscall(SYS_getdents64, fd, buf, sizeof(buf)) >= 0, "getdents64");
	close(fd);
	must(rmdir("d1") < 0 && errno == ENOTEMPTY && rmdir("d1/d2") == 0 && rmdir("d1") == 0, "rmdir");
	must(unlink("a") == 0 && unlink("b1") == 0 && unlink("b2") == 0 && unlink("s") == 0 &&
	    unlink("p") == 0, "unlink");
	/* nobody has asked for it before */
	snprintf(buf, sizeof(buf), "/sys/kernel/dtrace-none-%d", getpid());
	for (int i = 0; i < 3; i++)
		must(stat(buf, &st) < 0, buf);
}

/* The names of a process go when it goes. */
static void process(void)
{
	int go[2];
	struct stat st;
	pid_t pid;

	must(pipe(go) == 0, "pipe");
	pid = fork();
	if (pid == 0) {
		close(go[1]);
		_exit(read(go[0], buf, 1) != 0);
	}
	snprintf(buf, sizeof(buf), "/proc/%d/status", pid);
	must(stat(buf, &st) == 0, buf);
	close(go[1]);
	close(go[0]);
	waitpid(pid, NULL, 0);
}

int main(int argc, char **argv)
{
	struct tms t;
	int a = -1, b = -1;

	must(argc == 2 && chdir(argv[1]) == 0, "DIR");
	times(&t);
	must((a = open("a", O_CREAT | O_RDWR, 0600)) >= 0 && (b = open("b", O_CREAT | O_RDWR, 0640)) >= 0,
	    "open");
	must(mknod("c", S_IFREG | 0600, 0) == 0 && mkfifo("p", 0644) == 0, "mknod");
	transfers(a);
	attributes(a, "a");
	extended("a");
	for (int i = 0; i < 3; i++)
		must(access("c", R_OK) == 0, "access");
	close(a);
	close(b);
	names();
	times(&t);
	process();
	return 0;
}
