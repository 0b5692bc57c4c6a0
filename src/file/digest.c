/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Both ends of a digest, piece by piece: each is written by one function and checked by the next. The
 * writers run in the worker, over a file that an enemy may have made; the checkers run in the tracer, over
 * bytes that may come from a worker which such a file has taken over. So a checker believes nothing that a
 * writer promises, and takes each count and offset only after comparing it with the length it was given.
 */
#include "file/digest.h"
#include "file/lines.h"
#include "base/printable.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- the head ---- */

static int put_head(struct dt_digest *d, struct dt_elf *e)
{
	struct dt_elf_head h;
	int err;

	dt_elf_head(e, &h);
	err = dt_digest_put(d, &h, sizeof(h));
	return err != 0 ? err : dt_digest_put(d, e->ph, e->nph * sizeof(*e->ph));
}

/*
 * The segments are used as they are: what they say of addresses can only make the names of this file wrong.
 * A link with a slash would lead out of the directories where debug files are looked for. What is allocated
 * here goes with the file, also after an error.
 */
int dt_digest_head(const void *bytes, size_t len, struct dt_elf *e)
{
	struct dt_elf_head *h;

	if (len < sizeof(*h) || (len - sizeof(*h)) % sizeof(*e->ph) != 0 ||
	    (len - sizeof(*h)) / sizeof(*e->ph) > DT_ELF_SEGMENTS_MAX)
		return -EBADMSG;
	h = malloc(sizeof(*h));
	e->ph = malloc(len - sizeof(*h) + 1);
	e->head = h;
	if (h == NULL || e->ph == NULL)
		return -ENOMEM;
	memcpy(h, bytes, sizeof(*h));
	e->nph = (uint32_t)((len - sizeof(*h)) / sizeof(*e->ph));
	memcpy(e->ph, (const char *)bytes + sizeof(*h), len - sizeof(*h));
	e->eh = h->eh;
	h->link[sizeof(h->link) - 1] = '\0';
	return h->idlen > sizeof(h->id) || strchr(h->link, '/') != NULL ? -EBADMSG : 0;
}

/* ---- names ---- */

/* A symbol on its way. The texts of all of them follow the last one; `text` is an offset into those. */
struct name { uint64_t vaddr, size, offset; uint32_t text; uint8_t type, bind, zero[2]; };

/* The order is that of dt_elf_names, so that the other side need not sort, only see that it is so. */
static int put_names(struct dt_digest *d, struct dt_elf *e, enum dt_elf_kind kind)
{
	const struct dt_elf_names *n = &e->names[kind];
	uint64_t count;
	uint32_t text = 0;
	int err = dt_elf_load_kind(e, kind);

	count = n->nfunc;
	if (err == 0)
		err = dt_digest_put(d, &count, sizeof(count));
	for (size_t i = 0; i < n->nfunc && err == 0; i++) {
		const struct dt_elf_function *f = &n->func[i];
		struct name r = { f->vaddr, f->size, f->offset, text, f->type, f->bind, { 0 } };

		text += (uint32_t)strlen(f->name) + 1;
		err = text < DT_DIGEST_MAX ? dt_digest_put(d, &r, sizeof(r)) : -EFBIG;
	}
	for (size_t i = 0; i < n->nfunc && err == 0; i++)
		err = dt_digest_put(d, n->func[i].name, strlen(n->func[i].name) + 1);
	return err;
}

/* Texts that end, and that a terminal only shows (base/printable.h). */
bool dt_digest_text(const char *text, size_t len)
{
	if (len > 0 && text[len - 1] != '\0')
		return false;
	for (size_t at = 0; at < len; at += strlen(text + at) + 1)
		if (!dt_is_printable(text + at))
			return false;
	return true;
}

/*
 * The name is one of the texts, from its first byte (the rest of a character would be none), and is not
 * empty; the symbol does not wrap around the end of memory; and addresses ascend, on which every search
 * relies.
 */
static bool good_name(const struct name *r, const struct dt_elf_names *to, size_t len)
{
	return r->text < len && to->text[r->text] != '\0' &&
	    (r->text == 0 || to->text[r->text - 1] == '\0') && r->size <= UINT64_MAX - r->vaddr &&
	    (to->nfunc == 0 || to->func[to->nfunc - 1].vaddr <= r->vaddr);
}

/*
 * The count is divided, not multiplied, before it is believed: one that is too large would overflow. What
 * is left of the length are the texts.
 */
int dt_digest_names(const void *bytes, size_t len, struct dt_elf_names *to)
{
	const uint8_t *at = (const uint8_t *)bytes + sizeof(uint64_t);
	uint64_t count;

	if (len < sizeof(count))
		return -EBADMSG;
	memcpy(&count, bytes, sizeof(count));
	len -= sizeof(count);
	if (count > len / sizeof(struct name))
		return -EBADMSG;
	len -= count * sizeof(struct name);
	to->block = (count + 1) * sizeof(*to->func) + len + 1;
	to->func = dt_elf_block(to->block);
	if (to->func == NULL) {
		to->block = 0;
		return -ENOMEM;
	}
	to->text = (char *)&to->func[count + 1];
	memcpy(to->text, at + count * sizeof(struct name), len);
	if (!dt_digest_text(to->text, len))
		return -EBADMSG;
	for (uint64_t i = 0; i < count; i++, at += sizeof(struct name)) {
		struct name r;

		memcpy(&r, at, sizeof(r));
		if (!good_name(&r, to, len))
			return -EBADMSG;
		to->func[to->nfunc++] = (struct dt_elf_function){ .name = to->text + r.text, .vaddr = r.vaddr,
			.size = r.size, .offset = r.offset, .type = r.type, .bind = r.bind };
	}
	return 0;
}

static int put_symbol(struct dt_digest *d, struct dt_elf *e, const char *name)
{
	uint64_t vaddr;
	int err = dt_elf_symbol(e, name, &vaddr);

	return err != 0 ? err : dt_digest_put(d, &vaddr, sizeof(vaddr));
}

/* ---- rows ---- */

/* Before the rules and the rows. */
struct rows { uint64_t base; uint32_t nrules, nrows; };

static int put_rows(struct dt_digest *d, struct dt_elf *e)
{
	struct dt_cfi c = { 0 };
	struct rows head;
	int err;

	dt_elf_rows(e, false, &c);
	head = (struct rows){ c.base, c.nrules, (uint32_t)c.n };
	err = dt_digest_put(d, &head, sizeof(head));
	if (err == 0)
		err = dt_digest_put(d, c.rule, c.nrules * sizeof(*c.rule));
	if (err == 0)
		err = dt_digest_put(d, c.row, c.n * sizeof(*c.row));
	dt_cfi_free(&c);
	return err;
}

/*
 * The rules go to a program in the kernel, which takes their kinds as they are: one that is out of range is
 * refused here. Addresses ascend strictly, since blocks of rows are made of them, and do not wrap.
 */
static bool good_rows(const struct dt_cfi *c)
{
	for (uint32_t i = 0; i < c->nrules; i++) {
		const struct dt_unwind_rule *r = &c->rule[i];

		if (r->cfa > DT_CFA_END || r->ra > DT_REG_LOST || r->fp > DT_REG_LOST || r->lang != 0)
			return false;
	}
	for (size_t i = 0; i < c->n; i++)
		if (c->row[i].rule >= c->nrules || (i > 0 && c->row[i].pc <= c->row[i - 1].pc))
			return false;
	return c->n == 0 || c->row[c->n - 1].pc <= UINT64_MAX - c->base;
}

int dt_digest_rows(void *bytes, size_t len, struct dt_cfi *c)
{
	char *at = (char *)bytes + sizeof(struct rows);
	size_t rules, rows;
	struct rows head;

	if (len < sizeof(head))
		return -EBADMSG;
	memcpy(&head, bytes, sizeof(head));
	rules = head.nrules * sizeof(*c->rule);		/* of 32 bits each: no product overflows */
	rows = head.nrows * sizeof(*c->row);
	if (len != sizeof(head) + rules + rows || head.nrules > DT_UNWIND_RULES)
		return -EBADMSG;
	c->borrowed = true;
	c->rule = (struct dt_unwind_rule *)(void *)at;
	c->row = (struct dt_unwind_row *)(void *)(at + rules);
	c->base = head.base;
	c->nrules = head.nrules;
	c->n = head.nrows;
	if (good_rows(c))
		return 0;
	c->n = 0;
	return -EBADMSG;
}

/* ---- bytes ---- */

static int put_section(struct dt_digest *d, struct dt_elf *e, const char *name)
{
	const void *data = NULL;
	uint64_t addr;
	size_t len;
	int err = dt_elf_section(e, name, &data, &len, &addr);

	if (err == 0)
		err = dt_digest_put(d, &addr, sizeof(addr));
	return err == 0 && data != NULL ? dt_digest_put(d, data, len) : err;
}

/*
 * Fewer than `most` at the end of the file, none after it: the caller knows how many are needed.
 */
static int put_bytes(struct dt_digest *d, const struct dt_elf *e, uint64_t at, uint64_t most)
{
	uint64_t len = at > e->size ? 0 : most < e->size - at ? most : e->size - at;

	if (len > DT_DIGEST_MAX)
		return -EFBIG;
	d->bytes = malloc(len + 1);
	d->len = d->cap = len;
	return d->bytes != NULL ? dt_elf_read_at(e, at, d->bytes, len) : -ENOMEM;
}

/*
 * Memory of a process has no size and is no ELF file, so nothing but the reading itself can be checked. All
 * of it or nothing.
 */
static int put_memory(struct dt_digest *d, int fd, uint64_t at, uint64_t len)
{
	uint8_t bytes[DT_DIGEST_MEMORY_MAX];
	ssize_t n = len <= sizeof(bytes) ? pread(fd, bytes, len, (off_t)at) : -1;

	close(fd);
	return n >= 0 && (uint64_t)n == len ? dt_digest_put(d, bytes, len) : -EIO;
}

/* Fewer at the end of the file, which may grow or shrink meanwhile. */
static int put_plain(struct dt_digest *d, int fd, uint64_t at, uint64_t most)
{
	ssize_t n = 1;

	d->cap = most < DT_DIGEST_MAX ? most : DT_DIGEST_MAX;
	d->bytes = malloc(d->cap + 1);
	while (d->bytes != NULL && n > 0 && d->len < d->cap) {
		n = pread(fd, d->bytes + d->len, d->cap - d->len, (off_t)(at + d->len));
		d->len += n > 0 ? (size_t)n : 0;
	}
	close(fd);
	return d->bytes == NULL ? -ENOMEM : n < 0 ? -EIO : 0;
}

/*
 * Every descriptor is closed when this returns, whatever happened (a word has no debug files): the worker
 * must not run out of them, and closing one may wait for a server (FUSE), which is to happen here and not
 * in the tracer.
 */
int dt_digest_make(struct dt_digest *d, const struct dt_digest_want *w, int fd, const int *debug, int ndebug)
{
	struct dt_elf *e;
	int err;

	if (w->what == DT_DIGEST_MEMORY)
		return put_memory(d, fd, w->at, w->most);
	if (w->what == DT_DIGEST_MADE) {
		err = w->narg <= sizeof(w->arg) ? w->make(d, fd, w->arg, w->narg) : -EINVAL;
		close(fd);
		return err;
	}
	if (w->what == DT_DIGEST_PLAIN)
		return put_plain(d, fd, w->at, w->most);
	err = dt_elf_open(fd, NULL, &e);
	for (int i = 0; err != 0 && i < ndebug; i++)
		close(debug[i]);
	if (err != 0)
		return err;
	dt_elf_given(e, debug, ndebug);
	switch (w->what) {
	case DT_DIGEST_HEAD: err = put_head(d, e); break;
	case DT_DIGEST_CODE: err = put_names(d, e, DT_ELF_CODE); break;
	case DT_DIGEST_DATA: err = put_names(d, e, DT_ELF_DATA); break;
	case DT_DIGEST_ROWS: err = put_rows(d, e); break;
	case DT_DIGEST_SYMBOL: err = put_symbol(d, e, w->name); break;
	case DT_DIGEST_SECTION: err = put_section(d, e, w->name); break;
	case DT_DIGEST_BYTES: err = put_bytes(d, e, w->at, w->most); break;
	case DT_DIGEST_LINES: err = dt_lines_make(d, e, w->most); break;
	default: err = -EINVAL; break;
	}
	dt_elf_close(e);
	return err;
}

/*
 * The file is opened and its headers are read once for both. The descriptor is closed after the first
 * answer: closing may wait too, and that must not cost the head.
 */
bool dt_digest_both(int fd, dt_digest_f *each, void *ctx)
{
	struct dt_digest head = { 0 }, rows = { 0 };
	struct dt_elf *e = NULL;
	int err = dt_elf_open(fd, NULL, &e);
	bool more;

	if (err == 0)
		err = put_head(&head, e);
	more = each(ctx, err, &head);
	free(head.bytes);
	if (err != 0 || !more) {
		dt_elf_close(e);
		return more;
	}
	err = dt_elf_frames(e) < DT_ELF_FRAMES_LARGE ? put_rows(&rows, e) : -EAGAIN;
	dt_elf_close(e);
	more = each(ctx, err, &rows);
	free(rows.bytes);
	return more;
}
