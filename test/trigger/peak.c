/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * peak FILE MEGABYTES COMMAND…: runs the command with that much address space (0: as much as there is),
 * writes the most memory it had, in megabytes, into the file, and gives its status. Signals to end go to
 * it.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile pid_t child;

static void pass_on(int sig)
{
	if (child > 0)
		kill(child, sig);
}

int main(int argc, char **argv)
{
	struct sigaction sa = { .sa_handler = pass_on, .sa_flags = SA_RESTART };
	struct rlimit limit;
	struct rusage used;
	int status;
	FILE *f;

	if (argc < 4)
		return 2;
	limit.rlim_cur = limit.rlim_max = (rlim_t)atol(argv[2]) << 20;
	child = fork();
	if (child == 0) {
		if (limit.rlim_cur != 0)
			setrlimit(RLIMIT_AS, &limit);
		execvp(argv[3], argv + 3);
		_exit(127);
	}
	sigaction(SIGINT, &sa, NULL);
	sigaction(SIGTERM, &sa, NULL);
	if (child < 0 || wait4(child, &status, 0, &used) != child)
		return 2;
	f = fopen(argv[1], "w");
	if (f == NULL)
		return 2;
	fprintf(f, "%ld\n", used.ru_maxrss >> 10);
	fclose(f);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
