/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Rows of large files, while tracing: a thread with a reader of its own asks for them, one file at a time, so
 * that the thread that reads buffers does not wait. When they are there the lists of all processes are made
 * again, and the first that has the file takes the rows. The thread touches nothing but its struct.
 */
#include "unwind/unwind_impl.h"
#include "base/clock.h"

#include "file/elf_impl.h"
#include "file/reader.h"
#include "file/cfi.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

struct dt_unwind_slow {
	uint64_t key;			/* of the file */
	char path[80];
	dev_t dev;
	struct dt_cfi cfi;		/* the answer */
	pthread_t thread;
	bool done, stop;		/* set by the thread; by us, to end it */
	bool offered;			/* lists are being made again */
	bool wanted;			/* others wait for their turn */
};

static bool stopped(void *ctx)
{
	return __atomic_load_n(&((struct dt_unwind_slow *)ctx)->stop, __ATOMIC_ACQUIRE);
}

/* The reader's children end with the thread that started them. */
static void *read_rows(void *arg)
{
	struct dt_unwind_slow *s = arg;
	struct dt_reader *reader = dt_reader_new();
	struct dt_elf *elf = NULL;
	struct statx st;

	dt_reader_set_callbacks(reader, stopped, NULL, s);
	if (reader != NULL && dt_elf_find(reader, s->path, NULL, s->dev, &elf, &st) == 0) {
		(void)dt_elf_rows(elf, false, &s->cfi);
		dt_elf_close(elf);
	}
	dt_reader_free(reader);
	__atomic_store_n(&s->done, true, __ATOMIC_RELEASE);
	return NULL;
}

static bool start(struct dt_unwind *u, const struct dt_umapping *m, uint32_t pid)
{
	struct dt_unwind_slow *s = calloc(1, sizeof(*s));
	sigset_t all, old;
	int err;

	if (s == NULL)
		return false;
	s->key = m->file;
	s->dev = m->dev;
	snprintf(s->path, sizeof(s->path), "/proc/%u/map_files/%llx-%llx", pid, (unsigned long long)m->start,
	    (unsigned long long)m->end);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	err = pthread_create(&s->thread, NULL, read_rows, s);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	if (err != 0) {
		free(s);
		return false;
	}
	u->slow = s;
	return true;
}

void dt_unwind_slow_free(struct dt_unwind *u)
{
	if (u->slow == NULL)
		return;
	__atomic_store_n(&u->slow->stop, true, __ATOMIC_RELEASE);
	pthread_join(u->slow->thread, NULL);
	dt_cfi_free(&u->slow->cfi);
	free(u->slow);
	u->slow = NULL;
}

enum dt_unwind_how dt_unwind_slow(struct dt_unwind *u, const struct dt_umapping *m, uint32_t pid,
    struct dt_cfi *c)
{
	struct dt_unwind_slow *s = u->slow;

	if (s != NULL && s->key == m->file && s->offered) {
		*c = s->cfi;
		s->cfi = (struct dt_cfi){ 0 };
		s->key = 0;
		return c->n > 0 ? DT_UNWIND_READY : DT_UNWIND_READ;	/* its process may have ended */
	}
	if (!u->hurry || m->vdso || dt_elf_frames(m->elf) < DT_ELF_FRAMES_LARGE)
		return DT_UNWIND_READ;
	if (s == NULL)
		return start(u, m, pid) ? DT_UNWIND_WAIT : DT_UNWIND_READ;
	s->wanted |= s->key != m->file;
	return DT_UNWIND_WAIT;
}

/* Whoever waits is asked again by way of `again`. */
void dt_unwind_slow_poll(struct dt_unwind *u, bool idle)
{
	struct dt_unwind_slow *s = u->slow;

	if (s == NULL || !__atomic_load_n(&s->done, __ATOMIC_ACQUIRE))
		return;
	if (!s->offered) {
		s->offered = true;
		u->again = dt_clock_ns();
	} else if (idle && u->again == 0) {
		if (s->wanted)
			u->again = dt_clock_ns();
		dt_unwind_slow_free(u);
	}
}
