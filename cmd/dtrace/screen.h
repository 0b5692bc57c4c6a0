/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The whole terminal, for a while: a second screen that is drawn in place, and keys without Enter. What
 * others write to standard error meanwhile is kept and written afterwards. However the command ends, also by
 * SIGKILL, the terminal gets back what it had: a child waits for that.
 */
#ifndef DTRACE_SCREEN_H
#define DTRACE_SCREEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/types.h>
#include <termios.h>

struct screen {
	bool open;
	struct termios saved;
	int keys;		/* where keys come from; -1: nowhere */
	int guard;		/* to the child that waits for our end */
	pid_t child;
	int kept;		/* a file in memory: text and messages for afterwards */
	int messages;		/* what standard error was; -1: it was no terminal and is left alone */
	FILE *text;		/* writes to `kept` */
	bool lost;		/* there was more than is kept */
};

/* Standard output is a terminal. False, after a sentence: it cannot be used, or there is no memory. */
bool screen_open(struct screen *);
/* Takes effect once; then what was kept goes to standard output. */
void screen_close(struct screen *);
void screen_size(int *rows, int *columns);
/* Waits for a key, for fd, or for a time. Returns the key, 0 for anything else. */
int screen_wait(struct screen *, int fd, int ms);
void screen_draw(const char *frame, size_t len);
/* The last lines of what is kept, to be freed; NULL: there is nothing. */
char *screen_tail(struct screen *, int lines);

#endif
