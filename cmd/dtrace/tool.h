/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A tool is a D script that begins with `#!/usr/sbin/dtrace --tool` and a head that says how it is called
 * (doc/TOOLS.md). Its command line is checked against that head, and becomes one of dtrace: -s with macro
 * arguments.
 */
#ifndef DTRACE_TOOL_H
#define DTRACE_TOOL_H

#include <stdbool.h>
#include <stdio.h>

enum { TOOL_OPERANDS = 4 };

struct tool_operand {
	const char *name;
	long least, most;	/* most < least: a word */
	const char *text;
};

/* The head of a script; all strings are in `memory`. */
struct tool {
	const char *name;	/* how it is called: the last part of its path */
	const char *what;	/* the rest of its first line */
	const char *usage, *example, *needs, *note;
	struct tool_operand operands[TOOL_OPERANDS];
	int noperands;
	bool pid, names;	/* it takes -p and -c; -n */
	bool target;		/* it needs -p, -c or -n, which then finds the process */
	char *memory;
	char **argv;		/* of dtrace, NULL at the end; argc in all */
	int argc;
	char pid_text[16], name_text[16], *container;	/* that words of argv are */
};

/* False after a message: it cannot be read, or it has no head. */
bool tool_read(struct tool *, const char *path);
void tool_help(const struct tool *, FILE *);
/* The script could not be compiled or enabled. rights: of this user; else what it needs may not be here. */
void tool_failed(const struct tool *, const char *why, bool rights);
void tool_free(struct tool *);

/*
 * argv is "dtrace --tool FILE WORDS…". 0: tool->argv is the command line to go on with; -1: the help was
 * printed; or the status to exit with after a message.
 */
int tool_args(struct tool *, int argc, char **argv);

#endif
