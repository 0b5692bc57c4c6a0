/* SPDX-License-Identifier: BSD-2-Clause */
/* Readers that are lost (reader_impl.h): why, which file systems are not asked again, and who is told. */
#include "symbol/reader_impl.h"
#include "base/clean.h"
#include "base/clock.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define AGAIN 30000000000ull	/* ns: a file system that did not answer is asked again */

/* A child that ends closes its sockets a moment before it can be waited for. */
int dt_reader_find_signal(const struct dt_reader *r)
{
	const int how = WEXITED | WSTOPPED | WNOHANG | WNOWAIT;

	for (int turn = 0; turn < 20; turn++) {
		for (int c = 0; c < 2; c++) {
			siginfo_t i = { .si_pid = 0 };

			if (r->child[c] > 0 && waitid(P_PID, (id_t)r->child[c], &i, how) == 0 &&
			    i.si_pid != 0)
				return i.si_code == CLD_EXITED ? 0 : i.si_status;
		}
		usleep(1000);
	}
	return 0;
}

/* A reader that somebody has stopped looks like one that waits for a file system. */
static void why_lost(const struct dt_reader *r, int err, char *why, size_t len)
{
	const char *name = sigabbrev_np(r->signal);
	bool outside = r->signal == SIGKILL || r->signal == SIGSTOP || r->signal == SIGTSTP;

	if (r->signal != 0 && name != NULL)
		snprintf(why, len, "the process that reads it %s (SIG%s)",
		    !outside		   ? "crashed" :
		    r->signal == SIGKILL ? "was killed, by root or out of memory" :
					     "was stopped", name);
	else
		snprintf(why, len, "%s", err == -ETIMEDOUT ? "its file system does not answer" :
		    err == -ETIME ? r->hurry ? "it takes too long to read after an interrupt" :
		    "it takes too long to read" : "the process that reads it has ended");
}

void dt_reader_tell(struct dt_reader *r, const struct dt_question *q, int err)
{
	const char *shown = q->shown != NULL ? q->shown : q->path;
	char text[512], why[96];

	if (r->told || shown == NULL || q->want.what == DT_DIGEST_DIES)	/* whoever wants a type tells it */
		return;
	r->told = true;
	why_lost(r, err, why, sizeof(why));
	snprintf(text, sizeof(text), "addresses in %.300s (and in files like it) have no names: %s", shown,
	    why);
	dt_clean(text);			/* a path is anybody's text */
	if (r->note != NULL)
		r->note(r->ctx, text);
}

bool dt_reader_is_dead(struct dt_reader *r, dev_t dev)
{
	for (int i = 0; i < r->ndead; i++)
		if (r->dead[i].dev == dev && dt_clock_ns() - r->dead[i].when < AGAIN)
			return true;
	return false;
}

void dt_reader_mark_dead(struct dt_reader *r, dev_t dev)
{
	int i = 0;

	while (i < r->ndead && r->dead[i].dev != dev)
		i++;
	if (dev == 0 || i == DT_READER_DEVICES)
		return;
	r->dead[i].dev = dev;
	r->dead[i].when = dt_clock_ns();
	r->ndead += i == r->ndead;
}
