/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * inproc_filter MODE THREADS CALLS: a program with a filter of system calls that kills it. It prints "up",
 * and after a line of input calls work() in each of its threads; then it prints how often, and waits for
 * another line.
 *	probes	kills for the calls that an agent would like to make (gettid, futex, process_vm_readv ...)
 *	all	kills for mmap and socketpair too
 *	errors	these fail with EPERM
 *	later	as probes, but after the first line of input
 */
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static long calls;
static const char *mode;

__attribute__((noinline)) long work(long n, const char *text)
{
	__asm__ volatile("" : : "r"(text) : "memory");
	return 2 * n + 1;
}
static long (*volatile do_work)(long, const char *) = work;

static void set_filter(void)
{
	static const int never[] = { SYS_gettid, SYS_getcpu, SYS_tgkill, SYS_process_vm_readv,
		SYS_process_vm_writev, SYS_getuid, SYS_getgid, SYS_prctl, SYS_getpid, SYS_mmap,
		SYS_socketpair };
	unsigned n = strcmp(mode, "probes") == 0 || strcmp(mode, "later") == 0 ? 9 : 11;
	struct sock_filter f[32] = { BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)) };
	struct sock_fprog prog = { .filter = f, .len = 1 };

	for (unsigned i = 0; i < n; i++)
		f[prog.len++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)never[i],
		    (unsigned char)(n - i), 0);
	f[prog.len++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	f[prog.len++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K,
	    strcmp(mode, "errors") == 0 ? SECCOMP_RET_ERRNO | EPERM : SECCOMP_RET_KILL_PROCESS);
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	if (syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &prog) != 0)
		perror("seccomp");
}

static pthread_barrier_t go;

static void *run(void *arg)
{
	(void)arg;
	pthread_barrier_wait(&go);
	for (long i = 0; i < calls; i++)
		if (do_work(i, "a text") != 2 * i + 1)
			abort();
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t thread[64];
	int n = argc > 2 ? atoi(argv[2]) : 4;
	char byte;

	mode = argc > 1 ? argv[1] : "probes";
	n = n < 64 ? n : 64;
	calls = argc > 3 ? atol(argv[3]) : 1000;
	setvbuf(stdout, NULL, _IONBF, 0);
	pthread_barrier_init(&go, NULL, (unsigned)n + 1);
	for (int i = 0; i < n; i++)
		pthread_create(&thread[i], NULL, run, NULL);
	if (strcmp(mode, "later") != 0)
		set_filter();
	puts("up");
	(void)!read(0, &byte, 1);
	if (strcmp(mode, "later") == 0) {
		set_filter();
		puts("filtered");
		(void)!read(0, &byte, 1);
	}
	pthread_barrier_wait(&go);
	for (int i = 0; i < n; i++)
		pthread_join(thread[i], NULL);
	printf("work %ld\n", n * calls);
	(void)!read(0, &byte, 1);
	return 7;
}
