/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The words of the command line in, what they ask for out. Nothing is opened, set or compiled
 * here: options and programs are lists in the order given, for dtrace.c to go through.
 */
#ifndef DTRACE_ARGS_H
#define DTRACE_ARGS_H

#include <dtrace.h>

#include <stdbool.h>

enum mode { MODE_TRACE, MODE_ANON, MODE_LINK, MODE_HEADER, MODE_LIST, MODE_VERSION, MODE_HELP, MODE_DOCTOR,
	MODE_LSP, MODE_WORDS, MODE_PLAY, MODE_COMPLETE };

struct setting {		/* one call of dtrace_setopt() */
	char flag;		/* the letter it came from, for messages */
	char *name;		/* owned */
	const char *value;	/* or NULL; points into argv or at a constant */
};

struct program {
	bool file;		/* text is the path of a script (-s) */
	dtrace_probespec_t spec;
	const char *text;
};

struct target {			/* -c command or -p pid */
	bool command;
	const char *text;
	long pid;
};

/* Everything the command line says. The lists are in its order. */
struct args {
	enum mode mode;
	int oflags;		/* DTRACE_O_* */
	bool compile_only;	/* -e */
	bool verbose;		/* -v */
	bool page;		/* -O web, --web: the live page takes over */
	bool buffered;		/* -B */
	bool time_column;	/* -t */
	bool live;		/* --live */
	const char *output;	/* -o or NULL */
	const char *play;	/* --play FILE; with --hosts a program of their history, "": the only one */
	const char *since, *until;	/* of the history; NULL */
	const char *hosts, *bus, *bus_config;	/* --hosts and what goes with it; NULL */
	bool replays;		/* --replay FILE: no right is needed */
	const char *words;	/* --complete TEXT, --list LIST, or the options for -x help */
	struct setting *settings;
	int nsettings;
	struct program *programs;
	int nprograms;
	struct target *targets;
	int ntargets;
	char **operands;	/* [0] is left free for $0; $1 … follow; NULL ends */
	int noperands;		/* with [0] */
	const struct tool *tool;	/* --tool: whose command line this was; else NULL */
};

/* 0, or the status to exit with (1, 2) after a message went to stderr. */
int args_parse(struct args *, int argc, char **argv);
void args_free(struct args *);
void args_usage(FILE *);

#endif
