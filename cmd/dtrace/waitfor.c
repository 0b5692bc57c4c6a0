/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * /proc is looked through again and again: what a process did before it was seen is not traced. Only processes that
 * began after the first look count, by the kernel's clock, whatever names and numbers older ones have.
 */
#include "waitfor.h"

#include "engine.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define COMM 16			/* what the kernel keeps of a name, with the NUL */
#define EVERY_NS 1000000

/* In the unit of /proc/pid/stat: a hundredth of a second since boot. */
static unsigned long long now_ticks(void)
{
	unsigned long long hz = (unsigned long long)sysconf(_SC_CLK_TCK);
	struct timespec t;

	clock_gettime(CLOCK_BOOTTIME, &t);
	return (unsigned long long)t.tv_sec * hz + (unsigned long long)t.tv_nsec * hz / 1000000000u;
}

/*
 * "pid (name) S …": the name may hold anything, so that it ends at the last parenthesis; the state is the
 * first word after it and the start the 20th.
 */
static bool is_it(long pid, const char *name, unsigned long long since)
{
	char path[64], text[1024];
	unsigned long long start = 0;
	char *from, *to;

	snprintf(path, sizeof(path), "/proc/%ld/stat", pid);
	FILE *f = fopen(path, "re");
	if (f == NULL)
		return false;
	text[fread(text, 1, sizeof(text) - 1, f)] = '\0';
	fclose(f);
	from = strchr(text, '(');
	to = strrchr(text, ')');
	if (from == NULL || to == NULL || to < from)
		return false;
	*to++ = '\0';
	for (int word = 0; to != NULL && word < 19; word++)
		to = strchr(to + 1, ' ');
	if (to != NULL)
		start = strtoull(to, NULL, 10);
	return start >= since && strncmp(from + 1, name, COMM - 1) == 0;
}

static long look(DIR *d, const char *name, unsigned long long since)
{
	struct dirent *e;

	rewinddir(d);
	while ((e = readdir(d)) != NULL) {
		long pid = strtol(e->d_name, NULL, 10);

		if (pid > 0 && is_it(pid, name, since))
			return pid;
	}
	return 0;
}

long waitfor_name(const char *name)
{
	const struct timespec pause = { 0, EVERY_NS };
	unsigned long long since = now_ticks();
	DIR *d = opendir("/proc");
	long pid = 0;

	if (d == NULL) {
		fprintf(stderr, "dtrace: failed to wait for %s: cannot read /proc\n", name);
		return 0;
	}
	fprintf(stderr, "dtrace: waiting for a process named %s\n", name);
	while (!engine_interrupted() && (pid = look(d, name, since)) == 0)
		nanosleep(&pause, NULL);
	closedir(d);
	return pid;
}
