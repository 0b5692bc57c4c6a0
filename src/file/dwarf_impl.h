/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Private to src/file/dwarf_*.c: DWARF 2 to 5 as untrusted bytes. Whatever they say, a cursor stays within
 * its section; one that would leave it is `bad`, and what it gives from then on means nothing.
 */
#ifndef DT_FILE_DWARF_IMPL_H
#define DT_FILE_DWARF_IMPL_H

#include "file/digest.h"
#include "file/lines.h"

#include <dwarf.h>

#define DT_DEBUG_SECTIONS(X) X(info) X(abbrev) X(line) X(str) X(line_str) X(str_offsets) X(addr) X(ranges) \
	X(rnglists)
enum {
#define DT_DEBUG_SECTION(name) DT_DEBUG_##name,
	DT_DEBUG_SECTIONS(DT_DEBUG_SECTION)
#undef DT_DEBUG_SECTION
	DT_DEBUG_NSECTIONS
};

struct dt_debug_section { const uint8_t *at; size_t len; void *unpacked; };
struct dt_debug_cursor { const uint8_t *at, *end; bool bad; };

/* The attributes that are used */
#define DT_DEBUG_ATTRS(X) X(name) X(linkage_name) X(abstract_origin) X(specification) X(low_pc) X(high_pc) \
	X(ranges) X(call_file) X(call_line) X(stmt_list) X(comp_dir) X(str_offsets_base) X(addr_base) \
	X(rnglists_base)
enum {
	DT_DEBUG_NONE,
#define DT_DEBUG_ATTR(name) DT_DEBUG_AT_##name,
	DT_DEBUG_ATTRS(DT_DEBUG_ATTR)
#undef DT_DEBUG_ATTR
	DT_DEBUG_NATTRS
};

struct dt_debug_attr { uint64_t form, v; };	/* form 0: there is none. A string in place: its pointer */
struct dt_debug_die { uint64_t tag; bool children; struct dt_debug_attr a[DT_DEBUG_NATTRS]; };

struct dt_debug_unit {
	uint64_t at, die, end, abbrev;		/* offsets in their sections */
	uint8_t version, type, addr, off;	/* the last two: sizes */
	uint64_t low, str_base, addr_base, ranges_base;		/* of its root, once that was read */
};

struct dt_debug {
	struct dt_debug_section section[DT_DEBUG_NSECTIONS];
	struct dt_digest units;		/* struct dt_debug_unit each */
	struct dt_digest decl;		/* where the abbreviation of each code is; uint32_t each */
	uint64_t abbrev;		/* of that table, from 1; 0: none */
};

/* dwarf_open.c. 0; -ENOENT: the file has no such data. To be closed in any case. */
int dt_debug_open(struct dt_debug *, struct dt_elf *);
void dt_debug_close(struct dt_debug *);

static inline size_t dt_debug_nunits(const struct dt_debug *d)
{
	return d->units.len / sizeof(struct dt_debug_unit);
}
static inline struct dt_debug_unit *dt_debug_unit(const struct dt_debug *d, size_t i)
{
	return (struct dt_debug_unit *)(void *)d->units.bytes + i;
}

struct dt_debug_cursor dt_debug_cursor(const struct dt_debug *, int section, uint64_t from, uint64_t end);
uint64_t dt_debug_number(struct dt_debug_cursor *, unsigned size);
uint64_t dt_debug_uleb(struct dt_debug_cursor *);
int64_t dt_debug_sleb(struct dt_debug_cursor *);
const char *dt_debug_string(struct dt_debug_cursor *);
/* The size of offsets; *end is moved to that of the unit of the section. 0: it is damaged. */
uint8_t dt_debug_length(struct dt_debug_cursor *);

void dt_debug_attr(const struct dt_debug_unit *, struct dt_debug_cursor *, uint64_t form,
    struct dt_debug_attr *);
/* False: the end of a list of siblings (c->bad is false), or damage. */
bool dt_debug_die(struct dt_debug *, const struct dt_debug_unit *, struct dt_debug_cursor *,
    struct dt_debug_die *);
/* Notes the bases that its other entries refer to. */
void dt_debug_root(const struct dt_debug *, struct dt_debug_unit *, const struct dt_debug_die *);

/* NULL: it is none, or damaged. It ends inside its section. */
const char *dt_debug_text(const struct dt_debug *, const struct dt_debug_unit *,
    const struct dt_debug_attr *);
/* The name of the function that an entry is an instance of, as the linker knows it; or NULL. */
const char *dt_debug_name(struct dt_debug *, uint64_t at);
uint64_t dt_debug_reference(const struct dt_debug_unit *, const struct dt_debug_attr *);	/* 0: none */
typedef void dt_debug_range_f(void *ctx, uint64_t low, uint64_t high);
void dt_debug_ranges(const struct dt_debug *, const struct dt_debug_unit *, const struct dt_debug_die *,
    dt_debug_range_f *, void *ctx);

/* ---- making a digest (dwarf_lines.c; what follows, dwarf_text.c) ---- */

struct dt_debug_file { const char *dir, *name; uint32_t text; };	/* text: once it is wanted */

struct dt_lines_maker {
	struct dt_debug dwarf;
	const struct dt_elf *elf;
	/* of the unit in hand: const char * and struct dt_debug_file each; where it was compiled */
	struct dt_digest dirs, files;
	const char *home;
	uint64_t line;			/* its program in .debug_line, from 1: of that of the last one */
	struct dt_digest rows, ranges, calls;
	struct dt_digest text, hash;	/* each text once; uint32_t each */
	uint32_t ntexts;
	int err;
};

void dt_lines_put(struct dt_lines_maker *, struct dt_digest *, const void *, size_t);
bool dt_lines_code(const struct dt_lines_maker *, uint64_t at);	/* is it code that is loaded? */
uint32_t dt_lines_text(struct dt_lines_maker *, const char *dir, const char *name);
uint32_t dt_lines_file(struct dt_lines_maker *, uint64_t number);	/* of the unit; 0: none */

/* What is collected first, and becomes rows and spans when it is sorted. */
struct dt_lines_step { uint64_t at; uint32_t file, line, order, end; };
struct dt_lines_range { uint64_t low, high; uint32_t call, zero; };
struct dt_lines_call { uint64_t origin; struct dt_line_call call; };
/* dwarf_line.c: the files of a unit, and the rows of its program if `rows` */
void dt_lines_program(struct dt_lines_maker *, const struct dt_debug_unit *, const struct dt_debug_die *root);
/* dwarf_inline.c: the calls of a unit, whose root was read; the cursor is behind that */
void dt_lines_calls(struct dt_lines_maker *, const struct dt_debug_unit *, struct dt_debug_cursor);

#endif
