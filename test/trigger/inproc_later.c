/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * inproc_later ROUNDS HOW LIBRARY…: loads each library, calls its plug_run(5), which calls plug_work() as
 * often, and unloads it, ROUNDS times. HOW has letters: s signals come all the time, t a second thread does
 * the same, k it keeps the last one and runs it again when standard input has ended, w it begins when a line
 * has come, f it makes a child each round, which calls plug_run() too and is waited for. Each library calls
 * plug_work() three times when it is loaded. Prints "calls N", what the process itself has made of them;
 * status 7, or 1 where a result is wrong.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

enum { CALLS = 5, AT_LOAD = 3 };

static atomic_long calls, alarms;
static atomic_bool wrong;
static char **library;
static int nlibraries, rounds;
static bool forks;

static void on_alarm(int sig) { atomic_fetch_add(&alarms, sig == SIGALRM); }

static void run(void *lib, bool child)
{
	int (*plug_run)(int) = (int (*)(int))dlsym(lib, "plug_run");

	if (plug_run == NULL || plug_run(CALLS) != CALLS)
		wrong = true;
	if (!child)
		atomic_fetch_add(&calls, CALLS);
}

static void run_in_child(void *lib)
{
	int status = 0;
	pid_t pid = fork();

	if (pid == 0) {
		run(lib, true);
		_exit(wrong ? 1 : 9);
	}
	while (pid > 0 && waitpid(pid, &status, 0) < 0)
		;
	if (pid < 0 || !WIFEXITED(status) || WEXITSTATUS(status) != 9)
		wrong = true;
}

static void once(const char *path, bool keep)
{
	void *lib = dlopen(path, RTLD_NOW);

	if (lib == NULL) {
		fprintf(stderr, "%s\n", dlerror());
		exit(2);
	}
	atomic_fetch_add(&calls, AT_LOAD);
	run(lib, false);
	if (forks)
		run_in_child(lib);
	if (!keep) {
		dlclose(lib);
		return;
	}
	printf("kept\n");
	fflush(stdout);
	while (getchar() != EOF)
		;
	run(lib, false);
}

static void *second(void *arg)
{
	for (int i = 0; i < rounds; i++)
		once(arg, false);
	return NULL;
}

int main(int argc, char **argv)
{
	struct itimerval often = { { 0, 700 }, { 0, 700 } };
	const char *how = argc > 3 ? argv[2] : "";
	pthread_t thread;

	if (argc < 4)
		return 2;
	rounds = atoi(argv[1]);
	nlibraries = argc - 3;
	library = argv + 3;
	forks = strchr(how, 'f') != NULL;
	signal(SIGALRM, on_alarm);
	if (strchr(how, 'w') != NULL)
		(void)getchar();
	if (strchr(how, 's') != NULL)
		setitimer(ITIMER_REAL, &often, NULL);
	if (strchr(how, 't') != NULL && pthread_create(&thread, NULL, second, library[nlibraries - 1]) != 0)
		return 2;
	for (int i = 0; i < rounds; i++)
		for (int k = 0; k < nlibraries - (strchr(how, 't') != NULL); k++)
			once(library[k], strchr(how, 'k') != NULL && i == rounds - 1 && k == nlibraries - 1);
	if (strchr(how, 't') != NULL)
		pthread_join(thread, NULL);
	printf("calls %ld\n", calls);
	return wrong ? 1 : 7;
}
