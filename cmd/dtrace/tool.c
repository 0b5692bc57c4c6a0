/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The command line of a tool in, one of dtrace out (tool.h). What the head does not allow is refused with one
 * sentence. The macro arguments: $$1 is the name of -n, or empty; $2 and so on are the operands.
 */
#include "tool.h"

#include "arguments.h"
#include "base.h"

#include <getopt.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum { LONG_ONLY = 256 };	/* an option without a letter is this and its place in the list */

static const struct { char letter; const char *name; bool takes; } rows[] = {
#define X(letter, name, arg, text) { letter, name, sizeof(arg) > 1 },
#include "tool.def"
#undef X
};

/* What getopt_long() wants to know. `:` leaves the messages to us. */
struct grammar {
	char letters[3 * COUNT(rows) + 2];
	struct option longs[COUNT(rows) + 1];
};

static void make_grammar(struct grammar *g)
{
	char *p = g->letters;

	memset(g, 0, sizeof(*g));
	*p++ = ':';
	for (size_t i = 0; i < COUNT(rows); i++) {
		g->longs[i] = (struct option){ rows[i].name, rows[i].takes ? required_argument : no_argument,
		    NULL, rows[i].letter != 0 ? rows[i].letter : (int)(LONG_ONLY + i) };
		if (rows[i].letter == 0)
			continue;
		*p++ = rows[i].letter;
		if (rows[i].takes)
			*p++ = ':';
	}
}

static void add(struct tool *t, char *word) { t->argv[t->argc++] = word; }

static void add_pair(struct tool *t, char *option, char *value)
{
	add(t, option);
	add(t, value);
}

/* What was said already; the rest goes to dtrace as it comes. */
struct said {
	bool help, target;	/* -p or -c */
	const char *name;	/* -n */
};

static int refuse(const struct tool *t, const char *what, const char *why)
{
	fprintf(stderr, "%s: %s %s; see %s --help\n", t->name, what, why, t->name);
	return 2;
}

/* -p and -c: one process, which the tool ends with. */
static int take_target(struct tool *t, struct said *s, int letter, char *value)
{
	char option[3] = { '-', (char)letter, '\0' };
	long pid;

	if (!t->pid)
		return refuse(t, option, "cannot be used: what this tool shows belongs to no process");
	if (s->target)
		return refuse(t, option, "is one too many: -p or -c is given once");
	if (letter == 'p' && !arguments_number(value, 1, INT_MAX, &pid)) {
		fprintf(stderr, "%s: -p %s is no number of a process; see %s --help\n", t->name, value,
		    t->name);
		return 2;
	}
	s->target = true;
	add_pair(t, letter == 'p' ? "-p" : "-c", value);
	return 0;
}

static int take_name(const struct tool *t, struct said *s, const char *value)
{
	if (!t->names)
		return refuse(t, "-n", "cannot be used: what this tool shows belongs to no process");
	if (*value == '\0')
		return refuse(t, "-n", "requires a name");
	s->name = value;
	return 0;
}

static int take_container(struct tool *t, const char *value)
{
	free(t->container);
	if (asprintf(&t->container, "container=%s", value) < 0) {
		t->container = NULL;
		fprintf(stderr, "%s: out of memory\n", t->name);
		return 2;
	}
	return 0;
}

static int take_option(struct tool *t, struct said *s, int c, char *value)
{
	switch (c) {
	case 'h': s->help = true; return 0;
	case 'p': case 'c': return take_target(t, s, c, value);
	case 'n': return take_name(t, s, value);
	case 'C': return take_container(t, value);
	case 't': add_pair(t, "-x", "walltime"); return 0;
	case 'o': add_pair(t, "-o", value); return 0;
	case 'O': add_pair(t, "-O", value); return 0;
	case 'x': add_pair(t, "-x", value); return 0;
	case 'Z': add(t, "-Z"); return 0;
	default: add(t, strcmp(rows[c - LONG_ONLY].name, "web") == 0 ? "--web" : "--live"); return 0;
	}
}

static int check_operand(const struct tool *t, int n, const char *word)
{
	const struct tool_operand *o = &t->operands[n];
	long number;

	if (n >= t->noperands) {
		fprintf(stderr, t->names ? "%s: nothing is known of the operand %s: -n chooses processes by "
		    "their name; see %s --help\n" : "%s: nothing is known of the operand %s; see %s --help\n",
		    t->name, word, t->name);
		return 2;
	}
	if (o->most >= o->least && !arguments_number(word, o->least, o->most, &number)) {
		fprintf(stderr, "%s: %s must be a number from %ld to %ld, not %s; see %s --help\n", t->name,
		    o->name, o->least, o->most, word, t->name);
		return 2;
	}
	return 0;
}

/* A tool that traces one process finds it by its name; all others compare names as events come. */
static int find_target(struct tool *t, struct said *s)
{
	pid_t pid;
	int status;

	if (!t->target || s->target)
		return 0;
	if (s->name == NULL)
		return refuse(t, "-p PID, -c COMMAND or -n NAME", "is needed");
	status = arguments_process(t->name, s->name, &pid);
	if (status != 0)
		return status;
	snprintf(t->pid_text, sizeof(t->pid_text), "%d", (int)pid);
	add_pair(t, "-p", t->pid_text);
	s->name = NULL;
	return 0;
}

/* The macro arguments stand after "--", since any of them may look like an option. */
static int add_operands(struct tool *t, struct said *s, int argc, char **argv)
{
	int status = 0;

	for (int i = 0; i < argc && status == 0; i++)
		status = check_operand(t, i, argv[i]);
	if (status == 0)
		status = find_target(t, s);
	if (t->container != NULL)
		add_pair(t, "-x", t->container);
	add_pair(t, "-x", "argref");		/* a tool need not look at all of them */
	snprintf(t->name_text, sizeof(t->name_text), "%s", s->name != NULL ? s->name : "");
	add_pair(t, "--", t->name_text);
	for (int i = 0; i < argc; i++)
		add(t, argv[i]);
	return status;
}

/* argv[0] is the script. getopt() is left as args_parse() wants it: as if it had not been called. */
static int parse(struct tool *t, int argc, char **argv)
{
	struct grammar g;
	struct said s = { 0 };
	int c, status = 0;

	make_grammar(&g);
	opterr = 0;
	while (status == 0 && (c = getopt_long(argc, argv, g.letters, g.longs, NULL)) != -1)
		status = c == '?' || c == ':' ? arguments_refuse(t->name, c, argv) :
		    take_option(t, &s, c, optarg);
	if (status == 0 && s.help) {
		tool_help(t, stdout);
		status = -1;
	}
	if (status == 0)
		status = add_operands(t, &s, argc - optind, argv + optind);
	optind = 0;
	return status;
}

int tool_args(struct tool *t, int argc, char **argv)
{
	if (argc < 3) {
		fprintf(stderr, "dtrace: --tool requires a script; see dtrace --help\n");
		return 2;
	}
	if (!tool_read(t, argv[2]))
		return 1;
	t->argv = calloc((size_t)argc * 2 + 16, sizeof(*t->argv));
	if (t->argv == NULL) {
		fprintf(stderr, "%s: out of memory\n", t->name);
		return 2;
	}
	add(t, argv[0]);
	add_pair(t, "-s", argv[2]);
	return parse(t, argc - 2, argv + 2);
}
