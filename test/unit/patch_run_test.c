/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Patches run on this machine: functions that have one instruction of each class are called with random
 * registers, before and after they are patched. All registers and flags must become the same, the entry
 * must have been passed as often as the place is, and it must have seen the registers that were there.
 * Islands are near and far.
 */
#include "check.h"

#include "agent/agent.h"
#include "machine/machine.h"
#include "patch/patch.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>

#if defined(__aarch64__)
#include "patch_cases_aarch64.h"
#elif defined(__x86_64__)
#include "patch_cases_x86_64.h"
#endif

enum { ROUNDS = 200, PAGE = 65536, SOMETIMES = 100, MAX_SITES = 32, ISLAND_ROOM = 1024 };

struct a_case { char name[32]; int64_t func, site, end, hits; };
/* All registers by number, the stack pointer where the machine has it; then flags. */
struct state { uint64_t reg[NREGS]; uint64_t rest[35 - NREGS]; uint64_t vector[NVECTORS]; };
/* The site, and what the entry of the test writes: see patch_cases. */
struct site { struct dt_agent_site s; uint64_t count, regs[40]; };
_Static_assert(offsetof(struct site, count) == 56, "the entry writes there");

extern struct a_case patch_cases[], patch_cases_end[];
extern uint8_t patch_block[], patch_block_end[], patch_entry[];
void patch_call(const struct state *in, struct state *out, void *f);

static uint64_t seed = 88172645463325252u;

static uint64_t any(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	return seed ^= seed << 17;
}

#if defined(__x86_64__)
enum { SP_AT = 4, FLAGS_AT = 16 };
/* by the numbers of instructions, from struct pt_regs */
static const uint8_t saved_at[] = { 10, 11, 12, 5, 19, 4, 13, 14, 9, 8, 7, 6, 3, 2, 1, 0 };
extern uint64_t patch_slots[4];
static void fill_slots(uint8_t *code)
{
	for (int i = 0; i < 4; i += 2)
		memcpy(code + patch_slots[i], &(uint64_t){ (uintptr_t)code + patch_slots[i + 1] }, 8);
}
#else
enum { SP_AT = 31, FLAGS_AT = 32 };
static const uint8_t saved_at[] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19,
	20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30 };
static void fill_slots(uint8_t *code) { (void)code; }
#endif

/* Small numbers and large ones; the flags are only flags. */
static void fill(struct state *s)
{
	uint64_t *word = (uint64_t *)s;

	for (size_t i = 0; i < sizeof(*s) / 8; i++)
		word[i] = any() >> (any() & 1 ? 0 : any() % 64);
	word[FLAGS_AT] &= flag_bits;
}

static struct dt_patch_site place(const struct a_case *c, const uint8_t *file, uint8_t *code)
{
	uint64_t at = (uintptr_t)code;

	return (struct dt_patch_site){ .pc = at + (uint64_t)c->site, .func = file + c->func,
		.func_addr = at + (uint64_t)c->func, .func_size = (uint64_t)(c->end - c->func),
		.avail = (uint64_t)(patch_block_end - patch_block - c->func) };
}

/* What the entry saw: the machine's pc, and of straight code the registers that went in. */
static void entry_saw(const struct a_case *c, const struct site *site, const struct state *in,
    const struct state *out)
{
	const struct dt_machine *m = dt_machine_here();

	CHECK_INT(site->regs[m->regs.pc / 8], site->s.pc);
	if (c->site != c->func)
		return;
	for (int i = 0; i < NREGS; i++) {
		if (i == SP_AT || i >= 29 || i == 18)
			continue;
		if (!CHECK_INT(site->regs[saved_at[i]], in->reg[i]))
			fprintf(stderr, "%s: register %d\n", c->name, i);
	}
	CHECK_INT(site->regs[m->regs.flags / 8] & flag_bits, ((const uint64_t *)in)[FLAGS_AT]);
	/* of the caller: a call has pushed */
	CHECK_INT(site->regs[m->regs.sp / 8], ((const uint64_t *)out)[SP_AT] -
	    (m->regs.link == DT_MACHINE_NOWHERE ? 8 : 0));
}

static bool same(const struct state *a, const struct state *b, const char *name)
{
	const uint64_t *x = (const uint64_t *)a, *y = (const uint64_t *)b;

	for (size_t i = 0; i < sizeof(*a) / 8; i++) {
		uint64_t bits = i == FLAGS_AT ? flag_bits : UINT64_MAX;

		if (((x[i] ^ y[i]) & bits) != 0) {
			fprintf(stderr, "%s: word %zu: %llx, unpatched %llx\n", name, i,
			    (unsigned long long)y[i], (unsigned long long)x[i]);
			return false;
		}
	}
	return true;
}

static void flush(void *at, size_t n) { __builtin___clear_cache(at, (char *)at + n); }

/* Runs unpatched, patched, and with the original bytes again. */
static void run(const struct a_case *c, uint8_t *code, uint8_t *island, const struct dt_patch *p,
    struct site *site)
{
	uint8_t *at = code + c->site - p->before;
	uint64_t count = 0;

	memcpy(island, p->tramp, p->tramp_len);
	flush(island, p->tramp_len);
	for (int i = 0; i < ROUNDS; i++) {
		struct state in, plain, patched;

		fill(&in);
		memset(&plain, 0, sizeof(plain));
		patched = plain;
		patch_call(&in, &plain, code + c->func);
		memcpy(at, p->bytes, p->len);
		flush(at, p->len);
		patch_call(&in, &patched, code + c->func);
		memcpy(at, p->original, p->len);
		flush(at, p->len);
		if (!CHECK(same(&plain, &patched, c->name)))
			break;
		count += c->hits != SOMETIMES ? (uint64_t)c->hits : (int64_t)plain.reg[0] >= 0;
		if (!CHECK_INT(site->count, count)) {
			fprintf(stderr, "%s\n", c->name);
			break;
		}
		if (site->count == 0)
			continue;
		entry_saw(c, site, &in, &plain);
	}
}

/* The places of equal meaning are where they say: each `from` is in order, and the last is the way back. */
static void places(const struct dt_patch *p)
{
	bool fires = false;

	for (int i = 0; i < p->npcs; i++) {
		CHECK(p->pcs[i].to < p->tramp_len);
		CHECK(i == 0 || p->pcs[i].from >= p->pcs[i - 1].from);
		fires |= p->pcs[i].from >= p->before && p->pcs[i].to <= p->fire &&
		    p->fire - p->pcs[i].to <= 4;
	}
	CHECK(fires && p->back > p->fire && p->after > p->back);
}

static void one(const struct a_case *c, uint8_t *code, uint8_t *island)
{
	struct site *site = (void *)(island + 512);
	struct dt_patch_site s = place(c, code, code);
	struct dt_patch p;
	const char *why = NULL;
	int err = dt_patch_make(dt_machine_here(), &s, (uintptr_t)island, (uintptr_t)site, &p, &why);

	if (c->hits < 0) {
		if (!CHECK(err != 0 && why != NULL))
			fprintf(stderr, "%s was not refused\n", c->name);
		return;
	}
	if (!CHECK_INT(err, 0)) {
		fprintf(stderr, "%s: %s\n", c->name, why);
		return;
	}
	CHECK(memcmp(p.original, code + c->site - p.before, p.len) == 0);
	places(&p);
	memset(site, 0, sizeof(*site));
	site->s = (struct dt_agent_site){ .entry = (uintptr_t)patch_entry, .back = (uintptr_t)island + p.back,
		.pc = s.pc };
	run(c, code, island, &p, site);
}

/* ---- probes on all instructions of a function ---- */

struct many {
	const struct a_case *c;
	uint8_t *code, *island;
	uint64_t pcs[MAX_SITES], addrs[MAX_SITES], alone[MAX_SITES];
	struct dt_patch patch[MAX_SITES];
	int err[MAX_SITES];
	uint32_t n;
	unsigned joined, refused;
};

static bool add_site(void *ctx, const struct dt_insn *in)
{
	struct many *m = ctx;

	if (m->n < MAX_SITES) {
		m->pcs[m->n] = (uintptr_t)m->code + (uint64_t)m->c->func + in->off;
		m->addrs[m->n] = (uintptr_t)m->island + ISLAND_ROOM * m->n + 512;
		m->n++;
	}
	return true;
}

static struct site *site_of(const struct many *m, uint32_t i) { return (void *)(uintptr_t)m->addrs[i]; }

static void write_patch(struct many *m, uint32_t i, bool patched)
{
	const struct dt_patch *p = &m->patch[i];
	uint8_t *at = (uint8_t *)(uintptr_t)m->pcs[i] - p->before;

	memcpy(at, patched ? p->bytes : p->original, p->len);
	flush(at, p->len);
}

/* Makes the patch of a place, alone or together with all others. */
static void make_patch(struct many *m, uint32_t i, bool together)
{
	uint8_t *tramp = m->island + ISLAND_ROOM * i;
	struct dt_patch_site s = place(m->c, m->code, m->code);
	const char *why;

	s.pc = m->pcs[i];
	if (together) {
		s.sites = m->pcs;
		s.site_addrs = m->addrs;
		s.nsites = m->n;
	}
	m->err[i] = dt_patch_make(dt_machine_here(), &s, (uintptr_t)tramp, m->addrs[i], &m->patch[i], &why);
	if (m->err[i] == -EALREADY)
		return;
	memset(site_of(m, i), 0, sizeof(struct site));
	site_of(m, i)->s = (struct dt_agent_site){ .entry = (uintptr_t)patch_entry,
		.back = (uintptr_t)tramp + m->patch[i].back, .pc = s.pc };
	for (int k = 0; m->err[i] == 0 && k < m->patch[i].nalso; k++)
		for (uint32_t other = 0; other < m->n; other++)
			if (m->pcs[other] == m->patch[i].also[k].pc)
				site_of(m, other)->s.back = (uintptr_t)tramp + m->patch[i].also[k].back;
	memcpy(tramp, m->patch[i].tramp, m->patch[i].tramp_len);
	flush(tramp, m->patch[i].tramp_len);
}

/* How often each place is passed with these registers, when it is the only one. */
static void count_alone(struct many *m, const struct state *in, const struct state *plain)
{
	for (uint32_t i = 0; i < m->n; i++) {
		struct state out = { .reg = { 0 } };

		make_patch(m, i, false);
		m->alone[i] = UINT64_MAX;
		if (m->err[i] != 0)
			continue;
		write_patch(m, i, true);
		patch_call(in, &out, m->code + m->c->func);
		write_patch(m, i, false);
		CHECK(same(plain, &out, m->c->name));
		m->alone[i] = site_of(m, i)->count;
	}
}

static bool can_be_written(const struct many *m, uint32_t i)
{
	const uint8_t *at = (const uint8_t *)(uintptr_t)m->pcs[i] - m->patch[i].before;

	return memcmp(at, m->patch[i].original, m->patch[i].len) == 0;
}

static void all_together(struct many *m, const struct state *in, const struct state *plain)
{
	struct state out = { .reg = { 0 } };

	for (uint32_t i = 0; i < m->n; i++) {
		memset(site_of(m, i), 0, sizeof(struct site));
		site_of(m, i)->s.entry = (uintptr_t)patch_entry;
		site_of(m, i)->s.pc = m->pcs[i];
	}
	for (uint32_t i = 0; i < m->n; i++)
		make_patch(m, i, true);
	/* what one patch has written no other needs */
	for (uint32_t i = 0; i < m->n; i++)
		if (m->err[i] == 0 && CHECK(can_be_written(m, i)))
			write_patch(m, i, true);
	patch_call(in, &out, m->code + m->c->func);
	for (uint32_t i = m->n; i-- > 0;)
		if (m->err[i] == 0)
			write_patch(m, i, false);
	CHECK(same(plain, &out, m->c->name));
	for (uint32_t i = 0; i < m->n; i++) {
		m->joined += m->err[i] == -EALREADY;
		m->refused += m->err[i] == -ENOTSUP;
		if (m->err[i] != -ENOTSUP && m->alone[i] != UINT64_MAX &&
		    !CHECK_INT(site_of(m, i)->count, m->alone[i]))
			fprintf(stderr, "%s+%llx, with all others\n", m->c->name,
			    (unsigned long long)(m->pcs[i] - (uintptr_t)m->code - (uint64_t)m->c->func));
	}
}

/* All instructions that can be patched, each alone and all at once: the counts are the same. */
static void everywhere(const struct a_case *c, uint8_t *code, uint8_t *island)
{
	static struct many m;

	m = (struct many){ .c = c, .code = code, .island = island };
	dt_machine_here()->walk(code + c->func, (uint64_t)(c->end - c->func), 0, add_site, &m);
	for (int i = 0; i < ROUNDS / 10; i++) {
		struct state in, plain = { .reg = { 0 } };

		fill(&in);
		patch_call(&in, &plain, code + c->func);
		count_alone(&m, &in, &plain);
		all_together(&m, &in, &plain);
	}
	CHECK(m.n > 0);
}

static uint8_t *map_at(uint8_t *at)
{
	uint8_t *p = mmap(at, PAGE, PROT_READ | PROT_WRITE | PROT_EXEC,
	    MAP_PRIVATE | MAP_ANONYMOUS | (at != NULL ? MAP_FIXED_NOREPLACE : 0), -1, 0);

	return p == MAP_FAILED ? NULL : p;
}

int main(int argc, char **argv)
{
	static const int64_t distances[] = { PAGE, 16 << 20, -(24 << 20), 100 << 20, -(100 << 20) };
	uint8_t *code, *island;
	int islands = 0;

	/* room on both sides, whatever else is mapped */
	code = mmap(NULL, 256 << 20, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	CHECK(code != MAP_FAILED);
	munmap(code, 256 << 20);
	code = map_at(code + (128 << 20));
	if (!CHECK(code != NULL))
		return CHECK_DONE("patch_run_test");
	memcpy(code, patch_block, (size_t)(patch_block_end - patch_block));
	fill_slots(code);
	flush(code, PAGE);
	for (size_t i = 0; i < sizeof(distances) / sizeof(distances[0]); i++) {
		island = map_at(code + distances[i]);
		if (island == NULL)
			continue;
		islands++;
		CHECK(dt_patch_reaches(dt_machine_here(), (uintptr_t)code, (uintptr_t)island, PAGE));
		for (const struct a_case *c = patch_cases; c < patch_cases_end; c++)
			if (argc < 2 || strcmp(argv[1], c->name) == 0)
				one(c, code, island);
		for (const struct a_case *c = patch_cases; c < patch_cases_end; c++)
			if (c->hits >= 0 && (argc < 2 || strcmp(argv[1], c->name) == 0))
				everywhere(c, code, island);
		munmap(island, PAGE);
	}
	CHECK(islands > 0);
	return CHECK_DONE("patch_run_test");
}
