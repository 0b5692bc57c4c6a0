/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Names that others have chosen (of files, functions, providers, probes) and that reach a terminal: used
 * where such a name is made, so that nobody who prints one need think of it.
 */
#ifndef DT_BASE_CLEAN_H
#define DT_BASE_CLEAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The length of the code point at p, which is *c. 0: none begins there; overlong forms, surrogates and
 * sequences that are cut off are none. n is at least 1.
 */
size_t dt_utf8_len(const void *p, size_t n, uint32_t *c);

/*
 * Replaces, byte by byte, by '?' what moves a cursor, begins a line, turns the direction of writing or is
 * no UTF-8. True: there was something.
 */
bool dt_clean(char *text);
bool dt_is_clean(const char *text);

#endif
