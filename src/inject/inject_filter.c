/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Filters of system calls (seccomp) of a process: a call that we add must not kill it. Filters can be read by
 * who has CAP_SYS_ADMIN and no filter itself: then each call is decided here as the kernel will decide it.
 * Filters that a process has in common with us (those of a container; as many as we have) are known by trying
 * the call ourselves. All others may kill, and nothing is called there.
 *
 * The programs are classic BPF on struct seccomp_data: loads of whole words, arithmetic, jumps forward.
 */
#include "inject/inject_impl.h"
#include "base/count.h"
#include "machine/machine.h"

#include <dirent.h>
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/futex.h>
#include <linux/seccomp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#define GET_FILTER 0x420c		/* PTRACE_…, which C libraries do not all have */
enum { FILTERS_MAX = 64 };

/* One for each time that the process has added one. */
struct dt_inject_filter { uint32_t n; struct sock_filter *insn[FILTERS_MAX]; uint16_t len[FILTERS_MAX]; };

void dt_inject_free_filter(struct dt_inject_filter *f)
{
	for (uint32_t i = 0; f != NULL && i < f->n; i++)
		free(f->insn[i]);
	free(f);
}

/* ---- what a program answers ---- */

struct machine { uint32_t a, x, mem[BPF_MEMWORDS]; };

static uint32_t arithmetic(uint16_t code, uint32_t a, uint32_t b)
{
	switch (BPF_OP(code)) {
	case BPF_ADD: return a + b;
	case BPF_SUB: return a - b;
	case BPF_MUL: return a * b;
	case BPF_DIV: return b != 0 ? a / b : 0;
	case BPF_MOD: return b != 0 ? a % b : 0;
	case BPF_OR: return a | b;
	case BPF_AND: return a & b;
	case BPF_XOR: return a ^ b;
	case BPF_LSH: return b < 32 ? a << b : 0;
	case BPF_RSH: return b < 32 ? a >> b : 0;
	default: return 0 - a;
	}
}

static bool holds(uint16_t code, uint32_t a, uint32_t b)
{
	switch (BPF_OP(code)) {
	case BPF_JEQ: return a == b;
	case BPF_JGT: return a > b;
	case BPF_JGE: return a >= b;
	default: return (a & b) != 0;
	}
}

static uint32_t load(const struct machine *m, const struct sock_filter *i, const struct seccomp_data *d)
{
	uint32_t word = 0;

	switch (BPF_MODE(i->code)) {
	case BPF_IMM: return i->k;
	case BPF_LEN: return sizeof(*d);
	case BPF_MEM: return i->k < BPF_MEMWORDS ? m->mem[i->k] : 0;
	default:
		if (i->k <= sizeof(*d) - sizeof(word))
			memcpy(&word, (const char *)d + i->k, sizeof(word));
		return word;
	}
}

static uint32_t run(const struct sock_filter *insn, uint32_t n, const struct seccomp_data *d)
{
	struct machine m = { 0 };

	for (uint32_t pc = 0; pc < n; pc++) {
		const struct sock_filter *i = &insn[pc];
		uint32_t operand = BPF_SRC(i->code) == BPF_X ? m.x : i->k;

		switch (BPF_CLASS(i->code)) {
		case BPF_LD: m.a = load(&m, i, d); break;
		case BPF_LDX: m.x = load(&m, i, d); break;
		case BPF_ST: m.mem[i->k % BPF_MEMWORDS] = m.a; break;
		case BPF_STX: m.mem[i->k % BPF_MEMWORDS] = m.x; break;
		case BPF_ALU: m.a = arithmetic(i->code, m.a, operand); break;
		case BPF_JMP:
			if (BPF_OP(i->code) == BPF_JA)
				pc = i->k < n ? pc + i->k : n;
			else
				pc += holds(i->code, m.a, operand) ? i->jt : i->jf;
			break;
		case BPF_RET: return BPF_RVAL(i->code) == BPF_A ? m.a : i->k;
		default: *(BPF_MISCOP(i->code) == BPF_TAX ? &m.x : &m.a) =
			BPF_MISCOP(i->code) == BPF_TAX ? m.a : m.x;
		}
	}
	return SECCOMP_RET_KILL_PROCESS;
}

/* Of all programs the strictest answer counts: the lowest, as a signed number. */
static uint32_t answer(const struct dt_inject_filter *f, const struct seccomp_data *d)
{
	uint32_t action = SECCOMP_RET_ALLOW;

	for (uint32_t i = 0; i < f->n; i++) {
		uint32_t one = run(f->insn[i], f->len[i], d) & SECCOMP_RET_ACTION_FULL;

		if ((int32_t)one < (int32_t)action)
			action = one;
	}
	return action;
}

/*
 * The call is made, or fails. trap: or a signal says that it was refused, which our caller takes away again.
 */
static bool is_harmless(const struct dt_inject *in, long number, const uint64_t args[6], uint64_t pc,
    bool trap)
{
	struct seccomp_data d = { .nr = (int)number, .instruction_pointer = pc,
		.arch = dt_machine_here()->elf | __AUDIT_ARCH_64BIT | __AUDIT_ARCH_LE };

	uint32_t action;

	if (in->filter == NULL)
		return !in->opaque;
	for (int i = 0; i < 6; i++)
		d.args[i] = args[i];
	action = answer(in->filter, &d);
	return action == SECCOMP_RET_ALLOW || action == SECCOMP_RET_LOG || action == SECCOMP_RET_ERRNO ||
	    (trap && action == SECCOMP_RET_TRAP);
}

bool dt_inject_allowed(const struct dt_inject *in, long number, const uint64_t args[6], uint64_t pc)
{
	return is_harmless(in, number, args, pc, true);
}

/* ---- what the agent may do ---- */

/* Without rights: filters that are ours too; what they forbid they forbid us. */
static bool may_read_ourselves(void)
{
	uint64_t from = 1, to = 0;
	struct iovec a = { &to, sizeof(to) }, b = { &from, sizeof(from) };

	return process_vm_readv(getpid(), &a, 1, &b, 1, 0) == (ssize_t)sizeof(to);
}

void dt_inject_agent_calls(const struct dt_inject *in, struct dt_agent_process *p)
{
	static const struct { int number; uint64_t arg[2]; } calls[] = {
		{ SYS_gettid, { 0 } }, { SYS_getpid, { 0 } }, { SYS_getuid, { 0 } }, { SYS_getgid, { 0 } },
		{ SYS_getcpu, { 0 } }, { SYS_tgkill, { 0 } }, { SYS_prctl, { PR_GET_NAME } },
		{ SYS_futex, { 0, FUTEX_WAKE } }, { SYS_clock_gettime, { CLOCK_MONOTONIC } },
		{ SYS_clock_gettime, { CLOCK_THREAD_CPUTIME_ID } }, { SYS_getppid, { 0 } },
		{ SYS_getcwd, { 0 } },
	};
	uint64_t read[6] = { p->self, 0, 1, 0, 1, 0 };

	for (unsigned i = 0; i < DT_COUNT(calls); i++)
		if (in->mixed || !is_harmless(in, calls[i].number,
		    (uint64_t[6]){ calls[i].arg[0], calls[i].arg[1] }, 0, false))
			p->no_calls = 1;
	p->no_reads = in->mixed || !is_harmless(in, SYS_process_vm_readv, read, 0, false) ||
	    !is_harmless(in, SYS_process_vm_writev, read, 0, false) || !may_read_ourselves();
}

/* ---- reading them ---- */

/* 1: there are no more; -errno. */
static int read_one(struct dt_inject_filter *f, pid_t tid, uint32_t i)
{
	long n = ptrace(GET_FILTER, tid, (void *)(uintptr_t)i, NULL);

	if (n < 0)
		return errno == ENOENT ? 1 : -errno;
	if (n == 0 || n > BPF_MAXINSNS || i >= FILTERS_MAX)
		return -E2BIG;
	f->insn[i] = calloc((size_t)n, sizeof(*f->insn[i]));
	if (f->insn[i] == NULL)
		return -ENOMEM;
	f->n++;
	f->len[i] = (uint16_t)n;
	return ptrace(GET_FILTER, tid, (void *)(uintptr_t)i, f->insn[i]) == n ? 0 : -EIO;
}

static struct dt_inject_filter *read_all(pid_t tid)
{
	struct dt_inject_filter *f = calloc(1, sizeof(*f));
	int err = f != NULL ? 0 : -ENOMEM;

	for (uint32_t i = 0; err == 0; i++)
		err = read_one(f, tid, i);
	if (err == 1 && f->n > 0)
		return f;
	dt_inject_free_filter(f);
	return NULL;
}

/* Its filters are ours, as we have as many: those of a container. */
static bool same_filters(uint32_t filters)
{
	struct dt_inject_status us;

	return dt_inject_status(getpid(), getpid(), &us) == 0 && us.seccomp == 2 && us.filters == filters;
}

/* Threads may have filters of their own. */
bool dt_inject_filters_differ(pid_t pid)
{
	struct dt_inject_status first = { 0 }, s;
	char path[64];
	struct dirent *e;
	bool differ = false;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	dir = dt_inject_status(pid, pid, &first) == 0 ? opendir(path) : NULL;
	while (dir != NULL && !differ && (e = readdir(dir)) != NULL)
		differ = atoi(e->d_name) > 0 && dt_inject_status(pid, (pid_t)atoi(e->d_name), &s) == 0 &&
		    (s.seccomp != first.seccomp || s.filters != first.filters);
	if (dir != NULL)
		closedir(dir);
	return differ;
}

bool dt_inject_newly_filtered(struct dt_inject *in, uint64_t process)
{
	struct dt_inject_status s;
	const uint32_t both[2] = { 1, 1 };

	_Static_assert(offsetof(struct dt_agent_process, no_calls) ==
	    offsetof(struct dt_agent_process, no_reads) + sizeof(both[0]), "words that are written as one");
	if (dt_inject_status(in->pid, in->pid, &s) != 0 || s.seccomp == 0 || s.filters == in->filters)
		return false;
	in->filters = s.filters;
	(void)dt_inject_write(in, process + offsetof(struct dt_agent_process, no_reads), both, sizeof(both));
	return true;
}

int dt_inject_look_at_filter(struct dt_inject *in, pid_t tid)
{
	struct dt_inject_status s;
	int err = dt_inject_status(in->pid, tid, &s);

	if (err != 0)
		return err;
	dt_inject_free_filter(in->filter);
	in->filter = NULL;
	in->filtered = s.seccomp != 0;
	in->filters = s.filters;
	in->opaque = false;
	if (s.seccomp == 2)
		in->filter = read_all(tid);
	in->opaque = in->filtered && in->filter == NULL && !same_filters(s.filters);
	return in->opaque ? -EACCES : 0;
}
