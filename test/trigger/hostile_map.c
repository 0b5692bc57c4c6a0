/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * hostile_map TIMES FILE…: maps two pages of each file as code, prints "mapped", waits for a line,
 * and calls the second page of each file TIMES: getppid(2) is entered from there, with a stack that leads
 * through the file. With STAY in the environment the pages stay in memory, whatever becomes of the file.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	int times = argc > 1 ? atoi(argv[1]) : 0;
	char **at = calloc((size_t)argc + 1, sizeof(*at)), byte;

	for (int i = 2; i < argc; i++) {
		int fd = open(argv[i], O_RDONLY);

		at[i] = mmap(NULL, 8192, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
		if (at[i] == MAP_FAILED) {
			perror(argv[i]);
			return 2;
		}
		/* mlock(3) does nothing under a sanitizer */
		if (getenv("STAY") != NULL && syscall(SYS_mlock, at[i], 8192) != 0)
			perror("mlock");
		close(fd);
	}
	puts("mapped");
	fflush(stdout);
	(void)!read(0, &byte, 1);
	for (int i = 2; i < argc; i++)
		for (int k = 0; k < times; k++)
			((void (*)(void))(uintptr_t)(at[i] + 4096))();
	free(at);
	return 0;
}
