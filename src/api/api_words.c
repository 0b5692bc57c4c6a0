/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Everything a user can write, list by list, made of the rows that the library itself works by: nothing is
 * said here that a row does not say, but for the variables that D libraries declare.
 */
#include "handle/entry.h"

#include "base/count.h"
#include "base/diag.h"
#include "dif/builtin.h"
#include "output/format.h"
#include "provider/provider.h"

#include <errno.h>

/* One walk: whom to call, until they return a value that is not 0. */
struct walk {
	struct dtrace_hdl *h;
	dtrace_word_f *f;
	void *arg;
	int kind;			/* what the list's function needs to know */
	int rv;
};

static void report(struct walk *w, dtrace_word_t word)
{
	const char **text[] = { &word.dtw_doc, &word.dtw_range, &word.dtw_default, &word.dtw_scope };

	for (size_t i = 0; i < DT_COUNT(text); i++)
		if (*text[i] == NULL)
			*text[i] = "";
	if (w->rv == 0)
		w->rv = w->f(w->h, &word, w->arg);
}

static void each_option(struct walk *w)
{
	for (unsigned i = 0; i < DT_NOPTS; i++) {
		const struct dt_optrow *row = dt_options_row((enum dt_opt)i);
		struct dt_opttexts t = dt_options_texts(w->h->scratch, (enum dt_opt)i);

		report(w, (dtrace_word_t){ .dtw_name = row->name, .dtw_form = t.form, .dtw_doc = row->doc,
		    .dtw_range = t.range, .dtw_default = t.def, .dtw_scope = t.scope,
		    .dtw_here = t.here });
	}
}

/* As it is written: "int pid", "uint64_t uregs[]", "size_t strlen(const char *)", "printf(string, ...)". */
static const char *form_of(struct dt_arena *arena, const struct dt_builtin *row)
{
	const char *open = row->proto != NULL ? strchr(row->proto, '(') : NULL;

	if (row->kind == DT_BI_SCALAR || row->kind == DT_BI_ARRAY)
		return dt_arena_printf(arena, "%s %s%s", row->proto, row->name,
		    row->kind == DT_BI_ARRAY ? "[]" : "");
	if (row->kind != DT_BI_SUBR || open == NULL)
		return dt_arena_printf(arena, "%s%s", row->name, open != NULL ? open : "()");
	return dt_arena_printf(arena, "%.*s%s%s%s", (int)(open - row->proto), row->proto,
	    open[-1] == '*' ? "" : " ", row->name, open);
}

static bool in_list(const struct dt_builtin *row, int kind)
{
	return row->kind == kind || (kind == DT_BI_SCALAR && row->kind == DT_BI_ARRAY);
}

/* Variables that dlib/ declares, for people and not for other libraries; words.sh compares. */
static const struct { const char *name, *form, *doc; } declared[] = {
	{ "chip", "chipid_t chip", "0: the chip of a CPU is not known in a probe." },
	{ "curcpu", "cpuinfo_t *curcpu", "The CPU." },
	{ "curlwpsinfo", "lwpsinfo_t *curlwpsinfo", "The current thread." },
	{ "curpsinfo", "psinfo_t *curpsinfo", "The current process." },
	{ "errno_string", "string errno_string[int]", "The name of an error: ENOENT." },
	{ "fds", "fileinfo_t fds[int]", "The open file of the process with that number." },
	{ "lgrp", "lgrp_id_t lgrp", "0: groups of memory are not known in a probe." },
	{ "pset", "psetid_t pset", "0: Linux has no processor sets." },
	{ "signal_string", "string signal_string[int]", "The name of a signal: SIGTERM." },
	{ "tcp_state_string", "string tcp_state_string[int32_t]", "The name of a state of TCP." },
};

static void each_builtin(struct walk *w)
{
	const struct dt_builtin *row;

	for (size_t at = 0; (row = dt_builtin_next(&at)) != NULL; )
		if (in_list(row, w->kind))
			report(w, (dtrace_word_t){ .dtw_name = row->name,
			    .dtw_form = form_of(w->h->scratch, row),
			    .dtw_doc = row->unsupported != NULL ? row->unsupported : row->doc,
			    .dtw_scope = row->flags & DT_BF_DESTRUCTIVE ? "-w" : "",
			    .dtw_here = row->unsupported == NULL });
	for (size_t i = 0; i < DT_COUNT(declared) && w->kind == DT_BI_SCALAR; i++)
		report(w, (dtrace_word_t){ .dtw_name = declared[i].name, .dtw_form = declared[i].form,
		    .dtw_doc = declared[i].doc, .dtw_here = 1 });
}

/* The name of static probes is in parentheses, as no provider can be called so. */
static void each_provider(struct walk *w)
{
	for (const struct dt_provider *const *at = dt_providers, *row; (row = *at) != NULL; at++)
		report(w, (dtrace_word_t){ .dtw_name = row->name[0] == '(' ? "usdt" : row->name,
		    .dtw_form = row->form, .dtw_doc = row->doc, .dtw_here = 1 });
}

static void each_conversion(struct walk *w)
{
	for (const struct dt_convrow *row = dt_convrows; row->name != NULL; row++)
		report(w, (dtrace_word_t){ .dtw_name = row->name,
		    .dtw_form = dt_arena_printf(w->h->scratch, "%%%s (%s)", row->name, row->args),
		    .dtw_doc = row->doc, .dtw_here = 1 });
}

static const struct { const char *name; void (*each)(struct walk *); int kind; } lists[] = {
	{ "actions", each_builtin, DT_BI_ACTION },
	{ "aggregations", each_builtin, DT_BI_AGGFUNC },
	{ "conversions", each_conversion, 0 },
	{ "functions", each_builtin, DT_BI_SUBR },
	{ "options", each_option, 0 },
	{ "providers", each_provider, 0 },
	{ "variables", each_builtin, DT_BI_SCALAR },
};

/* The message has all lists, and the nearest one first. */
static int no_such_list(struct dtrace_hdl *h, const char *name)
{
	const char *all = "";
	struct dt_near near;

	dt_near_init(&near, name);
	for (size_t i = 0; i < DT_COUNT(lists); i++) {
		dt_near_offer(&near, lists[i].name);
		all = dt_arena_printf(h->scratch, "%s%s%s", all,
		    i == 0 ? "" : i + 1 < DT_COUNT(lists) ? ", " : " and ", lists[i].name);
	}
	return dt_handle_errorf(h, EINVAL, "there is no list of %s%s%s%s (there are %s)", name,
	    near.best != NULL ? "; did you mean `" : "", near.best != NULL ? near.best : "",
	    near.best != NULL ? "`?" : "", all);
}

static int walk_list(struct dtrace_hdl *h, const char *name, dtrace_word_f *f, void *arg)
{
	struct walk w = { .h = h, .f = f, .arg = arg };

	for (size_t i = 0; i < DT_COUNT(lists); i++) {
		if (strcmp(lists[i].name, name) != 0)
			continue;
		w.kind = lists[i].kind;
		lists[i].each(&w);
		return w.rv;
	}
	return no_such_list(h, name);
}

struct library_walk { dtrace_hdl_t *h; dtrace_library_f *f; void *arg; };

static int call_library(void *ctx, const char *path, const char *text)
{
	struct library_walk *w = ctx;

	return w->f(w->h, path, text, w->arg);
}

/* A directory of -L that cannot be read is an error, as it is for a program. */
static int walk_libraries(struct dtrace_hdl *h, dtrace_library_f *f, void *arg)
{
	struct dt_diag diag = { .arena = h->arena }, *outer = h->diag;
	jmp_buf *before = dt_arena_on_oom(h->arena, &diag.env);
	struct library_walk w = { h, f, arg };
	bool failed = setjmp(diag.env) != 0;
	volatile int rv = -1;			/* read after the jump */

	h->diag = &diag;
	if (!failed)
		rv = dt_libraries_each(h, call_library, &w);
	h->diag = outer;
	dt_arena_on_oom(h->arena, before);
	if (failed && diag.msg == NULL && before != NULL)
		longjmp(*before, 1);		/* lack of memory goes to the caller */
	return failed ? dt_handle_errorf(h, EINVAL, "%s", diag.msg != NULL ? diag.msg : "out of memory") : rv;
}

int dtrace_library_iter(dtrace_hdl_t *h, dtrace_library_f *f, void *arg)
{
	if (f == NULL)
		return dt_handle_error(h, EINVAL);
	DT_PUBLIC(h, -1, walk_libraries(h, f, arg));
}

int dtrace_word_iter(dtrace_hdl_t *h, const char *list, dtrace_word_f *f, void *arg)
{
	if (list == NULL || f == NULL)
		return dt_handle_error(h, EINVAL);
	DT_PUBLIC(h, -1, walk_list(h, list, f, arg));
}
