/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * D libraries: the ones we ship (embedded) and those of -L. Those of -L are compiled before the first
 * program, so that what is wrong with them is known. Of ours, files are only scanned for the names they
 * declare, at the first name a program does not know; a file is compiled when one of its names is wanted. All
 * after the files they depend on.
 */
#ifndef DT_HANDLE_LIBRARY_H
#define DT_HANDLE_LIBRARY_H

#include "base/diag.h"
#include "base/map.h"

struct dtrace_hdl;

enum dt_library_state { DT_LIB_UNREAD, DT_LIB_LOADING, DT_LIB_LOADED, DT_LIB_SKIPPED };

struct dt_library {
	const char *name;		/* "io.d" */
	const char *path;		/* for messages */
	struct dt_source *src;
	bool user;			/* from a directory of -L */
	enum dt_library_state state;
	uint32_t order;			/* of loading, from 1 */
	const char **needs;		/* depends_on library */
	size_t nneeds;
};

struct dt_libraries {
	bool scanned;
	DT_VEC(struct dt_library *) files;
	struct dt_map by_file, by_name;
	uint32_t loaded;		/* how many so far */
};

void dt_libraries_init(struct dt_libraries *, struct dt_arena *);
/* compiles those of -L that are not yet; fails through the handle's diag */
void dt_libraries_start(struct dtrace_hdl *);
/*
 * Loads the file that declares the name; true if something was loaded by this call. Fails through the
 * handle's diag.
 */
bool dt_library_need(struct dtrace_hdl *, const char *name);
bool dt_library_exists(struct dtrace_hdl *, const char *file);
void dt_library_offer(struct dtrace_hdl *, struct dt_near *);
/* calls f with each file, by its path, until f returns a value that is not 0; that value. */
int dt_libraries_each(struct dtrace_hdl *, int (*f)(void *ctx, const char *path, const char *text),
    void *ctx);
void dt_libraries_cut(struct dtrace_hdl *, uint32_t loaded);	/* forget those loaded later than this */

#endif
