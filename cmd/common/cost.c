/* SPDX-License-Identifier: BSD-2-Clause */
#include "cost.h"

#include "base.h"

#include <dirent.h>
#include <inttypes.h>
#include <linux/bpf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#define WINDOW_US 20000			/* how long the kernel measures, once a second */

static uint64_t used_ns(void)
{
	struct rusage r;

	getrusage(RUSAGE_SELF, &r);
	return (uint64_t)(r.ru_utime.tv_sec + r.ru_stime.tv_sec) * 1000000000u +
	    (uint64_t)(r.ru_utime.tv_usec + r.ru_stime.tv_usec) * 1000u;
}

/* /proc/self/fdinfo of a BPF program says how often and how long it ran; of anything else, nothing. */
static int read_program(int fd, uint64_t *ns, uint64_t *runs)
{
	char path[64], line[128];
	FILE *f;
	int found = 0;

	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", fd);
	if ((f = fopen(path, "re")) == NULL)
		return 0;
	while (fgets(line, sizeof(line), f) != NULL)
		found += sscanf(line, "run_time_ns: %" SCNu64, ns) == 1 ||
		    sscanf(line, "run_cnt: %" SCNu64, runs) == 1;
	fclose(f);
	return found == 2;
}

void cost_begin(struct cost *c)
{
	DIR *dir = opendir("/proc/self/fd");
	uint64_t ns, runs;

	c->wall = now_ns();
	c->used = used_ns();
	for (struct dirent *e; dir != NULL && (e = readdir(dir)) != NULL && c->nfds < COST_PROGRAMS;)
		if (e->d_name[0] != '.' && read_program(atoi(e->d_name), &ns, &runs))
			c->fds[c->nfds++] = atoi(e->d_name);
	if (dir != NULL)
		closedir(dir);
}

static void sum(const struct cost *c, uint64_t *ns, uint64_t *runs)
{
	*ns = *runs = 0;
	for (int i = 0; i < c->nfds; i++) {
		uint64_t one = 0, n = 0;

		if (read_program(c->fds[i], &one, &n)) {
			*ns += one;
			*runs += n;
		}
	}
}

static void measure(const struct cost *c, struct cost_shown *s)
{
	union bpf_attr attr;
	uint64_t ns[2], runs[2], from;
	double seconds;
	int fd;

	memset(&attr, 0, sizeof(attr));
	attr.enable_stats.type = BPF_STATS_RUN_TIME;
	s->probes = s->runs = -1;
	if (c->nfds == 0 || (fd = (int)syscall(SYS_bpf, BPF_ENABLE_STATS, &attr, sizeof(attr))) < 0)
		return;
	sum(c, &ns[0], &runs[0]);
	from = now_ns();
	usleep(WINDOW_US);
	seconds = (double)(now_ns() - from) / 1e9;
	sum(c, &ns[1], &runs[1]);
	close(fd);
	s->probes = (double)(ns[1] - ns[0]) / 1e9 / seconds;
	s->runs = (double)(runs[1] - runs[0]) / seconds;
}

static long resident_kb(void)
{
	long pages = 0, all;
	FILE *f = fopen("/proc/self/statm", "re");

	if (f != NULL && fscanf(f, "%ld %ld", &all, &pages) != 2)
		pages = 0;
	if (f != NULL)
		fclose(f);
	return pages * (sysconf(_SC_PAGESIZE) / 1024);
}

struct cost_shown cost_take(struct cost *c)
{
	struct cost_shown s = { .rss_kb = resident_kb() };
	uint64_t wall = now_ns(), used = used_ns();

	s.cpu = wall > c->wall ? (double)(used - c->used) / (double)(wall - c->wall) : 0;
	c->wall = wall;
	c->used = used;
	measure(c, &s);
	return s;
}
