/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What is asked most of a file: its build id, and whether it has certain sections. A file that others read
 * tells it at once.
 */
#include "file/elf_impl.h"
#include "base/count.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* NOTES_MAX bytes in each of NOTE_PIECES: where a build id is looked for */
enum { BUILDID_MAX = 64, NOTES_MAX = 1 << 16, NOTE_PIECES = 16 };
enum { PIECE = 1 << 18 };		/* functions that are asked for lie close together */

/* The sections that dt_elf_has_section() is asked for. */
static const char *const asked[] = { ".note.stapsdt", ".gopclntab", ".go.buildinfo", ".gcc_except_table",
	".debug_info", ".interp" };

bool dt_elf_has_section(const struct dt_elf *e, const char *name)
{
	for (uint32_t i = 0; e->head != NULL && i < DT_COUNT(asked); i++)
		if (strcmp(asked[i], name) == 0)
			return e->head->sections >> i & 1;
	return dt_elf_section_named(e, name) != NULL;
}

/* Sizes are widened before they are rounded up, and compared with what is left before they are added. */
static const uint8_t *id_in_notes(const uint8_t *at, size_t len, size_t *idlen)
{
	while (len >= sizeof(Elf64_Nhdr)) {
		Elf64_Nhdr n;
		uint64_t name, desc;

		memcpy(&n, at, sizeof(n));
		at += sizeof(n);
		len -= sizeof(n);
		name = ((uint64_t)n.n_namesz + 3) & ~3ull;
		desc = ((uint64_t)n.n_descsz + 3) & ~3ull;
		if (name > len || n.n_descsz > len - name)
			return NULL;
		if (n.n_type == NT_GNU_BUILD_ID && n.n_namesz == 4 && memcmp(at, "GNU", 4) == 0 &&
		    n.n_descsz > 0 && n.n_descsz <= BUILDID_MAX) {
			*idlen = n.n_descsz;
			return at + name;
		}
		if (desc > len - name)
			return NULL;
		at += name + desc;
		len -= name + desc;
	}
	return NULL;
}

/* Ignores notes larger than any linker emits. */
static bool id_in_piece(struct dt_elf *e, uint64_t off, uint64_t size, uint8_t *out, size_t *len)
{
	const uint8_t *id = NULL;
	const void *data;

	if (size > NOTES_MAX || dt_elf_read(e, off, size, &data) != 0)
		return false;
	id = id_in_notes(data, size, len);
	if (id != NULL)
		memcpy(out, id, *len);
	dt_elf_forget(e, data);
	return id != NULL;
}

static bool find_id(struct dt_elf *e, uint8_t *id, size_t *len)
{
	uint32_t pieces = 0;

	for (uint32_t i = 0; i < e->nph && pieces < NOTE_PIECES; i++)
		if (e->ph[i].p_type == PT_NOTE && ++pieces &&
		    id_in_piece(e, e->ph[i].p_offset, e->ph[i].p_filesz, id, len))
			return true;
	for (uint32_t i = 1; i < e->nsh && pieces < 2 * NOTE_PIECES; i++)
		if (e->sh[i].sh_type == SHT_NOTE && ++pieces && !(e->sh[i].sh_flags & SHF_COMPRESSED) &&
		    id_in_piece(e, e->sh[i].sh_offset, e->sh[i].sh_size, id, len))
			return true;
	return false;
}

/* Segments come first: those of a debug file are empty, and a stripped file has nothing else. */
const uint8_t *dt_elf_buildid(struct dt_elf *e, size_t *len)
{
	if (e->head != NULL) {
		*len = e->head->idlen;
		return *len > 0 ? e->head->id : NULL;
	}
	if (!e->id_sought) {
		e->id_sought = true;
		if (!find_id(e, e->id, &e->idlen))
			e->idlen = 0;
	}
	*len = e->idlen;
	return *len > 0 ? e->id : NULL;
}

uint64_t dt_elf_frames(const struct dt_elf *e)
{
	const Elf64_Shdr *sh = dt_elf_section_named(e, ".eh_frame");

	if (e->head != NULL)
		return e->head->frames;
	if (sh == NULL)
		sh = dt_elf_section_named(e, ".debug_frame");
	return sh != NULL ? sh->sh_size : 0;
}

void dt_elf_head(struct dt_elf *e, struct dt_elf_head *h)
{
	const Elf64_Shdr *sh = dt_elf_section_typed(e, SHT_SYMTAB);
	size_t len = 0;
	const uint8_t *id = dt_elf_buildid(e, &len);

	*h = (struct dt_elf_head){ .eh = e->eh, .idlen = (uint8_t)len, .symtab = sh != NULL,
		.frames = dt_elf_frames(e) };
	if (id != NULL)
		memcpy(h->id, id, len);
	for (uint32_t i = 0; i < DT_COUNT(asked); i++)
		h->sections |= (uint32_t)dt_elf_has_section(e, asked[i]) << i;
	(void)dt_elf_debug_link(e, h->link, &h->crc);
}

/*
 * A larger piece than is asked for is kept, as the next function is likely to lie in it. Only the piece in
 * hand is valid.
 */
int dt_elf_code(struct dt_elf *e, uint64_t off, uint64_t len, const void **data)
{
	struct dt_elf_bytes *p = &e->piece;
	uint64_t most = len > PIECE ? len : PIECE;
	size_t got = 0;
	int err = 0;

	if (p->data == NULL || off < p->off || off - p->off > p->len || len > p->len - (off - p->off)) {
		free(p->data);
		p->data = NULL;
		if (e->reader != NULL) {
			err = dt_elf_remote_bytes(e, off, most, &p->data, &got);
		} else {
			got = off > e->size ? 0 : most < e->size - off ? most : e->size - off;
			p->data = malloc(got + 1);
			err = p->data != NULL ? dt_elf_read_at(e, off, p->data, got) : -ENOMEM;
		}
		p->off = off;
		p->len = got;
	}
	if (err == 0 && (off - p->off > p->len || len > p->len - (off - p->off)))
		err = -EIO;
	*data = err == 0 ? (const char *)p->data + (off - p->off) : NULL;
	return err;
}
