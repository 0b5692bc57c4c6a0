/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * hostile_maps MAPPINGS liar CALLS | churn | jit KILOBYTES | rename TIMES | short TIMES: maps a page of its
 * own file as code that many times, says "ready", and then
 *   liar   calls getppid(2) CALLS times from stacks of return addresses that are nowhere, and says "done";
 *   churn  maps and unmaps one more for as long as it lives;
 *   jit    writes a perf map of that size, and for as long as it lives calls getppid(2) from code that it
 *          made, and touches the map;
 *   rename maps a link to its own file, under another name each time, and says "done";
 *   short  makes so many processes, one after the other, that have code made at run time and end, and says
 *          "done".
 */
#include "alone.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { FRAMES = 15 };

struct frame { uintptr_t next, ra; };

#if defined(__aarch64__)
/* stp x29, x30, [sp, #-16]!; mov x29, sp; mov x8, #getppid; svc 0; ldp x29, x30, [sp], #16; ret */
static const uint32_t code[] = { 0xa9bf7bfd, 0x910003fd, 0xd2800008 | SYS_getppid << 5, 0xd4000001,
	0xa8c17bfd, 0xd65f03c0 };
#elif defined(__x86_64__)
/* push rbp; mov rbp, rsp; mov eax, getppid; syscall; pop rbp; ret */
static const uint8_t code[] = { 0x55, 0x48, 0x89, 0xe5, 0xb8, SYS_getppid, 0, 0, 0, 0x0f, 0x05, 0x5d, 0xc3 };
#else
#error "code for this machine is needed"
#endif

static void say(const char *text)
{
	if (write(STDOUT_FILENO, text, strlen(text)) < 0)
		exit(2);
}

static ALONE void lie(uintptr_t seed)
{
	struct frame fake[FRAMES];
	volatile uintptr_t *own = __builtin_frame_address(0);
	uintptr_t fp = own[0], ra = own[1];

	for (int i = 0; i < FRAMES; i++)
		fake[i] = (struct frame){ i + 1 < FRAMES ? (uintptr_t)&fake[i + 1] : 0,
			0x200000000 + (seed * FRAMES + (uintptr_t)i) * 4096 };
	own[0] = (uintptr_t)fake;
	own[1] = 0x100000000 + seed * 4096;
	syscall(SYS_getppid);
	own[0] = fp;
	own[1] = ra;
}

static void lie_often(long times)
{
	for (long i = 0; i < times; i++) {
		lie((uintptr_t)i);
		usleep(1000);
	}
}

static void churn(int fd)
{
	for (;;) {
		for (int i = 0; i < 64; i++) {
			void *at = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);

			if (at != MAP_FAILED)
				munmap(at, 4096);
		}
		usleep(1000);
	}
}

static void write_map(const char *path, const char *at, long kilobytes)
{
	FILE *f = fopen(path, "w");

	if (f == NULL)
		exit(2);
	fprintf(f, "%lx %zx jit_made\n", (unsigned long)at, sizeof(code));
	for (long i = 0; i < kilobytes * 32; i++)
		fprintf(f, "%010lx 10 a_lie_of_length\n", (unsigned long)i * 16);
	if (fclose(f) != 0)
		exit(2);
}

static void jit(long kilobytes)
{
	char *at = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), path[64];

	if (at == MAP_FAILED)
		exit(2);
	memcpy(at, code, sizeof(code));
	if (mprotect(at, 4096, PROT_READ | PROT_EXEC) != 0)
		exit(2);
	__builtin___clear_cache(at, at + sizeof(code));
	snprintf(path, sizeof(path), "/tmp/perf-%d.map", (int)getpid());
	write_map(path, at, kilobytes);
	say("ready\n");
	for (;;) {
		((void (*)(void))(uintptr_t)at)();
		usleep(20000);
		(void)utimensat(AT_FDCWD, path, NULL, 0);
	}
}

static void mapped(const char *path)
{
	int fd = open(path, O_RDONLY);
	void *at = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);

	if (fd < 0 || at == MAP_FAILED || munmap(at, 4096) != 0)
		exit(2);
	close(fd);
}

static void rename_often(long times)
{
	char from[64], to[64];
	int exe = open("/proc/self/exe", O_RDONLY), copy;

	snprintf(from, sizeof(from), "/tmp/hostile_maps.%d", (int)getpid());
	copy = open(from, O_WRONLY | O_CREAT | O_EXCL, 0700);
	if (copy < 0 || sendfile(copy, exe, NULL, 1 << 20) <= 0)
		exit(2);
	close(copy);
	for (long i = 0; i < times; i++) {
		snprintf(to, sizeof(to), "/tmp/hostile_maps.%d.%ld", (int)getpid(), i);
		if (rename(from, to) != 0)
			exit(2);
		snprintf(from, sizeof(from), "%s", to);
		mapped(to);
	}
	unlink(from);
}

static void short_lives(long times)
{
	for (long i = 0; i < times; i++) {
		pid_t child = fork();

		if (child == 0) {
			_exit(mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) ==
			    MAP_FAILED);
		}
		if (child < 0 || waitpid(child, NULL, 0) != child)
			exit(2);
	}
}

int main(int argc, char **argv)
{
	int fd = open("/proc/self/exe", O_RDONLY);

	if (argc < 3 || fd < 0)
		return 2;
	for (long n = atol(argv[1]); n > 0; n--) {
		/* one page between two: the kernel makes one of neighbours */
		char *at = mmap(NULL, 8192, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

		if (at == MAP_FAILED || munmap(at + 4096, 4096) != 0 ||
		    mmap(at, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_FIXED, fd, 0) == MAP_FAILED)
			break;		/* there are as many as can be */
	}
	if (strcmp(argv[2], "jit") == 0)
		jit(atol(argv[3]));
	say("ready\n");
	if (strcmp(argv[2], "churn") == 0)
		churn(fd);
	if (strcmp(argv[2], "rename") == 0)
		rename_often(atol(argv[3]));
	else if (strcmp(argv[2], "short") == 0)
		short_lives(atol(argv[3]));
	else
		lie_often(atol(argv[3]));
	say("done\n");
	pause();
	return 0;
}
