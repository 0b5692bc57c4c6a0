/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The instructions of a process that make system calls, in the files that are mapped as code: each becomes a
 * place before it and, where a hook of returns is enabled, one after it. Only what lies in a function is an
 * instruction for sure. The one that ends a signal handler is left alone: unwinders know its frame by its
 * bytes.
 */
#include "inproc/finding.h"

#include "base/printable.h"
#include "file/cfi.h"
#include "file/elf.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>

enum { TEXT_MAX = 512 << 20, TAIL_MAX = 64, ASSEMBLY_MAX = 4096 };

/* ---- functions ---- */

static int by_pc(const void *a, const void *b)
{
	const struct dt_cfi_group *x = a, *y = b;

	return x->pc < y->pc ? -1 : x->pc > y->pc;
}

/* Stripped files have tables for unwinding: an entry is a function, or a part of one. */
static void read_frames(struct inproc_file *f)
{
	struct dt_cfi *c = calloc(1, sizeof(*c));
	const void *data = NULL;
	uint64_t addr;
	size_t len;

	f->frames_read = true;
	if (c == NULL || f->elf == NULL || dt_elf_section(f->elf, ".eh_frame", &data, &len, &addr) != 0 ||
	    data == NULL || dt_cfi_read(c, dt_elf_machine(f->elf), data, len, addr) != 0) {
		if (c != NULL)
			dt_cfi_free(c);
		free(c);
		return;
	}
	dt_elf_forget(f->elf, data);
	if (c->ngroups > 1)
		qsort(c->group, c->ngroups, sizeof(*c->group), by_pc);
	f->frames = c;
}

static uint64_t by_frames(struct inproc_file *f, uint64_t vaddr, uint64_t *into)
{
	const struct dt_cfi_group *g;
	size_t low = 0, high;
	uint64_t end;

	if (!f->frames_read)
		read_frames(f);
	high = f->frames != NULL ? f->frames->ngroups : 0;
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (f->frames->group[middle].pc <= vaddr)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == 0)
		return 0;
	g = &f->frames->group[low - 1];
	end = g->end;
	if (vaddr >= end) {
		/* the last instructions of clone() have no entry, since they run on two stacks */
		end = low < f->frames->ngroups ? f->frames->group[low].pc : end;
		if (vaddr >= end || vaddr - g->end > TAIL_MAX || end - g->pc > ASSEMBLY_MAX)
			return 0;
	}
	*into = vaddr - g->pc;
	return end - g->pc;
}

uint64_t dt_inproc_function(struct inproc_file *f, uint64_t offset, uint64_t *into)
{
	const struct dt_elf_function *function;
	uint64_t vaddr;

	if (f->elf == NULL || !dt_elf_offset_to_vaddr(f->elf, offset, &vaddr))
		return 0;
	function = dt_elf_function_at(f->elf, vaddr);
	if (function == NULL || vaddr - function->vaddr >= function->size)
		return by_frames(f, vaddr, into);
	*into = vaddr - function->vaddr;
	return function->size;
}

void dt_inproc_close_file(struct inproc_file *f)
{
	if (f->frames != NULL)
		dt_cfi_free(f->frames);
	free(f->frames);
	dt_elf_close(f->elf);
}

/* ---- instructions ---- */

struct scan {
	struct inproc_finding *f;
	const struct inproc_mapped *m;
	const char *path;
	const uint8_t *code;
	uint64_t len;
	bool calls, returns;		/* a hook of system calls, of their returns is enabled */
	bool asks;			/* calls that make processes are looked for */
};

struct wanted { uint64_t off; bool found; };

static bool is_there(void *ctx, const struct dt_insn *in)
{
	struct wanted *w = ctx;

	w->found |= in->off == w->off;
	return !w->found;
}

/* Instructions of one length begin everywhere; others where reading the function from its beginning gets. */
static bool begins(const struct scan *s, uint64_t function, uint64_t size, uint64_t off)
{
	const struct dt_machine *m = s->f->p->opts.machine;
	struct wanted w = { .off = off - function };

	if (m->insn_align >= m->inject.insn_len)
		return true;
	(void)m->walk(s->code + function, size, s->m->start + function, is_there, &w);
	return w.found;
}

/* mov $15, %rax; syscall, or mov x8, #139; svc #0: the way out of a signal handler. */
static bool ends_handler(const struct scan *s, uint64_t off)
{
	uint8_t before[8] = { 0 };
	uint64_t n = s->f->p->opts.machine->insn_align >= 4 ? 4 : 7;
	uint32_t word, number;

	if (off < n)
		return false;
	memcpy(before, s->code + off - n, n);
	memcpy(&word, before, sizeof(word));
	memcpy(&number, before + 3, sizeof(number));
	return n == 4 ? word == (0xd2800008 | (uint32_t)SYS_rt_sigreturn << 5) :
	    (word & 0xffffff) == 0xc0c748 && number == SYS_rt_sigreturn;
}

static void leave_out(const struct scan *s, uint64_t off, const char *why)
{
	const char *name = strrchr(s->m->path, '/');
	char shown[160];

	snprintf(shown, sizeof(shown), "%s+0x%llx", name != NULL ? name + 1 : s->m->path,
	    (unsigned long long)(s->m->offset + off));
	(void)dt_make_printable(shown);
	s->f->p->left_out.of++;
	dt_inproc_leave_out(s->f->p, shown, why);
}

/* The agent notes the call, then the programs of the hooks of this kind run. */
static int add(const struct scan *s, uint64_t off, enum dt_hook_kind kind)
{
	const struct inproc *p = s->f->p;
	uint32_t helper = kind == DT_HOOK_SYS_ENTER ? DT_HELPER_SYS_ENTER : DT_HELPER_SYS_EXIT;
	struct dt_point at = { .target = s->path, .offset = s->m->offset + off };
	struct dt_agent_call note = { p->head->helper[helper], 0 };
	int err = dt_inproc_add_place(s->f, &at, s->m, 0, note);

	for (uint32_t i = 0; i < inproc_newest(p)->nprogs && err == 0; i++)
		if (p->attach[i].kind == (int)kind)
			err = dt_inproc_add_place(s->f, &at, s->m, 0,
			    (struct dt_agent_call){ dt_inproc_program(p, i), 0 });
	return err;
}

static int look_at(const struct scan *s, struct inproc_file *file, uint64_t off)
{
	const struct dt_machine *m = s->f->p->opts.machine;
	uint64_t into = 0, size = dt_inproc_function(file, s->m->offset + off, &into), after;
	int err;

	if (size == 0 || into > off || size > s->len - (off - into)) {
		/* bytes of other lengths may be anything there */
		if (s->calls && m->insn_align >= m->inject.insn_len)
			leave_out(s, off, file->elf == NULL ? "its file cannot be read" :
			    "the function that it is in is not known");
		return 0;
	}
	if (ends_handler(s, off) || !begins(s, off - into, size, off))
		return 0;
	err = s->calls ? add(s, off, DT_HOOK_SYS_ENTER) : 0;
	if (err == 0 && s->asks && dt_inproc_may_ask(s->f, s->code, off))
		err = dt_inproc_add_ask(s->f, &(struct dt_point){ .target = s->path,
		    .offset = s->m->offset + off }, s->m, DT_ARRIVAL_CALL);
	after = off + m->inject.insn_len;
	if (err == 0 && s->returns && after < off - into + size)
		err = add(s, after, DT_HOOK_SYS_EXIT);
	return err;
}

/* The first one from *off on: *off becomes where it is. */
static bool next_call(const struct scan *s, uint64_t *off)
{
	const struct dt_machine *m = s->f->p->opts.machine;
	const uint8_t *at;

	while (*off < s->len && (at = memmem(s->code + *off, s->len - *off, &m->inject.insn,
				    m->inject.insn_len)) != NULL) {
		*off = (uint64_t)(at - s->code);
		if (*off % m->insn_align == 0)
			return true;
		++*off;
	}
	return false;
}

static int scan_code(struct scan *s)
{
	const struct dt_machine *m = s->f->p->opts.machine;
	struct inproc_file *file = dt_inproc_file_of(s->f, s->path);
	uint32_t index = file != NULL ? (uint32_t)(file - s->f->out->file) : 0;
	int err = file != NULL ? 0 : -ENOMEM;

	if (err == 0 && file->inode != s->m->inode) {	/* another file has the name now */
		dt_elf_close(file->elf);
		file->elf = NULL;
	}
	for (uint64_t off = 0; err == 0 && next_call(s, &off); off += m->insn_align)
		err = look_at(s, &s->f->out->file[index], off);
	if (err == 0)
		s->f->out->file[index].calls = true;
	return err;
}

/* ---- mappings ---- */

/* Ours: code, data and islands. */
static bool is_ours(const struct inproc_target *t, const struct inproc_mapped *m)
{
	for (uint32_t i = 0; i < t->nranges; i++)
		if (m->start - t->range[i].addr < t->range[i].len)
			return true;
	return false;
}

static struct inproc_scanned *scanned_at(struct inproc_target *t, uint64_t start, uint64_t inode)
{
	struct inproc_scanned *more;

	for (uint32_t i = 0; i < t->nscanned; i++)
		if (t->scanned[i].start == start && t->scanned[i].inode == inode)
			return &t->scanned[i];
	more = realloc(t->scanned, (t->nscanned + 1) * sizeof(*more));
	if (more == NULL)
		return NULL;
	t->scanned = more;
	t->scanned[t->nscanned] = (struct inproc_scanned){ .start = start, .inode = inode };
	return &t->scanned[t->nscanned++];
}

const char *dt_inproc_path_of(struct inproc_finding *f, const struct inproc_mapped *m)
{
	char **more = realloc(f->out->path, (f->out->npaths + 1) * sizeof(char *)), *path = NULL;

	if (more == NULL)
		return NULL;
	f->out->path = more;
	if (asprintf(&path, "/proc/%u/root%s", f->t->pid, m->path) < 0)
		return NULL;
	f->out->path[f->out->npaths++] = path;
	return path;
}

/* 1: it was scanned; 0: not all of it is there; -errno */
static int scan_mapping(struct scan *s, const struct inproc_mapped *m)
{
	uint8_t *code;
	int err;

	s->m = m;
	s->len = m->end - m->start;
	s->path = dt_inproc_path_of(s->f, m);
	code = s->path != NULL && s->len <= TEXT_MAX ? malloc(s->len) : NULL;
	s->code = code;
	err = code != NULL ? dt_inject_read(s->f->t->inject, m->start, code, s->len) : -ENOMEM;
	if (err == 0)
		err = scan_code(s);
	free(code);
	return err == -EFAULT ? 0 : err != 0 ? err : 1;
}

/*
 * A dynamic linker maps a library in pieces, the first as large as all of it: a mapping that has come since
 * the last time is looked at when it is the same the next time.
 */
static int consider(struct scan *s, const struct inproc_mapped *m, bool again)
{
	struct inproc_scanned *known = scanned_at(s->f->t, m->start, m->inode);
	bool settled = known != NULL && known->end == m->end;
	int got;

	if (known == NULL || known->done)
		return known == NULL ? -ENOMEM : 0;
	known->end = m->end;
	got = settled || !again ? scan_mapping(s, m) : 0;
	known->done = got == 1;
	return got < 0 ? got : 0;
}

int dt_inproc_find_calls(struct inproc_finding *f, bool again)
{
	const struct inproc *p = f->p;
	struct scan s = { .f = f };
	int err = 0;

	for (uint32_t i = 0; i < inproc_newest(p)->nprogs; i++) {
		s.calls |= dt_hook_is_syscall((enum dt_hook_kind)p->attach[i].kind);
		s.returns |= p->attach[i].kind == DT_HOOK_SYS_EXIT;
	}
	for (uint32_t i = 0; i < f->maps.n && err == 0; i++) {
		if (!f->maps.v[i].exec || is_ours(f->t, &f->maps.v[i]))
			continue;
		s.asks = dt_inproc_asks_in(f, &f->maps.v[i]);
		if (s.calls || s.asks)
			err = consider(&s, &f->maps.v[i], again);
	}
	return err;
}
