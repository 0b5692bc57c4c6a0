/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * differ [-s FIRST] [-n COUNT] [-j JOBS] [-t SECONDS]: the programs of COUNT seeds from FIRST on, each run
 * in the interpreter and in the kernel on the same firings; what they record, count, fault at and leave in
 * variables must be the same, and the kernel must take every one. Integer expressions are compared three
 * ways: folded by the compiler, in the interpreter and in the kernel, and with what the generator says that
 * they are (gen_integer.c). With -t it ends after that time, and says
 * how many it did. differ -p SEED prints the program of a seed; differ FILE… compares programs from files.
 */
#include "../unit/bpfrun.h"
#include "base/file.h"
#include "gen.h"

#include <sys/mman.h>
#include <sys/wait.h>

static struct firing firings[] = {
	{ .arg = { 7, 3, (uint64_t)-5, 100, 1000000, 0x123456789, 0, 8, 9, 10 }, .text = { "user text" } },
	{ .arg = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9 }, .text = { "" } },
	{ .arg = { (uint64_t)INT64_MIN, (uint64_t)-1, INT64_MAX, 12345, 99, 64, 63, 1, 0, 0 },
	    .text = { "a/b/c" } },
	{ .arg = { 7, 0, 11, (uint64_t)-100000, 50, 1, 0, 0, 0, 0 },
	    .text = { "a longer user text, longer than the others" } },
};
#define NFIRINGS (sizeof(firings) / sizeof(firings[0]))

struct shared { uint64_t next, end, deadline, done; };	/* of all jobs; next, done: atomic */

/* Records of one CPU come in order. */
static void job(struct shared *s, int number)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(number % (int)sysconf(_SC_NPROCESSORS_ONLN), &set);
	sched_setaffinity(0, sizeof(set), &set);
	while (s->deadline == 0 || now_ns() < s->deadline) {
		uint64_t seed = __atomic_fetch_add(&s->next, 1, __ATOMIC_RELAXED);
		unsigned before = check_failed;
		char *text;

		if (seed >= s->end)
			break;
		text = dt_gen_program(seed);
		compare(text, firings, NFIRINGS, false);
		if (check_failed > before)
			fprintf(stderr, "seed %llu\n", (unsigned long long)seed);
		free(text);
		__atomic_fetch_add(&s->done, 1, __ATOMIC_RELAXED);
	}
}

/*
 * Each job is a process: they wait for the kernel a good part of their time. The status is 1 when a
 * program differs.
 */
static int run_jobs(struct shared *s, int jobs)
{
	int bad = 0, status;

	fflush(NULL);
	for (int i = 0; i < jobs; i++) {
		pid_t pid = fork();

		if (pid == 0) {
			job(s, i);
			exit(check_failed < 100 ? (int)check_failed : 100);
		}
		if (pid < 0)
			bad++;
	}
	while (wait(&status) > 0)
		bad += WIFEXITED(status) ? WEXITSTATUS(status) : 1;
	printf("differ: %llu programs, %d differ\n", (unsigned long long)s->done, bad);
	return bad != 0;
}

static int run_files(char **files)
{
	for (; *files != NULL; files++) {
		unsigned before = check_failed;
		char *text = NULL;
		size_t len;

		if (CHECK(dt_file_read(*files, 1 << 20, &text, &len) == 0))
			compare(text, firings, NFIRINGS, false);
		if (check_failed > before)
			printf("%s differs\n", *files);
		free(text);
	}
	return CHECK_DONE("differ");
}

int main(int argc, char **argv)
{
	struct shared *s = mmap(NULL, sizeof(*s), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	int jobs = 8, c;		/* more do not make it faster: the verifier wants the CPUs */
	char msg[512];

	if (s == MAP_FAILED)
		return 2;
	s->end = 1000;
	never = GEN_BROKEN;
	for (size_t i = 0; i < NFIRINGS; i++)
		firings[i].arg[9] = (uint64_t)(uintptr_t)user_text[0];
	while ((c = getopt(argc, argv, "s:n:j:t:p:d")) != -1) {
		switch (c) {
		case 's': s->next = strtoull(optarg, NULL, 10); break;
		case 'n': s->end = strtoull(optarg, NULL, 10); break;
		case 'j': jobs = atoi(optarg); break;
		case 't': s->deadline = now_ns() + strtoull(optarg, NULL, 10) * 1000000000u; break;
		case 'd': dump = true; break;
		case 'p':
			printf("%s", dt_gen_program(strtoull(optarg, NULL, 10)));
			return 0;
		default: return 2;
		}
	}
	s->end += s->next;
	if (dt_features_probe(&feat, msg, sizeof(msg)) != 0) {
		printf("differ: skipped: %s\n", msg);
		return 77;
	}
	if (argv[optind] == NULL)
		return run_jobs(s, jobs);
	pin();
	return run_files(argv + optind);
}
