/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * /tmp/perf-PID.map, where run-time compilers report their code. Every user can write to that directory, so
 * it must be a regular file of the process's own user, found in the process's own root without following
 * links. It is read by the reader's children (reader.h) in pieces, each byte once as long as it only grows.
 * The text is under the control of the process: lines are checked for bounds only, and names are cleaned.
 */
#include "symbol/usym_impl.h"
#include "file/reader.h"
#include "base/clock.h"

#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define CHECK_NS 200000000u
#define HANG_RETRY_NS 30000000000u	/* its file system does not answer */
/* RETRIES_MAX: a file that is written anew all the time is not read all the time */
enum { PIECE = 1 << 20, STATUS_MAX = 1 << 16, RETRIES_MAX = 2, NLAST = sizeof(((struct dt_ujit *)0)->last) };

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
	fs->bytes -= dt_perfmap_bytes(&j->map);
	dt_perfmap_free(&j->map);
	*j = (struct dt_ujit){ 0 };
}

/*
 * A piece from that place on; -errno. Its owner and kind were looked at before it was opened. *st says
 * which file it is.
 */
static int ask_piece(struct dt_reader *r, const struct dt_ujit *j, uint64_t at, struct statx *st, char **text,
    size_t *len)
{
	struct dt_question q = { .want = { .what = DT_DIGEST_PLAIN, .at = at, .most = PIECE }, .fd = j->root,
		.in_root = true, .uid = j->uid };
	struct dt_opened opened;
	char path[64];
	void *bytes;
	int err;

	snprintf(path, sizeof(path), "/tmp/%s", j->name);
	q.path = q.shown = path;
	err = dt_reader_ask(r, &q, &opened, &bytes, len);
	*st = opened.stat;
	*text = bytes;
	return err;
}

/* What was read last is kept, to be found again at the start of the next piece. */
static void remember(struct dt_ujit *j, const char *end, size_t n)
{
	if (n == 0)
		return;
	j->nlast = n < sizeof(j->last) ? n : sizeof(j->last);
	memcpy(j->last, end - j->nlast, j->nlast);
	j->size += (off_t)n;
}

/* The rest of a line that is longer than a piece: it is no name, and its end is not a line. */
static size_t skip_line(struct dt_ujit *j, const char *text, size_t len)
{
	const char *end = j->skip ? memchr(text, '\n', len) : NULL;

	if (!j->skip)
		return 0;
	j->skip = end == NULL;
	return end != NULL ? (size_t)(end + 1 - text) : len;
}

/*
 * Takes over the text: whole lines go into the map, what is after them is left for the next time. *more: the
 * file may have more. 0 or -ENOMEM.
 */
static int take_piece(struct dt_ujit *j, char *text, size_t len, bool *more)
{
	size_t from = skip_line(j, text, len);
	char *end = len > from ? memrchr(text + from, '\n', len - from) : NULL;
	size_t n = end != NULL ? (size_t)(end + 1 - text) : from;
	char *lines;

	*more = len + NLAST >= PIECE;
	if (end == NULL && *more) {
		j->skip = true;
		n = len;
	}
	remember(j, text + n, n);
	lines = end != NULL ? strndup(text + from, n - from) : NULL;
	free(text);
	if (end == NULL)
		return 0;
	return lines != NULL ? dt_perfmap_add(&j->map, lines) : -ENOMEM;
}

static void start_over(struct dt_ujit *j)
{
	dt_perfmap_free(&j->map);
	j->size = 0;
	j->nlast = 0;
	j->skip = false;
}

/*
 * Compilers append. A file is read from its start only if it is another one, or was written anew: then what
 * was read last is not there any more. Each question begins with that. -errno: nothing more for now.
 */
static int read_piece(struct dt_reader *r, struct dt_ujit *j, bool *more)
{
	size_t len, nlast = j->nlast;
	struct statx st;
	char *text;
	int err = ask_piece(r, j, (uint64_t)j->size - nlast, &st, &text, &len);

	if (err != 0)
		return err;
	if (j->size > 0 && (st.stx_ino != j->ino || len < nlast || memcmp(text, j->last, nlast) != 0)) {
		free(text);
		start_over(j);
		*more = true;
		return 0;
	}
	j->ino = st.stx_ino;
	memmove(text, text + nlast, len - nlast + 1);	/* with its NUL */
	return take_piece(j, text, len - nlast, more);
}

/*
 * Sorted once for all pieces. False: the map has as much memory as it may, and the rest of the file is left
 * out. What cannot be read now stays as it was.
 */
bool dt_ujit_read(struct dt_reader *r, struct dt_ujit *j, size_t max, dt_usyms_stop_f *stop, void *ctx,
    bool last)
{
	uint64_t now = dt_clock_ns();
	size_t before = j->map.n;
	bool more = true;
	int err = 0;

	if (r == NULL || j->slot == 0 || (last ? j->hung : now < j->next))
		return true;
	j->next = now + CHECK_NS;
	for (int again = 0; more && err == 0 && dt_perfmap_bytes(&j->map) < max; ) {
		if (stop != NULL && stop(ctx))
			break;
		again += j->size == 0;
		if (again > RETRIES_MAX)
			break;
		err = read_piece(r, j, &more);
		before = j->map.n < before ? 0 : before;
	}
	j->hung = err == -ETIMEDOUT;
	if (j->hung)
		j->next = now + HANG_RETRY_NS;
	if (j->map.n != before)
		dt_perfmap_sort(&j->map);
	return dt_perfmap_bytes(&j->map) < max;
}
