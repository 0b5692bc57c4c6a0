/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The options of a handle, its errors and its notices. Errors have an arena of their own, because memory may
 * be exactly what is missing.
 */
#include "handle/handle.h"
#include "kernel/rights.h"
#include "handle/entry.h"
#include "handle/errors.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

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

/* The body of dtrace_setopt(). A value of the wrong form is answered with the form it should have. */
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

/* Always returns -1, so that callers can return it. Lack of memory is one error, wherever it was noticed. */
int dt_handle_error(struct dtrace_hdl *h, int err)
{
	h->err = err == ENOMEM ? EDT_NOMEM : err;
	h->errmsg = NULL;
	h->excerpt = NULL;
	if (err != 0)
		dt_debug(h, "error %d: %s", err, dt_error_text(err));
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

	h->err = err;
	h->errmsg = h->excerpt = NULL;
	h->errarena = NULL;
	va_start(ap, fmt);
	if (setjmp(oom) == 0 && dt_handle_texts(h, &oom) != NULL)
		h->errmsg = dt_arena_vprintf(h->errarena, fmt, ap);
	va_end(ap);
	dt_debug(h, "error %d: %s", err, h->errmsg != NULL ? h->errmsg : dt_error_text(err));
	dt_arena_free(before);
	return -1;
}

int dtrace_errno(dtrace_hdl_t *h)
{
	return h->err;
}

/*
 * The handle's own sentence if it is about this error, else the one of the table; that of EDT_ACCESS says
 * which rights are missing.
 */
const char *dtrace_errmsg(dtrace_hdl_t *h, int err)
{
	if (h != NULL && err == h->err && h->errmsg != NULL)
		return h->errmsg;
	return err == EDT_ACCESS ? dt_rights_why_refused() : dt_error_text(err);
}

const char *dtrace_errexcerpt(dtrace_hdl_t *h)
{
	return h->excerpt != NULL ? h->excerpt : "";
}

/* ---- notices ---- */

/* A line that is there already is not added again. */
static void add_line(struct dtrace_hdl *h, const char **lines, const char *text)
{
	if (*lines == NULL)
		*lines = text;
	else if (strstr(*lines, text) == NULL)
		*lines = dt_arena_printf(h->kept, "%s\ndtrace: %s", *lines, text);
}

void dt_handle_note(struct dtrace_hdl *h, const char *text) { add_line(h, &h->notice, text); }
void dt_handle_remark(struct dtrace_hdl *h, const char *text) { add_line(h, &h->remarks, text); }

/* ---- parts ---- */

struct dt_prog *dt_handle_prog(dtrace_prog_t *p)
{
	return p->prog;
}

struct dt_types *dt_handle_types(dtrace_hdl_t *h)
{
	return h->types;
}

/* A pointer or an array has no module of its own: it is at home where the type it leads to is. */
static const char *home_of(const struct dt_type *t)
{
	while (t->module == NULL && t->ref != NULL)
		t = t->ref;
	return t->module != NULL ? t->module : "D";
}

void dt_handle_typeinfo(struct dtrace_hdl *h, const struct dt_type *t, dtrace_typeinfo_t *info)
{
	*info = (dtrace_typeinfo_t){ .dtt_object = home_of(t), .dtt_ctfp = h->types, .dtt_type = t,
		.dtt_flags = dt_type_is_user(t) ? DTT_FL_USER : 0 };
}
