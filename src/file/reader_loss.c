/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Readers that are lost (reader_impl.h): why, which file systems are not asked again, and the report of it.
 */
#include "file/reader_impl.h"
#include "base/printable.h"
#include "base/clock.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define RETRY_NS 30000000000ull	/* a file system that did not answer is asked again after this */

/* A signal says more than the end of the other child, which may follow from it. */
static bool find_now(struct dt_reader *r)
{
	for (int c = 0; c < 2; c++) {
		siginfo_t i = { .si_pid = 0 };

		if (r->child[c] <= 0 || r->signal != 0 ||
		    waitid(P_PID, (id_t)r->child[c], &i, WEXITED | WSTOPPED | WNOHANG | WNOWAIT) != 0 ||
		    i.si_pid == 0)
			continue;
		r->lost = i.si_pid;
		r->signal = i.si_code == CLD_EXITED ? 0 : i.si_status;
		r->status = i.si_code == CLD_EXITED ? i.si_status : 0;
	}
	return r->lost != 0;
}

/* A child that ends closes its sockets a moment before it can be waited for. */
void dt_reader_find_lost(struct dt_reader *r)
{
	for (int turn = 0; turn < 20 && !find_now(r); turn++)
		usleep(1000);
}

/* A reader that was stopped (SIGSTOP) looks like one that waits for a file system. */
static void how_lost(const struct dt_reader *r, char *text, size_t len)
{
	const char *name = sigabbrev_np(r->signal), *how = "crashed";

	if (r->signal == SIGKILL)
		how = "was killed, by root or out of memory";
	else if (r->signal == SIGSTOP || r->signal == SIGTSTP)
		how = "was stopped";
	else if (r->signal == SIGXCPU)
		how = "used up its CPU time";
	if (r->signal != 0)
		snprintf(text, len, "%s (SIG%s)", how, name != NULL ? name : "?");
	else
		snprintf(text, len, "ended with status %d", r->status);
}

/* Which process was lost, and how: the file may have nothing to do with it. */
static void why_lost(struct dt_reader *r, int err)
{
	const char *who = r->types ? "the reader of debugging data" : "the symbol reader";
	char how[64];

	if (r->lost != 0) {
		how_lost(r, how, sizeof(how));
		snprintf(r->why, sizeof(r->why), "%s (process %d) %s",
		    r->lost == r->child[0] ? "the process that opens files" : who, (int)r->lost, how);
		return;
	}
	snprintf(r->why, sizeof(r->why), "%s", err == -ETIMEDOUT ? "its file system does not answer" :
	    err == -ETIME ? r->hurry ? "it takes too long to read after an interrupt" :
	    "it takes too long to read" : "");
	if (r->why[0] == '\0')
		snprintf(r->why, sizeof(r->why), "%s does not answer", who);
}

const char *dt_reader_why(const struct dt_reader *r)
{
	return r != NULL && r->why[0] != '\0' ? r->why : NULL;
}

void dt_reader_tell(struct dt_reader *r, const struct dt_question *q, int err)
{
	const char *shown = q->shown != NULL ? q->shown : q->path;
	char text[640];

	why_lost(r, err);
	if (r->reported || shown == NULL || q->want.what == DT_DIGEST_DIES)	/* the caller reports types */
		return;
	r->reported = true;
	snprintf(text, sizeof(text), "addresses in %.300s (and in files like it) have no names: %s", shown,
	    r->why);
	dt_make_printable(text);			/* the path is untrusted */
	if (r->note != NULL)
		r->note(r->ctx, text);
}

bool dt_reader_is_dead(struct dt_reader *r, dev_t dev)
{
	for (int i = 0; i < r->ndead; i++)
		if (r->dead[i].dev == dev && dt_clock_ns() - r->dead[i].when < RETRY_NS)
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
