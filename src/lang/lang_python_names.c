/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Code objects of Python become names and tables of lines. An object may be freed at any time, and something
 * else be in its place: so each is looked at before and after it is read. It is still there if its type is,
 * if the count of its references can be one (free memory has a pointer or 0 there), and if the words that the
 * walk has seen are the same.
 */
#include "lang/lang_python.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { CODE_BYTES = 256, HEAD = 56 };

/* The count has 32 bits; from 3.14 on, flags are above bit 47. */
static bool is_alive(uint64_t refs, uint64_t type, uint64_t want)
{
	return type == want && (refs & UINT32_MAX) != 0 && (refs >> 32 & 0xffff) == 0;
}

/* ---- the code object ---- */

static uint64_t word_at(const uint8_t *bytes, uint64_t off)
{
	uint64_t word = 0;

	if (off <= CODE_BYTES - sizeof(word))
		memcpy(&word, bytes + off, sizeof(word));
	return word;
}

/* As runtime/lang_python.h makes it. */
static uint64_t key_of(const uint8_t *code, const struct dt_unwind_lang *l)
{
	uint64_t at = l->word[DT_PY_KEYS];
	uint64_t a = word_at(code, at), b = word_at(code, at + 8), c = word_at(code, at + 16);

	return a ^ (b << 21 | b >> 43) ^ (c << 42 | c >> 22) ^
	    (word_at(code, l->word[DT_PY_FIRST]) & UINT32_MAX) << 32;
}

static bool read_code(const struct dt_lang_process *p, const struct dt_unwind_lang *l,
    const struct dt_unwind_func *f, uint8_t *code)
{
	return dt_lang_read(p, f->code, code, CODE_BYTES) &&
	    is_alive(word_at(code, 0), word_at(code, 8), l->word[DT_PY_CODE_TYPE]) &&
	    key_of(code, l) == f->key;
}

/* ---- strings ---- */

/*
 * The text of a str. Its characters follow its head, which is longer if they are not all ASCII. The bits of
 * the state begin after two others, or (from some version of 3.14 on) after 16.
 */
static bool read_str(const struct dt_lang_process *p, const struct dt_unwind_lang *l, uint64_t at, char *to,
    size_t room)
{
	uint64_t head[HEAD / 8], n, data = l->word[DT_PY_TEXT];
	uint8_t text[4 * DT_LANG_PATH];
	uint32_t state;
	unsigned kind;

	if (at == 0 || !dt_lang_read(p, at, head, 40) || !is_alive(head[0], head[1], l->word[DT_PY_STR_TYPE]))
		return false;
	state = (uint32_t)head[4];
	state >>= (state >> 2 & 7) != 0 ? 2 : 16;
	kind = state & 7;
	n = head[2];
	if ((kind != 1 && kind != 2 && kind != 4) || !(state & 8))
		return false;
	if (!(state & 16))
		data = l->word[DT_PY_TEXT] == 48 ? 72 : 56;
	if (n > room) {			/* its end */
		data += (n - room) * kind;
		n = room;
	}
	if (n * kind > sizeof(text) || !dt_lang_read(p, at + data, text, n * kind))
		return false;
	dt_lang_text(text, n, kind, to, room);
	return true;
}

/* The bytes of a bytes object, which may be none; a table that is longer than others are costs the lines. */
static bool read_lines(const struct dt_lang_process *p, const struct dt_unwind_lang *l, uint64_t at,
    struct dt_lang_function *to)
{
	uint64_t head[3];

	if (at == 0 || !dt_lang_read(p, at, head, sizeof(head)) ||
	    !is_alive(head[0], head[1], l->word[DT_PY_BYTES_TYPE]) || head[2] > DT_LANG_LINES)
		return false;
	to->lines = malloc(head[2] + 1);
	to->nlines = head[2];
	return to->lines != NULL && dt_lang_read(p, at + 32, to->lines, head[2]);
}

int dt_python_function(const struct dt_lang_process *p, const struct dt_unwind_lang *l,
    const struct dt_unwind_func *f, struct dt_lang_function *to)
{
	uint8_t code[CODE_BYTES], again[CODE_BYTES];
	uint64_t name = l->word[DT_PY_QUALNAME] != 0 ? l->word[DT_PY_QUALNAME] : l->word[DT_PY_NAME];

	if (!read_code(p, l, f, code))
		return -ESTALE;
	to->first = (uint32_t)word_at(code, l->word[DT_PY_FIRST]);
	to->format = (uint32_t)l->word[DT_PY_FORMAT];
	if (!read_str(p, l, word_at(code, name), to->name, sizeof(to->name)))
		return -ESTALE;
	(void)read_str(p, l, word_at(code, l->word[DT_PY_FILE]), to->file, sizeof(to->file));
	if (!read_lines(p, l, word_at(code, l->word[DT_PY_LINES]), to))
		to->first = 0;
	return read_code(p, l, f, again) ? 0 : -ESTALE;
}

/* ---- lines ---- */

/* 3.8: pairs of how many bytes of code, and how many lines, to the next. */
static uint32_t line_of_lnotab(const struct dt_lang_function *f, uint32_t pos)
{
	uint64_t at = 0;
	uint32_t line = f->first;

	for (size_t i = 0; i + 1 < f->nlines; i += 2) {
		at += f->lines[i];
		if (at > 2ull * pos)
			break;
		line += (uint32_t)(int8_t)f->lines[i + 1];
	}
	return line;
}

/* 3.10: the same, but the line holds for the bytes of its own pair; -128: they have none. */
static uint32_t line_of_linetable(const struct dt_lang_function *f, uint32_t pos)
{
	uint64_t end = 0;
	uint32_t line = f->first;

	for (size_t i = 0; i + 1 < f->nlines; i += 2) {
		int8_t by = (int8_t)f->lines[i + 1];

		end += f->lines[i];
		line += by != -128 ? (uint32_t)by : 0;
		if (2ull * pos < end)
			return by != -128 ? line : 0;
	}
	return f->first;
}

/* A number in groups of six bits, the last without bit 6. */
static uint32_t varint(const struct dt_lang_function *f, size_t *i)
{
	uint32_t v = 0;

	for (unsigned shift = 0; *i < f->nlines; shift += 6) {
		uint8_t b = f->lines[(*i)++];

		if (shift < 30)
			v |= (uint32_t)(b & 0x3f) << shift;
		if (!(b & 0x40))
			break;
	}
	return v;
}

static uint32_t svarint(const struct dt_lang_function *f, size_t *i)
{
	uint32_t v = varint(f, i);

	return v & 1 ? 0 - (v >> 1) : v >> 1;
}

/* 3.11: entries with columns. The kind of one, in bits 3 to 6, says what follows. */
static uint32_t line_of_locations(const struct dt_lang_function *f, uint32_t pos)
{
	uint64_t end = 0;
	uint32_t line = f->first;

	for (size_t i = 0; i < f->nlines; ) {
		uint8_t head = f->lines[i++], kind = head >> 3 & 15;
		bool none = kind == 15;

		end += (head & 7u) + 1;
		if (kind >= 10 && kind <= 12)
			line += kind - 10u;
		else if (kind == 13 || kind == 14)
			line += svarint(f, &i);
		if (2 * end > 2ull * pos)
			return none ? 0 : line;
		while (i < f->nlines && !(f->lines[i] & 0x80))
			i++;
	}
	return f->first;
}

/* A frame that has not begun is before its first instruction. */
uint32_t dt_python_line(const struct dt_lang_function *f, uint32_t pos)
{
	if (f->first == 0)
		return 0;
	switch (f->format) {
	case DT_PY_LNOTAB: return line_of_lnotab(f, pos);
	case DT_PY_LINETABLE: return line_of_linetable(f, pos);
	default: return line_of_locations(f, pos);
	}
}
