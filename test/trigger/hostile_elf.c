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
 *   stubs     N functions that lie over each other in MB of code, and N static probes (plug:::p) in stubs,
 *             for each of which all code is to be searched (H 3d)
 *   ifunc     an indirect function, `run`, whose choice is said to be in what is mapped behind the file
 *             (H 9a)
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
enum { MACHINE = EM_AARCH64, RA = 30, CODE_ALIGN = 4, IRELATIVE = R_AARCH64_IRELATIVE };
#elif defined(__x86_64__)
static const uint8_t code[] = { 0x55, 0x48, 0x89, 0xe5, 0xb8, SYS_getppid, 0, 0, 0, 0x0f, 0x05, 0x5d, 0xc3 };
enum { MACHINE = EM_X86_64, RA = 16, CODE_ALIGN = 1, IRELATIVE = R_X86_64_IRELATIVE };
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

/* A static probe as a note: 12 bytes of header, "stapsdt", three words, provider, name, arguments. */
static size_t put_probe(uint64_t at, uint64_t pc)
{
	static const char text[] = "plug\0p\0";
	struct __attribute__((packed)) {
		Elf64_Nhdr head;
		char name[8];
		uint64_t word[3];
		char text[8];
	} n = { .head = { 8, 24 + sizeof(text), 3 }, .name = "stapsdt", .word = { pc, 0, 0 } };

	memcpy(n.text, text, sizeof(text));
	put(at, &n, sizeof(n));
	return sizeof(n);
}

static void stubs(uint32_t n, uint64_t size)
{
	static const char names[] = "\0f\0__dtrace_plug___p\0.note.stapsdt";
	uint64_t symbols = REST + 8192, notes = symbols + (2 * n + 1) * sizeof(Elf64_Sym),
		 text = (notes + n * 64ull + 4095) & ~4095ull;
	Elf64_Phdr load = { .p_type = PT_LOAD, .p_flags = PF_R | PF_X, .p_filesz = text + size,
		.p_memsz = text + size, .p_align = 4096 };
	Elf64_Sym *sym = calloc(2 * n + 1, sizeof(*sym));
	Elf64_Shdr sh[2] = { { .sh_type = SHT_SYMTAB, .sh_offset = symbols, .sh_link = 1,
			.sh_size = (2 * n + 1) * sizeof(*sym), .sh_entsize = sizeof(*sym) },
		{ .sh_name = 21, .sh_type = SHT_NOTE, .sh_offset = notes } };

	begin(1, REST, 4);
	put(sizeof(Elf64_Ehdr), &load, sizeof(load));
	for (uint32_t i = 0; i < n; i++) {
		uint64_t stub = text + size - (i + 1) * 4ull, first = text + i * 4ull;

		sym[1 + 2 * i] = (Elf64_Sym){ .st_name = 1, .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC),
			.st_shndx = 1, .st_value = first, .st_size = size - 4ull * n - (first - text) };
		sym[2 + 2 * i] = (Elf64_Sym){ .st_name = 3, .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC),
			.st_shndx = 1, .st_value = stub, .st_size = 4 };
		sh[1].sh_size += put_probe(notes + sh[1].sh_size, stub);
	}
	put(symbols, sym, (2 * n + 1) * sizeof(*sym));
	put_sections(REST, sh, 2, names, sizeof(names));
	reach(text + size);
	free(sym);
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

static void ifunc(void)
{
	static const char names[] = "\0run\0.rela.dyn";
	Elf64_Sym sym[2] = { [1] = { .st_name = 1, .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_GNU_IFUNC),
		.st_shndx = 1, .st_value = CODE, .st_size = sizeof(code) } };
	Elf64_Rela slot = { .r_offset = REST + 16, .r_info = IRELATIVE, .r_addend = CODE };
	Elf64_Shdr sh[2] = { { .sh_type = SHT_SYMTAB, .sh_offset = REST + 8192, .sh_size = sizeof(sym),
			.sh_link = 1, .sh_entsize = sizeof(sym[0]) },
		{ .sh_name = 5, .sh_type = SHT_RELA, .sh_offset = REST + 8448, .sh_size = sizeof(slot) } };

	begin(1, REST, 4);
	put_sections(REST, sh, 2, names, sizeof(names));
	put(REST + 8192, sym, sizeof(sym));
	put(REST + 8448, &slot, sizeof(slot));
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
	else if (strcmp(argv[1], "stubs") == 0)
		stubs(n, size);
	else if (strcmp(argv[1], "ifunc") == 0)
		ifunc();
	else if (strcmp(argv[1], "packed") == 0 && argc > 3)
		packed(argv[3]);
	else if (strcmp(argv[1], "symbols") == 0)
		symbols(size);
	else
		return 2;
	return 0;
}
