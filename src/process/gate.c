/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The kernel asks before a file is opened for execution (FAN_OPEN_EXEC_PERM), and allows everything
 * once the listener is gone. The listener is a process of its own, so stopping or killing the tracer
 * never holds anyone. It allows what is not wanted by itself, waits for the tracer's answer to the rest,
 * and ends when the socket to the tracer closes. It has no other descriptor of the tracer. Files are read by
 * children of its own, which have no rights (file/reader.h).
 * The wait is bounded twice: by the time the caller gives, and by what the tracer does. A tracer that has not
 * taken the event and does not run (it is stopped, or waits for something else, perhaps for the very process
 * that is held) is not waited for.
 * File systems that are served by processes (FUSE) or are remote are left alone: reading there could
 * wait forever.
 */
#include "process/gate.h"
#include "base/count.h"
#include "base/clock.h"
#include "base/child.h"

#include "file/elf.h"
#include "file/reader.h"
#include "usdt/sdtnote.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/fanotify.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#ifndef FAN_MARK_EVICTABLE
#define FAN_MARK_EVICTABLE 0x200	/* newer than the headers we may be built with */
#endif

/* Limits: the listener's start, files remembered, programs held at a time. */
enum { START_TIMEOUT_MS = 10000, SEEN_MAX = 4096, HELD_MAX = 64 };
/* How often the tracer is looked at, and how many looks in a row must find that it has not run. */
enum { POLL_MS = 20, IDLE_POLLS_MAX = 5 };

struct dt_gate { int sock; pid_t child; pid_t watched; };	/* watched: the thread the listener polls */

/*
 * From the tracer: an answer, that an event was taken, or the thread that takes them. From the listener: the
 * process, or at its start 0 or -errno.
 */
enum { ANSWER_AGAIN, ANSWER_KNOWN, TAKEN, THREAD };
struct word { int32_t value; uint32_t number; uint32_t exec; };

/* never: it has no probes, or all are known; elf: it has been read, and the answer depends on the process */
struct seen { dev_t dev; ino_t ino; struct timespec changed; bool never, elf; };

/* until: ms; another file may have taken the place of `file` in the meantime: dev and ino tell */
struct held {
	int fd;
	uint32_t number;
	uint64_t until;
	struct seen *file;
	dev_t dev;
	ino_t ino;
	bool taken;			/* the tracer is at it */
	uint8_t idle;			/* looks in a row at which the tracer had not run */
};

/* The thread of the tracer, and how often it had given up the CPU at the last look. */
struct tracer { pid_t pid, tid; uint64_t switches; };

struct listener {
	int fan, sock;
	struct tracer tracer;
	struct dt_reader *reader;	/* NULL: no file has any probe */
	struct held held[HELD_MAX];	/* the first nheld, oldest first */
	uint32_t nheld;
	uint64_t look;			/* ms: when to look at the tracer again */
	const struct dt_gate_opts *opts;
	uint32_t number;
	struct seen seen[SEEN_MAX];	/* files and what was found in them, by inode */
};

/* ---- which files ---- */

struct asking { const struct listener *l; uint32_t pid; bool wanted, any; };

/* Ends the walk at the first probe that is wanted. */
static int ask_about_note(void *ctx, const struct dt_sdt_note *n)
{
	struct asking *a = ctx;

	a->any = true;
	a->wanted = a->l->opts->wants(a->l->opts->ctx, a->pid, n->provider);
	return a->wanted;
}

/*
 * Whether the file has a probe that is wanted in this process. A file without any probe is never
 * looked at again; one that cannot be opened as ELF counts as such. Others read it (reader.h), who get the
 * descriptor of the event: opening the file once more would be another event, which would get no answer.
 */
static bool has_wanted(const struct listener *l, struct seen *s, int fd, uint32_t pid)
{
	struct asking a = { .l = l, .pid = pid };
	const void *data;
	uint64_t addr;
	size_t len;
	struct dt_elf *elf;
	struct statx st;
	int err = l->reader != NULL ? dt_elf_find_fd(l->reader, fd, NULL, &elf, &st) : -ENOMEM;

	s->never = err == -ENOEXEC;
	if (err != 0)
		return false;
	s->elf = true;
	a.any = l->opts->functions;
	a.wanted = l->opts->functions && l->opts->wants(l->opts->ctx, pid, "pid") &&
	    l->opts->wants(l->opts->ctx, pid, NULL);
	if (!a.wanted && dt_elf_section(elf, ".note.stapsdt", &data, &len, &addr) == 0 && data != NULL)
		(void)dt_sdt_notes(data, len, dt_elf_is_64(elf), 0, ask_about_note, &a);
	dt_elf_close(elf);
	s->never = !a.any;
	return a.wanted;
}

/* A file is examined once, unless it changes or the answer depends on the process. */
static struct seen *seen_of(struct listener *l, const struct stat *st)
{
	struct seen *s = &l->seen[(st->st_ino ^ st->st_dev) % SEEN_MAX];

	if (s->ino == st->st_ino && s->dev == st->st_dev && s->changed.tv_sec == st->st_ctim.tv_sec &&
	    s->changed.tv_nsec == st->st_ctim.tv_nsec)
		return s;
	*s = (struct seen){ st->st_dev, st->st_ino, st->st_ctim, false, false };
	return s;
}

/* ---- holding ---- */

/* The answer that lets the opener go on. It must come for each event, or a process hangs. */
static void allow_file(const struct listener *l, int fd)
{
	struct fanotify_response r = { .fd = fd, .response = FAN_ALLOW };

	(void)!write(l->fan, &r, sizeof(r));
	close(fd);
}

/* Sends the open file to the tracer, which then need not find it by a name that may change. */
static bool hand_over(const struct listener *l, uint32_t pid, int fd, bool exec)
{
	struct word w = { (int32_t)pid, l->number, exec };
	struct iovec v = { &w, sizeof(w) };
	union {
		struct cmsghdr h;
		char room[CMSG_SPACE(sizeof(int))];
	} c = { .h = {
		    .cmsg_len = CMSG_LEN(sizeof(int)), .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS } };
	struct msghdr m = {
		.msg_iov = &v, .msg_iovlen = 1, .msg_control = c.room, .msg_controllen = sizeof(c.room)
	};

	memcpy(CMSG_DATA(&c.h), &fd, sizeof(fd));
	return sendmsg(l->sock, &m, MSG_NOSIGNAL) == (ssize_t)sizeof(w);
}

static uint64_t now_ms(void)
{
	return dt_clock_ns() / 1000000;
}

/* The list stays in order of time: the first is the next whose time is up. */
static void let_go(struct listener *l, uint32_t i)
{
	allow_file(l, l->held[i].fd);
	memmove(&l->held[i], &l->held[i + 1], (--l->nheld - i) * sizeof(l->held[0]));
}

static void take_answer(struct listener *l, uint32_t i, const struct word *w)
{
	struct held *h = &l->held[i];

	if (w->value == TAKEN) {
		h->taken = true;
		return;
	}
	if (h->file->dev == h->dev && h->file->ino == h->ino)
		h->file->never |= w->value == ANSWER_KNOWN;
	let_go(l, i);
}

/* Answers may still arrive for programs that went on without one. False: the tracer is gone. */
static bool take_word(struct listener *l)
{
	struct word w;

	if (recv(l->sock, &w, sizeof(w), MSG_DONTWAIT) != (ssize_t)sizeof(w))
		return false;
	if (w.value == THREAD) {
		l->tracer.tid = (pid_t)w.number;
		return true;
	}
	for (uint32_t i = 0; i < l->nheld; i++)
		if (l->held[i].number == w.number) {
			take_answer(l, i, &w);
			break;
		}
	return true;
}

/* ---- the tracer ---- */

enum doing { RUNS, WAITS, STOPPED };

/*
 * What the tracer's thread does: /proc/PID/task/TID/status has a line "State:\tS (sleeping)" and how often
 * the thread has given up the CPU. One that sleeps now but has run since the last look runs. What cannot be
 * read counts as running: the time limit holds.
 */
static enum doing look_at_tracer(struct tracer *t)
{
	char path[64], line[256], state = 'R';
	uint64_t switches = 0, before = t->switches;
	unsigned long n;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/status", (int)t->pid, (int)t->tid);
	f = fopen(path, "re");
	while (f != NULL && fgets(line, sizeof(line), f) != NULL) {
		(void)sscanf(line, "State: %c", &state);
		if (sscanf(line, "voluntary_ctxt_switches: %lu", &n) == 1 ||
		    sscanf(line, "nonvoluntary_ctxt_switches: %lu", &n) == 1)
			switches += n;
	}
	if (f != NULL)
		fclose(f);
	t->switches = switches;
	if (state == 'T' || state == 't')
		return STOPPED;
	return state == 'R' || switches != before ? RUNS : WAITS;
}

/* Lets go of what the tracer cannot come to. */
static void leave_idle_tracer(struct listener *l)
{
	enum doing doing = look_at_tracer(&l->tracer);

	for (uint32_t i = l->nheld; i-- > 0;) {
		struct held *h = &l->held[i];

		h->idle = doing == WAITS && !h->taken ? h->idle + 1 : 0;
		if (doing == STOPPED || h->idle >= IDLE_POLLS_MAX)
			let_go(l, i);
	}
}

/* ---- events ---- */

/* The kernel does not ask again about a file until it changes. */
static void ignore_file(const struct listener *l, int fd)
{
	(void)fanotify_mark(l->fan, FAN_MARK_ADD | FAN_MARK_IGNORED_MASK | FAN_MARK_EVICTABLE,
	    FAN_OPEN_EXEC_PERM | FAN_OPEN_PERM, fd, NULL);
}

/*
 * A file opened for reading may be a library, which is wanted only for named processes. If too many are
 * held, the rest go on.
 */
static bool hold_file(struct listener *l, const struct fanotify_event_metadata *e)
{
	uint32_t pid = (uint32_t)e->pid;
	bool wanted, exec = (e->mask & FAN_OPEN_EXEC_PERM) != 0;
	struct seen *s;
	struct stat st;

	if (fstat(e->fd, &st) != 0)
		return false;
	s = seen_of(l, &st);
	if (s->elf && !exec && !l->opts->wants(l->opts->ctx, pid, NULL))
		return false;
	wanted = !s->never && has_wanted(l, s, e->fd, pid) &&
	    (exec || l->opts->wants(l->opts->ctx, pid, NULL));
	if (s->never)
		ignore_file(l, e->fd);
	if (!wanted || l->nheld == HELD_MAX)
		return false;
	l->held[l->nheld] = (struct held){ .fd = e->fd, .number = ++l->number,
		.until = now_ms() + l->opts->hold_ms, .file = s, .dev = st.st_dev, .ino = st.st_ino };
	if (!hand_over(l, pid, e->fd, exec))
		return false;
	l->nheld++;
	return true;
}

/* An event that is not of the version we know cannot be answered: ending allows everything. */
static bool take_events(struct listener *l)
{
	char room[4096] __attribute__((aligned(__alignof__(struct fanotify_event_metadata))));
	ssize_t len = read(l->fan, room, sizeof(room));
	struct fanotify_event_metadata *e = (struct fanotify_event_metadata *)(void *)room;

	if (len <= 0)
		return len < 0 && (errno == EAGAIN || errno == EINTR);
	for (; FAN_EVENT_OK(e, len); e = FAN_EVENT_NEXT(e, len)) {
		if (e->vers != FANOTIFY_METADATA_VERSION)
			return false;
		if (e->fd >= 0 && !hold_file(l, e))
			allow_file(l, e->fd);
	}
	return true;
}

/* One round. False: it is over. */
static bool serve_once(struct listener *l)
{
	struct pollfd p[2] = { { .fd = l->fan, .events = POLLIN }, { .fd = l->sock, .events = POLLIN } };
	uint64_t now = now_ms();

	if (l->nheld == 0)
		l->look = now + POLL_MS;
	if (poll(p, 2, l->nheld == 0 ? -1 : l->look > now ? (int)(l->look - now) : 0) < 0)
		return errno == EINTR;
	if (p[1].revents != 0 && !take_word(l))
		return false;
	if (p[0].revents != 0 && !take_events(l))
		return false;
	now = now_ms();
	if (l->nheld > 0 && l->look <= now) {
		leave_idle_tracer(l);
		l->look = now + POLL_MS;
	}
	while (l->nheld > 0 && l->held[0].until <= now)
		let_go(l, 0);
	return true;
}

/* ---- the listener's life ---- */

/* True for file systems that are neither remote nor served by a process that may itself wait for us. */
static bool is_local(const char *type, const char *source)
{
	static const char *const kinds[] = { "tmpfs", "ramfs", "overlay", "zfs", "bcachefs", "rootfs" };

	for (size_t i = 0; i < DT_COUNT(kinds); i++)
		if (strcmp(type, kinds[i]) == 0)
			return true;
	return strncmp(type, "fuse", 4) != 0 && strncmp(source, "/dev/", 5) == 0;
}

/* "36 35 98:0 /root /mount/point options [optional ...] - type source options"; a blank is \040 */
static void mark_line(int fan, char *line, bool opens)
{
	char *field[5], type[64], source[256], *sep = strstr(line, " - "), *to;

	if (sep == NULL || sscanf(sep + 3, "%63s %255s", type, source) != 2 || !is_local(type, source))
		return;
	for (int i = 0; i < 5; i++)
		if ((field[i] = strtok_r(i == 0 ? line : NULL, " ", &line)) == NULL)
			return;
	to = field[4];
	for (const char *c = to; *c != '\0'; c++, to++) {
		unsigned code;

		if (c[0] == '\\' && sscanf(c + 1, "%3o", &code) == 1) {
			*to = (char)code;
			c += 3;
		} else {
			*to = *c;
		}
	}
	*to = '\0';
	(void)fanotify_mark(fan, FAN_MARK_ADD | FAN_MARK_FILESYSTEM,
	    FAN_OPEN_EXEC_PERM | (opens ? FAN_OPEN_PERM : 0), AT_FDCWD, field[4]);
}

/* A mount that cannot be marked is left out: its programs are found after they began. */
static int listen_everywhere(bool opens)
{
	int fan = fanotify_init(FAN_CLASS_CONTENT | FAN_CLOEXEC | FAN_NONBLOCK,
	    O_RDONLY | O_CLOEXEC | O_LARGEFILE),
	    err = 0;
	FILE *f = fopen("/proc/self/mountinfo", "re");
	char *line = NULL;
	size_t cap = 0;

	if (fan < 0)
		err = -errno;
	while (f != NULL && err == 0 && getline(&line, &cap, f) > 0)
		mark_line(fan, line, opens);
	free(line);
	if (f != NULL)
		fclose(f);
	return err != 0 ? err : fan;
}

/*
 * Nothing of the tracer may live on here: neither its pipes, nor its terminal, nor its programs in the
 * kernel.
 */
static void leave_tracer(int *sock)
{
	int null = dt_child_null();

	setsid();
	signal(SIGPIPE, SIG_IGN);
	for (int fd = 0; null >= 0 && fd < 3; fd++)
		dup2(null, fd);
	*sock = dup2(*sock, 3) == 3 ? 3 : -1;
	close_range(4, ~0u, 0);
	prctl(PR_SET_NAME, "dtrace-gate", 0, 0, 0);
}

/* Ends with the tracer: its end of the socket closes. Whatever is held then is allowed by the kernel. */
_Noreturn static void listener(int sock, const struct dt_gate_opts *opts, pid_t tracer)
{
	struct listener *l = calloc(1, sizeof(*l));
	struct word start = { 0 };

	leave_tracer(&sock);
	if (l == NULL || sock < 0)
		_exit(1);
	*l = (struct listener){ .sock = sock, .opts = opts, .tracer = { .pid = tracer, .tid = tracer },
		.fan = listen_everywhere(opts->opens), .reader = dt_reader_new() };
	start.value = l->fan < 0 ? l->fan : 0;
	if (send(sock, &start, sizeof(start), MSG_NOSIGNAL) != (ssize_t)sizeof(start) || l->fan < 0)
		_exit(1);
	while (serve_once(l))
		;
	_exit(0);
}

/* ---- the tracer's side ---- */

/* The listener says whether it could begin; until then nothing is known to be held. */
static int wait_for_start(const struct dt_gate *g)
{
	struct pollfd p = { .fd = g->sock, .events = POLLIN };
	struct word w;
	int got;

	do {
		got = poll(&p, 1, START_TIMEOUT_MS);
	} while (got < 0 && errno == EINTR);
	if (got <= 0 || recv(g->sock, &w, sizeof(w), MSG_DONTWAIT) != (ssize_t)sizeof(w))
		return -EIO;
	return w.value;
}

int dt_gate_open(struct dt_gate **out, const struct dt_gate_opts *opts)
{
	struct dt_gate *g = calloc(1, sizeof(*g));
	pid_t self = getpid();
	sigset_t all, old;
	int pair[2], err;

	if (g == NULL)
		return -ENOMEM;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0) {
		err = -errno;
		free(g);
		return err;
	}
	sigfillset(&all);
	/* The caller's signal handlers are not for the listener, which keeps signals blocked */
	sigprocmask(SIG_SETMASK, &all, &old);
	g->child = fork();
	if (g->child == 0)
		listener(pair[1], opts, self);
	sigprocmask(SIG_SETMASK, &old, NULL);
	close(pair[1]);
	g->sock = pair[0];
	err = g->child < 0 ? -EAGAIN : wait_for_start(g);
	if (err != 0) {
		dt_gate_close(g);
		return err;
	}
	*out = g;
	return 0;
}

void dt_gate_close(struct dt_gate *g)
{
	if (g == NULL)
		return;
	close(g->sock);
	if (g->child > 0) {
		kill(g->child, SIGKILL);
		while (waitpid(g->child, NULL, 0) < 0 && errno == EINTR)
			;
	}
	free(g);
}

int dt_gate_fd(const struct dt_gate *g) { return g->sock; }

/* The mark is for a directory, which is never executed. */
int dt_gate_able(void)
{
	int fan = fanotify_init(FAN_CLASS_CONTENT | FAN_CLOEXEC | FAN_NONBLOCK, O_RDONLY | O_CLOEXEC), err;

	if (fan < 0)
		return -errno;
	err = fanotify_mark(fan, FAN_MARK_ADD, FAN_OPEN_EXEC_PERM, AT_FDCWD, "/") == 0 ? 0 : -errno;
	close(fan);
	return err;
}

/* What the tracer says is not waited for. A listener that is gone has let everything go already. */
static void say(struct dt_gate *g, int value, uint32_t number)
{
	struct word w = { value, number, 0 };

	(void)!send(g->sock, &w, sizeof(w), MSG_NOSIGNAL | MSG_DONTWAIT);
}

/* The thread that asks is the one the listener looks at. */
static void set_thread(struct dt_gate *g)
{
	pid_t tid = (pid_t)syscall(SYS_gettid);

	if (g->watched != tid)
		say(g, THREAD, (uint32_t)tid);
	g->watched = tid;
}

/* The descriptor in *e is the caller's to close. */
int dt_gate_next(struct dt_gate *g, struct dt_gate_event *e)
{
	struct word w;
	struct iovec v = { &w, sizeof(w) };
	union { struct cmsghdr h; char room[CMSG_SPACE(sizeof(int))]; } c;
	struct msghdr m = {
		.msg_iov = &v, .msg_iovlen = 1, .msg_control = c.room, .msg_controllen = sizeof(c.room)
	};
	struct cmsghdr *h;
	ssize_t got;

	set_thread(g);
	got = recvmsg(g->sock, &m, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
	if (got < 0 && (errno == EAGAIN || errno == EINTR))
		return 0;
	h = CMSG_FIRSTHDR(&m);
	if (got != (ssize_t)sizeof(w) || h == NULL || h->cmsg_type != SCM_RIGHTS)
		return -EPIPE;
	memcpy(&e->fd, CMSG_DATA(h), sizeof(e->fd));
	e->pid = (uint32_t)w.value;
	e->number = w.number;
	e->exec = w.exec != 0;
	say(g, TAKEN, e->number);
	return 1;
}

void dt_gate_answer(struct dt_gate *g, const struct dt_gate_event *e, bool known)
{
	say(g, known ? ANSWER_KNOWN : ANSWER_AGAIN, e->number);
}
