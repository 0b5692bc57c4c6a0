/* SPDX-License-Identifier: BSD-2-Clause */
/* --list and -x help: what can be written, as a table. */
#ifndef DTRACE_WORDS_H
#define DTRACE_WORDS_H

#include <dtrace.h>

/* The exit status: 1 after a message, 2 if there is no such list. */
int words(FILE *, const char *list);

#endif
