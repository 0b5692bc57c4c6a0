/* SPDX-License-Identifier: BSD-2-Clause */
/* --help of a script: what the comment at its head says. */
#ifndef DTRACE_HELP_H
#define DTRACE_HELP_H

#include "args.h"

/* False: no script is given, or none that begins with such a comment. */
bool help_script(FILE *, const struct args *);

#endif
