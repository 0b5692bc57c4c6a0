/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * --complete DESCRIPTION, --complete=-LETTER TEXT: how a probe description, or the argument of -LETTER (-c a
 * command, -p a process id, -W the name of a process), can go on, for shells (completion/). Each line is
 * one completion; that of -p is followed by a tab and the process's name.
 *
 * A shell puts these lines on a command line of root, and unprivileged users choose the names of
 * processes, probes and files. Names that a shell could take for anything but letters are left out here,
 * for all shells alike.
 */
#ifndef DTRACE_COMPLETE_H
#define DTRACE_COMPLETE_H

#include <dtrace.h>
#include <stdio.h>

int complete(const char *what, const char *text, FILE *out);

#endif
