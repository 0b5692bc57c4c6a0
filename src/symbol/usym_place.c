/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * An address in a process comes in, the place goes out: by what the process maps (usym.c), the functions
 * and variables of the file there (elf.h), or what a run-time compiler says of its code (usym_jit.c). The
 * names in a place point into files and perf maps; they live until the next call, which may forget those.
 * All that costs time is paid from the purse of the process (usym_view.c).
 */
#include "symbol/usym_impl.h"
#include "base/clock.h"

#include <errno.h>
#include <unistd.h>

#define RETRY_NS 50000000u	/* after a lookup without a result, /proc is not read again before that */
#define BACKOFF_FACTOR 16u	/* nor before this many times the duration of the last attempt */
#define JIT_SHARE 4u		/* of the memory, for one perf map */

/* The newest space first; older ones are what the process mapped before its last exec. */
static const struct dt_umap *find_map(const struct dt_uview *v, uint64_t addr)
{
	for (int i = 0; i < DT_UGENERATIONS; i++) {
		const struct dt_umap *m = v->space[i] != NULL ? dt_uspace_at(v->space[i], addr) : NULL;

		if (m != NULL)
			return m;
	}
	return NULL;
}

/*
 * The vdso of a program of 32 bits is not the one that is known, though it may be as long: it lies where such
 * a program can reach it. Ours, of 64 bits, is near the stack.
 */
struct dt_ufile *dt_umap_file(const struct dt_usyms *us, const struct dt_umap *m)
{
	struct dt_ufile *f = m->object->file;

	return f != NULL && f == us->files.vdso && (f->maplen != m->end - m->start || m->end <= UINT32_MAX) ?
	    NULL : f;
}

/* Its names that were forgotten are read again, within the time that its process may take. */
static struct dt_elf *names_of(struct dt_usyms *us, struct dt_uview *v, const struct dt_umap *m)
{
	struct dt_ufile *f = dt_umap_file(us, m);
	struct dt_uwant w = { .pid = v->pid, .start = m->start, .end = m->end, .path = m->object->path };
	uint64_t began = dt_clock_ns();
	struct dt_elf *elf;

	if (f == NULL || !f->forgotten)
		return dt_ufile_elf(&us->files, f);
	if (!dt_uview_may(us, v))
		return NULL;
	if (!f->held)
		dt_ufile_reopen(&us->files, f, &w);
	elf = dt_ufile_elf(&us->files, f);
	if (!f->held)
		dt_elf_drop_fd(f->elf);
	dt_uview_spend(us, v, dt_clock_ns() - began);
	return elf;
}

/* No file gets more than half of all memory: files in use would be evicted for it, in vain. */
static bool is_large(struct dt_usyms *us, const struct dt_uview *v, struct dt_ufile *f)
{
	if (us->limit == 0 || f->bytes <= us->limit / 2)
		return false;
	dt_usyms_say(us, DT_UNOTE_FILE, v->pid);
	dt_ufile_forget(&us->files, f);
	f->large = true;
	return true;
}

/* A mapping can be longer than the segment in the file; its end is numbered like the rest. */
static uint64_t vaddr_of(const struct dt_elf *elf, const struct dt_umap *m, uint64_t addr, uint64_t offset)
{
	uint64_t vaddr;

	if (elf == NULL)
		return offset;
	if (dt_elf_offset_to_vaddr(elf, offset, &vaddr))
		return vaddr;
	if (dt_elf_code_vaddr(elf, m->offset, m->end - m->start, &vaddr))
		return vaddr + (addr - m->start);
	return offset;
}

/* dt_ufile_count() comes last, when all names that the lookup has loaded are there to be counted. */
static void place_in_file(struct dt_usyms *us, struct dt_uview *v, const struct dt_umap *m, uint64_t addr,
    struct dt_uplace *p)
{
	const struct dt_elf_function *f;
	uint64_t vaddr;

	p->elf = names_of(us, v, m);
	if (p->elf != NULL && is_large(us, v, m->object->file))
		p->elf = NULL;
	if (p->elf == NULL || !dt_elf_offset_to_vaddr(p->elf, p->offset, &vaddr))
		return;
	f = dt_elf_function_at(p->elf, vaddr);
	if (f == NULL)
		f = dt_elf_data_at(p->elf, vaddr);	/* constants may lie among code */
	if (f != NULL) {
		p->function = f->name;
		p->function_start = addr - (vaddr - f->vaddr);
	}
	dt_ufile_count(&us->files, m->object->file);
}

/* A perf map of another user is not read on when the user waits for the end. */
static bool is_over(void *ctx)
{
	const struct dt_usyms *us = ctx;

	return dt_usyms_stopped(us) || (us->hurry != 0 && dt_clock_ns() >= us->hurry);
}

/*
 * One perf map has a share of the memory only, as its size is the process's to choose, and no more than is
 * left: what others have is trimmed later (dt_usyms_trim()). What it takes is counted here, as usym_jit.c
 * does not know of the limit.
 */
void dt_usyms_jit(struct dt_usyms *us, struct dt_uview *v, bool last)
{
	uint64_t began = dt_clock_ns(), before = dt_perfmap_bytes(&v->jit.map);	/* with the time we wait */
	uint64_t left = us->limit > us->files.bytes ? us->limit - us->files.bytes : 0, max = UINT64_MAX;
	bool trusted = v->jit.uid == 0 || v->jit.uid == geteuid();

	if (!dt_uview_may(us, v))
		return;
	if (us->limit != 0)
		max = before + left < us->limit / JIT_SHARE ? before + left : us->limit / JIT_SHARE;
	if (!dt_ujit_read(us->files.reader, &v->jit, max, trusted ? us->stop : is_over,
	    trusted ? us->user_ctx : us, last))
		dt_usyms_say(us, DT_UNOTE_JIT, v->pid);
	us->files.bytes += dt_perfmap_bytes(&v->jit.map) - before;
	dt_uview_spend(us, v, dt_clock_ns() - began);
}

static void place_in_memory(struct dt_usyms *us, struct dt_uview *v, uint64_t addr, struct dt_uplace *p)
{
	const struct dt_jit_function *f;

	if (!v->dead) {
		dt_ujit_learn(&us->files, &v->jit, v->pid);	/* its root may have made room for others */
		dt_usyms_jit(us, v, false);
	}
	f = dt_perfmap_at(&v->jit.map, addr);
	if (f == NULL) {
		dt_usyms_nameless(us, v);
		return;
	}
	dt_usyms_named(us, v);
	p->object = v->jit.name;
	p->function = f->name;
	p->function_start = f->start;
}

/* Only code mappings are kept: the distance of a file's data from its code is that in the file. */
static bool data_of(struct dt_usyms *us, const struct dt_umap *m, uint64_t addr, struct dt_uplace *p)
{
	struct dt_ufile *file = dt_umap_file(us, m);
	struct dt_elf *elf = file != NULL ? file->elf : NULL;
	const struct dt_elf_function *f;
	uint64_t vaddr;

	if (elf == NULL || !dt_elf_code_vaddr(elf, m->offset, m->end - m->start, &vaddr))
		return false;
	vaddr += addr - m->start;
	if (!dt_elf_has_memory(elf, vaddr))
		return false;
	*p = (struct dt_uplace){ .object = m->object->base,
		.path = m->object->path,
		.elf = elf,
		.object_start = m->base,
		.vaddr = vaddr,
		.in_file = true };
	dt_elf_vaddr_to_offset(elf, vaddr, &p->offset);
	f = !file->forgotten && !file->large ? dt_elf_data_at(elf, vaddr) : NULL;
	if (f != NULL) {
		p->function = f->name;
		p->function_start = addr - (vaddr - f->vaddr);
		dt_ufile_count(&us->files, file);
	}
	return true;
}

/* No other file's code lies between the code of a file and its data: one of the two neighbours is it. */
static bool place_in_data(struct dt_usyms *us, const struct dt_uview *v, uint64_t addr, struct dt_uplace *p)
{
	for (int i = 0; i < DT_UGENERATIONS; i++) {
		const struct dt_uspace *s = v->space[i];
		uint32_t at = s != NULL ? dt_uspace_find(s, addr) : 0;

		if (s != NULL && ((at > 0 && data_of(us, &s->map[at - 1], addr, p)) ||
		    (at < s->n && data_of(us, &s->map[at], addr, p))))
			return true;
	}
	return false;
}

/* The mapping around the address, or *data: it is data of a file, and p is filled. */
static const struct dt_umap *find(struct dt_usyms *us, uint32_t pid, uint64_t addr,
    struct dt_uplace *p, bool *data)
{
	struct dt_uview *v = dt_uview_find(us, pid);
	const struct dt_umap *m;

	if (v == NULL)
		return NULL;
	dt_uview_use(us, v);
	if (v->nfresh > 0 && dt_uview_may(us, v))
		dt_uview_settle(us, v);
	m = find_map(v, addr);
	*data = m == NULL && place_in_data(us, v, addr, p);
	return m;
}

/*
 * A process that does not know the address is asked again at intervals that grow with what it cost. With a
 * watch one that has ended stays so until a fork tells of its number; without one only /proc can tell.
 */
bool dt_usyms_may_ask(struct dt_usyms *us, uint32_t pid)
{
	struct dt_uview *v = dt_uview_find(us, pid);

	if (dt_usyms_stopped(us))
		return false;
	if (v == NULL)
		return true;
	return (!v->dead || us->watch == NULL) &&
	    dt_clock_ns() - v->asked > RETRY_NS + BACKOFF_FACTOR * v->cost && dt_uview_may(us, v);
}

/* Independent of the names of the file, which may be forgotten or too large. */
static void place_by_number(const struct dt_usyms *us, const struct dt_umap *m, uint64_t addr,
    struct dt_uplace *p)
{
	const struct dt_ufile *file = dt_umap_file(us, m);

	p->in_file = !m->object->anon && (file != NULL || m->object->path[0] == '/');
	if (p->in_file)
		p->vaddr = vaddr_of(file != NULL ? file->elf : NULL, m, addr, p->offset);
}

/*
 * m stays valid to the end, as nothing after find() polls or settles. After /proc was asked the address is
 * looked for again from the start: the space is another one then.
 */
bool dt_usyms_lookup(struct dt_usyms *us, uint32_t pid, uint64_t addr, struct dt_uplace *p)
{
	const struct dt_umap *m;
	bool data = false;

	dt_usyms_poll(us);
	m = find(us, pid, addr, p, &data);
	if (m == NULL && !data && dt_usyms_may_ask(us, pid)) {
		dt_usyms_learn(us, pid);
		m = find(us, pid, addr, p, &data);
	}
	if (m == NULL)
		return data;
	*p = (struct dt_uplace){ .object = m->object->base,
		.path = m->object->path,
		.offset = addr - m->start + m->offset,
		.object_start = m->base };
	place_by_number(us, m, addr, p);
	if (m->object->file != NULL)
		place_in_file(us, dt_uview_find(us, pid), m, addr, p);
	else
		place_in_memory(us, dt_uview_find(us, pid), addr, p);
	return p->function != NULL || !m->object->anon;	/* nameless memory is no object */
}

/* Each object once, at its lowest mapping. f must not poll, as the space belongs to the view. */
int dt_usyms_each_object(struct dt_usyms *us, uint32_t pid, dt_usyms_object_f *f, void *ctx)
{
	struct dt_uview *v;
	const struct dt_uspace *s;
	int err = 0;

	dt_usyms_poll(us);
	dt_usyms_learn(us, pid);
	v = dt_uview_find(us, pid);
	if (v == NULL)
		return -ESRCH;
	dt_uview_settle(us, v);
	s = v->space[0];
	if (s == NULL)
		return -ESRCH;
	for (uint32_t i = 0; i < s->n && err == 0; i++) {
		const struct dt_umap *m = &s->map[i];
		struct dt_ufile *file = m->base == m->start ? dt_umap_file(us, m) : NULL;
		struct dt_elf *elf = dt_ufile_elf(&us->files, file);

		if (elf != NULL)
			err = f(ctx, m->object->path, elf, m->start, m->offset);
	}
	return err;
}
