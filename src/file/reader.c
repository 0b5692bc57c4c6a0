/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The tracer's side: questions go out, answers come in or do not. One question is under way at a time. A
 * child that does not answer in time is killed and left behind, even if it cannot die (state D); the next
 * question has new ones.
 */
#include "file/reader_impl.h"
#include "base/clock.h"
#include "base/sendfd.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MS 1000000ull
#define TIMEOUT_NS (10000 * MS)		/* for a file of root or of the tracer's user */
#define TIMEOUT_FOREIGN_NS (2000 * MS)
#define FREE_NS (10 * MS)		/* of each question; more is taken from the budget of foreign files */
#define HANG_TIMEOUT_NS (1500 * MS)	/* children that neither run nor answer for this long hang */
#define HURRY_TIMEOUT_NS (100 * MS)	/* that budget, from dt_reader_hurry() on; nothing is added to it */
#define HURRY_EACH_NS (4 * MS)		/* for a file of unknown owner once the budget is used up … */
#define SIGNAL_TIMEOUT_NS (50 * MS)	/* after a signal: the caller wants to return */

#define ROWS_MAX (16u << 20)	/* bytes of rows that have not been requested yet */

/*
 * POLL_MS: interval between calls of `stop`; HURRY_FILES_MAX: shorter for that many files; BUSY: on a busy
 * machine a short timeout is extended up to this factor
 */
enum { POLL_MS = 40, POLL_HURRY_MS = 4, HURRY_FILES_MAX = 6, BUSY = 10 };

/* ---- the children ---- */

static void reap(struct dt_reader *r)
{
	int n = 0;

	for (int i = 0; i < r->nleft; i++)
		if (waitpid(r->left[i], NULL, WNOHANG) == 0)
			r->left[n++] = r->left[i];
	r->nleft = n;
}

/* hung: they may never exit, so they are not waited for. */
static void end_children(struct dt_reader *r, bool hung)
{
	if (r->opener < 0)
		return;
	close(r->opener);
	close(r->worker);
	r->opener = r->worker = -1;
	r->next = r->end = 0;
	reap(r);
	for (int i = 0; i < 2; i++) {
		if (r->child[i] <= 0)
			continue;
		kill(r->child[i], SIGKILL);
		if (!hung)
			while (waitpid(r->child[i], NULL, 0) < 0 && errno == EINTR)
				;
		else if (r->nleft < DT_READER_LEFT)
			r->left[r->nleft++] = r->child[i];
	}
	reap(r);
}

static pid_t start_child(void (*f)(int, int, int), int a, int b)
{
	int parent = getpid();
	pid_t pid = fork();

	if (pid == 0)
		f(a, b, parent);
	return pid;
}

/* Whoever waits for an answer looks around now and then. */
static void look_often(const struct dt_reader *r)
{
	struct timeval t = { 0, (r->hurry ? POLL_HURRY_MS : POLL_MS) * 1000 };

	(void)setsockopt(r->opener, SOL_SOCKET, SO_RCVTIMEO, &t, sizeof(t));
	(void)setsockopt(r->worker, SOL_SOCKET, SO_RCVTIMEO, &t, sizeof(t));
}

static int start_children(struct dt_reader *r)
{
	int a[2] = { -1, -1 }, b[2] = { -1, -1 }, c[2] = { -1, -1 };
	sigset_t all, old;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, a) == 0 &&
	    socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, b) == 0 &&
	    socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, c) == 0) {
		/* the caller's signal handlers are not for children */
		sigfillset(&all);
		sigprocmask(SIG_SETMASK, &all, &old);
		r->child[0] = start_child(r->opener_main, a[1], b[0]);
		r->child[1] = start_child(r->worker_main, b[1], c[1]);
		sigprocmask(SIG_SETMASK, &old, NULL);
		r->opener = a[0];
		r->worker = c[0];
		look_often(r);
	}
	for (int i = 0; i < 2; i++) {
		if (b[i] >= 0)
			close(b[i]);
		if (i == 1 && a[i] >= 0)
			close(a[i]);
		if (i == 1 && c[i] >= 0)
			close(c[i]);
	}
	if (r->opener >= 0 && r->child[0] > 0 && r->child[1] > 0)
		return 0;
	if (r->opener < 0 && a[0] >= 0)
		close(a[0]);
	end_children(r, false);
	return -EAGAIN;
}

void dt_reader_free(struct dt_reader *r)
{
	if (r == NULL)
		return;
	end_children(r, false);
	reap(r);
	free(r);
}

/* ---- waiting ---- */

/* since, until: wall time; had, ran: CPU time of the children at `since` and at the last check. */
struct wait { struct dt_reader *r; uint64_t since, until, still, had, ran; bool ours, signal; };

/* CPU time of both children: who runs does not hang. */
static uint64_t cpu_time(const struct dt_reader *r)
{
	uint64_t sum = 0;

	for (int i = 0; i < 2; i++) {
		struct timespec t;
		clockid_t id;

		if (clock_getcpuclockid(r->child[i], &id) == 0 && clock_gettime(id, &t) == 0)
			sum += (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
	}
	return sum;
}

/* Is one of them ready to run, and only waits for a CPU of a busy machine? */
static bool wants_cpu(const struct dt_reader *r)
{
	bool any = false;

	for (int i = 0; i < 2; i++) {
		char path[32], text[256];
		const char *end;
		FILE *f;

		snprintf(path, sizeof(path), "/proc/%d/stat", (int)r->child[i]);
		f = fopen(path, "re");
		if (f == NULL)
			continue;
		/* "pid (name) state": the name is ours, and has no parenthesis */
		end = fgets(text, sizeof(text), f) != NULL ? strrchr(text, ')') : NULL;
		any |= end != NULL && end[1] == ' ' && end[2] == 'R';
		fclose(f);
	}
	return any;
}

static uint64_t least(uint64_t a, uint64_t b) { return a < b ? a : b; }

/*
 * A short timeout is meant as CPU time of the children. On a busy machine wall time passes faster: extend the
 * timeout while they have used less CPU time than that. ran: their CPU time.
 */
static bool had_less(const struct wait *w, uint64_t now, uint64_t ran)
{
	uint64_t had = ran > w->had ? ran - w->had : 0, time = w->until - w->since;

	return (w->r->hurry || w->signal) && had < time && now - w->since < BUSY * time && wants_cpu(w->r);
}

/*
 * Nothing has come for POLL_MS, or a signal has: 0: go on waiting. -ETIME: too long; -ETIMEDOUT: they hang;
 * -EINTR: a signal came, and the time after it is over.
 */
static int look_around(struct wait *w, bool signal)
{
	uint64_t now = dt_clock_ns(), ran = cpu_time(w->r);

	if (!w->signal && (signal || (w->r->stop != NULL && w->r->stop(w->r->ctx)))) {
		w->until = least(w->until, now + SIGNAL_TIMEOUT_NS);
		w->since = least(now, w->until - 1);
		w->had = ran;
		w->signal = true;
	}
	if (now >= w->until && !had_less(w, now, ran))
		return w->signal ? -EINTR : -ETIME;
	if (ran != w->ran || (now >= w->still && wants_cpu(w->r)))
		w->still = now + HANG_TIMEOUT_NS;
	else if (now >= w->still)
		return -ETIMEDOUT;
	w->ran = ran;
	return 0;
}

/* Why nothing was received: 0: it may still come. */
static int not_received(struct wait *w, ssize_t n, int err)
{
	if (n == 0 || (err != EAGAIN && err != EINTR))
		return -EPIPE;
	return look_around(w, err == EINTR);
}

/* ---- asking ---- */

static bool send_question(struct dt_reader *r, const struct dt_question *q)
{
	struct dt_reader_ask *ask = malloc(DT_READER_ASK_MAX);
	size_t at = sizeof(*ask);
	bool sent;

	if (ask == NULL)
		return false;
	ask->want = q->want;
	ask->in_root = q->in_root;
	ask->uid = q->uid;
	for (int i = 0; i < DT_READER_TEXTS; i++) {
		const char *text = i > DT_DIGEST_DEBUG ? q->shared[i - 1 - DT_DIGEST_DEBUG] :
		    i > 0			       ? q->debug[i - 1] :
		    q->fd < 0 || q->in_root	       ? q->path :
							 NULL;
		size_t len = text != NULL ? strlen(text) : 0;

		if (len >= PATH_MAX + 128)
			len = 0;
		if (len > 0)
			memcpy((char *)ask + at, text, len);
		((char *)ask)[at + len] = '\0';
		at += len + 1;
	}
	sent = dt_sendfd_send(r->opener, ask, at, &q->fd, q->fd >= 0);
	free(ask);
	return sent;
}

static int receive_opened(struct wait *w, struct dt_opened *opened)
{
	struct dt_reader_opened o;
	int fds[DT_SENDFD_MAX], nfds, err = 0;
	long n;

	do {
		n = dt_sendfd_receive(w->r->opener, &o, sizeof(o), fds, &nfds);
		if (n != (long)sizeof(o))
			err = n < 0 ? not_received(w, -1, (int)-n) : -EPIPE;
	} while (n < 0 && err == 0);
	if (err != 0 || o.err != 0)
		return err != 0 ? err : o.err;
	if (o.ours != 0 && !w->ours) {	/* now that it is known */
		w->ours = true;
		w->until += w->signal ? 0 : TIMEOUT_NS;
	}
	if (opened != NULL)
		*opened = (struct dt_opened){ .fd = nfds == 1 ? fds[0] : -1, .stat = o.stat,
			.ours = o.ours != 0 };
	else if (nfds == 1)
		close(fds[0]);
	return 0;
}

/* Small values are received together with the data that follows them; large ones go directly to `to`. */
static int receive_bytes(struct wait *w, void *to, size_t len)
{
	struct dt_reader *r = w->r;
	char *at = to;

	while (len > 0) {
		size_t have = r->end - r->next < len ? r->end - r->next : len;
		bool direct = len - have >= sizeof(r->ahead);
		ssize_t n = 0;
		int err;

		if (have > 0)
			memcpy(at, r->ahead + r->next, have);
		r->next += have;
		at += have;
		len -= have;
		if (len == 0)
			break;
		n = direct ? recv(r->worker, at, len, MSG_WAITALL) :
			recv(r->worker, r->ahead, sizeof(r->ahead), 0);
		if (n <= 0 && (err = not_received(w, n, errno)) != 0)
			return err;
		if (n > 0 && direct) {
			at += n;
			len -= (size_t)n;
		} else if (n > 0) {
			r->next = 0;
			r->end = (size_t)n;
		}
	}
	return 0;
}

static int receive_answer(struct wait *w, void **bytes, size_t *len, int *why)
{
	struct dt_reader_answer a;
	char *to;
	int err = receive_bytes(w, &a, sizeof(a));

	*why = 0;
	if (err != 0)
		return err;
	*why = a.err < 0 && a.err > -4096 ? a.err : 0;
	if (*why != 0 || a.len > DT_DIGEST_MAX || (a.err != 0))
		return *why != 0 ? 0 : -EPIPE;
	to = malloc((size_t)a.len + 1);
	if (to == NULL)
		return -ENOMEM;
	err = receive_bytes(w, to, a.len);
	if (err != 0) {
		free(to);
		return err;
	}
	to[a.len] = '\0';
	*bytes = to;
	*len = a.len;
	return 0;
}

/* Is it the children that failed, and not the file? */
static bool is_loss(int err)
{
	return err == -EPIPE || err == -ETIME || err == -ETIMEDOUT || err == -EINTR;
}

void dt_reader_set_callbacks(struct dt_reader *r, bool (*stop)(void *), void (*note)(void *, const char *),
    void *ctx)
{
	if (r == NULL)
		return;
	r->stop = stop;
	r->note = note;
	r->ctx = ctx;
}

/* Children that are too slow are well. */
static void look_who(struct dt_reader *r, int err)
{
	r->lost = 0;
	r->signal = r->status = 0;
	if (err == -EPIPE || err == -ETIMEDOUT)
		dt_reader_find_lost(r);
}

/* The children are of no use any more. */
static void lose(struct dt_reader *r, const struct dt_question *q, int err)
{
	if (r->opener >= 0)		/* else ask_twice() has looked */
		look_who(r, err);
	end_children(r, true);
	if (err == -ETIMEDOUT && r->signal == 0)
		dt_reader_mark_dead(r, q->dev);
	if (is_loss(err) && err != -EINTR)
		dt_reader_tell(r, q, err);
}

/* ---- questions ---- */

/* *why: what the children say about the file; the result is about them. */
static int ask_children(struct wait *w, const struct dt_question *q, struct dt_opened *opened, void **bytes,
    size_t *len, int *why)
{
	struct dt_reader *r = w->r;
	int err;

	*why = 0;
	if (r->opener < 0 && (err = start_children(r)) != 0)
		return err;
	if (!send_question(r, q))
		return -EPIPE;
	err = receive_opened(w, opened);
	if (err != 0 && !is_loss(err)) {
		*why = err;
		return 0;
	}
	return err != 0 ? err : receive_answer(w, bytes, len, why);
}

/* The second answer. The head stays, whatever becomes of it. */
static void receive_rows(struct wait *w, const struct dt_question *q, struct dt_rows *rows)
{
	struct dt_reader *r = w->r;
	uint64_t began = dt_clock_ns();
	int why, err = receive_answer(w, &rows->bytes, &rows->len, &why);

	r->rows_ns -= least(r->rows_ns, dt_clock_ns() - began);
	if (err != 0) {			/* without memory for it, the rest is still on its way */
		lose(r, q, err);
		rows->err = err != -EINTR ? err : 0;
	} else if (why != 0) {
		rows->err = why != -EAGAIN ? why : 0;	/* to be asked for */
	} else {
		r->rows += rows->len;
		if (r->rows > ROWS_MAX)
			dt_reader_give_back(r, rows);
	}
}

void dt_reader_give_back(struct dt_reader *r, struct dt_rows *rows)
{
	r->rows -= rows->len;
	free(rows->bytes);
	*rows = (struct dt_rows){ .err = rows->err };
}

void dt_reader_rows(struct dt_reader *r, uint64_t ns)
{
	if (r != NULL)
		r->rows_ns = ns;
}

void dt_reader_hurry(struct dt_reader *r)
{
	if (r == NULL || r->hurry)
		return;
	r->hurry = true;
	r->budget = least(r->budget, HURRY_TIMEOUT_NS);
	if (r->opener >= 0)
		look_often(r);
}

/* How long a question may take. */
static uint64_t time_for(const struct dt_reader *r, bool ours)
{
	if (ours)
		return TIMEOUT_NS;
	if (r->hurry)
		return r->budget > 0 ? r->budget : HURRY_EACH_NS;
	return least(TIMEOUT_FOREIGN_NS, FREE_NS + r->budget);
}

static struct wait begin_wait(struct dt_reader *r, bool ours)
{
	uint64_t now = dt_clock_ns();

	if (!r->hurry)
		r->budget = least(DT_READER_TIMEOUT_NS, r->budget + (now - r->since) / 8);
	r->since = now;
	if (r->nleft > 0)
		reap(r);
	return (struct wait){ .r = r, .ours = ours, .since = now, .still = now + HANG_TIMEOUT_NS,
		.until = now + time_for(r, ours), .had = r->opener >= 0 ? cpu_time(r) : 0 };
}

/* No time is left for it. A descriptor comes from an earlier answer, which said whose file it is. */
static bool is_late(const struct dt_reader *r, const struct dt_question *q)
{
	return r->hurry && r->budget == 0 && !q->ours && ((q->fd >= 0 && !q->in_root) ||
	    r->late >= HURRY_FILES_MAX);
}

static int ask_twice(struct wait *w, const struct dt_question *q, struct dt_opened *opened, void **bytes,
    size_t *len, int *why)
{
	int err = -EPIPE;

	for (int attempt = 0; err == -EPIPE && attempt < 2; attempt++) {	/* it may have died earlier */
		err = ask_children(w, q, opened, bytes, len, why);
		if (err == 0)
			break;
		look_who(w->r, err);
		end_children(w->r, true);
		if (opened != NULL && opened->fd >= 0)
			close(opened->fd);
		if (opened != NULL)
			opened->fd = -1;
	}
	return err;
}

int dt_reader_ask(struct dt_reader *r, const struct dt_question *question, struct dt_opened *opened,
    void **bytes, size_t *len)
{
	struct dt_question q = *question;
	int err, why = 0;
	struct wait w;
	uint64_t took;

	*bytes = NULL;
	if (opened != NULL)
		*opened = (struct dt_opened){ .fd = -1 };
	if (r->stop != NULL && r->stop(r->ctx))		/* and another question comes all the same */
		dt_reader_hurry(r);
	if (is_late(r, &q)) {
		dt_reader_tell(r, &q, -ETIME);
		return -ETIME;
	}
	w = begin_wait(r, q.ours);
	if (dt_reader_is_dead(r, q.dev))
		return -ETIMEDOUT;
	q.want.rows = opened != NULL && q.want.what == DT_DIGEST_HEAD && r->rows_ns > 0;
	err = ask_twice(&w, &q, opened, bytes, len, &why);
	if (err != 0)
		lose(r, &q, err);
	if (err == -ETIMEDOUT && r->signal != 0)	/* stopped: the file system is not to blame */
		err = -EPIPE;
	if (err == 0 && why == 0 && q.want.rows != 0)
		receive_rows(&w, &q, &opened->rows);
	took = dt_clock_ns() - r->since;
	r->late += r->hurry && r->budget == 0 && !w.ours;
	if (!w.ours && (r->hurry || took > FREE_NS))
		r->budget -= least(r->budget, took - (r->hurry ? 0 : FREE_NS));
	return err != 0 ? err : why;
}

int dt_reader_memory(struct dt_reader *r, const char *path, uint64_t at, void *to, size_t n)
{
	struct dt_question q = { .want = { .what = DT_DIGEST_MEMORY, .at = at, .most = n }, .fd = -1,
		.path = path };
	struct dt_opened opened;
	void *bytes;
	size_t len;
	int err = dt_reader_ask(r, &q, &opened, &bytes, &len);

	if (opened.fd >= 0)
		close(opened.fd);
	if (err == 0 && len != n)
		err = -EBADMSG;
	if (err == 0)
		memcpy(to, bytes, n);
	free(bytes);
	return err;
}

int dt_reader_make(struct dt_reader *r, const char *path, dt_digest_make_f *make, const void *arg,
    size_t narg, void **bytes, size_t *len)
{
	struct dt_question q = { .want = { .what = DT_DIGEST_MADE, .make = make, .narg = (uint32_t)narg },
		.fd = -1, .path = path };
	struct dt_opened opened;
	int err;

	if (narg > sizeof(q.want.arg))
		return -E2BIG;
	memcpy(q.want.arg, arg, narg);
	err = dt_reader_ask(r, &q, &opened, bytes, len);
	if (opened.fd >= 0)
		close(opened.fd);
	return err;
}

int dt_reader_word(struct dt_reader *r, const char *path, uint64_t at, uint64_t *word)
{
	return dt_reader_memory(r, path, at, word, sizeof(*word));
}
