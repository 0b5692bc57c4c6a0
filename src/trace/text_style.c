/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How text looks depends on where it goes: on a terminal columns fit their contents, bars are drawn with
 * block characters if the locale has them, and there are colours unless NO_COLOR says otherwise.
 * Everywhere else, where scripts may read it, text is in the historic layout to the last blank. The
 * options layout, encoding and color say so in either case. Structured formats are never changed.
 */
#include "trace/trace.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* As setlocale() chooses; the library does not call it, since it would change the whole process. */
static bool locale_is_utf8(void)
{
	static const char *const names[] = { "LC_ALL", "LC_CTYPE", "LANG" };
	const char *value = NULL;

	for (int i = 0; i < 3 && (value == NULL || *value == '\0'); i++)
		value = getenv(names[i]);
	return value != NULL && (strcasestr(value, "utf-8") != NULL || strcasestr(value, "utf8") != NULL);
}

static bool has_colors(void)
{
	const char *no = getenv("NO_COLOR"), *term = getenv("TERM");

	return (no == NULL || *no == '\0') && term != NULL && strcmp(term, "dumb") != 0;
}

/* The columns of a terminal; of a file those that COLUMNS says, or 0. */
static uint32_t columns_of(int fd, bool tty)
{
	const char *text = getenv("COLUMNS");
	struct winsize size;
	long n = text != NULL ? strtol(text, NULL, 10) : 0;

	if (tty && ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
		return size.ws_col;
	return n > 0 && n < 10000 ? (uint32_t)n : tty ? 80 : 0;
}

void dt_trace_terminal(struct dtrace_hdl *h, struct dt_trace *t)
{
	const int64_t *val = h->options.val;
	bool text = dt_sink_oformat((unsigned)val[DT_OPT_oformat]) == DTRACE_OFORMAT_TEXT;
	int fd = text && t->out.file != NULL ? fileno(t->out.file) : -1;
	bool tty = fd >= 0 && isatty(fd);

	t->popts.utf8 = val[DT_OPT_encoding] == DT_ENCODING_UTF8 ||
	    (val[DT_OPT_encoding] == DT_ENCODING_AUTO && tty && locale_is_utf8());
	t->popts.color = fd >= 0 && (val[DT_OPT_color] == DT_COLOR_ALWAYS ||
	    (val[DT_OPT_color] == DT_COLOR_AUTO && tty && has_colors()));
	t->popts.fit = fd >= 0 && (val[DT_OPT_layout] == DT_LAYOUT_FIT ||
	    (val[DT_OPT_layout] == DT_LAYOUT_AUTO && tty));
	t->popts.columns = t->popts.fit ? columns_of(fd, tty) : 0;
}

/* Options that steer text may change while tracing (setopt()): this copies them to where printing looks. */
void dt_trace_text(struct dtrace_hdl *h, struct dt_trace *t)
{
	const struct dt_options *o = &h->options;

	t->popts = dt_print_defaults;
	t->popts.types = h->types;
	t->popts.symbolize = dt_trace_symbolize;
	t->popts.symctx = h;
	t->popts.quiet = dt_options_on(o, DT_OPT_quiet);
	t->popts.rawbytes = dt_options_on(o, DT_OPT_rawbytes);
	t->popts.agghist = dt_options_on(o, DT_OPT_agghist);
	t->popts.aggpack = dt_options_on(o, DT_OPT_aggpack);
	t->popts.units = dt_options_units(o);
	t->popts.apart = !dt_options_on(o, DT_OPT_mergestacks);
	t->popts.aggzoom = dt_options_on(o, DT_OPT_aggzoom);
	if (o->val[DT_OPT_stackindent] >= 0)
		t->popts.stackindent = (uint32_t)o->val[DT_OPT_stackindent];
	t->popts.target = (uint32_t)h->target;
	dt_trace_terminal(h, t);
}
