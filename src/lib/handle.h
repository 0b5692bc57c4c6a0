/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The handle behind dtrace_hdl_t: options, the compiler and what it needs, the programs made, the last error.
 * This is the only folder that sees all the others; nothing here is shared between handles.
 */
#ifndef DT_LIB_HANDLE_H
#define DT_LIB_HANDLE_H

#include "kernel/kernel.h"
#include "symbol/usym.h"
#include "lib/library.h"
#include "lib/options.h"
#include "sema/sema.h"

#include <signal.h>

struct dt_trace;
struct dt_procs;

/* A compiled program. It owns its arena, and the handle owns it. */
struct dtrace_prog {
	struct dt_prog *prog;
	struct dt_arena *arena;			/* owns the program and this struct */
	const struct dt_difo *const *listing;	/* what -S shows */
	size_t nlisting;
	unsigned cflags;			/* DTRACE_C_* it was compiled with */
	struct dtrace_prog *next;		/* of the handle */
};

/*
 * Everything hangs on `arena`: the other arenas follow it when memory runs out (entry.h), and dtrace_close()
 * frees it last.
 */
struct dtrace_hdl {
	struct dt_arena *arena;			/* lives as long as the handle */
	struct dt_arena *scratch;		/* of the clause being compiled */
	struct dt_options options;
	struct dt_types *types;
	struct dt_compiler compiler;
	struct dt_libraries libraries;
	struct dt_kernel *kernel;
	struct dt_usyms *usyms;			/* NULL until an address of a process is to be named */
	struct dtrace_prog *programs;
	int64_t target;				/* $target */
	bool target_named;			/* a program said $target */
	struct dt_procs *procs;			/* of dtrace_proc_create() and _grab(); NULL none yet */
	/* DTRACE_O_NODEV: nobody asks whether there are such probes */
	bool nodev;
	bool nosys;				/* DTRACE_O_NOSYS: no kernel types and symbols */
	/* DTRACE_C_* given to the compile in hand, without those of options */
	unsigned cflags;
	FILE *dump;				/* dtrace_dump_to(); NULL: nowhere */
	struct dt_diag *diag;			/* of the compile in hand */
	struct dt_trace *trace;			/* NULL until probes are wanted */
	int exitstatus;
	volatile sig_atomic_t interrupted;	/* dtrace_interrupt() */

	int err;
	struct dt_arena *errarena;		/* holds the two texts */
	const char *errmsg, *excerpt;
};

/* Sets the error and returns -1; the text is dt_error_text() of the code unless given. */
int dt_handle_error(struct dtrace_hdl *, int err);
/* a new arena for errmsg and excerpt; NULL: out of memory */
struct dt_arena *dt_handle_texts(struct dtrace_hdl *, jmp_buf *oom);
int dt_handle_errorf(struct dtrace_hdl *, int err, const char *fmt,
    ...) __attribute__((format(printf, 3, 4)));

/* The program itself, for tools and tests that look inside. */
struct dt_prog *dt_handle_prog(dtrace_prog_t *);
void dt_handle_desc(dtrace_probedesc_t *, uint32_t id, const char *prov, const char *mod, const char *func,
    const char *name);
void dt_handle_use_options(struct dtrace_hdl *);	/* those the compiler is steered by */
/* given to the compile in hand, or by its option */
bool dt_handle_flag(const struct dtrace_hdl *, unsigned cflag);
/* A program from DOF; the options it sets are set. NULL: the handle's error tells why. */
/* services.c: the address of a kernel symbol, of any module when that is NULL; ctx: the handle */
int dt_handle_symbol(void *ctx, const char *module, const char *name, uint64_t *addr, const char **home);
void dt_handle_kernel_of(struct dt_prog *);	/* notes the running one in it */
dtrace_prog_t *dt_handle_load(struct dtrace_hdl *, const void *dof, size_t len);
struct dt_types *dt_handle_types(dtrace_hdl_t *);
void dt_handle_typeinfo(struct dtrace_hdl *, const struct dt_type *, dtrace_typeinfo_t *);

/* What the compiler asks of a handle (services.c), and the values of $name. */
void dt_services_init(struct dtrace_hdl *);
bool dt_handle_macro(void *hdl, const char *name, int64_t *value);
bool dt_handle_is_type(void *hdl, const char *name);

#endif
