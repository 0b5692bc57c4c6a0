/* SPDX-License-Identifier: BSD-2-Clause */
/* Names of files, strings and buffers, and descriptors with what they lead to. */
#include "decode.h"
#include "files.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

/* `have` bytes of `whole` were recorded; -s says how many are shown. */
void put_limited(struct text *t, const struct call *c, const char *s, size_t have, uint64_t whole)
{
	size_t n = whole < have ? (size_t)whole : have;

	n = n < c->limit ? n : c->limit;
	text_string(t, s, n, n < whole);
}

/* A name of a file is shown whole, as far as -x strsize reaches. */
void put_kind_path(struct text *t, const struct call *c, unsigned arg, const struct kind *k)
{
	size_t size = 0, n;
	const char *s = c->a[arg] != 0 ? call_bytes(c, arg, 0, &size) : NULL;

	(void)k;
	if (s == NULL) {
		text_addr(t, c->a[arg]);
		return;
	}
	n = strnlen(s, size);
	text_string(t, s, n, n + 1 >= size);
}

void put_kind_string(struct text *t, const struct call *c, unsigned arg, const struct kind *k)
{
	size_t size = 0, n;
	const char *s = c->a[arg] != 0 ? call_bytes(c, arg, 0, &size) : NULL;

	(void)k;
	if (s == NULL) {
		text_addr(t, c->a[arg]);
		return;
	}
	n = strnlen(s, size);
	put_limited(t, c, s, n, n + 1 >= size ? UINT64_MAX : n);
}

/* What the call was given: its length is an argument. */
static void put_in(struct text *t, const struct call *c, unsigned arg, const struct kind *k)
{
	size_t size = 0;
	const char *s = c->a[arg] != 0 ? call_bytes(c, arg, 0, &size) : NULL;

	(void)k;
	if (s == NULL || (int64_t)c->a[c->row->lenarg[arg]] < 0)
		text_addr(t, c->a[arg]);
	else
		put_limited(t, c, s, size, c->a[c->row->lenarg[arg]]);
}

/* What the call has written: its result is the length. */
static void put_out(struct text *t, const struct call *c, unsigned arg, const struct kind *k)
{
	size_t size = 0;
	const char *s = c->a[arg] != 0 && c->ret >= 0 ? call_bytes(c, arg, 0, &size) : NULL;
	size_t n = size < c->limit ? size : c->limit;

	if (s == NULL)
		text_addr(t, c->a[arg]);
	else if (k->nnames > 0)
		text_bytes_hex(t, s, (uint64_t)c->ret < n ? (size_t)c->ret : n, n < (uint64_t)c->ret);
	else
		put_limited(t, c, s, size, (uint64_t)c->ret);
}

/* getcwd() counts the NUL. */
static void put_outz(struct text *t, const struct call *c, unsigned arg, const struct kind *k)
{
	size_t size = 0;
	const char *s = c->a[arg] != 0 && !call_failed(c) ? call_bytes(c, arg, 0, &size) : NULL;

	(void)k;
	if (s == NULL)
		text_addr(t, c->a[arg]);
	else
		text_string(t, s, strnlen(s, size), strnlen(s, size) == size);
}

/* ---- descriptors ---- */

static void put_file_name(struct text *t, const char *name)
{
	text_char(t, '<');
	text_name(t, name);
	text_char(t, '>');
}

/* One that was bad leads nowhere, whatever stood there before. */
void put_fd(struct text *t, const struct call *c, int fd)
{
	const char *name = c->names && fd >= 0 && c->ret != -EBADF ?
	    files_name(c->files, fd) : NULL;

	text_int(t, fd);
	if (name != NULL)
		put_file_name(t, name);
}

void put_dirfd(struct text *t, const struct call *c, int fd)
{
	const char *cwd = c->names && c->files != NULL ? files_cwd(c->files) : NULL;

	if (fd != AT_FDCWD) {
		put_fd(t, c, fd);
		return;
	}
	text_put(t, "AT_FDCWD");
	if (cwd != NULL)
		put_file_name(t, cwd);
}

static void put_kind_fd(struct text *t, const struct call *c, unsigned arg, const struct kind *k)
{
	(void)k;
	put_fd(t, c, (int)c->a[arg]);
}

/* The number that a file is to get: it may be unused, so /proc is not read. */
static void put_new_fd(struct text *t, const struct call *c, unsigned arg, const struct kind *k)
{
	const char *name = c->names ? files_known(c->files, (int)c->a[arg]) : NULL;

	(void)k;
	text_int(t, (int)c->a[arg]);
	if (name != NULL)
		put_file_name(t, name);
}

static void put_kind_dirfd(struct text *t, const struct call *c, unsigned arg, const struct kind *k)
{
	(void)k;
	put_dirfd(t, c, (int)c->a[arg]);
}

/* Two of them, as pipe() and socketpair() give them. */
static void put_fds(struct text *t, const struct call *c, unsigned arg, const struct kind *k)
{
	int fd[2];

	(void)k;
	if (call_failed(c))
		text_addr(t, c->a[arg]);
	else if (call_struct(t, c, arg, 0, fd, sizeof(fd))) {
		text_char(t, '[');
		put_fd(t, c, fd[0]);
		text_put(t, ", ");
		put_fd(t, c, fd[1]);
		text_char(t, ']');
	}
}

static void put_ret_fd(struct text *t, const struct call *c, unsigned arg, const struct kind *k)
{
	(void)arg;
	(void)k;
	put_fd(t, c, (int)c->ret);
}

/* Only what the process keeps has changed. */
static void put_ret_number(struct text *t, const struct call *c, unsigned arg, const struct kind *k)
{
	(void)arg;
	(void)k;
	text_int(t, c->ret);
}

#define STRING "trace(copyinstr(%a));"
#define MAYBE "trace(%a ? copyinstr(%a) : \"\");"		/* where NULL is not a mistake */
/* Two descriptors are stored at the argument: the number of the inode of each. */
#define INO(at) "trace(arg0 >= 0 ? getf(*(int *)copyin(%a + " at ", 4))->f_inode->i_ino : 0);"
#define FILE_OF "getf((int)arg0)"

static const struct kind list[] = {
	{ .name = "path", .put = put_kind_path, .fetch = STRING, .nrecs = 1 },
	{ .name = "str", .put = put_kind_string, .fetch = STRING, .nrecs = 1 },
	{ .name = "opath", .put = put_kind_path, .fetch = MAYBE, .nrecs = 1 },
	{ .name = "ostr", .put = put_kind_string, .fetch = MAYBE, .nrecs = 1 },
	{ .name = "in", .put = put_in, .fetch = MEM("%n", "%s"), .nrecs = 1 },
	{ .name = "out", .put = put_out, .fetch = MEM("arg0", "%s"), .nrecs = 1 },
	{ .name = "outx", .put = put_out, .fetch = MEM("arg0", "%s"), .nrecs = 1, .nnames = 1 },
	{ .name = "outz", .put = put_outz, .fetch = MEM("arg0", "256"), .nrecs = 1 },
	{ .name = "fd", .put = put_kind_fd },
	{ .name = "newfd", .put = put_new_fd },
	{ .name = "dirfd", .put = put_kind_dirfd },
	{ .name = "fds", .put = put_fds, .fetch = OUT("8") INO("0") INO("4"), .nrecs = 3,
	    .inside = OUT("8") "trace(0); trace(0);" },
	/* results: a file that was opened, a socket, what else a descriptor is for, a second name */
	{ .name = "=open", .put = put_ret_fd, .fetch = "trace(arg0 >= 0 ? d_path(&" FILE_OF
	    "->f_path) : \"\");",
	    .nrecs = 1, .inside = "trace(\"\");" },
	{ .name = "=sock", .put = put_ret_fd, .fetch = "trace(arg0 >= 0 ? " FILE_OF "->f_inode->i_ino : 0);",
	    .nrecs = 1, .inside = "trace(0);" },
	{ .name = "=anon", .put = put_ret_fd, .nrecs = 1, .inside = "trace(\"\");",
	    .fetch = "trace(arg0 >= 0 ? stringof(" FILE_OF "->f_path.dentry->d_name.name) : \"\");" },
	{ .name = "=memfd", .put = put_ret_fd, .nrecs = 1, .inside = "trace(\"\");",
	    .fetch = "trace(arg0 >= 0 ? stringof(" FILE_OF "->f_path.dentry->d_name.name) : \"\");" },
	{ .name = "=dup", .put = put_ret_fd },
	{ .name = "=cwd", .put = put_ret_number, .fetch = "trace(cwd);", .nrecs = 1,
	    .inside = "trace(\"\");" },
};
KINDS(kinds_file);
