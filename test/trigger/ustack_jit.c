/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ustack_jit [NAME | -]: makes a function at run time that calls getppid(2) and returns, tells of it in
 * /tmp/perf-PID.map as jit_made (or NAME; - tells nothing), and runs it. The stack must begin in it. The file
 * is left for the tracer; a test takes it away.
 */
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

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

int main(int argc, char **argv)
{
	char *at = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), path[64];
	FILE *map;

	if (at == MAP_FAILED)
		return 2;
	memcpy(at, code, sizeof(code));
	if (mprotect(at, 4096, PROT_READ | PROT_EXEC) != 0)
		return 2;
	__builtin___clear_cache(at, at + sizeof(code));
	snprintf(path, sizeof(path), "/tmp/perf-%d.map", (int)getpid());
	map = fopen(argc > 1 && strcmp(argv[1], "-") == 0 ? "/dev/null" : path, "w");
	if (map == NULL)
		return 2;
	fprintf(map, "%lx 10 before\n%lx %zx %s\n", (unsigned long)at - 16, (unsigned long)at, sizeof(code),
	    argc > 1 ? argv[1] : "jit_made");
	fclose(map);
	((void (*)(void))(uintptr_t)at)();
	return 0;
}
