/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The tracer's side of debugging data: questions go out, answers are checked. Whoever answers has read an
 * enemy's file: every count, range and text is compared with what there is before it is used.
 */
#include "file/dies.h"
#include "file/reader.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- answers ---- */

/* From its first byte: the rest of a character would be none. */
static bool is_text(const struct dt_dies *d, uint32_t at, size_t len)
{
	return at < len && (at == 0 || d->text[at - 1] == '\0');
}

/*
 * An entry can be found again, no type is larger than libdw says, and its children are after all entries; a
 * child has none.
 */
static bool good_record(const struct dt_dies *d, uint32_t i)
{
	const struct dt_die *r = &d->die[i];

	if (i >= d->head.nentries)
		return r->n == 0;
	return r->value <= (r->tag == DW_TAG_array_type ? UINT32_MAX : INT32_MAX) && r->id != 0 &&
	    r->id != DT_DIE_LOST && r->first >= d->head.nentries && r->first <= d->head.n &&
	    r->n <= d->head.n - r->first;
}

int dt_dies_check(const void *bytes, size_t len, struct dt_dies *d)
{
	const struct dt_dies_head *h = &d->head;

	if (len < sizeof(*h))
		return -EBADMSG;
	d->len = len;
	memcpy(&d->head, bytes, sizeof(*h));
	len -= sizeof(*h);
	if (len > DT_DIES_MAX || h->n > len / sizeof(struct dt_die) || h->nentries > h->n ||
	    h->idlen > sizeof(h->id))
		return -EBADMSG;
	d->die = (const void *)((const char *)bytes + sizeof(*h));
	d->text = (const char *)&d->die[h->n];
	len -= h->n * sizeof(struct dt_die);
	if (len == 0 || d->text[0] != '\0' || !dt_digest_text(d->text, len) || !is_text(d, h->near, len) ||
	    !is_text(d, h->link, len))
		return -EBADMSG;
	for (uint32_t i = 0; i < h->n; i++)
		if (!good_record(d, i) || !is_text(d, d->die[i].name, len))
			return -EBADMSG;
	return 0;
}

/* ---- questions ---- */

/*
 * Where the shared file may be: as it is named (from the directory of the file that names it, if that is no
 * path from the root), and by its build id.
 */
static int shared_paths(const struct dt_dies_question *q, const char **path, char by_id[static 256])
{
	const struct dt_dies_head *h = q->shared;
	int n = 0, len;

	if (h == NULL || q->link[0] == '\0')
		return 0;
	path[n++] = q->link;
	if (h->idlen < 2)
		return n;
	len = snprintf(by_id, 256, "%s/.build-id/%02x/", DT_ELF_DEBUG_ROOT, h->id[0]);
	for (uint32_t i = 1; i < h->idlen; i++)
		len += snprintf(by_id + len, 256 - (size_t)len, "%02x", h->id[i]);
	snprintf(by_id + len, 256 - (size_t)len, ".debug");
	path[n++] = by_id;
	return n;
}

/* An answer without an entry says that there is none; that of DT_DIES_NAMED says what is like it. */
static int take(const struct dt_dies_question *q, const void *bytes, size_t len, struct dt_dies *out)
{
	int err = dt_dies_check(bytes, len, out);

	if (err == 0 && out->head.nentries == 0)
		return q->ask == DT_DIES_FUNCTION || q->ask == DT_DIES_ENTRY ? -ENOENT : 0;
	return err == 0 && q->ask == DT_DIES_ENTRY && out->die[0].id != q->at ? -EBADMSG : err;
}

int dt_dies_ask(struct dt_elf *e, struct dt_reader *r, const struct dt_dies_question *q, void **bytes,
    struct dt_dies *out)
{
	/* the program that names the file waits for it, however long its owner may have made it */
	struct dt_question ask = { .want = { .what = DT_DIGEST_DIES, .dies = q->ask, .letter = q->letter,
		.at = q->at, .used = q->shared != NULL ? q->shared->used : 0 },
		.fd = e->fd, .shown = e->path, .ours = true, .dev = e->dev };
	char *debug[DT_ELF_DEBUG_PATHS], by_id[256];
	size_t len;
	int n, err;

	if (q->name != NULL && strlen(q->name) >= sizeof(ask.want.name))
		return -ENOENT;
	if (q->name != NULL)
		strcpy(ask.want.name, q->name);
	n = dt_elf_debug_paths(e, debug);
	for (int i = 0; i < n; i++)
		ask.debug[i] = debug[i];
	(void)shared_paths(q, ask.shared, by_id);
	err = e->fd >= 0 ? dt_reader_ask(r, &ask, NULL, bytes, &len) : -EBADF;
	for (int i = 0; i < n; i++)
		free(debug[i]);
	if (err != 0)
		return err;
	err = take(q, *bytes, len, out);
	if (err != 0)
		free(*bytes);
	return err;
}
