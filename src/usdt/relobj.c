/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The bytes of an object file come in, an ELF file that can be linked goes out, or a sentence that says why
 * it cannot be. file/elf.h checks every offset against the file.
 */
#include "usdt/relobj.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_bitcode(const void *data, size_t len)
{
	return len >= 4 && (memcmp(data, "BC\xc0\xde", 4) == 0 || memcmp(data, "\xde\xc0\x17\x0b", 4) == 0);
}

/* NULL: nothing is wrong with it. */
static const char *fault_of(const struct dt_elf *e)
{
	if (dt_elf_type(e) != ET_REL)
		return "not an object file to be linked: give -G the .o files";
	if (dt_elf_sections_lost(e))
		return "the table of sections lies outside the file, or has more than is read";
	return NULL;
}

int dt_relobj_open(struct dt_elf **elf, void *data, size_t len, char *msg, size_t msglen)
{
	int bits = dt_elf_bits(data, len);
	const char *why = bits == 0 ? "not an ELF file" :
	    bits != 64		    ? "not a 64-bit object: -G links no others" :
				      NULL;
	bool bitcode = is_bitcode(data, len);
	int err;

	*elf = NULL;
	if (bitcode || why != NULL) {
		free(data);
	} else if ((err = dt_elf_memory(data, len, elf)) != 0) {
		*elf = NULL;
		why = err == -ENOMEM ? "out of memory" :
			"the file is cut short, or for a machine with another byte order";
	} else {
		why = fault_of(*elf);
	}
	if (bitcode || why == NULL)
		return bitcode;
	dt_elf_close(*elf);
	*elf = NULL;
	snprintf(msg, msglen, "%s", why);
	return -EINVAL;
}
