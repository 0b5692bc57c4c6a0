/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a firing costs with a program that does nothing: printed, not judged. And that words of the thread say
 * the same about its number and CPU as system calls do.
 */
#include "check.h"
#include "agent_probe.h"

#include <time.h>

static struct dt_firing seen;

static uint64_t note(uint64_t ctx, uint64_t b, uint64_t c, uint64_t d, uint64_t e, struct dt_firing *f)
{
	(void)ctx, (void)b, (void)c, (void)d, (void)e;
	seen = *f;
	return 0;
}

static double loop_ns(const struct probe *p)
{
	struct frame in = { 0 }, out;
	struct frame_args args = { &in, &out, p };
	struct timespec a, b;
	double best = 1e9;

	for (int round = 0; round < 10; round++) {
		clock_gettime(CLOCK_MONOTONIC, &a);
		for (int i = 0; i < 20000; i++)
			agent_frame(&args);
		clock_gettime(CLOCK_MONOTONIC, &b);
		double ns = ((double)(b.tv_sec - a.tv_sec) * 1e9 + (double)(b.tv_nsec - a.tv_nsec)) / 20000;

		best = ns < best ? ns : best;
	}
	return best;
}

static void test_cost(struct world *w)
{
	struct probe p, around;
	double without, asked, with, light, bare, off;

	make_probe(w, &p, agent_empty);
	/* the test's own part: a trampoline that comes back at once */
	around = p;
	around.site.entry = (uint64_t)agent_back;
	without = loop_ns(&around);
	asked = loop_ns(&p);
	use_words(w, true);
	with = loop_ns(&p);
	weigh(w, &p, LIGHT);
	light = loop_ns(&p);
	weigh(w, &p, BARE);
	bare = loop_ns(&p);
	weigh(w, &p, FULL);
	make_probe(w, &around, note);
	fire(&around);
	CHECK_INT(seen.tid, syscall(SYS_gettid));
	CHECK(seen.cpu < 1024);
	w->agent->enabled = 0;
	off = loop_ns(&p);
	w->agent->enabled = 1;
	printf("# ns a firing with an empty program: %.1f, light: %.1f, without registers: %.1f "
	    "(tid at %d, cpu at %d); with system calls: %.1f; off: %.1f\n", with - without, light - without,
	    bare - without, w->process.tid_at, w->process.cpu_at, asked - without, off - without);
	use_words(w, false);
}

int main(void)
{
	struct world w;

	if (dt_agent_bytes_len == 0) {
		CHECK_SKIP("there is no agent for this machine");
		return check_report("agent_cost");
	}
	world_open(&w);
	w.process.atomics = can_atomics();
	test_cost(&w);
	world_close(&w);
	return check_report("agent_cost");
}
