/* SPDX-License-Identifier: BSD-2-Clause */
#include "beside.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { PLACES = 2 };

/* The i-th place where it may be. */
static void place(const char *name, int i, char *path, size_t size)
{
	static const char *const ways[PLACES] = { "", "../sbin/" };
	char self[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);
	char *slash;

	self[n > 0 ? n : 0] = '\0';
	slash = strrchr(self, '/');
	snprintf(path, size, "%.*s/%s%s", slash != NULL ? (int)(slash - self) : 0, self, ways[i], name);
}

bool beside_has(const char *name)
{
	char path[PATH_MAX + 64];

	for (int i = 0; i < PLACES; i++) {
		place(name, i, path, sizeof(path));
		if (access(path, X_OK) == 0)
			return true;
	}
	return false;
}

int beside_exec(const char *name, char **argv)
{
	char path[PATH_MAX + 64];

	for (int i = 0; i < PLACES; i++) {
		place(name, i, path, sizeof(path));
		execv(path, argv);
		if (errno != ENOENT && errno != ENOTDIR) {
			fprintf(stderr, "dtrace: cannot run %s: %s\n", path, strerror(errno));
			return 1;
		}
	}
	return -1;
}
