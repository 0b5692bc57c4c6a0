/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Plain values without a format: numbers, text, bytes, stacks, symbols. The columns are the historic
 * ones, and a number is printed with the sign of its type.
 */
#include "dif/action.h"
#include "output/print.h"
#include "output/unit.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/*
 * v->i may hold more bits than the type has: a record gives 64 of them. Every reader of a number comes
 * through one of these two.
 */
uint64_t dt_value_unsigned(const struct dt_value *v)
{
	return v->size > 0 && v->size < 8 ? v->i & ((1ull << 8 * v->size) - 1) : v->i;
}

uint64_t dt_value_signed(const struct dt_value *v)
{
	unsigned shift = v->size > 0 && v->size < 8 ? 64 - 8u * v->size : 0;

	return (uint64_t)((int64_t)(v->i << shift) >> shift);
}

size_t dt_value_textlen(const struct dt_value *v)
{
	return v->bytes && v->len ? strnlen(v->bytes, v->len) : 0;
}

/*
 * trace() of a char array shows text when it is text: at least one character, and nothing but NULs
 * after the first NUL. Control characters that a terminal shows as space or sound are allowed.
 */
bool dt_value_looks_text(const void *p, size_t len)
{
	const unsigned char *b = p;
	size_t i;

	for (i = 0; i < len && b[i]; i++)
		if ((b[i] < 0x20 || b[i] > 0x7e) && !strchr("\t\n\v\f\r\b\a", b[i]))
			return false;
	if (i == 0)
		return false;
	for (; i < len; i++)
		if (b[i])
			return false;
	return true;
}

/* ---- dumps ---- */

/* Sixteen bytes: the offset, the bytes in hexadecimal, the bytes as characters. */
static void dump_line(struct dt_out *o, const unsigned char *b, size_t off, size_t n)
{
	dt_out_printf(o, "     %5zx:", off);
	for (size_t i = 0; i < 16; i++)
		if (i < n)
			dt_out_printf(o, " %02x", b[i]);
		else
			dt_out_pad(o, ' ', 3);
	dt_out_pad(o, ' ', 2);
	for (size_t i = 0; i < n; i++)
		dt_out_pad(o, b[i] >= 0x20 && b[i] <= 0x7e ? (char)b[i] : '.', 1);
	dt_out_str(o, "\n");
}

void dt_hexdump_print(struct dt_out *o, const void *p, size_t len)
{
	const unsigned char *b = p;

	dt_out_str(o, "\n           ");
	for (int i = 0; i < 16; i++)
		dt_out_printf(o, "  %c", "0123456789abcdef"[i]);
	dt_out_str(o, "  0123456789abcdef\n");
	for (size_t i = 0; i < len && !o->failed; i += 16)
		dump_line(o, b + i, i, len - i < 16 ? len - i : 16);
}

/* ---- addresses ---- */

/* Always leaves a string that ends in buf: a symbolizer may fill it to the last byte. */
static void address_text(const struct dt_print_opts *opts, enum dt_symkind kind, uint32_t pid, uint64_t addr,
    char *buf, size_t len)
{
	if (opts->symbolize && opts->symbolize(opts->symctx, kind, pid, addr, buf, len))
		buf[len - 1] = '\0';
	else
		snprintf(buf, len, "0x%" PRIx64, addr);
}

void dt_symbol_text(const struct dt_print_opts *opts, const struct dt_value *v, char *buf, size_t len)
{
	static const uint8_t kinds[] = {
		[DT_V_SYM] = DT_SYM_KERNEL, [DT_V_MOD] = DT_SYM_MODULE, [DT_V_USYM] = DT_SYM_USER,
		[DT_V_UMOD] = DT_SYM_UOBJECT, [DT_V_UADDR] = DT_SYM_UADDR,
	};

	if (v->kind >= DT_V_SYM && v->kind <= DT_V_UADDR)
		address_text(opts, kinds[v->kind], v->pid, v->i, buf, len);
	else
		snprintf(buf, len, "0x%" PRIx64, v->i);
}

enum dt_symkind dt_frame_kind(const struct dt_value *v, uint32_t i)
{
	return v->kind != DT_V_USTACK ? DT_SYM_KERNEL : i == 0 ? DT_SYM_UFRAME : DT_SYM_UCALLER;
}

void dt_frame_text(const struct dt_print_opts *opts, const struct dt_value *v, uint32_t i, char *buf,
    size_t len)
{
	address_text(opts, dt_frame_kind(v, i), v->pid, v->pcs[i], buf, len);
}

/* From the end, as the name is untrusted and may look like anything. */
void dt_frame_split(char *text, struct dt_frame_parts *p)
{
	size_t n = strlen(text), mark = strlen(DT_FRAME_INLINED);
	char *at = n > 0 ? text + n - 1 : text, *end = at, *open;

	*p = (struct dt_frame_parts){ 0 };
	if (dt_symbol_module(text) == 0)
		return;
	while (at > text && at[-1] >= '0' && at[-1] <= '9')
		at--;
	if (*end == ')' && at < end && at[-1] == ':') {
		p->line = (uint32_t)strtoul(at, NULL, 10);
		at[-1] = '\0';
		for (open = at - 1; open > text && strncmp(open, " (", 2) != 0; open--)
			;
		if (open > text) {
			*open = '\0';
			p->file = open + 2;
			n = (size_t)(open - text);
		} else {
			at[-1] = ':';
		}
	}
	if (n > mark && strcmp(text + n - mark, DT_FRAME_INLINED) == 0) {
		text[n - mark] = '\0';
		p->inlined = true;
	}
}

/* module`function+0xoffset, or module+0xaddress: the name of a module may have a + too (libstdc++.so.6). */
size_t dt_symbol_module(const char *text)
{
	const char *end = strchr(text, '`');

	if (end == NULL && (end = strrchr(text, '+')) != NULL && strncmp(end, "+0x", 3) != 0)
		end = NULL;
	return end != NULL ? (size_t)(end - text) : 0;
}

/* A pc of 0 ends a stack: records have room for more frames than there were. */
void dt_stack_print(struct dt_out *o, const struct dt_value *v, uint32_t indent)
{
	char text[DT_FRAME_TEXT], *line, *rest;

	dt_out_str(o, "\n");
	for (uint32_t i = 0; i < v->npcs && v->pcs[i] && !o->failed; i++) {
		dt_frame_text(o->opts, v, i, text, sizeof(text));
		for (rest = text; (line = strsep(&rest, "\n")) != NULL; ) {
			dt_out_pad(o, ' ', indent);
			dt_out_str(o, line);
			dt_out_str(o, "\n");
		}
	}
}

/* ---- by kind ---- */

/* Columns wide enough for most numbers of the size; a longer one moves the rest of its line. */
static void value_int(struct dt_out *o, const struct dt_value *v, bool quiet)
{
	static const uint8_t widths[9] = { [1] = 3, [2] = 5, [4] = 8 };
	size_t width = v->size <= 8 && widths[v->size] ? widths[v->size] : 16;

	if (quiet)
		width = 0;
	else
		dt_out_str(o, " ");
	if (v->is_signed)
		dt_out_int(o, (int64_t)dt_value_signed(v), width, false);
	else
		dt_out_uint(o, dt_value_unsigned(v), width, false);
}

/* Text in a column of the given width; a width of 0 gives the text alone. */
static void value_column(struct dt_out *o, const char *text, size_t n, size_t width)
{
	if (width)
		dt_out_str(o, "  ");
	dt_out_field(o, text, n, width, true);
}

static void value_bytes(struct dt_out *o, const struct dt_value *v, size_t width)
{
	if (!o->opts->rawbytes && v->bytes && dt_value_looks_text(v->bytes, v->len))
		value_column(o, v->bytes, dt_value_textlen(v), width);
	else
		dt_hexdump_print(o, v->bytes, v->bytes ? v->len : 0);
}

static void value_symbol(struct dt_out *o, const struct dt_value *v, size_t width)
{
	char text[512];

	dt_symbol_text(o->opts, v, text, sizeof(text));
	value_column(o, text, strlen(text), width);
}

static void value_string(struct dt_out *o, const struct dt_value *v, size_t width)
{
	size_t n = dt_value_textlen(v);

	/* With the NUL; the bytes after it are not defined. */
	if (o->opts->rawbytes) {
		dt_hexdump_print(o, v->bytes, n < v->len ? n + 1 : n);
		return;
	}
	/* An empty string, or one with control characters, is still the text that the program asked for. */
	value_column(o, n ? v->bytes : "", n, width);
}

/* A divisor that is not 1 has made another unit of it, which only the program knows. */
static enum dt_aggunit unit_of(const struct dt_value *v)
{
	return v->normal == 0 || v->normal == 1 ? v->unit : DT_UNIT_NONE;
}

void dt_agg_number_text(struct dt_out *o, const struct dt_value *v)
{
	struct dt_value number;
	char text[DT_UNIT_TEXT];

	if (!dt_agg_scalar(v, &number))
		return;
	if (unit_of(v) == DT_UNIT_NONE) {
		value_int(o, &number, false);
		return;
	}
	dt_unit_text(unit_of(v),
	    number.is_signed ? (long double)(int64_t)number.i : (long double)number.i, text);
	dt_out_printf(o, " %16s", text);
}

void dt_agg_parts_text(struct dt_out *o, const struct dt_value *v)
{
	struct dt_aggpart part[DT_AGGPARTS];
	uint32_t n = dt_aggfunc_of(v->aggkind)->parts(v, part);

	for (uint32_t i = 0; i < n; i++) {
		char text[DT_UNIT_TEXT];

		if (unit_of(v) != DT_UNIT_NONE && strcmp(part[i].name, "count") != 0)
			dt_unit_text(unit_of(v), (long double)part[i].value, text);
		else
			snprintf(text, sizeof(text), "%lld", (long long)part[i].value);
		dt_out_printf(o, i + 1 < n ? "  %s %-9s" : "  %s %s", part[i].name, text);
	}
}

/* Widths of 33 and 50 columns come from the original; symbols keep theirs with -q too. */
static void value_by_kind(struct dt_out *o, const struct dt_value *v, bool quiet, size_t strwidth,
    size_t symwidth)
{
	switch (v->kind) {
	case DT_V_INT: value_int(o, v, quiet); break;
	case DT_V_STRING: value_string(o, v, quiet ? 0 : strwidth); break;
	case DT_V_BYTES: value_bytes(o, v, quiet ? 0 : strwidth); break;
	case DT_V_STACK:
	case DT_V_USTACK: dt_stack_print(o, v, o->opts->stackindent); break;
	case DT_V_SYM:
	case DT_V_MOD:
	case DT_V_USYM:
	case DT_V_UMOD:
	case DT_V_UADDR: value_symbol(o, v, symwidth); break;
	case DT_V_AGG: dt_aggfunc_of(v->aggkind)->text(o, v); break;
	}
}

void dt_value_trace(struct dt_out *o, const struct dt_value *v)
{
	value_by_kind(o, v, o->opts->quiet, 33, 50);
}

void dt_value_bare(struct dt_out *o, const struct dt_value *v)
{
	value_by_kind(o, v, true, 0, 0);
}

void dt_value_key(struct dt_out *o, const struct dt_value *v)
{
	value_by_kind(o, v, false, 50, 50);
}
