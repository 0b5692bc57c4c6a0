/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Told memory in a real place. A region of user memory becomes pages of this process; one of kernel memory
 * the value of a BPF map, whose address a program of four instructions tells. Behind the told bytes are
 * zeros up to the end of the page, in both executors. Addresses the test tells (arguments, constants, words
 * of memory) are moved with the regions.
 */
#include "kernel.h"

#include <bpf/bpf.h>
#include <sched.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static size_t rounded(uint64_t len)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	return (len + page) / page * page;	/* at least a zero behind */
}

/*
 * The address of the first byte of the map's value, which the program writes there itself; 0: not
 * possible.
 */
static uint64_t address_of(int map, const void *value)
{
	struct bpf_insn insns[] = {
		{ .code = BPF_LD | BPF_DW | BPF_IMM, .dst_reg = 1, .src_reg = BPF_PSEUDO_MAP_VALUE,
		    .imm = map }, { 0 },
		{ .code = BPF_STX | BPF_MEM | BPF_DW, .dst_reg = 1, .src_reg = 1 },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	LIBBPF_OPTS(bpf_test_run_opts, opts);
	uint64_t addr = 0;
	int prog = bpf_prog_load(BPF_PROG_TYPE_RAW_TRACEPOINT, "difrun_where", "Dual BSD/GPL", insns, 5,
	    NULL);

	if (prog >= 0 && bpf_prog_test_run_opts(prog, &opts) == 0)
		memcpy(&addr, value, sizeof(addr));
	if (prog >= 0)
		close(prog);
	return addr;
}

static bool make_one(struct place *p)
{
	LIBBPF_OPTS(bpf_map_create_opts, opts, .map_flags = BPF_F_MMAPABLE);
	int map = -1;

	if (!p->user) {
		map = bpf_map_create(BPF_MAP_TYPE_ARRAY, "difrun_mem", 4, (uint32_t)p->len, 1, &opts);
		if (map < 0)
			return false;
	}
	p->bytes = mmap(NULL, p->len, PROT_READ | PROT_WRITE,
	    map < 0 ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_SHARED, map, 0);
	if (p->bytes == MAP_FAILED)
		return false;
	p->real = map < 0 ? (uint64_t)(uintptr_t)p->bytes : address_of(map, p->bytes);
	if (map >= 0)
		close(map);		/* the mapping keeps it */
	return p->real != 0;
}

bool places_make(struct places *ps, const struct dt_region *told, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		if (i == sizeof(ps->v) / sizeof(ps->v[0]))
			return false;
		ps->v[i] = (struct place){ .told = told[i].addr, .told_len = told[i].len,
			.user = told[i].user, .len = rounded(told[i].len) };
		if (!make_one(&ps->v[i]))
			return false;
		ps->n = i + 1;
	}
	return true;
}

uint64_t places_move(const struct places *ps, uint64_t addr)
{
	for (uint32_t i = 0; i < ps->n; i++) {
		const struct place *p = &ps->v[i];

		if (addr >= p->told && addr - p->told <= p->told_len)
			return addr - p->told + p->real;
	}
	return addr;
}

void places_fill(struct places *ps, const struct dt_region *told, struct dt_region *real)
{
	for (uint32_t i = 0; i < ps->n; i++) {
		struct place *p = &ps->v[i];
		uint64_t word;

		memset(p->bytes, 0, p->len);
		memcpy(p->bytes, told[i].bytes, told[i].len);
		for (size_t at = 0; at + 8 <= told[i].len; at += 8) {
			memcpy(&word, (char *)p->bytes + at, 8);
			word = places_move(ps, word);
			memcpy((char *)p->bytes + at, &word, 8);
		}
		real[i] = told[i];
		real[i].addr = p->real;
		real[i].len = p->len;
		real[i].bytes = p->bytes;
	}
}

static void move_difo(const struct places *ps, const struct dt_difo *d)
{
	/* ours alone: the program was compiled for this run and nothing has looked at it yet */
	for (uint32_t i = 0; d && i < d->nints; i++)
		((uint64_t *)d->ints)[i] = places_move(ps, d->ints[i]);
}

void places_move_prog(const struct places *ps, const struct dt_prog *prog)
{
	for (uint32_t i = 0; ps->n && i < prog->necbs; i++) {
		move_difo(ps, prog->ecbs[i].pred);
		for (uint32_t k = 0; k < prog->ecbs[i].nacts; k++)
			move_difo(ps, prog->ecbs[i].acts[k].difo);
	}
}

void places_real(const struct places *ps, struct dt_context *c)
{
	for (int i = 0; i < 10; i++)
		c->arg[i] = places_move(ps, c->arg[i]);
	c->pid = (uint32_t)getpid();
	c->tid = (uint32_t)syscall(SYS_gettid);
	c->ppid = (uint32_t)getppid();
	c->cpu = (uint32_t)sched_getcpu();
}

/* Only the real ids change, so that our rights stay. */
void places_become(const struct dt_context *c)
{
	prctl(PR_SET_NAME, c->execname);
	(void)!setresgid(c->gid, (gid_t)-1, (gid_t)-1);
	(void)!setresuid(c->uid, (uid_t)-1, (uid_t)-1);
}

void places_return(void)
{
	(void)!setresuid(0, (uid_t)-1, (uid_t)-1);
	(void)!setresgid(0, (gid_t)-1, (gid_t)-1);
}

void places_stay(void)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(sched_getcpu(), &set);
	sched_setaffinity(0, sizeof(set), &set);
}
