/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Places where a process says what comes (agent_ask.c): the function that the dynamic linker calls for
 * debuggers before and after it changes the list of libraries, and the instructions in the C library that
 * make and execute processes.
 */
#include "inproc/finding.h"

#include "file/elf.h"
#include "symbol/maps.h"

#include <linux/auxvec.h>
#include <string.h>
#include <sys/syscall.h>

enum { LOOK_BACK = 48 };

/* ---- the dynamic linker ---- */

static uint64_t linker_base(uint32_t pid)
{
	struct dt_auxv aux[128];
	size_t n = dt_auxv_read(pid, aux, sizeof(aux) / sizeof(aux[0]));

	for (size_t i = 0; i < n; i++)
		if (aux[i].type == AT_BASE)
			return aux[i].value;
	return 0;
}

static const struct inproc_mapped *mapping_at(const struct inproc_finding *f, uint64_t addr)
{
	for (uint32_t i = 0; i < f->maps.n; i++)
		if (addr >= f->maps.v[i].start && addr < f->maps.v[i].end)
			return &f->maps.v[i];
	return NULL;
}

/* glibc and musl have it by this name. A static program loads no libraries. */
int dt_inproc_find_linker(struct inproc_finding *f)
{
	uint64_t base = linker_base(f->t->pid), vaddr;
	const struct inproc_mapped *m = base != 0 ? mapping_at(f, base) : NULL, *code;
	struct dt_point at = { 0 };
	struct inproc_file *file;

	if (base == 0)
		return 0;
	at.target = m != NULL ? dt_inproc_path_of(f, m) : NULL;
	file = at.target != NULL ? dt_inproc_file_of(f, at.target) : NULL;
	if (file == NULL || file->elf == NULL || file->inode != m->inode ||
	    dt_elf_symbol(file->elf, "_dl_debug_state", &vaddr) != 0 ||
	    !dt_elf_vaddr_to_offset(file->elf, vaddr, &at.offset)) {
		f->p->unheld |= 1u << DT_ARRIVAL_LIBRARY;
		return 0;
	}
	code = mapping_at(f, base + vaddr);
	if (code == NULL || !code->exec || code->inode != m->inode || dt_inproc_known(f->t, code))
		return 0;
	return dt_inproc_add_ask(f, &at, code, DT_ARRIVAL_LIBRARY);
}

/* ---- system calls ---- */

/* Programs call the C library for these, unless they are static. */
bool dt_inproc_asks_in(const struct inproc_finding *f, const struct inproc_mapped *m)
{
	const char *name = strrchr(m->path, '/');

	name = name != NULL ? name + 1 : m->path;
	return strncmp(name, "libc.", 5) == 0 || strncmp(name, "libc-", 5) == 0 ||
	    strncmp(name, "ld-musl", 7) == 0 || strncmp(name, "libpthread", 10) == 0 ||
	    linker_base(f->t->pid) == 0;
}

static bool makes_processes(uint32_t number)
{
	switch (number) {
#ifdef SYS_fork
	case SYS_fork:
#endif
	case SYS_clone: case SYS_clone3: case SYS_execve: case SYS_execveat: return true;
	default: return false;
	}
}

static bool copies_number(const uint8_t *at)	/* mov reg, rax */
{
	return at[0] == 0x48 && ((at[1] == 0x89 && (at[2] & 0xc7) == 0xc0) ||
	    (at[1] == 0x8b && (at[2] & 0x38) == 0));
}

/*
 * The number is mostly a constant a few instructions before; where it is not, the agent looks at each call.
 * Bytes that only look like one are harmless on one side: they are not a number of ours, and the register is
 * set once more behind them in that case.
 */
static bool x86_may_ask(const uint8_t *code, uint64_t off)
{
	for (uint64_t back = 5; back <= LOOK_BACK && back <= off; back++) {
		const uint8_t *at = code + off - back;
		uint32_t number;

		if (copies_number(at))
			return true;
		memcpy(&number, at + 1, sizeof(number));
		if (at[0] == 0xb8 && number < 1024)
			return makes_processes(number);
	}
	return true;
}

/* movz w8/x8, #number */
static bool aarch64_may_ask(const uint8_t *code, uint64_t off)
{
	for (uint64_t back = 4; back <= LOOK_BACK && back <= off; back += 4) {
		uint32_t word;

		memcpy(&word, code + off - back, sizeof(word));
		if ((word & 0x7fe0001f) == 0x52800008)
			return makes_processes(word >> 5 & 0xffff);
		if ((word & 0x1f) == 8 && (word & 0x7fe0ffe0) == 0x2a0003e0)
			return true;	/* mov x8, reg */
	}
	return true;
}

bool dt_inproc_may_ask(const struct inproc_finding *f, const uint8_t *code, uint64_t off)
{
	return f->p->opts.machine->insn_align >= 4 ? aarch64_may_ask(code, off) : x86_may_ask(code, off);
}
