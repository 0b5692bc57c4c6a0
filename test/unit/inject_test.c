/* SPDX-License-Identifier: BSD-2-Clause */
/* Processes that are stopped and let go, and system calls made in them (src/inject). */
#include "inject_target.h"

#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <sys/epoll.h>

enum { WAIT_MS = 300, THREADS = 50 };

/* ---- what threads wait in goes on as if nothing had been ---- */

static void in_read(struct report *r)
{
	char buf[8];

	begin(r);
	finish(r, read(r->pipe[0], buf, sizeof(buf)));
}

static void in_nanosleep(struct report *r)
{
	begin(r);
	finish(r, syscall(SYS_nanosleep, &(struct timespec){ 0, WAIT_MS * 1000000L }, NULL));
}

static void in_futex(struct report *r)
{
	uint32_t word = 0;

	begin(r);
	finish(r, syscall(SYS_futex, &word, FUTEX_WAIT, 0, &(struct timespec){ 0, WAIT_MS * 1000000L },
	    NULL, 0));
}

static void in_poll(struct report *r)
{
	struct pollfd f = { .fd = r->pipe[0], .events = POLLIN };

	begin(r);
	finish(r, poll(&f, 1, WAIT_MS));
}

static void in_epoll(struct report *r)
{
	struct epoll_event e = { .events = EPOLLIN };
	int fd = epoll_create1(0);

	epoll_ctl(fd, EPOLL_CTL_ADD, r->pipe[0], &e);
	begin(r);
	finish(r, epoll_wait(fd, &e, 1, 10 * SECOND));
}

static void in_sigtimedwait(struct report *r)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR2);
	sigprocmask(SIG_BLOCK, &set, NULL);
	begin(r);
	finish(r, sigtimedwait(&set, NULL, &(struct timespec){ 10, 0 }));
}

static void in_pause(struct report *r)
{
	struct sigaction sa = { .sa_handler = handler, .sa_flags = SA_RESTART };

	sigaction(SIGUSR1, &sa, NULL);
	begin(r);
	finish(r, pause());
}

static void in_sigsuspend(struct report *r)
{
	struct sigaction sa = { .sa_handler = handler };
	sigset_t set;

	sigaction(SIGUSR1, &sa, NULL);
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigprocmask(SIG_BLOCK, &set, NULL);
	sigemptyset(&set);
	begin(r);
	finish(r, sigsuspend(&set));
}

/* epoll_wait() that a signal is to interrupt. */
static void in_epoll_signal(struct report *r)
{
	struct sigaction sa = { .sa_handler = handler, .sa_flags = SA_RESTART };

	sigaction(SIGUSR1, &sa, NULL);
	in_epoll(r);
}

static void nothing(pid_t pid, struct report *r) { (void)pid; (void)r; }
static void write_pipe(pid_t pid, struct report *r) { (void)pid; CHECK_INT(write(r->pipe[1], "abc", 3), 3); }
static void usr1(pid_t pid, struct report *r) { (void)r; kill(pid, SIGUSR1); }
static void usr2(pid_t pid, struct report *r) { (void)r; kill(pid, SIGUSR2); }
static void go(pid_t pid, struct report *r) { (void)pid; r->go = 1; }

struct waiting {
	const char *name;
	target_f *target;
	void (*wake)(pid_t, struct report *);
	long result;
	int error;
	bool while_stopped;		/* what wakes it comes while it is stopped */
	bool timed;			/* it wakes by itself, after WAIT_MS */
};

static const struct waiting waitings[] = {
	{ "read", in_read, write_pipe, 3, 0, false, false },
	{ "read, stopped", in_read, write_pipe, 3, 0, true, false },
	{ "nanosleep", in_nanosleep, nothing, 0, 0, false, true },
	{ "futex", in_futex, nothing, -1, ETIMEDOUT, false, true },
	{ "poll", in_poll, nothing, 0, 0, false, true },
	{ "epoll", in_epoll, write_pipe, 1, 0, false, false },
	{ "epoll, stopped", in_epoll, write_pipe, 1, 0, true, false },
	{ "epoll, signal", in_epoll_signal, usr1, -1, EINTR, false, false },
	{ "epoll, signal, stopped", in_epoll_signal, usr1, -1, EINTR, true, false },
	{ "sigtimedwait", in_sigtimedwait, usr2, SIGUSR2, 0, false, false },
	{ "pause", in_pause, usr1, -1, EINTR, false, false },
	{ "pause, stopped", in_pause, usr1, -1, EINTR, true, false },
	{ "sigsuspend", in_sigsuspend, usr1, -1, EINTR, false, false },
	{ "sigsuspend, stopped", in_sigsuspend, usr1, -1, EINTR, true, false },
	{ "loop", in_loop, go, 0, 0, false, false },
};

static void one_waiting(const struct waiting *w)
{
	struct report *r = new_report();
	pid_t pid = start(w->target, r);
	struct dt_inject *in;
	char msg[256] = "";

	CHECK(becomes(&r->ready));
	ms_sleep(20);			/* it is in its system call by now */
	in = attach(pid);
	for (int i = 0; i < 20 && in != NULL; i++) {
		if (!CHECK_INT(stop(in), 0))
			break;
		if (i % 2 == 0)
			CHECK_INT(call0(in, SYS_getpid), pid);
		if (i == 12 && w->while_stopped) {
			CHECK_INT(call0(in, SYS_getpid), pid);
			w->wake(pid, r);
		}
		dt_inject_resume(in);
		ms_sleep(2);
	}
	if (!w->while_stopped)
		w->wake(pid, r);
	if (!CHECK(becomes(&r->done)))
		snprintf(msg, sizeof(msg), "it still waits");
	if (!CHECK_INT(r->result, w->result) || !CHECK_INT(r->error, w->error) || msg[0] != '\0')
		fprintf(stderr, "in %s %s\n", w->name, msg);
	/* a call that began again for its whole time would take longer than this, with 20 stops */
	if (w->timed && !CHECK(r->took >= WAIT_MS / 1e3 - 0.001 && r->took < WAIT_MS / 1e3 + 0.2))
		fprintf(stderr, "%s took %.3f s\n", w->name, r->took);
	dt_inject_close(in);
	end(pid);
	free_report(r);
}

static void test_waiting(void)
{
	for (unsigned i = 0; i < sizeof(waitings) / sizeof(waitings[0]); i++)
		one_waiting(&waitings[i]);
}

/* ---- many threads ---- */

static void *one_thread(void *arg)
{
	struct report *r = arg;

	__atomic_fetch_add(&r->count, 1, __ATOMIC_SEQ_CST);
	while (!r->go)
		syscall(SYS_nanosleep, &(struct timespec){ 0, 1000000 }, NULL);
	return NULL;
}

static unsigned want_threads;		/* set before a target is started */

static void with_threads(struct report *r)
{
	pthread_attr_t a;
	pthread_t t;

	pthread_attr_init(&a);
	pthread_attr_setstacksize(&a, 64 << 10);
	for (unsigned i = 1; i < want_threads; i++)
		if (pthread_create(&t, &a, one_thread, r) != 0)
			_exit(1);
	while (r->count < want_threads - 1)
		ms_sleep(1);
	r->ready = 1;
	while (!r->go)
		ms_sleep(1);
	r->done = 1;
	ms_sleep(60 * SECOND);
}

struct seen { unsigned n; bool moved; };

static bool count_thread(void *ctx, uint32_t tid, struct dt_inject_regs *regs)
{
	struct seen *s = ctx;

	s->n += tid != 0 && regs->pc != 0 && regs->sp != 0;
	return true;			/* sets the same again */
}

static void test_threads(unsigned n)
{
	struct report *r = new_report();
	struct dt_inject *in;
	struct seen s = { 0 };
	double best = 1e9;
	pid_t pid;

	want_threads = n;
	pid = start(with_threads, r);
	CHECK(becomes(&r->ready));
	in = attach(pid);
	for (int i = 0; i < 20 && in != NULL; i++) {
		uint64_t before = dt_inject_stopped_ns(in);

		if (!CHECK_INT(stop(in), 0))
			break;
		CHECK_INT(dt_inject_nthreads(in), n);
		if (i == 0) {
			CHECK_INT(dt_inject_threads(in, count_thread, &s), 0);
			CHECK_INT(s.n, n);
		}
		dt_inject_resume(in);
		if (i > 0 && (double)(dt_inject_stopped_ns(in) - before) < best)
			best = (double)(dt_inject_stopped_ns(in) - before);
	}
	printf("stop and resume, %u threads: %.0f us\n", n, best / 1e3);
	r->go = 1;
	CHECK(becomes(&r->done));
	dt_inject_close(in);
	end(pid);
	free_report(r);
}

static void *short_thread(void *arg)
{
	struct report *r = arg;

	__atomic_fetch_sub(&r->seen, 1, __ATOMIC_SEQ_CST);
	return NULL;
}

static void storm(struct report *r)
{
	pthread_t t;

	r->ready = 1;
	while (!r->go) {
		if (r->seen > 20)	/* on a slow machine they would become too many to be stopped */
			continue;
		__atomic_fetch_add(&r->seen, 1, __ATOMIC_SEQ_CST);
		if (pthread_create(&t, NULL, short_thread, r) == 0)
			pthread_detach(t);
		r->count++;
	}
	r->done = 1;
	ms_sleep(60 * SECOND);
}

static void test_storm(void)
{
	struct report *r = new_report();
	pid_t pid = start(storm, r);
	struct dt_inject *in;

	CHECK(becomes(&r->ready));
	in = attach(pid);
	for (int i = 0; i < 50 && in != NULL; i++) {
		unsigned before;

		if (!CHECK_INT(stop(in), 0))
			break;
		before = r->count;
		CHECK_INT(call0(in, SYS_getpid), pid);
		CHECK_INT(r->count, before);
		dt_inject_resume(in);
	}
	r->go = 1;
	CHECK(becomes(&r->done));
	dt_inject_close(in);
	end(pid);
	free_report(r);
}

/* ---- stopped and ending processes ---- */

static void test_group_stop(void)
{
	struct report *r = new_report();
	pid_t pid = start(in_loop, r);
	struct dt_inject *in;

	CHECK(becomes(&r->ready));
	in = attach(pid);
	kill(pid, SIGSTOP);
	CHECK_INT(state_becomes(pid, 'T'), 'T');
	for (int i = 0; i < 5; i++) {
		CHECK_INT(stop(in), 0);
		CHECK_INT(call0(in, SYS_getpid), pid);
		dt_inject_resume(in);
		CHECK_INT(state_becomes(pid, 'T'), 'T');
	}
	kill(pid, SIGCONT);
	r->go = 1;
	CHECK(becomes(&r->done));
	/* and one that is sent while it is stopped by us */
	dt_inject_close(in);
	end(pid);
	r->ready = r->go = r->done = 0;
	pid = start(in_loop, r);
	CHECK(becomes(&r->ready));
	in = attach(pid);
	CHECK_INT(stop(in), 0);
	CHECK_INT(call0(in, SYS_getpid), pid);
	kill(pid, SIGSTOP);
	CHECK_INT(call0(in, SYS_getpid), pid);
	dt_inject_resume(in);
	CHECK_INT(state_becomes(pid, 'T'), 'T');
	kill(pid, SIGCONT);
	r->go = 1;
	CHECK(becomes(&r->done));
	dt_inject_close(in);
	end(pid);
	free_report(r);
}

static void executes(struct report *r)
{
	r->ready = 1;
	while (!r->go)
		ms_sleep(1);
	execlp("sleep", "sleep", "60", (char *)NULL);
	_exit(1);
}

static void test_exec(void)
{
	struct report *r = new_report();
	pid_t pid = start(executes, r);
	struct dt_inject *in;
	char msg[256] = "";
	int err = 0;

	CHECK(becomes(&r->ready));
	in = attach(pid);
	CHECK_INT(stop(in), 0);
	dt_inject_resume(in);
	r->go = 1;
	for (int i = 0; i < 10000 && err == 0; i++) {
		err = dt_inject_stop(in, msg, sizeof(msg));
		dt_inject_resume(in);
		ms_sleep(1);
	}
	CHECK_INT(err, -ESRCH);
	CHECK_STR(msg, "it has executed another program");
	dt_inject_close(in);
	CHECK_INT(state_becomes(pid, 'S'), 'S');	/* and it runs as if nothing had been */
	end(pid);
	free_report(r);
}

static void test_ends(void)
{
	struct report *r = new_report();
	pid_t pid = start(in_loop, r);
	struct dt_inject *in;
	char msg[256] = "";
	int status = 0;

	CHECK(becomes(&r->ready));
	in = attach(pid);
	CHECK_INT(stop(in), 0);
	CHECK_INT(call0(in, SYS_getpid), pid);
	kill(pid, SIGKILL);
	CHECK_INT(call0(in, SYS_getpid), -ESRCH);
	dt_inject_resume(in);
	CHECK_INT(dt_inject_stop(in, msg, sizeof(msg)), -ESRCH);
	CHECK_STR(msg, "it has ended");
	dt_inject_close(in);
	CHECK_INT(waitpid(pid, &status, 0), pid);	/* its status is still there for its parent */
	CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
	CHECK_INT(dt_inject_open(&in, (uint32_t)pid, false, msg, sizeof(msg)), -ESRCH);
	CHECK_STR(msg, "there is no such process");
	pid = start(in_loop, r);
	kill(pid, SIGKILL);
	CHECK_INT(state_becomes(pid, 'Z'), 'Z');
	CHECK_INT(dt_inject_open(&in, (uint32_t)pid, false, msg, sizeof(msg)), -ESRCH);
	CHECK(strstr(msg, "zombie") != NULL);
	waitpid(pid, NULL, 0);
	CHECK_INT(dt_inject_open(&in, 2, false, msg, sizeof(msg)) < 0, 1);
	free_report(r);
}

/* ---- memory ---- */

static void test_memory(void)
{
	struct report *r = new_report();
	pid_t pid = start(answers, r);
	uint8_t bytes[8], back[8];
	struct dt_inject_write w[2];
	struct dt_inject *in;
	int64_t at;

	CHECK(becomes(&r->ready));
	CHECK_INT(r->seen, 1);
	in = attach(pid);
	CHECK_INT(stop(in), 0);
	CHECK_INT(dt_inject_read(in, (uint64_t)(uintptr_t)answer_two, bytes, sizeof(bytes)), 0);
	CHECK(memcmp(bytes, (const void *)answer_two, sizeof(bytes)) == 0);
	w[0] = (struct dt_inject_write){ (uint64_t)(uintptr_t)answer_one + 4, bytes + 4, 4 };
	w[1] = (struct dt_inject_write){ (uint64_t)(uintptr_t)answer_one, bytes, 4 };
	CHECK_INT(dt_inject_write_many(in, w, 2), 0);
	CHECK_INT(dt_inject_read(in, (uint64_t)(uintptr_t)answer_one, back, sizeof(back)), 0);
	CHECK(memcmp(back, bytes, sizeof(back)) == 0);
	CHECK_INT(dt_inject_read(in, 8, back, sizeof(back)), -EFAULT);
	CHECK_INT(dt_inject_write(in, 8, back, sizeof(back)), -EFAULT);
	CHECK_INT(dt_inject_read(in, ~0ull - 3, back, sizeof(back)), -EFAULT);
	at = dt_inject_call(in, SYS_mmap, (uint64_t[6]){ 0, 100000, PROT_READ | PROT_WRITE,
	    MAP_PRIVATE | MAP_ANONYMOUS, ~0ull, 0 });
	CHECK(at > 0);
	/* many places over several pages, read back */
	{
		enum { N = 500 };
		struct dt_inject_write many[N];
		uint32_t value[N], got;

		for (unsigned i = 0; i < N; i++) {
			value[i] = i * 2654435761u;
			many[i] = (struct dt_inject_write){
				(uint64_t)at + (i * 7919 % N) * 200, &value[i], 4,
			};
		}
		CHECK_INT(dt_inject_write_many(in, many, N), 0);
		for (unsigned i = 0; i < N; i++)
			if (!CHECK(dt_inject_read(in, (uint64_t)at + (i * 7919 % N) * 200, &got, 4) == 0 &&
			    got == i * 2654435761u))
				break;
	}
	CHECK_INT(dt_inject_unmap(in, (uint64_t)at, 100000), 0);
	CHECK_INT(dt_inject_read(in, (uint64_t)at, back, sizeof(back)), -EFAULT);
	dt_inject_resume(in);
	r->go = 1;
	CHECK(becomes(&r->done));
	CHECK_INT(r->result, 2);
	CHECK_INT(answer_one(), 1);	/* its own copy of the page alone was changed */
	dt_inject_close(in);
	end(pid);
	free_report(r);
}

int main(void)
{
	test_memory();
	test_waiting();
	test_threads(1);
	test_threads(16);
	test_threads(THREADS);
	test_threads(256);
	test_storm();
	test_group_stop();
	test_exec();
	test_ends();
	return CHECK_DONE("inject_test");
}
