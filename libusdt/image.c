/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A provider comes in, the bytes of an ELF file go out, as a linker would make it of probe sites that were
 * compiled: code, counters (.probes), notes (.note.stapsdt), types (.SUNW_dof) and symbols. An address is
 * the offset in the file. Code is the same with and without notes, so that one can be mapped over the other
 * while it is executed.
 */
#include "libusdt.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

enum { NOTE_TYPE = 3 };
enum { S_NONE, S_FRAMES, S_TEXT, S_BASE, S_PROBES, S_NOTES, S_DOF, S_SYMTAB, S_STRTAB, S_SHSTRTAB, SECTIONS };

/* ---- bytes ---- */

/* from NULL: zeros */
void usdt_put(struct bytes *b, const void *from, size_t len)
{
	if (!b->failed && b->len + len > b->cap) {
		size_t cap = 2 * b->cap > b->len + len ? 2 * b->cap : b->len + len + 4096;
		unsigned char *more = realloc(b->v, cap);

		b->failed = more == NULL;
		if (!b->failed) {
			b->v = more;
			b->cap = cap;
		}
	}
	if (b->failed || len == 0)
		return;
	if (from != NULL)
		memcpy(b->v + b->len, from, len);
	else
		memset(b->v + b->len, 0, len);
	b->len += len;
}

void usdt_pad(struct bytes *b, size_t align)
{
	usdt_put(b, NULL, (align - b->len % align) % align);
}

void usdt_free(struct bytes *b)
{
	free(b->v);
	*b = (struct bytes){ 0 };
}

static void put_text(struct bytes *b, const char *text)
{
	usdt_put(b, text, strlen(text) + 1);
}

/* ---- where things are ---- */

static size_t whole(size_t len, size_t page)
{
	return (len + page - 1) / page * page;
}

/* The byte behind the last site is .stapsdt.base. */
struct layout usdt_layout(size_t n, size_t page)
{
	return (struct layout){ whole(TEXT_AT + n * SITE_SIZE + 1, page), whole(n * sizeof(uint16_t), page),
		page };
}

static uint64_t site_at(size_t i)
{
	return TEXT_AT + (uint64_t)i * SITE_SIZE;
}

static uint64_t counter_at(const struct image *m, size_t i)
{
	return m->layout.text_len + (uint64_t)i * sizeof(uint16_t);
}

/* ---- sections ---- */

/*
 * Between the headers and the code: how a stack is walked, one rule for all sites. Tracers read it; the
 * process itself does not.
 */
struct frames {
	uint32_t cie_len, cie_id;
	unsigned char version, augmentation[3], code_align, data_align, return_reg, augmentation_len;
	unsigned char encoding;
	unsigned char cfa[MAX_CFA], nops[3];
	uint32_t fde_len, fde_back;
	int32_t begin;			/* relative to itself */
	uint32_t size;
	unsigned char fde_augmentation_len, pad[3];
	uint32_t end;
};

enum { FRAMES_AT = sizeof(Elf64_Ehdr) + 2 * sizeof(Elf64_Phdr) };
_Static_assert(FRAMES_AT % 8 == 0 && FRAMES_AT + sizeof(struct frames) <= TEXT_AT, "all is before the code");

static void fill_frames(const struct image *m, struct bytes *b)
{
	struct frames f = { .cie_len = offsetof(struct frames, fde_len) - 4, .version = 1,
		.augmentation = "zR", .code_align = 1, .data_align = 0x78 /* -8 */,
		.return_reg = usdt_return_reg, .augmentation_len = 1, .encoding = 0x1b /* pcrel, sdata4 */,
		.fde_len = offsetof(struct frames, end) - offsetof(struct frames, fde_back),
		.fde_back = offsetof(struct frames, fde_back),
		.begin = TEXT_AT - (int)(FRAMES_AT + offsetof(struct frames, begin)),
		.size = (uint32_t)(m->n * SITE_SIZE) };

	memcpy(f.cfa, usdt_cfa, sizeof(f.cfa));
	usdt_fill(b, FRAMES_AT, &f, sizeof(f));
}

static void put_code(const struct image *m, struct bytes *b)
{
	usdt_put(b, NULL, TEXT_AT - b->len);
	while (!b->failed && b->len + SITE_SIZE <= m->layout.text_len)
		usdt_put(b, usdt_site, SITE_SIZE);
	usdt_pad(b, m->layout.text_len);
	usdt_put(b, NULL, m->layout.data_len);
}

static void put_note(const struct image *m, size_t i, struct bytes *b)
{
	const struct probe *p = m->probes[i];
	uint64_t where[3] = { site_at(i), site_at(m->n), counter_at(m, i) };
	char args[DTRACE_USDT_MAXARGS * (MAX_OPERAND + 1)] = "", *to = args;
	uint32_t head[3] = { sizeof("stapsdt"), 0, NOTE_TYPE };

	for (int k = 0; k < p->ntypes; k++) {
		if (k > 0)
			*to++ = ' ';
		usdt_operand(to, k, usdt_size(p->type[k]));
		to += strlen(to);
	}
	head[1] = (uint32_t)(sizeof(where) + strlen(m->provider) + strlen(p->name) + strlen(args) + 3);
	usdt_put(b, head, sizeof(head));
	put_text(b, "stapsdt");
	usdt_put(b, where, sizeof(where));
	put_text(b, m->provider);
	put_text(b, p->name);
	put_text(b, args);
	usdt_pad(b, 4);
}

static void put_symbols(const struct image *m, struct bytes *b)
{
	uint32_t name = 1;

	usdt_put(b, NULL, sizeof(Elf64_Sym));
	for (size_t i = 0; i < m->n; i++) {
		Elf64_Sym s = { .st_name = name, .st_info = ELF64_ST_INFO(STB_LOCAL, STT_FUNC),
			.st_shndx = S_TEXT, .st_value = site_at(i), .st_size = SITE_SIZE };

		usdt_put(b, &s, sizeof(s));
		name += (uint32_t)strlen(m->probes[i]->function) + 1;
	}
}

static void put_symbol_names(const struct image *m, struct bytes *b)
{
	put_text(b, "");
	for (size_t i = 0; i < m->n; i++)
		put_text(b, m->probes[i]->function);
}

/* Each section ends where the next one begins, so `size` is known when the next is put. */
static void begin(Elf64_Shdr *s, struct bytes *b, uint32_t type, size_t align)
{
	usdt_pad(b, align);
	s->sh_type = type;
	s->sh_offset = b->len;
	s->sh_addralign = align;
}

static void end(Elf64_Shdr *s, const struct bytes *b)
{
	s->sh_size = b->len - s->sh_offset;
}

/* What is mapped: addresses are offsets. */
static void mapped_sections(const struct image *m, Elf64_Shdr s[SECTIONS])
{
	s[S_FRAMES] = (Elf64_Shdr){ .sh_type = SHT_PROGBITS, .sh_flags = SHF_ALLOC, .sh_addr = FRAMES_AT,
		.sh_offset = FRAMES_AT, .sh_size = sizeof(struct frames), .sh_addralign = 8 };
	s[S_TEXT] = (Elf64_Shdr){ .sh_type = SHT_PROGBITS, .sh_flags = SHF_ALLOC | SHF_EXECINSTR,
		.sh_addr = TEXT_AT, .sh_offset = TEXT_AT, .sh_size = m->n * SITE_SIZE, .sh_addralign = 16 };
	s[S_BASE] = (Elf64_Shdr){ .sh_type = SHT_PROGBITS, .sh_flags = SHF_ALLOC, .sh_addr = site_at(m->n),
		.sh_offset = site_at(m->n), .sh_size = 1, .sh_addralign = 1 };
	s[S_PROBES] = (Elf64_Shdr){ .sh_type = SHT_PROGBITS, .sh_flags = SHF_ALLOC | SHF_WRITE,
		.sh_addr = counter_at(m, 0), .sh_offset = counter_at(m, 0),
		.sh_size = m->n * sizeof(uint16_t), .sh_addralign = 2 };
}

/* What only tracers read, from the file. */
static void put_tables(const struct image *m, Elf64_Shdr s[SECTIONS], struct bytes *b)
{
	begin(&s[S_NOTES], b, SHT_NOTE, 4);
	for (size_t i = 0; i < m->n; i++)
		put_note(m, i, b);
	end(&s[S_NOTES], b);
	begin(&s[S_DOF], b, SHT_PROGBITS, 8);
	usdt_dof(m, b);
	end(&s[S_DOF], b);
	begin(&s[S_SYMTAB], b, SHT_SYMTAB, 8);
	put_symbols(m, b);
	end(&s[S_SYMTAB], b);
	s[S_SYMTAB].sh_entsize = sizeof(Elf64_Sym);
	s[S_SYMTAB].sh_link = S_STRTAB;
	s[S_SYMTAB].sh_info = (uint32_t)m->n + 1;	/* all are local */
	begin(&s[S_STRTAB], b, SHT_STRTAB, 1);
	put_symbol_names(m, b);
	end(&s[S_STRTAB], b);
}

static void put_section_names(Elf64_Shdr s[SECTIONS], struct bytes *b)
{
	static const char *const names[SECTIONS] = { "", ".eh_frame", ".text", ".stapsdt.base", ".probes",
		".note.stapsdt", ".SUNW_dof", ".symtab", ".strtab", ".shstrtab" };

	begin(&s[S_SHSTRTAB], b, SHT_STRTAB, 1);
	for (int i = 0; i < SECTIONS; i++) {
		s[i].sh_name = (uint32_t)(b->len - s[S_SHSTRTAB].sh_offset);
		put_text(b, names[i]);
	}
	end(&s[S_SHSTRTAB], b);
	s[S_NONE].sh_name = 0;
}

/* ---- the file ---- */

static void fill_headers(const struct image *m, uint64_t sections_at, struct bytes *b)
{
	const Elf64_Phdr ph[2] = {
		{ .p_type = PT_LOAD, .p_flags = PF_R | PF_X, .p_filesz = m->layout.text_len,
		    .p_memsz = m->layout.text_len, .p_align = m->layout.page },
		{ .p_type = PT_LOAD, .p_flags = PF_R | PF_W, .p_offset = m->layout.text_len,
		    .p_vaddr = m->layout.text_len, .p_paddr = m->layout.text_len,
		    .p_filesz = m->layout.data_len, .p_memsz = m->layout.data_len,
		    .p_align = m->layout.page },
	};
	const Elf64_Ehdr h = { .e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB,
		EV_CURRENT, ELFOSABI_SYSV }, .e_type = ET_DYN, .e_machine = usdt_machine,
		.e_version = EV_CURRENT, .e_phoff = sizeof(h), .e_shoff = sections_at, .e_ehsize = sizeof(h),
		.e_phentsize = sizeof(ph[0]), .e_phnum = 2, .e_shentsize = sizeof(Elf64_Shdr),
		.e_shnum = sections_at != 0 ? SECTIONS : 0, .e_shstrndx = sections_at != 0 ? S_SHSTRTAB : 0 };

	_Static_assert(sizeof(h) + sizeof(ph) == FRAMES_AT, "the headers end where the frames begin");
	usdt_fill(b, 0, &h, sizeof(h));
	usdt_fill(b, sizeof(h), ph, sizeof(ph));
}

void usdt_image(const struct image *m, struct bytes *b)
{
	Elf64_Shdr sections[SECTIONS] = { 0 };
	uint64_t at = 0;

	*b = (struct bytes){ 0 };
	put_code(m, b);
	if (m->n > 0) {
		mapped_sections(m, sections);
		put_tables(m, sections, b);
		put_section_names(sections, b);
		usdt_pad(b, 8);
		at = b->len;
		usdt_put(b, sections, sizeof(sections));
		fill_frames(m, b);
	}
	fill_headers(m, at, b);
}
