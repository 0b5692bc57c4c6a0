/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * trace DTRACE ROUNDS [BPFTRACE]: what a traced system call costs. This process calls getppid() in short
 * batches, pinned to one CPU, tracers on the others. In every round each workload is measured untraced,
 * with the program of floor.c, with dtrace and with bpftrace, forwards and backwards in turn. A round's
 * figure is its fastest batch, a table's the median of the rounds (and below it the median of all batches).
 * Status 77: bpf(2) is not permitted.
 */
#include "floor.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { NONE, FLOOR, DTRACE, BPFTRACE, NVARIANTS };
enum { CALLS = 400, BATCHES = 400, RECORD_BATCHES = 100, ROUNDS_MAX = 50, SETTLE_MS = 120, READY_MS = 15000,
	TRIES = 4 };

#define GETPPID "tracepoint:syscalls:sys_enter_getppid"
#define RAW "tracepoint:raw_syscalls:sys_enter"

static const struct workload {
	const char *d, *bt;
	enum floor_kind floor;
	int hooks;			/* attached when the tracer is ready */
	int batches;			/* so many that all records fit into the buffers */
} workloads[] = {
	{ "syscall:::entry { @ = count(); }", RAW " { @ = count(); }", FLOOR_COUNT, 1, BATCHES },
	{ "syscall:::entry { @[execname] = count(); }", RAW " { @[comm] = count(); }", FLOOR_COMM, 1,
	    BATCHES },
	{ "syscall:::entry { @[probefunc] = count(); }", RAW " { @[args->id] = count(); }", FLOOR_NUMBER, 1,
	    BATCHES },
	{ "syscall::getppid:entry { @ = count(); }", GETPPID " { @ = count(); }", FLOOR_ONE, 1, BATCHES },
	{ "syscall::getppid:entry { self->t = timestamp; } "
	  "syscall::getppid:return /self->t/ { @ = quantize(timestamp - self->t); self->t = 0; }",
	  GETPPID " { @t[tid] = nsecs; } tracepoint:syscalls:sys_exit_getppid /@t[tid]/ { @ = hist(nsecs - "
	      "@t[tid]); delete(@t[tid]); }",
	  FLOOR_LATENCY, 2, BATCHES },
	{ "syscall::getppid:entry { printf(\"%s %d %d\\n\", execname, pid, tid); }",
	  GETPPID " { printf(\"%s %d %d\\n\", comm, pid, tid); }", FLOOR_RECORD, 1, RECORD_BATCHES },
};
#define NWORK (sizeof(workloads) / sizeof(workloads[0]))

struct figures { double fastest[ROUNDS_MAX]; int rounds; double *all; size_t nall; };

struct bench {
	const char *dtrace, *bpftrace;	/* bpftrace: NULL when there is none */
	int rounds, cpu;
	/* hooks that were there before us; measurements during which others came or went */
	int others, disturbed;
	struct floor floor[NWORK];
	struct figures fig[NWORK][NVARIANTS];
};

/* ---- figures ---- */

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double median(double *v, size_t n)
{
	if (n == 0)
		return 0;
	qsort(v, n, sizeof(*v), by_value);
	return n % 2 ? v[n / 2] : (v[n / 2 - 1] + v[n / 2]) / 2;
}

static double now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec * 1e9 + (double)ts.tv_nsec;
}

static double batch(void)
{
	double start = now_ns();

	for (int i = 0; i < CALLS; i++)
		syscall(SYS_getppid);
	return (now_ns() - start) / CALLS;
}

static void measure(struct figures *f, int batches)
{
	double fastest = 0;

	for (int i = 0; i < 5; i++)
		batch();
	for (int i = 0; i < batches; i++) {
		double ns = batch();

		if (fastest == 0 || ns < fastest)
			fastest = ns;
		f->all[f->nall++] = ns;
	}
	f->fastest[f->rounds++] = fastest;
}

/* ---- tracers ---- */

static void sleep_ms(int ms)
{
	struct timespec ts = { .tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000L };

	nanosleep(&ts, NULL);
}

static void pin(int cpu, int others)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	for (int i = 0; others && i < cpu && i < CPU_SETSIZE; i++)
		CPU_SET(i, &set);
	if (!others || cpu == 0)
		CPU_SET(cpu, &set);
	sched_setaffinity(0, sizeof(set), &set);
}

/* bpftrace needs a tracefs: mount one in a namespace of its own. */
static void private_tracefs(void)
{
	if (unshare(CLONE_NEWNS) != 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0)
		return;
	if (access("/sys/kernel/tracing/events", F_OK) != 0)
		mount("tracefs", "/sys/kernel/tracing", "tracefs", 0, NULL);
}

static pid_t start(const struct bench *b, const struct workload *w, int variant)
{
	pid_t pid = fork();
	int null;

	if (pid != 0)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGINT);
	null = open("/dev/null", O_RDWR);
	for (int fd = 0; fd < 3; fd++)
		dup2(null, fd);
	pin(b->cpu, 1);
	if (variant == DTRACE) {
		execl(b->dtrace, "dtrace", "-q", "-b", "16m", "-n", w->d, (char *)NULL);
	} else {
		private_tracefs();
		setenv("BPFTRACE_PERF_RB_PAGES", "4096", 1);
		execlp(b->bpftrace, "bpftrace", "-e", w->bt, (char *)NULL);
	}
	_exit(127);
}

static int attached(pid_t pid)
{
	int n = 0;

	for (int fd = 3; fd < 256; fd++) {
		char name[64] = "";
		uint32_t len = sizeof(name), prog, type;
		__u64 off, addr;

		if (bpf_task_fd_query(pid, fd, 0, name, &len, &prog, &type, &off, &addr) == 0 &&
		    (type == BPF_FD_TYPE_RAW_TRACEPOINT || type == BPF_FD_TYPE_TRACEPOINT) &&
		    strncmp(name, "sys_", 4) == 0)
			n++;
	}
	return n;
}

/* Raw tracepoints at system calls, whoever's: a neighbour that traces costs us too. */
static int everybodys(void)
{
	uint32_t id = 0;
	int n = 0;

	while (bpf_link_get_next_id(id, &id) == 0) {
		struct bpf_link_info info = { 0 };
		uint32_t len = sizeof(info);
		char name[64] = "";
		int fd = bpf_link_get_fd_by_id(id);

		if (fd < 0)
			continue;
		info.raw_tracepoint.tp_name = (__u64)(uintptr_t)name;
		info.raw_tracepoint.tp_name_len = sizeof(name);
		if (bpf_obj_get_info_by_fd(fd, &info, &len) == 0 &&
		    info.type == BPF_LINK_TYPE_RAW_TRACEPOINT &&
		    strncmp(name, "sys_", 4) == 0)
			n++;
		close(fd);
	}
	return n;
}

/* Again when a neighbour came or went meanwhile; those that stay cost every variant the same. */
static void measure_steady(struct bench *b, size_t w, int variant, int own)
{
	struct figures *f = &b->fig[w][variant];

	for (int tries = 1; ; tries++) {
		struct figures was = *f;
		bool steady = everybodys() == b->others + own;

		measure(f, workloads[w].batches);
		if (steady && everybodys() == b->others + own)
			return;
		if (tries == TRIES || workloads[w].floor == FLOOR_RECORD) {
			b->disturbed++;
			return;
		}
		*f = was;
		sleep_ms(50);
	}
}

static void stop(pid_t pid)
{
	int status;

	kill(pid, SIGINT);
	for (int ms = 0; ms < 10000; ms += 5) {
		if (waitpid(pid, &status, WNOHANG) == pid)
			return;
		sleep_ms(5);
	}
	kill(pid, SIGKILL);
	waitpid(pid, &status, 0);
}

static void measure_tracer(struct bench *b, size_t w, int variant)
{
	pid_t pid = start(b, &workloads[w], variant);
	int status;

	if (pid < 0)
		return;
	for (int ms = 0; ms < READY_MS; ms += 10) {
		if (waitpid(pid, &status, WNOHANG) == pid)
			return;
		if (attached(pid) >= workloads[w].hooks) {
			sleep_ms(SETTLE_MS);
			measure_steady(b, w, variant, variant == DTRACE ? workloads[w].hooks : 0);
			break;
		}
		sleep_ms(10);
	}
	stop(pid);
}

static void measure_variant(struct bench *b, size_t w, int variant)
{
	struct floor *f = &b->floor[w];

	if (variant == NONE) {
		measure_steady(b, w, NONE, 0);
	} else if (variant == FLOOR) {
		if (floor_attach(f) == 0)
			measure_steady(b, w, FLOOR, workloads[w].hooks);
		floor_detach(f);
	} else if (variant == DTRACE || b->bpftrace) {
		measure_tracer(b, w, variant);
	}
}

/* ---- the table ---- */

static void cell(double v)
{
	if (v > 0)
		printf(" %9.1f", v);
	else
		printf(" %9s", "-");
}

static void ratio(double a, double b)
{
	if (a > 0 && b > 0)
		printf(" %9.2f", a / b);
	else
		printf(" %9s", "-");
}

static void line(const char *title, const double v[NVARIANTS])
{
	printf("  %-10s", title);
	for (int i = 0; i < NVARIANTS; i++)
		cell(v[i]);
	ratio(v[DTRACE], v[FLOOR]);
	ratio(v[DTRACE] - v[NONE], v[FLOOR] - v[NONE]);
	ratio(v[BPFTRACE], v[DTRACE]);
	ratio(v[BPFTRACE] - v[NONE], v[DTRACE] - v[NONE]);
	printf("\n");
}

static void table(struct bench *b)
{
	printf("ns a call, one getppid(); ratios of the whole call and of what tracing adds to it\n");
	printf("  %-10s %9s %9s %9s %9s %19s %19s\n", "", "untraced", "by hand", "dtrace", "bpftrace",
	    "dtrace : by hand", "bpftrace : dtrace");
	printf("  %-10s %39s %9s %9s %9s %9s\n", "", "", "whole", "added", "whole", "added");
	for (size_t w = 0; w < NWORK; w++) {
		double fastest[NVARIANTS], middle[NVARIANTS];

		for (int v = 0; v < NVARIANTS; v++) {
			struct figures *f = &b->fig[w][v];

			fastest[v] = median(f->fastest, (size_t)f->rounds);
			middle[v] = median(f->all, f->nall);
		}
		printf("%s\n", workloads[w].d);
		line("fastest", fastest);
		line("median", middle);
	}
	if (b->others || b->disturbed)
		printf("others trace system calls on this machine: %d hooks throughout, %d measurements "
		    "during which that changed\n", b->others, b->disturbed);
}

static int prepare(struct bench *b)
{
	for (size_t w = 0; w < NWORK; w++) {
		int err = floor_load(&b->floor[w], workloads[w].floor, SYS_getppid);

		if (err) {
			fprintf(stderr, "trace: the floor of %s cannot be loaded: %s\n", workloads[w].d,
			    strerror(-err));
			return err == -EPERM || err == -ENOSYS || err == -EACCES ? 77 : 1;
		}
		for (int v = 0; v < NVARIANTS; v++) {
			b->fig[w][v].all = calloc((size_t)b->rounds * BATCHES, sizeof(double));
			if (!b->fig[w][v].all)
				return 1;
		}
	}
	return 0;
}

/* 0, or 1 after a message: every workload has figures, but for those of a peer. */
static int complete(const struct bench *b)
{
	static const char *const names[] = { "untraced", "by hand", "dtrace" };

	for (size_t i = 0; i < NWORK * BPFTRACE; i++) {
		size_t w = i / BPFTRACE, v = i % BPFTRACE;

		if (b->fig[w][v].rounds == 0) {
			fprintf(stderr, "trace: %s: nothing measured for %s: its program did not attach\n",
			    workloads[w].d, names[v]);
			return 1;
		}
	}
	return 0;
}

int main(int argc, char **argv)
{
	static struct bench b;
	int status;

	if (argc < 3 || (b.rounds = atoi(argv[2])) < 1 || b.rounds > ROUNDS_MAX) {
		fprintf(stderr, "usage: trace DTRACE ROUNDS [BPFTRACE]\n");
		return 2;
	}
	b.dtrace = argv[1];
	b.bpftrace = argc > 3 && argv[3][0] ? argv[3] : NULL;
	b.cpu = (int)sysconf(_SC_NPROCESSORS_ONLN) - 1;
	b.others = everybodys();
	status = prepare(&b);
	if (status == 0) {
		pin(b.cpu, 0);
		for (int r = 0; r < b.rounds; r++) {
			for (size_t w = 0; w < NWORK; w++) {
				for (int v = 0; v < NVARIANTS; v++)
					measure_variant(&b, w, r % 2 ? NVARIANTS - 1 - v : v);
			}
		}
		table(&b);
		status = complete(&b);
	}
	for (size_t w = 0; w < NWORK; w++) {
		floor_free(&b.floor[w]);
		for (int v = 0; v < NVARIANTS; v++)
			free(b.fig[w][v].all);
	}
	return status;
}
