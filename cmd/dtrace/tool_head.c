/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A script in, what its head says out (tool.h), and that as help. The head is the first comment that opens
 * with a line of its own. Its rows are a word in capitals, tabs and text, and end with the first empty line
 * after them; a line that begins with a tab continues the row before it.
 */
#include "tool.h"

#include "base.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { HEAD_MAX = 16 << 10 };

/* The beginning of the script, as one string. NULL after a message. */
static char *read_beginning(const char *name, const char *path)
{
	FILE *f = fopen(path, "re");
	char *text = malloc(HEAD_MAX + 1);
	size_t n = 0;

	if (f == NULL)
		fprintf(stderr, "%s: cannot read %s: %s\n", name, path, strerror(errno));
	else if (text == NULL)
		fprintf(stderr, "%s: out of memory\n", name);
	else
		n = fread(text, 1, HEAD_MAX, f);
	if (f == NULL || text == NULL) {
		if (f != NULL)
			fclose(f);
		free(text);
		return NULL;
	}
	fclose(f);
	text[n] = '\0';
	return text;
}

/*
 * The next line of the head, without " * " before it; NULL at its end. The text is cut after it, and *rest
 * goes on there.
 */
static char *next_line(char **rest)
{
	char *line = *rest, *end = strchr(line, '\n');

	if (end == NULL || strncmp(line, " */", 3) == 0 || strncmp(line, " *", 2) != 0)
		return NULL;
	*end = '\0';
	*rest = end + 1;
	line += 2;
	return *line == ' ' ? line + 1 : line;
}

/* "NAME 1-60: text" or "NAME: text". False: it is neither. */
static bool add_operand(struct tool *t, char *text)
{
	char *colon = strchr(text, ':'), *blank = strchr(text, ' '), *end;
	struct tool_operand *o = &t->operands[t->noperands];

	if (colon == NULL || t->noperands == TOOL_OPERANDS)
		return false;
	*o = (struct tool_operand){ .name = text, .least = 1, .most = 0, .text = colon + 1 };
	*colon = '\0';
	o->text += strspn(o->text, " ");
	if (blank != NULL && blank < colon) {
		*blank = '\0';
		o->least = strtol(blank + 1, &end, 10);
		if (*end != '-')
			return false;
		o->most = strtol(end + 1, &end, 10);
		if (*end != '\0')
			return false;
	}
	t->noperands++;
	return true;
}

static bool take_row(struct tool *t, const char *key, char *text)
{
	if (strcmp(key, "USAGE") == 0)
		t->usage = text;
	else if (strcmp(key, "EXAMPLE") == 0)
		t->example = text;
	else if (strcmp(key, "NEEDS") == 0)
		t->needs = text;
	else if (strcmp(key, "NOTE") == 0)
		t->note = text;
	else if (strcmp(key, "OPERAND") == 0)
		return add_operand(t, text);
	return true;
}

/* Appends a line that goes on to the row before it, whose text lies before it in memory. */
static void go_on(char *row, const char *more)
{
	size_t n = strlen(row);

	row[n] = ' ';
	memmove(row + n + 1, more, strlen(more) + 1);
}

/* The rows: from the first word in capitals to the first empty line after it. */
static bool read_rows(struct tool *t, char *at)
{
	char *line, *key = NULL, *row = NULL;
	bool good = true;

	while (good && (line = next_line(&at)) != NULL && (key == NULL || *line != '\0')) {
		size_t n = strspn(line, "ABCDEFGHIJKLMNOPQRSTUVWXYZ");

		if (row != NULL && *line == '\t') {
			go_on(row, line + strspn(line, "\t"));
			continue;
		}
		good = row == NULL || take_row(t, key, row);
		row = NULL;
		if (n == 0 || line[n] != '\t')
			continue;
		key = line;
		row = line + n + strspn(line + n, "\t");
		line[n] = '\0';
	}
	return good && (row == NULL || take_row(t, key, row));
}

/* "name - what it does" */
static bool read_title(struct tool *t, char **at)
{
	char *line = next_line(at), *dash = line != NULL ? strstr(line, " - ") : NULL;

	if (dash == NULL)
		return false;
	t->what = dash + 3;
	return true;
}

/* -p stands in brackets where the tool also runs without. */
static void read_usage(struct tool *t)
{
	const char *p = strstr(t->usage, "-p PID");

	t->pid = p != NULL;
	t->names = strstr(t->usage, "-n NAME") != NULL;
	t->target = p != NULL && p > t->usage && p[-1] != '[';
}

bool tool_read(struct tool *t, const char *path)
{
	const char *slash = strrchr(path, '/');
	char *at;

	*t = (struct tool){ .name = slash != NULL ? slash + 1 : path };
	t->memory = read_beginning(t->name, path);
	if (t->memory == NULL)
		return false;
	at = strstr(t->memory, "\n/*\n");
	if (at != NULL)
		at += 4;
	if (at == NULL || !read_title(t, &at) || !read_rows(t, at) || t->usage == NULL) {
		fprintf(stderr, "%s: %s has no head that says how it is called, as doc/TOOLS.md describes; "
		    "dtrace -s runs it as it is\n", t->name, path);
		tool_free(t);
		return false;
	}
	read_usage(t);
	return true;
}

void tool_free(struct tool *t)
{
	free(t->memory);
	free(t->argv);
	free(t->container);
	t->memory = NULL;
	t->argv = NULL;
	t->container = NULL;
}

/* ---- help ---- */

static bool needs_more(const struct tool *t)
{
	return t->needs != NULL && strcmp(t->needs, "no more than every kernel has") != 0;
}

void tool_failed(const struct tool *t, const char *why, bool rights)
{
	fprintf(stderr, "%s: cannot run here: %s\n", t->name, why);
	if (needs_more(t) && !rights)
		fprintf(stderr, "  it needs %s\n", t->needs);
}

static void put_option(FILE *f, char letter, const char *name, const char *arg, const char *text)
{
	char left[64];

	if (letter != 0)
		snprintf(left, sizeof(left), "-%c, --%s%s%s", letter, name, *arg != '\0' ? " " : "", arg);
	else
		snprintf(left, sizeof(left), "--%s", name);
	fprintf(f, "  %-24s %s\n", left, text);
}

static void put_operands(const struct tool *t, FILE *f)
{
	for (int i = 0; i < t->noperands; i++) {
		const struct tool_operand *o = &t->operands[i];

		fprintf(f, "  %-24s %s", o->name, o->text);
		if (o->most >= o->least)
			fprintf(f, " (%ld to %ld)", o->least, o->most);
		putc('\n', f);
	}
}

/* "command # what it shows" */
static void put_example(const struct tool *t, FILE *f)
{
	size_t n = strcspn(t->example, "#");
	const char *text = t->example[n] != '\0' ? t->example + n + 1 + strspn(t->example + n + 1, " ") : "";

	while (n > 0 && t->example[n - 1] == ' ')
		n--;
	fprintf(f, "\nexample:\n  %.*s\n", (int)n, t->example);
	if (*text != '\0')
		fprintf(f, "      %s\n", text);
}

/* In lines of some 90 characters, broken at blanks. */
static void put_note(const struct tool *t, FILE *f)
{
	const char *at = t->note;

	putc('\n', f);
	while (*at != '\0') {
		size_t n = strlen(at);

		if (n > 90) {
			for (n = 90; n > 0 && at[n] != ' '; n--)
				;
			n = n > 0 ? n : strcspn(at, " ");
		}
		fprintf(f, "%.*s\n", (int)n, at);
		at += n;
		at += strspn(at, " ");
	}
}

void tool_help(const struct tool *t, FILE *f)
{
	static const struct { char letter; const char *name, *arg, *text; } options[] = {
#define X(letter, name, arg, text) { letter, name, arg, text },
#include "tool.def"
#undef X
	};

	fprintf(f, "usage: %s\n%s - %s\n\n", t->usage, t->name, t->what);
	put_operands(t, f);
	for (size_t i = 0; i < COUNT(options); i++) {
		char c = options[i].letter;

		if ((t->pid || (c != 'p' && c != 'c')) && (t->names || c != 'n'))
			put_option(f, c, options[i].name, options[i].arg, options[i].text);
	}
	if (t->example != NULL)
		put_example(t, f);
	if (needs_more(t))
		fprintf(f, "\nneeds: %s\n", t->needs);
	if (t->note != NULL)
		put_note(t, f);
	fprintf(f, "\nCtrl-C ends it. %s(8) describes what it prints.\n", t->name);
}
