/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * An error comes in; the two texts that people read go out: the historic first line, and the source
 * line with a caret under the place. Source text is hostile: control bytes are never passed on, and a
 * line of any length is cut to a window around the caret.
 */
#include "base/diag.h"
#include "base/count.h"

/* Of pointers, each would take 32 bytes: 8, and a relocation of 24. */
static const char tags[DT_NTAGS][24] = {
#define X(tag, text) [tag] = #tag,
#include "base/tags.def"
#undef X
};

const char *dt_tag_name(enum dt_tag tag)
{
	return (unsigned)tag < DT_NTAGS ? tags[tag] : "D_UNKNOWN";
}

void dt_fail_again(struct dt_diag *d)
{
	longjmp(d->attempt ? *d->attempt : d->env, 1);
}

_Noreturn static void store_and_jump(struct dt_diag *d, enum dt_tag tag, struct dt_loc loc, const char *hint,
    const char *fmt, va_list ap)
{
	d->tag = tag;
	d->loc = loc;
	d->msg = dt_arena_vprintf(d->arena, fmt, ap);
	d->hint = hint ? dt_arena_strdup(d->arena, hint) : NULL;
	dt_fail_again(d);
}

void dt_fail(struct dt_diag *d, enum dt_tag tag, struct dt_loc loc, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	store_and_jump(d, tag, loc, NULL, fmt, ap);
}

void dt_fail_hint(struct dt_diag *d, enum dt_tag tag, struct dt_loc loc, const char *hint,
    const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	store_and_jump(d, tag, loc, hint, fmt, ap);
}

/*
 * Errors found while the text is read or descriptions are matched, before there is an action list or a
 * predicate: on the command line these never had a prefix.
 */
static bool without_region(enum dt_tag tag)
{
	static const enum dt_tag early[] = {
		D_SYNTAX, D_EMPTY, D_PDESC_ZERO, D_PDESC_INVAL, D_PRAGERR, D_PRAGCTL_INVAL,
		D_PRAGMA_INVAL, D_PRAGMA_UNUSED, D_PRAGMA_MALFORM, D_PRAGMA_OPTSET, D_PRAGMA_SCOPE,
		D_PRAGMA_DEPEND, D_MACRO_UNDEF, D_MACRO_OFLOW, D_MACRO_UNUSED, D_INT_OFLOW,
		D_INT_DIGIT, D_STR_NL, D_CHR_NL, D_CHR_NULL, D_CHR_OFLOW,
	};

	if (tag >= D_PROC_OFF && tag <= D_PROC_USDT)
		return true;
	for (size_t i = 0; i < DT_COUNT(early); i++) {
		if (early[i] == tag)
			return true;
	}
	return false;
}

/* Where the error is, in the historic words for each kind of source. */
static const char *place_prefix(const struct dt_diag *d, struct dt_arena *arena)
{
	struct dt_place p;

	if (!d->loc.src)
		return "";
	p = dt_loc_place(d->loc);
	if (p.marked || d->loc.src->kind == DT_SRC_LIBRARY || d->loc.src->kind == DT_SRC_BUILTIN)
		return dt_arena_printf(arena, "\"%s\", line %u: ", p.file, p.line);
	if (d->loc.src->kind == DT_SRC_FILE)
		return dt_arena_printf(arena, "line %u: ", p.line);
	if (without_region(d->tag))
		return "";
	return d->in_predicate ? "in predicate: " : "in action list: ";
}

char *dt_diag_line(const struct dt_diag *d, struct dt_arena *arena, bool errtags)
{
	if (!d->msg)
		return dt_arena_strdup(arena, "out of memory");
	return dt_arena_printf(arena, "%s%s%s%s%s", errtags ? "[" : "",
	    errtags ? dt_tag_name(d->tag) : "", errtags ? "] " : "", place_prefix(d, arena), d->msg);
}

enum { TAB = 8, WINDOW = 100, LEAD = 40 };	/* columns: of a tab, of the excerpt, before the caret */

/* One line of text, cell by cell: a cell is a column, however many bytes it takes. */
struct cells {
	const char *p, *end;
	uint32_t col;
};

/* The next character and the columns it takes; continuation bytes of UTF-8 take none. */
static unsigned char next_char(struct cells *c, uint32_t *width)
{
	unsigned char ch = (unsigned char)*c->p++;

	*width = ch == '\t' ? TAB - c->col % TAB : (ch & 0xc0) != 0x80;
	c->col += *width;
	return ch;
}

static uint32_t column_of(const char *text, uint32_t bytes)
{
	struct cells c = { text, text + bytes, 0 };
	uint32_t width;

	while (c.p < c.end)
		next_char(&c, &width);
	return c.col;
}

/* Appends the cells [from, to) of the line, tabs as blanks, other control bytes as `?`. */
static char *put_window(char *out, const char *text, uint32_t len, uint32_t from, uint32_t to)
{
	struct cells c = { text, text + len, 0 };

	while (c.p < c.end && c.col <= to) {
		uint32_t at = c.col, width;
		unsigned char ch = next_char(&c, &width);

		/* a character without width belongs to the cell before */
		if (at < from + !width || at + width > to)
			continue;
		if (ch == '\t') {
			memset(out, ' ', width);
			out += width;
		} else {
			*out++ = ch == '\r' ? ' ' : ch < ' ' || ch == 0x7f ? '?' : (char)ch;
		}
	}
	return out;
}

static char *put_text(char *out, const char *s)
{
	size_t n = strlen(s);

	memcpy(out, s, n);
	return out + n;
}

static char *put_repeat(char *out, char ch, uint32_t n)
{
	memset(out, ch, n);
	return out + n;
}

/* The caret and the tildes after it, within the line and the window. */
static char *put_caret(char *out, uint32_t from, uint32_t start, uint32_t end)
{
	out = put_repeat(out, ' ', start - from);
	*out++ = '^';
	return end > start + 1 ? put_repeat(out, '~', end - start - 1) : out;
}

char *dt_diag_excerpt(const struct dt_diag *d, struct dt_arena *arena)
{
	struct dt_place p = dt_loc_place(d->loc);
	const char *hint = d->hint ? d->hint : "";
	uint32_t start, end, from = 0, to, bytes;
	const char *where;
	char *text, *out;

	if (!d->loc.src || !d->msg || (p.textlen == 0 && !*hint))	/* an empty line shows nothing */
		return dt_arena_strdup(arena, "");
	bytes = p.col - 1 + d->loc.len;
	start = column_of(p.text, p.col - 1);
	end = column_of(p.text, bytes < p.textlen && bytes >= p.col - 1 ? bytes : p.textlen);
	if (start > WINDOW - LEAD)
		from = start - LEAD;
	to = from + WINDOW;
	end = end < to ? end : to;
	where = dt_arena_printf(arena, "  %s:%u:%u", p.file, p.line, p.col);
	/*
	 * A cell takes at most 4 bytes of valid UTF-8; stray continuation bytes are limited by the
	 * line.
	 */
	text = out = dt_arena_alloc(arena, 2 * strlen(where) + p.textlen + 3 * WINDOW + strlen(hint) + 64);
	out = put_text(out, where);
	out = put_text(out, from ? " | ..." : " | ");
	out = put_window(out, p.text, p.textlen, from, to);
	out = put_text(out, "\n");
	out = put_repeat(out, ' ', (uint32_t)strlen(where));
	out = put_text(out, from ? " |    " : " | ");
	out = put_caret(out, from, start, end);
	if (*hint) {
		*out++ = ' ';
		out = put_text(out, hint);
	}
	put_text(out, "\n");
	return text;
}
