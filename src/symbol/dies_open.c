/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The worker's libdw, and the files it has open: the data of a file are in it or in the debug file that
 * belongs to it, and may be shared with others through a third one (dwz). libdw maps files: one that is cut
 * short while it is read ends the worker (SIGBUS). Files stay open from one question to the next, as
 * unpacking the data may take long; the descriptors do not.
 */
#include "symbol/dies_impl.h"
#include "base/count.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

static bool symbols(struct dt_dw *w)
{
	struct dt_dw_calls *c = &w->c;
	const struct { const char *name; void *to; } rows[] = {
		{ "dwarf_begin", &c->begin }, { "dwarf_end", &c->end }, { "dwarf_getelf", &c->getelf },
		{ "elf_cntl", &c->cntl }, { "dwarf_nextcu", &c->nextcu }, { "dwarf_offdie", &c->offdie },
		{ "dwarf_offdie_types", &c->offdie_types }, { "dwarf_dieoffset", &c->dieoffset },
		{ "dwarf_getfuncs", &c->getfuncs }, { "dwarf_addrdie", &c->addrdie },
		{ "dwarf_entrypc", &c->entrypc }, { "dwarf_diename", &c->diename }, { "dwarf_tag", &c->tag },
		{ "dwarf_child", &c->child }, { "dwarf_siblingof", &c->siblingof },
		{ "dwarf_attr_integrate", &c->attr }, { "dwarf_formref_die", &c->formref },
		{ "dwarf_formudata", &c->formudata }, { "dwarf_formsdata", &c->formsdata },
		{ "dwarf_bytesize", &c->bytesize }, { "dwarf_get_units", &c->get_units },
		{ "dwarf_cu_info", &c->cu_info }, { "dwarf_cu_getdwarf", &c->cu_getdwarf },
		{ "dwarf_setalt", &c->setalt }, { "dwarf_formblock", &c->formblock },
	};

	for (size_t i = 0; i < DT_COUNT(rows); i++) {
		void *f = dlsym(w->lib, rows[i].name);	/* also in libelf, which it needs */

		if (f == NULL)
			return false;
		memcpy(rows[i].to, &f, sizeof(f));
	}
	return true;
}

struct dt_dw *dt_dw_load(void)
{
	struct dt_dw *w = calloc(1, sizeof(*w));

	if (w == NULL)
		return NULL;
	w->lib = dlopen("libdw.so.1", RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
	if (w->lib != NULL && symbols(w))
		return w;
	free(w);
	return NULL;
}

void dt_dw_close(struct dt_dw *w, struct dt_dw_file *f)
{
	if (f->dw != NULL)
		w->c.end(f->dw);
	if (f->alt != NULL)
		w->c.end(f->alt);
	free(f->link);
	dt_arena_free(f->arena);
	*f = (struct dt_dw_file){ 0 };
}

/*
 * Where there is no memory, the other files give theirs. All data are mapped or read then, and no descriptor
 * is needed later: its number will be that of another file.
 */
static Dwarf *begin(struct dt_dw *w, struct dt_dw_file *f, int fd)
{
	Dwarf *dw = fd >= 0 ? w->c.begin(fd, DWARF_C_READ) : NULL;

	if (dw == NULL && fd >= 0) {
		for (int i = 0; i < DT_DW_FILES; i++)
			if (&w->file[i] != f)
				dt_dw_close(w, &w->file[i]);
		dw = w->c.begin(fd, DWARF_C_READ);
	}
	if (dw != NULL)
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

/* libdw leaves out what it cannot unpack: data without a single unit are none. */
static bool begin_file(struct dt_dw *w, struct dt_dw_file *f, struct dt_elf *e)
{
	Dwarf_Off next;
	size_t header;

	f->dw = dt_elf_has_section(e, ".debug_info") ? begin(w, f, e->fd) : NULL;
	if (f->dw == NULL)
		return false;
	if (w->c.nextcu(f->dw, 0, &next, &header, NULL, NULL, NULL) == 0) {
		read_link(f, e);
		return true;
	}
	w->c.end(f->dw);
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
	    (f->alt = begin(w, f, e->fd)) != NULL)
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
