/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Patches for the functions of libraries, where they begin and where they return: each is made for an
 * island near and one far, and read back. No byte is written. Files given as arguments are read instead,
 * and what was refused is printed:
 *	build/test/patch_scan_test /usr/lib/x86_64-linux-gnu/libc.so.6
 */
#include "check.h"

#include "base/count.h"
#include "file/elf.h"
#include "patch_targets.h"
#include "patch_verify.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <gnu/libc-version.h>
#include <stdlib.h>
#include <unistd.h>

enum { MAX_SITES = 4096, MAX_WHY = 32, LOAD = 0x40000000 };

enum kind { ENTRY, RETURN, ENTRY_TOGETHER, RETURN_TOGETHER, KINDS };

struct why { const char *text; unsigned n[KINDS]; };

struct scan {
	struct dt_elf *elf;
	const struct dt_machine *m;
	const struct dt_elf_function *f;
	const uint8_t *code;
	uint64_t avail;
	uint64_t sites[MAX_SITES], addrs[MAX_SITES];
	uint32_t nsites;
	unsigned total[KINDS], patched[KINDS];
	struct why why[MAX_WHY];
	struct targets targets;
	unsigned crossed;		/* patches that only the other functions' branches forbid */
	bool verbose;
};

static void count(struct scan *s, enum kind kind, const char *why)
{
	int i = 0;

	s->total[kind]++;
	if (why == NULL) {
		s->patched[kind]++;
		return;
	}
	while (i < MAX_WHY - 1 && s->why[i].text != NULL && s->why[i].text != why)
		i++;
	s->why[i].text = why;
	s->why[i].n[kind]++;
}

/* Does the patch that is said to fire a place do so? */
static bool joined(const struct scan *s, const struct dt_patch *p, const struct dt_patch_site *site,
    uint64_t tramp)
{
	struct dt_patch_site owner = *site;
	struct dt_patch by;
	const char *why;
	bool found = false;

	owner.pc = p->owner;
	if (dt_patch_make(s->m, &owner, tramp, tramp + 256, &by, &why) != 0)
		return false;
	for (int i = 0; i < by.nalso; i++)
		found |= by.also[i].pc == site->pc;
	return CHECK(found);
}

static const char *try(struct scan *s, uint64_t pc, uint64_t tramp, bool together, bool crossing)
{
	struct dt_patch_site site = { .pc = pc, .func = s->code, .func_addr = LOAD + s->f->vaddr,
		.func_size = s->f->size, .avail = s->avail };
	const char *why, *wrong;
	struct dt_patch p;
	int err;

	if (together) {
		site.sites = s->sites;
		site.site_addrs = s->addrs;
		site.nsites = s->nsites;
	}
	if (crossing)
		targets_of(&s->targets, &site);
	err = dt_patch_make(s->m, &site, tramp, tramp + 256, &p, &why);
	if (err == -EALREADY)
		return joined(s, &p, &site, tramp) ? NULL : "not joined";
	if (err != 0)
		return why;
	wrong = s->m == &dt_machine_aarch64 ? verify_aarch64(&site, &p, tramp, tramp + 256) :
	    verify_x86(&site, &p, tramp, tramp + 256);
	if (!CHECK(wrong == NULL))
		fprintf(stderr, "%s+%#llx: %s\n", s->f->name, (unsigned long long)(pc - site.func_addr),
		    wrong);
	return NULL;
}

static void site(struct scan *s, uint64_t pc, enum kind kind)
{
	uint64_t near = LOAD - 65536, far = LOAD + (100 << 20);
	const char *why = try(s, pc, far, false, true);
	const char *together = why != NULL ? why : try(s, pc, near, true, true);

	count(s, kind, why);
	count(s, kind + 2, together);
	CHECK((try(s, pc, near, false, true) == NULL) == (why == NULL));
	s->crossed += why != NULL && try(s, pc, near, false, false) == NULL;
	if (s->verbose && together != NULL && getenv("PATCH_VERBOSE") != NULL)
		printf("%s+0x%llx: %s\n", s->f->name, (unsigned long long)(pc - LOAD - s->f->vaddr),
		    together);
}

static bool find_site(void *ctx, const struct dt_insn *in)
{
	struct scan *s = ctx;
	bool jumps = in->way == DT_INSN_JUMP || in->way == DT_INSN_BRANCH;

	if ((in->way == DT_INSN_RET || in->way == DT_INSN_INDIRECT || (jumps && in->to >= s->f->size)) &&
	    in->off != 0 && s->nsites < MAX_SITES)
		s->sites[s->nsites++] = LOAD + s->f->vaddr + in->off;
	return true;
}

static int function(void *ctx, const struct dt_elf_function *f)
{
	struct scan *s = ctx;
	const void *code;

	if (f->alias || f->size == 0 || f->offset == UINT64_MAX || f->type == STT_NOTYPE)
		return 0;
	s->avail = f->size + 16;
	if (dt_elf_code(s->elf, f->offset, s->avail, &code) != 0) {
		s->avail = f->size;
		if (dt_elf_code(s->elf, f->offset, s->avail, &code) != 0)
			return 0;
	}
	s->f = f;
	s->code = code;
	s->nsites = 0;
	s->sites[s->nsites++] = LOAD + f->vaddr;
	if (s->m->walk(code, f->size, f->vaddr, find_site, s) != 0)
		s->nsites = 1;
	for (uint32_t i = 0; i < s->nsites; i++)
		s->addrs[i] = LOAD - 32768 + 64 * i;
	for (uint32_t i = 0; i < s->nsites; i++)
		site(s, s->sites[i], i == 0 ? ENTRY : RETURN);
	return 0;
}

/* ---- branches from elsewhere, found by their bytes ---- */

struct leads {
	struct dt_patch_range *range;
	uint32_t n, cap;
	struct targets found;
	size_t real, missing;
};

static int add_range(void *ctx, const struct dt_elf_function *f)
{
	struct leads *l = ctx;
	uint64_t start = LOAD + f->vaddr;

	if (f->alias || f->size == 0 || f->offset == UINT64_MAX || f->type == STT_NOTYPE || l->n == l->cap)
		return 0;
	l->range[l->n++] = (struct dt_patch_range){ start, start + f->size };
	return 0;
}

static int by_start(const void *a, const void *b)
{
	const struct dt_patch_range *x = a, *y = b;

	return x->start < y->start ? -1 : x->start > y->start;
}

/* A branch that decoding has found: is it among those that the bytes have told? */
static void is_found(void *ctx, uint64_t from, uint64_t to)
{
	struct leads *l = ctx;

	for (uint32_t i = 0; i < l->n && l->range[i].start < to; i++) {
		const struct dt_patch_range *r = &l->range[i];

		if (to >= r->end || (from >= r->start && from < r->end))
			continue;
		l->real++;
		l->missing += bsearch(&to, l->found.v, l->found.n, sizeof(to), by_address) == NULL;
	}
}

static void check_leads(const struct scan *s)
{
	struct leads l = { .cap = 1 << 16, .range = calloc(1 << 16, sizeof(*l.range)) };
	const void *text;
	uint64_t addr;
	uint32_t n = 0;
	size_t len;

	if (s->m != &dt_machine_x86_64 || l.range == NULL ||
	    dt_elf_section(s->elf, ".text", &text, &len, &addr) != 0) {
		free(l.range);
		return;
	}
	dt_elf_each_function(s->elf, add_range, &l);
	qsort(l.range, l.n, sizeof(*l.range), by_start);
	for (uint32_t i = 0; i < l.n; i++)
		if (n == 0 || l.range[i].start >= l.range[n - 1].end)
			l.range[n++] = l.range[i];
	l.n = n;
	dt_patch_leads(s->m, text, len, LOAD + addr, l.range, l.n, add_target, &l.found);
	if (l.found.n > 0)
		qsort(l.found.v, l.found.n, sizeof(l.found.v[0]), by_address);
	(void)dt_patch_targets(s->m, text, len, LOAD + addr, is_found, &l);
	CHECK(l.real > 0);
	CHECK_INT(l.missing, 0);
	if (s->verbose)
		printf("  branches into other functions: %zu, by their bytes %zu\n", l.real, l.found.n);
	free(l.found.v);
	free(l.range);
}

static void report(const struct scan *s, const char *path)
{
	static const char *const names[] = { "entries", "returns", "entries, all at once",
	    "returns, all at once" };

	printf("%s (%s)\n", path, s->m->name);
	for (int k = 0; k < KINDS; k++) {
		printf("  %s: %u of %u, %.1f %%\n", names[k], s->patched[k], s->total[k],
		    s->total[k] != 0 ? 100.0 * s->patched[k] / s->total[k] : 0);
		for (int i = 0; i < MAX_WHY && s->why[i].text != NULL; i++)
			if (s->why[i].n[k] != 0)
				printf("    %u: %s\n", s->why[i].n[k], s->why[i].text);
	}
	printf("  refused for branches of other functions alone: %u (%zu branches%s)\n", s->crossed,
	    s->targets.n, s->targets.undecoded ? ", not all" : "");
}

static void scan(const char *path, bool verbose)
{
	struct scan *s = calloc(1, sizeof(*s));
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (s == NULL || fd < 0 || dt_elf_open(fd, path, &s->elf) != 0) {
		CHECK_SKIP(path);
		free(s);
		return;
	}
	s->m = dt_machine_elf(dt_elf_machine(s->elf));
	s->verbose = verbose;
	if (CHECK(s->m != NULL && dt_elf_load(s->elf) == 0)) {
		find_targets(&s->targets, s->elf, LOAD);
		dt_elf_each_function(s->elf, function, s);
		/* aarch64 displaces one instruction: hardly any is refused */
		CHECK(s->patched[ENTRY] > s->total[ENTRY] / 100 * (s->m == &dt_machine_aarch64 ? 98 : 60));
		CHECK(s->patched[RETURN] > s->total[RETURN] / 100 * (s->m == &dt_machine_aarch64 ? 98 : 60));
		if (verbose)
			report(s, path);
		check_leads(s);
	}
	dt_elf_close(s->elf);
	free(s->targets.v);
	free(s);
}

int main(int argc, char **argv)
{
	/* of another machine, where its cross compiler is installed */
	static const char *const others[] = { "/usr/x86_64-linux-gnu/lib/libc.so.6",
	    "/usr/aarch64-linux-gnu/lib/libc.so.6" };
	bool other = false;
	Dl_info info;

	for (int i = 1; i < argc; i++)
		scan(argv[i], true);
	if (argc > 1)
		return CHECK_DONE("patch_scan_test");
	if (CHECK(dladdr((void *)gnu_get_libc_version, &info) != 0 && info.dli_fname != NULL))
		scan(info.dli_fname, false);
	for (size_t i = 0; i < DT_COUNT(others); i++) {
		if (access(others[i], R_OK) != 0)
			continue;
		scan(others[i], false);
		other = true;
	}
	if (!other)
		CHECK_SKIP("no C library of another machine is installed (libc6-amd64-cross)");
	return CHECK_DONE("patch_scan_test");
}
