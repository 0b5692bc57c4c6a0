/* SPDX-License-Identifier: BSD-2-Clause */
/* A string in JSON, for every writer of it: the library's (output/json.h) and that of dtrace-web. */
#ifndef DT_WIRE_JSON_QUOTE_H
#define DT_WIRE_JSON_QUOTE_H

#include <stdbool.h>
#include <stddef.h>

/* Takes bytes; false: no more are wanted. */
typedef bool dt_json_put_f(void *to, const void *bytes, size_t n);

/*
 * n bytes of text in quotes. Control characters, quotes and backslashes are escaped, so a line stays one
 * line; a byte that begins no UTF-8 becomes U+FFFD. `markup`: `<` is escaped too, so no text ends a script.
 */
void dt_json_quote(dt_json_put_f *put, void *to, const void *text, size_t n, bool markup);

#endif
