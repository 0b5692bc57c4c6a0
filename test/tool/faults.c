/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * faults [-l] [-s STEP] [-o FILE] NAME SHIM MODE DTRACE ARGS…: one run of dtrace again and again, each
 * with one thing gone wrong. MODE: `fail` makes each STEP-th call of the C library that asks the kernel
 * for something fail (the shim of test/fault counts them), a number sends this signal just before the call,
 * `kill=N` sends SIGKILL at N random moments. After each run nothing may be left: no process, no program
 * in the kernel, no file but -o. It ends in time and by itself; where it says that it succeeded it wrote
 * what it writes when nothing fails, or told on standard error what is missing (-l: names may be missing
 * without a word, and lines differ); where it failed it said why, or (-x childstatus) has the status of a
 * command that was killed; whole lines are written. Prints `ok - …` or `not ok - …`, as test/cli/ does.
 */
#include <bpf/bpf.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double patience = 120;	/* seconds after which a run hangs, on any machine */

struct driver {
	const char *name, *shim, *file;
	char **argv;
	long step;
	bool lenient;
	uid_t uid;		/* that nobody else has: programs in the kernel tell who loaded them */
	char *clean;		/* standard output when nothing fails */
	char *clean_file;
	int clean_status;
	unsigned wrong;
};

struct fault { long at; int sig; long after_us; };	/* after_us: a SIGKILL from outside; 0 none */

static double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

static char *text_of(const char *path)
{
	FILE *f = fopen(path, "r");
	char *text = NULL;
	size_t len = 0;

	if (!f || getdelim(&text, &len, '\0', f) < 0) {
		free(text);
		text = strdup("");
	}
	if (f)
		fclose(f);
	return text;
}

/* ---- one run ---- */

/* All capabilities, under a number of our own. */
static void become(uid_t uid)
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[2];

	prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0);
	if (setresuid(uid, uid, uid) != 0)
		_exit(98);
	syscall(SYS_capget, &head, data);
	for (int i = 0; i < 2; i++)
		data[i].effective = data[i].inheritable = data[i].permitted;
	syscall(SYS_capset, &head, data);
	for (unsigned long cap = 0; cap < 64; cap++)
		prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, cap, 0, 0);
}

static void set_number(const char *name, long value)
{
	char text[32];

	snprintf(text, sizeof(text), "%ld", value);
	setenv(name, text, 1);
}

static pid_t start(const struct driver *d, const struct fault *f)
{
	pid_t pid = fork();
	int out, err;

	if (pid != 0)
		return pid;
	out = open("out", O_WRONLY | O_CREAT | O_TRUNC, 0666);
	err = open("err", O_WRONLY | O_CREAT | O_TRUNC, 0666);
	dup2(open("/dev/null", O_RDONLY), 0);
	dup2(out, 1);
	dup2(err, 2);
	close_range(3, ~0u, 0);
	become(d->uid);
	setenv("LD_PRELOAD", d->shim, 1);
	setenv("FAULT_COUNT", "count", 1);
	set_number("FAULT_AT", f->at);
	set_number("FAULT_SIGNAL", f->sig);
	execv(d->argv[0], d->argv);
	_exit(99);
}

/* Its status, or -1: it hung and was killed. Who is stopped is told to go on. */
static int wait_for(pid_t pid, const struct fault *f)
{
	double until = now() + patience, kill_at = now() + (double)f->after_us / 1e6;
	bool killed = f->after_us == 0;
	int status;

	for (;;) {
		pid_t got = waitpid(pid, &status, WNOHANG | WUNTRACED);

		if (got == pid && WIFSTOPPED(status))
			kill(pid, SIGCONT);
		else if (got == pid)
			return status;
		if (!killed && now() >= kill_at) {
			kill(pid, SIGKILL);
			killed = true;
		}
		if (now() > until) {
			kill(pid, SIGKILL);
			waitpid(pid, &status, 0);
			return -1;
		}
		usleep(500);
	}
}

/* ---- what is left ---- */

static int wrong(struct driver *d, const struct fault *f, const char *what)
{
	char *count = text_of("count"), *err = text_of("err");

	if (d->wrong++ >= 5)
		return free(count), free(err), 0;
	count[strcspn(count, "\n")] = '\0';
	err[strcspn(err, "\n")] = '\0';
	printf("# %s: call %ld (%s), signal %d, after %ld us: %s [%.200s]\n", d->name, f->at, count,
	    f->sig, f->after_us, what, err);
	free(count);
	free(err);
	return 0;
}

/* Orphans come to us (PR_SET_CHILD_SUBREAPER); each has to end by itself. */
static void no_process(struct driver *d, const struct fault *f)
{
	double until = now() + patience;
	char path[64], *comm, list[64];
	int pid;

	for (;;) {
		int got = waitpid(-1, NULL, WNOHANG);

		if (got < 0)
			return;
		if (got == 0 && now() > until)
			break;
		if (got == 0)
			usleep(500);
	}
	snprintf(list, sizeof(list), "/proc/self/task/%d/children", (int)getpid());
	comm = text_of(list);
	wrong(d, f, "a process is left");
	for (char *p = comm; (pid = (int)strtol(p, &p, 10)) > 0; ) {
		char *stat;

		snprintf(path, sizeof(path), "/proc/%d/stat", pid);
		stat = text_of(path);
		printf("#   %.60s\n", stat);
		free(stat);
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
	}
	free(comm);
}

static int programs_of(uid_t uid)
{
	uint32_t id = 0;
	int n = 0;

	while (bpf_prog_get_next_id(id, &id) == 0) {
		struct bpf_prog_info info = { 0 };
		uint32_t len = sizeof(info);
		int fd = bpf_prog_get_fd_by_id(id);

		if (fd >= 0 && bpf_obj_get_info_by_fd(fd, &info, &len) == 0 && info.created_by_uid == uid)
			n++;
		if (fd >= 0)
			close(fd);
	}
	return n;
}

static void no_program(struct driver *d, const struct fault *f)
{
	double until = now() + patience;

	while (programs_of(d->uid) > 0 && now() < until)
		usleep(2000);
	if (programs_of(d->uid) > 0)
		wrong(d, f, "programs are left in the kernel");
}

static void no_file(struct driver *d, const struct fault *f)
{
	DIR *dir = opendir(".");
	struct dirent *e;

	while (dir && (e = readdir(dir)))
		if (e->d_name[0] != '.' && strcmp(e->d_name, "out") != 0 && strcmp(e->d_name, "err") != 0 &&
		    strcmp(e->d_name, "count") != 0 && (!d->file || strcmp(e->d_name, d->file) != 0)) {
			wrong(d, f, e->d_name);
			unlink(e->d_name);
		}
	if (dir)
		closedir(dir);
}

/* ---- judging ---- */

/*
 * What was written is the beginning of what is written when nothing fails, in whole lines; a signal that
 * asks for aggregations, or for the end, adds an empty line.
 */
static bool begins(const char *text, const char *clean)
{
	while (*text) {
		size_t len = strcspn(text, "\n");

		if (text[len] != '\n')
			return false;
		if (len > 0) {
			if (strncmp(text, clean, len + 1) != 0)
				return false;
			clean += len + 1;
		}
		text += len + 1;
	}
	return true;
}

static void judge_end(struct driver *d, const struct fault *f, int status, const char *out,
    const char *file, const char *err)
{
	bool same = strcmp(out, d->clean) == 0 && strcmp(file, d->clean_file) == 0;

	if (f->sig || f->after_us) {
		if (f->sig == SIGSTOP && (status != d->clean_status || (!same && !d->lenient)))
			wrong(d, f, "stopped for a while, it did something else");
		else if (file[0] && file[strlen(file) - 1] != '\n')
			wrong(d, f, "the file does not end with a whole line");
		else if (d->file && !d->lenient && !begins(file, d->clean_file))
			wrong(d, f, "the file is not the beginning of what is written when nothing fails");
	} else if (status == d->clean_status && !same && !err[0] && !d->lenient) {
		wrong(d, f, "says that it succeeded, and did not");
	} else if (status != d->clean_status && WEXITSTATUS(status) < 128 && !strstr(err, "dtrace: ")) {
		wrong(d, f, "failed without a word");
	}
}

static void judge(struct driver *d, const struct fault *f, int status)
{
	char *out = text_of("out"), *err = text_of("err"), *file = d->file ? text_of(d->file) : strdup("");
	int by_us = f->after_us ? SIGKILL : f->sig;

	if (status < 0)
		wrong(d, f, "hangs");
	else if (WIFSIGNALED(status) && WTERMSIG(status) != by_us)
		wrong(d, f, "died by a signal");
	else
		judge_end(d, f, status, out, file, err);
	free(out);
	free(err);
	free(file);
}

static int once(struct driver *d, const struct fault *f)
{
	pid_t pid;
	int status;

	if (d->file)
		unlink(d->file);
	unlink("count");
	pid = start(d, f);
	status = pid > 0 ? wait_for(pid, f) : -1;
	no_process(d, f);
	no_program(d, f);
	no_file(d, f);
	return status;
}

/* ---- all of them ---- */

static long clean_run(struct driver *d, double *took)
{
	struct fault none = { 0 };
	char *count;
	long n;

	(void)once(d, &none);		/* what is read for the first time */
	*took = now();
	d->clean_status = once(d, &none);
	if (d->clean_status != 0 && WEXITSTATUS(d->clean_status) != 7)
		wrong(d, &none, "fails even when nothing does");
	*took = now() - *took;
	d->clean = text_of("out");
	d->clean_file = d->file ? text_of(d->file) : strdup("");
	count = text_of("count");
	n = atol(count);
	free(count);
	return d->wrong ? 0 : n;
}

static long all_faults(struct driver *d, const char *mode, long calls, double took)
{
	long runs = 0, kills = strncmp(mode, "kill=", 5) == 0 ? atol(mode + 5) : 0;
	int sig = atoi(mode);

	srand(1);
	for (; runs < kills; runs++) {
		struct fault f = { .after_us = 1 + (long)((double)rand() / RAND_MAX * took * 1.1e6) };

		judge(d, &f, once(d, &f));
	}
	for (long k = 1; !kills && k <= calls; k += d->step, runs++) {
		struct fault f = { .at = k, .sig = sig };

		judge(d, &f, once(d, &f));
	}
	return runs;
}

static bool options(struct driver *d, int argc, char **argv, const char **mode)
{
	int c;

	while ((c = getopt(argc, argv, "+ls:o:")) != -1)
		switch (c) {
		case 'l': d->lenient = true; break;
		case 's': d->step = atol(optarg); break;
		case 'o': d->file = optarg; break;
		default: return false;
		}
	if (argc - optind < 4 || d->step < 1)
		return false;
	d->name = argv[optind];
	d->shim = argv[optind + 1];
	*mode = argv[optind + 2];
	d->argv = argv + optind + 3;
	return true;
}

int main(int argc, char **argv)
{
	struct driver d = { .step = 1, .uid = 1000000000 + (uid_t)getpid() };
	const char *mode;
	char dir[] = "/tmp/faultsXXXXXX";
	long calls, runs;
	double took;

	if (!options(&d, argc, argv, &mode) || !mkdtemp(dir) || chown(dir, d.uid, (gid_t)-1) != 0 ||
	    chdir(dir) != 0 ||
	    prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0)
		return 2;
	if (getenv("FAULT_PATIENCE") != NULL)
		patience = atof(getenv("FAULT_PATIENCE"));
	calls = clean_run(&d, &took);
	runs = calls > 0 ? all_faults(&d, mode, calls, took) : 0;
	printf("%s - %s: %s: %ld runs, %ld calls of the system in each, %.0f ms\n", d.wrong ||
	    runs == 0 ? "not ok" : "ok", d.name, mode, runs,
	    calls, took * 1e3);
	free(d.clean);
	free(d.clean_file);
	for (const char *const *f = (const char *const[]){ "out", "err", "count", d.file, NULL }; *f; f++)
		unlink(*f);
	return chdir("/") != 0 || rmdir(dir) != 0 || d.wrong != 0;
}
