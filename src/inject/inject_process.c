/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * struct dt_agent_process and the stacks of programs, in a stopped process; and what the agent needs to know
 * of it: the vdso's clock and where threads keep their numbers.
 *
 * A wrong thread number would give wrong results, so a word that happens to have the value is not enough.
 * Accepted is what a C library proves:
 *   glibc	the kernel knows each thread's robust list (get_robust_list()); its head lies 16 bytes after
 *		the number in struct pthread, since 2.4
 *   musl	struct pthread begins with its own address, a fixed distance before the number
 * and the word has to have the number in each thread, at the same distance from the thread pointer. For the
 * CPU, the kernel knows where the rseq area is; the same distance in each thread that has registered one.
 * Go's threads and programs without a C library have neither: the agent makes system calls there.
 */
#include "inject/inject_impl.h"
#include "base/file.h"
#include "file/elf.h"
#include "machine/machine.h"
#include "machine/raw.h"
#include "symbol/maps.h"

#include <dirent.h>
#include <errno.h>
#include <linux/membarrier.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#define RSEQ_CONFIGURATION 0x420f	/* PTRACE_…, which C libraries do not all have */
enum { ROBUST_AFTER = 16, WINDOW = 4096, VDSO_MAX = 1 << 20 };

/* ---- the vdso ---- */

static bool is_vdso(void *ctx, const struct dt_mapping *m)
{
	struct { uint64_t start, len; } *at = ctx;

	if (strcmp(m->path, "[vdso]") != 0)
		return true;
	at->start = m->start;
	at->len = m->end - m->start;
	return false;
}

uint64_t dt_inject_vdso_insn(const struct dt_inject *in)
{
	const struct dt_machine *m = dt_machine_here();
	const char *ours = (const char *)(uintptr_t)getauxval(AT_SYSINFO_EHDR);

	for (uint64_t at = 0; in->vdso != 0 && at + m->inject.insn_len <= in->vdso_len; at += m->insn_align)
		if (memcmp(ours + at, &m->inject.insn, m->inject.insn_len) == 0)
			return in->vdso + at;
	return 0;
}

/* The address of its clock_gettime() in the process; 0: not known. */
static uint64_t find_clock(const struct dt_inject *in)
{
	struct dt_elf *elf = NULL;
	uint64_t value = 0;
	void *copy;

	if (in->vdso == 0 || (copy = malloc(in->vdso_len)) == NULL)
		return 0;
	memcpy(copy, (const void *)(uintptr_t)getauxval(AT_SYSINFO_EHDR), in->vdso_len);
	if (dt_elf_memory(copy, in->vdso_len, &elf) != 0)
		return 0;
	if (dt_elf_symbol(elf, dt_machine_here()->inject.clock, &value) != 0 || value >= in->vdso_len)
		value = 0;
	dt_elf_close(elf);
	return value != 0 ? in->vdso + value : 0;
}

/*
 * The kernel gives every process of our kind the same vdso. It is compared with ours, which is the one that
 * is read: a process can have changed its own, or come from another kernel (checkpoint and restore).
 */
void dt_inject_find_vdso(struct dt_inject *in)
{
	uint64_t ours = getauxval(AT_SYSINFO_EHDR);
	struct { uint64_t start, len; } here = { 0, 0 }, there = { 0, 0 };
	void *copy;

	if (in->vdso_known)
		return;
	in->vdso_known = true;
	if (ours == 0 || dt_maps_each((uint32_t)getpid(), is_vdso, &here) < 0 || here.start != ours ||
	    dt_maps_each((uint32_t)in->pid, is_vdso, &there) < 0 || there.len != here.len ||
	    here.len == 0 || here.len > VDSO_MAX || (copy = malloc(here.len)) == NULL)
		return;
	if (dt_inject_read(in, there.start, copy, there.len) == 0 &&
	    memcmp(copy, (const void *)(uintptr_t)ours, here.len) == 0) {
		in->vdso = there.start;
		in->vdso_len = here.len;
		in->clock = find_clock(in);
	}
	free(copy);
}

/* ---- where threads keep their numbers ---- */

/* Of one thread. proof: the distance at which a C library keeps the number; 0: it shows none. */
struct words { uint64_t tls; uint32_t self; int64_t proof, cpu; bool has_rseq; };

static int64_t glibc_proof(pid_t tid, uint64_t tls)
{
	uint64_t head = 0;
	size_t len = 0;

	if (syscall(SYS_get_robust_list, tid, &head, &len) != 0 || head == 0)
		return 0;
	return (int64_t)(head - ROBUST_AFTER - tls);
}

/* The struct lies around the thread pointer: after it or before it, as the machine's ABI has it. */
static int64_t musl_proof(struct dt_inject *in, uint64_t tls, uint32_t self)
{
	unsigned tid_in = dt_machine_here()->inject.musl_tid;
	uint64_t word[WINDOW / 8], base = (tls & ~7ull) - WINDOW / 2;

	if (tls < WINDOW || dt_inject_read(in, base, word, sizeof(word)) != 0)
		return 0;
	for (unsigned i = 0; i + tid_in / 8 < WINDOW / 8; i++)
		if (word[i] == base + i * 8ull && (uint32_t)word[i + tid_in / 8] == self)
			return (int64_t)(base + i * 8ull + tid_in - tls);
	return 0;
}

static bool word_is(struct dt_inject *in, uint64_t tls, int64_t at, uint32_t value)
{
	uint32_t word;

	return dt_inject_read(in, tls + (uint64_t)at, &word, sizeof(word)) == 0 && word == value;
}

static void find_rseq(pid_t tid, struct words *w)
{
	struct { uint64_t pointer; uint32_t size, signature, flags, pad; } at = { 0 };

	w->has_rseq = ptrace(RSEQ_CONFIGURATION, tid, (void *)sizeof(at), &at) > 0 && at.pointer != 0;
	w->cpu = (int64_t)(at.pointer + 4 - w->tls);
}

static bool words_of(struct dt_inject *in, pid_t tid, struct words *w)
{
	struct dt_inject_status s;
	struct dt_registers r;

	*w = (struct words){ 0 };
	if (dt_inject_getregs(tid, &r) != 0 || (w->tls = dt_inject_tls(tid, &r)) == 0)
		return false;
	w->self = (uint32_t)tid;
	if (in->self != (uint32_t)in->pid) {	/* it counts in a namespace of its own */
		if (dt_inject_status(in->pid, tid, &s) != 0)
			return false;
		w->self = s.self;
	}
	find_rseq(tid, w);
	w->proof = glibc_proof(tid, w->tls);
	if (w->proof != 0 && !word_is(in, w->tls, w->proof, w->self))
		w->proof = 0;
	if (w->proof == 0)
		w->proof = musl_proof(in, w->tls, w->self);
	return true;
}

static int32_t fits(int64_t at) { return at == (int32_t)at ? (int32_t)at : 0; }

/*
 * A thread that has just begun may not have a robust list or an rseq area yet: its number is there already,
 * and its cpu_id is negative, which the agent checks.
 */
static bool agrees(struct dt_inject *in, const struct words *w, int64_t *tid_at, int64_t *cpu_at)
{
	int32_t cpu;

	if (*tid_at != 0 && (w->proof != 0 ? w->proof != *tid_at : !word_is(in, w->tls, *tid_at, w->self)))
		*tid_at = 0;
	if (*cpu_at != 0 && (w->has_rseq ? w->cpu != *cpu_at :
	    dt_inject_read(in, w->tls + (uint64_t)*cpu_at, &cpu, sizeof(cpu)) != 0 || cpu >= 0))
		*cpu_at = 0;
	return *tid_at != 0 || *cpu_at != 0;
}

static void find_words(struct dt_inject *in, struct dt_agent_process *p)
{
	struct words *w = calloc(in->n, sizeof(*w));
	int64_t tid_at = 0, cpu_at = 0;
	bool all = w != NULL;

	for (uint32_t i = 0; i < in->n && all; i++) {
		all = words_of(in, in->thread[i].tid, &w[i]);
		if (tid_at == 0)
			tid_at = w[i].proof;
		if (cpu_at == 0 && w[i].has_rseq)
			cpu_at = w[i].cpu;
	}
	for (uint32_t i = 0; i < in->n && all; i++)
		all = agrees(in, &w[i], &tid_at, &cpu_at);
	p->tid_at = all ? fits(tid_at) : 0;
	p->cpu_at = all ? fits(cpu_at) : 0;
	free(w);
}

/* ---- all threads ---- */

int dt_inject_tids(struct dt_inject *in, dt_inject_tid_f *f, void *ctx)
{
	struct dt_inject_status s;
	struct dirent *e;
	char path[64];
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)in->pid);
	dir = opendir(path);
	if (dir == NULL)
		return errno == ENOENT ? -ESRCH : -errno;
	while ((e = readdir(dir)) != NULL) {
		pid_t tid = (pid_t)atoi(e->d_name);

		if (tid > 0 && in->self == (uint32_t)in->pid)
			f(ctx, (uint32_t)tid);
		else if (tid > 0 && dt_inject_status(in->pid, tid, &s) == 0)
			f(ctx, s.self);
	}
	closedir(dir);
	return 0;
}

/* ---- the quick barrier ---- */

/* Firings have no fence of their own: dtrace makes one for all threads of the process from time to time. */
bool dt_inject_register(struct dt_inject *in)
{
	return in->n == 1 && dt_inject_call(in, SYS_membarrier,
	    (uint64_t[6]){ MEMBARRIER_CMD_REGISTER_GLOBAL_EXPEDITED }) == 0;
}

/* ---- what else it is ---- */

/* For an agent that must not ask. */
static void note_owner(const struct dt_inject *in, struct dt_agent_process *p)
{
	struct dt_inject_status s;
	char path[64], *name;
	size_t len;

	if (dt_inject_status(in->pid, in->pid, &s) == 0) {
		p->uid = s.uid;
		p->gid = s.gid;
	}
	snprintf(path, sizeof(path), "/proc/%d/comm", (int)in->pid);
	if (dt_file_read(path, 256, &name, &len) != 0)
		return;
	name[strcspn(name, "\n")] = '\0';
	snprintf(p->comm, sizeof(p->comm), "%s", name);
	free(name);
}

/* ---- the page and the stacks ---- */

static int64_t call(struct dt_inject *in, long number, uint64_t a, uint64_t b, uint64_t c, uint64_t d)
{
	return dt_inject_call(in, number, (uint64_t[6]){ a, b, c, d, ~0ull, 0 });
}

/* A guard, the stacks, the page. There is no guard between stacks: what runs on them is bounded. */
static int64_t map_page(struct dt_inject *in, uint64_t *stacks, uint64_t *at, const char **what)
{
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	uint64_t size = (uint64_t)DT_AGENT_THREADS * DT_AGENT_STACK, all = 2 * page + size;
	int64_t r, start;

	*what = "mmap()";
	start = call(in, SYS_mmap, 0, all, PROT_READ | PROT_WRITE,
	    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE);
	if (start < 0 && start > -4096)
		return start;
	*stacks = (uint64_t)start + page;
	*at = *stacks + size;
	*what = "mprotect()";
	r = call(in, SYS_mprotect, (uint64_t)start, page, PROT_NONE, 0);
	if (r == 0) {
		*what = "madvise()";
		r = call(in, SYS_madvise, *at, page, MADV_WIPEONFORK, 0);
	}
	if (r != 0)
		(void)dt_inject_unmap(in, (uint64_t)start, all);
	return r;
}

int dt_inject_words(struct dt_inject *in, uint64_t process)
{
	struct dt_agent_process p;

	_Static_assert(offsetof(struct dt_agent_process, cpu_at) ==
	    offsetof(struct dt_agent_process, tid_at) + sizeof(p.tid_at), "both are written at once");
	find_words(in, &p);
	return dt_inject_write(in, process + offsetof(struct dt_agent_process, tid_at), &p.tid_at,
	    sizeof(p.tid_at) + sizeof(p.cpu_at));
}

int dt_inject_private(struct dt_inject *in, uint64_t code, uint64_t data, struct dt_agent_process *made,
    uint64_t *addr, char *msg, size_t len)
{
	struct dt_agent_process p = { .enabled = 1, .pid = (uint32_t)in->pid, .self = in->self, .code = code,
		.data = data, .atomics = (getauxval(AT_HWCAP) & dt_machine_here()->hwcap_atomics) != 0 };
	const char *what = "writing its memory";
	int64_t r;

	p.clock = in->clock;
	find_words(in, &p);
	dt_inject_agent_calls(in, &p);
	note_owner(in, &p);
	if (p.no_calls && (p.tid_at == 0 || p.clock == 0)) {
		snprintf(msg, len,
		    "its filter of system calls (seccomp) may kill it for those of probes, and what they ask "
		    "for cannot be had without (no vDSO, or neither glibc nor musl): use -x engine=kernel");
		return -EACCES;
	}
	r = map_page(in, &p.stacks, addr, &what);
	if (r == 0)
		r = dt_inject_write(in, *addr, &p, sizeof(p));
	if (r != 0) {
		dt_inject_refused(in, what, r, msg, len);
		return (int)r;
	}
	*made = p;
	return 0;
}
