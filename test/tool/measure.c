/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * measure N COMMAND…: runs the command N times with its output thrown away and prints one line:
 * median wall time in milliseconds, fastest, peak resident size in KiB, worst exit status, least CPU time in
 * milliseconds.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double now_ms(void)
{
	struct timespec ts;
	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec * 1e3 + (double)ts.tv_nsec / 1e6;
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

static double once(char **argv, long *rss, int *worst, double *cpu)
{
	struct rusage ru;
	int status;
	double start = now_ms();
	pid_t pid = vfork();
	if (pid == 0) {
		int null = open("/dev/null", O_RDWR);
		dup2(null, 0);
		dup2(null, 1);
		dup2(null, 2);
		execvp(argv[0], argv);
		_exit(127);
	}
	if (pid < 0 || wait4(pid, &status, 0, &ru) != pid)
		return -1;
	double took = now_ms() - start;
	int code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
	double used = (double)(ru.ru_utime.tv_sec + ru.ru_stime.tv_sec) * 1e3 +
	    (double)(ru.ru_utime.tv_usec + ru.ru_stime.tv_usec) / 1e3;

	*cpu = used < *cpu ? used : *cpu;
	if (ru.ru_maxrss > *rss)
		*rss = ru.ru_maxrss;
	if (code > *worst)
		*worst = code;
	return took;
}

int main(int argc, char **argv)
{
	int n = argc > 2 ? atoi(argv[1]) : 0;
	if (n < 1 || n > 100000) {
		fprintf(stderr, "usage: measure N COMMAND...\n");
		return 2;
	}
	double *ms = calloc((size_t)n, sizeof(*ms));
	double cpu = 1e9;
	long rss = 0;
	int worst = 0;
	for (int i = 0; ms && i < n; i++)
		ms[i] = once(argv + 2, &rss, &worst, &cpu);
	if (!ms)
		return 2;
	qsort(ms, (size_t)n, sizeof(*ms), by_value);
	printf("%.2f %.2f %ld %d %.2f\n", ms[n / 2], ms[0], rss, worst, cpu);
	free(ms);
	return 0;
}
