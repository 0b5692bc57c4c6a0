/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Instruction sequences of Ruby become names and tables of lines, and the IDs of methods in C their names.
 * The garbage collector may free or move a sequence at any time: what is read must be one, with the key that
 * the walk has seen, before and after. IDs are never reused.
 */
#include "lang/lang_ruby.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { T_HASH = 8, T_IMEMO = 0x1a, IMEMO_ISEQ = 7, HEAD = 40 };
enum { EMBEDDED = 1 << 13 };		/* of an array: its elements are in it */
enum { BODY_SIZE = 96, UNIT = 512, LAST_OPERATOR = 255, ID_SCOPE_SHIFT = 4, PLUS = '+' };
enum { PAGE = 4096, PAGES_BELOW = 64, PAGES_ABOVE = 8 };

static bool read_head(const struct dt_lang_process *p, uint64_t at, uint64_t head[HEAD / 8], unsigned type)
{
	return at != 0 && (at & 7) == 0 && dt_lang_read(p, at, head, HEAD) && (head[0] & DT_RB_TYPE) == type;
}

/*
 * The end of a string, if it has no room. What the walk has seen of it (runtime/lang_ruby.h) is added to *h.
 */
static bool read_text(const struct dt_lang_process *p, const struct dt_unwind_lang *l, uint64_t at, char *to,
    size_t room, uint64_t *h)
{
	uint64_t head[HEAD / 8], n, from, word;

	if (!read_head(p, at, head, DT_RB_STRING))
		return false;
	n = head[2];
	from = head[3];
	if (!(head[0] & DT_RB_ELSEWHERE)) {
		from = at + l->word[DT_RB_TEXT];
		if (l->word[DT_RB_TEXT] == DT_RB_TEXT_OLD)
			n = head[0] >> DT_RB_LENGTH_SHIFT & DT_RB_LENGTH_MASK;
	}
	*h = DT_RB_MIX(*h, n);
	if (n >= room) {
		from += n - (room - 1);
		n = room - 1;
	}
	to[n] = '\0';
	if (!dt_lang_read(p, from, to, n))
		return false;
	for (size_t i = n > DT_RB_TEXT_MAX ? n - DT_RB_TEXT_MAX : 0; i < n; i += sizeof(word)) {
		word = 0;
		memcpy(&word, to + i, n - i < sizeof(word) ? n - i : sizeof(word));
		*h = DT_RB_MIX(*h, word);
	}
	return true;
}

static bool read_element(const struct dt_lang_process *p, uint64_t array, uint64_t i, uint64_t *to)
{
	uint64_t head[HEAD / 8];

	if (!read_head(p, array, head, DT_RB_ARRAY))
		return false;
	if (head[0] & EMBEDDED)
		return i < (head[0] >> 15 & 0x7f) && dt_lang_word(p, array + 16 + 8 * i, to);
	return i < head[2] && dt_lang_word(p, head[4] + 8 * i, to);
}

/* ---- IDs ---- */

/* Operators have small numbers; others have their scope in the low bits. */
static bool read_id(const struct dt_lang_process *p, const struct dt_unwind_lang *l, uint64_t table,
    uint64_t id, char *to, size_t room, uint64_t *h)
{
	uint64_t serial = id > LAST_OPERATOR ? id >> ID_SCOPE_SHIFT : id, ids, unit, text;

	return dt_lang_word(p, table, &ids) && read_element(p, ids, serial / UNIT, &unit) &&
	    read_element(p, unit, serial % UNIT * 2, &text) && read_text(p, l, text, to, room, h);
}

/* The last ID, a table, an array, a hash: and that array has the name of `+`. */
static bool is_symbols(const struct dt_lang_process *p, const struct dt_unwind_lang *l, const uint64_t *w,
    uint64_t at)
{
	uint64_t head[HEAD / 8], h = 0;
	char text[8];

	return w[0] != 0 && w[0] >> 32 == 0 && w[1] != 0 && w[2] != 0 && w[3] != 0 &&
	    ((w[1] | w[2] | w[3]) & 7) == 0 && read_head(p, w[3], head, T_HASH) &&
	    read_id(p, l, at + 16, PLUS, text, sizeof(text), &h) && strcmp(text, "+") == 0;
}

uint64_t dt_ruby_symbols(const struct dt_lang_process *p, const struct dt_unwind_lang *l, uint64_t near)
{
	uint64_t word[(PAGE + 24) / 8], from = (near & ~(PAGE - 1ull)) - PAGES_BELOW * PAGE;

	for (unsigned i = 0; near != 0 && i < PAGES_BELOW + PAGES_ABOVE; i++, from += PAGE) {
		memset(word, 0, sizeof(word));
		if (!dt_lang_read(p, from, word, sizeof(word)) && !dt_lang_read(p, from, word, PAGE))
			continue;
		for (size_t k = 0; k < PAGE / 8; k++)
			if (is_symbols(p, l, &word[k], from + 8 * k))
				return from + 8 * k + 16;
	}
	return 0;
}

/* ---- lines ---- */

enum { CODE_MAX = 1 << 16 };
/* positions of code below the first are in immediate ranks, 9 to a word; later ones in blocks of 512 bits */
enum { RANKED = 54, RANKS = 9, RANK_BITS = 7, BLOCK_BITS = 512, BLOCK_WORDS = 10 };

struct table { const uint64_t *index; const uint8_t *entry; uint32_t n, size; };
struct line { uint32_t pos, line; };	/* from this position on */

static size_t index_words(uint32_t size)
{
	return size < RANKED ? (size + RANKS - 1) / RANKS :
	    RANKED / RANKS + (size - RANKED + BLOCK_BITS - 1) / BLOCK_BITS * BLOCK_WORDS;
}

/* How many entries begin at or before the position; `rank` is that of the position before it. */
static uint32_t rank_at(const struct table *t, uint32_t pos, uint32_t rank)
{
	const uint64_t *block = t->index + RANKED / RANKS;

	if (pos < RANKED)
		return t->index[pos / RANKS] >> pos % RANKS * RANK_BITS & 0x7f;
	pos -= RANKED;
	block += pos / BLOCK_BITS * BLOCK_WORDS;
	if (pos % BLOCK_BITS == 0)
		rank = (uint32_t)block[0];
	return rank + (uint32_t)(block[2 + pos % BLOCK_BITS / 64] >> pos % 64 & 1);
}

static uint32_t line_no(const struct table *t, const struct dt_unwind_lang *l, uint32_t rank)
{
	uint32_t line;

	memcpy(&line, t->entry + (size_t)rank * l->word[DT_RB_LINE_SIZE], sizeof(line));
	return line;
}

static void put_lines(const struct table *t, const struct dt_unwind_lang *l, struct dt_lang_function *to)
{
	struct line *line = malloc(DT_LANG_LINES);
	uint32_t n = 0, rank = 0, now;

	to->lines = (uint8_t *)line;
	for (uint32_t pos = 0; line != NULL && pos < t->size; pos++) {
		rank = rank_at(t, pos, rank);
		if (rank == 0 || rank > t->n)
			continue;
		now = line_no(t, l, rank - 1);
		if (n > 0 && now == line[n - 1].line)
			continue;
		if (n == DT_LANG_LINES / sizeof(*line))
			return;
		line[n++] = (struct line){ pos, now };
	}
	to->nlines = n * sizeof(*line);
}

/* Code that is larger than tables here can say costs its lines. */
static void read_lines(const struct dt_lang_process *p, const struct dt_unwind_lang *l, const uint64_t *body,
    uint64_t at, struct dt_lang_function *to)
{
	struct table t = { .size = (uint32_t)(body[0] >> 32) };
	size_t bytes, words = index_words(t.size);
	void *entry = NULL, *index = NULL;
	uint64_t info[4];

	if (t.size == 0 || t.size > CODE_MAX ||
	    !dt_lang_read(p, at + l->word[DT_RB_LINES], info, sizeof(info)))
		return;
	t.n = (uint32_t)info[2];
	bytes = (size_t)t.n * l->word[DT_RB_LINE_SIZE];
	if (t.n > 0 && t.n <= CODE_MAX && (t.entry = entry = malloc(bytes)) != NULL &&
	    (t.index = index = malloc(8 * words)) != NULL && dt_lang_read(p, info[0], entry, bytes) &&
	    dt_lang_read(p, info[3], index, 8 * words))
		put_lines(&t, l, to);
	free(entry);
	free(index);
}

uint32_t dt_ruby_line(const struct dt_lang_function *f, uint32_t pos)
{
	struct line line = { 0, 0 };
	uint32_t found = 0;

	for (size_t i = 0; i + sizeof(line) <= f->nlines; i += sizeof(line)) {
		memcpy(&line, f->lines + i, sizeof(line));
		if (line.pos > pos)
			break;
		found = line.line;
	}
	return found;
}

/* ---- functions ---- */

/* The file as it was asked for: of an array of two the first. */
static bool read_path(const struct dt_lang_process *p, const struct dt_unwind_lang *l, uint64_t at, char *to,
    size_t room, uint64_t *h)
{
	uint64_t path;

	return read_text(p, l, read_element(p, at, 0, &path) ? path : at, to, room, h);
}

/* The sequence that the walk has seen: it is one, and its strings are still the same. */
static bool read_sequence(const struct dt_lang_process *p, const struct dt_unwind_lang *l,
    const struct dt_unwind_func *f, bool lines, struct dt_lang_function *to)
{
	uint64_t body[BODY_SIZE / 8], flags, at, h = 0;

	if (!dt_lang_word(p, f->code, &flags) || (flags & DT_RB_TYPE) != T_IMEMO ||
	    (flags >> 12 & 0xf) != IMEMO_ISEQ || !dt_lang_word(p, f->code + DT_RB_BODY, &at) ||
	    !dt_lang_read(p, at, body, sizeof(body)) ||
	    !read_path(p, l, body[DT_RB_PATH], to->file, sizeof(to->file), &h) ||
	    !read_text(p, l, body[DT_RB_LABEL], to->name, sizeof(to->name), &h))
		return false;
	if (lines)
		read_lines(p, l, body, at, to);
	return DT_RB_KEY(h, at, body[DT_RB_FIRST]) == f->key;
}

int dt_ruby_function(const struct dt_lang_process *p, const struct dt_unwind_lang *l,
    const struct dt_unwind_func *f, struct dt_lang_function *to)
{
	uint64_t h = 0;

	if (f->key == DT_RB_METHOD_IN_C)
		return p->own[DT_RB_OWN_SYMBOLS] != 0 && read_id(p, l, p->own[DT_RB_OWN_SYMBOLS],
		    f->code >> 1, to->name, sizeof(to->name), &h) ? 0 : -ENOENT;
	/* again: the table of lines was read after the rest, and has no key of its own */
	return read_sequence(p, l, f, true, to) && read_sequence(p, l, f, false, to) ? 0 : -ESTALE;
}
