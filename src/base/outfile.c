/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A name in, a descriptor out. The last part of the name is looked at before it is opened, links are
 * followed one by one, and what is opened must be what was looked at.
 */
#include "base/outfile.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <unistd.h>

enum { LINKS = 40, AGAIN = INT_MIN };	/* as many links as the kernel follows; no -errno */

struct place { int dir; char name[PATH_MAX]; };	/* a name, seen from a folder */

/* Everybody may make files there, and this one is neither ours nor that of the folder's owner. */
static bool planted(const struct stat *dir, const struct stat *st)
{
	return (dir->st_mode & (S_ISVTX | S_IWOTH)) == (S_ISVTX | S_IWOTH) && st->st_uid != geteuid() &&
	    st->st_uid != dir->st_uid;
}

/* The folder of the name, opened; the name becomes its last part. -errno. */
static int enter(struct place *p)
{
	char *slash = strrchr(p->name, '/'), *last = slash != NULL ? slash + 1 : p->name;
	int dir;

	if (*last == '\0')
		return *p->name == '\0' ? -ENOENT : -EISDIR;
	if (slash == NULL) {
		dir = openat(p->dir, ".", O_PATH | O_DIRECTORY | O_CLOEXEC);
	} else {
		*slash = '\0';
		dir = openat(p->dir, slash == p->name ? "/" : p->name, O_PATH | O_DIRECTORY | O_CLOEXEC);
		memmove(p->name, last, strlen(last) + 1);
	}
	if (dir < 0)
		return -errno;
	if (p->dir != AT_FDCWD)
		close(p->dir);
	p->dir = dir;
	return 0;
}

/* A link becomes what it leads to; those below /proc/self/fd only the kernel can follow. */
static int follow(struct place *p, int link, int flags)
{
	struct statfs fs;
	ssize_t n;
	int fd;

	if (fstatfs(link, &fs) == 0 && fs.f_type == PROC_SUPER_MAGIC) {
		fd = openat(p->dir, p->name, flags);
		return fd >= 0 ? fd : -errno;
	}
	n = readlinkat(link, "", p->name, sizeof(p->name));
	if (n < 0)
		return -errno;
	if ((size_t)n == sizeof(p->name))
		return -ENAMETOOLONG;
	p->name[n] = '\0';
	return AGAIN;
}

/* What is there: opened, if it still is what was looked at. */
static int open_seen(const struct place *p, const struct stat *seen, int flags)
{
	int fd = openat(p->dir, p->name, flags | O_NOFOLLOW);
	struct stat st;

	if (fd < 0)
		return errno == ENOENT || errno == ELOOP ? AGAIN : -errno;
	if (fstat(fd, &st) == 0 && st.st_dev == seen->st_dev && st.st_ino == seen->st_ino)
		return fd;
	close(fd);
	return AGAIN;
}

static int step(struct place *p, int flags)
{
	struct stat dir, st;
	int err = enter(p), fd;

	if (err != 0)
		return err;
	fd = openat(p->dir, p->name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0 && errno == ENOENT) {
		fd = openat(p->dir, p->name, flags | O_CREAT | O_EXCL | O_NOFOLLOW, 0644);
		return fd >= 0 ? fd : errno == EEXIST ? AGAIN : -errno;
	}
	if (fd < 0)
		return -errno;
	if (fstat(p->dir, &dir) != 0 || fstat(fd, &st) != 0)
		err = -errno;
	else if (planted(&dir, &st))
		err = -EACCES;
	else
		err = S_ISLNK(st.st_mode) ? follow(p, fd, flags) : open_seen(p, &st, flags);
	close(fd);
	return err;
}

int dt_outfile_open(const char *path, bool append)
{
	int flags = O_WRONLY | O_CLOEXEC | O_NOCTTY | (append ? O_APPEND : 0), fd = AGAIN;
	struct place p = { .dir = AT_FDCWD };

	if (strlen(path) >= sizeof(p.name))
		return -ENAMETOOLONG;
	strcpy(p.name, path);
	for (int i = 0; i < LINKS && fd == AGAIN; i++)
		fd = step(&p, flags);
	if (p.dir != AT_FDCWD)
		close(p.dir);
	if (fd >= 0 && !append && ftruncate(fd, 0) != 0 && errno != EINVAL) {	/* EINVAL: a pipe, a device */
		int err = -errno;

		close(fd);
		return err;
	}
	return fd == AGAIN ? -ELOOP : fd;
}

FILE *dt_outfile(const char *path, bool append)
{
	int fd = dt_outfile_open(path, append);
	FILE *f = fd >= 0 ? fdopen(fd, append ? "a" : "w") : NULL;

	if (fd < 0)
		errno = -fd;
	else if (f == NULL)
		close(fd);
	return f;
}
