/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Opening and closing a handle. A handle shares nothing with another: all its memory hangs on h->arena, which
 * all other arenas of the handle follow when memory runs out (handle/entry.h).
 */
#include "handle/entry.h"
#include "handle/errors.h"
#include "trace/trace_procs.h"
#include "trace/trace.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* DTRACE_O_NOSYS: a handle without kernel types. */
static int no_btf(void *ctx, const char *module, struct dt_whole *bytes)
{
	(void)ctx, (void)module, (void)bytes;
	return -ENOENT;
}

/*
 * Makes all parts of the handle. Nothing is read from the system yet: that is left to the first need, so that
 * a handle opens fast. On failure dtrace_close() frees whatever is there.
 */
static int init_handle(struct dtrace_hdl *h, int flags)
{
	jmp_buf oom;

	h->arena = dt_arena_new();
	h->scratch = dt_arena_new();
	h->types = dt_types_new();
	if (h->arena == NULL || h->scratch == NULL || h->types == NULL)
		return EDT_NOMEM;
	if (setjmp(oom) != 0)
		return EDT_NOMEM;
	dt_arena_on_oom(h->arena, &oom);
	dt_arena_follow(h->scratch, h->arena);
	dt_arena_follow(dt_types_arena(h->types), h->arena);
	h->nodev = flags & DTRACE_O_NODEV;
	h->nosys = flags & DTRACE_O_NOSYS;
	dt_types_btf(h->types, h->nosys ? no_btf : dt_kernel_btf, NULL);
	dt_options_init(&h->options, h->arena);
	dt_compiler_init(&h->compiler, h->arena, h->scratch, h->types);
	dt_libraries_init(&h->libraries, h->arena);
	dt_services_init(h);
	h->kept = dt_arena_under(h->arena);
	dt_probes_init(&h->probes, h->kept, h->types);
	dt_trace_new(h);
	h->dump = stderr;
	h->record_fd = -1;
	dt_debug_init(h);
	dt_arena_on_oom(h->arena, NULL);
	dt_debug(h, "opened a handle of %s, flags 0x%x", _dtrace_version, flags);
	return 0;
}

/* What history refuses: versions this library does not have, unknown flags, and 32-bit programs. */
static int check_open(int version, int flags)
{
	if (version <= 0)
		return EINVAL;
	if (version > DTRACE_VERSION)
		return EDT_VERSION;
	if (version < DTRACE_VERSION)
		return EDT_OVERSION;
	if ((flags & ~DTRACE_O_MASK) || ((flags & DTRACE_O_LP64) && (flags & DTRACE_O_ILP32)))
		return EINVAL;
	return flags & DTRACE_O_ILP32 ? EDT_DATAMODEL : 0;
}

/* Rights are asked for when it is known what is to be traced: some of it needs none (trace/choose.c). */
static int check_system(void)
{
	return access("/sys/devices/system/cpu/possible", R_OK) != 0 ? EDT_NOSYSFS : 0;
}

dtrace_hdl_t *dtrace_open(int version, int flags, int *errp)
{
	struct dtrace_hdl *h = NULL;
	int err = check_open(version, flags);

	if (err == 0 && !(flags & DTRACE_O_NODEV))
		err = check_system();
	if (err == 0 && (h = calloc(1, sizeof(*h))) == NULL)
		err = EDT_NOMEM;
	if (err == 0)
		err = init_handle(h, flags);
	if (err != 0 && h != NULL) {
		dtrace_close(h);
		h = NULL;
	}
	if (errp != NULL)
		*errp = err;
	return h;
}

dtrace_hdl_t *dtrace_vopen(int version, int flags, int *errp, const dtrace_vector_t *vec, void *arg)
{
	(void)arg;
	if (vec == NULL)
		return dtrace_open(version, flags, errp);
	if (errp != NULL)
		*errp = ENOTSUP;
	return NULL;
}

/*
 * Frees also a handle that is half made (dtrace_open()). The trace goes first: its engine uses the
 * processes, symbols and types.
 */
void dtrace_close(dtrace_hdl_t *h)
{
	struct dtrace_prog *next;

	if (h == NULL)
		return;
	if (h->trace != NULL)
		dt_debug(h, "closing the handle");
	for (struct dtrace_prog *p = h->programs; p != NULL; p = next) {
		next = p->next;
		dt_arena_free(p->arena);
	}
	dt_trace_free(h->trace);
	dt_procs_free(h);
	dt_kernel_free(h->kernel);
	dt_usyms_free(h->usyms);
	if (h->kept != NULL)
		dt_probes_fini(&h->probes);
	dt_arena_free(h->kept);
	dt_types_free(h->types);
	dt_arena_free(h->errarena);
	dt_arena_free(h->scratch);
	dt_arena_free(h->arena);
	free(h);
}

/* Nothing is read before it is needed, so there is nothing left to do. */
int dtrace_init(dtrace_hdl_t *h)
{
	h->err = 0;
	return 0;
}
