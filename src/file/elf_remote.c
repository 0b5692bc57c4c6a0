/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A file that others read (reader.h): what is wanted of it is asked for, checked, and kept like what we
 * read. The answers come from a process that has read an enemy's file and may be his by now: each is
 * checked by digest.c before anything of it is used. A file keeps the descriptor (O_PATH) that leads the
 * worker to it; when that is closed, the answer is -EBADF and the caller may open it again.
 */
#include "file/reader.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Rows that came along, or why there are none, so that they are not asked for again. */
static void keep_rows(struct dt_elf *e, struct dt_rows *rows)
{
	if (rows->bytes != NULL || rows->err != 0)
		e->rows = malloc(sizeof(*e->rows));
	if (e->rows != NULL)
		*e->rows = *rows;
	else
		dt_reader_give_back(e->reader, rows);
}

void dt_elf_remote_end(struct dt_elf *e)
{
	if (e->rows != NULL)
		dt_reader_give_back(e->reader, e->rows);
	free(e->rows);
	e->rows = NULL;
}

/*
 * Takes over the descriptor if there is one. After this the file owns the descriptor, whether it was given
 * or opened for the question; an error closes it.
 */
static int find(struct dt_question *q, struct dt_reader *r, struct dt_elf **out, struct statx *st)
{
	struct dt_elf *e = calloc(1, sizeof(*e));
	struct dt_opened opened;
	void *bytes = NULL;
	size_t len;
	int err;

	if (r == NULL || e == NULL || (q->shown != NULL && (e->path = strdup(q->shown)) == NULL)) {
		free(e);
		if (q->fd >= 0)
			close(q->fd);
		return -ENOMEM;
	}
	err = dt_reader_ask(r, q, &opened, &bytes, &len);
	e->fd = q->fd >= 0 ? q->fd : opened.fd;
	e->reader = r;
	e->ours = opened.ours;
	e->dev = q->dev;
	e->debug_root = DT_ELF_DEBUG_ROOT;
	if (err == 0) {
		*st = opened.stat;
		keep_rows(e, &opened.rows);
		err = dt_digest_head(bytes, len, e);
	}
	free(bytes);
	if (err != 0) {
		dt_elf_close(e);
		return err;
	}
	*out = e;
	return 0;
}

int dt_elf_find(struct dt_reader *r, const char *open_as, const char *path, dev_t dev, struct dt_elf **out,
    struct statx *st)
{
	struct dt_question q = { .want = { .what = DT_DIGEST_HEAD }, .fd = -1, .path = open_as, .shown = path,
		.dev = dev };

	return find(&q, r, out, st);
}

/*
 * A copy of the descriptor goes into the file, from 3 on, where it cannot take the place of a standard
 * stream.
 */
int dt_elf_find_fd(struct dt_reader *r, int fd, const char *path, struct dt_elf **out, struct statx *st)
{
	struct dt_question q = { .want = { .what = DT_DIGEST_HEAD }, .fd = fcntl(fd, F_DUPFD_CLOEXEC, 3),
		.shown = path };

	return q.fd < 0 ? -errno : find(&q, r, out, st);
}

int dt_elf_fd(const struct dt_elf *e)
{
	return e->fd;
}

struct dt_reader *dt_elf_reader(const struct dt_elf *e)
{
	return e->reader;
}

/* The descriptor in the question is borrowed: it stays the file's. */
static struct dt_question question(const struct dt_elf *e, enum dt_digest_what what)
{
	return (struct dt_question){ .want = { .what = what }, .fd = e->fd, .shown = e->path, .ours = e->ours,
		.dev = e->dev };
}

/*
 * Paths of debug files are proposed only if the file has no symbols of its own; the worker decides which
 * belongs to it, since it alone reads them.
 */
int dt_elf_remote_names(struct dt_elf *e, enum dt_elf_kind kind)
{
	struct dt_question q = question(e, kind == DT_ELF_CODE ? DT_DIGEST_CODE : DT_DIGEST_DATA);
	char *debug[DT_ELF_DEBUG_PATHS];
	int n = e->head->symtab ? 0 : dt_elf_debug_paths(e, debug), err;
	void *bytes = NULL;
	size_t len;

	for (int i = 0; i < n; i++)
		q.debug[i] = debug[i];
	err = e->fd >= 0 ? dt_reader_ask(e->reader, &q, NULL, &bytes, &len) : -EBADF;
	for (int i = 0; i < n; i++)
		free(debug[i]);
	if (err == 0)
		err = dt_digest_names(bytes, len, &e->names[kind]);
	free(bytes);
	return err != 0 ? err : dt_elf_index_names(&e->names[kind]);
}

int dt_elf_remote_lines(struct dt_elf *e, uint64_t most, void **bytes, size_t *len)
{
	struct dt_question q = question(e, DT_DIGEST_LINES);
	char *debug[DT_ELF_DEBUG_PATHS];
	int n = dt_elf_has_section(e, ".debug_info") ? 0 : dt_elf_debug_paths(e, debug), err;

	q.want.most = most;
	for (int i = 0; i < n; i++)
		q.debug[i] = debug[i];
	err = e->fd >= 0 ? dt_reader_ask(e->reader, &q, NULL, bytes, len) : -EBADF;
	for (int i = 0; i < n; i++)
		free(debug[i]);
	return err;
}

/*
 * Takes over the bytes. An answer begins with the address of the section; the NUL that dt_reader_ask() put
 * after it moves along, so that text at the end still ends.
 */
static int keep_section(struct dt_elf *e, const char *name, void *bytes, size_t len)
{
	struct dt_elf_bytes *b = calloc(1, sizeof(*b));

	if (b == NULL || len < sizeof(b->addr)) {
		free(b);
		free(bytes);
		return b == NULL ? -ENOMEM : -EBADMSG;
	}
	memcpy(&b->addr, bytes, sizeof(b->addr));
	b->len = len - sizeof(b->addr);
	memmove(bytes, (const char *)bytes + sizeof(b->addr), b->len + 1);	/* with its NUL */
	b->data = bytes;
	b->refs = 1;
	strcpy(b->section, name);
	b->next = e->bytes;
	e->bytes = b;
	return 0;
}

/*
 * Each section is asked for once; dt_elf_free_names() lets it go. The name fits into the question, or no
 * such section is known here.
 */
int dt_elf_remote_section(struct dt_elf *e, const char *name, const void **data, size_t *len, uint64_t *addr)
{
	struct dt_question q = question(e, DT_DIGEST_SECTION);
	struct dt_elf_bytes *b = e->bytes;
	void *bytes;
	size_t n;
	int err = 0;

	if (strlen(name) >= sizeof(b->section))
		return -ENOENT;
	while (b != NULL && strcmp(b->section, name) != 0)
		b = b->next;
	if (b == NULL) {
		strcpy(q.want.name, name);
		err = e->fd >= 0 ? dt_reader_ask(e->reader, &q, NULL, &bytes, &n) : -EBADF;
		if (err == 0)
			err = keep_section(e, name, bytes, n);
		if (err != 0)
			return err;
		b = e->bytes;
	}
	*data = b->len > 0 ? b->data : NULL;
	*len = b->len;
	*addr = b->addr;
	return 0;
}

/* The address is the file's word, as those of all symbols are. */
int dt_elf_remote_symbol(struct dt_elf *e, const char *name, uint64_t *vaddr)
{
	struct dt_question q = question(e, DT_DIGEST_SYMBOL);
	void *bytes = NULL;
	size_t len;
	int err;

	if (strlen(name) >= sizeof(q.want.name))
		return -ENOENT;
	strcpy(q.want.name, name);
	err = e->fd >= 0 ? dt_reader_ask(e->reader, &q, NULL, &bytes, &len) : -EBADF;
	if (err == 0 && len != sizeof(*vaddr))
		err = -EBADMSG;
	if (err == 0)
		memcpy(vaddr, bytes, sizeof(*vaddr));
	free(bytes);
	return err;
}

int dt_elf_remote_bytes(struct dt_elf *e, uint64_t off, uint64_t most, void **bytes, size_t *len)
{
	struct dt_question q = question(e, DT_DIGEST_BYTES);

	q.want.at = off;
	q.want.most = most;
	return dt_reader_ask(e->reader, &q, NULL, bytes, len);
}

static int ask_rows(struct dt_elf *e, struct dt_cfi *c)
{
	struct dt_question q = question(e, DT_DIGEST_ROWS);
	void *bytes;
	size_t len;
	int err = e->fd >= 0 ? dt_reader_ask(e->reader, &q, NULL, &bytes, &len) : -EBADF;

	if (err == 0) {
		c->digest = bytes;
		err = dt_digest_rows(bytes, len, c);
	}
	return err;
}

int dt_elf_remote_rows(struct dt_elf *e, struct dt_cfi *c)
{
	int err;

	if (e->rows == NULL)
		return ask_rows(e, c);
	c->digest = e->rows->bytes;
	e->rows->bytes = NULL;
	err = e->rows->err != 0 ? e->rows->err : dt_digest_rows(c->digest, e->rows->len, c);
	dt_elf_remote_end(e);
	return err;
}
