/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Runs from the end of exec to a later place, by a breakpoint that is removed again. Only programs of
 * our own word size are moved on; others stay where exec left them.
 */
#include "process/proc.h"
#include "machine/machine.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

struct start { uint64_t entry, base; };		/* AT_ENTRY; AT_BASE: where the dynamic linker is, 0 none */

/* ---- where ---- */

/* By the process's own /proc, so a program in another mount namespace is found too. */
static int open_of(pid_t pid, const char *file)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, file);
	return open(path, O_RDONLY | O_CLOEXEC);
}

/* The kernel's own record of where the program begins, which does not depend on symbols. False: none. */
static bool read_start(pid_t pid, struct start *s)
{
	Elf64_auxv_t aux[128];
	int fd = open_of(pid, "auxv");
	ssize_t n = fd >= 0 ? read(fd, aux, sizeof(aux)) : -1;

	if (fd >= 0)
		close(fd);
	*s = (struct start){ 0 };
	for (ssize_t i = 0; i < n / (ssize_t)sizeof(aux[0]); i++) {
		if (aux[i].a_type == AT_ENTRY)
			s->entry = aux[i].a_un.a_val;
		if (aux[i].a_type == AT_BASE)
			s->base = aux[i].a_un.a_val;
	}
	return s->entry != 0;
}

/* A symbol that is defined here, in one symbol table. libelf checks the offsets; names may be missing. */
static bool find_in(Elf *elf, Elf_Scn *scn, const char *name, uint64_t *value)
{
	GElf_Shdr sh;
	Elf_Data *data;
	GElf_Sym sym;

	if (gelf_getshdr(scn, &sh) == NULL || (sh.sh_type != SHT_SYMTAB && sh.sh_type != SHT_DYNSYM) ||
	    sh.sh_entsize == 0 || (data = elf_getdata(scn, NULL)) == NULL)
		return false;
	for (int i = 0; gelf_getsym(data, i, &sym) != NULL; i++) {
		const char *text = elf_strptr(elf, sh.sh_link, sym.st_name);

		if (sym.st_shndx != SHN_UNDEF && text != NULL && strcmp(text, name) == 0) {
			*value = sym.st_value;
			return true;
		}
	}
	return false;
}

/* The value of the symbol in the file, and the file's entry point; false if there is no such symbol. */
static bool find_symbol(int fd, const char *name, uint64_t *value, uint64_t *entry)
{
	Elf *elf = elf_version(EV_CURRENT) != EV_NONE ? elf_begin(fd, ELF_C_READ, NULL) : NULL;
	GElf_Ehdr eh;
	bool found = false;

	if (elf != NULL && gelf_getehdr(elf, &eh) != NULL) {
		*entry = eh.e_entry;
		for (Elf_Scn *scn = NULL; !found && (scn = elf_nextscn(elf, scn)) != NULL; )
			found = find_in(elf, scn, name, value);
	}
	elf_end(elf);
	return found;
}

static bool same_size(pid_t pid)
{
	unsigned char ident[EI_NIDENT] = { 0 };
	int fd = open_of(pid, "exe");
	bool same = fd >= 0 && read(fd, ident, sizeof(ident)) == (ssize_t)sizeof(ident) &&
	    ident[EI_CLASS] == ELFCLASS64 && sizeof(void *) == 8;

	if (fd >= 0)
		close(fd);
	return same;
}

/* Opens the file that is mapped at the address, as the process sees it. */
static int mapped_file(pid_t pid, uint64_t addr)
{
	char path[96], line[512];
	uint64_t from, to;
	int fd = -1;

	snprintf(path, sizeof(path), "/proc/%d/maps", (int)pid);
	FILE *f = fopen(path, "re");
	while (f != NULL && fd < 0 && fgets(line, sizeof(line), f) != NULL)
		if (sscanf(line, "%lx-%lx", &from, &to) == 2 && addr >= from && addr < to) {
			snprintf(path, sizeof(path), "/proc/%d/map_files/%lx-%lx", (int)pid, from, to);
			fd = open(path, O_RDONLY | O_CLOEXEC);
			break;
		}
	if (f != NULL)
		fclose(f);
	return fd;
}

/* A program without the symbol is stopped at its entry, which is always known. */
static uint64_t main_of(pid_t pid, const struct start *s)
{
	int fd = open_of(pid, "exe");
	uint64_t value = 0, entry = 0;
	bool found = fd >= 0 && find_symbol(fd, "main", &value, &entry);

	if (fd >= 0)
		close(fd);
	return found ? s->entry - entry + value : s->entry;
}

/* The function that the dynamic linker calls for debuggers, before and after it maps libraries. */
static uint64_t linker_hook(pid_t pid, const struct start *s)
{
	int fd = s->base != 0 ? mapped_file(pid, s->base) : -1;
	uint64_t value = 0, entry;
	bool found = fd >= 0 && find_symbol(fd, "_dl_debug_state", &value, &entry);

	if (fd >= 0)
		close(fd);
	return found ? s->base + value : 0;
}

/* ---- the breakpoint ---- */

/*
 * Some machines stop behind the breakpoint: moves back to it. The registers begin like struct pt_regs.
 */
static bool stopped_at(pid_t pid, uint64_t addr)
{
	const struct dt_machine *m = dt_machine_here();
	union { struct user_regs_struct regs; uint64_t word[sizeof(struct user_regs_struct) / 8]; } u;
	struct iovec io = { &u, sizeof(u) };
	uint64_t *pc = &u.word[m->regs.pc / 8];

	if (ptrace(PTRACE_GETREGSET, pid, (void *)NT_PRSTATUS, &io) != 0 || *pc != addr + m->trap.behind)
		return false;
	*pc = addr;
	return m->trap.behind == 0 || ptrace(PTRACE_SETREGSET, pid, (void *)NT_PRSTATUS, &io) == 0;
}

/*
 * Puts a breakpoint, runs until it is hit, and takes it out again. Signals are passed on meanwhile.
 * False: the process is gone. Words are aligned, so one never reaches into an unmapped page.
 */
static bool run_to(struct dt_proc *p, uint64_t addr)
{
	const struct dt_machine *m = dt_machine_here();
	uint64_t at = addr & ~7ull;
	unsigned shift = (unsigned)(addr & 7) * 8;
	bool there = false;
	int status;
	long word;

	errno = 0;
	word = ptrace(PTRACE_PEEKTEXT, p->pid, (void *)at, NULL);
	if (errno != 0 || ptrace(PTRACE_POKETEXT, p->pid, (void *)at,
	    (void *)(((uint64_t)word & ~(m->trap.mask << shift)) | m->trap.bytes << shift)) != 0)
		return true;	/* stays where it is */
	do {
		if (!dt_proc_wait(p, PTRACE_CONT, &status))
			return false;
		if (status >> 8 == (SIGTRAP | PTRACE_EVENT_EXEC << 8))
			return true;	/* another program now: nothing of ours is in it */
		there = stopped_at(p->pid, addr);
	} while (!there && WSTOPSIG(status) != SIGTRAP);
	return ptrace(PTRACE_POKETEXT, p->pid, (void *)at, (void *)word) == 0;
}

static bool single_step(struct dt_proc *p)
{
	int status;

	return dt_proc_wait(p, PTRACE_SINGLESTEP, &status);
}

/*
 * To stop before initializers, the linker's hook is passed twice: the first call comes before libraries
 * are mapped, the second after. The single step leaves the address of the breakpoint, which would be
 * hit again at once.
 */
bool dt_proc_run_to(struct dt_proc *p, enum dt_proc_stop where)
{
	struct start s;

	if (!same_size(p->pid) || !read_start(p->pid, &s))
		return true;
	if (where == DT_PROC_AT_MAIN)
		return run_to(p, main_of(p->pid, &s));
	if (where == DT_PROC_AT_PREINIT && s.base != 0) {
		uint64_t hook = linker_hook(p->pid, &s);

		return hook == 0 || (run_to(p, hook) && single_step(p) && run_to(p, hook));
	}
	return run_to(p, s.entry);
}
