/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The handle behind dtrace_hdl_t: options, the compiler and what it needs, the programs made, the last error.
 * It knows nothing of a trace but that there is one (src/trace), and nothing is shared between handles.
 */
#ifndef DT_HANDLE_HANDLE_H
#define DT_HANDLE_HANDLE_H

#include "kernel/kernel.h"
#include "symbol/usym.h"
#include "handle/library.h"
#include "handle/options.h"
#include "provider/probe.h"
#include "sema/sema.h"

#include <pthread.h>
#include <setjmp.h>
#include <signal.h>

struct dt_consumer;
struct dt_trace;
struct dt_procs;
struct dt_sink_event;

/* What a call into the library is doing; restored after a callback that never returned (entry.h). */
struct dt_doing {
	const dtrace_probedata_t *firing;	/* being shown, for errors of its statements; NULL none */
	const struct dt_sink_event *event;	/* what that firing recorded; NULL between firings */
	/* walks over aggregations under way: their elements stay until the last has ended */
	uint32_t walking;
};

/* The functions of the caller that are not given with each call; NULL none. */
struct dt_callbacks {
	dtrace_handle_err_f *err_f;
	void *err_arg;
	dtrace_handle_drop_f *drop_f;
	void *drop_arg;
	dtrace_handle_buffered_f *buffered_f;
	void *buffered_arg;
	dtrace_handle_setopt_f *setopt_f;
	void *setopt_arg;
	dtrace_handle_line_f *line_f;
	void *line_arg;
};

/* What a call into the library found when it began (entry.h). */
struct dt_active_call {
	const void *frame;		/* where on the stack it stands, and in which code */
	const void *code;
	pthread_t thread;
	jmp_buf *outer;			/* the jump that holds again when this call is over */
	struct dt_diag *diag;		/* what the handle was in the middle of, to be so again */
	struct dt_doing doing;
	bool reading;
};
enum { DT_ACTIVE_MAX = 16 };		/* calls in callbacks of calls; deeper ones are not noted */

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
	/* DTRACE_O_NODEV: it is not checked whether there are such probes */
	bool nodev;
	bool debug;				/* DTRACE_DEBUG was set when it was opened */
	bool nosys;				/* DTRACE_O_NOSYS: no kernel types and symbols */
	/* DTRACE_C_* given to the compile in hand, without those of options */
	unsigned cflags;
	FILE *dump;				/* dtrace_dump_to(), at first stderr; NULL: nowhere */
	struct dt_diag *diag;			/* of the compile in hand */
	struct dt_arena *kept;			/* what a compile that fails does not take back */
	struct dt_probes probes;		/* in `kept` */
	const char *notice;			/* dtrace_notice(); NULL none */
	const char *remarks;			/* dtrace_remarks(); NULL none */
	struct dt_callbacks on;
	struct dt_trace *trace;			/* from dtrace_open() on */
	struct dt_consumer *consumer;		/* of the trace; NULL when it has none */
	struct dt_doing doing;
	struct dt_active_call active[DT_ACTIVE_MAX];	/* calls under way, the outermost first */
	unsigned nactive;
	int exitstatus;
	int record_fd;				/* dtrace_record_fd(); -1 none */
	char documents[72], documents_host[256];	/* dtrace_documents(); "" none */
	uint64_t record_limit;
	volatile sig_atomic_t interrupted;	/* dtrace_interrupt() */

	int err;
	struct dt_arena *errarena;		/* holds the two texts */
	const char *errmsg, *excerpt;
};

/* Messages of -x debug, DTRACE_DEBUG and _dtrace_debug (debug.c): a line each, to standard error. */
void dt_debug_init(struct dtrace_hdl *);
void dt_debug(const struct dtrace_hdl *, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Sets the error and returns -1; the text is dt_error_text() of the code unless given. */
int dt_handle_error(struct dtrace_hdl *, int err);
/* a new arena for errmsg and excerpt; NULL: out of memory */
struct dt_arena *dt_handle_texts(struct dtrace_hdl *, jmp_buf *oom);
int dt_handle_errorf(struct dtrace_hdl *, int err, const char *fmt,
    ...) __attribute__((format(printf, 3, 4)));

/* Adds a notice that the command prints when tracing has begun, once; a remark is printed with -v only. */
void dt_handle_note(struct dtrace_hdl *, const char *text);
void dt_handle_remark(struct dtrace_hdl *, const char *text);

/* Probes that match, each once by id (match_probes.c); *why as dt_probes_match(). */
int dt_handle_match(struct dtrace_hdl *, const struct dt_probedesc *, dt_probe_f *, void *ctx,
    const char **why);
/* No probe matched: the provider's reason, and what may have been meant; NULL: unknown. */
const char *dt_handle_reason(struct dtrace_hdl *, const struct dt_probedesc *, const char *why);
/* dt_services.probes */
bool dt_handle_described(void *hdl, const struct dt_pdesc *, dt_pdesc_f *, void *ctx, const char **why,
    enum dt_tag *);

/* An expression of a derived probe as a DIFO in the arena (derive.c); NULL: the handle's error is set. */
const struct dt_difo *dt_handle_expr(struct dtrace_hdl *, struct dt_arena *, const char *text);

/* The program itself, for tools and tests that look inside. */
struct dt_prog *dt_handle_prog(dtrace_prog_t *);
void dt_handle_desc(dtrace_probedesc_t *, uint32_t id, const char *prov, const char *mod, const char *func,
    const char *name);
void dt_handle_use_options(struct dtrace_hdl *);	/* those the compiler is steered by */
/* given to the compile in hand, or by its option */
bool dt_handle_flag(const struct dtrace_hdl *, unsigned cflag);
/* A program from DOF; the options it sets are set. NULL: the handle's error tells why. */
/* compiler_services.c: the address of a kernel symbol, of any module when that is NULL; ctx: the handle */
int dt_handle_symbol(void *ctx, const char *module, const char *name, uint64_t *addr, const char **home);
void dt_handle_kernel_of(struct dt_prog *);	/* notes the running one in it */
dtrace_prog_t *dt_handle_load(struct dtrace_hdl *, const void *dof, size_t len);
struct dt_types *dt_handle_types(dtrace_hdl_t *);
void dt_handle_typeinfo(struct dtrace_hdl *, const struct dt_type *, dtrace_typeinfo_t *);

/* What the compiler asks of a handle (compiler_services.c), and the values of $name. */
void dt_services_init(struct dtrace_hdl *);
bool dt_handle_macro(void *hdl, const char *name, int64_t *value);
bool dt_handle_is_type(void *hdl, const char *name);

#endif
