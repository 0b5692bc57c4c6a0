/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The names of files, as long as there is memory for them: those used least are given back, and read again
 * when they are wanted. A file is in the list of use exactly while its names are counted; the vdso never
 * is, as it cannot be read again.
 */
#include "symbol/usym_impl.h"
#include "file/lines.h"

#include <errno.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

static bool is_listed(const struct dt_ufiles *fs, const struct dt_ufile *f)
{
	return f->older != NULL || f->newer != NULL || fs->newest == f;
}

static void take_out(struct dt_ufiles *fs, struct dt_ufile *f)
{
	*(f->older != NULL ? &f->older->newer : &fs->oldest) = f->newer;
	*(f->newer != NULL ? &f->newer->older : &fs->newest) = f->older;
	f->older = f->newer = NULL;
}

static void put_last(struct dt_ufiles *fs, struct dt_ufile *f)
{
	f->older = fs->newest;
	*(fs->newest != NULL ? &fs->newest->newer : &fs->oldest) = f;
	fs->newest = f;
}

/* To be called whenever names may have been loaded: the sum in fs->bytes is right only then. */
void dt_ufile_count(struct dt_ufiles *fs, struct dt_ufile *f)
{
	uint64_t now = dt_elf_bytes(f->elf);

	if (f == fs->vdso)
		return;
	fs->bytes += now - f->bytes;
	f->bytes = now;
	f->used = ++fs->uses;
	if (is_listed(fs, f))
		take_out(fs, f);
	put_last(fs, f);
}

void dt_ufile_forget(struct dt_ufiles *fs, struct dt_ufile *f)
{
	if (!is_listed(fs, f))
		return;
	take_out(fs, f);
	dt_elf_unload(f->elf);
	fs->bytes -= f->bytes;
	f->bytes = dt_elf_bytes(f->elf);
	fs->bytes += f->bytes;
	f->forgotten = true;
}

/*
 * Another file in its place is closed again and changes nothing. Otherwise f has a new ELF file: pointers
 * to the old one, and to its names, are invalid.
 */
void dt_ufile_reopen(struct dt_ufiles *fs, struct dt_ufile *f, const struct dt_uwant *w)
{
	char path[DT_UPATH_MAX];
	struct dt_elf *elf;
	struct statx st;

	for (int way = 0; way < 3; way++) {
		dt_ufile_way(w, way, path);
		if (dt_elf_find(fs->reader, path, w->path, f->dev, &elf, &st) != 0)
			continue;
		if (makedev(st.stx_dev_major, st.stx_dev_minor) == f->dev && st.stx_ino == f->ino &&
		    st.stx_size == f->size && st.stx_mtime.tv_sec == f->mtime.tv_sec &&
		    st.stx_mtime.tv_nsec == f->mtime.tv_nsec) {
			dt_elf_close(f->elf);
			f->elf = elf;
			return;
		}
		dt_elf_close(elf);
	}
}

/* NULL also for a file that is too large: it would be read, only to be forgotten, with each address. */
struct dt_elf *dt_ufile_elf(struct dt_ufiles *fs, struct dt_ufile *f)
{
	if (f == NULL || f->elf == NULL || f->large || dt_elf_load(f->elf) != 0)
		return NULL;
	f->forgotten = false;
	dt_ufile_count(fs, f);
	return f->elf;
}

/* ---- lines ---- */

#define LINES_MAX (128ull << 20)
enum { LINES_SHARE = 4 };		/* of the memory, for one file */

void dt_usyms_lines(struct dt_usyms *us)
{
	uint64_t share = us->limit / LINES_SHARE;

	us->files.lines = share > 0 && share < LINES_MAX ? share : LINES_MAX;
}

/* Their memory is counted by the next lookup in the file (dt_ufile_count()). */
bool dt_usyms_line(struct dt_usyms *us, uint32_t pid, const struct dt_uplace *p, unsigned i,
    struct dt_line *out)
{
	const struct dt_lines *lines;
	int err = -ENOENT;

	if (us->files.lines > 0 && p->elf != NULL)
		err = dt_elf_lines(p->elf, us->files.lines, &lines);
	if (err == 0)
		return dt_lines_at(lines, p->vaddr, i, out);
	if (err != -ENOENT && err != -EBADF && err != -EINTR)
		dt_usyms_say(us, DT_UNOTE_LINES, pid);
	*out = (struct dt_line){ 0 };
	return i == 0;
}
