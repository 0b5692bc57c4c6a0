/* SPDX-License-Identifier: BSD-2-Clause */
/* Patterns of names, as the shell has them. */
#ifndef DT_BASE_GLOB_H
#define DT_BASE_GLOB_H

#include <stdbool.h>
#include <stddef.h>

bool dt_glob_match(const char *pattern, const char *text);

#endif
