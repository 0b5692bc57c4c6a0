/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * /tmp/perf-PID.map, where run-time compilers report their code. Anyone can write to that directory, so
 * it must be a regular file of the process's own user, found in the process's own root without
 * following links.
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
enum { PERFMAP_MAX = 256 << 20, STATUS_MAX = 1 << 16 };

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

void dt_ujit_learn(struct dt_ujit *j, uint32_t pid)
{
	char path[64];

	if (j->known)
		return;
	snprintf(path, sizeof(path), "/proc/%u/root", pid);
	j->root = open(path, O_PATH | O_CLOEXEC | O_DIRECTORY);
	if (j->root < 0)
		return;
	if (!read_status(pid, &j->uid, &j->nspid)) {
		close(j->root);
		return;
	}
	j->known = true;
	snprintf(j->name, sizeof(j->name), "perf-%u.map", j->nspid);
}

static int open_map(const struct dt_ujit *j)
{
	struct open_how how = { .flags = O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY,
		.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS };
	char path[64];

	snprintf(path, sizeof(path), "/tmp/%s", j->name);
	return (int)syscall(SYS_openat2, j->root, path, &how, sizeof(how));
}

static bool changed(const struct dt_ujit *j, const struct stat *st)
{
	return st->st_ino != j->ino || st->st_size != j->size || st->st_mtim.tv_sec != j->mtime.tv_sec ||
	    st->st_mtim.tv_nsec != j->mtime.tv_nsec;
}

static void refresh(struct dt_ujit *j)
{
	uint64_t now = dt_clock_ns();
	struct stat st;
	char *text;
	size_t len;
	int fd;

	if (j->checked != 0 && now - j->checked < CHECK_NS)
		return;
	j->checked = now;
	fd = open_map(j);
	if (fd < 0)
		return;		/* what was read stays */
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_uid == j->uid && changed(j, &st) &&
	    dt_file_readfd(fd, PERFMAP_MAX, &text, &len) == 0) {
		dt_perfmap_free(&j->map);
		if (dt_perfmap_parse(&j->map, text) == 0) {
			j->ino = st.st_ino;
			j->size = st.st_size;
			j->mtime = st.st_mtim;
		}
	}
	close(fd);
}

const struct dt_jit_function *dt_ujit_at(struct dt_ujit *j, uint64_t addr)
{
	if (!j->known)
		return NULL;
	refresh(j);
	return dt_perfmap_at(&j->map, addr);
}

void dt_ujit_free(struct dt_ujit *j)
{
	dt_perfmap_free(&j->map);
	if (j->known)
		close(j->root);
	j->known = false;
}
