/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * D's printf() formats: text in, conversions out. Arguments are checked against them when a program is
 * compiled, and values are printed by them when it runs. A parsed format does not change any more, and
 * owns copies of all its text. A new conversion is one row in conv.c.
 */
#ifndef DT_OUTPUT_FORMAT_H
#define DT_OUTPUT_FORMAT_H

#include "base/diag.h"
#include "value/value.h"
#include "output/out.h"
#include "types/type.h"

/* Larger widths and precisions are refused; one that a * brings is reduced to this. */
#ifdef DT_FUZZ
#define DT_FORMAT_WIDTH_MAX 1024u	/* a few bytes of input shall not become gigabytes of blanks */
#else
#define DT_FORMAT_WIDTH_MAX 16777216u
#endif

enum dt_conv_flags {
	DT_CF_ALT = 1, DT_CF_ZERO = 2, DT_CF_LEFT = 4, DT_CF_PLUS = 8, DT_CF_SPACE = 16, DT_CF_GROUP = 32,
	DT_CF_AGG = 64,			/* @ */
	DT_CF_STARWIDTH = 128, DT_CF_STARPREC = 256,
	DT_CF_PREC = 512,		/* a precision was given */
};

struct dt_conv;

/* What a conversion letter (with its size prefix) means. */
struct dt_convrow {
	const char *name;		/* "d", "lld", "ls" … */
	const char *args;		/* what it takes, for messages */
	bool (*check)(const struct dt_convrow *, struct dt_types *, const struct dt_type *);
	void (*print)(struct dt_out *, const struct dt_conv *, const struct dt_value *);
	uint8_t size;			/* of an integer argument; 0: any */
	char letter;			/* C's letter */
	const char *doc;		/* how the value is shown */
};

/* One conversion and the plain text before it. The last entry of a format may have no row, only text. */
struct dt_conv {
	const char *prefix;		/* literal text, %% reduced */
	uint32_t prefixlen;
	uint32_t off, len;		/* of the conversion in the format string */
	const struct dt_convrow *row;	/* NULL: text only */
	uint16_t flags;			/* DT_CF_* */
	uint32_t width, prec;		/* when no * gives them */
};

struct dt_format {
	struct dt_conv *conv;
	uint32_t nconv;			/* entries, the closing text included */
	uint32_t nargs;			/* values it takes: one for each conversion but %@, one for each * */
	uint32_t naggs;			/* %@ conversions */
};

struct dt_format_error {
	enum dt_tag tag;
	uint32_t off;			/* in the format, when arg is -1 */
	int arg;			/* index of the offending argument in the list given, or -1 */
	const char *hint;		/* what would do, or NULL */
	char msg[512];
};

/*
 * The format lives in the arena. NULL: the format is bad, and *err says why. "" is a format without
 * conversions.
 */
struct dt_format *dt_format_parse(struct dt_arena *, const char *text, size_t len,
    struct dt_format_error *err);

/*
 * Checks the whole list of arguments in order, with the values for each * and without the aggregations
 * of printa(). `func` is the name of the action, for messages. For printa() the types are those of the
 * keys, and there may be too many of them. False: *err says why.
 */
bool dt_format_check(const struct dt_format *, const char *func, struct dt_types *,
    const struct dt_type *const *types, uint32_t n, bool printa, struct dt_format_error *err);

/*
 * Prints. A value that is missing at the end prints as nothing; one of the wrong kind prints as what it
 * is.
 */
void dt_format_print(struct dt_out *, const struct dt_format *, const struct dt_value *values, uint32_t n);
/* printa(): plain conversions take the keys, and %@ takes the aggregations, the last of which repeats. */
void dt_format_printa(struct dt_out *, const struct dt_format *, const struct dt_value *keys, uint32_t nkeys,
    const struct dt_value *aggs, uint32_t naggs);

/* Whether the conversion looks for names: of symbols, of services. */
bool dt_conv_asks(const struct dt_convrow *);
/* The rows; the last has no name. */
extern const struct dt_convrow dt_convrows[];

#endif
