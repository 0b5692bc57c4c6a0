/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How much memory a file takes, and giving back what can be read again. Only names and sections are given
 * back: headers and segments stay, so that addresses can still be translated. Whoever unloads must hold no
 * name of the file, since they point into what is freed.
 */
#include "file/elf_impl.h"

#include <malloc.h>
#include <stdlib.h>
#include <sys/mman.h>

enum { LARGE = 64 << 10 };		/* bytes of a block that is a mapping of its own */

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

		n += (names->block != 0 ? names->block : malloc_usable_size(names->func)) +
		    malloc_usable_size(names->start) + malloc_usable_size(names->index);
	}
	for (const struct dt_elf_bytes *b = e->bytes; b != NULL; b = b->next)
		n += sizeof(*b) + b->len;
	n += e->lines.len;
	return n + sizeof(*e) + malloc_usable_size(e->head) + malloc_usable_size(e->ph) +
	    malloc_usable_size(e->sh) + dt_elf_bytes(e->debug);
}

/*
 * A large block is a mapping: whatever else is allocated, it goes back to the system at once, and children,
 * which begin as copies of the tracer, do not have it: they would keep what was in it as long as they live.
 */
void *dt_elf_block(size_t len)
{
	void *p;

	if (len < LARGE)
		return malloc(len);
	p = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (p == MAP_FAILED)
		return NULL;
	(void)madvise(p, len, MADV_DONTFORK);
	return p;
}

static void free_block(void *p, size_t len)
{
	if (len < LARGE)
		free(p);
	else
		munmap(p, len);
}

/* Names are zeroed as well as freed: `loaded` is false again, and the next question reads them anew. */
void dt_elf_free_names(struct dt_elf *e)
{
	for (int kind = 0; kind < DT_ELF_KINDS; kind++) {
		free_block(e->names[kind].func, e->names[kind].block);
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
	free(e->lines.bytes);
	e->lines = (struct dt_lines){ 0 };
	e->has_lines = false;
}

void dt_elf_unload(struct dt_elf *e)
{
	if (e->reader == NULL)
		return;		/* names and headers are in one place */
	dt_elf_close(e->debug);
	e->debug = NULL;
	dt_elf_free_names(e);
}
