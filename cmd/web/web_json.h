/* SPDX-License-Identifier: BSD-2-Clause */
/* What JSON needs beyond printf(). */
#ifndef DT_CMD_WEB_WEB_JSON_H
#define DT_CMD_WEB_WEB_JSON_H

#include <stddef.h>
#include <stdio.h>

/* A string in quotes. Bytes that are no UTF-8 become U+FFFD; `<` is escaped: no text ends a script. */
void json_string(FILE *, const char *, size_t len);
void json_text(FILE *, const char *);			/* the same, to its NUL */

#endif
