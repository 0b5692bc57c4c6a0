/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * calls N [wait|hang]: exactly N calls of getppid(2) by one thread, and exactly one of getpgid(2) after the
 * last. With wait they begin when a byte can be read from standard input (or it ends); with hang the
 * process then sleeps until it is killed. The trace must show N entries and N returns of getppid, all
 * before getpgid. Status 7, so that a test can tell it from others.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	long n = argc > 1 ? strtol(argv[1], NULL, 10) : 0;
	const char *how = argc > 2 ? argv[2] : "";
	char byte;

	if (strcmp(how, "wait") == 0)
		(void)!read(0, &byte, 1);
	for (long i = 0; i < n; i++)
		syscall(SYS_getppid);
	syscall(SYS_getpgid, 0);
	while (strcmp(how, "hang") == 0)
		pause();
	return 7;
}
