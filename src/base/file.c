/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A path or descriptor in, all its bytes out. The size a file claims is only a first
 * guess: /proc says 0, pipes say nothing, and files grow while they are read.
 */
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/stat.h>
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
