/* SPDX-License-Identifier: BSD-2-Clause */
/* What the command line asks for, of the server and of the workers it starts. */
#ifndef DT_CMD_WEB_WEB_ARGS_H
#define DT_CMD_WEB_WEB_ARGS_H

#include <stdbool.h>
#include <stddef.h>

struct args {
	const char *worker;		/* --worker MODE, or NULL: this is the server */
	bool lsp;			/* … of an editor (--lsp), not of a page */
	const char *listen;		/* ADDR, ADDR:PORT or :PORT, or NULL */
	char *program;			/* all of -n, -s and their like as one text; owned */
	bool has_program;
	/* words that workers are given as they are: -x, -p, -c and operands; they point into argv */
	const char **pass;
	int npass;
	const char **settings;		/* "name=value" of -x and its like */
	int nsettings;
	const char *pid, *command;
	const char *hosts, *bus, *bus_config;	/* of dtrace --hosts; hosts NULL: this machine */
	const char *play;		/* --play FILE: a recording takes the place of a trace */
	const char **operands;		/* $0, $1 ... */
	int noperands;
};

/* 0, or the status to exit with after a message. */
int args_parse(struct args *, int argc, char **argv);
void args_free(struct args *);

#endif
