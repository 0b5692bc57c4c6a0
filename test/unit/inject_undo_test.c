/* SPDX-License-Identifier: BSD-2-Clause */
/* How what was changed in processes is undone, also when the tracer was killed (src/inject). */
#include "inject/guardian.h"
#include "inject_target.h"

#include <stddef.h>

static void change(struct dt_inject *in, struct dt_inject_site *s, struct dt_inject_range *range,
    struct dt_inject_file *file, struct dt_guardian *g)
{
	struct dt_inject_undo u = {
		.site = s, .nsites = 1, .file = file, .nfiles = 1, .range = range, .nranges = 1,
	};

	s->addr = (uint64_t)(uintptr_t)answer_one;
	s->len = 8;
	memcpy(s->original, (const void *)answer_one, 8);
	memcpy(s->jump, (const void *)answer_two, 8);
	CHECK_INT(dt_inject_file_at(in, s->addr, file), 0);
	CHECK_INT(stop(in), 0);
	CHECK_INT(dt_inject_island(in, s->addr, 100 << 20, 4096, &range->addr), 0);
	range->len = 4096;
	range->code = true;
	if (g != NULL)
		CHECK_INT(dt_guardian_add(g, dt_inject_pid(in), &u), 0);
	CHECK_INT(dt_inject_write(in, s->addr, s->jump, s->len), 0);
	dt_inject_resume(in);
}

/*
 * Not part of its caller: the address of an island that stays on the stack of a process is taken for that of
 * a thread inside, and the next process begins with our stack.
 */
__attribute__((noinline)) static void test_restore(void)
{
	struct report *r = new_report();
	pid_t pid = start(answers, r);
	struct dt_inject_range range;
	struct dt_inject_file file, other;
	struct dt_inject_site s;
	struct dt_inject_undo u = { .site = &s, .nsites = 1, .file = &other, .nfiles = 1, .range = &range };
	struct dt_inject *in;
	char msg[256] = "", byte;
	uint32_t n = 9;

	CHECK(becomes(&r->ready));
	in = attach(pid);
	change(in, &s, &range, &file, NULL);
	other = file;
	other.inode++;			/* another file lies there now: it is left alone */
	CHECK_INT(dt_inject_restore(in, &u, &n, msg, sizeof(msg)), 0);
	CHECK_INT(n, 0);
	other = file;
	u.nranges = 1;
	CHECK_INT(dt_inject_restore(in, &u, &n, msg, sizeof(msg)), 0);
	CHECK_INT(n, 1);
	CHECK_INT(dt_inject_read(in, range.addr, &byte, 1), -EFAULT);
	r->go = 1;
	CHECK(becomes(&r->done));
	CHECK_INT(r->result, 1);
	dt_inject_close(in);
	end(pid);
	free_report(r);
}

/* In a process that stands for dtrace, and is killed. */
static void tracer_that_dies(struct report *r)
{
	struct dt_inject_range range;
	struct dt_inject_file file;
	struct dt_inject_site s;
	struct dt_guardian *g;
	struct dt_inject *in = attach((pid_t)r->count);

	CHECK_INT(dt_guardian_start(&g, r->seen), 0);
	change(in, &s, &range, &file, g);
	r->took = (double)range.addr;
	r->ready = check_failed == 0 ? 1 : 2;
	ms_sleep(60 * SECOND);
}

static void test_guardian(bool stopped)
{
	struct report *r = new_report(), *mine = new_report();
	pid_t pid = start(answers, r), tracer;
	int data = memory_fd("data", sizeof(struct dt_agent)), i;
	uint32_t one = 1, enabled = 9;
	struct dt_inject *in;
	uint8_t now_there[8];

	CHECK_INT(pwrite(data, &one, sizeof(one), offsetof(struct dt_agent, enabled)), sizeof(one));
	CHECK(becomes(&r->ready));
	mine->count = (unsigned)pid;
	mine->seen = data;
	tracer = start(tracer_that_dies, mine);
	CHECK(becomes(&mine->ready));
	CHECK_INT(mine->ready, 1);
	in = attach(pid);
	CHECK_INT(dt_inject_read(in, (uint64_t)(uintptr_t)answer_one, now_there, 8), 0);
	CHECK(memcmp(now_there, (const void *)answer_two, 8) == 0);
	if (stopped)
		kill(pid, SIGSTOP);
	end(tracer);
	for (i = 0; i < 10000; i++) {
		if (dt_inject_read(in, (uint64_t)(uintptr_t)answer_one, now_there, 8) == 0 &&
		    memcmp(now_there, (const void *)answer_one, 8) == 0 &&
		    dt_inject_read(in, (uint64_t)mine->took, now_there, 1) == -EFAULT)
			break;
		ms_sleep(1);
	}
	CHECK(i < 10000);
	CHECK_INT(pread(data, &enabled, sizeof(enabled), offsetof(struct dt_agent, enabled)),
	    sizeof(enabled));
	CHECK_INT(enabled, 0);
	if (stopped) {
		CHECK_INT(state_becomes(pid, 'T'), 'T');
		kill(pid, SIGCONT);
	}
	r->go = 1;
	CHECK(becomes(&r->done));
	CHECK_INT(r->result, 1);
	dt_inject_close(in);
	end(pid);
	close(data);
	free_report(r);
	free_report(mine);
}

/* Makes system calls in a process until it is killed. */
static void tracer_in_a_hurry(struct report *r)
{
	struct dt_guardian *g;
	struct dt_inject *in = attach((pid_t)r->count);

	CHECK_INT(dt_guardian_start(&g, -1), 0);
	dt_guardian_watch(g, in);
	r->seen = (int)dt_guardian_pid(g);
	for (;;) {
		if (stop(in) != 0)
			_exit(1);
		for (int i = 0; i < 50; i++)
			(void)call0(in, SYS_getpid);
		dt_inject_resume(in);
		r->ready = 1;
	}
}

/* Checks that its registers are its own all the time. */
static void counts(struct report *r)
{
	volatile unsigned a = 0, b = 0;

	r->ready = 1;
	for (;;) {
		unsigned x = ++a;

		r->count = ++b;
		if (x != b)
			r->error = 1;
	}
}

/*
 * The thread that calls were made in when the tracer was killed waits at a jump to itself, until the guardian
 * gives it its registers back.
 */
static void test_rescue(void)
{
	struct report *r = new_report();
	pid_t pid = start(counts, r);

	CHECK(becomes(&r->ready));
	for (int round = 0; round < 40; round++) {
		struct report *mine = new_report();
		unsigned before;
		pid_t tracer;
		int i;

		mine->count = (unsigned)pid;
		tracer = start(tracer_in_a_hurry, mine);
		CHECK(becomes(&mine->ready));
		nanosleep(&(struct timespec){ 0, round * 37717 % 1000000 }, NULL);
		end(tracer);
		before = r->count;
		for (i = 0; i < 10000 && (r->count == before || runs(mine->seen)); i++)
			ms_sleep(1);
		free_report(mine);
		if (!CHECK(i < 10000) || !CHECK_INT(r->error, 0))
			break;
	}
	CHECK_INT(waitpid(pid, NULL, WNOHANG), 0);
	end(pid);
	free_report(r);
}

/* One that is said goodbye to does nothing. */
static void test_goodbye(void)
{
	struct report *r = new_report();
	pid_t pid = start(answers, r);
	struct dt_inject_range range;
	struct dt_inject_file file;
	struct dt_inject_site s;
	struct dt_guardian *g = NULL;
	struct dt_inject *in;

	CHECK(becomes(&r->ready));
	in = attach(pid);
	CHECK_INT(dt_guardian_start(&g, -1), 0);
	change(in, &s, &range, &file, g);
	dt_guardian_end(g);
	r->go = 1;
	CHECK(becomes(&r->done));
	CHECK_INT(r->result, 2);
	dt_inject_close(in);
	end(pid);
	free_report(r);
}

/* Addresses that one test leaves on the stack would be taken for threads inside of a range in the next. */
__attribute__((noinline)) static void wipe_stack(void)
{
	volatile char room[64 << 10];

	for (size_t i = 0; i < sizeof(room); i++)
		room[i] = 0;
}

int main(void)
{
	wipe_stack();
	test_restore();
	wipe_stack();
	test_guardian(false);
	wipe_stack();
	test_guardian(true);
	test_goodbye();
	test_rescue();
	return CHECK_DONE("inject_undo_test");
}
