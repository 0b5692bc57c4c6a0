/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a terminal shows and a file does not: colours, and columns that fit. The library decides the same
 * for its text.
 */
#ifndef DTRACE_TERMINAL_H
#define DTRACE_TERMINAL_H

#include <dtrace.h>

#include <stdbool.h>
#include <stdio.h>

#define TERMINAL_BOLD "\033[1m"
#define TERMINAL_RED "\033[31m"
#define TERMINAL_PLAIN "\033[0m"

/* -x color: always, never, or on terminals unless NO_COLOR is set. */
bool terminal_color(dtrace_hdl_t *, int fd);
/* -x layout: how many columns text may have; 0: the historic layout is wanted. */
int terminal_columns(dtrace_hdl_t *, int fd);
/* The excerpt of the last error; its caret, and what stands beside it, in colour. */
void terminal_excerpt(dtrace_hdl_t *, FILE *);

#endif
