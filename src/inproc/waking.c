/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Waiting for programs in other processes: they count in a word of the shared memory and wake whoever
 * sleeps on it (a futex). A thread sleeps there and turns that into an event, which poll(2) knows. A
 * process that counts without end wakes us at most once a millisecond. The sleep has a limit, since a
 * process can undo a count.
 */
#include "inproc/inproc.h"
#include "base/wakeup.h"

#include <linux/futex.h>
#include <signal.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { PAUSE_NS = 1000000, SOON_NS = 20000000 };

static void *waker_main(void *arg)
{
	static const struct timespec late = { .tv_sec = 1 }, soon = { .tv_nsec = SOON_NS };
	struct inproc *p = arg;
	uint32_t *word = &p->agent->wake, seen = __atomic_load_n(word, __ATOMIC_ACQUIRE), now;

	while (!__atomic_load_n(&p->stop_waking, __ATOMIC_ACQUIRE)) {
		__atomic_store_n(&p->agent->sleeping, 1, __ATOMIC_SEQ_CST);
		(void)syscall(SYS_futex, word, FUTEX_WAIT, seen,
		    __atomic_load_n(&p->silent, __ATOMIC_RELAXED) ? &soon : &late, NULL, 0);
		now = __atomic_load_n(word, __ATOMIC_ACQUIRE);
		if (now == seen)
			continue;
		seen = now;
		(void)!write(p->event, &(uint64_t){ 1 }, sizeof(uint64_t));
		nanosleep(&(struct timespec){ .tv_nsec = PAUSE_NS }, NULL);
	}
	return NULL;
}

int dt_inproc_open_waiting(struct inproc *p)
{
	sigset_t all, old;
	int err = dt_wakeup_open(&p->epoll, &p->event);

	if (err != 0)
		return err;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);	/* signals are for the caller's threads */
	err = pthread_create(&p->waker, NULL, waker_main, p);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	p->waking = err == 0;
	return -err;
}

void dt_inproc_close_waiting(struct inproc *p)
{
	if (p->waking) {
		__atomic_store_n(&p->stop_waking, true, __ATOMIC_RELEASE);
		__atomic_add_fetch(&p->agent->wake, 1, __ATOMIC_SEQ_CST);
		(void)syscall(SYS_futex, &p->agent->wake, FUTEX_WAKE, INT32_MAX, NULL, NULL, 0);
		pthread_join(p->waker, NULL);
		p->waking = false;
	}
	if (p->epoll >= 0)
		close(p->epoll);
	if (p->event >= 0)
		close(p->event);
	p->epoll = p->event = -1;
}

int dt_inproc_wait(struct dt_engine *e, uint64_t timeout_ns)
{
	struct inproc *p = inproc_of(e);

	dt_inproc_look(p);
	return dt_wakeup_wait(p->epoll, p->event, timeout_ns);
}

int dt_inproc_pollfd(const struct dt_engine *e) { return inproc_of(e)->epoll; }

int dt_inproc_wake_by(struct dt_engine *e, int fd) { return dt_wakeup_add(inproc_of(e)->epoll, fd); }
