/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The tracer's side of lines.h. The bytes come from a process that has read an untrusted file: counts are
 * compared with the length, addresses ascend, texts lie inside and can be printed, and a call names only
 * calls before itself, so that no chain of them is a loop.
 */
#include "file/lines.h"
#include "file/digest.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Rows and spans both begin with an address: the last one at or below `at`; -1: none. */
static long find(const void *list, uint32_t n, uint64_t at)
{
	const struct dt_line_row *row = list;
	uint32_t low = 0, high = n;

	while (low < high) {
		uint32_t mid = low + (high - low) / 2;

		if (row[mid].at <= at)
			low = mid + 1;
		else
			high = mid;
	}
	return (long)low - 1;
}

static bool ascends(const void *list, uint32_t n)
{
	const struct dt_line_row *row = list;

	for (uint32_t i = 1; i < n; i++)
		if (row[i].at <= row[i - 1].at)
			return false;
	return true;
}

/* From its first byte: the rest of a character would be none. */
static bool is_text(const struct dt_lines *l, size_t ntext, uint32_t at)
{
	return at < ntext && (at == 0 || l->text[at - 1] == '\0');
}

static bool are_good(const struct dt_lines *l, size_t ntext)
{
	bool good = ntext > 0 && l->text[0] == '\0' && dt_digest_text(l->text, ntext) &&
	    ascends(l->row, l->head.nrows) && ascends(l->span, l->head.nspans);

	for (uint32_t i = 0; i < l->head.nrows && good; i++)
		good = is_text(l, ntext, l->row[i].file);
	for (uint32_t i = 0; i < l->head.nspans && good; i++)
		good = l->span[i].call <= l->head.ncalls;
	for (uint32_t i = 0; i < l->head.ncalls && good; i++)
		good = l->call[i].parent <= i && is_text(l, ntext, l->call[i].name) &&
		    is_text(l, ntext, l->call[i].file);
	return good;
}

int dt_lines_check(void *bytes, size_t len, struct dt_lines *l)
{
	uint64_t total = sizeof(l->head);

	if (len < sizeof(l->head) || len > DT_DIGEST_MAX)
		return -EBADMSG;
	memcpy(&l->head, bytes, sizeof(l->head));
	l->row = (const void *)((const char *)bytes + total);
	total += (uint64_t)l->head.nrows * sizeof(*l->row);	/* of 32 bits each: no sum overflows */
	l->span = (const void *)((const char *)bytes + total);
	total += (uint64_t)l->head.nspans * sizeof(*l->span);
	l->call = (const void *)((const char *)bytes + total);
	total += (uint64_t)l->head.ncalls * sizeof(*l->call);
	l->text = (const char *)bytes + total;
	if (total > len || !are_good(l, len - total)) {
		*l = (struct dt_lines){ 0 };
		return -EBADMSG;
	}
	l->bytes = bytes;
	l->len = len;
	return 0;
}

/* A file that we read ourselves is not checked less: what is made of it has to be right, too. */
int dt_elf_lines(struct dt_elf *e, uint64_t most, const struct dt_lines **out)
{
	struct dt_digest d = { 0 };
	void *bytes = NULL;
	size_t len = 0;
	int err;

	if (!e->has_lines) {
		if (e->reader != NULL) {
			err = dt_elf_remote_lines(e, most, &bytes, &len);
		} else {
			err = dt_lines_make(&d, e, most);
			bytes = d.bytes;
			len = d.len;
		}
		if (err == 0)
			err = dt_lines_check(bytes, len, &e->lines);
		if (err != 0)
			free(bytes);
		e->lines_err = err;
		e->has_lines = err != -EINTR;
	}
	*out = &e->lines;
	return e->lines_err;
}

/* Where a frame is: the row of its code, or where the call that it has inlined stands. */
static void put_place(const struct dt_lines *l, uint32_t file, uint32_t line, struct dt_line *out)
{
	if (file != 0 && line != 0)
		*out = (struct dt_line){ NULL, l->text + file, line };
}

bool dt_lines_at(const struct dt_lines *l, uint64_t vaddr, unsigned i, struct dt_line *out)
{
	long row = find(l->row, l->head.nrows, vaddr), span = find(l->span, l->head.nspans, vaddr);
	uint32_t call = span >= 0 ? l->span[span].call : 0;

	*out = (struct dt_line){ 0 };
	if (row >= 0)
		put_place(l, l->row[row].file, l->row[row].line, out);
	for (; i > 0; i--) {
		if (call == 0)
			return false;
		*out = (struct dt_line){ 0 };
		put_place(l, l->call[call - 1].file, l->call[call - 1].line, out);
		call = l->call[call - 1].parent;
	}
	if (call != 0)
		out->function = l->text + l->call[call - 1].name;
	return true;
}
