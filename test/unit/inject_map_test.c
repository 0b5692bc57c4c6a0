/* SPDX-License-Identifier: BSD-2-Clause */
/* What is mapped into processes, and which of them cannot be traced (src/inject). */
#include "inject_target.h"
#include "process/proc.h"

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/ptrace.h>
#include <sys/uio.h>

/* ---- the agent's mappings ---- */

static uint64_t page_at, data_at, island_at;

static bool readable(uint64_t addr, void *to, size_t len)
{
	struct iovec a = { to, len }, b = { (void *)(uintptr_t)addr, len };

	return process_vm_readv(getpid(), &a, 1, &b, 1, 0) == (ssize_t)len;
}

/* The addresses come by the pipe. */
static void forks(struct report *r)
{
	struct dt_agent_process p;
	uint64_t where[2];
	int status;

	r->ready = 1;
	if (read(r->pipe[0], where, sizeof(where)) != (ssize_t)sizeof(where))
		_exit(1);
	r->seen = readable(where[0], &p, sizeof(p)) && p.enabled == 1 && p.pid == (uint32_t)getpid() &&
	    readable(where[1], &status, sizeof(status)) && status == 0x1234;
	if (fork() == 0) {
		static const struct dt_agent_process zero;
		bool good = readable(where[0], &p, sizeof(p)) && memcmp(&p, &zero, sizeof(p)) == 0 &&
		    readable(where[1], &status, sizeof(status)) && status == 0x1234;

		_exit(good ? 7 : 8);
	}
	wait(&status);
	r->result = WEXITSTATUS(status);
	r->done = 1;
	ms_sleep(60 * SECOND);
}

static int count_fds(pid_t pid)
{
	char cmd[64];
	FILE *f;
	int n = -1;

	snprintf(cmd, sizeof(cmd), "ls /proc/%d/fd | wc -l", (int)pid);
	f = popen(cmd, "r");
	if (f == NULL || fscanf(f, "%d", &n) != 1)
		n = -1;
	if (f != NULL)
		pclose(f);
	return n;
}

static void check_process(const struct dt_agent_process *p, pid_t pid, uint64_t code)
{
	CHECK_INT(p->enabled, 1);
	CHECK_INT(p->pid, pid);
	CHECK_INT(p->self, pid);
	CHECK(p->code == code && p->data == code + DT_AGENT_SPAN);
	CHECK(p->stacks != 0 && p->stacks % 16 == 0);
	CHECK(p->clock != 0);
#ifdef __GLIBC__
	CHECK(p->tid_at != 0);
	/* the word, read in this thread: the target is a fork of it */
	CHECK_INT(*(int *)((char *)__builtin_thread_pointer() + p->tid_at), getpid());
#endif
}

static void test_map(void)
{
	int code_fd = memory_fd("code", 8192), data_fd = memory_fd("data", 1 << 20);
	int more_fd = memory_fd("more", 100);
	struct report *r = new_report();
	pid_t pid = start(forks, r);
	struct dt_agent_process p = { 0 };
	uint64_t code = 0, word = 0;
	struct dt_inject *in;
	char msg[256] = "";
	int fds, value = 0x1234;

	CHECK_INT(pwrite(code_fd, "\x11\x22\x33", 3, 4096), 3);
	CHECK_INT(pwrite(data_fd, &value, sizeof(value), 0), sizeof(value));
	CHECK_INT(pwrite(more_fd, "more", 5, 0), 5);
	CHECK(becomes(&r->ready));
	fds = count_fds(pid);
	in = attach(pid);
	CHECK_INT(stop(in), 0);
	if (!CHECK_INT(dt_inject_map(in, code_fd, 8192, data_fd, 1 << 20, &code, msg, sizeof(msg)), 0))
		fprintf(stderr, "%s\n", msg);
	CHECK_INT(dt_inject_read(in, code + 4096, &word, 3), 0);
	CHECK_INT(word, 0x332211);
	CHECK_INT(dt_inject_read(in, code + DT_AGENT_SPAN, &value, sizeof(value)), 0);
	CHECK_INT(value, 0x1234);
	CHECK_INT(dt_inject_map_more(in, code, 1 << 20, more_fd, 100, msg, sizeof(msg)), 0);
	CHECK_INT(dt_inject_read(in, code + (1 << 20), &word, 5), 0);
	CHECK_STR((char *)&word, "more");
	CHECK_INT(dt_inject_map_more(in, code, 100, more_fd, 100, msg, sizeof(msg)), -EINVAL);
	CHECK_INT(dt_inject_private(in, code, code + DT_AGENT_SPAN, &p, &page_at, msg, sizeof(msg)), 0);
	check_process(&p, pid, code);
	CHECK_INT(dt_inject_island(in, (uint64_t)(uintptr_t)answer_one, 100 << 20, 20000, &island_at), 0);
	CHECK(island_at + 20000 - (uint64_t)(uintptr_t)answer_one + (100 << 20) < 200 << 20);
	CHECK_INT(dt_inject_write(in, island_at + 19990, "island", 7), 0);
	CHECK_INT(dt_inject_island(in, (uint64_t)(uintptr_t)answer_one, 4096, 1 << 20, &word), -ENOSPC);
	data_at = code + DT_AGENT_SPAN;
	dt_inject_resume(in);
	CHECK_INT(count_fds(pid), fds);		/* nothing stays open in it */
	CHECK_INT(write(r->pipe[1], (uint64_t[2]){ page_at, data_at }, 16), 16);
	CHECK(becomes(&r->done));
	CHECK_INT(r->seen, 1);
	CHECK_INT(r->result, 7);
	dt_inject_close(in);
	end(pid);
	free_report(r);
	close(code_fd);
	close(data_fd);
	close(more_fd);
}

/* ---- who may not be traced ---- */

static void test_traced(void)
{
	struct report *r = new_report();
	pid_t pid = start(in_loop, r), tracer;
	struct dt_inject *in;
	char msg[256] = "", want[64];
	volatile int *seized = &r->seen;

	CHECK(becomes(&r->ready));
	tracer = fork();
	if (tracer == 0) {
		*seized = ptrace(PTRACE_SEIZE, pid, NULL, NULL) == 0 ? 1 : 2;
		ms_sleep(60 * SECOND);
		_exit(0);
	}
	CHECK(becomes(seized));
	if (*seized == 1) {
		CHECK_INT(dt_inject_open(&in, (uint32_t)pid, false, msg, sizeof(msg)), -EBUSY);
		snprintf(want, sizeof(want), "traced by process %d (inject_map_test)", (int)tracer);
		if (!CHECK(strstr(msg, want) != NULL))
			fprintf(stderr, "%s\n", msg);
	} else {
		CHECK_SKIP("a process cannot trace another here");
	}
	end(tracer);
	end(pid);
	free_report(r);
}

/* In a process of an ordinary user. */
static void as_nobody(struct report *r)
{
	struct report *mine;
	struct dt_inject *in = NULL;
	char msg[256] = "";
	pid_t pid;

	if (setresgid(65534, 65534, 65534) != 0 || setresuid(65534, 65534, 65534) != 0)
		_exit(1);
	prctl(PR_SET_DUMPABLE, 1);
	r->seen = dt_inject_open(&in, (uint32_t)getppid(), false, msg, sizeof(msg)) == -EPERM &&
	    strstr(msg, "another user (0)") != NULL && in == NULL;
	if (!r->seen)
		fprintf(stderr, "%s\n", msg);
	mine = new_report();
	pid = start(in_loop, mine);
	r->result = becomes(&mine->ready) && (in = attach(pid)) != NULL && stop(in) == 0 &&
	    call0(in, SYS_getpid) == pid;
	dt_inject_close(in);
	end(pid);
	r->done = 1;
}

static void not_dumpable(struct report *r)
{
	prctl(PR_SET_DUMPABLE, 0);
	in_loop(r);
}

static void user_without_dump(struct report *r)
{
	struct report *mine = new_report();
	struct dt_inject *in = NULL;
	char msg[256] = "";
	pid_t pid;

	if (setresgid(65534, 65534, 65534) != 0 || setresuid(65534, 65534, 65534) != 0)
		_exit(1);
	prctl(PR_SET_DUMPABLE, 1);
	pid = start(not_dumpable, mine);
	r->result = becomes(&mine->ready) &&
	    dt_inject_open(&in, (uint32_t)pid, false, msg, sizeof(msg)) == -EPERM &&
	    strstr(msg, "not dumpable") != NULL;
	if (!r->result)
		fprintf(stderr, "%s\n", msg);
	end(pid);
	r->done = 1;
}

static void test_users(void)
{
	struct report *r = new_report();
	pid_t pid;

	if (getuid() != 0) {
		CHECK_SKIP("not root: another user cannot be tried");
		free_report(r);
		return;
	}
	pid = start(as_nobody, r);
	CHECK(becomes(&r->done));
	CHECK_INT(r->seen, 1);
	CHECK_INT(r->result, 1);
	end(pid);
	r->done = 0;
	r->result = 0;
	pid = start(user_without_dump, r);
	CHECK(becomes(&r->done));
	CHECK_INT(r->result, 1);
	end(pid);
	free_report(r);
}

static void strict(struct report *r)
{
	r->ready = 1;
	prctl(PR_SET_SECCOMP, 1);
	while (!r->go)
		r->count++;
	syscall(SYS_exit, 0);
}

/* A filter that answers getpid() by an error, getppid() by a signal, and allows all else. */
static void filtered(struct report *r)
{
	struct sock_filter f[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_getpid, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_getppid, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog prog = { sizeof(f) / sizeof(f[0]), f };
	struct sigaction sa = { .sa_handler = handler }, now_set;

	sigaction(SIGSYS, &sa, NULL);
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	r->seen = prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &prog) == 0;
	in_loop(r);
	sigaction(SIGSYS, NULL, &now_set);
	r->result = now_set.sa_handler == handler;	/* a signal that is forced would have taken it away */
	r->done = 2;
}

static void test_filter(void)
{
	struct report *r = new_report();
	pid_t pid = start(filtered, r);
	struct dt_inject *in;
	char msg[256] = "";

	CHECK(becomes(&r->ready));
	CHECK_INT(r->seen, 1);
	in = attach(pid);
	CHECK_INT(stop(in), 0);
	CHECK_INT(call0(in, SYS_getpid), -EPERM);
	CHECK_INT(call0(in, SYS_getppid), -EACCES);
	dt_inject_refused(in, "getppid()", -EACCES, msg, sizeof(msg));
	CHECK_STR(msg, "its filter of system calls (seccomp) does not allow getppid()");
	CHECK_INT(call0(in, SYS_gettid), pid);
	dt_inject_resume(in);
	r->go = 1;
	for (int i = 0; i < 10000 && r->done != 2; i++)
		ms_sleep(1);
	CHECK_INT(r->done, 2);
	CHECK_INT(r->result, 1);
	dt_inject_close(in);
	end(pid);
	free_report(r);
}

/* ---- without a vdso, and held before it runs ---- */

static void no_vdso(struct report *r)
{
	char line[256];
	unsigned long from = 0, to = 0;
	FILE *f = fopen("/proc/self/maps", "r");

	while (f != NULL && fgets(line, sizeof(line), f) != NULL)
		if (strstr(line, "[vdso]") != NULL)
			(void)!sscanf(line, "%lx-%lx", &from, &to);
	r->seen = to != 0 && munmap((void *)from, to - from) == 0;
	r->ready = 1;
	while (!r->go)
		r->count++;
	r->done = 1;
	for (;;)
		syscall(SYS_ppoll, NULL, 0, NULL, NULL, 0);
}

static void test_no_vdso(void)
{
	struct report *r = new_report();
	pid_t pid = start(no_vdso, r);
	struct dt_agent_process p;
	struct dt_inject *in;
	char msg[256];

	CHECK(becomes(&r->ready));
	CHECK_INT(r->seen, 1);
	in = attach(pid);
	CHECK_INT(stop(in), 0);
	CHECK_INT(call0(in, SYS_getpid), pid);
	CHECK_INT(dt_inject_private(in, 0, 0, &p, &page_at, msg, sizeof(msg)), 0);
	CHECK(p.clock == 0);
	dt_inject_resume(in);
	r->go = 1;
	CHECK(becomes(&r->done));
	dt_inject_close(in);
	end(pid);
	free_report(r);
}

static void test_held(enum dt_proc_stop where)
{
	int code_fd = memory_fd("code", 4096), data_fd = memory_fd("data", 4096), status = -1;
	char *argv[] = { "sh", "-c", "exit 42", NULL }, msg[256] = "";
	struct dt_agent_process p;
	struct dt_inject *in;
	struct dt_proc proc;
	uint64_t code;

	if (!CHECK_INT(dt_proc_start(&proc, "sh", argv, environ, where, msg, sizeof(msg)), 0))
		return;
	CHECK_INT(dt_inject_open(&in, (uint32_t)proc.pid, true, msg, sizeof(msg)), 0);
	CHECK_INT(stop(in), 0);
	CHECK_INT(call0(in, SYS_getpid), proc.pid);
	CHECK_INT(dt_inject_map(in, code_fd, 4096, data_fd, 4096, &code, msg, sizeof(msg)), 0);
	CHECK_INT(dt_inject_private(in, code, code + DT_AGENT_SPAN, &p, &page_at, msg, sizeof(msg)), 0);
	dt_inject_resume(in);
	CHECK_INT(stop(in), 0);		/* again, as it is still held */
	CHECK_INT(call0(in, SYS_getpid), proc.pid);
	dt_inject_resume(in);
	dt_proc_continue(&proc);
	for (int i = 0; i < 10000 && !dt_proc_ended(&proc); i++)
		ms_sleep(1);
	status = proc.status;
	CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 42);
	dt_inject_close(in);
	dt_proc_close(&proc);
	close(code_fd);
	close(data_fd);
}

static void test_seccomp(void)
{
	struct report *r = new_report();
	pid_t pid = start(strict, r);
	struct dt_inject *in;
	char msg[256] = "";

	CHECK(becomes(&r->ready));
	for (int i = 0; i < 1000 && r->count == 0; i++)
		ms_sleep(1);
	CHECK_INT(dt_inject_open(&in, (uint32_t)pid, false, msg, sizeof(msg)), -EPERM);
	CHECK(strstr(msg, "strict") != NULL);
	end(pid);
	free_report(r);
}

int main(void)
{
	test_map();
	test_traced();
	test_users();
	test_seccomp();
	test_filter();
	test_no_vdso();
	test_held(DT_PROC_AT_EXEC);
	test_held(DT_PROC_AT_PREINIT);
	test_held(DT_PROC_AT_MAIN);
	return CHECK_DONE("inject_map_test");
}
