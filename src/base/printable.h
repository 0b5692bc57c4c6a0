/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Untrusted names (of files, functions, providers, probes) that reach a terminal are made printable where
 * they are created, so that code that prints them needs no check.
 */
#ifndef DT_BASE_PRINTABLE_H
#define DT_BASE_PRINTABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Decodes the code point at p into *c and returns its length, or 0 if the bytes are not valid UTF-8 (overlong
 * forms, surrogates and truncated sequences included). n is at least 1.
 */
size_t dt_utf8_len(const void *p, size_t n, uint32_t *c);

/*
 * Replaces by '?', byte by byte, what moves a cursor, begins a line, turns the direction of writing or is not
 * UTF-8. Returns whether anything was replaced.
 */
bool dt_make_printable(char *text);
bool dt_is_printable(const char *text);

#endif
