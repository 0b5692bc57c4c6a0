/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The symbol of an IFUNC leads to code that chooses the function when the program starts. The choice is
 * stored in the slots that calls go through: they are found by the relocations of the process's files
 * and read from its memory.
 */
#include "provider/objects.h"
#include "machine/machine.h"
#include "file/reader.h"

#include <stdio.h>

enum { SLOTS_MAX = 64 };		/* one that is bound is among the first */

struct search {
	const struct dt_loaded *in;	/* where the function is */
	const struct dt_elf_function *f;
	const struct dt_loaded *file;	/* whose relocations are read */
	struct dt_reader *reader;	/* reading a page may block forever */
	char mem[32];			/* the process's memory, as a file */
	uint32_t slots;			/* that were looked at */
	uint64_t found;			/* address in the file, 0 none */
};

static bool is_irelative(uint16_t machine, uint32_t type)
{
	const struct dt_machine *m = dt_machine_elf(machine);

	return m != NULL && type == m->reloc.irelative;
}

static bool is_call_slot(uint16_t machine, uint32_t type)
{
	const struct dt_machine *m = dt_machine_elf(machine);

	return m != NULL &&
	    (type == m->reloc.jump_slot || type == m->reloc.glob_dat || type == m->reloc.word);
}

/*
 * Does the slot hold a function of ours? Before a call is bound, the slot leads back into the calling
 * file.
 */
static void look_at_slot(struct search *s, uint64_t slot)
{
	uint64_t value, off;

	if (s->slots++ >= SLOTS_MAX || dt_reader_word(s->reader, s->mem, slot, &value) != 0)
		return;
	value -= s->in->bias;
	if (value != s->f->vaddr && dt_elf_vaddr_to_offset(s->in->obj->elf, value, &off))
		s->found = value;
}

static bool relocation(void *ctx, const struct dt_elf_slot *r)
{
	struct search *s = ctx;
	uint16_t machine = dt_elf_machine(s->file->obj->elf);

	if (s->file == s->in ? is_irelative(machine, r->type) && r->addend == s->f->vaddr :
	    is_call_slot(machine, r->type) && r->name != NULL && strcmp(r->name, s->f->name) == 0)
		look_at_slot(s, s->file->bias + r->vaddr);
	return s->found == 0;
}

static void search_in(struct search *s, const struct dt_loaded *l)
{
	s->file = l;
	dt_elf_each_slot(l->obj->elf, relocation, s);
}

bool dt_ifunc_chosen(const struct dt_process *proc, const struct dt_loaded *in,
    const struct dt_elf_function *f, uint64_t *offset)
{
	struct search s = { .in = in, .f = f, .reader = dt_elf_reader(in->obj->elf) };

	snprintf(s.mem, sizeof(s.mem), "/proc/%u/mem", proc->pid);
	search_in(&s, in);
	for (size_t i = 0; i < proc->list.n && s.found == 0; i++)
		if (&proc->list.v[i] != in)
			search_in(&s, &proc->list.v[i]);
	return s.found != 0 && dt_elf_vaddr_to_offset(in->obj->elf, s.found, offset);
}
