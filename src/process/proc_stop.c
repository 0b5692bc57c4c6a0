/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Runs from the end of exec to a later place, by a breakpoint that is removed again. Only programs of
 * our own word size are moved on; others stay where exec left them. The kernel knows where a program begins;
 * where its functions are is in its files, which others read (file/reader.h).
 */
#include "process/proc.h"
#include "file/elf.h"
#include "file/reader.h"
#include "machine/machine.h"
#include "symbol/maps.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

struct start { uint64_t entry, base; };		/* AT_ENTRY; AT_BASE: where the dynamic linker is, 0 none */
/* They begin like struct pt_regs; more than any machine has, the kernel says how many they are. */
struct registers { uint64_t word[64]; size_t len; };

/* ---- where ---- */

/* The kernel's own record of where the program begins, which does not depend on symbols. False: none. */
static bool read_start(pid_t pid, struct start *s)
{
	struct dt_auxv aux[128];
	size_t n = dt_auxv_read((uint32_t)pid, aux, sizeof(aux) / sizeof(aux[0]));

	*s = (struct start){ 0 };
	for (size_t i = 0; i < n; i++) {
		if (aux[i].type == AT_ENTRY)
			s->entry = aux[i].value;
		if (aux[i].type == AT_BASE)
			s->base = aux[i].value;
	}
	return s->entry != 0;
}

static bool registers_of(pid_t pid, struct registers *r)
{
	struct iovec io = { r->word, sizeof(r->word) };
	bool ok = ptrace(PTRACE_GETREGSET, pid, (void *)NT_PRSTATUS, &io) == 0;

	r->len = io.iov_len;
	return ok;
}

/* A program of 32 bits has fewer registers, and smaller ones: not all of ours have their place. */
static bool same_size(pid_t pid)
{
	const struct dt_machine *m = dt_machine_here();
	struct registers r;
	bool same = registers_of(pid, &r);

	for (int i = 0; i < m->regs.nnumbers && same; i++)
		same = m->regs.number[i] + 8 <= (int)r.len;
	return same;
}

/*
 * The address of the function in the file, and the file's entry point; false if there is no such function,
 * or the readers do not answer. By the process's own /proc, so a program in another mount namespace is found
 * too.
 */
static bool find_symbol(const char *path, const char *name, uint64_t *value, uint64_t *entry)
{
	struct dt_reader *r = dt_reader_new();
	struct dt_elf *elf = NULL;
	struct statx st;
	bool found = dt_elf_find(r, path, path, 0, &elf, &st) == 0 && dt_elf_symbol(elf, name, value) == 0;

	if (found)
		*entry = dt_elf_entry(elf);
	dt_elf_close(elf);
	dt_reader_free(r);
	return found;
}

/* A program without the symbol is stopped at its entry, which is always known. */
static uint64_t main_of(pid_t pid, const struct start *s)
{
	uint64_t value, entry;
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/exe", (int)pid);
	return find_symbol(path, "main", &value, &entry) ? s->entry - entry + value : s->entry;
}

struct mapped { uint64_t addr, start, end; char path[4096]; };

static bool covers(void *ctx, const struct dt_mapping *m)
{
	struct mapped *at = ctx;

	if (at->addr < m->start || at->addr >= m->end)
		return true;
	at->start = m->start;
	at->end = m->end;
	memcpy(at->path, m->path, sizeof(at->path));
	return false;
}

/* The function that the dynamic linker calls for debuggers, before and after it maps libraries. 0: none. */
static uint64_t linker_hook(pid_t pid, const struct start *s)
{
	struct mapped at = { .addr = s->base };
	uint64_t value, entry;
	char path[sizeof(at.path) + 64];

	if (dt_maps_each((uint32_t)pid, covers, &at) < 0 || at.end == 0)
		return 0;
	snprintf(path, sizeof(path), "/proc/%d/map_files/%llx-%llx", (int)pid, (unsigned long long)at.start,
	    (unsigned long long)at.end);
	if (find_symbol(path, "_dl_debug_state", &value, &entry))
		return s->base + value;
	/* only some users may open that one */
	snprintf(path, sizeof(path), "/proc/%d/root%s", (int)pid, at.path);
	return find_symbol(path, "_dl_debug_state", &value, &entry) ? s->base + value : 0;
}

/* ---- the breakpoint ---- */

/* Some machines stop after the breakpoint: moves back to it. */
static bool stopped_at(pid_t pid, uint64_t addr)
{
	const struct dt_machine *m = dt_machine_here();
	struct registers r;
	uint64_t *pc = &r.word[m->regs.pc / 8];

	if (!registers_of(pid, &r) || *pc != addr + m->trap.advance)
		return false;
	struct iovec io = { r.word, r.len };
	*pc = addr;
	return m->trap.advance == 0 || ptrace(PTRACE_SETREGSET, pid, (void *)NT_PRSTATUS, &io) == 0;
}

struct breakpoint { uint64_t addr, at; long word; bool set; };

/* Words are aligned, so one never reaches into an unmapped page. False: it cannot be put there. */
static bool put(pid_t pid, struct breakpoint *b)
{
	const struct dt_machine *m = dt_machine_here();
	unsigned shift = (unsigned)(b->addr & 7) * 8;

	b->at = b->addr & ~7ull;
	errno = 0;
	b->word = ptrace(PTRACE_PEEKTEXT, pid, (void *)b->at, NULL);
	b->set = errno == 0 && ptrace(PTRACE_POKETEXT, pid, (void *)b->at,
	    (void *)(((uint64_t)b->word & ~(m->trap.mask << shift)) | m->trap.bytes << shift)) == 0;
	return b->set;
}

static bool take_out(pid_t pid, const struct breakpoint *b)
{
	return !b->set || ptrace(PTRACE_POKETEXT, pid, (void *)b->at, (void *)b->word) == 0;
}

/*
 * Puts breakpoints, runs until one is hit, and takes them out again. Signals are passed on meanwhile.
 * other: a second place, 0: none; it lies in another word. False: the process is gone.
 */
static bool run_to(struct dt_proc *p, uint64_t addr, uint64_t other)
{
	struct breakpoint b[2] = { { .addr = addr }, { .addr = other } };
	bool there = false;
	int status;

	if (!put(p->pid, &b[0]))
		return true;	/* stays where it is */
	if (other != 0)
		(void)put(p->pid, &b[1]);
	do {
		if (!dt_proc_wait(p, PTRACE_CONT, &status))
			return false;
		if (status >> 8 == (SIGTRAP | PTRACE_EVENT_EXEC << 8))
			return true;	/* another program now: nothing of ours is in it */
		there = stopped_at(p->pid, addr) || (b[1].set && stopped_at(p->pid, other));
	} while (!there && WSTOPSIG(status) != SIGTRAP);
	return take_out(p->pid, &b[0]) && take_out(p->pid, &b[1]);
}

static bool is_at(pid_t pid, uint64_t addr)
{
	struct registers r;

	return registers_of(pid, &r) && r.word[dt_machine_here()->regs.pc / 8] == addr;
}

static bool single_step(struct dt_proc *p)
{
	int status;

	return dt_proc_wait(p, PTRACE_SINGLESTEP, &status);
}

/*
 * To stop before initializers, the linker's hook is passed twice: the first call comes before libraries
 * are mapped, the second after. The single step leaves the address of the breakpoint, which would be
 * hit again at once. A linker that calls it once (musl) goes on to the program's entry, where no initializer
 * has run either.
 */
bool dt_proc_run_to(struct dt_proc *p, enum dt_proc_stop where)
{
	struct start s;

	if (!same_size(p->pid) || !read_start(p->pid, &s))
		return true;
	if (where == DT_PROC_AT_MAIN)
		return run_to(p, main_of(p->pid, &s), 0);
	if (where == DT_PROC_AT_PREINIT && s.base != 0) {
		uint64_t hook = linker_hook(p->pid, &s);

		if (hook == 0)
			return run_to(p, s.entry, 0);
		return run_to(p, hook, s.entry) &&
		    (is_at(p->pid, s.entry) || (single_step(p) && run_to(p, hook, s.entry)));
	}
	return run_to(p, s.entry, 0);
}

/* Stops at calls come in pairs: before and after. */
bool dt_proc_load(struct dt_proc *p, dt_proc_load_f *f, void *ctx)
{
	struct breakpoint b = { 0 };
	bool inside = false, go_on = true, there = false;
	struct start s;
	int status;

	if (!same_size(p->pid) || !read_start(p->pid, &s) || s.base == 0)
		return true;
	b.addr = s.entry;
	if (!put(p->pid, &b))
		return true;
	while (go_on && !there) {
		if (!dt_proc_wait(p, PTRACE_SYSCALL, &status))
			return false;
		if (status >> 8 == (SIGTRAP | PTRACE_EVENT_EXEC << 8))
			return true;	/* another program now: nothing of ours is in it */
		if (WSTOPSIG(status) != (SIGTRAP | 0x80)) {
			there = stopped_at(p->pid, s.entry) || WSTOPSIG(status) == SIGTRAP;
			continue;
		}
		inside = !inside;
		if (!inside)
			go_on = f(ctx, p);
	}
	return take_out(p->pid, &b);
}
