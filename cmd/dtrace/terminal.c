/* SPDX-License-Identifier: BSD-2-Clause */
/* See terminal.h. */
#include "terminal.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* The values of both options: by themselves, as if to a terminal, as if to a file. */
enum { AUTO, TERMINAL, FILE_ };

static int option_of(dtrace_hdl_t *dtp, const char *name)
{
	static const int layouts[] = { AUTO, FILE_, TERMINAL };
	dtrace_optval_t v = AUTO;

	if (dtrace_getopt(dtp, name, &v) != 0 || v < 0 || v > 2)
		return AUTO;
	return strcmp(name, "layout") == 0 ? layouts[v] : (int)v;
}

bool terminal_color(dtrace_hdl_t *dtp, int fd)
{
	const char *no = getenv("NO_COLOR"), *term = getenv("TERM");
	int how = option_of(dtp, "color");

	if (how != AUTO)
		return how == TERMINAL;
	return isatty(fd) && (no == NULL || *no == '\0') && term != NULL && strcmp(term, "dumb") != 0;
}

int terminal_columns(dtrace_hdl_t *dtp, int fd)
{
	int how = option_of(dtp, "layout");
	struct winsize size;

	if (how == FILE_ || (how == AUTO && !isatty(fd)))
		return 0;
	return ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

/* A line of the excerpt that has the caret: blanks and the bar before it. */
static const char *caret_in(const char *line)
{
	const char *p = line + strspn(line, " |");

	return p > line && *p == '^' ? p : NULL;
}

void terminal_excerpt(dtrace_hdl_t *dtp, FILE *f)
{
	const char *text = dtrace_errexcerpt(dtp);

	if (!terminal_color(dtp, fileno(f))) {
		fputs(text, f);
		return;
	}
	while (*text != '\0') {
		int len = (int)strcspn(text, "\n");
		const char *caret = caret_in(text);

		if (caret != NULL)
			fprintf(f, "%.*s" TERMINAL_RED "%.*s" TERMINAL_PLAIN, (int)(caret - text), text,
			    len - (int)(caret - text), caret);
		else
			fprintf(f, "%.*s", len, text);
		text += len;
		if (*text == '\n')
			putc(*text++, f);
	}
}
