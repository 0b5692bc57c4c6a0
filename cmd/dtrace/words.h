/* SPDX-License-Identifier: BSD-2-Clause */
/* --list and -x help: what can be written, as a table. */
#ifndef DTRACE_WORDS_H
#define DTRACE_WORDS_H

#include <dtrace.h>

/*
 * The rows of a list whose names match one of the patterns, or all without any. The exit status: 1 if there
 * is none, 2 if there is no such list, each after a message.
 */
int words(FILE *, const char *list, char *const *patterns, int npatterns);

#endif
