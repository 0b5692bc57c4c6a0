/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Becomes a 32-bit program, made here byte by byte: five calls of getppid(), one of getpgid(77), one of
 * getuid32(), exit(3). Those have the same numbers on arm and i386 (64, 132, 199, 1), and others' on
 * aarch64 and x86-64. Status 77: this machine does not run 32-bit programs.
 */
#include <elf.h>
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#ifdef __aarch64__
#define MACHINE EM_ARM
#define FLAGS 0x05000000
#define CALL 0x00, 0x00, 0x00, 0xef
#define ARG(n) n, 0x00, 0xa0, 0xe3
#define NUMBER(n) n, 0x70, 0xa0, 0xe3
#else
#define MACHINE EM_386
#define FLAGS 0
#define CALL 0xcd, 0x80
#define ARG(n) 0xbb, n, 0, 0, 0
#define NUMBER(n) 0xb8, n, 0, 0, 0
#endif

static const unsigned char code[] = {
	NUMBER(64), CALL, NUMBER(64), CALL, NUMBER(64), CALL, NUMBER(64), CALL, NUMBER(64), CALL,
	ARG(77), NUMBER(132), CALL, NUMBER(199), CALL, ARG(3), NUMBER(1), CALL,
};

int main(void)
{
	enum { AT = 0x10000, SIZE = sizeof(Elf32_Ehdr) + sizeof(Elf32_Phdr) + sizeof(code) };
	Elf32_Ehdr e = { .e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS32, ELFDATA2LSB, EV_CURRENT },
		.e_type = ET_EXEC, .e_machine = MACHINE, .e_version = EV_CURRENT,
		.e_entry = AT + sizeof(Elf32_Ehdr) + sizeof(Elf32_Phdr), .e_phoff = sizeof(e),
		.e_flags = FLAGS, .e_ehsize = sizeof(e), .e_phentsize = sizeof(Elf32_Phdr), .e_phnum = 1 };
	Elf32_Phdr p = { .p_type = PT_LOAD, .p_vaddr = AT, .p_paddr = AT, .p_filesz = SIZE, .p_memsz = SIZE,
		.p_flags = PF_R | PF_X, .p_align = AT };
	char *const none[] = { "compat32", NULL };
	int fd = memfd_create("compat32", 0);

	if (write(fd, &e, sizeof(e)) != sizeof(e) || write(fd, &p, sizeof(p)) != sizeof(p) ||
	    write(fd, code, sizeof(code)) != sizeof(code))
		return 2;
	fexecve(fd, none, none + 1);
	return errno == ENOEXEC ? 77 : 2;
}
