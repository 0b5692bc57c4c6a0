/* SPDX-License-Identifier: BSD-2-Clause */
/* The words of a command line that are refused, and processes that are given by their name (arguments.h). */
#include "arguments.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { NAME_CHARS = 15 };	/* that the kernel keeps of a process's name */

const struct option arguments_common[] = {
	{ "help", no_argument, NULL, ARG_HELP }, { "pid", required_argument, NULL, ARG_PID },
	{ "name", required_argument, NULL, ARG_NAME }, { "time", no_argument, NULL, ARG_TIME },
	{ "container", required_argument, NULL, ARG_CONTAINER }, { NULL, 0, NULL, 0 },
};

int arguments_usage(const char *name, const char *usage)
{
	fprintf(stderr, "usage: %s %s; see %s --help\n", name, usage, name);
	return 2;
}

/* A long option is the word itself: getopt() has moved past it. */
int arguments_refuse(const char *name, int c, char *const *argv)
{
	const char *word = argv[optind - 1];
	char letter[3] = { '-', (char)optopt, '\0' };
	bool is_long = optopt <= 0 || optopt > CHAR_MAX;

	fprintf(stderr, "%s: %s %s; see %s --help\n", name, is_long ? word : letter,
	    c == ':' ? "requires an argument" : "is no option of this command", name);
	return 2;
}

bool arguments_number(const char *text, long least, long most, long *out)
{
	char *end;

	errno = 0;
	*out = strtol(text, &end, 10);
	return errno == 0 && end != text && *end == '\0' && *out >= least && *out <= most;
}

static bool is_called(const char *pid, const char *wanted)
{
	char path[NAME_MAX + 16], name[64] = "";
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%s/comm", pid);
	f = fopen(path, "re");
	if (f == NULL)
		return false;
	if (fgets(name, sizeof(name), f) == NULL)
		name[0] = '\0';
	fclose(f);
	name[strcspn(name, "\n")] = '\0';
	return strncmp(name, wanted, NAME_CHARS) == 0 && name[0] != '\0';
}

int arguments_process(const char *name, const char *wanted, pid_t *out)
{
	DIR *proc = opendir("/proc");
	struct dirent *e;
	int n = 0;

	while (proc != NULL && (e = readdir(proc)) != NULL) {
		long pid;

		if (!arguments_number(e->d_name, 1, INT_MAX, &pid) || pid == getpid() ||
		    !is_called(e->d_name, wanted))
			continue;
		*out = (pid_t)pid;
		n++;
	}
	if (proc != NULL)
		closedir(proc);
	if (n == 1)
		return 0;
	if (n == 0)
		fprintf(stderr, "%s: no process is called %s; see %s --help\n", name, wanted, name);
	else
		fprintf(stderr, "%s: %d processes are called %s; -p chooses one\n", name, n, wanted);
	return 2;
}

/* Whatever a name holds, it stays inside the quotes. */
void arguments_quote(const char *name, char *out, size_t size)
{
	size_t n = 0;

	for (size_t i = 0; name[i] != '\0' && i < NAME_CHARS && n + 5 < size; i++) {
		unsigned char c = (unsigned char)name[i];
		bool plain = c >= ' ' && c <= '~' && c != '"' && c != '\\';

		n += (size_t)snprintf(out + n, size - n, plain ? "%c" : "\\%03o", c);
	}
	out[n] = '\0';
}

void arguments_put_time(FILE *f)
{
	time_t now = time(NULL);
	struct tm tm;
	char text[64];

	localtime_r(&now, &tm);
	strftime(text, sizeof(text), "%Y %b %e %H:%M:%S", &tm);
	fprintf(f, "%s\n", text);
}
