/* SPDX-License-Identifier: BSD-2-Clause */
/* ELF files of both word sizes, made in memory: with functions, variables and a build id, or one function. */
#ifndef TEST_UNIT_ELF_IMAGE_H
#define TEST_UNIT_ELF_IMAGE_H

#include <elf.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { BASE = 0x400000, TEXT_OFF = 0x400, TEXT_LEN = 0x200, IMAGE = 0x1200 };

struct sym { const char *name; uint64_t at, size; uint8_t bind, type; };

static const struct sym syms[] = {
	{ "_start", 0x00, 0, STB_GLOBAL, STT_NOTYPE },
	{ "__alias_of_one", 0x20, 0x10, STB_GLOBAL, STT_FUNC },
	{ "one_local", 0x20, 0x10, STB_LOCAL, STT_FUNC },
	{ "one_weak", 0x20, 0x10, STB_WEAK, STT_FUNC },
	{ "one", 0x20, 0x10, STB_GLOBAL, STT_FUNC },
	{ "one_longer", 0x20, 0x10, STB_GLOBAL, STT_FUNC },
	{ "label_inside_one", 0x28, 0, STB_LOCAL, STT_NOTYPE },
	{ "$x", 0x40, 0, STB_LOCAL, STT_NOTYPE },
	{ "no_size", 0x40, 0, STB_GLOBAL, STT_FUNC },
	/* N14: as libc has them */
	{ "__dup", 0xa0, 0x8, STB_GLOBAL, STT_FUNC },
	{ "dup", 0xa0, 0x8, STB_WEAK, STT_FUNC },
	{ "d", 0xa0, 0x8, STB_LOCAL, STT_FUNC },
	{ "versioned@@V_2", 0x60, 0x8, STB_GLOBAL, STT_FUNC },
	{ "chosen_later", 0x80, 0x8, STB_GLOBAL, STT_GNU_IFUNC },
	{ "around", 0x100, 0x80, STB_GLOBAL, STT_FUNC },
	{ "within", 0x120, 0x10, STB_GLOBAL, STT_FUNC },
	{ "object", 0x190, 8, STB_GLOBAL, STT_OBJECT },
	/* E1: as a library without other symbols has them: no name of what is behind it */
	{ "VERSION_1", 0x1a0, 0, STB_GLOBAL, STT_OBJECT },
	{ "last", 0x1c0, 0, STB_GLOBAL, STT_FUNC },
};
enum { NSYMS = sizeof(syms) / sizeof(syms[0]) };

static const char shnames[] = "\0.text\0.symtab\0.strtab\0.shstrtab\0.note.gnu.build-id";

#define PUT(off, T, ...) do { T put_ = __VA_ARGS__; memcpy(b + (off), &put_, sizeof(put_)); } while (0)

/*
 * headers 0, segments 0x40, the id 0x100, names 0x140, text 0x400, symbols 0x600, strings 0x900, sections
 * 0xc00
 */
static uint8_t *image64(void)
{
	uint8_t *b = calloc(1, IMAGE);
	uint32_t at = 1;

	PUT(0, Elf64_Ehdr, { .e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT },
		.e_type = ET_EXEC, .e_machine = EM_AARCH64, .e_version = 1, .e_phoff = 0x40, .e_shoff = 0xc00,
		.e_ehsize = sizeof(Elf64_Ehdr), .e_phentsize = sizeof(Elf64_Phdr), .e_phnum = 2,
		.e_shentsize = sizeof(Elf64_Shdr), .e_shnum = 6, .e_shstrndx = 4 });
	PUT(0x40, Elf64_Phdr, { .p_type = PT_LOAD, .p_flags = PF_X | PF_R, .p_offset = TEXT_OFF,
		.p_vaddr = BASE + TEXT_OFF, .p_filesz = TEXT_LEN, .p_memsz = TEXT_LEN });
	PUT(0x40 + sizeof(Elf64_Phdr), Elf64_Phdr, { .p_type = PT_NOTE, .p_offset = 0x100, .p_filesz = 24 });
	PUT(0x100, Elf64_Nhdr, { 4, 8, NT_GNU_BUILD_ID });
	memcpy(b + 0x100 + sizeof(Elf64_Nhdr), "GNU\0\1\2\3\4\5\6\7\10", 12);
	memcpy(b + 0x140, shnames, sizeof(shnames));
	for (int i = 0; i < NSYMS; i++) {
		PUT(0x600 + (i + 1) * sizeof(Elf64_Sym), Elf64_Sym,
		    { .st_name = at, .st_info = ELF64_ST_INFO(syms[i].bind, syms[i].type),
			.st_shndx = strcmp(syms[i].name, "VERSION_1") == 0 ? SHN_ABS : 1,
			.st_value = BASE + TEXT_OFF + syms[i].at, .st_size = syms[i].size });
		strcpy((char *)b + 0x900 + at, syms[i].name);
		at += (uint32_t)strlen(syms[i].name) + 1;
	}
	PUT(0xc00 + 1 * sizeof(Elf64_Shdr), Elf64_Shdr,
	    { .sh_name = 1, .sh_type = SHT_PROGBITS, .sh_flags = SHF_ALLOC | SHF_EXECINSTR,
		.sh_addr = BASE + TEXT_OFF, .sh_offset = TEXT_OFF, .sh_size = TEXT_LEN });
	PUT(0xc00 + 2 * sizeof(Elf64_Shdr), Elf64_Shdr,
	    { .sh_name = 7, .sh_type = SHT_SYMTAB, .sh_offset = 0x600,
		.sh_size = (NSYMS + 1) * sizeof(Elf64_Sym), .sh_link = 3, .sh_entsize = sizeof(Elf64_Sym) });
	PUT(0xc00 + 3 * sizeof(Elf64_Shdr), Elf64_Shdr,
	    { .sh_name = 15, .sh_type = SHT_STRTAB, .sh_offset = 0x900, .sh_size = at });
	PUT(0xc00 + 4 * sizeof(Elf64_Shdr), Elf64_Shdr,
	    { .sh_name = 23, .sh_type = SHT_STRTAB, .sh_offset = 0x140, .sh_size = sizeof(shnames) });
	PUT(0xc00 + 5 * sizeof(Elf64_Shdr), Elf64_Shdr,
	    { .sh_name = 33, .sh_type = SHT_NOTE, .sh_offset = 0x100, .sh_size = 24 });
	return b;
}

static uint8_t *image32(void)
{
	uint8_t *b = calloc(1, IMAGE);

	PUT(0, Elf32_Ehdr, { .e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS32, ELFDATA2LSB, EV_CURRENT },
		.e_type = ET_DYN, .e_machine = EM_386, .e_version = 1, .e_phoff = 0x40, .e_shoff = 0xc00,
		.e_ehsize = sizeof(Elf32_Ehdr), .e_phentsize = sizeof(Elf32_Phdr), .e_phnum = 1,
		.e_shentsize = sizeof(Elf32_Shdr), .e_shnum = 3 });
	PUT(0x40, Elf32_Phdr, { .p_type = PT_LOAD, .p_flags = PF_X, .p_offset = TEXT_OFF, .p_vaddr = 0x1400,
		.p_filesz = TEXT_LEN, .p_memsz = TEXT_LEN });
	PUT(0x600 + sizeof(Elf32_Sym), Elf32_Sym,
	    { .st_name = 1, .st_info = ELF32_ST_INFO(STB_GLOBAL, STT_FUNC), .st_shndx = 1,
		.st_value = 0x1410, .st_size = 4 });
	strcpy((char *)b + 0x901, "small");
	PUT(0xc00 + 1 * sizeof(Elf32_Shdr), Elf32_Shdr,
	    { .sh_type = SHT_DYNSYM, .sh_offset = 0x600, .sh_size = 2 * sizeof(Elf32_Sym),
		.sh_link = 2, .sh_entsize = sizeof(Elf32_Sym) });
	PUT(0xc00 + 2 * sizeof(Elf32_Shdr), Elf32_Shdr,
	    { .sh_type = SHT_STRTAB, .sh_offset = 0x900, .sh_size = 7 });
	return b;
}

#endif
