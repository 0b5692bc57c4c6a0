/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * provider_dtmalloc FILE: between two calls of times(2) FILE is opened and closed 9 times, 7 messages of
 * 900 bytes go through a queue, 3 pipes get room for a mebibyte, and 64 pages are touched and given back.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/times.h>
#include <unistd.h>

static void must(int ok)
{
	if (!ok) {
		perror("provider_dtmalloc");
		_exit(2);
	}
}

static void pipes(void)
{
	int fd[2];

	for (int i = 0; i < 3; i++) {
		must(pipe(fd) == 0 && fcntl(fd[0], F_SETPIPE_SZ, 1 << 20) > 0);
		close(fd[0]);
		close(fd[1]);
	}
}

static void pages(void)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	volatile char *p = mmap(NULL, 64 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	must(p != MAP_FAILED);
	madvise((void *)p, 64 * page, MADV_NOHUGEPAGE);
	for (size_t i = 0; i < 64; i++)
		p[i * page] = 1;
	munmap((void *)p, 64 * page);
}

int main(int argc, char **argv)
{
	struct { long type; char text[900]; } m = { .type = 1 };
	int q = msgget(IPC_PRIVATE, 0600), fd;
	struct tms t;

	must(argc == 2 && q >= 0);
	times(&t);
	for (int i = 0; i < 9; i++) {
		must((fd = open(argv[1], O_RDONLY)) >= 0);
		close(fd);
	}
	for (int i = 0; i < 7; i++)
		must(msgsnd(q, &m, sizeof(m.text), 0) == 0 &&
		    msgrcv(q, &m, sizeof(m.text), 0, 0) == sizeof(m.text));
	pipes();
	pages();
	times(&t);
	msgctl(q, IPC_RMID, NULL);
	return 0;
}
