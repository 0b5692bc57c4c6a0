/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Finding, scanning and compiling D libraries; library.h says when each happens. Errors jump through the diag
 * of the compile in hand, and dt_libraries_cut() then takes back what that compile has loaded.
 */
#include "handle/handle.h"
#include "base/file.h"
#include "handle/dlib.h"
#include "syntax/parser.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>

void dt_libraries_init(struct dt_libraries *l, struct dt_arena *arena)
{
	memset(l, 0, sizeof(*l));
	dt_map_init(&l->by_file, arena);
	dt_map_init(&l->by_name, arena);
}

/* ---- finding ---- */

/* The first file of a name wins: directories of -L come before our own. */
static void add_file(struct dtrace_hdl *h, const char *name, const char *path, bool user, const char *text,
    size_t len)
{
	struct dt_library *lib;

	if (dt_map_get(&h->libraries.by_file, name) != NULL)
		return;		/* a directory given earlier has one of that name */
	lib = DT_NEW(h->arena, struct dt_library);
	lib->name = dt_arena_strdup(h->arena, name);
	lib->path = dt_arena_strdup(h->arena, path);
	lib->user = user;
	lib->src = dt_source_new(h->arena, DT_SRC_LIBRARY, lib->path, text, len);
	dt_vec_push(h->arena, &h->libraries.files, lib);
	dt_map_put(&h->libraries.by_file, lib->name, lib);
}

static bool is_d_file(const struct dirent *e)
{
	size_t len = strlen(e->d_name);

	return len > 2 && strcmp(e->d_name + len - 2, ".d") == 0;
}

static int select_d_file(const struct dirent *e)
{
	return is_d_file(e);
}

/* As in history one that cannot be read is left out, and the others are used; we say so. */
static void note_unread(struct dtrace_hdl *h, const char *path, int err)
{
	dt_handle_note(h, dt_arena_printf(h->kept, "library %s is left out: %s", path,
		    err == -EINVAL ? "it is not a regular file" : strerror(-err)));
}

/* Reads all D files of a directory; everything scandir() gave is freed before an error jumps. */
static void add_directory(struct dtrace_hdl *h, const char *dir, bool user)
{
	struct dirent **list;
	struct dt_loc none = { 0 };
	int n = scandir(dir, &list, select_d_file, alphasort);

	if (n < 0)
		dt_fail(h->diag, D_UNKNOWN, none, "failed to open library directory %s: %s", dir,
		    strerror(errno));
	for (int i = 0; i < n; i++) {
		const char *path = dt_arena_printf(h->arena, "%s/%s", dir, list[i]->d_name);
		char *text;
		size_t len;
		int err = dt_file_read_regular(path, DT_SOURCE_MAX, &text, &len);

		if (err == 0) {
			add_file(h, list[i]->d_name, path, user, text, len);
			free(text);
		} else {
			note_unread(h, path, err);
		}
		free(list[i]);
	}
	free(list);
}

static void scan_file(struct dtrace_hdl *h, struct dt_library *lib)
{
	struct dt_parse p = { .arena = h->arena, .diag = h->diag, .src = lib->src, .ctx = h };
	struct dt_lib_scan scan;

	memset(&scan, 0, sizeof(scan));
	dt_parse_scan(&p, &scan);
	lib->needs = scan.libraries.v;
	lib->nneeds = scan.libraries.n;
	for (size_t i = 0; i < scan.names.n; i++)
		if (dt_map_get(&h->libraries.by_name, scan.names.v[i]) == NULL)
			dt_map_put(&h->libraries.by_name, scan.names.v[i], lib);
}

/* Once a handle: those of -L, then either those of -x syslibdir or the ones we ship. */
static void scan_all(struct dtrace_hdl *h)
{
	const char *system = h->options.str[DT_OPT_syslibdir];

	if (h->libraries.scanned)
		return;
	for (size_t i = 0; i < h->options.libdirs.n; i++)
		add_directory(h, h->options.libdirs.v[i], true);
	if (system != NULL)
		add_directory(h, system, false);
	for (size_t i = 0; system == NULL && i < dt_dlib_nfiles; i++)
		add_file(h, dt_dlib_files[i].name, dt_dlib_files[i].name, false, dt_dlib_files[i].text,
		    dt_dlib_files[i].len);
	for (size_t i = 0; i < h->libraries.files.n; i++)
		scan_file(h, h->libraries.files.v[i]);
	h->libraries.scanned = true;
}

/* ---- compiling ---- */

static void load_library(struct dtrace_hdl *h, struct dt_library *lib, const char *wanted_by);

/* Loads what the library depends on first. If one of these is left out, so is the library. */
static void load_needs(struct dtrace_hdl *h, struct dt_library *lib)
{
	for (size_t i = 0; i < lib->nneeds && lib->state == DT_LIB_LOADING; i++) {
		struct dt_library *need = dt_map_get(&h->libraries.by_file, lib->needs[i]);

		if (need == NULL)
			dt_fail(h->diag, D_PRAGMA_DEPEND, (struct dt_loc){ lib->src, 0, 0 },
			    "library %s requires library %s, which is not there",
			    lib->name, lib->needs[i]);
		load_library(h, need, lib->name);
		if (need->state == DT_LIB_SKIPPED)
			/* a provider or module that it depends on is not there: historic, silent */
			lib->state = DT_LIB_SKIPPED;
	}
}

/*
 * Libraries are compiled into the handle's arena: what they declare lives as long as the handle. Ours are
 * lazy, so that a type which this kernel lacks is an error only for programs that use it.
 */
static void compile_library(struct dtrace_hdl *h, struct dt_library *lib)
{
	struct dt_parse p = {
		.arena = h->arena, .diag = h->diag, .src = lib->src, .spec = DT_PART_NAME, .empty_ok = true,
		    .argref = true,
		.ctx = h, .macro = dt_handle_macro, .is_type = dt_handle_is_type, .pragma = dt_pragma_check,
	};
	struct dt_sema sema;

	dt_sema_init(&sema, &h->compiler, h->arena, h->diag);
	sema.library = true;
	sema.lazy = !lib->user;
	dt_sema_unit(&sema, dt_parse(&p));
}

/* The error is about a dependency that this library itself asks for, not one that it made us load. */
static bool lacks_dependency(const struct dt_diag *diag, const struct dt_library *lib)
{
	return diag->msg != NULL && diag->tag == D_PRAGMA_DEPEND && diag->loc.src == lib->src;
}

/*
 * A library whose dependency is missing is left out; any other error in it is the program's. The compile's
 * jump is replaced for the duration and put back on both ways.
 */
static void try_compile(struct dtrace_hdl *h, struct dt_library *lib)
{
	jmp_buf saved;
	bool failed;

	memcpy(saved, h->diag->env, sizeof(saved));
	failed = setjmp(h->diag->env) != 0;
	if (!failed)
		compile_library(h, lib);
	memcpy(h->diag->env, saved, sizeof(saved));
	if (failed && !lacks_dependency(h->diag, lib))
		longjmp(h->diag->env, 1);
	if (failed)
		h->diag->msg = h->diag->hint = NULL;
	lib->state = failed ? DT_LIB_SKIPPED : DT_LIB_LOADED;
}

/*
 * Loads a library after what it needs. The state tells a library that is being loaded from one that is done,
 * so a cycle is found.
 */
static void load_library(struct dtrace_hdl *h, struct dt_library *lib, const char *wanted_by)
{
	struct dt_loc at = { lib->src, 0, 0 };

	if (lib->state == DT_LIB_LOADING && wanted_by != NULL)
		dt_fail(h->diag, D_PRAGMA_DEPEND, at, "Cyclic dependency detected: %s => %s", wanted_by,
		    lib->name);
	if (lib->state != DT_LIB_UNREAD)
		return;
	lib->state = DT_LIB_LOADING;
	lib->order = ++h->libraries.loaded;
	load_needs(h, lib);
	if (lib->state == DT_LIB_LOADING)
		try_compile(h, lib);
}

void dt_libraries_start(struct dtrace_hdl *h)
{
	if (h->options.libdirs.n == 0 || dt_handle_flag(h, DTRACE_C_NOLIBS))
		return;
	scan_all(h);
	for (size_t i = 0; i < h->libraries.files.n; i++)
		if (h->libraries.files.v[i]->user)
			load_library(h, h->libraries.files.v[i], NULL);
}

bool dt_library_need(struct dtrace_hdl *h, const char *name)
{
	struct dt_library *lib;

	if (dt_handle_flag(h, DTRACE_C_NOLIBS))
		return false;
	scan_all(h);
	lib = dt_map_get(&h->libraries.by_name, name);
	if (lib == NULL || lib->state != DT_LIB_UNREAD)
		return false;
	load_library(h, lib, NULL);
	return lib->state == DT_LIB_LOADED;
}

int dt_libraries_each(struct dtrace_hdl *h, int (*f)(void *ctx, const char *path, const char *text),
    void *ctx)
{
	int rv = 0;

	scan_all(h);
	for (size_t i = 0; i < h->libraries.files.n && rv == 0; i++)
		rv = f(ctx, h->libraries.files.v[i]->path, h->libraries.files.v[i]->src->text);
	return rv;
}

bool dt_library_exists(struct dtrace_hdl *h, const char *file)
{
	struct dt_library *lib;

	scan_all(h);
	lib = dt_map_get(&h->libraries.by_file, file);
	return lib != NULL && lib->state != DT_LIB_SKIPPED;
}

/* Names for "did you mean": those of libraries that could be loaded. Keys with a space are no D names. */
void dt_library_offer(struct dtrace_hdl *h, struct dt_near *near)
{
	for (uint32_t i = 0; i < h->libraries.by_name.n; i++) {
		const struct dt_library *lib = h->libraries.by_name.v[i].value;

		/* the names of one that was left out do not help */
		if (lib->state != DT_LIB_SKIPPED && strchr(h->libraries.by_name.v[i].key, ' ') == NULL)
			dt_near_offer(near, h->libraries.by_name.v[i].key);
	}
}

/*
 * Goes back to when `loaded` libraries were loaded: a compile that failed may have loaded more, whose
 * declarations are gone from the compiler.
 */
void dt_libraries_cut(struct dtrace_hdl *h, uint32_t loaded)
{
	for (size_t i = 0; i < h->libraries.files.n; i++) {
		struct dt_library *lib = h->libraries.files.v[i];

		if (lib->order > loaded) {
			lib->state = DT_LIB_UNREAD;
			lib->order = 0;
		}
	}
	h->libraries.loaded = loaded;
	if (!h->libraries.scanned) {	/* the scan itself failed: start again next time */
		h->libraries.files.n = 0;
		dt_map_cut(&h->libraries.by_file, 0);
		dt_map_cut(&h->libraries.by_name, 0);
	}
}
