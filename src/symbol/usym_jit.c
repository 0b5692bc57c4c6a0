/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * /tmp/perf-PID.map, where run-time compilers report their code. Anyone can write to that directory, so
 * it must be a regular file of the process's own user, found in the process's own root without
 * following links. It is read in pieces, each byte once as long as it only grows.
 */
#include "symbol/usym_impl.h"
#include "base/clock.h"

#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define CHECK_NS 200000000u
enum { PIECE = 1 << 20, STATUS_MAX = 1 << 16 };

/* "Uid: real effective saved fs", "NSpid: ours … its own" */
static bool read_status(uint32_t pid, uid_t *uid, uint32_t *nspid)
{
	char path[64], *text, *line;
	size_t len;
	bool good = false;

	snprintf(path, sizeof(path), "/proc/%u/status", pid);
	if (dt_file_read(path, STATUS_MAX, &text, &len) != 0)
		return false;
	*nspid = pid;
	line = strstr(text, "\nUid:");
	if (line != NULL) {
		unsigned real, effective;

		good = sscanf(line, "\nUid: %u %u", &real, &effective) == 2;
		*uid = effective;
	}
	line = strstr(text, "\nNSpid:");
	if (line != NULL) {
		char *end = strchrnul(line + 1, '\n');

		*end = '\0';
		line = strrchr(line + 1, '\t');
		if (line != NULL)
			*nspid = (uint32_t)strtoul(line + 1, NULL, 10);
	}
	free(text);
	return good;
}

/* Those who came first make room: a process that lives can be asked again. */
static void take_slot(struct dt_ufiles *fs, struct dt_ujit *j)
{
	uint32_t at = fs->next_root++ % DT_UROOTS_MAX;

	if (fs->root[at] != NULL)
		dt_ujit_close(fs, fs->root[at]);
	fs->root[at] = j;
	j->slot = at + 1;
}

/*
 * The root is opened while the process lives, and then leads to its file even when the process has ended.
 * User and number are of that moment.
 */
void dt_ujit_learn(struct dt_ufiles *fs, struct dt_ujit *j, uint32_t pid)
{
	char path[64];
	int root;

	if (j->slot != 0)
		return;
	snprintf(path, sizeof(path), "/proc/%u/root", pid);
	root = open(path, O_PATH | O_CLOEXEC | O_DIRECTORY);
	if (root < 0)
		return;
	if (!read_status(pid, &j->uid, &j->nspid)) {
		close(root);
		return;
	}
	j->root = root;
	take_slot(fs, j);
	snprintf(j->name, sizeof(j->name), "perf-%u.map", j->nspid);
}

void dt_ujit_close(struct dt_ufiles *fs, struct dt_ujit *j)
{
	if (j->slot == 0)
		return;
	fs->root[j->slot - 1] = NULL;
	j->slot = 0;
	close(j->root);
}

void dt_ujit_free(struct dt_ufiles *fs, struct dt_ujit *j)
{
	dt_ujit_close(fs, j);
	fs->bytes -= j->map.bytes;
	dt_perfmap_free(&j->map);
	*j = (struct dt_ujit){ 0 };
}

/*
 * The walk cannot leave the root of the process; a link at its end is refused, and opening a pipe or a
 * terminal neither waits nor takes hold of it. Whose file it is, dt_ujit_read() asks of the descriptor.
 */
static int open_map(const struct dt_ujit *j)
{
	struct open_how how = { .flags = O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY,
		.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS };
	char path[64];

	snprintf(path, sizeof(path), "/tmp/%s", j->name);
	return (int)syscall(SYS_openat2, j->root, path, &how, sizeof(how));
}

/*
 * Compilers append. A file is read from its start only if it is another one, or was written anew: then what
 * was read last is not there any more.
 */
static bool goes_on(const struct dt_ujit *j, int fd, const struct stat *st)
{
	char now[sizeof(j->last)];

	return st->st_ino == j->ino && st->st_size >= j->size &&
	    pread(fd, now, j->nlast, j->size - (off_t)j->nlast) == (ssize_t)j->nlast &&
	    memcmp(now, j->last, j->nlast) == 0;
}

/* A piece up to its last whole line. false: there is nothing more. */
static bool read_piece(struct dt_ujit *j, int fd)
{
	char *text = malloc(PIECE + 1), *end;
	ssize_t got = text != NULL ? pread(fd, text, PIECE, j->size) : -1;

	end = got > 0 ? memrchr(text, '\n', (size_t)got) : NULL;
	if (end == NULL) {
		j->size += got == PIECE ? got : 0;	/* no line is that long */
		free(text);
		return got == PIECE;
	}
	end[1] = '\0';
	j->size += end + 1 - text;
	j->nlast = (size_t)(end + 1 - text) < sizeof(j->last) ? (size_t)(end + 1 - text) : sizeof(j->last);
	memcpy(j->last, end + 1 - j->nlast, j->nlast);
	if (end + 1 - text < PIECE / 2 && (end = realloc(text, (size_t)(end + 2 - text))) != NULL)
		text = end;
	return dt_perfmap_add(&j->map, text) == 0;
}

/*
 * Sorted once for all pieces. False: the map has as much memory as it may, and the rest of the file is left
 * out.
 */
static bool read_new(struct dt_ujit *j, int fd, const struct stat *st, size_t max,
    dt_usyms_stop_f *stop, void *ctx)
{
	size_t before = j->map.n;
	bool more = true;

	if (!goes_on(j, fd, st)) {
		dt_perfmap_free(&j->map);
		before = j->size = 0;
		j->nlast = 0;
		j->ino = st->st_ino;
	}
	while (more && j->map.bytes < max && !(stop != NULL && stop(ctx)))
		more = read_piece(j, fd);
	if (j->map.n != before)
		dt_perfmap_sort(&j->map);
	return j->map.bytes < max;
}

bool dt_ujit_read(struct dt_ujit *j, size_t max, dt_usyms_stop_f *stop, void *ctx, bool last)
{
	uint64_t now = dt_clock_ns();
	bool all = true;
	struct stat st;
	int fd;

	if (j->slot == 0 || (!last && j->checked != 0 && now - j->checked < CHECK_NS))
		return true;
	j->checked = now;
	fd = open_map(j);
	if (fd < 0)
		return true;		/* what was read stays */
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_uid == j->uid)
		all = read_new(j, fd, &st, max, stop, ctx);
	close(fd);
	return all;
}
