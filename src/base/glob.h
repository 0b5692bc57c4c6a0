/* SPDX-License-Identifier: BSD-2-Clause */
/* Shell patterns for names. */
#ifndef DT_BASE_GLOB_H
#define DT_BASE_GLOB_H

#include <stdbool.h>
#include <stddef.h>

/* *, ?, [a-z], [!a-z] and \\ as in glob.c; the whole text must match. */
bool dt_glob_match(const char *pattern, const char *text);

#endif
