/* SPDX-License-Identifier: BSD-2-Clause */
/* Vectors of buffers, and messages made of them. */
#include "decode.h"

#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>

#define PARTS 4				/* of a vector that are shown */

/*
 * `left` bytes are in them, together; those of part i are in record `first` + i. A vector of which none is
 * filled is shown all the same.
 */
static void put_parts(struct text *t, const struct call *c, unsigned arg, unsigned first, const struct iovec
    *v,
    size_t n, uint64_t left)
{
	text_char(t, '[');
	for (size_t i = 0; i < n && i < PARTS; i++) {
		size_t size = 0;
		const char *p = call_bytes(c, arg, first + (unsigned)i, &size);
		uint64_t here = v[i].iov_len < left ? v[i].iov_len : left;

		text_put(t, i > 0 ? ", {iov_base=" : "{iov_base=");
		if (v[i].iov_base == NULL || p == NULL)
			text_addr(t, (uint64_t)(uintptr_t)v[i].iov_base);
		else
			put_limited(t, c, p, size, here);
		text_format(t, ", iov_len=%zu}", v[i].iov_len);
		left -= here;
	}
	text_put(t, n > PARTS ? ", ...]" : "]");
}

/* nnames: filled by the call */
static void put_iov(struct text *t, const struct call *c, unsigned arg, const struct kind *k)
{
	struct iovec v[PARTS];
	size_t n = (size_t)c->a[c->row->lenarg[arg]];
	bool out = k->nnames > 0;

	if ((out && call_failed(c)) || n > 1024) {
		text_addr(t, c->a[arg]);
		return;
	}
	if (call_struct(t, c, arg, 0, v, sizeof(v)))
		put_parts(t, c, arg, 1, v, n, out ? (uint64_t)c->ret : UINT64_MAX);
}

/* ---- sendmsg(), recvmsg() ---- */

static void put_control(struct text *t, const struct call *c, const char *p, size_t n, size_t have)
{
	struct cmsghdr h;

	(void)c;
	if (n < sizeof(h) || have < sizeof(h)) {
		text_format(t, "{...} /* %zu bytes */", n);
		return;
	}
	memcpy(&h, p, sizeof(h));
	text_format(t, "[{cmsg_len=%zu, cmsg_level=", (size_t)h.cmsg_len);
	if (h.cmsg_level == SOL_SOCKET)
		text_put(t, "SOL_SOCKET");
	else
		text_int(t, h.cmsg_level);
	text_put(t, ", cmsg_type=");
	if (h.cmsg_level == SOL_SOCKET && h.cmsg_type == SCM_RIGHTS) {
		size_t fds = h.cmsg_len > sizeof(h) ? (h.cmsg_len - sizeof(h)) / sizeof(int) : 0;

		text_put(t, "SCM_RIGHTS, cmsg_data=[");
		for (size_t i = 0; i < fds && sizeof(h) + (i + 1) * sizeof(int) <= have; i++) {
			int fd;

			memcpy(&fd, p + sizeof(h) + i * sizeof(int), sizeof(fd));
			text_put(t, i > 0 ? ", " : "");
			put_fd(t, c, fd);
		}
		text_put(t, "]}]");
	} else {
		text_format(t, h.cmsg_level == SOL_SOCKET && h.cmsg_type == SCM_CREDENTIALS ?
		    "SCM_CREDENTIALS}]" :
		    "%#x}]", h.cmsg_type);
	}
}

/*
 * Records: the header, name, vector, parts, control data; of recvmsg() also the size for the name.
 */
static void put_msghdr(struct text *t, const struct call *c, unsigned arg, const struct kind *k)
{
	struct msghdr h;
	struct iovec v[PARTS] = { { NULL, 0 } };
	bool out = k->nnames > 0;
	size_t size = 0;
	const char *p;

	if (!call_written(t, c, arg, out, &h, sizeof(h)))
		return;
	text_put(t, "{msg_name=");
	p = h.msg_name != NULL && h.msg_namelen > 0 ? call_bytes(c, arg, 1, &size) : NULL;
	if (p != NULL)
		put_sockaddr(t, p, h.msg_namelen < size ? h.msg_namelen : size);
	else
		text_addr(t, (uint64_t)(uintptr_t)h.msg_name);
	text_put(t, ", msg_namelen=");
	if (out && call_number(c, arg, 4 + PARTS) != h.msg_namelen)
		text_format(t, "%u => ", (uint32_t)call_number(c, arg, 4 + PARTS));
	text_format(t, "%u, msg_iov=", h.msg_namelen);
	p = call_bytes(c, arg, 2, &size);
	if (p != NULL)
		memcpy(v, p, sizeof(v));
	put_parts(t, c, arg, 3, v, h.msg_iovlen, out ? (uint64_t)c->ret : UINT64_MAX);
	text_format(t, ", msg_iovlen=%zu", (size_t)h.msg_iovlen);
	p = h.msg_controllen > 0 ? call_bytes(c, arg, 3 + PARTS, &size) : NULL;
	if (p != NULL) {
		text_put(t, ", msg_control=");
		put_control(t, c, p, h.msg_controllen, size);
	}
	text_format(t, ", msg_controllen=%zu, msg_flags=", (size_t)h.msg_controllen);
	text_hex(t, out ? (uint32_t)h.msg_flags : 0);
	text_char(t, '}');
}

/* Part i of the vector that this->v is a copy of, which has this->k of them: none is an address of NULL. */
#define PART(i) "this->g = (" #i " - this->k) >> 63; this->p = *(int64_t *)((uint64_t)this->v + " #i \
	" * 16) & this->g;" \
	AT_MOST("this->p", "*(int64_t *)((uint64_t)this->v + " #i " * 16 + 8)", "%s")
#define VECTOR(at, count) "this->k = (" count ") - 4; this->k = 4 + (this->k & (this->k >> 63)); " \
	"this->k = this->k & ~(this->k >> 63) & " NOT_NULL(at) "; this->v = copyin(" at ", this->k * 16); " \
	"tracemem(this->v, 64);" PART(0) PART(1) PART(2) PART(3)
#define FIELD(n) "*(int64_t *)((uint64_t)this->h + " #n ") & this->w"
#define HEADER(guard) "this->w = " guard "; this->h = copyin(%a, 56 & this->w); tracemem(this->h, 56);" \
	"this->m = " FIELD(0) "; " AT_MOST("this->m", "*(int *)((uint64_t)this->h + 8)", "128") \
	"this->m = " FIELD(16) "; " VECTOR("this->m", FIELD(24)) \
	"this->m = " FIELD(32) "; " AT_MOST("this->m", FIELD(40), "128")

static const struct kind list[] = {
	{ .name = "iovin", .put = put_iov, .fetch = VECTOR("%a", "%n"), .nrecs = 1 + PARTS },
	{ .name = "iovout", .put = put_iov, .fetch = VECTOR("%a", "%n & " DONE), .nrecs = 1 + PARTS,
	    .nnames = 1 },
	{ .name = "msghdr", .put = put_msghdr, .fetch = HEADER(NOT_NULL("%a")), .nrecs = 4 + PARTS },
	{ .name = "omsghdr", .put = put_msghdr, .nrecs = 5 + PARTS, .nnames = 1,
	    .fetch = HEADER(NOT_NULL("%a") " & " DONE) "trace(self->n0);",
	    .entry = "self->n0 = *(int *)copyin(%a + 8, 4 & " NOT_NULL("%a") ");" },
};
KINDS(kinds_message);
