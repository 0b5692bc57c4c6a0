/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The worker's libdw, which a static build has in itself, and the files it has open: the data of a file are
 * in it or in the debug file that belongs to it, and may be shared with others through a third one (dwz).
 * libdw maps files: one that is cut short while it is read ends the worker (SIGBUS). Files stay open from one
 * question to the next, as unpacking the data may take long; the descriptors do not.
 */
#include "file/dies_impl.h"
#include "base/count.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#ifdef DT_STATIC
#include <zstd.h>

static dt_unzstd_f *find_zstd(void) { return ZSTD_decompress; }

static bool find_calls(struct dt_dw_calls *c)
{
#define LINKED(field, name) .field = name,
	*c = (struct dt_dw_calls){ DT_DW_CALLS(LINKED) };
	return true;
}
#else
static dt_unzstd_f *find_zstd(void)
{
	void *lib = dlopen("libzstd.so.1", RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
	dt_unzstd_f *f = NULL;

	if (lib != NULL)
		*(void **)&f = dlsym(lib, "ZSTD_decompress");
	return f;
}

/* Few programs need libdw, and it takes longer to load than all else. */
static bool find_calls(struct dt_dw_calls *c)
{
#define NAMED(field, name) { #name, &c->field },
	const struct { const char *name; void *to; } rows[] = { DT_DW_CALLS(NAMED) };
	void *lib = dlopen("libdw.so.1", RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);

	for (size_t i = 0; lib != NULL && i < DT_COUNT(rows); i++) {
		void *f = dlsym(lib, rows[i].name);	/* also in libelf, which it needs */

		if (f == NULL)
			return false;
		memcpy(rows[i].to, &f, sizeof(f));
	}
	return lib != NULL;
}
#endif

struct dt_dw *dt_dw_load(void)
{
	struct dt_dw *w = calloc(1, sizeof(*w));

	if (w != NULL && find_calls(&w->c)) {
		w->zstd = find_zstd();
		return w;
	}
	free(w);
	return NULL;
}

static void end_data(struct dt_dw *w, Dwarf *dw, struct dt_dw_image *image)
{
	if (dw != NULL)
		w->c.end(dw);
	if (image->elf != NULL)
		w->c.elf_end(image->elf);
	free(image->bytes);
	*image = (struct dt_dw_image){ 0 };
}

void dt_dw_close(struct dt_dw *w, struct dt_dw_file *f)
{
	end_data(w, f->dw, &f->image);
	end_data(w, f->alt, &f->altimage);
	free(f->link);
	dt_arena_free(f->arena);
	*f = (struct dt_dw_file){ 0 };
}

/* From the file, or from an image of it; the descriptor is not needed later. NULL: there are no data. */
static Dwarf *try_begin(struct dt_dw *w, struct dt_elf *e, struct dt_dw_image *image)
{
	size_t len;
	Dwarf *dw;

	image->bytes = dt_dw_unpacked(e, w->zstd, &len);
	if (image->bytes == NULL)
		return w->c.begin(e->fd, DWARF_C_READ);
	(void)w->c.version(EV_CURRENT);
	image->elf = w->c.memory(image->bytes, len);
	dw = image->elf != NULL ? w->c.begin_elf(image->elf, DWARF_C_READ, NULL) : NULL;
	if (dw == NULL)
		end_data(w, NULL, image);
	return dw;
}

/*
 * Where there is no memory, the other files give theirs. All data are mapped or read then, and no descriptor
 * is needed later: its number will be that of another file.
 */
static Dwarf *begin(struct dt_dw *w, struct dt_dw_file *f, struct dt_elf *e, struct dt_dw_image *image)
{
	Dwarf *dw = e->fd >= 0 ? try_begin(w, e, image) : NULL;

	if (dw == NULL && e->fd >= 0) {
		for (int i = 0; i < DT_DW_FILES; i++)
			if (&w->file[i] != f)
				dt_dw_close(w, &w->file[i]);
		dw = try_begin(w, e, image);
	}
	if (dw != NULL && image->elf == NULL)
		(void)w->c.cntl(w->c.getelf(dw), ELF_C_FDDONE);
	return dw;
}

/* .gnu_debugaltlink: a name, its NUL, and a build id */
static void read_link(struct dt_dw_file *f, struct dt_elf *e)
{
	const void *data = NULL;
	uint64_t addr;
	size_t len, name;

	if (dt_elf_section(e, ".gnu_debugaltlink", &data, &len, &addr) != 0 || data == NULL)
		return;
	name = strnlen(data, len);
	if (name == 0 || name >= DT_ELF_NAME_MAX || name == len || len - name - 1 > sizeof(f->id) ||
	    (f->link = strdup(data)) == NULL)
		return;
	f->idlen = (uint32_t)(len - name - 1);
	memcpy(f->id, (const char *)data + name + 1, f->idlen);
}

/* libdw leaves out what it cannot unpack: data without a single unit count as missing. */
static bool begin_file(struct dt_dw *w, struct dt_dw_file *f, struct dt_elf *e)
{
	Dwarf_Off next;
	size_t header;

	f->dw = dt_elf_has_section(e, ".debug_info") ? begin(w, f, e, &f->image) : NULL;
	if (f->dw == NULL)
		return false;
	if (w->c.nextcu(f->dw, 0, &next, &header, NULL, NULL, NULL) == 0) {
		read_link(f, e);
		return true;
	}
	end_data(w, f->dw, &f->image);
	f->dw = NULL;
	return false;
}

/* In the file itself or in its debug file. */
static int open_data(struct dt_dw *w, struct dt_dw_file *f, int fd, const int *debug, int ndebug)
{
	struct dt_elf *e = NULL, *d = NULL;
	int err = dt_elf_open(fd, NULL, &e);

	if (err != 0) {
		for (int i = 0; i < ndebug; i++)
			close(debug[i]);
		return err;
	}
	dt_elf_given(e, debug, ndebug);
	if (!begin_file(w, f, e)) {
		bool broken = dt_elf_has_section(e, ".debug_info");

		err = dt_elf_find_debug(e, &d);
		if (err == 0 && !begin_file(w, f, d)) {
			err = -ENOENT;
			broken |= dt_elf_has_section(d, ".debug_info");
		}
		if (err == -ENOENT && broken)
			err = -EILSEQ;
		while (f->used < (uint32_t)ndebug && e->given[f->used] < 0)
			f->used++;	/* tried one after the other, up to the one that belongs to it */
		dt_elf_close(d);
	}
	dt_elf_close(e);
	return err;
}

/* What the data say they share is in the file with that build id. */
static void open_shared(struct dt_dw *w, struct dt_dw_file *f, int fd)
{
	struct dt_elf *e = NULL;
	const uint8_t *id;
	size_t n;

	if (dt_elf_open(fd, NULL, &e) != 0)
		return;
	id = dt_elf_buildid(e, &n);
	if (f->alt == NULL && f->link != NULL && id != NULL && n == f->idlen && memcmp(id, f->id, n) == 0 &&
	    (f->alt = begin(w, f, e, &f->altimage)) != NULL)
		w->c.setalt(f->dw, f->alt);
	dt_elf_close(e);
}

/* The one that is open, or the place of the one that was asked about longest ago. */
static struct dt_dw_file *place(struct dt_dw *w, const struct stat *st)
{
	struct dt_dw_file *oldest = &w->file[0];

	for (int i = 0; i < DT_DW_FILES; i++) {
		struct dt_dw_file *f = &w->file[i];

		if (f->dw != NULL && f->dev == st->st_dev && f->ino == st->st_ino && f->size == st->st_size &&
		    f->changed.tv_sec == st->st_ctim.tv_sec && f->changed.tv_nsec == st->st_ctim.tv_nsec)
			return f;
		if (f->asked < oldest->asked)
			oldest = f;
	}
	dt_dw_close(w, oldest);
	return oldest;
}

static int open_file(struct dt_dw *w, struct dt_dw_file *f, const struct stat *st, const int *fds, int ndebug)
{
	int err = open_data(w, f, fds[0], fds + 1, ndebug);

	if (err == 0 && (f->arena = dt_arena_new()) == NULL)
		err = -ENOMEM;
	if (err != 0) {
		dt_dw_close(w, f);
		return err;
	}
	dt_map_init(&f->names, f->arena);
	f->reading = f->dw;
	f->dev = st->st_dev;
	f->ino = st->st_ino;
	f->size = st->st_size;
	f->changed = st->st_ctim;
	return 0;
}

int dt_dw_open(struct dt_dw *w, const struct dt_digest_want *want, const int *fds, int nfds,
    struct dt_dw_file **out)
{
	int own = want->ndebug < (uint32_t)nfds ? 1 + (int)want->ndebug : nfds, err = 0;
	struct dt_dw_file *f;
	struct stat st;

	if (fstat(fds[0], &st) != 0)
		st = (struct stat){ 0 };
	f = place(w, &st);
	f->asked = ++w->asked;
	if (f->dw == NULL)
		err = open_file(w, f, &st, fds, own - 1);
	else
		for (int i = 0; i < own; i++)
			close(fds[i]);
	for (int i = own; i < nfds; i++) {
		if (err == 0)
			open_shared(w, f, fds[i]);
		else
			close(fds[i]);
	}
	*out = f;
	return err;
}
