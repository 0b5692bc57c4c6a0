/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The notes of static probe sites: walked once, and each length is checked against what is left.
 * Nothing is copied: the strings of a note point into the section, which must outlive them.
 */
#include "usdt/sdtnote.h"

#include <errno.h>
#include <string.h>

enum { NOTE_TYPE = 3, HEADER = 12 };	/* of a note: lengths of name and description, type */

static size_t padded(size_t n)
{
	return (n + 3) & ~(size_t)3;
}

/* Notes are only aligned to four bytes, so addresses are copied out. */
static uint64_t address(const unsigned char *p, bool is64)
{
	uint64_t wide;
	uint32_t narrow;

	if (is64) {
		memcpy(&wide, p, sizeof(wide));
		return wide;
	}
	memcpy(&narrow, p, sizeof(narrow));
	return narrow;
}

/* The string at *p, which moves past it; NULL if it does not end before `end`. */
static const char *take_string(const unsigned char **p, const unsigned char *end)
{
	const unsigned char *from = *p, *nul = from < end ? memchr(from, '\0', (size_t)(end - from)) : NULL;

	if (nul == NULL)
		return NULL;
	*p = nul + 1;
	return (const char *)from;
}

/*
 * False: the note is damaged. The linker may have moved the program since the note was written
 * (prelink): `base` is where the base is now, n->base where it was.
 */
static bool read_note(const unsigned char *desc, size_t len, bool is64, uint64_t base, struct dt_sdt_note *n)
{
	const unsigned char *p = desc, *end = desc + len;
	size_t word = is64 ? 8 : 4;

	if (len < 3 * word)
		return false;
	n->pc = address(p, is64);
	n->base = address(p + word, is64);
	n->semaphore = address(p + 2 * word, is64);
	p += 3 * word;
	n->provider = take_string(&p, end);
	n->name = n->provider != NULL ? take_string(&p, end) : NULL;
	n->args = n->name != NULL ? take_string(&p, end) : NULL;
	if (n->name == NULL || *n->provider == '\0' || *n->name == '\0')
		return false;
	if (n->args == NULL)		/* the oldest notes had none */
		n->args = "";
	if (base != 0 && n->base != 0 && n->pc != 0) {
		n->pc += base - n->base;
		if (n->semaphore != 0)
			n->semaphore += base - n->base;
	}
	return true;
}

/*
 * Stops at the first note that is damaged, as its length may be wrong too, and at the first value of f
 * that is not 0. Notes of other kinds are passed over.
 */
static int walk_notes(const void *section, size_t len, bool is64, uint64_t base, bool linked,
    dt_sdt_note_f *f, void *ctx)
{
	const unsigned char *p = section;
	int rv = 0;

	while (len >= HEADER && rv == 0) {
		struct dt_sdt_note n;
		uint32_t h[3];
		size_t namelen, desclen;

		memcpy(h, p, sizeof(h));
		namelen = padded(h[0]);
		desclen = padded(h[1]);
		/* the last note may lack padding */
		if (namelen > len - HEADER || h[1] > len - HEADER - namelen)
			return -EINVAL;
		if (h[2] == NOTE_TYPE && h[0] == sizeof("stapsdt") &&
		    memcmp(p + HEADER, "stapsdt", h[0]) == 0) {
			if (!read_note(p + HEADER + namelen, h[1], is64, base, &n))
				return -EINVAL;
			if (n.pc != 0 || !linked)
				rv = f(ctx, &n);
		}
		if (desclen > len - HEADER - namelen)
			desclen = len - HEADER - namelen;
		p += HEADER + namelen + desclen;
		len -= HEADER + namelen + desclen;
	}
	return rv;
}

int dt_sdt_notes(const void *section, size_t len, bool is64, uint64_t base, dt_sdt_note_f *f, void *ctx)
{
	return walk_notes(section, len, is64, base, true, f, ctx);
}

int dt_sdt_notes_unlinked(const void *section, size_t len, dt_sdt_note_f *f, void *ctx)
{
	return walk_notes(section, len, true, 0, false, f, ctx);
}
