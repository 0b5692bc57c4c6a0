/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * wall-n: a thread of its own asks the kernel for a pass over all threads at each interval (read(2) of a
 * task iterator), and our program runs for each of them. Nothing stops: it reads what the kernel keeps about
 * a thread, and memory of its process, for which it may have to wait. So a pass takes as long as that takes,
 * and ticks, which have a thread of theirs, do not wait for it.
 *
 * A process can make it wait for ever (memory that a dead file system has to give). Then that pass does not
 * end, and detaching leaves its thread behind: all it uses is in struct dt_wall, which is never freed then.
 */
#include "session/impl.h"
#include "base/clock.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { WAIT_STEP = 100000, WAIT_MAX = 2000000000, NS = 1000000000 };

struct dt_wall {
	struct dt_ticker ticker;
	int *links;			/* by tick */
	uint32_t passes;		/* odd while one is going on */
	uint32_t stuck;			/* the pass that was waited for in vain; 0: none */
};

/* One pass. The kernel goes over all threads in one read, as the program writes nothing. */
static void run_pass(void *ctx, uint32_t number)
{
	struct dt_wall *w = ctx;
	int fd = bpf_iter_create(w->links[number]);
	char rest[64];

	if (fd < 0)
		return;
	__atomic_add_fetch(&w->passes, 1, __ATOMIC_SEQ_CST);
	while (read(fd, rest, sizeof(rest)) > 0)
		;
	__atomic_add_fetch(&w->passes, 1, __ATOMIC_SEQ_CST);
	close(fd);
}

static struct dt_wall *wall_of(struct dt_session *s)
{
	struct dt_wall *w = s->wall != NULL ? s->wall : calloc(1, sizeof(*w));

	if (w == NULL || s->wall != NULL)
		return w;
	w->ticker.ticks = calloc(s->image->nprogs + 1u, sizeof(*w->ticker.ticks));
	w->links = calloc(s->image->nprogs + 1u, sizeof(*w->links));
	if (w->ticker.ticks == NULL || w->links == NULL) {
		free(w->ticker.ticks);
		free(w->links);
		free(w);
		return NULL;
	}
	return s->wall = w;
}

int dt_wall_attach(struct dt_session *s, uint32_t i, char *msg, size_t len)
{
	struct dt_wall *w = wall_of(s);
	int fd = w == NULL ? -1 : bpf_link_create(s->progs[i], 0, BPF_TRACE_ITER, NULL);

	if (w == NULL)
		return dt_session_fail(msg, len, -ENOMEM, "cannot note a probe");
	if (fd < 0)
		return dt_session_fail(msg, len, -errno,
		    "the kernel gives no list of its threads, which wall-n needs");
	w->links[w->ticker.n] = fd;
	w->ticker.ticks[w->ticker.n] = (struct dt_tick){ .prog = w->ticker.n,
		.interval = s->attach[i].interval };
	w->ticker.n++;
	return 0;
}

int dt_wall_start(struct dt_session *s)
{
	if (s->wall == NULL)
		return 0;
	s->wall->ticker.run = run_pass;
	s->wall->ticker.ctx = s->wall;
	s->wall->ticker.now = true;
	return dt_ticker_start(&s->wall->ticker);
}

/* False: the pass that is going on goes on after the longest that is waited, which is once for each. */
static bool wait_for_pass(struct dt_wall *w)
{
	uint32_t seen = __atomic_load_n(&w->passes, __ATOMIC_SEQ_CST);
	uint64_t end = seen == w->stuck ? 0 : dt_clock_ns() + WAIT_MAX;

	while (seen % 2 == 1 && __atomic_load_n(&w->passes, __ATOMIC_SEQ_CST) == seen) {
		if (dt_clock_ns() > end) {
			w->stuck = seen;
			return false;
		}
		nanosleep(&(struct timespec){ .tv_nsec = WAIT_STEP }, NULL);
	}
	return true;
}

/*
 * A grace period of the kernel does not wait for programs that may wait themselves. Firings of a pass that
 * takes longer than we wait are counted with what is read next.
 */
void dt_wall_settle(struct dt_session *s)
{
	if (s->wall != NULL)
		(void)wait_for_pass(s->wall);
}

static void free_wall(struct dt_wall *w)
{
	for (uint32_t i = 0; i < w->ticker.n; i++)
		close(w->links[i]);
	free(w->links);
	free(w->ticker.ticks);
	free(w);
}

void dt_wall_detach(struct dt_session *s)
{
	struct dt_wall *w = s->wall;

	s->wall = NULL;
	if (w == NULL)
		return;
	if (wait_for_pass(w)) {
		dt_ticker_stop(&w->ticker);
		free_wall(w);
		return;
	}
	/* it holds nothing of the session: the program and its maps are the kernel's until it returns */
	dt_ticker_leave(&w->ticker);
}
