/* SPDX-License-Identifier: BSD-2-Clause */
/* The DWARF of a file: its sections, unpacked where they are compressed, and its units. */
#include "file/dwarf_impl.h"

#include <errno.h>
#include <stdlib.h>

static int load(struct dt_debug_section *s, struct dt_elf *e, const char *name)
{
	const void *data = NULL;
	uint64_t addr;
	int err = dt_elf_section(e, name, &data, &s->len, &addr);

	if (err == -ENOTSUP && (err = dt_elf_unpack(e, name, &s->unpacked, &s->len)) == 0)
		data = s->unpacked;
	s->at = err == 0 ? data : NULL;
	if (s->at == NULL)
		s->len = 0;
	return err;
}

/* False: it is damaged, and so is all behind it. One that is not understood is left out. */
static bool read_unit(struct dt_debug *d, struct dt_debug_cursor *c, int *err)
{
	const uint8_t *start = d->section[DT_DEBUG_info].at, *end = c->end;
	struct dt_debug_unit u = { .at = (uint64_t)(c->at - start), .type = DW_UT_compile };

	u.off = dt_debug_length(c);
	if (u.off == 0)
		return false;
	u.end = (uint64_t)(c->end - start);
	u.version = (uint8_t)dt_debug_number(c, 2);
	if (u.version >= 5) {
		u.type = (uint8_t)dt_debug_number(c, 1);
		u.addr = (uint8_t)dt_debug_number(c, 1);
	}
	u.abbrev = dt_debug_number(c, u.off);
	if (u.version < 5)
		u.addr = (uint8_t)dt_debug_number(c, 1);
	if (u.type == DW_UT_skeleton)
		(void)dt_debug_number(c, 8);
	u.die = (uint64_t)(c->at - start);
	if (!c->bad && u.version >= 2 && u.version <= 5 && (u.addr == 8 || u.addr == 4) &&
	    (u.type == DW_UT_compile || u.type == DW_UT_partial || u.type == DW_UT_skeleton))
		*err = dt_digest_put(&d->units, &u, sizeof(u));
	*c = (struct dt_debug_cursor){ start + u.end, end, false };
	return *err == 0;
}

int dt_debug_open(struct dt_debug *d, struct dt_elf *e)
{
	static const char *const names[] = {
#define DT_DEBUG_SECTION(name) ".debug_" #name,
		DT_DEBUG_SECTIONS(DT_DEBUG_SECTION)
#undef DT_DEBUG_SECTION
	};
	struct dt_debug_cursor c;
	int err = 0;

	*d = (struct dt_debug){ 0 };
	for (int i = 0; i < DT_DEBUG_NSECTIONS && (err == 0 || err == -ENOENT); i++) {
		err = load(&d->section[i], e, names[i]);
		if (i <= DT_DEBUG_line && err == 0 && d->section[i].at == NULL)
			err = -ENOENT;		/* the empty shell of a file whose data are elsewhere */
		if (i <= DT_DEBUG_line && err == -ENOENT)
			return err;
	}
	if (err != 0 && err != -ENOENT)
		return err;
	c = dt_debug_cursor(d, DT_DEBUG_info, 0, UINT64_MAX);
	err = 0;
	while (c.at < c.end && read_unit(d, &c, &err))
		;
	return err;
}

void dt_debug_close(struct dt_debug *d)
{
	for (int i = 0; i < DT_DEBUG_NSECTIONS; i++)
		free(d->section[i].unpacked);
	free(d->units.bytes);
	free(d->decl.bytes);
}
