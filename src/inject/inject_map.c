/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Mappings in a stopped process: code and data of the agent, islands. A descriptor comes into the process
 * through a socket pair that it makes: we take one end (pidfd_getfd) and send ours; it needs no path, no
 * common namespace, and no right of the process to look at us. Nothing of it stays: all are closed.
 */
#include "inject/inject_impl.h"
#include "symbol/maps.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef MAP_FIXED_NOREPLACE
#define MAP_FIXED_NOREPLACE 0x100000
#endif
enum { MAX_FDS = 2 };

static uint64_t page_size(void) { return (uint64_t)sysconf(_SC_PAGESIZE); }
static uint64_t pages(uint64_t n) { return (n + page_size() - 1) & ~(page_size() - 1); }
static bool failed(int64_t r) { return r < 0 && r > -4096; }

static int64_t call_mmap(struct dt_inject *in, uint64_t addr, uint64_t len, int prot, int flags, int fd)
{
	return dt_inject_call(in, SYS_mmap, (uint64_t[6]){ addr, len, (uint64_t)prot, (uint64_t)flags,
	    (uint64_t)(int64_t)fd, 0 });
}

static int64_t call(struct dt_inject *in, long number, uint64_t a, uint64_t b, uint64_t c)
{
	return dt_inject_call(in, number, (uint64_t[6]){ a, b, c });
}

int dt_inject_unmap(struct dt_inject *in, uint64_t addr, uint64_t len)
{
	int64_t r = call(in, SYS_munmap, addr, pages(len), 0);

	return failed(r) ? (int)r : 0;
}

/* ---- descriptors ---- */

/* What is in the process's memory for a while: struct msghdr and what it points to, at `at`. */
struct letter {
	struct msghdr head;
	struct iovec io;
	int32_t pair[2];
	uint64_t byte;
	_Alignas(16) char control[CMSG_SPACE(MAX_FDS * sizeof(int))];
};

static bool send_fds(int sock, const int *fds, int n)
{
	_Alignas(16) char control[CMSG_SPACE(MAX_FDS * sizeof(int))] = { 0 };
	struct iovec io = { "", 1 };
	struct msghdr m = { .msg_iov = &io, .msg_iovlen = 1, .msg_control = control,
		.msg_controllen = CMSG_SPACE((size_t)n * sizeof(int)) };
	struct cmsghdr *c = CMSG_FIRSTHDR(&m);

	c->cmsg_level = SOL_SOCKET;
	c->cmsg_type = SCM_RIGHTS;
	c->cmsg_len = CMSG_LEN((size_t)n * sizeof(int));
	memcpy(CMSG_DATA(c), fds, (size_t)n * sizeof(int));
	return sendmsg(sock, &m, MSG_NOSIGNAL) == 1;
}

/* Sends through the process's own socket, of which we have a copy for the moment. */
static int send_through(struct dt_inject *in, int theirs, const int *fds, int n)
{
	int sock = (int)syscall(SYS_pidfd_getfd, in->fd, theirs, 0), err = 0;

	if (sock < 0)
		return -errno;
	if (!send_fds(sock, fds, n))
		err = -errno;
	close(sock);
	return err;
}

/* The numbers that the process has got, checked: it can have changed them, as its memory is its own. */
static int64_t receive_fds(struct dt_inject *in, uint64_t at, int32_t sock, int *out, int n)
{
	struct letter l = { .head = {
		.msg_iov = (struct iovec *)(at + offsetof(struct letter, io)), .msg_iovlen = 1,
		.msg_control = (void *)(at + offsetof(struct letter, control)),
		.msg_controllen = CMSG_SPACE((size_t)n * sizeof(int)) } };
	struct cmsghdr c;
	int64_t r;
	int err;

	l.io = (struct iovec){ (void *)(at + offsetof(struct letter, byte)), 1 };
	if ((err = dt_inject_write(in, at, &l, sizeof(l))) != 0)
		return err;
	r = call(in, SYS_recvmsg, (uint64_t)sock, at, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
	if (failed(r))
		return r;
	if ((err = dt_inject_read(in, at, &l, sizeof(l))) != 0)
		return err;
	memcpy(&c, l.control, sizeof(c));
	if (c.cmsg_type != SCM_RIGHTS || c.cmsg_len != CMSG_LEN((size_t)n * sizeof(int)))
		return -EMFILE;		/* some did not fit: the process has too many descriptors open */
	memcpy(out, l.control + CMSG_LEN(0), (size_t)n * sizeof(int));
	return 0;
}

/* at: memory of the process that may be overwritten. out: their numbers there. */
static int64_t pass_fds(struct dt_inject *in, uint64_t at, const int *fds, int n, int *out,
    const char **what)
{
	uint64_t where = at + offsetof(struct letter, pair);
	int32_t pair[2];
	int64_t r;

	*what = "socketpair()";
	r = dt_inject_call(in, SYS_socketpair, (uint64_t[6]){ AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0, where });
	if (failed(r))
		return r;
	r = dt_inject_read(in, where, pair, sizeof(pair));
	*what = "passing a descriptor (pidfd_getfd)";
	if (r == 0)
		r = send_through(in, pair[0], fds, n);
	if (r == 0) {
		*what = "recvmsg()";
		r = receive_fds(in, at, pair[1], out, n);
	}
	(void)call(in, SYS_close, (uint64_t)pair[0], 0, 0);
	(void)call(in, SYS_close, (uint64_t)pair[1], 0, 0);
	return r;
}

/* ---- code and data ---- */

static int64_t map_code(struct dt_inject *in, uint64_t addr, uint64_t code_len, int fd)
{
	return call_mmap(in, addr, pages(code_len), PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_FIXED, fd);
}

/* A page for the letter, in the place of what comes later. */
static int64_t map_scratch(struct dt_inject *in, uint64_t at)
{
	return call_mmap(in, at, page_size(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED,
	    -1);
}

static int64_t map_both(struct dt_inject *in, uint64_t at, const int *fds, uint64_t code_len,
    uint64_t data_len, const char **what)
{
	uint64_t data = at + DT_AGENT_SPAN;
	int64_t r, done = 0;
	int got[2];

	*what = "mmap()";
	r = map_scratch(in, data);
	if (failed(r))
		return r;
	r = pass_fds(in, data, fds, 2, got, what);
	if (failed(r))
		return r;
	*what = "mmap() of code";
	r = map_code(in, at, code_len, got[0]);
	if (!failed(r)) {
		*what = "mmap() of shared memory";
		r = call_mmap(in, data, pages(data_len), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED,
		    got[1]);
	}
	done = r;
	(void)call(in, SYS_close, (uint64_t)got[0], 0, 0);
	(void)call(in, SYS_close, (uint64_t)got[1], 0, 0);
	return failed(done) ? done : 0;
}

static int report(struct dt_inject *in, const char *what, int64_t r, char *msg, size_t len)
{
	dt_inject_refused(in, what, r, msg, len);
	return (int)r;
}

int dt_inject_map(struct dt_inject *in, int code_fd, uint64_t code_len, int data_fd, uint64_t data_len,
    uint64_t *code_addr, char *msg, size_t len)
{
	uint64_t all = DT_AGENT_SPAN + pages(data_len);
	const char *what;
	int64_t at, r;

	if (code_len == 0 || code_len > DT_AGENT_SPAN || data_len == 0 || data_len > 1ull << 40)
		return report(in, "a mapping of this size", -EINVAL, msg, len);
	at = call_mmap(in, 0, all, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1);
	if (failed(at))
		return report(in, "mmap()", at, msg, len);
	r = map_both(in, (uint64_t)at, (int[2]){ code_fd, data_fd }, code_len, data_len, &what);
	if (failed(r)) {
		(void)dt_inject_unmap(in, (uint64_t)at, all);
		return report(in, what, r, msg, len);
	}
	*code_addr = (uint64_t)at;
	return 0;
}

int dt_inject_map_more(struct dt_inject *in, uint64_t code_addr, uint64_t at, int code_fd, uint64_t code_len,
    char *msg, size_t len)
{
	uint64_t where = code_addr + at, size = pages(code_len);
	const char *what = "mmap()";
	int64_t r, passed;
	int got;

	if (code_len == 0 || at % page_size() != 0 || at >= DT_AGENT_SPAN || size > DT_AGENT_SPAN - at)
		return report(in, "a mapping of this size", -EINVAL, msg, len);
	r = map_scratch(in, where);
	if (failed(r))
		return report(in, what, r, msg, len);
	passed = pass_fds(in, where, &code_fd, 1, &got, &what);
	if (failed(passed))
		return report(in, what, passed, msg, len);
	r = map_code(in, where, code_len, got);
	(void)call(in, SYS_close, (uint64_t)got, 0, 0);
	return failed(r) ? report(in, "mmap() of code", r, msg, len) : 0;
}

/* ---- islands ---- */

/* The gap between mappings that is nearest to `near`. */
struct gap {
	uint64_t near, reach, size;
	uint64_t end;			/* of the mapping before */
	uint64_t best, distance;
	bool after_heap;		/* the mapping before grows */
	bool careful;			/* leave room to the heap and the stack */
};

static uint64_t apart(uint64_t a, uint64_t b) { return a > b ? a - b : b - a; }

static void consider(struct gap *g, uint64_t addr, uint64_t low, uint64_t high)
{
	uint64_t far = apart(addr, g->near) > apart(addr + g->size, g->near) ? apart(addr, g->near) :
	    apart(addr + g->size, g->near);

	if (addr >= low && addr <= high && far <= g->reach && far < g->distance) {
		g->best = addr;
		g->distance = far;
	}
}

static bool next_mapping(void *ctx, const struct dt_mapping *m)
{
	struct gap *g = ctx;
	uint64_t low = pages(g->end), high = m->start;
	bool grows = g->after_heap || strcmp(m->path, "[stack]") == 0;

	if (high > low && high - low >= g->size && !(g->careful && grows)) {
		uint64_t top = high - g->size, want = g->near & ~(page_size() - 1);

		consider(g, top, low, top);
		consider(g, low, low, top);
		consider(g, want, low, top);
	}
	g->end = m->end;
	/* the heap begins after the program, perhaps only later */
	g->after_heap = strcmp(m->path, "[heap]") == 0;
	return true;
}

int dt_inject_island(struct dt_inject *in, uint64_t near, uint64_t reach, uint64_t size, uint64_t *addr)
{
	struct gap g = { .size = pages(size) };
	int64_t r = -ENOSPC;

	/* what is found may be refused: the kernel keeps room below a stack; then farther away */
	for (int pass = 0; pass < 2; pass++) {
		g = (struct gap){ .near = near, .reach = reach, .size = pages(size), .end = 1 << 20,
			.distance = UINT64_MAX, .careful = pass == 0 };
		if (dt_maps_each((uint32_t)in->pid, next_mapping, &g) < 0)
			return -ESRCH;
		if (g.distance == UINT64_MAX)
			continue;
		r = call_mmap(in, g.best, g.size, PROT_READ | PROT_EXEC,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1);
		if (!failed(r))
			break;
	}
	if (failed(r))
		return (int)r;
	if ((uint64_t)r != g.best) {	/* a kernel that does not know the flag */
		(void)dt_inject_unmap(in, (uint64_t)r, g.size);
		return -ENOSPC;
	}
	*addr = g.best;
	return 0;
}
