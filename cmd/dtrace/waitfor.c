/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * /proc is looked through again and again: what a process did before it was seen is not traced. Process ids that were
 * there at the first look do not count, whatever their name becomes.
 */
#include "waitfor.h"

#include "engine.h"

#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define COMM 16			/* what the kernel keeps of a name, with the NUL */
#define EVERY_NS 1000000

struct old { char *bits; long max; };	/* one for each process id */

static bool is_named(long pid, const char *name)
{
	char path[64], text[64] = "";
	size_t n;

	snprintf(path, sizeof(path), "/proc/%ld/comm", pid);
	FILE *f = fopen(path, "re");
	if (f == NULL)
		return false;
	n = fread(text, 1, sizeof(text) - 1, f);
	fclose(f);
	if (n > 0 && text[n - 1] == '\n')
		text[n - 1] = '\0';
	return strncmp(text, name, COMM - 1) == 0;
}

/* One look: marks what it sees (name NULL), or finds a process of that name that is not marked. */
static long look(DIR *d, struct old *old, const char *name)
{
	struct dirent *e;

	rewinddir(d);
	while ((e = readdir(d)) != NULL) {
		long pid = strtol(e->d_name, NULL, 10);

		if (pid <= 0 || pid >= old->max)
			continue;
		if (name == NULL)
			old->bits[pid] = 1;
		else if (!old->bits[pid] && is_named(pid, name))
			return pid;
	}
	return 0;
}

long waitfor_name(const char *name)
{
	const struct timespec pause = { 0, EVERY_NS };
	struct old old = { calloc(1, 1 << 22), 1 << 22 };	/* the kernel's largest pid_max */
	DIR *d = opendir("/proc");
	long pid = 0;

	if (old.bits == NULL || d == NULL) {
		fprintf(stderr, "dtrace: failed to wait for %s: cannot read /proc\n", name);
	} else {
		(void)look(d, &old, NULL);
		while (!engine_interrupted() && (pid = look(d, &old, name)) == 0)
			nanosleep(&pause, NULL);
	}
	if (d != NULL)
		closedir(d);
	free(old.bits);
	return pid;
}
