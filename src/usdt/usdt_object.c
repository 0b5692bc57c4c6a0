/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Probes come in, the relocatable ELF object of `dtrace -G` goes out: the semaphores, the declaration
 * as DOF, and a function for each probe that objects call in the manner of other systems' headers. Such
 * a function is itself a probe site: a nop and a return, and its note says that the values are where
 * the caller put them.
 */
#include "usdt/usdt.h"
#include "machine/machine.h"

#include <elf.h>

#ifndef SHF_GNU_RETAIN
#define SHF_GNU_RETAIN (1 << 21)
#endif

struct bytes { DT_VEC(unsigned char) b; };

struct section {
	Elf64_Shdr h;
	const void *data;
};

enum { LOCALS_TEXT = 1, LOCALS_DOF, LOCALS_BASE, NLOCALS };	/* the first symbols */

/* An object in the making. Sections and symbols refer to each other by number, so none is ever removed. */
struct object {
	struct dt_arena *arena;
	const struct dt_usdt_object *in;
	DT_VEC(struct section) secs;
	DT_VEC(Elf64_Sym) syms;
	DT_VEC(Elf64_Rela) rela_text, rela_note;
	struct bytes text, notes, names, strings;	/* names: of sections */
	uint32_t s_text, s_probes, s_base, s_group, base_sym;
};

static void put_bytes(struct object *o, struct bytes *to, const void *data, size_t len)
{
	for (size_t i = 0; i < len; i++)
		dt_vec_push(o->arena, &to->b, ((const unsigned char *)data)[i]);
}

/* Appends a string to a table and returns where it is. */
static uint32_t put_name(struct object *o, struct bytes *to, const char *name)
{
	uint32_t at = (uint32_t)to->b.n;

	put_bytes(o, to, name, strlen(name) + 1);
	return at;
}

static void pad(struct object *o, struct bytes *to, size_t align)
{
	while (to->b.n % align != 0)
		put_bytes(o, to, "", 1);
}

static uint32_t add_section(struct object *o, const char *name, uint32_t type, uint64_t flags, uint64_t align,
    const void *data, uint64_t size)
{
	struct section s = {
		.h = { .sh_type = type, .sh_flags = flags, .sh_addralign = align, .sh_size = size },
		.data = data
	};

	s.h.sh_name = put_name(o, &o->names, name);
	dt_vec_push(o->arena, &o->secs, s);
	return (uint32_t)o->secs.n - 1;
}

static uint32_t add_symbol(struct object *o, const char *name, unsigned bind, unsigned type,
    unsigned visibility, uint32_t sec, uint64_t value, uint64_t size)
{
	Elf64_Sym s = { .st_info = ELF64_ST_INFO(bind, type),
		.st_other = (unsigned char)visibility,
		.st_shndx = (uint16_t)sec,
		.st_value = value,
		.st_size = size };

	s.st_name = *name != '\0' ? put_name(o, &o->strings, name) : 0;
	dt_vec_push(o->arena, &o->syms, s);
	return (uint32_t)o->syms.n - 1;
}

/* ---- code ---- */

static void put_word(struct object *o, struct bytes *to, uint32_t word)
{
	/* all machines are little endian, and so is what we run on */
	put_bytes(o, to, &word, sizeof(word));
}

/* The linker fills in the address of a symbol at this place in the code. */
static void relocate(struct object *o, uint64_t at, uint32_t sym, uint32_t type, int64_t addend)
{
	dt_vec_push(o->arena, &o->rela_text, ((Elf64_Rela){ at, ELF64_R_INFO((uint64_t)sym, type), addend }));
}

/* Returns where the nop is: after the landing pad. */
static uint64_t put_probe(struct object *o)
{
	const struct dt_machine *m = dt_machine_elf(o->in->machine);
	uint64_t at = o->text.b.n + m->usdt.nop;

	put_bytes(o, &o->text, m->usdt.probe, m->usdt.probe_len);
	return at;
}

/* A function that returns the semaphore: how often the probe is enabled. */
static void put_enabled(struct object *o, uint32_t sem)
{
	const struct dt_machine *m = dt_machine_elf(o->in->machine);
	uint64_t at = o->text.b.n;

	put_bytes(o, &o->text, m->usdt.enabled, m->usdt.enabled_len);
	for (int i = 0; i < 2 && m->usdt.reloc[i].type != 0; i++)
		relocate(o, at + m->usdt.reloc[i].at, sem, m->usdt.reloc[i].type, m->usdt.reloc[i].addend);
}

/* ---- notes ---- */

/* A word of a note that the linker fills in; zero until then. */
static void note_address(struct object *o, uint32_t sym, uint64_t addend)
{
	static const uint64_t zero;
	uint32_t type = dt_machine_elf(o->in->machine)->reloc.word;

	dt_vec_push(o->arena, &o->rela_note,
	    ((Elf64_Rela){ o->notes.b.n, ELF64_R_INFO((uint64_t)sym, type), (int64_t)addend }));
	put_bytes(o, &o->notes, &zero, sizeof(zero));
}

/* The format of .note.stapsdt, type 3: three addresses, then three strings. */
static void put_note(struct object *o, const struct dt_usdt_probe *p, const char *args, uint64_t pc,
    uint32_t sem)
{
	size_t desc = 24 + strlen(p->provider->name) + strlen(p->source) + strlen(args) + 3;

	put_word(o, &o->notes, sizeof("stapsdt"));
	put_word(o, &o->notes, (uint32_t)desc);
	put_word(o, &o->notes, 3);
	put_name(o, &o->notes, "stapsdt");
	note_address(o, LOCALS_TEXT, pc);
	note_address(o, o->base_sym, 0);
	note_address(o, sem, 0);
	put_name(o, &o->notes, p->provider->name);
	put_name(o, &o->notes, p->source);
	put_name(o, &o->notes, args);
	pad(o, &o->notes, 4);
}

/*
 * The landing pads above make the object fit for programs that protect branches and return addresses.
 */
static void add_property(struct object *o)
{
	uint32_t *p = DT_NEWN(o->arena, uint32_t, 8);
	const uint32_t fill[8] = { 4, 16, 5 /* NT_GNU_PROPERTY_TYPE_0 */, 0,
		dt_machine_elf(o->in->machine)->usdt.property, 4, 3, 0 };

	memcpy(p, fill, sizeof(fill));
	memcpy(&p[3], "GNU", 4);
	add_section(o, ".note.gnu.property", SHT_NOTE, SHF_ALLOC, 8, p, sizeof(fill));
}

/* ---- the object ---- */

/* The semaphores have the order of the probes, and so have their symbols. */
static void add_semaphores(struct object *o, uint32_t *first)
{
	const struct dt_usdt *set = o->in->set;

	*first = (uint32_t)o->syms.n;
	for (uint32_t i = 0; i < set->nprobes; i++)
		add_symbol(o, set->probes[i].semaphore, STB_GLOBAL, STT_OBJECT, STV_HIDDEN, o->s_probes,
		    2 * (uint64_t)i, 2);
}

/* Aligned as compilers align functions. Its symbol is hidden: each object that is linked has its own. */
static void add_stub(struct object *o, const struct dt_usdt_stub *s, uint32_t sem)
{
	uint64_t at;

	pad(o, &o->text, 16);
	at = o->text.b.n;
	if (s->enabled)
		put_enabled(o, sem);
	else
		put_note(o, s->probe, s->args, put_probe(o), sem);
	add_symbol(o, s->symbol, STB_GLOBAL, STT_FUNC, STV_HIDDEN, o->s_text, at, o->text.b.n - at);
}

static void add_relocations(struct object *o, const char *name, const Elf64_Rela *r, size_t n,
    uint32_t target, uint32_t symtab)
{
	uint32_t i = add_section(o, name, SHT_RELA, SHF_INFO_LINK, 8, r, n * sizeof(*r));

	o->secs.v[i].h.sh_link = symtab;
	o->secs.v[i].h.sh_info = target;
	o->secs.v[i].h.sh_entsize = sizeof(*r);
}

/* The base: one byte. A program keeps one, whichever object brings it. */
static void add_base(struct object *o)
{
	uint32_t *group = DT_NEWN(o->arena, uint32_t, 2);

	group[0] = GRP_COMDAT;
	o->s_group = add_section(o, ".group", SHT_GROUP, 0, 4, group, 8);
	o->secs.v[o->s_group].h.sh_entsize = 4;
	group[1] = o->s_base = add_section(o, ".stapsdt.base", SHT_PROGBITS, SHF_ALLOC | SHF_GROUP, 1, "", 1);
}

/* Local symbols come first, as ELF demands; NLOCALS says how many there are. */
static void add_symbols(struct object *o, uint32_t dof)
{
	add_symbol(o, "", STB_LOCAL, STT_NOTYPE, STV_DEFAULT, 0, 0, 0);
	add_symbol(o, "", STB_LOCAL, STT_SECTION, STV_DEFAULT, o->s_text, 0, 0);
	add_symbol(o, "__SUNW_dof", STB_LOCAL, STT_OBJECT, STV_DEFAULT, dof, 0, o->in->doflen);
	add_symbol(o, ".stapsdt.base", STB_LOCAL, STT_NOTYPE, STV_DEFAULT, o->s_group, 0, 0);
	o->base_sym = add_symbol(o, "_.stapsdt.base", STB_WEAK, STT_NOTYPE, STV_HIDDEN, o->s_base, 0, 1);
}

/*
 * Last, when the contents of all sections are known. Names are added up to the very end, so the table
 * of section names takes its data after its own name was put.
 */
static void add_tables(struct object *o, uint32_t note)
{
	uint32_t symtab = add_section(o, ".symtab", SHT_SYMTAB, 0, 8, o->syms.v,
	    o->syms.n * sizeof(Elf64_Sym));
	uint32_t strtab;

	o->secs.v[symtab].h.sh_entsize = sizeof(Elf64_Sym);
	o->secs.v[symtab].h.sh_info = NLOCALS;
	o->secs.v[o->s_group].h.sh_link = symtab;
	o->secs.v[o->s_group].h.sh_info = LOCALS_BASE;
	o->secs.v[o->s_text].data = o->text.b.v;
	o->secs.v[o->s_text].h.sh_size = o->text.b.n;
	o->secs.v[note].data = o->notes.b.v;
	o->secs.v[note].h.sh_size = o->notes.b.n;
	if (o->rela_text.n > 0)
		add_relocations(o, ".rela.text", o->rela_text.v, o->rela_text.n, o->s_text, symtab);
	if (o->rela_note.n > 0)
		add_relocations(o, ".rela.note.stapsdt", o->rela_note.v, o->rela_note.n, note, symtab);
	strtab = add_section(o, ".strtab", SHT_STRTAB, 0, 1, o->strings.b.v, o->strings.b.n);
	o->secs.v[symtab].h.sh_link = strtab;
	add_section(o, ".shstrtab", SHT_STRTAB, 0, 1, NULL, 0);
	o->secs.v[o->secs.n - 1].data = o->names.b.v;
	o->secs.v[o->secs.n - 1].h.sh_size = o->names.b.n;
}

/* Offsets by the alignment of each section, then the header, the contents, and the table of sections. */
static void *lay_out(struct object *o, size_t *len)
{
	Elf64_Ehdr h = { .e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT,
			     ELFOSABI_NONE },
		.e_type = ET_REL,
		.e_machine = o->in->machine,
		.e_version = EV_CURRENT,
		.e_flags = dt_machine_elf(o->in->machine)->usdt.eflags,
		.e_ehsize = sizeof(h),
		.e_shentsize = sizeof(Elf64_Shdr),
		.e_shnum = (uint16_t)o->secs.n,
		.e_shstrndx = (uint16_t)(o->secs.n - 1) };
	uint64_t at = sizeof(h);
	unsigned char *file;

	for (size_t i = 1; i < o->secs.n; i++) {
		Elf64_Shdr *s = &o->secs.v[i].h;

		s->sh_offset = (at + s->sh_addralign - 1) & ~(s->sh_addralign - 1);
		at = s->sh_offset + s->sh_size;
	}
	h.e_shoff = (at + 7) & ~UINT64_C(7);
	*len = h.e_shoff + o->secs.n * sizeof(Elf64_Shdr);
	file = dt_arena_alloc(o->arena, *len);
	memcpy(file, &h, sizeof(h));
	for (size_t i = 0; i < o->secs.n; i++) {
		const struct section *s = &o->secs.v[i];

		memcpy(file + h.e_shoff + i * sizeof(s->h), &s->h, sizeof(s->h));
		if (s->h.sh_size > 0)
			memcpy(file + s->h.sh_offset, s->data, s->h.sh_size);
	}
	return file;
}

void *dt_usdt_object(struct dt_arena *arena, const struct dt_usdt_object *in, size_t *len)
{
	struct object o = { .arena = arena, .in = in };
	uint32_t dof, note, semaphores;

	put_name(&o, &o.names, "");
	put_name(&o, &o.strings, "");
	dt_vec_push(arena, &o.secs, (struct section){ 0 });
	add_base(&o);
	o.s_text = add_section(&o, ".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, 16, NULL, 0);
	o.s_probes = add_section(&o, ".probes", SHT_PROGBITS, SHF_ALLOC | SHF_WRITE, 2,
	    DT_NEWN(arena, uint16_t, in->set->nprobes), 2 * (uint64_t)in->set->nprobes);
	dof = add_section(&o, ".SUNW_dof", SHT_PROGBITS, SHF_ALLOC | SHF_GNU_RETAIN, 8, in->dof, in->doflen);
	note = add_section(&o, ".note.stapsdt", SHT_NOTE, 0, 4, NULL, 0);
	if (dt_machine_elf(in->machine)->usdt.property != 0)
		add_property(&o);
	add_section(&o, ".note.GNU-stack", SHT_PROGBITS, 0, 1, NULL, 0);
	add_symbols(&o, dof);
	add_semaphores(&o, &semaphores);
	for (uint32_t i = 0; i < in->nstubs; i++)
		add_stub(&o, &in->stubs[i], semaphores + (uint32_t)(in->stubs[i].probe - in->set->probes));
	add_tables(&o, note);
	return lay_out(&o, len);
}
