/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The two children of the tracer (reader.h). Each serves one question after the other and keeps nothing (but
 * debugging data, dies_open.c): what one file did to it does not reach the next. All descriptors of a file
 * are closed before the answer (or the last one), since closing can wait too (FUSE).
 */
#include "file/reader_impl.h"
#include "file/dies_impl.h"
#include "base/child.h"
#include "base/sendfd.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>

enum { CPU_SECONDS = 20, KEPT = 8 << 20 };

/* ---- the opener ---- */

/* The walk cannot leave the directory, which is closed; a link at its end is refused. */
static int open_in_root(int root, const char *path)
{
	struct open_how how = { .flags = O_PATH | O_CLOEXEC | O_NOFOLLOW,
		.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS };
	int fd = (int)syscall(SYS_openat2, root, path, &how, sizeof(how)), err = errno;

	close(root);
	errno = err;
	return fd;
}

/* A descriptor of O_PATH for a regular file, without waiting for the other end of a pipe; or -errno. */
static int find_file(const struct dt_reader_ask *ask, const char *path, int root, struct statx *st)
{
	int fd = ask->in_root != 0 ? open_in_root(root, path) : open(path, O_PATH | O_CLOEXEC);

	if (fd < 0)
		return -errno;
	if (statx(fd, "", AT_EMPTY_PATH, STATX_BASIC_STATS, st) != 0 || !S_ISREG(st->stx_mode) ||
	    (ask->in_root != 0 && st->stx_uid != ask->uid)) {
		close(fd);
		return -ENOEXEC;
	}
	return fd;
}

/*
 * /proc/self/fd leads to the very file that find_file() has looked at, whatever the path leads to by now. One
 * that is open for reading already is handed on: opening it again would be an event for a listener that holds
 * it.
 */
static int open_found(int found)
{
	int fd, flags = fcntl(found, F_GETFL);
	char path[40];

	if (flags >= 0 && (flags & O_PATH) == 0) {
		fd = fcntl(found, F_DUPFD_CLOEXEC, 3);
		return fd < 0 ? -errno : fd;
	}
	snprintf(path, sizeof(path), "/proc/self/fd/%d", found);
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	return fd < 0 ? -errno : fd;
}

/*
 * A file of root or ours is not made to harm us, unless a user serves the file system it is on, and says
 * what he likes: such ones have no device and are not what the machine itself runs from.
 */
static bool is_ours(const struct statx *st)
{
	dev_t dev = makedev(st->stx_dev_major, st->stx_dev_minor);
	struct stat root, usr;

	return (st->stx_uid == 0 || st->stx_uid == geteuid()) &&
	    (major(dev) != 0 || (stat("/", &root) == 0 && root.st_dev == dev) ||
	    (stat("/usr", &usr) == 0 && usr.st_dev == dev));
}

/*
 * What one question opens: fds[0] is the file, debug files follow, n in all. texts point into the question.
 */
struct opening { const char *text[DT_READER_TEXTS]; int fds[DT_READER_TEXTS]; int n; };

/*
 * A debug file that is not there is left out; the worker sees by its contents which one belongs to the
 * file.
 */
static void open_debug(struct opening *o)
{
	for (int i = 1; i <= DT_DIGEST_DEBUG; i++) {
		int fd = o->text[i][0] != '\0' ? dt_elf_open_regular(o->text[i], true) : -1;

		if (fd >= 0)
			o->fds[o->n++] = fd;
	}
}

/*
 * A file that debugging data name, as a path from the root or from the directory of the file `from` that they
 * are in. The path is untrusted: it is opened only if the owner of `from` may read it.
 */
static int open_named(const char *text, int from)
{
	char path[2 * PATH_MAX], link[40];
	struct stat st, of;
	ssize_t n = 0;
	int fd;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", from);
	if (text[0] != '/' && (n = readlink(link, path, PATH_MAX - 1)) < 0)
		return -1;
	while (n > 0 && path[n - 1] != '/')
		n--;
	snprintf(path + n, sizeof(path) - (size_t)n, "%s", text);
	fd = dt_elf_open_regular(path, true);
	if (fd < 0 || (fstat(fd, &st) == 0 && fstat(from, &of) == 0 &&
	    (st.st_uid == of.st_uid || (st.st_mode & S_IROTH) != 0)))
		return fd;
	close(fd);
	return -1;
}

static void open_shared(struct opening *o, uint32_t used)
{
	int from = used < (uint32_t)o->n ? o->fds[used] : o->fds[0];

	for (int i = 1 + DT_DIGEST_DEBUG; i < DT_READER_TEXTS; i++) {
		int fd = o->text[i][0] != '\0' ? open_named(o->text[i], from) : -1;

		if (fd >= 0)
			o->fds[o->n++] = fd;
	}
}

/*
 * False: no tracer is left. The worker gets its descriptors before the tracer is asked to wait for
 * its answer. Nothing of the file stays open here.
 */
static bool open_and_hand_on(struct dt_reader_ask *ask, struct opening *o, int found)
{
	struct dt_reader_opened reply = { 0 };
	bool given = found >= 0, sent = true;

	if (!given || ask->in_root != 0)
		found = find_file(ask, o->text[0], found, &reply.stat);
	else if (statx(found, "", AT_EMPTY_PATH, STATX_BASIC_STATS, &reply.stat) != 0)
		reply.stat.stx_uid = UINT32_MAX;
	o->fds[0] = found >= 0 ? open_found(found) : found;
	if (o->fds[0] >= 0) {
		o->n = 1;
		open_debug(o);
		ask->want.ndebug = (uint32_t)o->n - 1;
		open_shared(o, ask->want.used);
		sent = dt_sendfd_send(4, &ask->want, sizeof(ask->want), o->fds, o->n);
		for (int i = 0; i < o->n; i++)
			close(o->fds[i]);
	} else {
		reply.err = o->fds[0];
	}
	reply.ours = reply.err == 0 && is_ours(&reply.stat);
	sent &= dt_sendfd_send(3, &reply, sizeof(reply), &found, !given && reply.err == 0);
	if (found >= 0)
		close(found);
	return sent;
}

/* The message is the tracer's, but its texts are cut at its end all the same: one that is missing is "". */
_Noreturn void dt_reader_opener(int tracer, int worker, int parent)
{
	static const size_t head = sizeof(struct dt_reader_ask);
	struct dt_reader_ask *ask = malloc(DT_READER_ASK_MAX + 1);
	char *at, *end;
	int fds[DT_SENDFD_MAX], nfds;
	long len;

	if (ask == NULL || !dt_child_leave((int[]){ tracer, worker }, 2, parent, "dtrace-opener"))
		_exit(1);
	while ((len = dt_sendfd_receive(3, ask, DT_READER_ASK_MAX, fds, &nfds)) >= (long)head) {
		struct opening o = { .n = 0 };

		at = (char *)ask + head;
		end = (char *)ask + len;
		*end = '\0';
		for (int i = 0; i < DT_READER_TEXTS; i++) {
			o.text[i] = at;
			at += at < end ? strlen(at) + 1 : 0;
			at = at < end ? at : end;
		}
		if (!open_and_hand_on(ask, &o, nfds > 0 ? fds[0] : -1))
			break;
	}
	_exit(0);
}

/* ---- the worker ---- */

/* False: the tracer is gone, or has given up on the answer and closed the socket. */
static bool send_answer(void *unused, int err, const struct dt_digest *d)
{
	struct dt_reader_answer a = { err, err == 0 ? (uint32_t)d->len : 0 };	/* DT_DIGEST_MAX at most */
	struct iovec v[2] = { { &a, sizeof(a) }, { d->bytes, a.len } };
	struct msghdr m = { .msg_iov = v, .msg_iovlen = a.len > 0 ? 2 : 1 };

	(void)unused;
	while (m.msg_iovlen > 0) {
		ssize_t n = sendmsg(4, &m, MSG_NOSIGNAL);

		if (n < 0 && errno != EINTR)
			return false;
		for (; m.msg_iovlen > 0 && n >= (ssize_t)m.msg_iov->iov_len; m.msg_iov++, m.msg_iovlen--)
			n -= (ssize_t)m.msg_iov->iov_len;
		if (n > 0) {
			m.msg_iov->iov_base = (char *)m.msg_iov->iov_base + n;
			m.msg_iov->iov_len -= (size_t)n;
		}
	}
	return true;
}

/* Each question has some seconds of CPU time, should the tracer not be there to look at the clock. */
static void limit_cpu(uint64_t *before)
{
	struct rlimit64 r = { 0, RLIM64_INFINITY };
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	r.rlim_cur = (uint64_t)t.tv_sec + CPU_SECONDS;
	if (r.rlim_cur != *before)
		(void)syscall(SYS_setrlimit, RLIMIT_CPU, &r);
	*before = r.rlim_cur;
}

/* The descriptors are closed before the answer is sent, or after the first of two. */
static bool serve(struct dt_dw *dw, const struct dt_digest_want *want, const int *fds, int nfds)
{
	struct dt_digest d = { 0 };
	bool sent;
	int err;

	if (want->what == DT_DIGEST_HEAD && want->rows != 0) {
		for (int i = 1; i < nfds; i++)
			close(fds[i]);
		return dt_digest_both(fds[0], send_answer, NULL);
	}
	err = want->what == DT_DIGEST_DIES ? dt_dies_make(dw, &d, want, fds, nfds) :
		dt_digest_make(&d, want, fds[0], fds + 1, nfds - 1);
	sent = send_answer(NULL, err, &d);
	free(d.bytes);
	return sent;
}

/*
 * Memory that a question has freed serves the next one, up to a limit: the kernel would clear the same pages
 * for each of them.
 */
static void keep_memory(void)
{
	mallopt(M_MMAP_THRESHOLD, KEPT);
	mallopt(M_TRIM_THRESHOLD, KEPT);
	mallopt(M_TOP_PAD, 1 << 20);
}

/*
 * Libraries are loaded before the box is closed, and no byte of a foreign file is read before that. A box
 * that cannot be closed means no worker at all.
 */
static _Noreturn void work(int opener, int tracer, int parent, bool types)
{
	struct dt_dw *dw = NULL;
	struct dt_digest_want want;
	int fds[DT_SENDFD_MAX], nfds;
	uint64_t seconds = 0;

	if (!dt_child_leave((int[]){ opener, tracer }, 2, parent, "dtrace-reader"))
		_exit(1);
	if (types)
		dw = dt_dw_load();
	keep_memory();
	if (!dt_reader_box(parent, types))
		_exit(1);
	while (dt_sendfd_receive(3, &want, sizeof(want), fds, &nfds) == (long)sizeof(want)) {
		want.name[sizeof(want.name) - 1] = '\0';
		limit_cpu(&seconds);
		if (nfds < 1 || !serve(dw, &want, fds, nfds))
			break;
	}
	_exit(0);
}

_Noreturn void dt_reader_worker(int opener, int tracer, int parent)
{
	work(opener, tracer, parent, false);
}

_Noreturn void dt_reader_types_worker(int opener, int tracer, int parent)
{
	work(opener, tracer, parent, true);
}
