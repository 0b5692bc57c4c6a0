/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Opening and closing a handle, its options and its errors. A handle shares nothing with another: all its
 * memory hangs on h->arena, which all other arenas of the handle follow when memory runs out (entry.h).
 */
#include "lib/handle.h"
#include "lib/entry.h"
#include "lib/errors.h"
#include "lib/proc.h"
#include "lib/trace.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
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
	dt_trace_new(h);
	dt_arena_on_oom(h->arena, NULL);
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

/* Whoever cannot trace should hear it before anything else. */
static int check_rights(void)
{
	switch (dt_features_permitted()) {
	case -EPERM: return EDT_ACCESS;
	case -ENOSYS: return EDT_NOENT;
	default: break;		/* any other reason is told when there is something to load */
	}
	return access("/sys/devices/system/cpu/possible", R_OK) != 0 ? EDT_NOSYSFS : 0;
}

dtrace_hdl_t *dtrace_open(int version, int flags, int *errp)
{
	struct dtrace_hdl *h = NULL;
	int err = check_open(version, flags);

	if (err == 0 && !(flags & DTRACE_O_NODEV))
		err = check_rights();
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
 * Frees also a handle that is half made (dtrace_open()). The trace goes first: its session uses the
 * processes, symbols and types.
 */
void dtrace_close(dtrace_hdl_t *h)
{
	struct dtrace_prog *next;

	if (h == NULL)
		return;
	for (struct dtrace_prog *p = h->programs; p != NULL; p = next) {
		next = p->next;
		dt_arena_free(p->arena);
	}
	dt_trace_free(h->trace);
	dt_procs_free(h);
	dt_kernel_free(h->kernel);
	dt_usyms_free(h->usyms);
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

/* The excerpt offers the nearest name. */
static int no_such_option(dtrace_hdl_t *h, const char *opt)
{
	const char *near = dt_options_near(opt);
	struct dt_arena *texts;
	jmp_buf oom;

	dt_handle_error(h, EDT_BADOPTNAME);
	if (near != NULL && setjmp(oom) == 0 && (texts = dt_handle_texts(h, &oom)) != NULL)
		h->excerpt = dt_arena_printf(texts, "  did you mean `%s`?\n", near);
	return -1;
}

/* dtrace_setopt() behind its door. A value of the wrong form is answered with the form it should have. */
static int set_option(dtrace_hdl_t *h, const char *opt, const char *val)
{
	struct dt_attr attr;
	int err;

	if (opt == NULL)
		return dt_handle_error(h, EINVAL);
	if (strcmp(opt, "amin") == 0 && (val == NULL || !dt_attr_parse(val, &attr)))
		return dt_handle_error(h, EDT_BADOPTVAL);
	err = dt_options_set(&h->options, opt, val, 0);
	if (err == EDT_BADOPTVAL)
		return dt_handle_errorf(h, err, "%s (%s)", dt_error_text(err),
		    dt_options_form(h->scratch, opt));
	if (err == EDT_BADOPTNAME)
		return no_such_option(h, opt);
	return err != 0 ? dt_handle_error(h, err) : 0;
}

int dtrace_setopt(dtrace_hdl_t *h, const char *opt, const char *val)
{
	DT_PUBLIC(h, -1, set_option(h, opt, val));
}

/*
 * Sets each option whose variable (prefix and NAME in capitals) is in the environment. Stops at the first
 * that is refused; the message names the variable.
 */
static int set_from_environment(dtrace_hdl_t *h, const char *prefix)
{
	for (int i = 0; i < DT_NOPTS; i++) {
		const char *name = dt_options_row((enum dt_opt)i)->name, *value;
		char *variable = dt_arena_printf(h->scratch, "%s%s", prefix, name);

		for (char *c = variable + strlen(prefix); *c != '\0'; c++)
			*c = (char)toupper((unsigned char)*c);
		value = getenv(variable);
		if (value != NULL && set_option(h, name, value[0] != '\0' ? value : NULL) != 0)
			return dt_handle_errorf(h, h->err, "%s: %s", variable, dtrace_errmsg(h, h->err));
	}
	return 0;
}

int dtrace_setoptenv(dtrace_hdl_t *h, const char *prefix)
{
	DT_PUBLIC(h, -1, set_from_environment(h, prefix != NULL ? prefix : "DTRACE_OPT_"));
}

int dtrace_getopt(dtrace_hdl_t *h, const char *opt, dtrace_optval_t *val)
{
	int err = opt != NULL && val != NULL ? dt_options_get(&h->options, opt, val) : EINVAL;

	return err != 0 ? dt_handle_error(h, err) : 0;
}

/* ---- errors ---- */

/* Always returns -1, so that callers can return it. Lack of memory is one error, whoever noticed it. */
int dt_handle_error(struct dtrace_hdl *h, int err)
{
	h->err = err == ENOMEM ? EDT_NOMEM : err;
	h->errmsg = NULL;
	h->excerpt = NULL;
	return -1;
}

/* The texts have an arena and a jump of their own, because memory may be exactly what is missing. */
struct dt_arena *dt_handle_texts(struct dtrace_hdl *h, jmp_buf *oom)
{
	dt_arena_free(h->errarena);
	h->errarena = dt_arena_new();
	h->errmsg = h->excerpt = NULL;
	if (h->errarena != NULL)
		dt_arena_on_oom(h->errarena, oom);
	return h->errarena;
}

/* The arguments may point into the texts of the error before, so those are freed only after formatting. */
int dt_handle_errorf(struct dtrace_hdl *h, int err, const char *fmt, ...)
{
	struct dt_arena *before = h->errarena;		/* the arguments may point into it */
	va_list ap;
	jmp_buf oom;

	dt_handle_error(h, err);
	h->err = err;
	h->errarena = NULL;
	va_start(ap, fmt);
	if (setjmp(oom) == 0 && dt_handle_texts(h, &oom) != NULL)
		h->errmsg = dt_arena_vprintf(h->errarena, fmt, ap);
	va_end(ap);
	dt_arena_free(before);
	return -1;
}

int dtrace_errno(dtrace_hdl_t *h)
{
	return h->err;
}

/* The handle's own sentence if it is about this error, else the one of the table. */
const char *dtrace_errmsg(dtrace_hdl_t *h, int err)
{
	if (h != NULL && err == h->err && h->errmsg != NULL)
		return h->errmsg;
	return dt_error_text(err);
}

const char *dtrace_errexcerpt(dtrace_hdl_t *h)
{
	return h->excerpt != NULL ? h->excerpt : "";
}

struct dt_prog *dt_handle_prog(dtrace_prog_t *p)
{
	return p->prog;
}

struct dt_types *dt_handle_types(dtrace_hdl_t *h)
{
	return h->types;
}
