/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Unpacks compressed sections (SHF_COMPRESSED): zlib, which Go uses for its debugging data, and zstd by a
 * function of a caller that has one. A section whose unpacked length differs from its header is refused.
 * libelf needs zlib too, so it costs nothing at start; libzstd would take a tenth of it.
 */
#include "file/elf_impl.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#define UNPACKED_MAX (256ull << 20)

static int inflate_all(const void *from, size_t len, void *to, uint64_t size)
{
	unsigned long got = size;

	return uncompress(to, &got, from, len) == Z_OK && got == size ? 0 : -ENOEXEC;
}

static int unpack(uint32_t type, const void *from, size_t len, void *to, uint64_t size, dt_unzstd_f *zstd)
{
	if (type != DT_ELF_ZSTD)
		return inflate_all(from, len, to, size);
	return zstd == NULL ? -ENOTSUP : zstd(to, size, from, len) == size ? 0 : -ENOEXEC;
}

static int header(const struct dt_elf *e, const void *data, size_t len, uint32_t *type, uint64_t *size,
    size_t *hlen)
{
	Elf64_Chdr wide;
	Elf32_Chdr narrow;

	*hlen = dt_elf_is_64(e) ? sizeof(wide) : sizeof(narrow);
	if (len < *hlen)
		return -ENOEXEC;
	if (dt_elf_is_64(e)) {
		memcpy(&wide, data, sizeof(wide));
		*type = wide.ch_type;
		*size = wide.ch_size;
	} else {
		memcpy(&narrow, data, sizeof(narrow));
		*type = narrow.ch_type;
		*size = narrow.ch_size;
	}
	return *type == ELFCOMPRESS_ZLIB || *type == DT_ELF_ZSTD ? 0 : -ENOTSUP;
}

int dt_elf_unpack_to(struct dt_elf *e, const Elf64_Shdr *sh, void *to, uint64_t size,
    dt_unzstd_f *zstd)
{
	uint64_t has;
	const void *data;
	uint32_t type;
	size_t hlen;
	int err = dt_elf_read(e, sh->sh_offset, sh->sh_size, &data);

	if (err != 0)
		return err;
	err = header(e, data, sh->sh_size, &type, &has, &hlen);
	if (err == 0)
		err = has != size ? -ENOEXEC :
		    unpack(type, (const char *)data + hlen, sh->sh_size - hlen, to, size, zstd);
	dt_elf_forget(e, data);
	return err;
}

int dt_elf_unpack(struct dt_elf *e, const char *name, void **out, size_t *outlen)
{
	const Elf64_Shdr *sh = dt_elf_section_named(e, name);
	uint8_t head[sizeof(Elf64_Chdr)] = { 0 };
	uint64_t size = 0;
	uint32_t type;
	size_t hlen;
	int err;

	if (sh == NULL || sh->sh_type == SHT_NOBITS || !(sh->sh_flags & SHF_COMPRESSED))
		return -ENOENT;
	err = dt_elf_read_at(e, sh->sh_offset, head, sh->sh_size < sizeof(head) ? sh->sh_size : sizeof(head));
	if (err == 0)
		err = header(e, head, sh->sh_size, &type, &size, &hlen);
	if (err == 0 && (size == 0 || size > UNPACKED_MAX))
		err = -EFBIG;
	*out = err == 0 ? malloc(size) : NULL;
	if (err == 0 && *out == NULL)
		err = -ENOMEM;
	if (err == 0)
		err = dt_elf_unpack_to(e, sh, *out, size, NULL);
	if (err != 0)
		free(*out);
	*outlen = size;
	return err;
}
