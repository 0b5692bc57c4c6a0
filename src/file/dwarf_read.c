/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reads DWARF 2 to 5, of 32 and 64 bits: sections come in, entries and the values of their attributes go out.
 * Every offset in it is a claim of the file: each is compared with the section that it
 * leads into, where it is used.
 */
#include "file/dwarf_impl.h"

#include <string.h>

/* MOST_CODES: compilers number abbreviations from 1. */
enum { MOST_CODES = 1 << 16, MOST_HOPS = 8 };

/* ---- cursors ---- */

struct dt_debug_cursor dt_debug_cursor(const struct dt_debug *d, int section, uint64_t from, uint64_t end)
{
	const struct dt_debug_section *s = &d->section[section];

	if (end > s->len)
		end = s->len;
	if (s->at == NULL || from > end)
		return (struct dt_debug_cursor){ .bad = true };
	return (struct dt_debug_cursor){ s->at + from, s->at + end, false };
}

/* Moves behind n bytes; NULL: they are not there. */
static const uint8_t *take(struct dt_debug_cursor *c, uint64_t n)
{
	const uint8_t *at = c->at;

	if (c->bad || n > (uint64_t)(c->end - c->at)) {
		c->bad = true;
		c->at = c->end;
		return NULL;
	}
	c->at += n;
	return at;
}

/* Little-endian, as all our machines are; byte by byte is quicker than memcpy() of a size that varies. */
uint64_t dt_debug_number(struct dt_debug_cursor *c, unsigned size)
{
	const uint8_t *at = take(c, size);
	uint64_t v = 0;

	while (at != NULL && size-- > 0)
		v = v << 8 | at[size];
	return v;
}

/* Bits beyond 64 are dropped. */
static uint64_t leb(struct dt_debug_cursor *c, bool is_signed)
{
	uint64_t v = 0;
	unsigned shift = 0;

	while (c->at < c->end) {
		uint8_t byte = *c->at++;

		if (shift < 64)
			v |= (uint64_t)(byte & 0x7f) << shift;
		shift += 7;
		if (!(byte & 0x80))
			return is_signed && byte & 0x40 && shift < 64 ? v | ~0ull << shift : v;
	}
	c->bad = true;
	return 0;
}

uint64_t dt_debug_uleb(struct dt_debug_cursor *c) { return leb(c, false); }

int64_t dt_debug_sleb(struct dt_debug_cursor *c) { return (int64_t)leb(c, true); }

const char *dt_debug_string(struct dt_debug_cursor *c)
{
	const uint8_t *end = c->bad ? NULL : memchr(c->at, '\0', (size_t)(c->end - c->at));

	return end != NULL ? (const char *)take(c, (uint64_t)(end - c->at) + 1) : (c->bad = true, NULL);
}

uint8_t dt_debug_length(struct dt_debug_cursor *c)
{
	uint64_t len = dt_debug_number(c, 4);
	uint8_t off = 4;

	if (len == 0xffffffff) {
		len = dt_debug_number(c, 8);
		off = 8;
	}
	if (c->bad || len > (uint64_t)(c->end - c->at))
		return 0;
	c->end = c->at + len;
	return off;
}

/* ---- values ---- */

/* What a form takes: bytes, or one of these */
enum { OFF = 16, ADDR, ULEB, SLEB, TEXT, BLOCK1, BLOCK2, BLOCK4, BLOCK, SKIP16, NOTHING };

static unsigned size_of(uint64_t form)
{
	static const uint8_t sizes[] = {
		[DW_FORM_addr] = ADDR, [DW_FORM_block2] = BLOCK2, [DW_FORM_block4] = BLOCK4,
		[DW_FORM_data2] = 2, [DW_FORM_data4] = 4, [DW_FORM_data8] = 8, [DW_FORM_string] = TEXT,
		[DW_FORM_block] = BLOCK, [DW_FORM_block1] = BLOCK1, [DW_FORM_data1] = 1, [DW_FORM_flag] = 1,
		[DW_FORM_sdata] = SLEB, [DW_FORM_strp] = OFF, [DW_FORM_udata] = ULEB,
		[DW_FORM_ref_addr] = OFF,
		[DW_FORM_ref1] = 1, [DW_FORM_ref2] = 2, [DW_FORM_ref4] = 4, [DW_FORM_ref8] = 8,
		[DW_FORM_ref_udata] = ULEB, [DW_FORM_sec_offset] = OFF, [DW_FORM_exprloc] = BLOCK,
		[DW_FORM_flag_present] = NOTHING, [DW_FORM_strx] = ULEB, [DW_FORM_addrx] = ULEB,
		[DW_FORM_ref_sup4] = 4, [DW_FORM_strp_sup] = OFF, [DW_FORM_data16] = SKIP16,
		[DW_FORM_line_strp] = OFF, [DW_FORM_ref_sig8] = 8, [DW_FORM_loclistx] = ULEB,
		[DW_FORM_rnglistx] = ULEB, [DW_FORM_ref_sup8] = 8, [DW_FORM_strx1] = 1, [DW_FORM_strx2] = 2,
		[DW_FORM_strx3] = 3, [DW_FORM_strx4] = 4, [DW_FORM_addrx1] = 1, [DW_FORM_addrx2] = 2,
		[DW_FORM_addrx3] = 3, [DW_FORM_addrx4] = 4,
	};

	if (form == DW_FORM_GNU_addr_index || form == DW_FORM_GNU_str_index)
		return ULEB;
	if (form == DW_FORM_GNU_ref_alt || form == DW_FORM_GNU_strp_alt)
		return OFF;
	return form < sizeof(sizes) ? sizes[form] : 0;
}

void dt_debug_attr(const struct dt_debug_unit *u, struct dt_debug_cursor *c, uint64_t form,
    struct dt_debug_attr *a)
{
	unsigned size;

	if (form == DW_FORM_indirect)
		form = dt_debug_uleb(c);
	size = form == DW_FORM_ref_addr && u->version < 3 ? ADDR : size_of(form);
	a->form = form;
	a->v = 0;
	switch (size) {
	case 0: c->bad = true; break;		/* its size is not known, nor where the next one begins */
	case OFF: a->v = dt_debug_number(c, u->off); break;
	case ADDR: a->v = dt_debug_number(c, u->addr); break;
	case ULEB: a->v = dt_debug_uleb(c); break;
	case SLEB: a->v = (uint64_t)dt_debug_sleb(c); break;
	case TEXT: a->v = (uint64_t)(uintptr_t)dt_debug_string(c); break;
	case BLOCK1: (void)take(c, dt_debug_number(c, 1)); break;
	case BLOCK2: (void)take(c, dt_debug_number(c, 2)); break;
	case BLOCK4: (void)take(c, dt_debug_number(c, 4)); break;
	case BLOCK: (void)take(c, dt_debug_uleb(c)); break;
	case SKIP16: (void)take(c, 16); break;
	case NOTHING: a->v = 1; break;
	default: a->v = dt_debug_number(c, size); break;
	}
}

/* Number i of a table of a unit, which the base leads to. */
static bool entry(const struct dt_debug *d, int section, uint64_t base, uint64_t i, uint8_t size, uint64_t *v)
{
	struct dt_debug_cursor c = dt_debug_cursor(d, section, base, UINT64_MAX);

	if (c.bad || i >= (uint64_t)(c.end - c.at) / size)
		return false;
	c.at += i * size;
	*v = dt_debug_number(&c, size);
	return !c.bad;
}

const char *dt_debug_text(const struct dt_debug *d, const struct dt_debug_unit *u,
    const struct dt_debug_attr *a)
{
	int section = DT_DEBUG_str;
	struct dt_debug_cursor c;
	uint64_t v = a->v;

	switch (a->form) {
	case DW_FORM_string: return (const char *)(uintptr_t)v;
	case DW_FORM_strp: break;
	case DW_FORM_line_strp: section = DT_DEBUG_line_str; break;
	case DW_FORM_strx: case DW_FORM_strx1: case DW_FORM_strx2: case DW_FORM_strx3: case DW_FORM_strx4:
		if (!entry(d, DT_DEBUG_str_offsets, u->str_base, v, u->off, &v))
			return NULL;
		break;
	default: return NULL;
	}
	c = dt_debug_cursor(d, section, v, UINT64_MAX);
	return dt_debug_string(&c);
}

static bool address(const struct dt_debug *d, const struct dt_debug_unit *u, const struct dt_debug_attr *a,
    uint64_t *v)
{
	*v = a->v;
	switch (a->form) {
	case DW_FORM_addr: return true;
	case DW_FORM_addrx: case DW_FORM_addrx1: case DW_FORM_addrx2: case DW_FORM_addrx3:
	case DW_FORM_addrx4:
		return entry(d, DT_DEBUG_addr, u->addr_base, a->v, u->addr, v);
	default: return false;
	}
}

/* Types by signature and what is in another file lead nowhere. */
uint64_t dt_debug_reference(const struct dt_debug_unit *u, const struct dt_debug_attr *a)
{
	switch (a->form) {
	case DW_FORM_ref1: case DW_FORM_ref2: case DW_FORM_ref4: case DW_FORM_ref8: case DW_FORM_ref_udata:
		return u->at + a->v;
	case DW_FORM_ref_addr: return a->v;
	default: return 0;
	}
}

/* ---- ranges ---- */

/* Before version 5: pairs of addresses from a base, which a pair of the highest address changes. */
static void old_ranges(struct dt_debug_cursor c, const struct dt_debug_unit *u, dt_debug_range_f *f,
    void *ctx)
{
	uint64_t base = u->low, highest = u->addr == 8 ? UINT64_MAX : UINT32_MAX;

	while (!c.bad) {
		uint64_t low = dt_debug_number(&c, u->addr), high = dt_debug_number(&c, u->addr);

		if (low == 0 && high == 0)
			break;
		if (low == highest)
			base = high;
		else if (!c.bad)
			f(ctx, base + low, base + high);
	}
}

static uint64_t indexed(const struct dt_debug *d, const struct dt_debug_unit *u, struct dt_debug_cursor *c)
{
	uint64_t v = 0;

	if (!entry(d, DT_DEBUG_addr, u->addr_base, dt_debug_uleb(c), u->addr, &v))
		c->bad = true;
	return v;
}

static void new_ranges(const struct dt_debug *d, struct dt_debug_cursor c, const struct dt_debug_unit *u,
    dt_debug_range_f *f, void *ctx)
{
	uint64_t base = u->low, low, high;

	while (!c.bad) {
		uint64_t kind = dt_debug_number(&c, 1);

		switch (kind) {
		case DW_RLE_base_addressx: base = indexed(d, u, &c); continue;
		case DW_RLE_base_address: base = dt_debug_number(&c, u->addr); continue;
		case DW_RLE_startx_endx: case DW_RLE_startx_length: low = indexed(d, u, &c); break;
		case DW_RLE_offset_pair: low = base + dt_debug_uleb(&c); break;
		case DW_RLE_start_end: case DW_RLE_start_length: low = dt_debug_number(&c, u->addr); break;
		default: return;
		}
		switch (kind) {
		case DW_RLE_startx_endx: high = indexed(d, u, &c); break;
		case DW_RLE_offset_pair: high = base + dt_debug_uleb(&c); break;
		case DW_RLE_start_end: high = dt_debug_number(&c, u->addr); break;
		default: high = low + dt_debug_uleb(&c); break;
		}
		if (!c.bad)
			f(ctx, low, high);
	}
}

void dt_debug_ranges(const struct dt_debug *d, const struct dt_debug_unit *u, const struct dt_debug_die *die,
    dt_debug_range_f *f, void *ctx)
{
	const struct dt_debug_attr *a = &die->a[DT_DEBUG_AT_ranges];
	uint64_t low, high, off = a->v;

	if (a->form == 0) {
		if (!address(d, u, &die->a[DT_DEBUG_AT_low_pc], &low))
			return;
		a = &die->a[DT_DEBUG_AT_high_pc];
		if (a->form != 0)
			f(ctx, low, address(d, u, a, &high) ? high : low + a->v);
	} else if (u->version < 5) {
		old_ranges(dt_debug_cursor(d, DT_DEBUG_ranges, off, UINT64_MAX), u, f, ctx);
	} else {
		if (a->form == DW_FORM_rnglistx) {
			if (!entry(d, DT_DEBUG_rnglists, u->ranges_base, off, u->off, &off))
				return;
			off += u->ranges_base;
		}
		new_ranges(d, dt_debug_cursor(d, DT_DEBUG_rnglists, off, UINT64_MAX), u, f, ctx);
	}
}

/* ---- entries ---- */

static const uint8_t slot[] = {
#define DT_DEBUG_ATTR(name) [DW_AT_##name] = DT_DEBUG_AT_##name,
	DT_DEBUG_ATTRS(DT_DEBUG_ATTR)
#undef DT_DEBUG_ATTR
};

/* Where the abbreviation of each code is, of the table of the unit. Tables are often read only once. */
static void read_table(struct dt_debug *d, uint64_t at)
{
	struct dt_debug_cursor c = dt_debug_cursor(d, DT_DEBUG_abbrev, at, UINT32_MAX);
	uint64_t code, form;

	d->abbrev = at + 1;
	d->decl.len = 0;
	while ((code = dt_debug_uleb(&c)) != 0 && !c.bad) {
		uint32_t where = (uint32_t)(c.at - d->section[DT_DEBUG_abbrev].at), none = 0;

		while (code < MOST_CODES && d->decl.len / sizeof(none) < code)
			if (dt_digest_put(&d->decl, &none, sizeof(none)) != 0)
				return;
		if (code < MOST_CODES)
			memcpy(d->decl.bytes + (code - 1) * sizeof(where), &where, sizeof(where));
		(void)dt_debug_uleb(&c);
		(void)dt_debug_number(&c, 1);
		do {
			code = dt_debug_uleb(&c);
			form = dt_debug_uleb(&c);
			if (form == DW_FORM_implicit_const)
				(void)dt_debug_sleb(&c);
		} while ((code != 0 || form != 0) && !c.bad);
	}
}

bool dt_debug_die(struct dt_debug *d, const struct dt_debug_unit *u, struct dt_debug_cursor *c,
    struct dt_debug_die *die)
{
	uint64_t code = dt_debug_uleb(c), name, form;
	struct dt_debug_cursor abbrev;
	struct dt_debug_attr a;
	uint32_t where = 0;

	*die = (struct dt_debug_die){ 0 };
	if (code == 0)
		return false;
	if (d->abbrev != u->abbrev + 1)
		read_table(d, u->abbrev);
	if (code <= d->decl.len / sizeof(where))
		memcpy(&where, d->decl.bytes + (code - 1) * sizeof(where), sizeof(where));
	abbrev = dt_debug_cursor(d, DT_DEBUG_abbrev, where, UINT64_MAX);
	die->tag = dt_debug_uleb(&abbrev);
	die->children = dt_debug_number(&abbrev, 1) != 0;
	while (!abbrev.bad && !c->bad && where != 0) {
		name = dt_debug_uleb(&abbrev);
		form = dt_debug_uleb(&abbrev);
		if (name == 0 && form == 0)
			return true;
		if (form == DW_FORM_implicit_const)
			a = (struct dt_debug_attr){ form, (uint64_t)dt_debug_sleb(&abbrev) };
		else
			dt_debug_attr(u, c, form, &a);
		if (name == DW_AT_MIPS_linkage_name)
			name = DW_AT_linkage_name;
		if (name < sizeof(slot))
			die->a[slot[name]] = a;
	}
	c->bad = true;
	return false;
}

/* The bases come first: other attributes of the root may need them. */
void dt_debug_root(const struct dt_debug *d, struct dt_debug_unit *u, const struct dt_debug_die *die)
{
	u->str_base = die->a[DT_DEBUG_AT_str_offsets_base].v;
	u->addr_base = die->a[DT_DEBUG_AT_addr_base].v;
	u->ranges_base = die->a[DT_DEBUG_AT_rnglists_base].v;
	if (!address(d, u, &die->a[DT_DEBUG_AT_low_pc], &u->low))
		u->low = 0;
}

static const struct dt_debug_unit *unit_of(const struct dt_debug *d, uint64_t at)
{
	size_t low = 0, high = dt_debug_nunits(d);

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (dt_debug_unit(d, mid)->end <= at)
			low = mid + 1;
		else
			high = mid;
	}
	return low < dt_debug_nunits(d) && at >= dt_debug_unit(d, low)->die ? dt_debug_unit(d, low) : NULL;
}

/* An instance leads to the function, that to its declaration. The steps are counted, as they may loop. */
const char *dt_debug_name(struct dt_debug *d, uint64_t at)
{
	const char *name = NULL, *linked;

	for (int hop = 0; hop < MOST_HOPS && at != 0; hop++) {
		const struct dt_debug_unit *u = unit_of(d, at);
		struct dt_debug_cursor c;
		struct dt_debug_die die;

		if (u == NULL)
			break;
		c = dt_debug_cursor(d, DT_DEBUG_info, at, u->end);
		if (!dt_debug_die(d, u, &c, &die))
			break;
		linked = dt_debug_text(d, u, &die.a[DT_DEBUG_AT_linkage_name]);
		if (linked != NULL)
			return linked;
		if (name == NULL)
			name = dt_debug_text(d, u, &die.a[DT_DEBUG_AT_name]);
		at = dt_debug_reference(u, &die.a[DT_DEBUG_AT_abstract_origin]);
		if (at == 0)
			at = dt_debug_reference(u, &die.a[DT_DEBUG_AT_specification]);
	}
	return name;
}
