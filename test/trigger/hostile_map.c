/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * hostile_map TIMES FILE…: maps the first two pages of each file as code and calls the second one, TIMES for each: getppid(2)
 * is entered from there, with a stack that leads through the file. With TIMES 0 it maps, says so, and waits.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	int times = argc > 1 ? atoi(argv[1]) : 0;

	for (int i = 2; i < argc; i++) {
		int fd = open(argv[i], O_RDONLY);
		char *at = mmap(NULL, 8192, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);

		if (at == MAP_FAILED) {
			perror(argv[i]);
			return 2;
		}
		close(fd);
		for (int k = 0; k < times; k++)
			((void (*)(void))(uintptr_t)(at + 4096))();
	}
	if (times == 0) {
		puts("mapped");
		fflush(stdout);
		pause();
	}
	return 0;
}
