/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where text goes: into a growable buffer, and from there to a FILE when there is one.
 *
 * Nothing here reports failure to its caller. When memory runs out or the file refuses a write,
 * `failed` is set and everything that follows is thrown away, so that printers need no error paths.
 * Whoever owns the output looks at `failed` once, at the end.
 *
 * Text for a file waits in the buffer until dt_out_flush(). Whoever puts text there flushes before
 * other code may write to the same file. A line is made of many small pieces, and one call of stdio
 * for each of them would cost more than making the text.
 */
#ifndef DT_OUTPUT_OUT_H
#define DT_OUTPUT_OUT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

struct dt_types;

enum dt_symkind { DT_SYM_KERNEL, DT_SYM_MODULE, DT_SYM_USER, DT_SYM_UOBJECT, DT_SYM_UADDR, DT_SYM_UFRAME,
	DT_SYM_UCALLER };

/*
 * The text of an address, without padding. KERNEL and UADDR give name and offset
 * ("vmlinux`schedule+0x1d"), USER gives the function only, MODULE and UOBJECT give the file only. UFRAME and
 * UCALLER are for the first and the other frames of a user stack: as UADDR, or with -x inlines and -x lines
 * several lines (output/print.h); an UCALLER is a return address, so the call is before it.
 * False: the address is unknown, and the caller prints the number itself.
 */
typedef bool dt_symbolize_f(void *ctx, enum dt_symkind, uint32_t pid, uint64_t addr, char *buf, size_t len);

struct dt_print_opts {
	dt_symbolize_f *symbolize;	/* NULL: every address as 0x… */
	void *symctx;
	struct dt_types *types;		/* for print(); NULL: values as bytes */
	bool quiet;			/* -q: trace() without padding */
	bool numeric;			/* %P prints numbers, whatever /etc/services says */
	bool rawbytes;			/* bytes are dumped even when they look like text */
	bool agghist, aggpack, aggzoom;
	const char *units;		/* -x units: the words (unit.h); NULL: numbers are bare */
	bool apart;			/* -x mergestacks=no: addresses in keys are those of one process */
	bool utf8;			/* bars are drawn with block characters */
	bool color;			/* bars and headings have colours */
	bool fit;			/* columns are as wide as what stands in them; else historic */
	uint32_t columns;		/* of the terminal, for `fit`; 0: not known */
	uint32_t stackindent;
	uint32_t target;		/* the process that a plain address given to %A belongs to */
};
extern const struct dt_print_opts dt_print_defaults;	/* stackindent 14, the rest zero */

struct dt_out {
	const struct dt_print_opts *opts;
	FILE *file;			/* NULL: text is kept in buf */
	char *buf;			/* dt_out_text() ends it with NUL */
	/*
	 * cap is 0, or more than len, so that dt_out_text() always has room for its NUL; it is never more
	 * than max + 1.
	 */
	size_t len, cap, max;
	bool failed;
	int err;			/* errno of the first write to the file that failed */
};

#define DT_OUT_MAX ((size_t)1 << 30)	/* the most text that is kept in memory */

void dt_out_init(struct dt_out *, FILE *, const struct dt_print_opts *);	/* opts NULL: the defaults */
void dt_out_free(struct dt_out *);
const char *dt_out_text(const struct dt_out *);		/* "" when nothing was put */
void dt_out_clear(struct dt_out *);
/* Nothing more is written; the first reason stays. */
static inline void dt_out_fail(struct dt_out *o, int err)
{
	o->failed = true;
	if (o->err == 0)
		o->err = err;
}
void dt_out_flush(struct dt_out *);			/* writes what waits to the file */
/* The same, then text that was made elsewhere; without a file it is put. */
void dt_out_write(struct dt_out *, const char *, size_t n);
/* Between two lines: the file writes what it keeps, if that is much. */
void dt_out_spill(struct dt_out *);

/* Makes room for n bytes at buf + len. False: there is none, and the output has failed. */
bool dt_out_grow(struct dt_out *, size_t n);
static inline bool dt_out_room(struct dt_out *o, size_t n)
{
	return (n < o->cap - o->len && !o->failed) || dt_out_grow(o, n);
}

static inline void dt_out_put(struct dt_out *o, const void *p, size_t n)
{
	if (n == 0 || !dt_out_room(o, n))
		return;
	memcpy(o->buf + o->len, p, n);
	o->len += n;
}

static inline void dt_out_str(struct dt_out *o, const char *s)
{
	dt_out_put(o, s, strlen(s));
}

void dt_out_pad(struct dt_out *, char, size_t n);
/* What a terminal understands; put only if opts->color says so. */
#define DT_COLOR_BAR "\033[36m"
#define DT_COLOR_HEAD "\033[1m"
#define DT_COLOR_END "\033[0m"
static inline void dt_out_color(struct dt_out *o, const char *how)
{
	if (o->opts->color)
		dt_out_str(o, how);
}
/*
 * The columns that UTF-8 text takes on a terminal; a byte that is not UTF-8 takes one (columns.c).
 */
size_t dt_columns(const char *text, size_t n);
/* Text in a field of `width` columns, at its left or right edge. Text is never cut. */
void dt_out_field(struct dt_out *, const char *text, size_t n, size_t width, bool left);
void dt_out_printf(struct dt_out *, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/*
 * A number in decimal, in a field as above. C's printf is not used: millions of records a second pass
 * through here.
 */
void dt_out_int(struct dt_out *, int64_t, size_t width, bool left);
void dt_out_uint(struct dt_out *, uint64_t, size_t width, bool left);
/* One code point as UTF-8. A number that is no code point becomes U+FFFD. */
void dt_out_utf8(struct dt_out *, uint32_t);
/* Bytes, with C escapes for those that are not printable, and for \ and ". */
void dt_out_escaped(struct dt_out *, const void *, size_t);

#endif
