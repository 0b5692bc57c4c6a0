/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Opens the debugging data of a file: in the file itself, or in the debug file that belongs to it. libdw is
 * loaded when the first such data are wanted, so it costs nothing at start.
 */
#include "provider/dwarf_impl.h"

#include "base/count.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

static bool symbols(struct dt_dwarf *d)
{
	const struct {
		const char *name;
		void *to;
	} rows[] = {
		{ "dwarf_begin", &d->begin },
		{ "dwarf_end", &d->end },
		{ "dwarf_nextcu", &d->nextcu },
		{ "dwarf_offdie", &d->offdie },
		{ "dwarf_getfuncs", &d->getfuncs },
		{ "dwarf_addrdie", &d->addrdie },
		{ "dwarf_entrypc", &d->entrypc },
		{ "dwarf_diename", &d->diename },
		{ "dwarf_tag", &d->tag },
		{ "dwarf_child", &d->child },
		{ "dwarf_siblingof", &d->siblingof },
		{ "dwarf_attr_integrate", &d->attr },
		{ "dwarf_formref_die", &d->formref },
		{ "dwarf_formudata", &d->formudata },
		{ "dwarf_bytesize", &d->bytesize },
		{ "dwarf_formsdata", &d->formsdata },
		{ "dwarf_get_units", &d->get_units },
		{ "dwarf_getalt", &d->getalt },
	};

	for (size_t i = 0; i < DT_COUNT(rows); i++) {
		void *f = dlsym(d->lib, rows[i].name);

		if (f == NULL)
			return false;
		memcpy(rows[i].to, &f, sizeof(f));
	}
	return true;
}

static bool open_fd(struct dt_dwarf *d, int fd)
{
	d->fd = fd;
	d->dw = fd >= 0 ? d->begin(fd, DWARF_C_READ) : NULL;
	if (d->dw == NULL && fd >= 0)
		close(fd);
	return d->dw != NULL;
}

/*
 * In the file itself or in its debug file. libdw finds what several of those share (.gnu_debugaltlink).
 */
static bool open_data(struct dt_dwarf *d, struct dt_object *o)
{
	if (dt_elf_has_section(o->elf, ".debug_info") && open_fd(d, dt_elf_open_regular(o->target, true)))
		return true;
	return open_fd(d, dt_elf_debug_fd(o->elf));
}

static void *reader(void)
{
	return dlopen("libdw.so.1", RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
}

bool dt_dwarf_reader(void)
{
	void *lib = reader();

	if (lib != NULL)
		dlclose(lib);
	return lib != NULL;
}

struct dt_dwarf *dt_dwarf_of(struct dt_probes *p, struct dt_object *o)
{
	struct dt_dwarf *d;

	if (o->dwarf_asked)
		return o->dwarf;
	o->dwarf_asked = true;
	d = calloc(1, sizeof(*d));
	if (d == NULL)
		return NULL;
	d->p = p;
	dt_map_init(&d->made, p->arena);
	dt_map_init(&d->names, p->arena);
	d->lib = reader();
	if (d->lib != NULL && symbols(d) && open_data(d, o)) {
		d->reading = d->dw;
		return o->dwarf = d;
	}
	if (d->lib != NULL)
		dlclose(d->lib);
	free(d);
	return NULL;
}

void dt_dwarf_close(struct dt_dwarf *d)
{
	if (d == NULL)
		return;
	d->end(d->dw);
	close(d->fd);
	dlclose(d->lib);
	free(d);
}
