/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Unpacks compressed sections (SHF_COMPRESSED), which Go uses for its debugging data. zlib is loaded
 * when the first such section is read, so it costs nothing at start. A section whose unpacked length
 * differs from its header is refused.
 */
#include "symbol/elf_impl.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define UNPACKED_MAX (256ull << 20)

typedef int uncompress_f(unsigned char *to, unsigned long *tolen, const unsigned char *from,
    unsigned long len);

static int inflate(const void *from, size_t len, void *to, uint64_t size)
{
	void *lib = dlopen("libz.so.1", RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
	unsigned long got = size;
	uncompress_f *f = NULL;
	int err;

	if (lib != NULL)
		*(void **)&f = dlsym(lib, "uncompress");
	err = f == NULL ? -ELIBACC : f(to, &got, from, len) == 0 && got == size ? 0 : -ENOEXEC;
	if (lib != NULL)
		dlclose(lib);
	return err;
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
	return *type != ELFCOMPRESS_ZLIB ? -ENOTSUP : *size == 0 || *size > UNPACKED_MAX ? -EFBIG : 0;
}

int dt_elf_unpack(struct dt_elf *e, const char *name, void **out, size_t *outlen)
{
	const Elf64_Shdr *sh = dt_elf_section_named(e, name);
	const void *data;
	size_t hlen = 0;
	uint64_t size = 0;
	uint32_t type;
	int err;

	if (sh == NULL || sh->sh_type == SHT_NOBITS || !(sh->sh_flags & SHF_COMPRESSED))
		return -ENOENT;
	err = dt_elf_read(e, sh->sh_offset, sh->sh_size, &data);
	if (err != 0)
		return err;
	err = header(e, data, sh->sh_size, &type, &size, &hlen);
	*out = err == 0 ? malloc(size) : NULL;
	if (err == 0 && *out == NULL)
		err = -ENOMEM;
	if (err == 0)
		err = inflate((const char *)data + hlen, sh->sh_size - hlen, *out, size);
	if (err != 0)
		free(*out);
	dt_elf_forget(e, data);
	*outlen = size;
	return err;
}
