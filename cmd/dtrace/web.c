/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The live page is a command of its own, so that dtrace stays small and needs no HTTP server. It lies beside
 * dtrace where that was built, and in sbin where it is installed.
 */
#include "web.h"

#include "base.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int web_exec(char **argv)
{
	static const char *const places[] = { "dtrace-web", "../sbin/dtrace-web" };
	char self[PATH_MAX], path[PATH_MAX + 32];
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);
	char *slash;

	self[n > 0 ? n : 0] = '\0';
	slash = strrchr(self, '/');
	for (size_t i = 0; slash != NULL && i < COUNT(places); i++) {
		snprintf(path, sizeof(path), "%.*s/%s", (int)(slash - self), self, places[i]);
		argv[0] = "dtrace-web";
		execv(path, argv);
		if (errno != ENOENT && errno != ENOTDIR) {
			fprintf(stderr, "dtrace: cannot run %s: %s\n", path, strerror(errno));
			return 1;
		}
	}
	fputs("dtrace: the live page and the language server are the command dtrace-web, which is not "
	    "here: Debian's package has it, and make builds it where npm is\n", stderr);
	return 1;
}
