/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * hostile_elf KIND FILE [N [MB]]: a file that costs its reader much and its maker nothing (it is sparse). The
 * page at 4096 is code that calls getppid(2) and returns; hostile_map runs it. Kinds:
 *   notes     N segments of notes, MB each, without a build id (H 1a)
 *   sections  262,144 sections (H 1b)
 *   frames    .eh_frame of MB: two long descriptions, which N functions use in turn, so that each is read
 *             again and again (H 3a)
 *   link      no build id, and a debug file of MB beside it whose checksum is to be made (H 3b)
 *   packed    .gnu_debugdata is the file N: symbols that are large once they are unpacked (H 1c)
 *   symbols   a symbol table of MB, all zeros but one
 */
#include <elf.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__aarch64__)
static const uint32_t code[] = { 0xa9bf7bfd, 0x910003fd, 0xd2800008 | SYS_getppid << 5, 0xd4000001,
	0xa8c17bfd, 0xd65f03c0 };
enum { MACHINE = EM_AARCH64, RA = 30, CODE_ALIGN = 4 };
#elif defined(__x86_64__)
static const uint8_t code[] = { 0x55, 0x48, 0x89, 0xe5, 0xb8, SYS_getppid, 0, 0, 0, 0x0f, 0x05, 0x5d, 0xc3 };
enum { MACHINE = EM_X86_64, RA = 16, CODE_ALIGN = 1 };
#else
#error "code for this machine is needed"
#endif

enum { CODE = 4096, REST = 8192 };

static int file;

static void put(uint64_t at, const void *bytes, size_t len)
{
	if (pwrite(file, bytes, len, (off_t)at) != (ssize_t)len) {
		perror("hostile_elf");
		exit(2);
	}
}

static void reach(uint64_t size)
{
	if (ftruncate(file, (off_t)size) != 0) {
		perror("hostile_elf");
		exit(2);
	}
}

static Elf64_Ehdr header(uint16_t nph, uint64_t shoff, uint16_t nsh)
{
	return (Elf64_Ehdr){ .e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT },
		.e_type = ET_DYN, .e_machine = MACHINE, .e_version = EV_CURRENT,
		.e_phoff = sizeof(Elf64_Ehdr), .e_phentsize = sizeof(Elf64_Phdr), .e_phnum = nph,
		.e_shoff = shoff, .e_shentsize = sizeof(Elf64_Shdr), .e_shnum = nsh,
		.e_shstrndx = nsh > 1 ? 1 : 0, .e_ehsize = sizeof(Elf64_Ehdr) };
}

static void begin(uint16_t nph, uint64_t shoff, uint16_t nsh)
{
	Elf64_Ehdr eh = header(nph, shoff, nsh);
	Elf64_Phdr load = { .p_type = PT_LOAD, .p_flags = PF_R | PF_X, .p_filesz = REST, .p_memsz = REST,
		.p_align = 4096 };

	put(0, &eh, sizeof(eh));
	put(sizeof(eh), &load, sizeof(load));
	put(CODE, code, sizeof(code));
}

static void notes(uint16_t n, uint64_t size)
{
	begin((uint16_t)(n + 1), 0, 0);
	for (uint16_t i = 0; i < n; i++) {
		Elf64_Phdr p = { .p_type = PT_NOTE, .p_offset = CODE * 4 + i * 4096u, .p_filesz = size };

		put(sizeof(Elf64_Ehdr) + (i + 1u) * sizeof(p), &p, sizeof(p));
	}
	reach(CODE * 8 + n * 4096u + size);
}

static void sections(void)
{
	Elf64_Shdr first = { .sh_size = 262144 };

	begin(1, REST, 0);
	put(REST, &first, sizeof(first));
	reach(REST + 262144 * sizeof(first));
}

/* Sections 0, names, and those given. */
static void put_sections(uint64_t at, Elf64_Shdr *more, int n, const char *names, size_t len)
{
	Elf64_Shdr sh[2] = { { 0 }, { .sh_type = SHT_STRTAB, .sh_offset = at + 4096, .sh_size = len } };

	put(at, sh, sizeof(sh));
	put(at + sizeof(sh), more, (size_t)n * sizeof(*more));
	put(at + 4096, names, len);
}

static void put_word(uint64_t at, uint32_t word) { put(at, &word, sizeof(word)); }

/* Two CIEs of `half` bytes of DW_CFA_nop, then n functions that belong to one and the other in turn. */
static void frames(uint32_t n, uint64_t size)
{
	static const char names[] = "\0.eh_frame";
	const uint8_t cie[] = { 1, 0, CODE_ALIGN, 0x78, RA };
	uint64_t table = REST + 8192, half = size / 2, at = table + size;
	Elf64_Shdr sh = { .sh_name = 1, .sh_type = SHT_PROGBITS, .sh_flags = SHF_ALLOC, .sh_addr = table,
		.sh_offset = table, .sh_size = size + n * 24ull };

	begin(1, REST, 3);
	put_sections(REST, &sh, 1, names, sizeof(names));
	for (unsigned i = 0; i < 2; i++) {
		put_word(table + i * half, (uint32_t)half - 4);
		put(table + i * half + 8, cie, sizeof(cie));
	}
	for (uint32_t i = 0; i < n; i++, at += 24) {
		uint64_t range[2] = { CODE + i * 4, 4 };

		put_word(at, 20);
		put_word(at + 4, (uint32_t)(at + 4 - (table + (i & 1) * half)));
		put(at + 8, range, sizeof(range));
	}
	reach(at);
}

static void link_to(const char *path, uint64_t size)
{
	static const char names[] = "\0.gnu_debuglink";
	const char *slash = strrchr(path, '/');
	char name[256], debug[4096], link[264] = { 0 };
	Elf64_Shdr sh = { .sh_name = 1, .sh_type = SHT_PROGBITS, .sh_offset = REST + 8192 };
	Elf64_Ehdr eh = header(0, 0, 0);

	snprintf(name, sizeof(name), "%s.debug", slash != NULL ? slash + 1 : path);
	memcpy(link, name, strlen(name));
	sh.sh_size = ((strlen(name) + 4) & ~3ul) + 4;
	begin(1, REST, 3);
	put_sections(REST, &sh, 1, names, sizeof(names));
	put(REST + 8192, link, sh.sh_size);
	snprintf(debug, sizeof(debug), "%s.debug", path);
	file = open(debug, O_RDWR | O_CREAT | O_TRUNC, 0755);
	put(0, &eh, sizeof(eh));
	reach(size);
}

static void symbols(uint64_t size)
{
	static const char names[] = "\0run";
	Elf64_Sym run = { .st_name = 1, .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC), .st_shndx = 1,
		.st_value = CODE, .st_size = sizeof(code) };
	Elf64_Shdr sh = { .sh_type = SHT_SYMTAB, .sh_offset = REST + 8192, .sh_size = size, .sh_link = 1,
		.sh_entsize = sizeof(run) };

	begin(1, REST, 3);
	put_sections(REST, &sh, 1, names, sizeof(names));
	put(REST + 8192 + sizeof(run), &run, sizeof(run));
	reach(REST + 8192 + size);
}

static void packed(const char *from)
{
	static const char names[] = "\0.gnu_debugdata";
	Elf64_Shdr sh = { .sh_name = 1, .sh_type = SHT_PROGBITS, .sh_offset = REST + 8192 };
	int fd = open(from, O_RDONLY);
	char buf[4096];
	ssize_t n;

	begin(1, REST, 3);
	while ((n = read(fd, buf, sizeof(buf))) > 0) {
		put(sh.sh_offset + sh.sh_size, buf, (size_t)n);
		sh.sh_size += (uint64_t)n;
	}
	put_sections(REST, &sh, 1, names, sizeof(names));
}

int main(int argc, char **argv)
{
	uint32_t n = argc > 3 ? (uint32_t)atoi(argv[3]) : 1;
	uint64_t size = (argc > 4 ? (uint64_t)atoi(argv[4]) : 1) << 20;

	if (argc < 3 || (file = open(argv[2], O_RDWR | O_CREAT | O_TRUNC, 0755)) < 0)
		return 2;
	if (strcmp(argv[1], "notes") == 0)
		notes((uint16_t)n, size);
	else if (strcmp(argv[1], "sections") == 0)
		sections();
	else if (strcmp(argv[1], "frames") == 0)
		frames(n, size);
	else if (strcmp(argv[1], "link") == 0)
		link_to(argv[2], size);
	else if (strcmp(argv[1], "packed") == 0 && argc > 3)
		packed(argv[3]);
	else if (strcmp(argv[1], "symbols") == 0)
		symbols(size);
	else
		return 2;
	return 0;
}
