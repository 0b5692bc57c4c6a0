/* SPDX-License-Identifier: BSD-2-Clause */
/* Threads by number (threads.h). */
#include "threads.h"

#include <stdlib.h>

static struct thread **bucket_of(const struct threads *t, pid_t tid)
{
	return (struct thread **)&t->bucket[(unsigned)tid % COUNT(t->bucket)];
}

struct thread *threads_find(const struct threads *t, pid_t tid)
{
	struct thread *th = *bucket_of(t, tid);

	while (th != NULL && th->tid != tid)
		th = th->next;
	return th;
}

static struct thread *add(struct threads *t, pid_t pid, pid_t tid, struct files *files)
{
	struct thread *th = calloc(1, sizeof(*th)), **bucket = bucket_of(t, tid);

	if (th == NULL) {
		files_release(files);
		return NULL;
	}
	th->pid = pid;
	th->tid = tid;
	th->files = files;
	th->next = *bucket;
	*bucket = th;
	t->n++;
	return th;
}

struct thread *threads_get(struct threads *t, pid_t pid, pid_t tid)
{
	struct thread *th = threads_find(t, tid), *leader;

	if (th != NULL)
		return th;
	leader = threads_find(t, pid);
	return add(t, pid, tid, leader != NULL ? files_share(leader->files) : files_of(pid, &t->memory));
}

void threads_fork(struct threads *t, struct thread *parent, pid_t pid, pid_t tid, bool shared)
{
	struct thread *old = threads_find(t, tid);

	if (old != NULL)		/* its number is used again: its end was not seen */
		threads_remove(t, old);
	if (parent != NULL)
		(void)add(t, pid, tid, shared ? files_share(parent->files) : files_copy(parent->files, pid));
}

void threads_remove(struct threads *t, struct thread *th)
{
	struct thread **at = bucket_of(t, th->tid);

	while (*at != th)
		at = &(*at)->next;
	*at = th->next;
	files_release(th->files);
	free(th);
	t->n--;
}

void threads_free(struct threads *t)
{
	for (size_t i = 0; i < COUNT(t->bucket); i++)
		while (t->bucket[i] != NULL)
			threads_remove(t, t->bucket[i]);
}
