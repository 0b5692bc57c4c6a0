/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How much memory a file takes, and giving back what can be read again. Only names and sections are given
 * back: headers and segments stay, so that addresses can still be translated. Whoever unloads must hold no
 * name of the file, since they point into what is freed.
 */
#include "symbol/elf_impl.h"

#include <malloc.h>
#include <stdlib.h>

/*
 * Tables count with the slack that malloc() gave them, as -x namesize is a promise about memory. Debug
 * files count for the file that they belong to.
 */
size_t dt_elf_bytes(const struct dt_elf *e)
{
	size_t n = 0;

	if (e == NULL)
		return 0;
	for (int kind = 0; kind < DT_ELF_KINDS; kind++) {
		const struct dt_elf_names *names = &e->names[kind];

		n += malloc_usable_size(names->func) + malloc_usable_size(names->text) +
		    malloc_usable_size(names->start) + malloc_usable_size(names->index);
	}
	for (const struct dt_elf_bytes *b = e->bytes; b != NULL; b = b->next)
		n += sizeof(*b) + b->len;
	return n + sizeof(*e) + malloc_usable_size(e->head) + malloc_usable_size(e->ph) +
	    malloc_usable_size(e->sh) + dt_elf_bytes(e->debug);
}

/* Names are zeroed as well as freed: `loaded` is false again, and the next question reads them anew. */
void dt_elf_free_names(struct dt_elf *e)
{
	for (int kind = 0; kind < DT_ELF_KINDS; kind++) {
		free(e->names[kind].func);
		free(e->names[kind].text);
		free(e->names[kind].start);
		free(e->names[kind].index);
		e->names[kind] = (struct dt_elf_names){ 0 };
	}
	for (struct dt_elf_bytes *b = e->bytes, *next; b != NULL; b = next) {
		next = b->next;
		free(b->data);
		free(b);
	}
	e->bytes = NULL;
}

void dt_elf_unload(struct dt_elf *e)
{
	if (e->reader == NULL)
		return;		/* names and headers are in one place */
	dt_elf_close(e->debug);
	e->debug = NULL;
	dt_elf_free_names(e);
}
