/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Debugging data in zstd, which libdw does not know before version 0.189: a small file in memory is made of
 * what libdw reads, with all of it unpacked. What programs load is left out; its headers stay.
 */
#include "file/dies_impl.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define IMAGE_MAX (1ull << 30)

static bool is_data(const Elf64_Shdr *sh)
{
	return sh->sh_type != SHT_NOBITS && sh->sh_type != SHT_NULL && !(sh->sh_flags & SHF_ALLOC);
}

/* What the section has when it is unpacked; UINT64_MAX: it cannot be. */
static uint64_t full_size(struct dt_elf *e, const Elf64_Shdr *sh, uint32_t *type)
{
	Elf64_Chdr c;

	*type = 0;
	if (!is_data(sh))
		return 0;
	if (!(sh->sh_flags & SHF_COMPRESSED))
		return sh->sh_size;
	if (sh->sh_size < sizeof(c) || dt_elf_read_at(e, sh->sh_offset, &c, sizeof(c)) != 0)
		return UINT64_MAX;
	*type = c.ch_type;
	return c.ch_size;
}

/* The size of the image; 0: there is no need of one, or it would be too large. */
static uint64_t image_size(struct dt_elf *e)
{
	uint64_t total = sizeof(Elf64_Ehdr) + e->nsh * sizeof(Elf64_Shdr);
	bool need = false;

	if (!dt_elf_is_64(e) || e->nsh >= SHN_LORESERVE)
		return 0;
	for (uint32_t i = 0; i < e->nsh; i++) {
		uint32_t type;
		uint64_t size = full_size(e, &e->sh[i], &type);

		need |= type == DT_ELF_ZSTD;
		if (size > IMAGE_MAX || total > IMAGE_MAX)
			return 0;
		total += (size + 15) & ~15ull;
	}
	return need && total <= IMAGE_MAX ? total : 0;
}

struct image { uint8_t *bytes; uint64_t at, end; };

/* One section, and its header as it is now. The file may have changed since its sizes were added up. */
static int put_section(struct dt_elf *e, dt_unzstd_f *zstd, const Elf64_Shdr *from, struct image *m,
    Elf64_Shdr *to)
{
	uint32_t type;
	uint64_t size = full_size(e, from, &type);
	int err;

	*to = *from;
	if (!is_data(from)) {
		to->sh_type = from->sh_type == SHT_NULL ? SHT_NULL : SHT_NOBITS;
		return 0;
	}
	if (size > m->end - m->at || ((size + 15) & ~15ull) > m->end - m->at)
		return -ENOEXEC;
	err = from->sh_flags & SHF_COMPRESSED ? dt_elf_unpack_to(e, from, m->bytes + m->at, size, zstd) :
						dt_elf_read_at(e, from->sh_offset, m->bytes + m->at, size);
	to->sh_offset = m->at;
	to->sh_size = size;
	to->sh_flags &= ~(uint64_t)SHF_COMPRESSED;
	m->at += (size + 15) & ~15ull;
	return err;
}

void *dt_dw_unpacked(struct dt_elf *e, dt_unzstd_f *zstd, size_t *len)
{
	struct image m = { .at = sizeof(Elf64_Ehdr) + e->nsh * sizeof(Elf64_Shdr), .end = image_size(e) };
	Elf64_Ehdr eh = e->eh;
	int err = 0;

	m.bytes = m.end > 0 ? calloc(1, m.end) : NULL;
	if (m.bytes == NULL)
		return NULL;
	eh.e_phoff = eh.e_phnum = 0;
	eh.e_shoff = sizeof(eh);
	eh.e_shentsize = sizeof(Elf64_Shdr);
	eh.e_shnum = (uint16_t)e->nsh;
	memcpy(m.bytes, &eh, sizeof(eh));
	for (uint32_t i = 0; i < e->nsh && err == 0; i++) {
		Elf64_Shdr sh;

		err = put_section(e, zstd, &e->sh[i], &m, &sh);
		memcpy(m.bytes + sizeof(eh) + i * sizeof(sh), &sh, sizeof(sh));
	}
	if (err != 0) {
		free(m.bytes);
		return NULL;
	}
	*len = m.end;
	return m.bytes;
}
