/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A name in, a descriptor out. Every part of the name is opened without following it, looked at, and then
 * used by its descriptor; links are read and walked here, by the rules of outfile.h. What is opened in the
 * end must be what was looked at.
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

enum { LINKS_MAX = 40, AGAIN = INT_MIN };	/* as many links as the kernel follows; no -errno */

/* `rest` of a name is still to be walked, seen from a folder. */
struct walk {
	int dir;
	int flags;			/* of the file */
	mode_t mode;			/* of a new one */
	int links;			/* that may still be followed */
	bool tainted;			/* a link was followed whose owner is neither root nor we */
	uid_t by;			/* that owner */
	char rest[PATH_MAX];
};

/* Everybody may make files there, and this one is neither ours nor that of the folder's owner. */
static bool planted(const struct stat *dir, const struct stat *st)
{
	return (dir->st_mode & (S_ISVTX | S_IWOTH)) == (S_ISVTX | S_IWOTH) && st->st_uid != geteuid() &&
	    st->st_uid != dir->st_uid;
}

static bool is_foreign(uid_t uid) { return uid != 0 && uid != geteuid(); }

/* Whoever made the link has to own what it leads to: the file, or the folder of a new one. */
static bool allowed(const struct walk *w, const struct stat *st)
{
	return !w->tainted || st->st_uid == w->by;
}

/* Another name for a file of another user, in a folder whose owner could have made it. */
static bool is_hard_link(const struct stat *dir, const struct stat *st)
{
	return is_foreign(dir->st_uid) && st->st_uid != dir->st_uid && S_ISREG(st->st_mode) &&
	    st->st_nlink > 1;
}

static void enter(struct walk *w, int dir)
{
	if (w->dir != AT_FDCWD)
		close(w->dir);
	w->dir = dir;
}

/* An absolute name begins at the root. -errno. */
static int begin(struct walk *w)
{
	int dir = openat(w->dir, *w->rest == '/' ? "/" : ".", O_PATH | O_DIRECTORY | O_CLOEXEC);

	if (dir < 0)
		return -errno;
	enter(w, dir);
	return *w->rest == '\0' ? -ENOENT : 0;
}

/* Takes the first part of the rest; *last: nothing follows it. -errno. */
static int next_part(struct walk *w, char part[NAME_MAX + 1], bool *last)
{
	const char *at = w->rest + strspn(w->rest, "/");
	size_t len = strcspn(at, "/");

	if (len > NAME_MAX)
		return -ENAMETOOLONG;
	if (len == 0)
		return -EISDIR;
	memcpy(part, at, len);
	part[len] = '\0';
	*last = at[len] == '\0';
	memmove(w->rest, at + len, strlen(at + len) + 1);
	return 0;
}

/* Puts what a link says in front of the rest. */
static int insert_target(struct walk *w, int link)
{
	char text[PATH_MAX];
	ssize_t n = readlinkat(link, "", text, sizeof(text));
	size_t len = strlen(w->rest);

	if (n < 0)
		return -errno;
	if ((size_t)n + len >= sizeof(w->rest))
		return -ENAMETOOLONG;
	memmove(w->rest + n, w->rest, len + 1);
	memcpy(w->rest, text, (size_t)n);
	return begin(w);
}

/* Links below /proc (/proc/self/fd) only the kernel can follow. */
static int follow(struct walk *w, const char *part, bool last, int link, uid_t owner)
{
	struct statfs fs;
	int fd;

	if (w->links-- <= 0)
		return -ELOOP;
	if (fstatfs(link, &fs) == 0 && fs.f_type == PROC_SUPER_MAGIC) {
		fd = openat(w->dir, part, last ? w->flags : O_PATH | O_DIRECTORY | O_CLOEXEC);
		if (fd < 0 || last)
			return fd >= 0 ? fd : -errno;
		enter(w, fd);
		return AGAIN;
	}
	if (is_foreign(owner)) {
		if (w->tainted && w->by != owner)
			return -EACCES;
		w->tainted = true;
		w->by = owner;
	}
	fd = insert_target(w, link);
	return fd == 0 ? AGAIN : fd;
}

/* What is there: opened, if it still is what was looked at. */
static int open_seen(struct walk *w, const char *part, const struct stat *seen)
{
	int fd = openat(w->dir, part, w->flags | O_NOFOLLOW);
	struct stat st;

	if (fd >= 0 && fstat(fd, &st) == 0 && st.st_dev == seen->st_dev && st.st_ino == seen->st_ino)
		return fd;
	if (fd < 0 && errno != ENOENT && errno != ELOOP)
		return -errno;
	if (fd >= 0)
		close(fd);
	strcpy(w->rest, part);		/* it has changed: look again */
	return w->links-- > 0 ? AGAIN : -ELOOP;
}

static int create(struct walk *w, const char *part, const struct stat *dir)
{
	int fd;

	if (!allowed(w, dir))
		return -EACCES;
	fd = openat(w->dir, part, w->flags | O_CREAT | O_EXCL | O_NOFOLLOW, w->mode);
	if (fd >= 0 || errno != EEXIST)
		return fd >= 0 ? fd : -errno;
	strcpy(w->rest, part);
	return w->links-- > 0 ? AGAIN : -ELOOP;
}

/* The part is there: a link is followed, a folder entered, the last one opened. */
static int use(struct walk *w, const char *part, bool last, int fd, const struct stat *dir)
{
	struct stat st;

	if (fstat(fd, &st) != 0)
		return -errno;
	if ((last || S_ISLNK(st.st_mode)) && planted(dir, &st))
		return -EACCES;
	if (S_ISLNK(st.st_mode))
		return follow(w, part, last, fd, st.st_uid);
	if (last)
		return allowed(w, &st) && !is_hard_link(dir, &st) ? open_seen(w, part, &st) : -EACCES;
	if (!S_ISDIR(st.st_mode))
		return -ENOTDIR;
	fd = openat(fd, ".", O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	enter(w, fd);
	return AGAIN;
}

static int step(struct walk *w)
{
	char part[NAME_MAX + 1];
	struct stat dir;
	bool last = false;
	int fd, err = next_part(w, part, &last);

	if (err == 0 && fstat(w->dir, &dir) != 0)
		err = -errno;
	if (err != 0)
		return err;
	fd = openat(w->dir, part, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return errno == ENOENT && last ? create(w, part, &dir) : -errno;
	err = use(w, part, last, fd, &dir);
	close(fd);
	return err;
}

int dt_outfile_open(const char *path, bool append, bool secret)
{
	struct walk w = { .dir = AT_FDCWD, .mode = secret ? 0600 : 0644, .links = LINKS_MAX,
		.flags = O_WRONLY | O_CLOEXEC | O_NOCTTY | (append ? O_APPEND : 0) };
	int fd;

	if (strlen(path) >= sizeof(w.rest))
		return -ENAMETOOLONG;
	strcpy(w.rest, path);
	fd = begin(&w);
	if (fd == 0)
		do
			fd = step(&w);
		while (fd == AGAIN);
	if (w.dir != AT_FDCWD)
		close(w.dir);
	if (fd >= 0 && !append && ftruncate(fd, 0) != 0 && errno != EINVAL) {	/* EINVAL: a pipe, a device */
		int err = -errno;

		close(fd);
		return err;
	}
	return fd;
}

FILE *dt_outfile(const char *path, bool append, bool secret)
{
	int fd = dt_outfile_open(path, append, secret);
	FILE *f = fd >= 0 ? fdopen(fd, append ? "a" : "w") : NULL;

	if (fd < 0)
		errno = -fd;
	else if (f == NULL)
		close(fd);
	return f;
}

FILE *dt_outfile_of(int fd)
{
	int mine = fcntl(fd, F_DUPFD_CLOEXEC, 3);
	FILE *f = mine >= 0 ? fdopen(mine, "w") : NULL;

	if (f == NULL && mine >= 0)
		close(mine);
	return f;
}
