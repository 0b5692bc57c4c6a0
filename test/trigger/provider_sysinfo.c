/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * provider_sysinfo FILE: a known number of everything sysinfo counts, between two calls of times(2). FILE
 * has 10 bytes or more. provider_sysinfo raw DEVICE: blocks of a device read and written through buffers,
 * and past the cache. provider_sysinfo lock terminal|map: threads that get in each other's way until they
 * are killed.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <pty.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/resource.h>
#include <sys/sem.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/times.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

static char buf[8192] __attribute__((aligned(4096)));

static void must(int ok)
{
	if (!ok) {
		perror("provider_sysinfo");
		_exit(2);
	}
}

/* 7 calls of which 5 get 3, 4, 5, 6, 7 bytes; as many writes */
static void transfers(int in, int out)
{
	struct iovec v[2] = { { buf, 2 }, { buf, 2 } }, w = { buf, 6 };

	must(read(in, buf, 3) == 3 && readv(in, v, 2) == 4 && pread(in, buf, 5, 0) == 5 &&
	    preadv(in, &w, 1, 0) == 6);
	w.iov_len = 7;
	must(preadv2(in, &w, 1, 0, 0) == 7 && read(-1, buf, 9) < 0 && pread(in, buf, 9, 1 << 20) == 0);
	must(write(out, buf, 3) == 3 && writev(out, v, 2) == 4 && pwrite(out, buf, 5, 0) == 5);
	w.iov_len = 6;
	must(pwritev(out, &w, 1, 0) == 6);
	w.iov_len = 7;
	must(pwritev2(out, &w, 1, 0, 0) == 7 && write(-1, buf, 9) < 0 && write(out, buf, 0) == 0);
}

static void *nothing(void *arg) { return arg; }

/* 3 forks, 2 vforks, 2 threads; 2 calls of exec, in vain; a child that may not have children asks for 2 */
static void lives(void)
{
	pthread_t t;

	for (volatile int i = 0; i < 2; i++) {		/* vfork() may change what is in a register */
		if (fork() == 0)
			_exit(0);
		if (vfork() == 0)
			_exit(0);
		must(pthread_create(&t, NULL, nothing, NULL) == 0 && pthread_join(t, NULL) == 0);
	}
	if (fork() == 0) {
		struct rlimit none = { 0, 0 };

		must(setrlimit(RLIMIT_NPROC, &none) == 0 && setresuid(65534, 65534, 65534) == 0);
		for (int i = 0; i < 2; i++)
			must(fork() < 0 && errno == EAGAIN);
		_exit(0);
	}
	while (wait(NULL) > 0)
		;
	execl("/nonexistent/program", "program", (char *)NULL);
	syscall(SYS_execveat, -1, "", NULL, NULL, 0);
}

/* 4 calls for messages, 3 for semaphores */
static void ipc(void)
{
	struct { long type; char text[4]; } m = { .type = 1 };
	int q = msgget(IPC_PRIVATE, 0600), s = semget(IPC_PRIVATE, 1, 0600);
	struct sembuf up = { .sem_op = 1 };
	struct timespec soon = { .tv_sec = 1 };

	must(q >= 0 && s >= 0);
	for (int i = 0; i < 2; i++)
		must(msgsnd(q, &m, 4, 0) == 0 && msgrcv(q, &m, 4, 0, 0) == 4);
	must(semop(s, &up, 1) == 0 && semop(s, &up, 1) == 0 && semtimedop(s, &up, 1, &soon) == 0);
	msgctl(q, IPC_RMID, NULL);
	semctl(s, 0, IPC_RMID);
}

static sigjmp_buf back;
static void handler(int sig) { siglongjmp(back, sig); }

/* 3 traps that are no page faults */
static void traps(void)
{
	for (volatile int i = 0; i < 3; i++) {
		signal(SIGTRAP, handler);
		signal(SIGILL, handler);
		if (sigsetjmp(back, 1) == 0)
			__builtin_trap();
	}
}

/* A terminal gets 6 characters, a line is read and 4 are written, without turning newlines into two. */
static void terminal(void)
{
	struct termios raw = { .c_cflag = CS8 | CREAD, .c_lflag = ICANON };
	int there, here;

	must(openpty(&there, &here, NULL, &raw, NULL) == 0);
	must(write(there, "hello\n", 6) == 6 && read(here, buf, 100) == 6 && write(here, "dark", 4) == 4);
	must(read(there, buf, 100) == 4);	/* all has come: what is on the way is lost at the end */
	close(here);
	close(there);
}

/* 5 names: 2 opened, 1 asked about, 1 made, 1 removed */
static void names(const char *file)
{
	struct stat st;
	int a = open(file, O_RDONLY), b = open("/nonexistent", O_RDONLY);

	must(a >= 0 && b < 0 && stat(file, &st) == 0 && mkdir("/proc/none", 0700) < 0 &&
	    unlink("/nonexistent") < 0);
	close(a);
}

static volatile int stop;
static volatile unsigned beats;

static void *spin(void *arg)
{
	while (!stop)
		beats++;
	return arg;
}

static void on_cpu(pthread_t t, int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	pthread_setaffinity_np(t, sizeof(set), &set);
}

/*
 * 20 moves between CPUs, and 500 barriers that a thread on another CPU must take part in; with one CPU
 * nothing.
 */
static void processors(void)
{
	cpu_set_t all;
	int cpu[2], n = 0;
	pthread_t t;

	sched_getaffinity(0, sizeof(all), &all);
	for (int i = 0; i < CPU_SETSIZE && n < 2; i++)
		if (CPU_ISSET(i, &all))
			cpu[n++] = i;
	if (n < 2)
		return;
	for (int i = 0; i < 20; i++)
		on_cpu(pthread_self(), cpu[i & 1]);
	on_cpu(pthread_self(), cpu[0]);
	must(pthread_create(&t, NULL, spin, NULL) == 0);
	on_cpu(t, cpu[1]);
	syscall(SYS_membarrier, 16, 0, 0);	/* register, then MEMBARRIER_CMD_PRIVATE_EXPEDITED */
	for (int i = 0; i < 500; i++) {
		for (unsigned now = beats; beats == now; )	/* it runs */
			;
		syscall(SYS_membarrier, 8, 0, 0);
	}
	stop = 1;
	pthread_join(t, NULL);
}

static int raw(const char *device)
{
	int cached = open(device, O_RDWR), direct = open(device, O_RDWR | O_DIRECT);
	struct tms t;

	must(cached >= 0 && direct >= 0);
	posix_fadvise(cached, 0, 0, POSIX_FADV_DONTNEED);
	times(&t);
	for (int i = 0; i < 8; i++)		/* a part of a block: the rest must be read */
		must(pwrite(cached, buf, 100, 65536 * i) == 100);
	must(fsync(cached) == 0);
	for (int i = 0; i < 4; i++)
		must(pwrite(cached, buf, 4096, 65536 * i) == 4096);
	must(sync_file_range(cached, 0, 0, SYNC_FILE_RANGE_WRITE) == 0);
	for (int i = 0; i < 3; i++)
		must(pread(direct, buf, 4096, 65536 * i) == 4096);
	for (int i = 0; i < 2; i++)
		must(pwrite(direct, buf, 4096, 65536 * i) == 4096);
	times(&t);
	return 0;
}

static int master, slave;

/* The one that waits for a line holds a mutex, which the other waits for. */
static void *reads(void *arg)
{
	char line[16];

	while (read(slave, line, sizeof(line)) > 0)
		;
	return arg;
}

static void *writes(void *arg)
{
	while (write(master, "line\n", 5) == 5)
		usleep(20000);
	return arg;
}

static void *maps(void *arg)
{
	for (;;) {
		void *p = mmap(NULL, 65536, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		munmap(p, 65536);
	}
	return arg;
}

static void *asks(void *arg)
{
	static unsigned char in[4];

	for (;;)
		mincore(buf, 8192, in);
	return arg;
}

static void lock(bool is_terminal)
{
	struct termios raw = { .c_cflag = CS8 | CREAD, .c_lflag = ICANON };
	pthread_t t;

	must(openpty(&master, &slave, NULL, &raw, NULL) == 0);
	pthread_create(&t, NULL, is_terminal ? writes : maps, NULL);
	for (int i = 0; i < 2; i++)
		pthread_create(&t, NULL, is_terminal ? reads : asks, NULL);
	for (;;)
		pause();
}

int main(int argc, char **argv)
{
	struct tms t;
	int in, out;

	if (argc > 2 && strcmp(argv[1], "raw") == 0)
		return raw(argv[2]);
	if (argc > 2)
		lock(strcmp(argv[2], "terminal") == 0);
	in = open(argc > 1 ? argv[1] : "", O_RDONLY);
	out = memfd_create("out", 0);
	must(in >= 0 && out >= 0);
	times(&t);
	transfers(in, out);
	lives();
	ipc();
	traps();
	names(argv[1]);
	times(&t);
	terminal();
	processors();
	return 0;
}
