/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The symbol of an IFUNC leads to code that chooses the function when the program starts. The choice is
 * stored in the slots that calls go through: they are found by the relocations of the process's files
 * and read from its memory.
 */
#include "provider/objects.h"
#include "machine/machine.h"
#include "symbol/reader.h"

#include <elf.h>
#include <stdio.h>

enum { SLOTS_MAX = 64 };		/* one that is bound is among the first */

struct search {
	const struct dt_loaded *in;	/* where the function is */
	const struct dt_elf_function *f;
	struct dt_reader *reader;	/* a page may be one that nobody delivers */
	char mem[32];			/* the process's memory, as a file */
	uint32_t slots;			/* that were looked at */
	uint64_t found;			/* address in the file, 0 none */
};

struct symbols {			/* of the file whose relocations are read */
	const Elf64_Sym *sym;
	size_t nsym;
	const char *str;
	size_t nstr;
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

static bool symbol_named(const struct symbols *s, uint64_t index, const char *name)
{
	size_t len = strlen(name);

	if (index >= s->nsym || s->sym[index].st_name >= s->nstr || s->nstr - s->sym[index].st_name <= len)
		return false;
	return memcmp(s->str + s->sym[index].st_name, name, len + 1) == 0;
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

static void relocations(struct search *s, const struct dt_loaded *l, const struct symbols *syms,
    const char *section)
{
	uint16_t machine = dt_elf_machine(l->obj->elf);
	const void *data;
	size_t len;
	uint64_t addr;

	if (dt_elf_section(l->obj->elf, section, &data, &len, &addr) != 0 || data == NULL)
		return;
	for (size_t i = 0; i + sizeof(Elf64_Rela) <= len && s->found == 0; i += sizeof(Elf64_Rela)) {
		uint32_t type;
		Elf64_Rela r;

		memcpy(&r, (const char *)data + i, sizeof(r));
		type = (uint32_t)ELF64_R_TYPE(r.r_info);
		if (l == s->in ? is_irelative(machine, type) && (uint64_t)r.r_addend == s->f->vaddr :
		    is_call_slot(machine, type) && symbol_named(syms, ELF64_R_SYM(r.r_info), s->f->name))
			look_at_slot(s, l->bias + r.r_offset);
	}
}

static void search_in(struct search *s, const struct dt_loaded *l)
{
	struct symbols syms = { 0 };
	const void *data;
	size_t len;
	uint64_t addr;

	if (!dt_elf_is_64(l->obj->elf))
		return;
	if (dt_elf_section(l->obj->elf, ".dynsym", &data, &len, &addr) == 0 && data != NULL &&
	    ((uintptr_t)data & 7) == 0) {
		syms.sym = data;
		syms.nsym = len / sizeof(Elf64_Sym);
	}
	if (dt_elf_section(l->obj->elf, ".dynstr", &data, &len, &addr) == 0 && data != NULL) {
		syms.str = data;
		syms.nstr = len;
	}
	relocations(s, l, &syms, ".rela.plt");
	relocations(s, l, &syms, ".rela.dyn");
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
