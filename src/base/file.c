/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A path or descriptor comes in, all its bytes go out. The size that a file claims is only a first
 * guess: /proc says 0, pipes say nothing, and files grow while they are read.
 */
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static size_t first_guess(int fd, size_t max)
{
	struct stat st;
	size_t guess = 4096;

	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0 && (uintmax_t)st.st_size <= max)
		guess = (size_t)st.st_size + 2;	/* one for the NUL, one to see the end without growing */
	return guess;
}

static int make_room(char **buf, size_t *cap)
{
	size_t more = *cap * 2;
	char *p = more < *cap ? NULL : realloc(*buf, more);

	if (!p)
		return -ENOMEM;
	*buf = p;
	*cap = more;
	return 0;
}

int dt_file_readfd(int fd, size_t max, char **text, size_t *len)
{
	size_t cap = first_guess(fd, max), n = 0;
	char *buf = malloc(cap);
	int err = buf ? 0 : -ENOMEM;

	while (!err) {
		ssize_t got = read(fd, buf + n, cap - n - 1);

		if (got == 0)
			break;
		if (got < 0) {
			err = errno == EINTR ? 0 : -errno;
			continue;
		}
		n += (size_t)got;
		if (n > max)
			err = -EFBIG;
		else if (cap - n < 2)
			err = make_room(&buf, &cap);
	}
	if (err) {
		free(buf);
		return err;
	}
	buf[n] = '\0';
	*text = buf;
	*len = n;
	return 0;
}

int dt_file_read(const char *path, size_t max, char **text, size_t *len)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	int err;

	if (fd < 0)
		return -errno;
	err = dt_file_readfd(fd, max, text, len);
	close(fd);
	return err;
}

int dt_file_read_regular(const char *path, size_t max, char **text, size_t *len)
{
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC), err = fd < 0 ? -errno : 0;
	struct stat st;

	if (fd < 0)
		return err;
	if (fstat(fd, &st) != 0)
		err = -errno;
	else if (!S_ISREG(st.st_mode))
		err = S_ISDIR(st.st_mode) ? -EISDIR : -EINVAL;
	if (err == 0)
		err = dt_file_readfd(fd, max, text, len);
	close(fd);
	return err;
}

/* /sys/kernel/btf/vmlinux can be mapped since Linux 6.16. */
int dt_whole_read(const char *path, size_t max, struct dt_whole *b)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat st;
	void *at = MAP_FAILED;
	char *text;
	int err;

	if (fd < 0)
		return -errno;
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0 && (uintmax_t)st.st_size <= max)
		at = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	close(fd);
	if (at != MAP_FAILED) {
		(void)madvise(at, (size_t)st.st_size, MADV_DONTFORK);
		*b = (struct dt_whole){ at, (size_t)st.st_size, true };
		return 0;
	}
	err = dt_file_read(path, max, &text, &b->len);
	b->data = err == 0 ? (unsigned char *)text : NULL;
	b->mapped = false;
	return err;
}

void dt_whole_free(struct dt_whole *b)
{
	if (b->mapped)
		munmap(b->data, b->len);
	else
		free(b->data);
	*b = (struct dt_whole){ 0 };
}

/* How many bytes of the name are "/proc/PID/root"; 0: it does not begin so. */
static size_t process_root(const char *path)
{
	size_t n = strncmp(path, "/proc/", 6) == 0 ? 6 : 0, digits = n ? strspn(path + n, "0123456789") : 0;

	return digits && strncmp(path + n + digits, "/root/", 6) == 0 ? n + digits + 5 : 0;
}

/* Links below the root of a process lead where that process goes: no container has us read our own files. */
static int open_in_root(const char *path, size_t root)
{
	struct open_how how = { .flags = O_PATH | O_CLOEXEC, .resolve = RESOLVE_IN_ROOT };
	char *name = strndup(path, root);
	int dir = name ? open(name, O_PATH | O_CLOEXEC | O_DIRECTORY) : -1, fd;

	free(name);
	if (dir < 0)
		return -1;
	fd = (int)syscall(SYS_openat2, dir, path + root + strspn(path + root, "/"), &how, sizeof(how));
	close(dir);
	return fd;
}

/* First as a name alone, to see what it is; then that same file, to be read. */
static int open_regular(const char *path)
{
	size_t root = process_root(path);
	int fd = root ? open_in_root(path, root) : open(path, O_PATH | O_CLOEXEC), again;
	struct stat st;
	char self[32];

	if (fd < 0)
		return -errno;
	if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode)) {
		close(fd);
		return -EINVAL;
	}
	snprintf(self, sizeof(self), "/proc/self/fd/%d", fd);
	again = open(self, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (again < 0)
		again = -errno;
	close(fd);
	return again;
}

/* As much as there is, up to `size` bytes: how many, or -errno when there is none for a reason. */
static ssize_t read_some(int fd, char *buf, size_t size)
{
	size_t n = 0;

	while (n < size) {
		ssize_t got = read(fd, buf + n, size - n);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0 && n == 0)
			return -errno;
		if (got <= 0)
			break;
		n += (size_t)got;
	}
	return (ssize_t)n;
}

int dt_file_peek(const char *path, size_t max, char **text, size_t *len, bool *more)
{
	int fd = open_regular(path);
	char *buf = fd < 0 ? NULL : malloc(max + 1);	/* one byte more tells whether there are more */
	ssize_t n;

	if (fd < 0)
		return fd;
	n = buf ? read_some(fd, buf, max + 1) : -ENOMEM;
	close(fd);
	if (n < 0) {
		free(buf);
		return (int)n;
	}
	*more = (size_t)n > max;
	*len = *more ? max : (size_t)n;
	*text = buf;
	return 0;
}
